"""A stream's panes in a table, so that windows can be explained anew when rows come late."""

from __future__ import annotations

from datetime import timedelta
from functools import reduce
from typing import Any

from pyspark.sql import Column, DataFrame, SparkSession
from pyspark.sql import functions as F

from ..errors import ArgumentError, ColumnError
from . import checks
from .attribution import attribute
from .checks import quoted
from .intervals import microseconds, times
from .pane_table import Grid, read_panes
from .panes import panes

MICRO_BATCH = "micro_batch"


class PaneSink:
    """Appends the panes of each micro-batch to a table: give it to ``foreachBatch``.

    Rows may come as late as they like: pane rows are additive, and `touched` explains anew the
    windows that the late ones belong to.

    Parameters
    ----------
    path : str
        The folder of the table, Parquet files with a folder ``micro_batch=…`` for each.
    **arguments
        Those of `panes`: `value`, `time`, `every`, `predicates`, `by`, ….

    Raises
    ------
    ShapwinError
        If there is a key or predicate ``micro_batch``; other arguments are checked with the first
        rows.

    Notes
    -----
    A micro-batch that Spark repeats after a failure replaces its own folder, so none counts twice.

    Examples
    --------
    >>> sink = PaneSink("panes", value="fare", time="t", every="5 minutes", predicates={})
    >>> query = stream.writeStream.foreachBatch(sink).start()  # doctest: +SKIP
    >>> explained = attribute(sink.table(spark), window="1 hour")  # doctest: +SKIP
    """

    def __init__(self, path: str, **arguments: Any) -> None:
        names = (*checks.names("by", arguments.get("by", ())), *arguments.get("predicates", ()))
        if MICRO_BATCH in (name.lower() for name in names):
            raise ColumnError(f"{MICRO_BATCH!r} is the name of a column of the sink: rename it")
        self.path = path
        self.arguments = arguments

    def __call__(self, rows: DataFrame, micro_batch: int) -> None:
        """Write the panes of one micro-batch, in place of an earlier try."""
        found = panes(rows, **self.arguments)
        found.write.mode("overwrite").parquet(f"{self.path}/{MICRO_BATCH}={micro_batch}")

    def table(self, spark: SparkSession) -> DataFrame:
        """Return the pane table so far, as `attribute` takes it."""
        return self._read(spark).drop(MICRO_BATCH)

    def touched(
        self,
        spark: SparkSession,
        *,
        after: int,
        window: str | timedelta,
        every: str | timedelta | None = None,
        **arguments: Any,
    ) -> DataFrame:
        """Explain anew, from all rows so far, the windows that got rows lately.

        Parameters
        ----------
        spark : SparkSession
            Where to read the table.
        after : int
            The last micro-batch before those that count as late; −1 for all.
        window, every, **arguments
            As in `attribute`.

        Returns
        -------
        DataFrame
            The long table of `explain`, of those windows alone. One from which all rows were taken
            back is not there any more.
        """
        if isinstance(after, bool) or not isinstance(after, int):
            raise ArgumentError(f"after={after!r}: give the number of a micro-batch, −1 for all")
        read = self._read(spark)
        table = read.drop(MICRO_BATCH)
        rows, grid = read_panes(table)
        keys, pane = rows.by, grid.length
        width = microseconds("window", window)
        step = pane if every is None else microseconds("every", every)

        changed = read.where(F.col(MICRO_BATCH) > after)
        # A pane's start, whether panes are (start, end] or not, lies in its windows' [start, end).
        windows = Grid(pane, grid.offset).slices("pane", width, step)
        start = windows["start"].alias("window_start")
        touched = changed.select(*map(quoted, keys), start).distinct()
        inside = F.explode(F.expr(times("window_start", f"{width // pane}", pane))).alias("pane")
        needed = touched.select(*map(quoted, keys), inside).distinct()
        # Windows that share panes with the touched ones come out as well, and incomplete.
        explained = attribute(
            _semi_join(table, needed, *keys, "pane"), window=window, every=every, **arguments
        )
        return _semi_join(explained, touched, *keys, "window_start")

    def _read(self, spark: SparkSession) -> DataFrame:
        return spark.read.parquet(self.path)


def _semi_join(rows: DataFrame, wanted: DataFrame, *names: str) -> DataFrame:
    """The rows with wanted values in these columns; NULL is a value."""
    aliases = {name: f"_wanted{i}" for i, name in enumerate(names)}
    other = wanted.select(*(F.col(quoted(name)).alias(a) for name, a in aliases.items()))
    same: list[Column] = [F.col(quoted(n)).eqNullSafe(F.col(a)) for n, a in aliases.items()]
    return rows.join(other, reduce(Column.__and__, same), "left_semi")
