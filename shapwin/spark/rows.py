"""The user's rows as the pipeline reads them: keys, time, values and conditions, all checked."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as F

from ..errors import ArgumentTypeError, PredicateError
from . import checks
from .checks import quoted

Names = str | Sequence[str]
Predicates = Mapping[str, str | Column]

# Names of the pipeline's own columns.
_KEPT = re.compile(
    r"_(by\d+|g\d+|bits\d+|time|pane|pane_end|signature|number|records|start|[mabckyx]|ab|a2"
    r"|center2?|[yx](\d|_odd|_end\d)|y[yx]\d)",
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
    by, predicates : tuple of str
        The user's names of the keys and predicates.
    """

    frame: DataFrame
    by: tuple[str, ...]
    predicates: tuple[str, ...]

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
    value: str | Column,
    time: str | Column,
    predicates: Predicates,
    by: Names,
    other: str | Column | None,
    multiplicity: str | Column | None,
) -> Rows:
    """Check the arguments and return the rows that have a time and a value."""
    if not isinstance(df, DataFrame):
        raise ArgumentTypeError(f"df is a {type(df).__name__}: give a Spark DataFrame")
    keys = checks.by_columns(df, by, checks.RESULT_COLUMNS)
    by = checks.names("by", by)
    columns = [key.alias(f"_by{i}") for i, key in enumerate(keys)]
    columns.append(checks.timestamp(df, time).alias("_time"))
    columns.append(checks.numeric(df, "value", value).alias("_y"))
    needed = ["_time", "_y"]
    if other is not None:
        columns.append(checks.numeric(df, "other", other).alias("_x"))
        needed.append("_x")
    if multiplicity is not None:
        columns.append(checks.integer(df, "multiplicity", multiplicity).alias("_k"))
    members = checks.predicates(df, predicates, by)
    refuse_kept_names(members)
    columns += [member.alias(name) for name, member in members.items()]
    rows = df.select(*columns).where(" AND ".join(f"{name} IS NOT NULL" for name in needed))
    return Rows(rows, by, tuple(predicates))


def with_bits(frame: DataFrame, kept: Sequence[str], groups: Sequence[str]) -> DataFrame:
    """Select columns, and the words whose bit k says whether the k-th group has a row.

    Parameters
    ----------
    groups : sequence of str
        Conditions on a row that have been checked to be such.
    """
    conditions = [F.expr(text).alias(f"_g{k}") for k, text in enumerate(groups)]
    rows = frame.select(*kept, *conditions)
    return rows.selectExpr(*kept, *(f"{sql} _bits{i}" for i, sql in enumerate(_words(len(groups)))))


def words(groups: int) -> int:
    """Return how many words of 64 bits some groups take; at least one."""
    return max(1, -(-groups // 64))


def _words(groups: int) -> list[str]:
    """The words over the conditions ``_g0``, …, as SQL; a NULL condition is not satisfied."""
    bits = [f"shiftleft(CAST(coalesce(_g{k}, FALSE) AS BIGINT), {k % 64})" for k in range(groups)]
    return [" | ".join(["0L", *bits[64 * i : 64 * (i + 1)]]) for i in range(words(groups))]


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
