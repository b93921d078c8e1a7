"""The arguments of the SQL functions: bound by name, checked by type, read into NumPy.

A grouped-aggregate UDF sees its arguments' types at its first row and no earlier, so this is where
a user learns that ``shapley_avg(fare, region)`` lacks a condition.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.types as pt
from numpy.typing import NDArray
from pyspark.sql.pandas.types import from_arrow_type

from ..errors import ArgumentError, ArgumentTypeError
from ..summary import Summary

Bools = NDArray[np.bool_]
Floats = NDArray[np.float64]

SUMMARY_FIELDS = ("m", "a", "b", "center")

# What to write instead of a column of a type that is no number, or no condition.
NUMBER_MENDS = {
    "TIMESTAMP": "write unix_micros({}) / 1e6, its seconds",
    "DATE": "write unix_date({}), its days",
    "BOOLEAN": "write int({})",
    "STRING": "write double({}) if it holds numbers",
}
NO_MEND = "give a number"
CONDITION_MEND = "write a condition, such as region = 'EU'"


def bind(
    function: str,
    parameters: Sequence[str],
    given: Sequence[Any],
    named: Mapping[str, Any],
    optional: int = 0,
) -> list[Any]:
    """Return the arguments in the parameters' order, None for an optional one not given.

    Raises
    ------
    ArgumentError
        If an argument is missing, unknown, given twice, or one too many.
    """
    needed = len(parameters) - optional
    shown = ", ".join(parameters[:needed]) + "".join(f" [, {p}]" for p in parameters[needed:])
    takes = f"{function} takes ({shown})"
    if len(given) > len(parameters):
        raise ArgumentError(f"{takes}: {len(given)} arguments are too many")
    bound = dict(zip(parameters, given, strict=False))
    for written, argument in named.items():
        name = written.lower()  # as Spark's own functions take them
        if name not in parameters:
            raise ArgumentError(f"{takes}: it has no argument {written!r}")
        if name in bound:
            raise ArgumentError(f"{takes}: {name} was given twice")
        bound[name] = argument
    missing = [p for p in parameters[:needed] if p not in bound]
    if missing:
        verb = "are" if len(missing) > 1 else "is"
        raise ArgumentError(f"{takes}: {' and '.join(missing)} {verb} missing")
    return [bound.get(parameter) for parameter in parameters]


def from_pandas(column: pd.Series[Any]) -> pa.Array:
    """Return a pandas column as the Arrow column it came from; NaN reads as NULL."""
    return pa.Array.from_pandas(column)


def numbers(function: str, name: str, column: pa.Array) -> tuple[Floats, Bools]:
    """Return a numeric column as doubles, and which of its rows are not NULL."""
    kind = column.type
    if not (pt.is_integer(kind) or pt.is_floating(kind) or _is_decimal(kind) or pt.is_null(kind)):
        shown = _sql_type(kind)
        mend = NUMBER_MENDS.get(shown, NO_MEND).format(name)
        raise ArgumentTypeError(f"{function}: {name} is {shown}, not a number: {mend}")
    known = _known(column)
    # Unsafe only in that integers above 2^53 round, as they do in Spark's own cast.
    doubles = column.cast(pa.float64(), safe=False)
    return doubles.to_numpy(zero_copy_only=False), known


def condition(function: str, column: pa.Array) -> Bools:
    """Return which rows satisfy the predicate; NULL does not."""
    kind = column.type
    if pt.is_null(kind):
        return np.zeros(len(column), dtype=np.bool_)
    if not pt.is_boolean(kind):
        raise ArgumentTypeError(
            f"{function}: predicate is {_sql_type(kind)}, not BOOLEAN: {CONDITION_MEND}"
        )
    if column.null_count:
        column = column.fill_null(False)
    return np.asarray(column.to_numpy(zero_copy_only=False), dtype=np.bool_)


class Literal:
    """An argument that has to be the same in all rows.

    A row is looked at once: what has been seen of a column is remembered, as long as frames lie
    in the same memory and move on.
    """

    def __init__(self, function: str, name: str, example: str) -> None:
        self._mistake = (
            f"{function}: {name} is not one literal value: write it out, such as {example}"
        )
        self._null = f"{function}: {name} is NULL: write it out, such as {example}"
        self._held: Any = None
        self._address = self._begin = self._end = 0
        self._value: Any = None

    def of(self, column: Any) -> Any:
        """Return the value; None for a column without rows."""
        if not isinstance(column, pa.Array):
            column = from_pandas(column)
        if not len(column):
            return None
        buffers = column.buffers()
        address = buffers[1].address if len(buffers) > 1 and buffers[1] is not None else 0
        begin, end = column.offset, column.offset + len(column)
        if address and address == self._address and self._begin <= begin <= self._end:
            for value in column.slice(self._end - begin).to_pylist() if end > self._end else ():
                if value != self._value:
                    raise ArgumentError(self._mistake)
            self._end = max(end, self._end)
            return self._value
        values = column.unique().to_pylist()
        if values == [None]:
            raise ArgumentError(self._null)
        if len(values) > 1 or values[0] is None:
            raise ArgumentError(self._mistake)
        self._held, self._address, self._begin, self._end = buffers, address, begin, end
        self._value = values[0]
        return self._value


def is_summaries(column: pa.Array) -> bool:
    """Whether the value is a column of summaries, as `shapley_summary` makes them."""
    return bool(pt.is_struct(column.type) or pt.is_list(column.type))


def summaries(function: str, column: pa.Array) -> tuple[Summary, Bools]:
    """Return a column of summaries as one `Summary` of arrays, and which rows are not NULL."""
    parts = _struct_parts(column) if pt.is_struct(column.type) else _list_parts(column)
    if parts is None:
        raise ArgumentTypeError(
            f"{function}: value is {_sql_type(column.type)}: give a number, or a summary as "
            "shapley_summary makes it, struct<m:bigint,a:double,b:double,center:double>"
        )
    columns = [numbers(function, f"value.{name}", part) for name, part in parts]
    known = np.logical_and.reduce([_known(column), *(valid for _, valid in columns)])
    m, a, b, center = (np.where(known, values, 0.0) for values, _ in columns)
    return Summary(m.astype(np.int64), a, b, center), known


def _struct_parts(column: pa.Array) -> list[tuple[str, pa.Array]] | None:
    places = {field.name.lower(): i for i, field in enumerate(column.type)}
    if not places.keys() >= set(SUMMARY_FIELDS):
        return None
    return [(name, column.field(places[name])) for name in SUMMARY_FIELDS]


def _list_parts(column: pa.Array) -> list[tuple[str, pa.Array]] | None:
    """The four numbers of the summaries that the pandas flavor makes: [m, a, b, center]."""
    kind = column.type.value_type
    if not (pt.is_floating(kind) or pt.is_integer(kind) or pt.is_null(kind)):
        return None
    rows = column.to_pylist()
    if any(row is not None and len(row) != len(SUMMARY_FIELDS) for row in rows):
        return None
    return [
        (name, pa.array([None if row is None else row[i] for row in rows], pa.float64()))
        for i, name in enumerate(SUMMARY_FIELDS)
    ]


def _known(column: pa.Array) -> Bools:
    if not column.null_count:
        return np.ones(len(column), dtype=np.bool_)
    return np.asarray(column.is_valid().to_numpy(zero_copy_only=False), dtype=np.bool_)


def _is_decimal(kind: pa.DataType) -> bool:
    return bool(pt.is_decimal(kind))


def _sql_type(kind: pa.DataType) -> str:
    if pt.is_timestamp(kind):
        return "TIMESTAMP"
    name = from_arrow_type(kind).simpleString()
    return name if pt.is_nested(kind) else name.upper()
