"""The long table: the closed form for every window, query and statistic, written in SQL.

As text, because Columns put together in Python cost a call to the JVM for every operator.
"""

from __future__ import annotations

from collections.abc import Sequence

from pyspark.sql import DataFrame, Window
from pyspark.sql import functions as F

from ..errors import ArgumentError
from .checks import quoted
from .intervals import later, since_epoch, times
from .pane_table import PaneTable
from .splits import SPLITS, WHOLE_WINDOW
from .sql_functions import expression, inlined

# With empty="emit", a stray timestamp must not fill a table with empty windows.
MAX_EMITTED = 1_000_000


def long_rows(sums: DataFrame, table: PaneTable, statistics: Sequence[str]) -> DataFrame:
    """Return one row for each window, query and statistic, with the closed form worked out."""
    splits = ", ".join(map(split_of, statistics))
    lifts = " ".join(f"WHEN '{s}' THEN {lift_of(s)}" for s in statistics)
    rows = sums.selectExpr("*", f"inline(array({splits}))")
    rows = rows.selectExpr("*", f"CASE statistic {lifts} END lift")
    return rows.selectExpr(
        *table.layout.key_names,
        "_start",
        "statistic",
        "predicate",
        "n",
        "value",
        "m",
        "if(m <> 0, s_p / m, NULL) group_mean",
        f"{expression('_phi')} phi",
        # A stream flags windows from which more was taken back than was there: n < 0, all NULL.
        "CASE WHEN n < 0 THEN NULL WHEN m <> 0 THEN share ELSE 0D END share",
        "CASE WHEN n < 0 THEN NULL WHEN m <> 0 THEN lift ELSE 0D END lift",
        "weight",
    )


def split_of(statistic: str) -> str:
    """Return the SQL of a struct over columns of sums: the statistic, ν(W), share and weight."""
    parts = SPLITS[statistic]
    return (
        f"named_struct('statistic', '{statistic}', "
        f"'value', {inlined(parts.share, **WHOLE_WINDOW)}, "
        f"'share', CAST({inlined(parts.share)} AS DOUBLE), "
        f"'weight', {inlined(parts.weight)})"
    )


def lift_of(statistic: str) -> str:
    """Return the SQL of the lift, over columns of sums and what `split_of` has made of them."""
    return inlined(SPLITS[statistic].lift)


def with_empty_windows(
    result: DataFrame, table: PaneTable, every: int, series: Sequence[tuple[str, str | None]]
) -> DataFrame:
    """Add the windows without values between the first and the last of each key."""
    keys = table.layout.key_names
    ordered = Window.partitionBy(*keys).orderBy("_start")
    starts = result.select(*keys, "_start").distinct()
    starts = starts.withColumn("_next", F.lead("_start").over(ordered))
    start, end = (since_epoch(c, starts.schema[c].dataType) for c in ("_start", "_next"))
    gaps = starts.withColumn("_missing", F.expr(f"({end} - {start}) div {every}L - 1L"))
    gaps = gaps.where("_missing > 0")
    _refuse_too_many(gaps)
    inside = F.expr(times(later("_start", every), "_missing", every))
    labels = F.array(
        *(F.struct(F.lit(s).alias("statistic"), F.lit(p).alias("predicate")) for s, p in series)
    )
    empty = gaps.select(*keys, F.explode(inside).alias("_start")).select(
        "*", F.inline(labels), F.lit(0.0).alias("n"), F.lit(0.0).alias("m")
    )
    return result.unionByName(empty, allowMissingColumns=True)


def _refuse_too_many(gaps: DataFrame) -> None:
    found = gaps.agg(
        F.sum("_missing").alias("count"),
        F.min("_start").cast("string").alias("first"),
        F.max("_next").cast("string").alias("last"),
    ).head()
    if found is not None and (found["count"] or 0) > MAX_EMITTED:
        raise ArgumentError(
            f"empty='emit' would add {found['count']} windows between {found['first']} and "
            f"{found['last']}, more than {MAX_EMITTED}: filter stray timestamps, or use "
            "empty='skip'"
        )


def named(result: DataFrame, table: PaneTable, width: int) -> DataFrame:
    """Return the long table under the names that users know."""
    return result.selectExpr(
        *(
            f"{key} {quoted(name)}"
            for key, name in zip(table.layout.key_names, table.by, strict=True)
        ),
        "_start window_start",
        f"{later('_start', width)} window_end",
        "statistic",
        "predicate",
        "CAST(n AS BIGINT) n",
        "value",
        "CAST(m AS BIGINT) m",
        *("group_mean", "phi", "share", "lift", "weight"),
    )
