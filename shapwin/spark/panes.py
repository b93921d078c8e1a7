"""Rows to panes: the table that holds one summary for each key, time slice and atom."""

from __future__ import annotations

from datetime import timedelta

from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as F

from ..errors import ArgumentError, ColumnError
from . import checks
from .centers import Center
from .intervals import later, microseconds
from .pane_table import FIXED, Grid, PaneTable, packed_by_udaf, summed, unpacked
from .rows import Names, Predicates, Values, by_name, read_rows


def panes(
    df: DataFrame,
    *,
    value: Values,
    time: str | Column,
    every: str | timedelta,
    predicates: Predicates | None = None,
    dimensions: Names = (),
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
    value : str, Column or sequence of str
        The column of numbers that is aggregated, cast to DOUBLE. Rows where it is NULL are no
        players; NaN and ±Inf are values. Of several columns, named, each is summarised on its
        own in one scan; the key ``column``, after `by`, says which.
    time : str or Column
        A TIMESTAMP, TIMESTAMP_NTZ or DATE column. Rows where it is NULL belong to no pane.
    every : str or timedelta
        The length of a pane, as in ``5 minutes``.
    predicates : dict of str to str or Column
        Up to 64 named conditions on a row. Where one is NULL, the row is not a member.
    dimensions : str or sequence of str, optional
        Columns of few values: each of the 16 most frequent values becomes a predicate, as
        ``region=EU``, NULL another, and the rest ``region=(other)``. Runs a query beforehand.
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
    engine : {"native", "pandas"}
        How the sums are made: by Spark's own aggregation, or by a pandas grouped-aggregate UDF,
        which is slower and there to compare; it takes no `multiplicity` and ignores `center`.

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
    checks.one_of("engine", engine, ("native", "pandas"))
    if isinstance(df, DataFrame) and df.isStreaming:
        raise ArgumentError(
            "df is a stream: keep its panes with shapwin.PaneSink and foreachBatch, or explain it "
            "with shapwin.explain"
        )
    rows = read_rows(
        df,
        value=value,
        time=time,
        predicates=predicates,
        by=by,
        other=other,
        multiplicity=multiplicity,
        dimensions=dimensions,
    )
    for name in (*rows.by, *rows.predicates):
        if name.lower() in FIXED:
            raise ColumnError(f"{name!r} is the name of a column of the pane table: rename it")
    grid = Grid(length, microseconds("offset", offset, signed=True), closed)
    groups = [*by_name(rows.predicates).values()]
    if engine == "pandas":
        table = packed_by_udaf(rows, groups, grid)
    else:
        table = summed(rows, groups, grid, center)
    return _public(table, rows.predicates)


def _public(table: PaneTable, predicates: Predicates) -> DataFrame:
    """Give the columns their public names; comments say what each predicate meant."""
    grid = {"shapwin.microseconds": table.grid.length, "shapwin.offset": table.grid.offset}
    summaries = unpacked(table).selectExpr(
        "*",
        f"{later('_pane', table.grid.length, table.time)} _pane_end",
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
