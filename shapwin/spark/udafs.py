"""The aggregates of the SQL surface: grouped-aggregate UDFs, thin adaptors over the core.

`AGGREGATES` is the table; every row becomes an Arrow UDF or, in the other flavor, a pandas UDF
that turns its columns into Arrow and then does the same. One call answers one group of GROUP BY or
one frame of OVER.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from decimal import Decimal
from math import isnan
from typing import Any

import pandas as pd
import pyarrow as pa
from pyspark.sql.pandas.functions import arrow_udf, pandas_udf

from ..errors import ArgumentError, ArgumentTypeError
from ..games import Attribution, Game, Scales, game_of
from ..moment_games import CENTRAL_MOMENTS, MomentGame
from ..summary import Summary
from .arguments import Literal, bind, from_pandas, is_summaries, numbers, summaries
from .over import Plain, over_arrow, over_pandas
from .players import Frame, Players

_EXPLANATION = (
    "STRUCT<statistic: STRING, n: BIGINT, value: DOUBLE, m: BIGINT, phi: DOUBLE, share: DOUBLE, "
    "lift: DOUBLE, weight: DOUBLE>"
)
_SUMMARY = "STRUCT<m: BIGINT, a: DOUBLE, b: DOUBLE, center: DOUBLE>"
_ONE = ("value", "predicate")
_TWO = ("value", "other", "predicate")


@dataclass(frozen=True)
class Aggregate:
    """One aggregate function of the SQL surface.

    Parameters
    ----------
    name : str
        Its name in SQL.
    parameters : tuple of str
        Its arguments' names, in order.
    statistic : str, optional
        What it attributes. With ``{}`` in it the last argument, a literal, takes that place; None
        for a function that attributes nothing.
    what : str
        What it is, in one sentence.
    example : str
        How its literal may be written.
    returns, pandas_returns : str
        Its SQL type in flavor arrow and in flavor pandas.
    optional : int
        How many of the last arguments may be left out.
    """

    name: str
    parameters: tuple[str, ...]
    statistic: str | None
    what: str
    example: str = ""
    returns: str = "DOUBLE"
    pandas_returns: str = "DOUBLE"
    optional: int = 0


def arrow_function(aggregate: Aggregate) -> Any:
    """Return the Arrow grouped-aggregate UDF of one row of the table."""
    hinted = _hinted(_arrow_udaf(aggregate), aggregate.name, pa.Array)
    return arrow_udf(hinted, aggregate.returns)  # type: ignore[call-overload]


def _arrow_udaf(aggregate: Aggregate) -> Callable[..., Any]:
    bound, statistic = _binding(aggregate), aggregate.statistic
    if statistic is not None and "{}" not in statistic:
        return over_arrow(*_attributing(aggregate, statistic), bound, len(aggregate.parameters))
    answer = _arrow_answer(aggregate)

    def udaf(*columns: pa.Array, **named: pa.Array) -> Any:
        return answer(*bound(columns, named))

    return udaf


def pandas_function(aggregate: Aggregate) -> Any:
    """Return the pandas grouped-aggregate UDF of one row of the table."""
    answer, bound = _pandas_answer(aggregate), _binding(aggregate)

    def udaf(*columns: pd.Series[Any], **named: pd.Series[Any]) -> Any:
        return answer(*bound(columns, named))

    hinted = _hinted(udaf, aggregate.name, pd.Series)
    return pandas_udf(hinted, aggregate.pandas_returns)  # type: ignore[call-overload]


def _binding(aggregate: Aggregate) -> Callable[..., Sequence[Any]]:
    name, parameters, optional = aggregate.name, aggregate.parameters, aggregate.optional
    return lambda given, named: bind(name, parameters, given, named, optional)


def _hinted(udaf: Callable[..., Any], name: str, column: type) -> Any:
    """Spark tells the kind of a vectorised UDF by type hints, which have to be real classes."""
    udaf.__name__ = name
    udaf.__annotations__ = {"columns": column, "named": column, "return": float}
    return udaf


# ---- what they compute -----------------------------------------------------------------------


def _arrow_answer(aggregate: Aggregate) -> Plain:
    if aggregate.statistic is None:
        return _summarising(aggregate.name)
    if "{}" not in aggregate.statistic:
        return over_arrow(*_attributing(aggregate, aggregate.statistic))
    return _by_literal(aggregate, lambda statistic: over_arrow(*_attributing(aggregate, statistic)))


def _pandas_answer(aggregate: Aggregate) -> Plain:
    if aggregate.returns == _EXPLANATION:
        return _refusing(aggregate.name)
    if aggregate.statistic is None:
        answer = _summarising(aggregate.name)
        return lambda *columns: _as_array(answer(*map(_arrow, columns)))
    if "{}" not in aggregate.statistic:
        return over_pandas(*_from_pandas(*_attributing(aggregate, aggregate.statistic)))
    return _by_literal(
        aggregate,
        lambda statistic: over_pandas(*_from_pandas(*_attributing(aggregate, statistic))),
    )


def _attributing(aggregate: Aggregate, statistic: str) -> tuple[Plain, Any]:
    """How one frame is answered, and how a partition is prepared to answer many."""
    function, full = aggregate.name, aggregate.returns == _EXPLANATION
    game = game_of(statistic)
    result = _explanation(game.name) if full else _phi
    scales = Scales(game) if isinstance(game, Game) else None

    def players(columns: Sequence[pa.Array]) -> Players:
        found = Players.of(function, *columns)
        if isinstance(found.values, Summary) and isinstance(game, MomentGame):
            raise ArgumentError(
                f"{function}: value is a summary, which has not the powers of {statistic}: give "
                "the numbers themselves"
            )
        return found

    def plain(*columns: pa.Array) -> Any:
        return result(players(columns).attribution(statistic))

    def prepare(columns: Sequence[pa.Array]) -> Frame:
        return Frame(players(columns), statistic, result, only_phi=not full, scales=scales)

    return plain, prepare


def _from_pandas(plain: Plain, prepare: Any) -> tuple[Plain, Any]:
    return (
        lambda *columns: plain(*map(from_pandas, columns)),
        lambda columns: prepare([from_pandas(column) for column in columns]),
    )


def _arrow(column: Any) -> pa.Array | None:
    return None if column is None else from_pandas(column)


def _by_literal(aggregate: Aggregate, make: Callable[[str], Plain]) -> Plain:
    """Answer by the statistic that the last argument, a literal, asks for."""
    template = str(aggregate.statistic)
    literal = Literal(aggregate.name, aggregate.parameters[-1], aggregate.example)
    answers: dict[Any, Plain] = {}

    def answer(*columns: Any) -> Any:
        if not len(columns[-1]):
            return None
        wanted = literal.of(columns[-1])
        if wanted not in answers:
            if aggregate.parameters[-1] == "order":
                _check_order(aggregate.name, wanted)
            answers[wanted] = make(_one_column(aggregate.name, template.format(wanted)))
        return answers[wanted](*columns[:-1])

    return answer


def _check_order(function: str, order: Any) -> None:
    if isinstance(order, str) or f"central_moment({order})" not in CENTRAL_MOMENTS:
        shown = order if isinstance(order, Decimal) else repr(order)
        raise ArgumentError(f"{function}: order is {shown}: give a whole number from 2 to 6")


def _one_column(function: str, statistic: str) -> str:
    game = game_of(statistic)
    if game.columns == 2:
        raise ArgumentError(
            f"{function}: {game.name!r} needs a second column: use shapley_{game.name}"
        )
    return game.name


def _phi(attribution: Attribution) -> float | None:
    return attribution.phi if attribution.n else None


def _explanation(statistic: str) -> Callable[[Attribution], dict[str, Any] | None]:
    def result(attribution: Attribution) -> dict[str, Any] | None:
        if not attribution.n:
            return None
        n, value, m, phi, share, lift, weight = attribution
        return {
            "statistic": statistic,
            "n": int(n),
            "value": value,
            "m": int(m),
            "phi": phi,
            "share": share,
            "lift": lift,
            "weight": None if isnan(weight) else weight,
        }

    return result


def _summarising(function: str) -> Plain:
    def answer(value: pa.Array, center: pa.Array | None = None) -> dict[str, Any] | None:
        wanted = None if center is None else _center(function, center)
        if is_summaries(value):
            items, known = summaries(function, value)
            merged = items.take(known.nonzero()[0]).total()
            summary = merged if wanted is None else merged.recentred(wanted)
        else:
            y, known = numbers(function, "value", value)
            summary = Summary.of(y[known], center=wanted)
        if not summary.m:
            return None
        a, b, c = (float(part) for part in (summary.a, summary.b, summary.center))
        return {"m": int(summary.m), "a": a, "b": b, "center": c}

    return answer


def _center(function: str, center: pa.Array) -> float | None:
    numbers(function, "center", center)
    wanted = Literal(function, "center", "center => 10").of(center)
    return None if wanted is None else float(wanted)


def _as_array(summary: dict[str, Any] | None) -> list[float] | None:
    return None if summary is None else [float(part) for part in summary.values()]


def _refusing(function: str) -> Plain:
    def answer(*columns: Any) -> None:
        raise ArgumentTypeError(
            f"{function} returns a struct, which a pandas function cannot: "
            "call shapwin.register(spark, flavor='arrow')"
        )

    return answer


AGGREGATES: tuple[Aggregate, ...] = (
    Aggregate("shapley_sum", _ONE, "sum", "Φ of SUM(value)"),
    Aggregate("shapley_count", _ONE, "count", "Φ of COUNT(value)"),
    Aggregate("shapley_avg", _ONE, "avg", "Φ of AVG(value)"),
    Aggregate("shapley_var", _ONE, "var_pop", "Φ of VAR_POP(value)"),
    Aggregate("shapley_var_pop", _ONE, "var_pop", "Φ of VAR_POP(value)"),
    Aggregate("shapley_var_samp", _ONE, "var_samp", "Φ of VAR_SAMP(value)"),
    Aggregate("shapley_covar_pop", _TWO, "covar_pop", "Φ of COVAR_POP(value, other)"),
    Aggregate("shapley_covar_samp", _TWO, "covar_samp", "Φ of COVAR_SAMP(value, other)"),
    Aggregate(
        "shapley_central_moment",
        (*_ONE, "order"),
        "central_moment({})",
        "Φ of the sum of (value − mean)^order",
        example="3",
    ),
    Aggregate(
        "shapley_explain",
        (*_ONE, "statistic"),
        "{}",
        "Φ with all its parts, of the statistic that a literal names",
        example="'avg'",
        returns=_EXPLANATION,
    ),
    Aggregate(
        "shapley_summary",
        ("value", "center"),
        None,
        "The mergeable summary of the values, for a pane table",
        returns=_SUMMARY,
        pandas_returns="ARRAY<DOUBLE>",
        optional=1,
    ),
)
