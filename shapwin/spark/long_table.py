"""The long table as Spark sees it: its columns, and its windows without values."""

from __future__ import annotations

from collections.abc import Container, Sequence

from pyspark.sql import DataFrame, Window
from pyspark.sql import functions as F
from pyspark.sql import types as T

from ..errors import ArgumentError
from .checks import quoted
from .intervals import later, since_epoch, times
from .pane_table import PaneTable

# With empty="emit", a stray timestamp must not fill a table with empty windows.
MAX_EMITTED = 1_000_000


# The columns after the keys and the bounds of the window.
_COLUMNS = {
    "statistic": T.StringType(),
    "predicate": T.StringType(),
    "n": T.LongType(),
    "value": T.DoubleType(),
    "m": T.LongType(),
    "group_mean": T.DoubleType(),
    "phi": T.DoubleType(),
    "share": T.DoubleType(),
    "lift": T.DoubleType(),
    "weight": T.DoubleType(),
}


def schema_of(table: PaneTable, *, unknown: Container[str] = _COLUMNS) -> T.StructType:
    """Return the columns of the long table that is made of a table of panes.

    Parameters
    ----------
    unknown : container of str
        Which columns may be NULL, besides keys. To look for NULL takes most of the time that Spark
        needs to read a row from a worker.
    """
    keys = (
        T.StructField(name, key.dataType, key.nullable, key.metadata)
        for name, key in zip(table.by, table.keys, strict=True)
    )
    schema = T.StructType([*keys])
    for name in ("window_start", "window_end"):
        schema.add(name, table.time, nullable=False)
    for name, kind in _COLUMNS.items():
        schema.add(name, kind, nullable=name in unknown)
    return schema


def with_empty_windows(
    result: DataFrame,
    by: Sequence[str],
    width: int,
    every: int,
    series: Sequence[tuple[str, str | None]],
) -> DataFrame:
    """Add the windows without values between the first and the last of each key."""
    names = {f"_by{i}": name for i, name in enumerate(by)}  # which a user's own cannot be
    kept = [F.col(quoted(name)).alias(key) for key, name in names.items()]
    starts = result.select(*kept, F.col("window_start").alias("_start")).distinct()
    following = F.lead("_start").over(Window.partitionBy(*names).orderBy("_start"))
    starts = starts.withColumn("_next", following)
    kind = starts.schema["_start"].dataType
    start, end = since_epoch("_start", kind), since_epoch("_next", kind)
    gaps = starts.withColumn("_missing", F.expr(f"({end} - {start}) div {every}L - 1L"))
    gaps = gaps.where("_missing > 0")
    _refuse_too_many(gaps)
    inside = F.expr(times(later("_start", every), "_missing", every))
    labels = F.array(
        *(F.struct(F.lit(s).alias("statistic"), F.lit(p).alias("predicate")) for s, p in series)
    )
    empty = gaps.select(*names, F.explode(inside).alias("window_start")).select(
        *(F.col(key).alias(name) for key, name in names.items()),
        "window_start",
        F.expr(later("window_start", width, kind)).alias("window_end"),
        F.inline(labels),
        *(F.lit(0).cast("bigint").alias(name) for name in ("n", "m")),
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
