"""The SQL aggregates under the same names as Column expressions: native Spark, no Python worker.

    from shapwin import functions as S
    trips.groupBy("city").agg(F.avg("fare"), S.shapley_avg("fare", "region = 'EU'"))

They are made of Spark's own count, avg, var_pop and covar_pop, so they stand next to other
aggregates, over any window, and on streams. Each aggregate is computed once: the closed form, from
``sql/functions``, is evaluated over a struct of them, ``transform(array(struct(…)), t -> …)[0]``.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from pyspark.sql import Column, WindowSpec
from pyspark.sql import functions as F

from ..errors import ArgumentError, ArgumentTypeError, StatisticError
from ..games import game_of
from .splits import SPLITS, WHOLE_WINDOW
from .sql_functions import inlined

Value = str | Column
Center = float | None

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

# The sums of a statistic, about the window's mean, from the aggregates of a window and of a group.
# They are the arguments of sql/functions; a group without values has sums of 0.
_SUMS = {
    "n": "s.n",
    "m": "s.m{k}",
    "center": "s.mean + {center}",
    "s": "s.sum",
    "s_p": "coalesce(s.sum{k}, 0D)",
    "a": "0D",
    "a_p": "coalesce(s.m{k} * (s.mean{k} - s.mean), 0D)",
    "b": "s.n * s.var",
    "b_p": "coalesce(s.m{k} * (s.var{k} + pow(s.mean{k} - s.mean, 2)), 0D)",
    "a2": "0D",
    "a2_p": "coalesce(s.m{k} * (s.mean2_{k} - s.mean2_), 0D)",
    "ab": "s.n * s.cov",
    "ab_p": "coalesce(s.m{k} * (s.cov{k} + (s.mean{k} - s.mean) * (s.mean2_{k} - s.mean2_)), 0D)",
}
_ALWAYS = ("n", "m")
_NEEDS: dict[str, tuple[str, ...]] = {
    "sum": ("s", "s_p", "a", "a_p"),
    "count": (),
    "avg": ("center", "a", "a_p"),
    "var_pop": ("a", "a_p", "b", "b_p"),
    "var_samp": ("a", "a_p", "b", "b_p"),
    "covar_pop": ("a", "a_p", "a2", "a2_p", "ab", "ab_p"),
    "covar_samp": ("a", "a_p", "a2", "a2_p", "ab", "ab_p"),
}


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
        Computes it over a window; without, it is an aggregate for ``agg``.
    center : float, optional
        A number near the values. Spark's own aggregates lose digits where values are much larger
        than their spread (1e-10 at a million times); these are then computed of value − center.

    Returns
    -------
    Column
        DOUBLE; NULL where no value is, 0 where no member is.

    Raises
    ------
    ArgumentTypeError
        If an argument is of a kind that cannot work. A column of a type that cannot work is
        named when the query runs, a predicate that does not parse when it is planned.

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

    As `shapley_avg`; `center` is a number near `value`.
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
        ``sum``, ``count``, ``avg``, ``var_pop``, ``var_samp``, ``covar_pop``, ``covar_samp``.
    other : str or Column, optional
        The second column of the covariances.

    Returns
    -------
    Column
        ``struct<statistic, n, value, m, phi, share, lift, weight>``; NULL where no value is.
    """
    name = _statistic("shapley_explain", statistic, other)
    group = {"0": _Group("shapley_explain", value, other, predicate, center)}
    body = _explanation(name, center)
    return _over_aggregates([name], group, window, body)


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

    Examples
    --------
    >>> why = attributions("fare", {"eu": "region = 'EU'", "long": "km > 20"}, ["avg", "var_pop"])
    ... # doctest: +SKIP
    >>> trips.groupBy("city").agg(why.alias("why")).select("city", "why.eu.avg")  # doctest: +SKIP
    """
    if not isinstance(predicates, Mapping) or not predicates:
        raise ArgumentError("attributions: predicates is empty: give at least one, {'name': '…'}")
    chosen = [statistics] if isinstance(statistics, str) else list(statistics)
    names = list(dict.fromkeys(_statistic("attributions", s, other) for s in chosen))
    if not names:
        raise ArgumentError("attributions: statistics is empty: give at least one, such as 'avg'")
    groups = {
        str(k): _Group("attributions", value, other, predicate, center)
        for k, predicate in enumerate(predicates.values())
    }
    fields = [
        f"{_text(label)}, {_named((s, _phi_text(s, k, center)) for s in names)}"
        for label, k in zip(predicates, groups, strict=True)
    ]
    return _over_aggregates(names, groups, window, f"named_struct({', '.join(fields)})")


def shapley_central_moment(*arguments: Any, **named: Any) -> Column:
    """Refuse: there is no native form of central moments; the SQL function of this name has one.

    Raises
    ------
    StatisticError
        Always.
    """
    raise StatisticError(
        "shapley_central_moment has no native form, as Spark sums no third powers about a mean: "
        "call shapwin.register(spark) and F.call_function('shapley_central_moment', value, "
        "predicate, F.lit(3))"
    )


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
    group = {"0": _Group(function, value, other, predicate, center)}
    return _over_aggregates([statistic], group, window, _phi_text(statistic, "0", center))


class _Group:
    """The columns of the window and of one group in it, with types that work."""

    def __init__(
        self, function: str, value: Value, other: Value | None, predicate: Value, center: Center
    ) -> None:
        if center is not None and (isinstance(center, bool) or not isinstance(center, int | float)):
            raise ArgumentTypeError(f"{function}: center is {center!r}: give a number")
        y = _number(function, "value", value)
        x = None if other is None else _number(function, "other", other)
        if x is not None:
            y, x = F.when(x.isNotNull(), y), F.when(y.isNotNull(), x)
        self.y = y if center is None else y - F.lit(float(center))
        self.x = x
        member = _condition(function, predicate)
        self.y_p = F.when(member, self.y)
        self.x_p = None if x is None else F.when(member, x)


def _over_aggregates(
    statistics: Sequence[str], groups: Mapping[str, _Group], window: WindowSpec | None, body: str
) -> Column:
    """Evaluate a text over ``s``, the struct of the aggregates, each of them computed once."""
    needed = {name for statistic in statistics for name in (*_ALWAYS, *_NEEDS[statistic])}
    some = next(iter(groups.values()))
    parts = _aggregates(some.y, some.x, needed, "")
    for k, group in groups.items():
        parts |= _aggregates(group.y_p, group.x_p, needed, k)
    columns = [
        (part if window is None else part.over(window)).cast("double").alias(name)
        for name, part in parts.items()
    ]
    evaluated = F.call_function("transform", F.array(F.struct(*columns)), F.expr(f"s -> {body}"))
    return evaluated[0]


def _aggregates(y: Column, x: Column | None, needed: set[str], k: str) -> dict[str, Column]:
    parts = {f"m{k}" if k else "n": F.count(y)}
    if needed - {*_ALWAYS, "s", "s_p"}:
        parts[f"mean{k}"] = F.avg(y)
    if "s" in needed:
        parts[f"sum{k}"] = F.sum(y)
    if "b" in needed:
        parts[f"var{k}"] = F.var_pop(y)
    if "ab" in needed and x is not None:
        parts[f"mean2_{k}"] = F.avg(x)
        parts[f"cov{k}"] = F.covar_pop(y, x)
    return parts


def _let(name: str, fields: str, body: str) -> str:
    return f"transform(array({fields}), {name} -> {body})[0]"


def _named(fields: Any) -> str:
    return f"named_struct({', '.join(f'{_text(name)}, {text}' for name, text in fields)})"


def _text(name: str) -> str:
    return "'" + str(name).replace("\\", "\\\\").replace("'", "\\'") + "'"


def _sums(statistic: str, k: str, center: Center) -> str:
    """The struct ``t`` of the arguments that sql/functions take, and only those in use."""
    added = repr(float(center or 0.0)) + "D"
    names = (*_ALWAYS, *_NEEDS[statistic])
    return _named((name, _SUMS[name].format(k=k, center=added)) for name in names)


def _arguments(statistic: str) -> dict[str, str]:
    return {name: f"t.{name}" for name in (*_ALWAYS, *_NEEDS[statistic])}


def _phi_text(statistic: str, k: str, center: Center) -> str:
    arguments = _arguments(statistic)
    form = {
        "sum": "_phi(n, m, s_p, 0D, 0D)",
        "count": "_phi(n, m, m, 0D, 0D)",
        "avg": "shapley_avg_from_sums(n, a, m, a_p, center)",
        "var_pop": "shapley_var_pop_from_sums(n, a, b, m, a_p, b_p)",
        "var_samp": "shapley_var_samp_from_sums(n, a, b, m, a_p, b_p)",
        "covar_pop": "shapley_covar_pop_from_sums(n, a, a2, ab, m, a_p, a2_p, ab_p)",
        "covar_samp": "shapley_covar_samp_from_sums(n, a, a2, ab, m, a_p, a2_p, ab_p)",
    }[statistic]
    return _let("t", _sums(statistic, k, center), inlined(form, **arguments))


def _explanation(statistic: str, center: Center) -> str:
    parts, arguments = SPLITS[statistic], _arguments(statistic)
    whole = arguments | {p: f"t.{w}" for p, w in WHOLE_WINDOW.items() if w in arguments}
    split = _named(
        [
            ("value", inlined(parts.share, **whole)),
            ("share", f"IF(t.m = 0D, 0D, {inlined(parts.share, **arguments)})"),
            ("weight", inlined(parts.weight, **arguments)),
        ]
    )
    split_names = {"share": "u.share", "value": "u.value"}
    lift = f"IF(t.m = 0D, 0D, {inlined(parts.lift, **arguments, **split_names)})"
    result = _named(
        [
            ("statistic", _text(statistic)),
            ("n", "CAST(t.n AS BIGINT)"),
            ("value", "CAST(u.value AS DOUBLE)"),
            ("m", "CAST(t.m AS BIGINT)"),
            (
                "phi",
                inlined(
                    "_phi(n, m, share, lift, weight)",
                    n="t.n",
                    m="t.m",
                    share="u.share",
                    weight="u.weight",
                    lift="v.lift",
                ),
            ),
            ("share", "CAST(u.share AS DOUBLE)"),
            ("lift", "v.lift"),
            ("weight", "CAST(u.weight AS DOUBLE)"),
        ]
    )
    inner = _let("u", split, _let("v", _named([("lift", f"CAST({lift} AS DOUBLE)")]), result))
    return _let("t", _sums(statistic, "0", center), f"IF(t.n > 0D, {inner}, NULL)")


def _statistic(function: str, statistic: str, other: Value | None) -> str:
    game = game_of(statistic)
    if game.name not in _NEEDS:
        raise StatisticError(
            f"{function}: {game.name!r} has no native form: use the SQL function "
            "shapley_central_moment"
        )
    if game.columns == 2 and other is None:
        raise ArgumentError(
            f"{function}: {game.name!r} needs a second column: give other='its name'"
        )
    return game.name


def _number(function: str, name: str, given: Value) -> Column:
    """The column as DOUBLE; a type that is no number ends the query with what to mend."""
    column = _column(function, name, given)
    kind = F.typeof(column)
    numeric = kind.isin(*_NUMBERS) | kind.startswith("decimal")
    return F.when(numeric, column.cast("double")).otherwise(
        _mistake(f"{function}: {name} is ", kind, f", not a number: write double({name})")
    )


def _condition(function: str, given: Value) -> Column:
    if isinstance(given, str):
        given = F.expr(given)
    column = _column(function, "predicate", given)
    kind = F.typeof(column)
    return F.when(kind.isin("boolean", "void"), column.cast("boolean")).otherwise(
        _mistake(
            f"{function}: predicate is ",
            kind,
            ", not BOOLEAN: write a condition, such as region = 'EU'",
        )
    )


def _mistake(before: str, kind: Column, after: str) -> Column:
    return F.raise_error(F.concat(F.lit(before), F.upper(kind), F.lit(after)))


def _column(function: str, name: str, given: Any) -> Column:
    if isinstance(given, str):
        return F.col(given)
    if not isinstance(given, Column):
        raise ArgumentTypeError(
            f"{function}: {name} is {given!r}: give a Column or "
            f"{'SQL text' if name == 'predicate' else 'the name of one'}"
        )
    return given
