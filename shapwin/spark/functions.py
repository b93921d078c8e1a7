"""The SQL aggregates under the same names as Column expressions: native Spark, no Python worker.

    from shapwin import functions as S
    trips.groupBy("city").agg(F.avg("fare"), S.shapley_avg("fare", "region = 'EU'"))

They are made of Spark's own count, sum, var_pop, covar_pop, skewness and kurtosis, so they stand
next to other aggregates, over any window, and on streams. Each aggregate is computed once: the
closed form, from ``sql/functions``, is evaluated over a struct of them,
``transform(array(struct(…)), t -> …)[0]``.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from decimal import Decimal
from math import isfinite
from numbers import Integral, Real
from typing import Any

from pyspark.errors import AnalysisException, ParseException
from pyspark.sql import Column, SparkSession, WindowSpec
from pyspark.sql import functions as F
from pyspark.sql.utils import is_remote

from ..errors import ArgumentError, ArgumentTypeError, PredicateError, StatisticError
from ..games import game_of
from .arguments import CONDITION_MEND, NO_MEND, NUMBER_MENDS
from .checks import NAME_MEND, has_name, names
from .quiet import first_line, unlogged
from .row_frames import RowFrame, long_row_frame
from .sql_functions import (
    NEEDS,
    SHAPES,
    aggregates_of,
    explanation_of_aggregates,
    of_no_rows,
    of_pieces,
    phi_of_aggregates,
    phis_of_aggregates,
)

Value = str | Column
Center = float | tuple[float, float] | None

__all__ = [
    "attributions",
    "shapley_avg",
    "shapley_central_moment",
    "shapley_count",
    "shapley_covar_pop",
    "shapley_covar_samp",
    "shapley_explain",
    "shapley_sum",
    "shapley_var",
    "shapley_var_pop",
    "shapley_var_samp",
]

_NUMBERS = ("tinyint", "smallint", "int", "bigint", "float", "double", "void")
_CONDITIONS = ("boolean", "void")


def shapley_sum(
    value: Value, predicate: Value, window: WindowSpec | None = None, center: Center = None
) -> Column:
    """Return Φ of SUM(value), which is the sum over the members. As `shapley_avg`."""
    return _phi("shapley_sum", "sum", value, None, predicate, window, center)


def shapley_count(
    value: Value, predicate: Value, window: WindowSpec | None = None, center: Center = None
) -> Column:
    """Return Φ of COUNT(value), which is the count of the members. As `shapley_avg`."""
    return _phi("shapley_count", "count", value, None, predicate, window, center)


def shapley_avg(
    value: Value, predicate: Value, window: WindowSpec | None = None, center: Center = None
) -> Column:
    """Return Φ of AVG(value): how much of the average the rows of a predicate account for.

    Parameters
    ----------
    value : str or Column
        A column of numbers; rows where it is NULL are no players.
    predicate : str or Column
        A condition, as SQL text or a Column; rows where it is NULL are no members.
    window : WindowSpec, optional
        Computes it over a window; without, it is an aggregate for ``agg``. Frames of 40 ROWS or
        more between two bounds cost the same however long they are.
    center : float, optional
        A number near the values. Spark's own aggregates lose digits where values are much larger
        than their spread (1e-10 at a million times, 1e-8 at a billion); these are then computed
        of value − center.

    Returns
    -------
    Column
        DOUBLE; NULL where no value is, 0 where no member is.

    Raises
    ------
    ArgumentTypeError
        If an argument is of a kind that cannot work. A column of a type that cannot work is
        told as the DataFrame is made (an AnalysisException with these words), before any job.
    PredicateError
        If the predicate does not parse (on Connect Spark says so, as it analyses the query).

    Examples
    --------
    >>> from pyspark.sql import functions as F
    >>> trips = spark.createDataFrame([("EU", 2.0), ("EU", 4.0), ("US", 10.0)], ["region", "fare"])
    ... # doctest: +SKIP
    >>> trips.agg(F.avg("fare"), shapley_avg("fare", "region = 'US'"))  # doctest: +SKIP
    """
    return _phi("shapley_avg", "avg", value, None, predicate, window, center)


def shapley_var_pop(
    value: Value, predicate: Value, window: WindowSpec | None = None, center: Center = None
) -> Column:
    """Return Φ of VAR_POP(value). As `shapley_avg`."""
    return _phi("shapley_var_pop", "var_pop", value, None, predicate, window, center)


def shapley_var(
    value: Value, predicate: Value, window: WindowSpec | None = None, center: Center = None
) -> Column:
    """Return Φ of VAR_POP(value), another name of `shapley_var_pop`."""
    return _phi("shapley_var", "var_pop", value, None, predicate, window, center)


def shapley_var_samp(
    value: Value, predicate: Value, window: WindowSpec | None = None, center: Center = None
) -> Column:
    """Return Φ of VAR_SAMP(value); 0 for one row. As `shapley_avg`."""
    return _phi("shapley_var_samp", "var_samp", value, None, predicate, window, center)


def shapley_covar_pop(
    value: Value,
    other: Value,
    predicate: Value,
    window: WindowSpec | None = None,
    center: Center = None,
) -> Column:
    """Return Φ of COVAR_POP(value, other); rows where either is NULL are no players.

    As `shapley_avg`; `center` is two numbers, near `value` and near `other`. A single one is of
    `value` alone, which leaves a covariance as few digits as none.
    """
    return _phi("shapley_covar_pop", "covar_pop", value, other, predicate, window, center)


def shapley_covar_samp(
    value: Value,
    other: Value,
    predicate: Value,
    window: WindowSpec | None = None,
    center: Center = None,
) -> Column:
    """Return Φ of COVAR_SAMP(value, other); 0 for one row. As `shapley_covar_pop`."""
    return _phi("shapley_covar_samp", "covar_samp", value, other, predicate, window, center)


def shapley_explain(
    value: Value,
    predicate: Value,
    statistic: str,
    window: WindowSpec | None = None,
    center: Center = None,
    other: Value | None = None,
) -> Column:
    """Return Φ with all its parts, as the SQL function of this name.

    Parameters
    ----------
    value, predicate, window, center
        As in `shapley_avg`.
    statistic : str
        ``sum``, ``count``, ``avg``, ``var_pop``, ``var_samp``, ``covar_pop``, ``covar_samp``,
        and ``central_moment(q)`` with q = 2, 3, 4, whose weight is NULL. Share and lift of order 3
        lose more digits without a `center` than Φ does, where their errors cancel.
    other : str or Column, optional
        The second column of the covariances.

    Returns
    -------
    Column
        ``struct<statistic, n, value, m, phi, share, lift, weight>``; NULL where no value is.
    """
    name = _statistic("shapley_explain", statistic, other)
    group = _Group("shapley_explain", value, other, predicate, center)
    body = explanation_of_aggregates(name, group.center)
    _checked_window("shapley_explain", window)
    explanation = _over_aggregates([name], [group], window, body)
    return explanation.alias(_call("shapley_explain", value, other, predicate, name))


def attributions(
    value: Value,
    predicates: Mapping[str, Value],
    statistics: Sequence[str] = ("avg",),
    window: WindowSpec | None = None,
    center: Center = None,
    other: Value | None = None,
) -> Column:
    """Return Φ of several statistics to several predicates, in one Column that shares its work.

    Parameters
    ----------
    value, window, center, other
        As in `shapley_avg` and `shapley_explain`.
    predicates : dict of str to str or Column
        Conditions by name.
    statistics : sequence of str
        As in `shapley_explain`.

    Returns
    -------
    Column
        ``struct<predicate: struct<statistic: double, …>, …>``, so that ``x.airport.avg`` is Φ of
        AVG to the predicate called airport. Fields are NULL where no value is.

    Notes
    -----
    Several central moments, or one of order 4 and several predicates, make an expression that is
    too long for Java to compile: over windows, ask for each in a Column of its own.

    Examples
    --------
    >>> why = attributions("fare", {"eu": "region = 'EU'", "long": "km > 20"}, ["avg", "var_pop"])
    ... # doctest: +SKIP
    >>> trips.groupBy("city").agg(why.alias("why")).select("city", "why.eu.avg")  # doctest: +SKIP
    """
    if not isinstance(predicates, Mapping):
        raise ArgumentTypeError(
            f"attributions: predicates is {predicates!r}: give a dict, {{'name': '…'}}"
        )
    if not predicates:
        raise ArgumentError("attributions: predicates is empty: give at least one, {'name': '…'}")
    if any(not name.strip() for name in names("attributions: predicates", list(predicates))):
        raise PredicateError("attributions: a predicate is named '': give it a name")
    chosen = names("attributions: statistics", statistics)
    games = {name: _statistic("attributions", name, other) for name in chosen}
    if not games:
        raise ArgumentError("attributions: statistics is empty: give at least one, such as 'avg'")
    groups = [
        _Group("attributions", value, other, predicate, center, f"predicate {name!r}")
        for name, predicate in predicates.items()
    ]
    _checked_window("attributions", window)
    body = phis_of_aggregates(games, list(predicates), groups[0].center)
    column = _over_aggregates([*games.values()], groups, window, body)
    return column.alias(_call("attributions", value, other))


def shapley_central_moment(
    value: Value,
    predicate: Value,
    order: int,
    window: WindowSpec | None = None,
    center: Center = None,
) -> Column:
    """Return Φ of the sum of (value − mean)^order, the game Σ_{i∈S} (y_i − ȳ_S)^order.

    Parameters
    ----------
    value, predicate, window, center
        As in `shapley_avg`.
    order : int
        2, 3 or 4.

    Returns
    -------
    Column
        DOUBLE; NULL where no value is, 0 where no member is, and 0 for one row.

    Raises
    ------
    ArgumentTypeError
        If `order` is no whole number; else as `shapley_avg`.
    StatisticError
        If `order` is below 2, or above 4: the SQL function of this name goes up to 6.

    Notes
    -----
    Φ_P = Σ_ℓ c_ℓ M_ℓ,P (Khani & Assent, Theorem 1), with M_ℓ = Σ (y − ȳ)^ℓ of the window and M_ℓ,P
    of the group, about the window's mean. So M_1 = 0, c_0 lets Φ of all rows be ν, and with
    lift_ℓ = M_ℓ,P − (m/N)·M_ℓ

        Φ = M_2,P + (c_2 − 1)·lift_2                                      order 2
        Φ = M_3,P + (c_3 − 1)·lift_3 + c_1·M_1,P                          order 3
        Φ = M_4,P + (c_4 − 1)·lift_4 + c_2·lift_2 + c_1·M_1,P             order 4

    where c_ℓ is c_ℓ(N) of ``sql/functions/_rest_central….sql``, for c_1 and c_2 times M_{order−ℓ}.

    M_3 and M_4 come back from Spark's skewness and kurtosis, which merge stably. As measured up to
    N = 5,000, relative to the larger of ν and the largest |φ_i|: 1e-14 for values near 0 or a
    `center`; without one, at a million times the spread, 1e-10 for order 2 and 4 and 1e-8 for
    order 3, as Spark's own skewness. Where the spread is above 1e50, M_2³ is infinite: order 3
    gives NaN. Below 1e-54 it is 0: in ANSI mode Spark's skewness, which order 4 takes as well,
    then fails with DIVIDE_BY_ZERO; without ANSI mode M_3, below 1e-162, counts as 0.

    Examples
    --------
    >>> trips.groupBy("city").agg(shapley_central_moment("fare", "region = 'EU'", 3))
    ... # doctest: +SKIP
    """
    if isinstance(order, bool) or not isinstance(order, Integral):
        raise ArgumentTypeError(
            f"shapley_central_moment: order is {order!r}: give a whole number, such as 3"
        )
    if not 2 <= order <= 6:  # of orders 5 and 6 the next says where they are
        raise StatisticError(f"shapley_central_moment: order is {order}: give 2, 3 or 4")
    statistic = _statistic("shapley_central_moment", f"central_moment({order})", None)
    group = _Group("shapley_central_moment", value, None, predicate, center)
    _checked_window("shapley_central_moment", window)
    body = phi_of_aggregates(statistic, group.center)
    phi = _over_aggregates([statistic], [group], window, body)
    return phi.alias(_call("shapley_central_moment", value, predicate, order))


# ---- how they are made -----------------------------------------------------------------------


def _phi(
    function: str,
    statistic: str,
    value: Value,
    other: Value | None,
    predicate: Value,
    window: WindowSpec | None,
    center: Center,
) -> Column:
    group = _Group(function, value, other, predicate, center)
    _checked_window(function, window)
    body = phi_of_aggregates(statistic, group.center)
    phi = _over_aggregates([statistic], [group], window, body)
    return phi.alias(_call(function, value, other, predicate))


_Values = tuple[Column, Column, Column | None]


class _Group:
    """The columns of the window and of one group in it, with types that work."""

    def __init__(
        self,
        function: str,
        value: Value,
        other: Value | None,
        predicate: Value,
        center: Center,
        what: str = "predicate",
    ) -> None:
        self.center, center2 = _centers(function, center, other is not None)
        y = _number(function, "value", value)
        x = None if other is None else _number(function, "other", other)
        if x is not None:
            y, x = F.when(x.isNotNull(), y), F.when(y.isNotNull(), x)
            x = x if center2 is None else x - F.lit(center2)
        centered = y if self.center is None else y - F.lit(self.center)
        member = _condition(function, predicate, what)
        # Plain values, which are summed; values as deviations are taken of; the second column.
        self.whole = y, centered, x
        self.part = (
            F.when(member, y),
            F.when(member, centered),
            None if x is None else F.when(member, x),
        )


def _centers(function: str, center: Any, two_columns: bool) -> tuple[float | None, float | None]:
    """The centre of each column."""
    if isinstance(center, tuple | list) and two_columns and len(center) == 2:
        return _finite(function, center[0]), _finite(function, center[1])
    return (None if center is None else _finite(function, center)), None


def _finite(function: str, center: Any) -> float:
    if isinstance(center, bool) or not isinstance(center, Real | Decimal):
        raise ArgumentTypeError(f"{function}: center is {center!r}: give a number")
    if not isfinite(center):
        raise ArgumentError(f"{function}: center is {center!r}: give a finite number")
    return float(center)


def _checked_window(function: str, window: Any) -> None:
    if window is not None and not isinstance(window, WindowSpec):
        raise ArgumentTypeError(
            f"{function}: window is {window!r}: give a WindowSpec, such as "
            "Window.partitionBy('city').orderBy('t').rowsBetween(-9, 0)"
        )


def _over_aggregates(
    statistics: Sequence[str], groups: Sequence[_Group], window: WindowSpec | None, body: str
) -> Column:
    """Evaluate a text over ``s``, the struct of the aggregates, each of them computed once."""
    names = aggregates_of(statistics)
    frame = None if window is None or SHAPES & set(names) else long_row_frame(window)
    if frame is None:
        whole, parts = _aggregates(groups, names, window)
        sums = F.struct(*whole, F.array(*parts).alias("groups"))
    else:
        sums = _of_long_frame(groups, names, frame)
    return _evaluated(f"s -> {body}", sums)


def _of_long_frame(groups: Sequence[_Group], names: Sequence[str], frame: RowFrame) -> Column:
    """The struct of the aggregates, merged from those of the pieces of a frame."""

    def piece(window: WindowSpec) -> list[Column]:
        whole, parts = _aggregates(groups, names, window)
        return [*whole, *(part.alias(f"group{i}") for i, part in enumerate(parts))]

    merged = _evaluated(f"pieces -> {of_pieces(names, len(groups))}", frame.pieces(piece))
    # A window's value could be NULL, to Spark; each use of what could be has longer code.
    return F.coalesce(frame.apart(merged), F.expr(of_no_rows(names, len(groups))))


def _evaluated(text: str, column: Column) -> Column:
    """Evaluate the text of a lambda of a column, which is computed once."""
    return F.call_function("transform", F.array(column), F.expr(text))[0]


def _aggregates(
    groups: Sequence[_Group], names: Sequence[str], window: WindowSpec | None
) -> tuple[list[Column], list[Column]]:
    """The aggregates of the window, and those of each group as a struct."""

    def fields(count: str, values: _Values) -> list[Column]:
        found = {count: F.count(values[0])} | {name: _MAKE[name](*values) for name in names}
        return [_over(name, part, window).alias(name) for name, part in found.items()]

    return fields("n", groups[0].whole), [F.struct(*fields("m", g.part)) for g in groups]


# Of plain values, of values as deviations are taken of, and of the second column. A sum is a mean
# once the count is known; Spark's avg would count once more.
_MAKE: dict[str, Callable[..., Column]] = {
    "total": lambda plain, y, x: F.sum(y),
    "sum": lambda plain, y, x: F.sum(plain),
    "var": lambda plain, y, x: F.var_pop(y),
    "skewness": lambda plain, y, x: F.skewness(y),
    "kurtosis": lambda plain, y, x: F.kurtosis(y),
    "total2": lambda plain, y, x: F.sum(x),
    "cov": lambda plain, y, x: F.covar_pop(y, x),
}


def _over(name: str, part: Column, window: WindowSpec | None) -> Column:
    """The aggregate as DOUBLE; 0 of no values, as for `_of_long_frame`."""
    part = (part if window is None else part.over(window)).cast("double")
    return part if name in SHAPES else F.coalesce(part, F.lit(0.0))


def _call(function: str, *arguments: Any) -> str:
    """What the result is called unless the user names it."""
    given = (argument for argument in arguments if argument is not None)
    return f"{function}({', '.join(_shown(argument) for argument in given)})"


def _shown(argument: Any) -> str:
    return str(argument).removeprefix("Column<'").removesuffix("'>")


def _statistic(function: str, statistic: str, other: Value | None) -> str:
    game = game_of(statistic)
    if game.name not in NEEDS:
        raise StatisticError(
            f"{function}: {game.name!r} has no native form, as Spark has no powers above the "
            "fourth: call shapwin.register(spark) and F.call_function('shapley_central_moment', "
            f"value, predicate, F.lit({game.order}))"
        )
    if game.columns == 2 and other is None:
        raise ArgumentError(
            f"{function}: {game.name!r} needs a second column: give other='its name'"
        )
    return game.name


def _number(function: str, name: str, given: Value) -> Column:
    """The column as DOUBLE, of a type that is a number."""
    column = _column(function, name, given)
    kind = F.typeof(column)
    found = kind.isin(*_NUMBERS) | kind.startswith("decimal")
    mend = F.lit(NO_MEND)
    for other, text in NUMBER_MENDS.items():
        mend = F.when(kind == other.lower(), text.format(name)).otherwise(mend)
    mistake = _mistake(f"{function}: {name} is ", kind, ", not a number: ", mend)
    return _typed(column, found, "number", mistake).cast("double")


def _condition(function: str, given: Value, what: str) -> Column:
    if isinstance(given, str):
        given = _parsed(f"{function}: {what}", given)
    column = _column(function, what, given)
    kind = F.typeof(column)
    mistake = _mistake(f"{function}: {what} is ", kind, f", not BOOLEAN: {CONDITION_MEND}")
    return _typed(column, kind.isin(*_CONDITIONS), "condition", mistake).cast("boolean")


def _parsed(what: str, text: str) -> Column:
    """The condition, once it parses: Spark tells that no earlier than with a DataFrame.

    On Connect the server would log each column that is not in this DataFrame: there Spark tells
    it as the query runs.
    """
    condition = F.expr(text)
    if is_remote():
        return condition
    try:
        with unlogged():
            nothing = SparkSession.active().range(0)
            _ = nothing.select(condition).schema
    except ParseException as error:
        raise PredicateError(f"{what} does not parse: {text} ({first_line(error)})") from None
    except AnalysisException:
        pass  # a column that is not in this DataFrame
    if has_name(nothing, text):
        raise PredicateError(f"{what} does not parse: {text} ({NAME_MEND})")
    return condition


def _typed(column: Column, found: Column, what: str, mistake: Column) -> Column:
    """The column itself, if its type is what was wanted; else Spark's analysis fails.

    A Column knows its type only within a DataFrame, so the type decides on the name of a field
    that is then asked for. Spark tells the name that the field has instead, and that is the
    message. If all is well, nothing of it stays in the plan.
    """
    name = F.when(found, F.lit(what)).otherwise(mistake)
    return F.named_struct(name, column).getField(what)


def _mistake(before: str, kind: Column, *after: str | Column) -> Column:
    texts = [F.lit(text) if isinstance(text, str) else text for text in after]
    return F.concat(F.lit(before), F.upper(kind), *texts)


def _column(function: str, name: str, given: Any) -> Column:
    if isinstance(given, str):
        return F.col(given)
    if not isinstance(given, Column):
        raise ArgumentTypeError(
            f"{function}: {name} is {given!r}: give a Column or "
            f"{'SQL text' if name == 'predicate' else 'the name of one'}"
        )
    return given
