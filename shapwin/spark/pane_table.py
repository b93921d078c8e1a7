"""Pane rows inside the pipeline: summed by Spark or by its workers, or read from a table."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import timedelta
from typing import Any

import pyarrow as pa
from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as F
from pyspark.sql import types as T
from pyspark.sql.pandas.functions import PandasUDFType, pandas_udf

from ..errors import ArgumentError, ArgumentTypeError, ColumnError
from .centers import Center, given_center
from .checks import quoted
from .exact_sums import SUMS, SUMS_OF_TWO, Sums, aggregates, with_parts
from .intervals import later, since_epoch
from .packing import Packer, PanePacker, Unpacker
from .pane_rows import Layout
from .rows import Rows, by_name, refuse_kept_names, with_bits, words
from .segments import Segments
from .shipping import shipped

# Where tuples are taken back on a stream, sums hold values within 2 to this power: squares of 28
# bits and two times this spread leave 9 of a double's 53 bits for their number.
_MAGNITUDE = 8

_FLOATS = (T.FloatType, T.DoubleType)

# The columns of a public pane table that are no keys and no predicates.
FIXED = ("pane", "pane_end", "signature", *SUMS_OF_TWO)


@dataclass(frozen=True, slots=True)
class Grid:
    """Where panes begin.

    Parameters
    ----------
    length, offset : int
        Panes begin at whole multiples of the length, and this much later, in microseconds.
    closed : {"left", "right"}
        Whether they are [start, end) or (start, end].
    """

    length: int
    offset: int = 0
    closed: str = "left"

    def slices(self, time: str | Column, length: int, every: int) -> Column:
        """Spark's ``window()`` of a time; (start, end] is [start, end) a microsecond later."""
        later = (self.offset + (self.closed == "right")) % every
        return F.window(
            time, f"{length} microseconds", f"{every} microseconds", f"{later} microseconds"
        )

    def start(self, start: str) -> Column:
        """When the pane or window begins whose slice starts there."""
        return F.expr(later(start, -1) if self.closed == "right" else start)

    def in_panes(self, rows: DataFrame) -> DataFrame:
        """Put ``_window``, the pane of a row, in the place of ``_time``."""
        pane = self.slices("_time", self.length, self.length)
        return rows.withColumn("_window", pane).drop("_time")


@dataclass(frozen=True, slots=True)
class PaneTable:
    """Pane rows inside the pipeline.

    Parameters
    ----------
    frame : DataFrame
        The columns that `layout` says.
    by : tuple of str
        The user's names of the keys.
    layout : Layout
        Which columns there are.
    grid : Grid
        Where panes begin.
    """

    frame: DataFrame
    by: tuple[str, ...]
    layout: Layout
    grid: Grid

    @property
    def keys(self) -> list[T.StructField]:
        """The key columns."""
        return [self.frame.schema[name] for name in self.layout.key_names]

    @property
    def time(self) -> T.DataType:
        """The type of ``_pane``, or of what ``_window`` says in its place."""
        schema = self.frame.schema
        window = schema["_window"].dataType if "_window" in schema.names else None
        return (
            window["start"].dataType
            if isinstance(window, T.StructType)
            else schema["_pane"].dataType
        )


def summed(rows: Rows, groups: Sequence[str], grid: Grid, center: Center = None) -> PaneTable:
    """Let Spark sum rows by key, pane and groups: the least work where panes hold many rows.

    Parameters
    ----------
    groups : sequence of str
        Conditions over the predicates' names that have been checked.
    """
    weight = ["_k"] if "_k" in rows.frame.columns else []
    values = [f"_{v}" for v in rows.letters]
    frame = with_bits(rows.frame, [*rows.keys, "_time", *values, *weight], groups)
    frame = grid.in_panes(frame).withColumn("_pane", F.col("_window.start")).drop("_window")
    if weight:
        frame = _net(frame)
    sums = Sums(len(values) == 2, exact=True, centered=center is not None)
    layout = Layout(len(rows.keys), words(len(groups)), sums)
    grouped = with_parts(frame, rows.letters).groupBy(*rows.keys, "_pane", *layout.word_names)
    frame = grouped.agg(*(F.expr(sql) for sql in aggregates(rows.letters, *weight)))
    frame = frame.withColumn("_pane", grid.start("_pane"))
    if center is not None:
        frame = frame.withColumn("_c", given_center(frame, center, rows.keys))
    return PaneTable(frame, rows.by, layout, grid)


