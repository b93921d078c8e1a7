"""What changed: windows of the long table against earlier ones, in Spark's own SQL."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date, datetime, timedelta
from typing import Any

from pyspark.sql import DataFrame
from pyspark.sql import functions as F
from pyspark.sql import types as T

from ..errors import ArgumentError, ArgumentTypeError, ColumnError
from . import checks
from .checks import quoted
from .intervals import later, microseconds
from .selection import selection_of

_TWICE = (
    "explained has several rows for one key, window, statistic and predicate: compare each table "
    "by itself, or put the column that tells them apart before window_start"
)
# What a window has once, and what each of its predicates has.
_OF_WINDOW = ("n", "value", "weight")
_OF_SERIES = ("phi", "share", "lift")
_CHANGES = ("d_n", "d_value", "d_phi", "d_share", "d_lift", "d_weight")
_EFFECTS = ("composition_effect", "size_effect")
_SERIES = ("window_start", "window_end", "statistic", "predicate")

Time = str | date | datetime


def compare(
    explained: DataFrame,
    *,
    lag: str | timedelta | None = None,
    baseline: tuple[Time, Time] | None = None,
) -> DataFrame:
    """Say how every window differs from an earlier one, and what each predicate adds to that.

    It is the difference of two exact attributions, no Shapley game of the change itself. Over
    groups that partition both windows the ΔΦ add up to Δν.

    Parameters
    ----------
    explained : DataFrame
        The long table of `explain` or `attribute`, all of it: an atom that one of the two
        windows lacks counts there as m = 0, so that its Φ, share and lift are 0. It is read once
        with `lag`, and several times with `baseline`: write or cache what is dear to compute.
        A row that it has twice stops the job. A table that `top_k` or `min_support` selected is
        refused, unless the note of that is lost, as in CSV or a union.
    lag : str or timedelta
        Each window is compared with the one of the same key and length that began this much
        earlier, as in ``1 day`` (24 hours).
    baseline : tuple of str, date or datetime
        Instead of `lag`, the ``(window_start, window_end)`` of the window that all windows of
        the same key are compared with. Times without a zone are in the session's.

    Returns
    -------
    DataFrame
        ``*by, window_start, window_end, statistic, predicate, n, value, d_n, d_value, d_phi,
        d_share, d_lift, d_weight, composition_effect, size_effect``: n and ν of the window, and
        how much larger than in the earlier one they, Φ and its parts are. NULL where there is no
        earlier window, or one of the two is empty; NaN where a difference of infinite numbers is
        asked for. With ``semantics="players"`` Φ has no parts: their columns are NULL. Rows come
        in no order.

    Raises
    ------
    ArgumentError
        If not just one of `lag` and `baseline` is given, `baseline` is no window, or the table
        is a stream, or was selected by `top_k` or `min_support`.
    ArgumentTypeError, ColumnError
        If it is no long table.
    IntervalError
        If `lag` is no positive length.

    Notes
    -----
    With w for the weight, 0 for the earlier window and 1 for the later one,
    ΔΦ = (Δshare + w₀·Δlift) + Δw·lift₁. The first part, `composition_effect`, is what other rows
    would have changed at the earlier window's size, the second, `size_effect`, what the size
    changed then. Over a partition the first add up to Δν, and the second to 0.
    """
    keys = _checked(explained)
    names = [f"_key{i}" for i in range(len(keys))]
    rows = _rows(explained, keys)
    if lag is not None and baseline is None:
        sides = _lagged(rows, microseconds("lag", lag))
    elif baseline is not None and lag is None:
        sides = _against(rows, names, _bounds(explained, baseline))
    else:
        raise ArgumentError(
            f"lag={lag!r} and baseline={baseline!r}: give one of them, as in lag='1 day'"
        )
    found = _differences(_joined(sides, names))
    renamed = (f"{name} {quoted(key)}" for name, key in zip(names, keys, strict=True))
    return found.selectExpr(*renamed, *_SERIES, "n", "value", *_CHANGES, *_EFFECTS)


def _checked(explained: DataFrame) -> list[str]:
    """Refuse what is no whole long table, and return the names of its keys."""
    if not isinstance(explained, DataFrame):
        raise ArgumentTypeError(
            f"explained is a {type(explained).__name__}: give a Spark DataFrame"
        )
    if explained.isStreaming:
        raise ArgumentError("explained is a stream: write it, and compare the table it makes")
    times = (T.TimestampType, T.TimestampNTZType)
    wanted: dict[str, tuple[type[T.DataType], ...]] = dict.fromkeys(_SERIES[:2], times)
    wanted |= dict.fromkeys(_SERIES[2:], (T.StringType,))
    wanted |= dict.fromkeys((*_OF_WINDOW, *_OF_SERIES), (T.NumericType,))
    for name, kinds in wanted.items():
        if name not in explained.columns:
            raise ColumnError(
                f"explained has no column {name!r}: give the long table of shapwin.explain"
            )
        kind = explained.schema[name].dataType
        if not isinstance(kind, kinds):
            raise ArgumentTypeError(
                f"explained.{name} is {kind.simpleString().upper()}: give the long table as "
                "shapwin.explain makes it, or cast its columns"
            )
    selection = selection_of(explained)
    if selection:
        raise ArgumentError(
            f"explained was made with {selection}: compare all its rows, and select from the result"
        )
    keys = explained.columns[: explained.columns.index("window_start")]
    checks.by_columns(explained, keys, (*checks.RESULT_COLUMNS, *_CHANGES, *_EFFECTS))
    return keys


def _bounds(explained: DataFrame, baseline: Any) -> list[str]:
    """The start and the end of the baseline as SQL."""
    if not isinstance(baseline, tuple | list) or len(baseline) != 2:
        raise ArgumentError(
            f"baseline={baseline!r}: give its window_start and window_end, as in "
            "('2024-01-09 01:00', '2024-01-09 02:00')"
        )
    start, end = (_time(baseline, bound) for bound in baseline)
    if (start.tzinfo is None) == (end.tzinfo is None) and start >= end:
        raise ArgumentError(f"baseline={baseline!r} ends before it begins: give (start, end)")
    kind = explained.schema["window_start"].dataType.simpleString()
    if kind == "timestamp_ntz" and (start.tzinfo or end.tzinfo):
        raise ArgumentError(f"baseline={baseline!r} has a zone and window_start none: drop it")
    return [f"CAST('{time.isoformat()}' AS {kind})" for time in (start, end)]


def _time(baseline: Any, bound: Any) -> datetime:
    try:
        return datetime.fromisoformat(bound if isinstance(bound, str) else bound.isoformat())
    except (AttributeError, ValueError):
        raise ArgumentError(
            f"baseline={baseline!r}: {bound!r} is no time; write '2024-01-09 01:00'"
        ) from None


def _rows(explained: DataFrame, keys: Sequence[str]) -> DataFrame:
    """The columns that matter, under names that no key can have."""
    renamed = (f"{quoted(key)} _key{i}" for i, key in enumerate(keys))
    # A window without rows has no weight, whatever a stream says.
    return explained.selectExpr(
        *renamed, *_SERIES, "n", "value", "if(n > 0, weight, NULL) weight", *_OF_SERIES
    )


def _lagged(rows: DataFrame, lag: int) -> DataFrame:
    """Each row twice: of its own window, and as what the window `lag` later is compared with."""
    moved = ", ".join(later(time, lag) for time in _SERIES[:2])
    sides = f"stack(2, window_start, window_end, true, {moved}, false) AS (_start, _end, _now)"
    lagged = rows.selectExpr("*", sides)
    return lagged.drop(*_SERIES[:2]).where("_now OR n > 0")


def _against(rows: DataFrame, keys: Sequence[str], bounds: Sequence[str]) -> DataFrame:
    """Each row of its own window, and those of the baseline for every window of their key."""
    now = rows.withColumnsRenamed({"window_start": "_start", "window_end": "_end"})
    start, end = bounds
    base = rows.where(f"window_start = {start} AND window_end = {end} AND n > 0")
    targets = now.select(*(F.col(key).alias(f"_of{key}") for key in keys), "_start", "_end")
    same_key = [F.col(key).eqNullSafe(F.col(f"_of{key}")) for key in keys]
    # One window is small, and without keys Spark would else compute each side for each part of
    # the other.
    before = (base if keys else F.broadcast(base)).join(targets.distinct(), same_key or None)
    before = before.drop(*_SERIES[:2], *(f"_of{key}" for key in keys))
    return now.withColumn("_now", F.lit(True)).unionByName(before.withColumn("_now", F.lit(False)))


def _joined(sides: DataFrame, keys: Sequence[str]) -> DataFrame:
    """Both sides of a comparison in one row: columns that end in 1 are the window's own.

    An aggregation rather than a join: it reads the rows once, and NULL keys are equal in it.
    """
    window = (*keys, "_start", "_end", "statistic")
    both = (("0", "NOT _now"), ("1", "_now"))
    rows = sides.groupBy(*window, "predicate").agg(
        *(F.expr(f"count_if({side}) _rows{i}") for i, side in both),
        *(
            F.expr(f"any_value({name}) FILTER (WHERE {side}) {name}{i}")
            for i, side in both
            for name in (*_OF_WINDOW, *_OF_SERIES)
        ),
    )
    # A window's own numbers are known from any of its rows.
    over = f"OVER (PARTITION BY {', '.join(window)})"
    spread = (f"{name}{i}" for i, _ in both for name in _OF_WINDOW)
    rows = rows.withColumns({name: F.expr(f"max({name}) {over}") for name in spread})
    once = F.when(F.col("_rows1") > 1, F.raise_error(F.lit(_TWICE)).cast("boolean"))
    return rows.where(once.otherwise(F.expr("_rows1 = 1 OR n1 > 0")))


def _differences(rows: DataFrame) -> DataFrame:
    """The later window's numbers minus the earlier one's."""
    here = {"phi": "n{i} > 0", "share": "weight{i} IS NOT NULL", "lift": "weight{i} IS NOT NULL"}
    rows = rows.withColumns(
        {
            f"{name}{i}": F.expr(
                f"CASE WHEN _rows{i} > 0 THEN {name}{i} WHEN {known.format(i=i)} THEN 0D END"
            )
            for name, known in here.items()
            for i in (0, 1)
        }
    )
    changes = (name.removeprefix("d_") for name in _CHANGES[1:])
    rows = rows.selectExpr("*", *(f"{name}1 - {name}0 d_{name}" for name in changes))
    # What has no weight is no part of Φ, and may be NaN.
    return rows.selectExpr(
        "*",
        "_start window_start",
        "_end window_end",
        "n1 n",
        "value1 value",
        "if(n1 > 0, n1 - n0, NULL) d_n",
        "if(weight0 = 0, d_share, d_share + weight0 * d_lift) composition_effect",
        "if(d_weight = 0, 0D, d_weight * lift1) size_effect",
    )
