"""The games with the closed form Φ = share + w(N) · lift, one row of `GAMES` each.

With N tuples in the window W, m of them in the group P, and z_i what tuple i adds to the
aggregate (ν(W) = Σ_{i∈W} z_i):

    share = Σ_{i∈P} z_i        lift = share − (m/N) · ν(W)        Φ_P = share + w(N) · lift

The coefficient tables of Khani & Assent, "Closed-Form Predicate-Level Shapley Attribution for
Sliding-Window Aggregates" (Propositions 1 and 2, Lemma 1), all reduce to this shape. The other
place that holds it, for Spark, is ``sql/functions``.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from .errors import ArgumentError, StatisticError
from .harmonic import harmonic, harmonic2
from .summary import Numbers, Summary, about_mean, plain


@dataclass(frozen=True, slots=True)
class Attribution:
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
        NaN weight means that the game has no such split (higher central moments).
    """

    n: Numbers
    value: Numbers
    m: Numbers
    phi: Numbers
    share: Numbers
    lift: Numbers
    weight: Numbers


@dataclass(frozen=True, slots=True)
class Game:
    """One row of the table of games.

    Parameters
    ----------
    name : str
        The statistic's name, the same in SQL, Python and the core.
    base : callable
        ``base(total)``: the part of z_i that is the same for every tuple of the window.
    spread : callable
        ``spread(total, part)``: Σ_{i∈P} of the rest of z_i, from sums about the window's centre.
    weight : callable
        ``weight(N)``: the factor w(N) of the lift.
    columns : int
        How many value columns the game reads.
    """

    name: str
    base: Callable[[Summary], Numbers]
    spread: Callable[[Summary, Summary], Numbers]
    weight: Callable[[Any], Any]
    columns: int = 1