def streamed(rows: Rows, groups: Sequence[str], grid: Grid) -> PaneTable:
    """Let Spark sum a stream; the column ``_window``, the pane, carries its watermark.

    To net equal tuples first would be one aggregation more to keep in state. Instead, where tuples
    are taken back, values of one magnitude have sums of their own, and so has each value that has
    no square: one that comes and goes leaves zeros there, and never met the digits of others.
    """
    weight = ["_k"] if "_k" in rows.frame.columns else []
    values = [f"_{v}" for v in rows.letters]
    frame = with_bits(rows.frame, [*rows.keys, "_time", *values, *weight], groups)
    frame = with_parts(grid.in_panes(frame), rows.letters)
    layout = Layout(len(rows.keys), words(len(groups)), Sums(len(values) == 2, exact=True))
    kept = [*rows.keys, "_window", *layout.word_names]
    apart = [
        F.expr(sql)
        for v in rows.letters * len(weight)
        for sql in (f"floor(log2(abs(_{v}1)) / {_MAGNITUDE}) _size_{v}", f"_{v}_odd _each_{v}")
    ]
    grouped = frame.groupBy(*kept, *apart)
    frame = grouped.agg(*(F.expr(sql) for sql in aggregates(rows.letters, *weight)))
    left = {f"_{v}_odd": F.expr(f"if(_m = 0, NULL, _{v}_odd)") for v in rows.letters * len(weight)}
    frame = frame.withColumns(left) if left else frame
    return PaneTable(frame.select(*kept, *layout.sums.columns), rows.by, layout, grid)


def packed(
    rows: Rows, groups: Sequence[str], grid: Grid, segments: Segments | None = None
) -> PaneTable:
    """Sum rows in Python workers, by NumPy: less work where panes and groups hold a few rows each.

    Parameters
    ----------
    segments : Segments, optional
        How to cut time, where keys alone are too few to work on side by side.
    """
    frame, layout = _unsummed(rows, groups)
    layout = replace(layout, segmented=segments is not None)
    kind = frame.schema["_time"].dataType
    micros = since_epoch("_time", kind)
    right = grid.closed == "right"
    place, inside = place_of(micros, grid.length, grid.offset, right, len(groups))
    values = [f"_{v}" for v in layout.letters]
    words = [] if inside else layout.word_names
    placed = frame.selectExpr(*layout.key_names, f"{place} _place", *words, *values)
    time = pa.timestamp("us", None if isinstance(kind, T.TimestampNTZType) else "UTC")
    packer = Packer(layout, grid.length, time, grid.offset, inside, segments)
    keys = [frame.schema[name] for name in layout.key_names]
    with shipped():
        made = placed.mapInArrow(packer, packed_schema(keys, kind, layout.segmented))
    return PaneTable(made, rows.by, layout, grid)


