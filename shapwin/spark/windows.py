"""Panes to windows: the sums of every window and of each query in it, about the window's mean."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from pyspark.sql import Column, DataFrame, Window
from pyspark.sql import functions as F

from .checks import quoted
from .intervals import duration
from .panes import PaneTable

# The names that the closed form of sql/functions gives to sums of the window and of the group.
# Here s and s_p are the plain sums Σ y, which no outlier elsewhere in the window touches.
TOTALS, PARTS = ("s", "a", "b"), ("s_p", "a_p", "b_p")
TOTALS_OF_TWO, PARTS_OF_TWO = (*TOTALS, "a2", "ab"), (*PARTS, "a2_p", "ab_p")


def query_sums(table: PaneTable, queries: Mapping[str, str], window: int, every: int) -> DataFrame:
    """Return the sums of every non-empty window, one row for each query.

    Returns
    -------
    DataFrame
        The keys, ``_start``, ``n``, the totals, ``center`` (and ``center2``), ``predicate``,
        ``m`` and the parts: doubles, but for the first two.
    """
    conditions = [F.expr(text).alias(f"_q{i}") for i, text in enumerate(queries.values())]
    rows = _recentred(_spread(table, conditions, window, every), table)
    parts = {
        f"{part}{i}": F.sum(F.when(F.col(f"_q{i}"), F.col(of)).otherwise(0))
        for i in range(len(queries))
        for of, part in _part_names(table)
    }
    windows = rows.groupBy(*table.keys, "_start").agg(
        *(F.first(name).alias(name) for name in _totals(table)),
        *(column.alias(name) for name, column in parts.items()),
    )
    groups = F.array(
        *(
            F.struct(
                F.lit(name).alias("predicate"),
                *(F.col(f"{part}{i}").cast("double").alias(part) for _, part in _part_names(table)),
            )
            for i, name in enumerate(queries)
        )
    )
    return windows.select(*table.keys, "_start", *_totals(table), F.inline(groups))


def atom_sums(table: PaneTable, window: int, every: int) -> DataFrame:
    """Return the same as `query_sums` with one row for each atom that occurs in a window."""
    booleans = [F.col(quoted(name)).alias(f"_q{i}") for i, name in enumerate(table.predicates)]
    rows = _recentred(_spread(table, booleans, window, every), table)
    satisfied = (F.when(F.col(f"_q{i}"), F.lit(name)) for i, name in enumerate(table.predicates))
    label = F.concat_ws(" AND ", *satisfied)
    named = rows.withColumn("predicate", F.when(label == "", "(none)").otherwise(label))
    atoms = [f"_q{i}" for i in range(len(table.predicates))]
    return (
        named.groupBy(*table.keys, "_start", *atoms, "predicate")
        .agg(
            *(F.first(name).alias(name) for name in _totals(table)),
            *(F.sum(of).cast("double").alias(part) for of, part in _part_names(table)),
        )
        .where("m <> 0")
        .drop(*atoms)
    )


def _spread(table: PaneTable, groups: list[Column], window: int, every: int) -> DataFrame:
    """Copy each pane row into every window that covers it.

    Windows start at whole multiples of `every` since the epoch. Both lengths are multiples of
    the pane's, so a pane lies in a window as a whole or not at all.
    """
    last = F.window("_pane", f"{every} microseconds")["start"]
    since = F.timestamp_diff("MICROSECOND", last, F.col("_pane"))
    # How many earlier windows, each `every` before the next, still reach this pane.
    earlier = F.floor((F.lit(window - table.length) - since) / F.lit(every)).cast("int")
    rows = table.frame.select(
        *table.keys,
        last.alias("_last"),
        earlier.alias("_earlier"),
        *groups,
        *(f"_{name}" for name in table.sums),
    ).where("_earlier >= 0")
    step = F.explode(F.sequence(F.lit(0), F.col("_earlier"))).alias("_step")
    return rows.select("*", step).withColumn(
        "_start", F.col("_last") - F.col("_step") * duration(every)
    )


def _recentred(rows: DataFrame, table: PaneTable) -> DataFrame:
    """Move all sums of a window to the window's own mean, and add the window's totals.

    First the count and the mean, measured from one of the window's centres; then the sums about
    that mean: no difference of large squares appears, whatever the panes' centres are.
    """
    of_window = Window.partitionBy(*table.keys, "_start")

    def over(column: Column) -> Column:
        return column.over(of_window)

    centers = {"_a": "_center"} | ({"_a2": "_center2"} if table.two_columns else {})
    rows = rows.withColumns(
        {"n": over(F.sum("_m")).cast("double")}
        | {f"_ref{c}": over(F.min(c)) for c in centers.values()}
    ).where("n <> 0")
    rows = rows.withColumns(
        {
            f"_mean{c}": _mean(over, F.col(a), F.col(c), F.col(f"_ref{c}"))
            for a, c in centers.items()
        }
    )
    d = F.col("_center") - F.col("_mean_center")
    m, a, b = F.col("_m"), F.col("_a"), F.col("_b")
    moved = {"_s": a + m * F.col("_center"), "_a": a + m * d, "_b": b + 2 * d * a + m * d * d}
    if table.two_columns:
        a2, e = F.col("_a2"), F.col("_center2") - F.col("_mean_center2")
        moved |= {"_a2": a2 + m * e, "_ab": F.col("_ab") + e * a + d * a2 + m * d * e}
    rows = rows.withColumns(moved)
    totals = TOTALS_OF_TWO if table.two_columns else TOTALS
    means = {c.removeprefix("_"): F.col(f"_mean{c}") for c in centers.values()}
    return rows.withColumns({name: over(F.sum(f"_{name}")) for name in totals} | means)


def _mean(over: Callable[[Column], Column], a: Column, center: Column, reference: Column) -> Column:
    """The window's mean; where it is NaN or Inf, a finite centre in its place."""
    moved = over(F.sum(a + F.col("_m") * (center - reference)))
    mean = reference + moved / F.col("n")
    return F.when(F.abs(mean) < F.lit(float("inf")), mean).otherwise(reference)


def _totals(table: PaneTable) -> list[str]:
    if table.two_columns:
        return ["n", *TOTALS_OF_TWO, "center", "center2"]
    return ["n", *TOTALS, "center"]


def _part_names(table: PaneTable) -> list[tuple[str, str]]:
    """The sums of pane rows, and the names of their totals over a group."""
    totals, parts = (TOTALS_OF_TWO, PARTS_OF_TWO) if table.two_columns else (TOTALS, PARTS)
    return [("_m", "m"), *((f"_{of}", part) for of, part in zip(totals, parts, strict=True))]
