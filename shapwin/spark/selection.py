"""Which rows of the long table are wanted: those of enough support, or the largest few."""

from __future__ import annotations

from collections.abc import Sequence
from decimal import Decimal
from numbers import Integral, Real
from typing import Any

from pyspark.sql import DataFrame, Window
from pyspark.sql import functions as F

from ..errors import ArgumentError, ArgumentTypeError
from .checks import quoted, unused

_NOTE = "shapwin.selected"


def check_selection(min_support: Any, top_k: Any) -> None:
    """Refuse bounds that cannot be meant."""
    if min_support is not None and top_k is not None:
        raise ArgumentError(
            f"min_support={min_support!r} and top_k={top_k!r}: give one of them, and filter the "
            "result by the other"
        )
    if min_support is not None:
        if isinstance(min_support, bool) or not isinstance(min_support, Real | Decimal):
            raise ArgumentTypeError(f"min_support={min_support!r}: give a share from 0 to 1")
        if not 0 <= float(min_support) <= 1:
            raise ArgumentError(f"min_support={min_support!r}: give a share from 0 to 1")
    if top_k is not None:
        if isinstance(top_k, bool) or not isinstance(top_k, Integral):
            raise ArgumentTypeError(f"top_k={top_k!r}: give a whole number")
        if top_k < 1:
            raise ArgumentError(f"top_k={top_k!r}: give at least 1")


def selection_of(explained: DataFrame) -> str | None:
    """Return how a long table was selected, which Spark and Parquet keep beside a column."""
    return explained.schema["predicate"].metadata.get(_NOTE)


def selected(
    result: DataFrame, by: Sequence[str], min_support: float | None, top_k: int | None
) -> DataFrame:
    """Keep what `min_support` or `top_k` asks for, of each window and statistic."""
    if min_support is not None:
        # m / n is rounded once, as the share itself was: 7 of 100 are 0.07, but 100 · 0.07 > 7.
        share = F.try_divide("m", "n")
        return _noted(result.where(share >= float(min_support)), f"min_support={min_support!r}")
    if top_k is None:
        return result
    of_window = [*(quoted(name) for name in by), "window_start", "statistic"]
    largest = Window.partitionBy(*of_window).orderBy(F.abs("phi").desc_nulls_last(), "predicate")
    name = unused("place", result.columns)
    ranked = result.withColumn(name, F.row_number().over(largest))
    kept = ranked.where(F.col(name) <= int(top_k)).drop(name)
    return _noted(kept, f"top_k={top_k!r}")


def _noted(result: DataFrame, selection: str) -> DataFrame:
    """Note that rows are missing: an absent row else means a group without members."""
    return result.withMetadata("predicate", {_NOTE: selection})
