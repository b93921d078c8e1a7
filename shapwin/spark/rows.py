"""The user's rows as the pipeline reads them: keys, time, values and conditions, all checked."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as F

from ..errors import ArgumentError, ArgumentTypeError, ColumnError, PredicateError
from . import checks
from .checks import quoted
from .dimensions import dimension_predicates

Names = str | Sequence[str]
Values = str | Column | Sequence[str]
Predicates = Mapping[str, str | Column]

# The key that tells several value columns apart.
COLUMN = "column"

# How many equal tuples a row may stand for: a double counts them one by one up to here.
MAX_COPIES = 1 << 53

# Names of the pipeline's own columns.
_KEPT = re.compile(
    r"_((by|g|bits)\d+|time|window|segment|size_[yx]|each_[yx]|pane|pane_end|signature"
    r"|records|sums|start|[mabckyx]|ab|a2|center2?|[yx](\d|_odd|_end\d)|y[yx]\d)",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class Rows:
    """Rows that take part, as the pipeline names their columns.

    Parameters
    ----------
    frame : DataFrame
        The keys as ``_by0``, …; ``_time``, ``_y``, perhaps ``_x`` and the multiplicity ``_k``;
        one BOOLEAN column a predicate, under the user's own name, never NULL. The underscores
        keep the names apart.
    by : tuple of str
        The user's names of the keys; ``column`` last where there are several value columns.
    predicates : mapping of str to str or Column
        The user's names of the predicates, and what they mean.
    several : bool
        Whether there are several value columns.
    combinations : int
        How many different combinations of predicates there may be.
    """

    frame: DataFrame
    by: tuple[str, ...]
    predicates: Predicates
    several: bool = False
    combinations: int = 1

    @property
    def keys(self) -> list[str]:
        """The names of the key columns in `frame`."""
        return [f"_by{i}" for i in range(len(self.by))]

    @property
    def letters(self) -> str:
        """One letter for each column of numbers."""
        return "yx" if "_x" in self.frame.columns else "y"


def read_rows(
    df: DataFrame,
    *,
    value: Values,
    time: str | Column,
    predicates: Predicates | None,
    by: Names,
    other: str | Column | None,
    multiplicity: str | Column | None,
    dimensions: Names = (),
) -> Rows:
    """Check the arguments and return the rows that have a time and a value."""
    if not isinstance(df, DataFrame):
        raise ArgumentTypeError(f"df is a {type(df).__name__}: give a Spark DataFrame")
    keys = checks.by_columns(df, by, checks.RESULT_COLUMNS)
    by = checks.names("by", by)
    columns = [key.alias(f"_by{i}") for i, key in enumerate(keys)]
    when = checks.event_time if df.isStreaming else checks.timestamp
    columns.append(when(df, time).alias("_time"))
    values = _values(df, value, other)
    if other is not None:
        columns.append(checks.numeric(df, "other", other).alias("_x"))
    if multiplicity is not None:
        columns.append(_multiplicity(df, multiplicity).alias("_k"))
    given, combinations = _with_dimensions(
        df, {} if predicates is None and dimensions else predicates, dimensions
    )
    members = checks.predicates(df, given, by)
    refuse_kept_names(members)
    columns += [member.alias(name) for name, member in members.items()]
    if len(values) == 1:
        rows = df.select(*columns, *(column.alias("_y") for column in values.values()))
    else:
        if COLUMN in (name.lower() for name in (*by, *given)):
            raise ColumnError(
                f"{COLUMN!r} is the name of a by column or predicate, and of the result's column "
                "that tells several values apart: rename it"
            )
        pairs = (
            F.struct(F.lit(name).alias(f"_by{len(by)}"), column.alias("_y"))
            for name, column in values.items()
        )
        rows = df.select(*columns, F.inline(F.array(*pairs)))
        by = (*by, COLUMN)
    needed = [name for name in ("_time", "_y", "_x") if name in rows.columns]
    rows = rows.where(" AND ".join(f"{name} IS NOT NULL" for name in needed))
    return Rows(rows, by, given, len(values) > 1, combinations)


def _multiplicity(df: DataFrame, name: str | Column) -> Column:
    """How many tuples a row stands for; more than doubles count exactly stop the job."""
    count = checks.integer(df, "multiplicity", name)
    message = F.concat(
        F.lit("multiplicity is "), count, F.lit(f": at most {MAX_COPIES:,} of a row can be counted")
    )
    wrong = (count > MAX_COPIES) | (count < -MAX_COPIES)
    return F.when(wrong, F.raise_error(message).cast("bigint")).otherwise(count)


def _values(df: DataFrame, value: Values, other: str | Column | None) -> dict[str, Column]:
    """The columns of numbers by name."""
    if not isinstance(value, list | tuple):
        one: Any = value
        return {"value": checks.numeric(df, "value", one)}
    names = checks.names("value", value)
    if not names:
        raise ColumnError("value is empty: name a column of numbers")
    if other is not None:
        raise ArgumentError("other goes with one value column: explain the others on their own")
    return {name: checks.numeric(df, "value", name) for name in names}


def _with_dimensions(df: DataFrame, given: Any, dimensions: Names) -> tuple[Any, int]:
    """The predicates, those that dimensions make, and how many combinations there may be."""
    if not isinstance(given, Mapping):
        return given, 1
    made, combinations = dimension_predicates(df, dimensions)
    for name in made:
        if name in given:
            raise PredicateError(f"predicate {name!r} is also made by dimensions: rename it")
    return {**given, **made}, combinations << len(given)


def with_bits(frame: DataFrame, kept: Sequence[str], groups: Sequence[str]) -> DataFrame:
    """Select columns, and the words whose bit k says whether the k-th group has a row.

    Parameters
    ----------
    groups : sequence of str
        Conditions on a row that have been checked to be such.
    """
    if {*groups} <= {quoted(name) for name in frame.columns}:
        rows, members = frame, list(groups)
    else:
        members = [f"_g{k}" for k in range(len(groups))]
        parsed = (F.expr(text).alias(name) for text, name in zip(groups, members, strict=True))
        rows = frame.select(*kept, *parsed)
    return rows.selectExpr(*kept, *(f"{sql} _bits{i}" for i, sql in enumerate(_words(members))))


def words(groups: int) -> int:
    """Return how many words of 64 bits some groups take; at least one."""
    return max(1, -(-groups // 64))


def _words(members: Sequence[str]) -> list[str]:
    """The words over conditions, which are names, as SQL; a NULL condition is not satisfied."""
    bits = [
        f"shiftleft(CAST(coalesce({name}, FALSE) AS BIGINT), {k % 64})"
        for k, name in enumerate(members)
    ]
    return [" | ".join(["0L", *bits[64 * i : 64 * (i + 1)]]) for i in range(words(len(members)))]


def by_name(predicates: Iterable[str]) -> dict[str, str]:
    """Return the groups that are the predicates themselves."""
    return {name: quoted(name) for name in predicates}


def refuse_kept_names(predicates: Iterable[str]) -> None:
    """Refuse predicates whose names the pipeline uses."""
    for name in predicates:
        if _KEPT.fullmatch(name):
            raise PredicateError(
                f"predicate {name!r} has a name that is kept for the pipeline: drop the underscore"
            )
