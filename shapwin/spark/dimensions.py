"""Predicates made from the values of columns: one a value, as ``region=EU``."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import reduce
from itertools import count

from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as F
from pyspark.sql import types as T

from ..errors import ArgumentError, ArgumentTypeError
from . import checks

# The most frequent values of a column that become predicates; the others share one.
MAX_VALUES = 16


def dimension_predicates(
    df: DataFrame, dimensions: str | Sequence[str]
) -> tuple[dict[str, Column], int]:
    """Return one predicate for each value of some columns, and how many combinations there may be.

    The predicates of one column partition the rows.

    The 16 most frequent values of a column are found by a query before anything else (ties in
    order of value) and named ``region=EU``; NULL is ``region IS NULL``, and the rest
    ``region=(other)``. Of names that differ by nothing or by case alone, later ones are numbered.
    """
    found: dict[str, Column] = {}
    combinations = 1
    for name in checks.names("dimensions", dimensions):
        column, kind = checks.typed(df, "dimensions", name)
        if not isinstance(kind, T.StringType | T.BooleanType | T.IntegralType | T.DateType):
            raise ArgumentTypeError(
                f"dimensions has {name!r}, which is {kind.simpleString().upper()}: give columns "
                "of few values, of type STRING, BOOLEAN, DATE or whole numbers"
            )
        if df.isStreaming:
            raise ArgumentError(
                "dimensions needs the values beforehand: on a stream give predicates"
            )
        of_column = _of_column(df, name, column)
        combinations *= len(of_column)
        for label, condition in of_column:
            found[_unused(label, found)] = condition
    return found, combinations


def _of_column(df: DataFrame, name: str, column: Column) -> list[tuple[str, Column]]:
    counts = df.where(column.isNotNull()).groupBy(column.alias("value"))
    ordered = counts.agg(F.count("*").alias("rows")).orderBy(F.desc("rows"), F.asc("value"))
    values = [row["value"] for row in ordered.limit(MAX_VALUES + 1).collect()]
    top = values[:MAX_VALUES]
    found = [(f"{name}={_text(value)}", column.eqNullSafe(F.lit(value))) for value in top]
    # Without any row there is still something to ask for.
    if not top or df.where(column.isNull()).limit(1).count():
        found.append((f"{name} IS NULL", column.isNull()))
    if len(values) > MAX_VALUES:
        none_of_them = reduce(Column.__and__, (~column.eqNullSafe(F.lit(v)) for v in top))
        found.append((f"{name}=(other)", none_of_them & column.isNotNull()))
    return found


def _unused(label: str, taken: Iterable[str]) -> str:
    """The label, numbered if it or one that differs only by case is taken: one name to Spark."""
    lower = {other.lower() for other in taken}
    numbered = (f"{label} ({i})" for i in count(2))
    return (
        label if label.lower() not in lower else next(n for n in numbered if n.lower() not in lower)
    )


def _text(value: object) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)
