"""The sums of `shapwin.exact_sums` as native aggregates, and their way back to summaries."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from pyspark.sql import DataFrame

from ..exact_sums import LARGEST, PARTS, SIZES, SPLITTERS, pairs, summary
from ..summary import Summary

SUMS = ("m", "a", "b", "center")
SUMS_OF_TWO = (*SUMS, "a2", "ab", "center2")


def with_parts(rows: DataFrame, letters: str) -> DataFrame:
    """Cut columns into parts: ``_y`` into ``_y1`` … ``_y4``, or ``_y_odd`` where it has none.

    Parameters
    ----------
    rows : DataFrame
        With ``_y``, and ``_x`` if there is a second column.
    letters : {"y", "yx"}
        The columns to cut.
    """
    kept = [name for name in rows.columns if name not in {f"_{v}" for v in letters}]
    for step in cuts(letters):
        rows = rows.selectExpr(*kept, *step)
    return rows


def cuts(letters: str) -> tuple[list[str], list[str], list[str]]:
    """Return what `with_parts` selects, as SQL.

    Each step is a projection of its own, so that Spark works out once what the next one names.
    """
    usual, ends, parts = [], [], []
    for v in letters:
        finite = f"abs(_{v}) < {LARGEST}D"
        usual += [f"if({finite}, _{v}, 0D) _{v}", f"if({finite}, NULL, _{v}) _{v}_odd"]
        ends += [f"_{v}", f"_{v}_odd", f"0D _{v}_end0"]
        ends += [
            f"_{v} * {s}D - (_{v} * {s}D - _{v}) _{v}_end{k}"
            for k, s in zip(PARTS, SPLITTERS, strict=False)
        ]
        parts += [f"_{v}_odd", f"_{v} - _{v}_end{PARTS[-2]} _{v}{PARTS[-1]}"]
        parts += [f"_{v}_end{k} - _{v}_end{k - 1} _{v}{k}" for k in PARTS[:-1]]
    return usual, ends, parts


def aggregates(letters: str, weight: str | None = None) -> list[str]:
    """Return the sums of columns that were cut by `with_parts`, as SQL.

    Parameters
    ----------
    letters : {"y", "yx"}
        As there.
    weight : str, optional
        The column that says how many equal rows a row stands for.
    """
    times = "" if weight is None else f"{weight} * "
    sums = ["count(*) _m" if weight is None else f"sum({weight}) _m"]
    for v in letters:
        sums += [f"sum({times}_{v}{part}) _{v}{part}" for part in (*PARTS, "_odd")]
        for size in SIZES:
            products = " + ".join(f"_y{i} * _{v}{j}" for i, j in pairs(size))
            sums.append(f"sum({times}({products})) _y{v}{size}")
    return sums


@dataclass(frozen=True, slots=True)
class Sums:
    """Which columns of a table hold its sums, and how a worker reads them.

    Parameters
    ----------
    two_columns : bool
        Whether there are sums of a second column.
    exact : bool
        Whether they are the exact sums, ``_y1``, …, about no centre yet; otherwise summaries,
        ``_m``, ``_a``, ….
    centered : bool
        Whether ``_c`` says what exact sums are to be measured from.
    """

    two_columns: bool
    exact: bool = False
    centered: bool = False

    @property
    def names(self) -> tuple[str, ...]:
        """The names of a summary's sums."""
        return SUMS_OF_TWO if self.two_columns else SUMS

    @property
    def columns(self) -> list[str]:
        """The names of the columns that are read."""
        if not self.exact:
            return [f"_{name}" for name in self.names]
        letters = "yx" if self.two_columns else "y"
        sums = [sql.rsplit(" ", 1)[1] for sql in aggregates(letters)]
        return sums + ["_c"] * self.centered

    @property
    def stacked(self) -> str:
        """The SQL that puts the columns into one, ``_sums``.

        After every row Spark measures the batch that it makes for a worker, column by column.
        """
        return f"array({', '.join(self.columns)}) _sums"

    def unstacked(self, sums: pa.Array) -> pa.RecordBatch:
        """Return the columns out of ``_sums``."""
        numbers, shape = sums.flatten(), (-1, len(self.columns))
        there = pc.is_valid(numbers).to_numpy(zero_copy_only=False).reshape(shape)
        values = _numbers(numbers).reshape(shape)
        columns = [
            pa.array(np.ascontiguousarray(value), mask=None if is_there.all() else ~is_there)
            for value, is_there in zip(values.T, there.T, strict=True)
        ]
        return pa.RecordBatch.from_arrays(columns, self.columns)

    def read(self, table: pa.Table | pa.RecordBatch) -> Summary:
        """Return one summary for each row of a table."""
        found = {name[1:]: _numbers(table.column(name)) for name in self.columns}
        if not self.exact:
            return Summary(*(found[name] for name in self.names))
        for v in "yx" if self.two_columns else "y":
            found[f"{v}_any"] = pc.is_valid(table.column(f"_{v}_odd")).to_numpy(False)
        return summary(found, self.two_columns, found.get("c"))

    def summarise(self, batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        """Replace the sums of each batch by summaries; its other columns stay."""
        for batch in batches:
            with np.errstate(invalid="ignore", over="ignore"):  # NaN and Inf are values
                found = self.read(batch)
            kept = [name for name in batch.schema.names if name not in self.columns]
            sums = found.m, found.a, found.b, found.center, found.a2, found.ab, found.center2
            arrays = [batch.column(name) for name in kept]
            arrays.append(pa.array(found.m, pa.int64(), safe=False))
            arrays += [pa.array(s, pa.float64()) for s in sums[1 : len(self.names)]]
            yield pa.RecordBatch.from_arrays(arrays, [*kept, *(f"_{n}" for n in self.names)])


def _numbers(column: Any) -> Any:
    """A column as DOUBLE; NULL, which only a sum over nothing is, as 0."""
    return pc.fill_null(column.cast(pa.float64()), 0.0).to_numpy(zero_copy_only=False)
