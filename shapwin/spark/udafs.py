"""The aggregates of the SQL surface: grouped-aggregate UDFs, thin adaptors over the core.

`AGGREGATES` is the table; every row becomes an Arrow UDF or, in the other flavor, a pandas UDF
that turns its columns into Arrow and then does the same. One call answers one group of GROUP BY or
one frame of OVER.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import pandas as pd
import pyarrow as pa
from pyspark.sql.pandas.functions import arrow_udf, pandas_udf

from ..errors import ArgumentError, ArgumentTypeError
from ..games import GAMES, Attribution, closed_form, game_of
from ..summary import Summary
from .arguments import bind, condition, from_pandas, is_summaries, literal, numbers, summaries

# An answer takes the function's name and its bound Arrow columns, and gives a plain Python value.
Answer = Callable[..., Any]

_EXPLANATION = (
    "STRUCT<statistic: STRING, n: BIGINT, value: DOUBLE, m: BIGINT, phi: DOUBLE, share: DOUBLE, "
    "lift: DOUBLE, weight: DOUBLE>"
)
_SUMMARY = "STRUCT<m: BIGINT, a: DOUBLE, b: DOUBLE, center: DOUBLE>"


@dataclass(frozen=True)
class Aggregate:
    """One aggregate function of the SQL surface.

    Parameters
    ----------
    name : str
        Its name in SQL.
    parameters : tuple of str
        Its arguments' names, in order.
    answer : callable
        What it computes from the Arrow columns of one group or frame.
    what : str
        What it is, in one sentence.
    returns : str
        Its SQL type.
    optional : int
        How many of the last arguments may be left out.
    in_pandas : callable, optional
        The answer of flavor pandas, where it differs.
    pandas_returns : str, optional
        The SQL type in flavor pandas, where it differs.
    """

    name: str
    parameters: tuple[str, ...]
    answer: Answer
    what: str
    returns: str = "DOUBLE"
    optional: int = 0
    in_pandas: Answer | None = None
    pandas_returns: str | None = None

    @property
    def for_pandas(self) -> Aggregate:
        """The same function as flavor pandas can have it."""
        answer, returns = self.in_pandas or self.answer, self.pandas_returns or self.returns
        return replace(self, answer=answer, returns=returns)


def arrow_function(aggregate: Aggregate) -> Any:
    """Return the Arrow grouped-aggregate UDF of one row of the table."""
    name, parameters, answer = aggregate.name, aggregate.parameters, aggregate.answer
    optional = aggregate.optional

    def udaf(*given: pa.Array, **named: pa.Array) -> float:
        return answer(name, *bind(name, parameters, given, named, optional))  # type: ignore[no-any-return]

    return arrow_udf(_hinted(udaf, name, pa.Array), aggregate.returns)  # type: ignore[call-overload]


def pandas_function(aggregate: Aggregate) -> Any:
    """Return the pandas grouped-aggregate UDF of one row of the table."""
    aggregate = aggregate.for_pandas
    name, parameters, answer = aggregate.name, aggregate.parameters, aggregate.answer
    optional = aggregate.optional

    def udaf(*given: pd.Series[Any], **named: pd.Series[Any]) -> float:
        columns = bind(name, parameters, given, named, optional)
        return answer(name, *(None if c is None else from_pandas(c) for c in columns))  # type: ignore[no-any-return]

    return pandas_udf(_hinted(udaf, name, pd.Series), aggregate.returns)  # type: ignore[call-overload]


def _hinted(udaf: Callable[..., float], name: str, column: type) -> Any:
    """Spark tells the kind of a vectorised UDF by type hints, which have to be real classes."""
    udaf.__name__ = name
    udaf.__annotations__ = {"given": column, "named": column, "return": float}
    return udaf


# ---- what they compute -----------------------------------------------------------------------


def _phi(statistic: str) -> Answer:
    def answer(function: str, value: pa.Array, predicate: pa.Array) -> float | None:
        result = _attribution(function, statistic, value, predicate)
        return float(result.phi) if result.n else None

    return answer


def _phi_of_pair(statistic: str) -> Answer:
    def answer(
        function: str, value: pa.Array, other: pa.Array, predicate: pa.Array
    ) -> float | None:
        y, known = numbers(function, "value", value)
        x, other_known = numbers(function, "other", other)
        known = known & other_known
        member = condition(function, predicate) & known
        total = Summary.of(y[known], x[known])
        result = closed_form(statistic, total, Summary.of(y[member], x[member]))
        return float(result.phi) if result.n else None

    return answer


def _explain(
    function: str, value: pa.Array, predicate: pa.Array, statistic: pa.Array
) -> dict[str, Any] | None:
    if not len(value):
        return None
    name = game_of(str(literal(function, "statistic", statistic, "'avg'")).lower()).name
    if GAMES[name].columns == 2:
        raise ArgumentError(f"{function}: {name!r} needs a second column: use shapley_{name}")
    result = _attribution(function, name, value, predicate)
    if not result.n:
        return None
    numbers_of = ("value", "phi", "share", "lift", "weight")
    doubles = {field: float(getattr(result, field)) for field in numbers_of}
    return {"statistic": name, "n": int(result.n), "m": int(result.m), **doubles}


def _summary(
    function: str, value: pa.Array, center: pa.Array | None = None
) -> dict[str, Any] | None:
    wanted = None if center is None else _center(function, center)
    if is_summaries(value):
        merged = _merged(*summaries(function, value))
        total = merged if wanted is None else merged.recentred(wanted)
    else:
        y, known = numbers(function, "value", value)
        total = Summary.of(y[known], center=wanted)
    if not total.m:
        return None
    return {
        "m": int(total.m),
        "a": float(total.a),
        "b": float(total.b),
        "center": float(total.center),
    }


def _center(function: str, center: pa.Array) -> float | None:
    numbers(function, "center", center)
    wanted = literal(function, "center", center, "center => 10")
    return None if wanted is None else float(wanted)


def _summary_as_array(
    function: str, value: pa.Array, center: pa.Array | None = None
) -> list[float] | None:
    summary = _summary(function, value, center)
    return None if summary is None else [float(part) for part in summary.values()]


def _needs_arrow(function: str, *columns: pa.Array) -> None:
    raise ArgumentTypeError(
        f"{function} returns a struct, which a pandas function cannot: "
        "call shapwin.register(spark, flavor='arrow')"
    )


def _attribution(
    function: str, statistic: str, value: pa.Array, predicate: pa.Array
) -> Attribution:
    """Attribute one window, given as rows or as summaries of rows."""
    member = condition(function, predicate)
    if is_summaries(value):
        parts, known = summaries(function, value)
        return closed_form(statistic, _merged(parts, known), _merged(parts, known & member))
    y, known = numbers(function, "value", value)
    return closed_form(statistic, Summary.of(y[known]), Summary.of(y[known & member]))


def _merged(parts: Summary, chosen: Any) -> Summary:
    """Merge the chosen ones of an array of summaries, about their common mean."""
    chosen = chosen & (parts.m != 0)
    m, a, b, center = (column[chosen] for column in (parts.m, parts.a, parts.b, parts.center))
    n = int(m.sum())
    if n == 0:
        return Summary.zero()
    first = center[0]
    mean = first + float((m * (center - first) + a).sum()) / n
    about = Summary(m, a, b, center).recentred(mean if abs(mean) < float("inf") else first)
    return Summary(n, float(about.a.sum()), float(about.b.sum()), float(about.center))


AGGREGATES: tuple[Aggregate, ...] = (
    Aggregate("shapley_sum", ("value", "predicate"), _phi("sum"), "Φ of SUM(value)"),
    Aggregate("shapley_count", ("value", "predicate"), _phi("count"), "Φ of COUNT(value)"),
    Aggregate("shapley_avg", ("value", "predicate"), _phi("avg"), "Φ of AVG(value)"),
    Aggregate("shapley_var", ("value", "predicate"), _phi("var_pop"), "Φ of VAR_POP(value)"),
    Aggregate("shapley_var_pop", ("value", "predicate"), _phi("var_pop"), "Φ of VAR_POP(value)"),
    Aggregate("shapley_var_samp", ("value", "predicate"), _phi("var_samp"), "Φ of VAR_SAMP(value)"),
    Aggregate(
        "shapley_covar_pop",
        ("value", "other", "predicate"),
        _phi_of_pair("covar_pop"),
        "Φ of COVAR_POP(value, other)",
    ),
    Aggregate(
        "shapley_covar_samp",
        ("value", "other", "predicate"),
        _phi_of_pair("covar_samp"),
        "Φ of COVAR_SAMP(value, other)",
    ),
    Aggregate(
        "shapley_explain",
        ("value", "predicate", "statistic"),
        _explain,
        "Φ with all its parts, for the statistic named by a literal",
        returns=_EXPLANATION,
        in_pandas=_needs_arrow,
        pandas_returns="DOUBLE",
    ),
    Aggregate(
        "shapley_summary",
        ("value", "center"),
        _summary,
        "The mergeable summary of the values, for a pane table",
        returns=_SUMMARY,
        optional=1,
        in_pandas=_summary_as_array,
        pandas_returns="ARRAY<DOUBLE>",
    ),
)