def closed_form(statistic: str, total: Summary, part: Summary) -> Attribution:
    """Attribute the aggregate of a window to one group of its tuples, exactly.

    Parameters
    ----------
    statistic : str
        One of ``sum``, ``count``, ``avg``, ``var_pop`` (or ``var``), ``var_samp``,
        ``covar_pop``, ``covar_samp``.
    total : Summary
        The window.
    part : Summary
        The group: a part of the same tuples. Scalars, or arrays that broadcast with `total`.

    Returns
    -------
    Attribution
        Empty windows give n = 0 and NaN; a group without tuples in a non-empty window gives
        0 everywhere. NaN or ±Inf in a window makes its value and Φ NaN or ±Inf.

    Raises
    ------
    StatisticError
        If there is no such statistic, or none with a closed form.
    ArgumentError
        If the game needs a second column that the summaries do not have.

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
    if game.columns == 2 and not (total.two_columns and part.two_columns):
        raise ArgumentError(
            f"statistic {game.name!r} needs a second column: make both summaries with other="
        )
    total, part = about_mean(total, part)
    n, m = np.asarray(total.m, dtype=np.float64), np.asarray(part.m, dtype=np.float64)
    with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
        base = game.base(total)
        spread, spread_of_part = game.spread(total, total), game.spread(total, part)
        share = m * base + spread_of_part
        lift = spread_of_part - (m / n) * spread
        weight = game.weight(n)
        phi = np.where(weight == 0, share, share + weight * lift)
        value = n * base + spread
    blank = np.where(n == 0, np.nan, 0.0)
    nothing = (m == 0) | (n == 0)
    return Attribution(
        total.m,
        plain(np.where(n == 0, np.nan, value)),
        part.m,
        plain(np.where(nothing, blank, phi)),
        plain(np.where(nothing, blank, share)),
        plain(np.where(nothing, blank, lift)),
        plain(np.where(n == 0, np.nan, weight)),
    )


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
    total, each = Summary.of(values, other), Summary.each(values, other)
    return np.broadcast_to(closed_form(statistic, total, each).phi, each.m.shape)


def game_of(statistic: str) -> Game:
    """Return the row of the table with this name, or raise `StatisticError`."""
    name = _ALIASES.get(statistic, statistic)
    if name not in GAMES:
        raise StatisticError(
            f"statistic {statistic!r} is not available: use one of {', '.join(GAMES)}"
        )
    return GAMES[name]


# ---- z_i, as base + spread -------------------------------------------------------------------


def _zero(total: Summary) -> Numbers:
    return 0.0


def _center(total: Summary) -> Numbers:
    return total.center


def _one(total: Summary) -> Numbers:
    return 1.0


def _center_over_n(total: Summary) -> Numbers:
    return np.divide(total.center, total.m)


def _deviation(total: Summary, part: Summary) -> Numbers:
    """Σ (y−c)."""
    return part.a


def _no_deviation(total: Summary, part: Summary) -> Numbers:
    return np.zeros_like(np.asarray(part.a, dtype=np.float64))


def _deviation_over_n(total: Summary, part: Summary) -> Numbers:
    return np.divide(part.a, total.m)


def _squares(total: Summary, part: Summary) -> Numbers:
    """Σ (y−ȳ)²; r is what rounding left between the centre and the mean."""
    r = np.divide(total.a, total.m)
    squares = np.maximum(part.b - 2 * r * part.a + part.m * r * r, 0.0)
    return _zero_of_one(total, squares)


def _products(total: Summary, part: Summary) -> Numbers:
    """Σ (y−ȳ)(x−x̄)."""
    r, r2 = np.divide(total.a, total.m), np.divide(total.a2, total.m)
    return _zero_of_one(total, part.ab - r * part.a2 - r2 * part.a + part.m * r * r2)


def _zero_of_one(total: Summary, spread: Numbers) -> Numbers:
    """One tuple does not deviate from itself; NaN and Inf stay visible."""
    return np.where(np.equal(total.m, 1), spread - spread, spread)


def _per_n(sums: Callable[[Summary, Summary], Numbers]) -> Callable[[Summary, Summary], Numbers]:
    return lambda total, part: np.divide(sums(total, part), total.m)


def _per_n_minus_1(
    sums: Callable[[Summary, Summary], Numbers],
) -> Callable[[Summary, Summary], Numbers]:
    return lambda total, part: np.divide(sums(total, part), np.maximum(np.subtract(total.m, 1), 1))


# ---- w(N) ------------------------------------------------------------------------------------


def _weight_zero(n: Any) -> Any:
    return np.zeros_like(n)


def _weight_avg(n: Any) -> Any:
    """N(H−1)/(N−1)."""
    return np.where(n <= 1, 0.0, n * (harmonic(n) - 1) / (n - 1))


def _weight_var_pop(n: Any) -> Any:
    """(N·g − (N−1))/(N−2), g = N(H−H2)/(N−1)."""
    g = n * (harmonic(n) - harmonic2(n)) / (n - 1)
    return np.where(n <= 2, 0.0, (n * g - (n - 1)) / (n - 2))


def _weight_var_samp(n: Any) -> Any:
    """(N(H−2)+1)/(N−2)."""
    return np.where(n <= 2, 0.0, (n * (harmonic(n) - 2) + 1) / (n - 2))


_ROWS = (
    Game("sum", _center, _deviation, _weight_zero),
    Game("count", _one, _no_deviation, _weight_zero),
    Game("avg", _center_over_n, _deviation_over_n, _weight_avg),
    Game("var_pop", _zero, _per_n(_squares), _weight_var_pop),
    Game("var_samp", _zero, _per_n_minus_1(_squares), _weight_var_samp),
    Game("covar_pop", _zero, _per_n(_products), _weight_var_pop, columns=2),
    Game("covar_samp", _zero, _per_n_minus_1(_products), _weight_var_samp, columns=2),
)

GAMES: dict[str, Game] = {game.name: game for game in _ROWS}
_ALIASES = {"var": "var_pop"}
