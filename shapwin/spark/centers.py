"""Centres that a user gives: one number, or one for each key."""

from __future__ import annotations

from collections.abc import Mapping
from decimal import Decimal
from functools import reduce
from math import isfinite
from numbers import Number, Real
from typing import Any

from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as F
from pyspark.sql import types as T

from ..errors import ArgumentError, ArgumentTypeError

Center = float | Mapping[Any, float] | None


def given_center(rows: DataFrame, center: float | Mapping[Any, float], keys: list[str]) -> Column:
    """Return the centre of each row, whose keys are in these columns."""
    if not isinstance(center, Mapping):
        return F.lit(_finite(center))
    if not keys:
        raise ArgumentError("center is a dict but there is no by column: give one number")
    choice: Column = F.lit(0.0)
    for key, value in center.items():
        parts = key if isinstance(key, tuple) else (key,)
        if len(parts) != len(keys):
            raise ArgumentError(
                f"center has the key {key!r}: give one value for each of the {len(keys)} by columns"
            )
        for name, part in zip(keys, parts, strict=True):
            _refuse_other_type(part, rows.schema[name].dataType)
        same = (F.col(k).eqNullSafe(F.lit(part)) for k, part in zip(keys, parts, strict=True))
        choice = F.when(reduce(Column.__and__, same), F.lit(_finite(value))).otherwise(choice)
    return choice


def _refuse_other_type(part: Any, kind: T.DataType) -> None:
    literal = part is None or isinstance(part, bool) == isinstance(kind, T.BooleanType)
    if isinstance(kind, T.StringType):
        literal = part is None or isinstance(part, str)
    elif isinstance(kind, T.NumericType):
        literal = part is None or (isinstance(part, Number) and not isinstance(part, bool))
    if not literal:
        raise ArgumentTypeError(
            f"center has the key {part!r} but the by column is {kind.simpleString().upper()}: "
            "give its values as keys"
        )


def _finite(center: Any) -> float:
    if isinstance(center, bool) or not isinstance(center, Real | Decimal):
        raise ArgumentTypeError(f"center={center!r}: give a number, or a dict of key to number")
    if not isfinite(center):
        raise ArgumentError(f"center={center!r}: give a finite number")
    return float(center)
