"""The long table: the closed form for every window, query and statistic, written in SQL.

As text, because Columns put together in Python cost a call to the JVM for every operator.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

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


def by_statistic(sums: DataFrame, statistics: Sequence[str]) -> DataFrame:
    """Give each statistic of a window a row of its own, with its ``value`` and ``weight``."""
    windows = (
        f"named_struct('_nth', {i}, 'statistic', '{name}', 'value', {value_of(name)}, "
        f"'weight', {weight_of(name)})"
        for i, name in enumerate(statistics)
    )
    return sums.selectExpr("*", f"inline(array({', '.join(windows)}))")


def long_rows(rows: DataFrame, table: PaneTable, statistics: Sequence[str]) -> DataFrame:
    """Split the value of each window and statistic by its query, with the closed form."""
    rows = rows.selectExpr("*", f"{_by_nth(share_of, statistics)} share")
    rows = rows.selectExpr("*", f"{_by_nth(lift_of, statistics)} lift")
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


def _by_nth(part_of: Callable[[str], str], statistics: Sequence[str]) -> str:
    """The SQL of a part, for the statistic that `by_statistic` has numbered."""
    cases = " ".join(f"WHEN {i} THEN {part_of(name)}" for i, name in enumerate(statistics))
    return f"CASE _nth {cases} END"


def value_of(statistic: str) -> str:
    """Return the SQL of ν(W) over columns of sums."""
    return f"CAST({inlined(SPLITS[statistic].share, **WHOLE_WINDOW)} AS DOUBLE)"


def weight_of(statistic: str) -> str:
    """Return the SQL of the weight of the lift."""
    return inlined(SPLITS[statistic].weight)


def share_of(statistic: str) -> str:
    """Return the SQL of the share over columns of sums."""
    return f"CAST({inlined(SPLITS[statistic].share)} AS DOUBLE)"


def lift_of(statistic: str) -> str:
    """Return the SQL of the lift, over columns of sums, the share and the value."""
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
        f"{later('_start', width, table.time)} window_end",
        "statistic",
        "predicate",
        "CAST(n AS BIGINT) n",
        "value",
        "CAST(m AS BIGINT) m",
        *("group_mean", "phi", "share", "lift", "weight"),
    )