def place_of(
    micros: str, length: int, offset: int, closed_right: bool, groups: int
) -> tuple[str, int]:
    """Return the SQL of a row's ``_place``, and how many of its low bits are its word.

    After every row Spark measures the batch that it makes for a worker, column by column: the word
    is in the same column as the number of the pane, unless numbers could be too large for that.

    Parameters
    ----------
    micros : str
        The SQL of the row's time, in microseconds.
    length, offset : int
        As in `Grid`.
    closed_right : bool
        Whether panes are (start, end].
    groups : int
        How many bits there are.

    Examples
    --------
    >>> place_of("t", 8, 0, False, 2)
    ('shiftleft((t - 0L - pmod(t - 0L, 8L)) div 8L, 2) | _bits0', 2)
    >>> place_of("t", 4, 0, False, 2)
    ('(t - 0L - pmod(t - 0L, 4L)) div 4L', 0)
    """
    since = f"{micros} - {offset + closed_right}L"
    pane = f"({since} - pmod({since}, {length}L)) div {length}L"
    # |micros| <= 2^63, so that the number of a pane has at most 64 - log2(length) bits.
    if groups < length.bit_length() - 1:
        return f"shiftleft({pane}, {groups}) | _bits0", groups
    return pane, 0


def packed_by_udaf(rows: Rows, groups: Sequence[str], grid: Grid) -> PaneTable:
    """Sum rows by a pandas grouped-aggregate UDF, called once for each key and pane."""
    if "_k" in rows.frame.columns:
        raise ArgumentError("engine='pandas' takes no multiplicity: use engine='native'")
    frame, layout = _unsummed(rows, groups)
    frame = grid.in_panes(frame).withColumn("_pane", grid.start("_window.start"))
    micros = F.expr(since_epoch("_pane", frame.schema["_pane"].dataType))
    values = [f"_{v}" for v in rows.letters]
    with shipped():
        # Its stubs know neither bytes nor any number of columns.
        body: Any = PanePacker(layout).__call__
        with warnings.catch_warnings():
            # Type hints, which it asks for, cannot say "any number of columns".
            warnings.simplefilter("ignore", UserWarning)
            udaf = pandas_udf(body, T.BinaryType(), PandasUDFType.GROUPED_AGG)
        made = frame.groupBy(*rows.keys, "_pane").agg(
            udaf(micros, *layout.word_names, *values).alias("_records")
        )
    return PaneTable(made, rows.by, layout, grid)


def unpacked(table: PaneTable) -> DataFrame:
    """Return one summary a row: the keys, ``_pane``, the words and ``_m``, ``_a``, …."""
    layout = table.layout
    sums = layout.sums
    kept = [*layout.key_names, "_pane", *layout.word_names]
    schema = T.StructType(table.keys).add("_pane", table.time)
    for name in layout.word_names:
        schema.add(name, T.LongType())
    for name in sums.names:
        schema.add(f"_{name}", T.LongType() if name == "m" else T.DoubleType())
    with shipped():
        if layout.packed:
            return table.frame.mapInArrow(Unpacker(layout), schema)
        frame = table.frame.select(*kept, *sums.columns)
        return frame.mapInArrow(sums.summarise, schema)


def _unsummed(rows: Rows, groups: Sequence[str]) -> tuple[DataFrame, Layout]:
    """Rows with the words of their groups, and the layout they are to be packed in."""
    values = [f"_{v}" for v in rows.letters]
    # Spark takes -0.0 and 0.0 for one key; bits in a worker do not.
    keys = [
        f"{key} + 0 {key}" if isinstance(rows.frame.schema[key].dataType, _FLOATS) else key
        for key in rows.keys
    ]
    frame = with_bits(rows.frame, [*rows.keys, "_time", *values], groups)
    layout = Layout(len(keys), words(len(groups)), Sums(len(values) == 2), packed=True)
    return frame.selectExpr(*keys, "_time", *layout.word_names, *values), layout


def packed_schema(keys: list[T.StructField], time: T.DataType, segmented: bool) -> T.StructType:
    """Return the columns of packed pane rows."""
    schema = T.StructType([*keys])
    if segmented:
        schema.add("_segment", T.LongType())
    return schema.add("_pane", time).add("_records", T.BinaryType())


