"""Panes to windows on streams: what `windows` does for tables, by Spark's streaming aggregation.

Exact sums have no centre, so a window's are plain sums of its panes', and that is all that Spark
keeps for an open window: some sums for each query, whatever the number of rows or atoms. When the
window is closed, Python workers take off the centre. One watermark closes panes and windows.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray
from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as F

from ..errors import ArgumentError, IntervalError
from ..summary import Summary, each_field
from .asked import Asked
from .exact_sums import Sums
from .long_rows import Answers, Batches, LongRows
from .long_table import schema_of
from .pane_rows import codes
from .pane_table import PaneTable
from .shipping import shipped

# Spark plans each window that a pane lies in as a copy of its own, anew for every micro-batch.
MAX_OVERLAP = 2_100


def member_rows(table: PaneTable, asked: Asked, window: int, every: int) -> DataFrame:
    """Return what `windows.member_rows` does, each window once the watermark has passed its end."""
    answering = _of_atoms if asked.queries is None else _of_queries
    sums, kernel = answering(table, asked.labels, window, every)
    keys = table.layout.key_names
    start = table.grid.start("_window.start").alias("_start")
    kept = (c for c in sums.columns if c not in (*keys, "_window"))
    rows = LongRows(kernel, asked.statistics, asked.labels, window)
    with shipped():
        return sums.select(*keys, start, *kept).mapInArrow(rows, schema_of(table))


def _of_queries(
    table: PaneTable, queries: Sequence[str], window: int, every: int
) -> tuple[DataFrame, QueryKernel]:
    """The sums of each window, and of its members of each query beside them."""
    layout = table.layout
    kernel = QueryKernel(layout.sums, len(queries))
    sums = [f"sum({name}) {name}" for name in layout.sums.columns]
    for i in range(len(queries)):
        member = f"getbit(_bits{i // 64}, {i % 64}) = 1"
        sums += [f"sum({_if_member(member, c)}) {p}" for c, p in kernel.part(i).items()]
    grouped = table.frame.groupBy(*layout.key_names, _windows(table, window, every))
    return grouped.agg(*map(F.expr, sums)), kernel


def _of_atoms(
    table: PaneTable, predicates: Sequence[str], window: int, every: int
) -> tuple[DataFrame, AtomKernel]:
    """The sums of each window's atoms, one a row.

    The atoms of a window leave the aggregation in one micro-batch; brought into one partition,
    they add up to the window, with no further state.
    """
    layout = table.layout
    grouped = table.frame.groupBy(*layout.key_names, _windows(table, window, every), "_bits0")
    found = grouped.agg(*(F.sum(name).alias(name) for name in layout.sums.columns))
    together = found.repartition(*layout.key_names, "_window")
    return together, AtomKernel(layout.sums, tuple(layout.key_names))


def append_only(explained: DataFrame) -> DataFrame:
    """Let a stream refuse, before it starts, the output modes that it does not have.

    Spark's own message speaks of global watermarks and names no mend.
    """

    class Stream(type(explained)):  # type: ignore[misc]
        @property
        def writeStream(self) -> Any:  # noqa: N802
            writer = super().writeStream
            plain = writer.outputMode

            def output_mode(mode: str) -> Any:
                if str(mode).lower() != "append":
                    raise ArgumentError(
                        f"outputMode {mode!r} is not possible: a window is given out once, when "
                        "the watermark has passed its end; use outputMode('append')"
                    )
                return plain(mode)

            writer.outputMode = output_mode
            return writer

    explained.__class__ = Stream
    return explained


def _windows(table: PaneTable, window: int, every: int) -> Column:
    if window > MAX_OVERLAP * every:
        raise IntervalError(
            f"a window of {window // every:,} steps is too long for a stream, which keeps "
            f"{MAX_OVERLAP:,} windows open at most: take longer steps, or a shorter window"
        )
    time = F.window_time("_window")
    return table.grid.slices(time, window, every).alias("_window")


def _if_member(query: str, column: str) -> str:
    """NULL is no sum of odd values, and 0 no other sum."""
    return f"if({query}, {column}, {'NULL' if column.endswith('_odd') else '0'})"


@dataclass(frozen=True, slots=True)
class QueryKernel:
    """Turns rows of windows, with the sums of their groups beside their own, into answers.

    Parameters
    ----------
    sums : Sums
        Which sums there are.
    queries : int
        How many groups there are.
    """

    sums: Sums
    queries: int

    def part(self, i: int) -> dict[str, str]:
        """Which column holds a sum of the i-th group."""
        return {name: f"{name}_of_{i}" for name in self.sums.columns}

    def __call__(self, batches: Batches) -> Iterator[Answers]:
        """Work through one partition."""
        for batch in batches:
            with np.errstate(all="ignore"):  # NaN and Inf are values
                total = self.sums.read(batch)
                parts = [self._part(batch, i) for i in range(self.queries)]
                part = each_field(lambda *fields: np.stack(fields), *parts)
                answers = Answers(_place(batch), total, part, _plain(total), _plain(part))
                yield answers.where(total.m != 0)

    def _part(self, batch: pa.RecordBatch, i: int) -> Summary:
        columns = batch.select(list(self.part(i).values()))
        return self.sums.read(columns.rename_columns(list(self.part(i))))


@dataclass(frozen=True, slots=True)
class AtomKernel:
    """Does what `QueryKernel` does, for rows of atoms.

    Parameters
    ----------
    sums : Sums
        Which sums there are.
    keys : tuple of str
        The names of the key columns.
    """

    sums: Sums
    keys: tuple[str, ...]

    def __call__(self, batches: Batches) -> Iterator[Answers]:
        """Work through one partition, which holds whole windows: one row for each atom."""
        held = list(batches)
        if not any(batch.num_rows for batch in held):
            return
        rows = pa.Table.from_batches(held).combine_chunks().to_batches()[0]
        columns = [rows.column(name) for name in (*self.keys, "_start")]
        window = np.unique(codes(columns, rows.num_rows), return_inverse=True)[1]
        with np.errstate(all="ignore"):
            total = self.sums.read(self._added(rows, window)).take(window)
            part = each_field(lambda f: f[None], self.sums.read(rows))
            plain, atoms = _plain(total), rows.column("_bits0")
            answers = Answers(_place(rows), total, part, plain, _plain(part), atoms)
            yield answers.where(part.m[0] != 0)

    def _added(self, rows: pa.RecordBatch, window: NDArray[np.int64]) -> pa.RecordBatch:
        """The sums of each window."""
        sums = {}
        for name in self.sums.columns:
            there = pc.is_valid(rows.column(name)).to_numpy(False)
            weights = pc.fill_null(rows.column(name).cast(pa.float64()), 0.0).to_numpy(False)
            none = np.bincount(window, there) == 0
            sums[name] = pa.array(np.bincount(window, weights), mask=none)
        return pa.RecordBatch.from_pydict(sums)


def _place(batch: pa.RecordBatch) -> list[pa.Array]:
    """The columns up to the start of the window."""
    return [batch.column(i) for i in range(batch.schema.get_field_index("_start") + 1)]


def _plain(s: Summary) -> NDArray[np.float64]:
    """Σ y."""
    return np.asarray(s.m * s.center + s.a)
