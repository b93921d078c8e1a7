"""The games with the closed form Φ = share + w(N) · lift, one row of `GAMES` each.

With N tuples in the window W, m of them in the group P, and z_i what tuple i adds to the
aggregate (ν(W) = Σ_{i∈W} z_i):

    share = Σ_{i∈P} z_i        lift = share − (m/N) · ν(W)        Φ_P = share + w(N) · lift

The coefficient tables of Khani & Assent, "Closed-Form Predicate-Level Shapley Attribution for
Sliding-Window Aggregates" (Propositions 1 and 2, Lemma 1), all reduce to this shape. The other
place that holds it, for Spark, is ``sql/functions``. Games beyond it are in `moment_games`.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from .errors import ArgumentError, StatisticError
from .harmonic import harmonic, harmonic2
from .moment_games import CENTRAL_MOMENTS, MomentGame
from .summary import Numbers, Summary, about_mean, checked_summary, plain


class Attribution(NamedTuple):
    """Why a window has its value, for one group: Φ and its parts.

    Parameters
    ----------
    n : int or array
        Tuples in the window.
    value : float or array
        ν(W), the aggregate of the window; NaN for an empty window.
    m : int or array
        Tuples in the group.
    phi : float or array
        Φ, the sum of the Shapley values of the group's tuples.
    share, lift, weight : float or array
        The parts: Φ = share + weight · lift; just share where weight is 0.
        NaN weight means that the game has no such split (central moments).
    """

    n: Numbers
    value: Numbers
    m: Numbers
    phi: Numbers
    share: Numbers
    lift: Numbers
    weight: Numbers


# Which sum about the window's mean a game adds up: m, Σd, Σd² or Σde (d, e: the deviations).
COUNTS, DEVIATIONS, SQUARES, PRODUCTS = range(4)


@dataclass(frozen=True, slots=True)
class Game:
    """One row of the table of games: z_i = (base + term_i) / divisor.

    Parameters
    ----------
    name : str
        The statistic's name, the same in SQL, Python and the core.
    moment : int
        The term, one of `COUNTS` (1), `DEVIATIONS` (d_i = y_i − ȳ), `SQUARES` (d_i²) and
        `PRODUCTS` (d_i·e_i). The base is ȳ for deviations, so that ȳ + d_i = y_i, and else 0.
    divisor : callable
        ``divisor(N)``.
    weight : callable
        ``weight(N)``: the factor w(N) of the lift.
    columns : int
        How many value columns the game reads.
    """

    name: str
    moment: int
    divisor: Callable[[Any], Any]
    weight: Callable[[Any], Any]
    columns: int = 1

    @property
    def order(self) -> int:
        """The highest power of the value that the game needs a summary to keep."""
        return 2

    @property
    def center(self) -> float | None:
        """What the game's sums are to be about, if not about values of the window.

        Φ of a SUM is the sum of the members: about 0, nothing beside them costs it digits.
        """
        return 0.0 if self.name == "sum" else None


def closed_form(statistic: str, total: Summary, part: Summary) -> Attribution:
    """Attribute the aggregate of a window to one group of its tuples, exactly.

    Parameters
    ----------
    statistic : str
        One of ``sum``, ``count``, ``avg``, ``var_pop`` (or ``var``), ``var_samp``,
        ``covar_pop``, ``covar_samp``, or ``central_moment(q)`` with q = 2 … 6.
    total : Summary
        The window.
    part : Summary
        The group: a part of the same tuples. Scalars, or arrays that broadcast with `total`.

    Returns
    -------
    Attribution
        Empty windows (n = 0, or below if more was taken out than put in) give NaN; a group
        without tuples in a non-empty window gives 0 everywhere. NaN or ±Inf in a window makes its
        value and Φ NaN or ±Inf; a SUM of a group without them stays finite. Central moments have
        no weight: NaN.

    Raises
    ------
    StatisticError
        If there is no such statistic, or none with a closed form.
    ArgumentError
        If the game needs a second column, or powers, that the summaries do not have, or their
        shapes do not broadcast.
    ArgumentTypeError
        If one of them is no `Summary`.

    Notes
    -----
    Variances and covariances of one tuple are 0, the game's convention.
    Φ_P = share + w(N)·lift, the module's equation.

    Examples
    --------
    >>> window, group = Summary.of([2.0, 4.0, 10.0]), Summary.of([10.0])
    >>> closed_form("avg", window, group).phi * 18
    95.0
    """
    game = game_of(statistic)
    total, part = _needed("total", game, total), _needed("part", game, part)
    _check_shapes(total, part)
    with np.errstate(all="ignore"):
        given = total, part
        total, part = about_mean(*given)
        if isinstance(game, MomentGame):
            return _from_power_sums(game, total, part)
        n, m = np.maximum(np.float64(total.m), 0), np.asarray(part.m, dtype=np.float64)
        base = total.center if game.moment == DEVIATIONS else 0.0
        whole, inside = _moment(game, n, total, total), _moment(game, n, total, part)
        value, share, lift = split(n, m, base, whole, inside, game.divisor(n))
        if game.center is not None:  # the mean of whole numbers would round them
            value, share = map(_plain_sum, given)
        weight = _weight_of(game, n)
        phi = np.where(weight == 0, share, share + weight * lift)
    return _without_nothing(total.m, value, part.m, phi, share, lift, weight)


def split(n: Numbers, m: Numbers, base: Numbers, whole: Numbers, part: Numbers, d: Numbers) -> Any:
    """Return ν(W), share and lift from the sums about the window's mean.

    Parameters
    ----------
    n, m : float or array
        Tuples in the window and in the group.
    base, whole, part : float or array
        The base of z_i, and the game's moment of the window and of the group.
    d : float or array
        The divisor. All of these broadcast; plain floats are fine.
    """
    return (n * base + whole) / d, (m * base + part) / d, (part - m / n * whole) / d


def split_one(
    n: int, m: int, base: float, whole: float, part: float, d: float, weight: float
) -> Attribution:
    """Return the attribution of one window, from plain floats: `split`, made for speed.

    Examples
    --------
    >>> split_one(3, 1, 16 / 3, 0.0, 14 / 3, 3.0, 1.25).phi * 18
    95.0
    """
    if not m:
        nothing = (n, (n * base + whole) / d, 0, 0.0, 0.0, 0.0, weight)
        return tuple.__new__(Attribution, nothing)
    share = (m * base + part) / d
    lift = (part - m / n * whole) / d
    phi = share + weight * lift if weight else share
    # A named tuple's own constructor takes longer than all of the above.
    return tuple.__new__(Attribution, (n, (n * base + whole) / d, m, phi, share, lift, weight))


class Scales(dict[int, tuple[float, float]]):
    """The divisor and the weight of a game for every window size N >= 1 that occurs.

    Sizes tend to come in a row, so a new one brings its successors along.

    Examples
    --------
    >>> Scales(game_of("avg"))[3]
    (3.0, 1.25)
    """

    def __init__(self, game: Game) -> None:
        self.game = game

    def __missing__(self, n: int) -> tuple[float, float]:
        if len(self) > _MANY_SIZES:
            self.clear()
        sizes = np.arange(n, n + _SIZES_AT_ONCE, dtype=np.float64)
        divisors = np.broadcast_to(self.game.divisor(sizes), sizes.shape).tolist()
        weights = self.game.weight(sizes).tolist()
        self.update(zip(range(n, n + len(sizes)), zip(divisors, weights, strict=True), strict=True))
        return divisors[0], weights[0]


_SIZES_AT_ONCE = 64
_MANY_SIZES = 100_000


def tuple_values(statistic: str, values: ArrayLike, other: ArrayLike | None = None) -> Any:
    """Return φ_i of every tuple of one window.

    Parameters
    ----------
    statistic : str
        As in `closed_form`.
    values, other : array of float, shape (N,)
        The window's tuples; `other` is the second column of a covariance.

    Returns
    -------
    ndarray of float, shape (N,)

    Examples
    --------
    >>> (tuple_values("avg", [2.0, 4.0, 10.0]) * 18).round(12).tolist()
    [-13.0, 14.0, 95.0]
    """
    order = game_of(statistic).order
    total = Summary.of(values, other, order=order)
    each = Summary.each(values, other, order=order)
    return np.array(np.broadcast_to(closed_form(statistic, total, each).phi, each.m.shape))


def game_of(statistic: str, available: str = "") -> Game | MomentGame:
    """Return the game with this name: the one place where a statistic is looked up.

    Parameters
    ----------
    statistic : str
        A name of the table (any case), ``var`` for ``var_pop``, or ``central_moment(q)``.
    available : str, optional
        What to say that there is, where that is not all of these.

    Raises
    ------
    StatisticError
        If the statistic is unknown, or beyond the boundary: without a closed form.

    Examples
    --------
    >>> game_of("var").name
    'var_pop'
    >>> game_of("central_moment(3)").order
    3
    """
    if not isinstance(statistic, str):
        shown = statistic.name if isinstance(statistic, Game | MomentGame) else repr(statistic)
        raise StatisticError(f"statistic {shown} is no text: {available or _AVAILABLE}")
    name = re.sub(r"\s+", "", statistic).lower()
    name = _ALIASES.get(name, name)
    game = GAMES.get(name) or CENTRAL_MOMENTS.get(name)
    if game is None:
        raise StatisticError(f"statistic {statistic!r} {_why_not(name)}: {available or _AVAILABLE}")
    return game


def _needed(name: str, game: Game | MomentGame, summary: Summary) -> Summary:
    """What the game reads of a summary, which may hold more."""
    checked_summary(name, summary)
    if game.columns == 2 and not summary.two_columns:
        raise ArgumentError(
            f"statistic {game.name!r} needs a second column: make both summaries with other="
        )
    if summary.order < game.order:
        raise ArgumentError(
            f"statistic {game.name!r} needs power sums up to {game.order}: "
            f"make both summaries with order={game.order}"
        )
    if summary.two_columns and game.columns == 1:
        summary = replace(summary, a2=None, ab=None, center2=None)
    return replace(summary, higher=summary.higher[: game.order - 2]) if summary.higher else summary


def _check_shapes(total: Summary, part: Summary) -> None:
    shapes = np.shape(total.a), np.shape(part.a)
    try:
        if shapes[0] != shapes[1]:
            np.broadcast_shapes(*shapes)
    except ValueError:
        raise ArgumentError(
            f"total has shape {shapes[0]} but part has {shapes[1]}: give shapes that broadcast"
        ) from None


def _weight_of(game: Game, n: Any) -> Any:
    """w(N); found once for each size where many windows have few sizes."""
    if n.size < _SIZES_AT_ONCE:
        return game.weight(n)
    low, high = n.min(), n.max()
    if high - low >= n.size / 4:
        return game.weight(n)
    return game.weight(np.arange(low, high + 1))[(n - low).astype(np.int64)]


def _plain_sum(s: Summary) -> Numbers:
    """Σ y; just that of values measured from 0."""
    return s.a + s.m * s.center


def _moment(game: Game, n: Numbers, total: Summary, s: Summary) -> Numbers:
    if game.moment in (COUNTS, DEVIATIONS):
        return s.m if game.moment == COUNTS else s.a
    sums, odd = (np.maximum(s.b, 0.0), total.a) if game.moment == SQUARES else _products(total, s)
    # There are no deviations from a mean that is NaN or ±Inf; one tuple has none from itself.
    return np.where(n == 1, sums - sums, sums) + odd * 0


def _products(total: Summary, s: Summary) -> tuple[Numbers, Numbers]:
    return s.ab, total.a + total.a2


def _from_power_sums(game: MomentGame, total: Summary, part: Summary) -> Attribution:
    sums, group = game.sums_of(total), game.sums_of(part)
    q = (game.order, 0)
    lift = group[q] - np.divide(part.m, total.m) * sums[q]
    phi = game.phi(sums, group)
    return _without_nothing(total.m, game.value(sums), part.m, phi, group[q], lift, np.nan)


def _without_nothing(
    n: Numbers, value: Any, m: Numbers, phi: Any, share: Any, lift: Any, weight: Any
) -> Attribution:
    """NaN where the window is empty; 0 where only the group is, whatever the window holds."""
    empty = np.less(n, 1)
    blank = np.where(empty, np.nan, 0.0)
    nothing = empty | np.equal(m, 0)
    value, weight = (plain(np.where(empty, np.nan, x)) for x in (value, weight))
    phi, share, lift = (plain(np.where(nothing, blank, x)) for x in (phi, share, lift))
    return Attribution(n, value, m, phi, share, lift, weight)


# ---- divisors and w(N) -----------------------------------------------------------------------


def _one(n: Any) -> Any:
    return 1.0


def _n(n: Any) -> Any:
    return n


def _n_minus_1(n: Any) -> Any:
    """N − 1; of one tuple the sum is 0 already."""
    return np.maximum(n - 1, 1)


def _no_weight(n: Any) -> Any:
    return np.zeros_like(n)


def _weight_avg(n: Any) -> Any:
    """N(H−1)/(N−1); the numerator is 0 for one tuple."""
    return n * (harmonic(n) - 1) / np.maximum(n - 1, 1)


def _weight_var_pop(n: Any) -> Any:
    """(N·g − (N−1))/(N−2), g = N(H−H2)/(N−1); the numerators are 0 for one and two tuples."""
    g = n * (harmonic(n) - harmonic2(n)) / np.maximum(n - 1, 1)
    return (n * g - (n - 1)) / np.maximum(n - 2, 1)


def _weight_var_samp(n: Any) -> Any:
    """(N(H−2)+1)/(N−2); the numerator is 0 for one and two tuples."""
    return (n * (harmonic(n) - 2) + 1) / np.maximum(n - 2, 1)


_ROWS = (
    Game("sum", DEVIATIONS, _one, _no_weight),
    Game("count", COUNTS, _one, _no_weight),
    Game("avg", DEVIATIONS, _n, _weight_avg),
    Game("var_pop", SQUARES, _n, _weight_var_pop),
    Game("var_samp", SQUARES, _n_minus_1, _weight_var_samp),
    Game("covar_pop", PRODUCTS, _n, _weight_var_pop, columns=2),
    Game("covar_samp", PRODUCTS, _n_minus_1, _weight_var_samp, columns=2),
)

GAMES: dict[str, Game] = {game.name: game for game in _ROWS}
_ALIASES = {"var": "var_pop"}
_AVAILABLE = f"available are {', '.join(GAMES)} and central_moment(q) with q = 2 … 6"

# ---- the boundary ----------------------------------------------------------------------------

# fmt: off
_NO_FIXED_ORDER = frozenset((
    "max", "min", "median", "mode", "quantile", "percentile", "percentile_approx",
    "approx_percentile", "percentile_cont", "percentile_disc",
))
_NO_KNOWN_FORM = frozenset((
    "stddev", "stddev_pop", "stddev_samp", "std", "stdev", "skewness", "skew", "kurtosis",
    "kurt", "distinct",
    "count_distinct", "approx_count_distinct", "ratio", "regression", "regr_slope",
    "regr_intercept", "regr_r2", "regr_sxx", "regr_sxy", "regr_syy", "regr_avgx", "regr_avgy",
    "corr", "correlation", "join",
))
# fmt: on
# What other libraries call what is here.
_MEANT = {"mean": "avg", "average": "avg", "variance": "var_samp", "covar": "covar_samp"}
_MEANT |= {"covariance": "covar_samp", "total": "sum"}


def _why_not(name: str) -> str:
    bare = name.partition("(")[0]
    if bare in _NO_FIXED_ORDER or re.fullmatch(r"p\d+(\.\d+)?", bare):
        return (
            "provably has no closed form over power sums of any fixed order "
            "(Khani & Assent, Proposition 5)"
        )
    if bare in _MEANT:
        return f"is not known (did you mean {_MEANT[bare]!r}?)"
    if bare in _NO_KNOWN_FORM or "distinct" in name:
        return "has no known closed form: it is no polynomial in power sums (Theorem 1)"
    return "is not known"
