"""Predicates made from the values of columns: one a value, as ``region=EU``."""

from __future__ import annotations

from collections.abc import Sequence
from functools import reduce

from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as F
from pyspark.sql import types as T

from ..errors import ArgumentError, ArgumentTypeError
from . import checks

# The most frequent values of a column that become predicates; the others share one.
MAX_VALUES = 16


def dimension_predicates(df: DataFrame, dimensions: str | Sequence[str]) -> dict[str, Column]:
    """Return one predicate for each value of some columns; together they partition the rows.

    The 16 most frequent values of a column are found by a query before anything else (ties in
    order of value) and named ``region=EU``; NULL is ``region IS NULL``, and the rest
    ``region=(other)``.
    """
    found: dict[str, Column] = {}
    for name in checks.names("dimensions", dimensions):
        column = checks.existing(df, "dimensions", name)
        kind = checks.type_of(df, column)
        if not isinstance(kind, T.StringType | T.BooleanType | T.IntegralType | T.DateType):
            raise ArgumentTypeError(
                f"dimensions has {name!r}, which is {kind.simpleString().upper()}: give columns "
                "of few values, of type STRING, BOOLEAN, DATE or whole numbers"
            )
        if df.isStreaming:
            raise ArgumentError(
                "dimensions needs the values beforehand: on a stream give predicates"
            )
        found |= _of_column(df, name, column)
    return found


def _of_column(df: DataFrame, name: str, column: Column) -> dict[str, Column]:
    counts = df.groupBy(column.alias("value")).agg(F.count("*").alias("rows"))
    shown = counts.orderBy(F.desc("rows"), F.asc("value")).limit(MAX_VALUES + 2).collect()
    values = [row["value"] for row in shown if row["value"] is not None]
    top = values[:MAX_VALUES]
    found = {f"{name}={_text(value)}": column.eqNullSafe(F.lit(value)) for value in top}
    if any(row["value"] is None for row in shown) or len(shown) > MAX_VALUES + 1:
        found[f"{name} IS NULL"] = column.isNull()
    if len(values) > MAX_VALUES:
        none_of_them = reduce(Column.__and__, (~column.eqNullSafe(F.lit(v)) for v in top))
        found[f"{name}=(other)"] = none_of_them & column.isNotNull()
    return found


def _text(value: object) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)
