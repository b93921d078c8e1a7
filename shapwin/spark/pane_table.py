"""Pane rows inside the pipeline: summed by Spark, left to the workers, or read from a table."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import timedelta

from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as F
from pyspark.sql import types as T

from ..errors import ArgumentTypeError, ColumnError
from . import checks
from .centers import Center, given_center
from .checks import quoted
from .exact_sums import SUMS, SUMS_OF_TWO, Sums, aggregates, with_parts
from .intervals import duration
from .pane_rows import Layout
from .rows import Rows, refuse_kept_names, with_bits, words

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

    def pane(self, time: str) -> Column:
        """The start of a time's pane; (start, end] is [start, end) a microsecond later."""
        every, late = f"{self.length} microseconds", int(self.closed == "right")
        later = (self.offset + late) % self.length
        start = F.window(time, every, every, f"{later} microseconds")["start"]
        return start - duration(1) if late else start


@dataclass(frozen=True, slots=True)
class PaneTable:
    """Pane rows inside the pipeline, or what they are to be made from.

    Parameters
    ----------
    frame : DataFrame
        The columns that `layout` says, of one pane row each. Where the layout is packed, rows
        not summed yet: the keys, ``_time``, the words and the values.
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
    frame = frame.withColumn("_pane", grid.pane("_time")).drop("_time")
    if weight:
        frame = _net(frame)
    sums = Sums(len(values) == 2, exact=True, centered=center is not None)
    layout = Layout(len(rows.keys), words(len(groups)), sums)
    grouped = with_parts(frame, rows.letters).groupBy(*rows.keys, "_pane", *layout.word_names)
    frame = grouped.agg(*(F.expr(sql) for sql in aggregates(rows.letters, *weight)))
    if center is not None:
        frame = frame.withColumn("_c", given_center(frame, center, rows.keys))
    return PaneTable(frame, rows.by, layout, grid)


def unsummed(rows: Rows, groups: Sequence[str], grid: Grid) -> PaneTable:
    """Leave it to the workers to sum rows: less work where panes hold a few rows each."""
    values = [f"_{v}" for v in rows.letters]
    # Spark takes -0.0 and 0.0 for one key; bits in a worker do not.
    keys = [
        f"{key} + 0 {key}" if isinstance(rows.frame.schema[key].dataType, T.FractionalType) else key
        for key in rows.keys
    ]
    frame = with_bits(rows.frame, [*rows.keys, "_time", *values], groups)
    layout = Layout(len(keys), words(len(groups)), Sums(len(values) == 2), packed=True)
    return PaneTable(
        frame.selectExpr(*keys, "_time", *layout.word_names, *values), rows.by, layout, grid
    )


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
        if not isinstance(checks.type_of(panes, F.col(quoted(name))), T.BooleanType):
            raise ColumnError(
                f"panes has the column {name!r}, which is neither a predicate nor a sum: drop it"
            )
    refuse_kept_names(predicates)
    grid = _grid(panes)
    frame = panes.select(
        *(F.col(quoted(name)).alias(f"_by{i}") for i, name in enumerate(by)),
        _on_grid(grid).alias("_pane"),
        *(_never_null(name).alias(name) for name in predicates),
        *(F.col(name).alias(f"_{name}") for name in _sums_of(panes).names),
    )
    return Rows(frame, tuple(by), tuple(predicates)), grid


def summaries(rows: Rows, groups: Sequence[str], grid: Grid) -> PaneTable:
    """Return the pane rows of a table that `read_panes` read, by key, pane and groups."""
    sums = Sums("_a2" in rows.frame.columns)
    layout = Layout(len(rows.keys), words(len(groups)), sums)
    frame = with_bits(rows.frame, [*rows.keys, "_pane", *sums.columns], groups)
    return PaneTable(frame, rows.by, layout, grid)


def _sums_of(panes: DataFrame) -> Sums:
    return Sums("a2" in panes.columns)


def _net(rows: DataFrame) -> DataFrame:
    """Add up equal tuples of a pane first, so that one taken back leaves no trace."""
    same = [name for name in rows.columns if name != "_k"]
    return rows.groupBy(*same).agg(F.sum("_k").alias("_k")).where("_k <> 0")


def _on_grid(grid: Grid) -> Column:
    """The pane, or an error in a row whose pane has another length or offset than the others."""
    length = timedelta(microseconds=grid.length)
    message = (
        f"a row of the pane table has a pane that is not {length} long as the others: keep panes "
        "of different lengths in tables of their own"
    )
    fits = F.col("pane_end") - F.col("pane") == duration(grid.length)
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
    since_epoch = F.timestamp_diff("MICROSECOND", F.lit(0).cast(field.dataType), F.col("pane"))
    first = panes.select(
        F.timestamp_diff("MICROSECOND", F.col("pane"), F.col("pane_end")).alias("length"),
        since_epoch.alias("start"),
    ).head()
    return Grid(1) if first is None else Grid(first["length"], first["start"] % first["length"])