def read_panes(panes: DataFrame) -> tuple[Rows, Grid]:
    """Read a table made by `panes`, perhaps written and read back.

    Columns are found by name and place: keys stand before ``pane``, and every other column that
    is no sum is a predicate. The signature is not read: predicates may stand in another order
    than when a row was written.
    """
    if not isinstance(panes, DataFrame):
        raise ArgumentTypeError(f"panes is a {type(panes).__name__}: give a Spark DataFrame")
    found = panes.columns
    missing = [c for c in ("pane", "pane_end", "signature", *SUMS) if c not in found]
    if missing:
        raise ColumnError(
            f"panes has no column {', '.join(map(repr, missing))}: give a table made by "
            "shapwin.panes"
        )
    by = found[: found.index("pane")]
    predicates = [name for name in found[len(by) :] if name not in FIXED]
    for name in predicates:
        if not isinstance(panes.schema[name].dataType, T.BooleanType):
            raise ColumnError(
                f"panes has the column {name!r}, which is neither a predicate nor a sum: drop it"
            )
    refuse_kept_names(predicates)
    grid = _grid(panes)
    frame = panes.select(
        *(F.col(quoted(name)).alias(f"_by{i}") for i, name in enumerate(by)),
        _on_grid(panes, grid).alias("_pane"),
        *(_never_null(name).alias(name) for name in predicates),
        *(F.col(name).alias(f"_{name}") for name in Sums("a2" in found).names),
    )
    return Rows(frame, tuple(by), by_name(predicates)), grid


def summaries(rows: Rows, groups: Sequence[str], grid: Grid) -> PaneTable:
    """Return the pane rows of a table that `read_panes` read, by key, pane and groups."""
    sums = Sums("_a2" in rows.frame.columns)
    layout = Layout(len(rows.keys), words(len(groups)), sums)
    frame = with_bits(rows.frame, [*rows.keys, "_pane", *sums.columns], groups)
    return PaneTable(frame, rows.by, layout, grid)


def _net(rows: DataFrame) -> DataFrame:
    """Add up equal tuples of a pane first, so that one taken back leaves no trace."""
    same = [name for name in rows.columns if name != "_k"]
    return rows.groupBy(*same).agg(F.sum("_k").alias("_k")).where("_k <> 0")


def _on_grid(panes: DataFrame, grid: Grid) -> Column:
    """The pane, or an error in a row whose pane has another length or offset than the others."""
    length = timedelta(microseconds=grid.length)
    message = (
        f"a row of the pane table has a pane that is not {length} long, or does not begin at a "
        "whole number of them as the others do: keep such panes in tables of their own"
    )
    start, end = _since_epoch(panes, "pane"), _since_epoch(panes, "pane_end")
    fits = (end - start == grid.length) & ((start - F.lit(grid.offset)) % F.lit(grid.length) == 0)
    return F.when(fits, F.col("pane")).otherwise(F.raise_error(F.lit(message)))


def _never_null(name: str) -> Column:
    message = (
        f"predicate '{name}' is NULL in a row of the pane table that is older than it: make "
        "those panes anew, or leave the predicate out"
    )
    return F.coalesce(F.col(quoted(name)), F.raise_error(F.lit(message)).cast("boolean"))


def _grid(panes: DataFrame) -> Grid:
    """Where panes begin: noted by `panes` beside the column, else seen in the first row."""
    field = panes.schema["pane"]
    if not isinstance(field.dataType, T.TimestampType | T.TimestampNTZType):
        raise ArgumentTypeError(
            f"panes.pane is {field.dataType.simpleString().upper()}: it must be TIMESTAMP"
        )
    if "shapwin.microseconds" in field.metadata:
        noted = field.metadata
        return Grid(int(noted["shapwin.microseconds"]), int(noted.get("shapwin.offset", 0)))
    start, end = _since_epoch(panes, "pane"), _since_epoch(panes, "pane_end")
    first = panes.select((end - start).alias("length"), start.alias("start")).head()
    return Grid(1) if first is None else Grid(first["length"], first["start"] % first["length"])


def _since_epoch(panes: DataFrame, column: str) -> Column:
    return F.expr(since_epoch(column, panes.schema[column].dataType))
