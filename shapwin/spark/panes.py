"""Rows to panes: the table that holds one summary for each key, time slice and atom."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import timedelta

from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as F
from pyspark.sql import types as T

from ..errors import ArgumentError, ColumnError
from . import checks
from .centers import Center
from .intervals import interval, microseconds
from .pane_table import FIXED, Grid, PaneTable, summed
from .rows import Names, by_name, read_rows
from .shipping import shipped


def panes(
    df: DataFrame,
    *,
    value: str | Column,
    time: str | Column,
    every: str | timedelta,
    predicates: Mapping[str, str | Column],
    by: Names = (),
    other: str | Column | None = None,
    multiplicity: str | Column | None = None,
    center: Center = None,
    closed: str = "left",
    offset: str | timedelta = "0 seconds",
    engine: str = "native",
) -> DataFrame:
    """Summarise rows by key, pane and atom: the table that `attribute` explains windows from.

    Parameters
    ----------
    df : DataFrame
        The rows, in any order.
    value : str or Column
        The column of numbers that is aggregated, cast to DOUBLE. Rows where it is NULL are no
        players; NaN and ±Inf are values.
    time : str or Column
        A TIMESTAMP, TIMESTAMP_NTZ or DATE column. Rows where it is NULL belong to no pane.
    every : str or timedelta
        The length of a pane, as in ``5 minutes``.
    predicates : dict of str to str or Column
        Up to 64 named conditions on a row. Where one is NULL, the row is not a member.
    by : str or sequence of str
        Key columns; each key has panes of its own.
    other : str or Column, optional
        A second column of numbers, for covariances; rows where either is NULL are no players.
    multiplicity : str or Column, optional
        A column of whole numbers: a row stands for that many equal tuples, −1 takes one back.
    center : float or dict of key to float, optional
        What values are measured from. By default each pane's own mean, which keeps most digits.
    closed : {"left", "right"}
        Whether a pane is [start, end) or (start, end].
    offset : str or timedelta
        How much later than the epoch in UTC panes begin, as in ``-1 hour`` for days that begin
        at 23:00; Spark's ``startTime``.
    engine : {"native"}
        How the sums are made: by Spark's own aggregation.

    Returns
    -------
    DataFrame
        ``*by, pane, pane_end, signature, <one BOOLEAN a predicate>, m, a, b, center``, and
        ``a2, ab, center2`` with `other`. Rows are additive: append more for the same pane and
        they mean the sum. Bit k of the signature is the k-th predicate.

    Raises
    ------
    ShapwinError
        For a wrong argument, before any job starts.

    Notes
    -----
    (m, a, b) = count, Σ(y−c), Σ(y−c)² about c = center (Khani & Assent, Corollary 2).
    """
    length = microseconds("every", every)
    checks.one_of("closed", closed, ("left", "right"))
    checks.one_of("engine", engine, ("native",))
    if isinstance(df, DataFrame) and df.isStreaming:
        raise ArgumentError("df is a stream: explain it batch by batch with foreachBatch")
    rows = read_rows(
        df,
        value=value,
        time=time,
        predicates=predicates,
        by=by,
        other=other,
        multiplicity=multiplicity,
    )
    for name in (*rows.by, *predicates):
        if name.lower() in FIXED:
            raise ColumnError(f"{name!r} is the name of a column of the pane table: rename it")
    grid = Grid(length, microseconds("offset", offset, signed=True), closed)
    return _public(summed(rows, [*by_name(predicates).values()], grid, center), predicates)


def _public(table: PaneTable, predicates: Mapping[str, str | Column]) -> DataFrame:
    """Give the columns their public names; comments say what each predicate meant."""
    grid = {"shapwin.microseconds": table.grid.length, "shapwin.offset": table.grid.offset}
    summaries = _summarised(table).selectExpr(
        "*",
        f"_pane + {interval(table.grid.length)} _pane_end",
        *(f"CAST(getbit(_bits0, {k}) AS BOOLEAN) _g{k}" for k in range(len(predicates))),
    )
    return summaries.select(
        *(
            F.col(key).alias(name)
            for key, name in zip(table.layout.key_names, table.by, strict=True)
        ),
        F.col("_pane").alias("pane", metadata=grid),
        F.col("_pane_end").alias("pane_end"),
        F.col("_bits0").alias("signature"),
        *(
            F.col(f"_g{k}").alias(name, metadata={"comment": str(text)})
            for k, (name, text) in enumerate(predicates.items())
        ),
        *(F.col(f"_{name}").alias(name) for name in table.layout.sums.names),
    )


def _summarised(table: PaneTable) -> DataFrame:
    """The pane table's frame with summaries in place of exact sums."""
    sums = table.layout.sums
    schema = T.StructType([f for f in table.frame.schema if f.name not in sums.columns])
    for name in sums.names:
        schema.add(f"_{name}", T.LongType() if name == "m" else T.DoubleType())
    with shipped():
        return table.frame.mapInArrow(sums.summarise, schema)
