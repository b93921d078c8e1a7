"""Slow oracles: Shapley values from their definition, and by sampling permutations.

They stand beside the closed forms to check them, and serve games that have none. Neither is used
anywhere in silence.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from fractions import Fraction
from math import factorial, prod
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from .arguments import column, whole_number
from .errors import ArgumentError, ArgumentTypeError
from .games import COUNTS, SQUARES, Game, game_of
from .moment_games import MomentGame
from .summary import Summary

FloatArray = NDArray[np.float64]

# 2^N coalitions: beyond this, hours and gigabytes.
MAX_TUPLES = 22


def enumerate_shapley(
    game: str | MomentGame | Callable[[list[Any]], Any],
    values: Sequence[Any],
    other: Sequence[Any] | None = None,
    *,
    fractions: bool = False,
) -> list[Any]:
    """Return the Shapley value of every tuple, from all 2^N coalitions.

    The right tool as an oracle, up to N of about 15, and for any game at all; in rationals it is
    exact. For windows of any length use `closed_form`.

    Parameters
    ----------
    game : str, MomentGame or callable
        A statistic's name, a polynomial game, or ν itself: a function of the list of a coalition's
        tuples, which are numbers, or pairs if `other` is given. It is not asked for the empty
        coalition (0).
    values, other : sequence of numbers, length N
        The tuples, at most 22; `other` is the second column, which statistics of one ignore.
    fractions : bool, default False
        Whether to compute in rationals, from the exact values of the doubles.

    Returns
    -------
    list of float or Fraction
        φ_i = Σ_{S ∌ i} |S|!(N−|S|−1)!/N! · (ν(S ∪ i) − ν(S)).

    Raises
    ------
    ArgumentError
        If there are more than 22 tuples, the columns differ in length, a second one is missing,
        or NaN or ±Inf are to be rationals.
    ArgumentTypeError
        If the game is none of these, or there is anything but numbers in a column.

    Examples
    --------
    >>> enumerate_shapley("avg", [2, 4, 10], fractions=True)
    [Fraction(-13, 18), Fraction(7, 9), Fraction(95, 18)]
    >>> [round(phi, 3) for phi in enumerate_shapley(max, [1, 5, 6])]
    [0.333, 2.333, 3.333]
    """
    number: Any = Fraction if fractions else float
    worth, columns = _worth_of(game)
    tuples = _listed("values", values, number)
    n = len(tuples)
    if n > MAX_TUPLES:
        raise ArgumentError(f"{n} tuples have 2^{n} coalitions: enumerate at most {MAX_TUPLES}")
    if other is None and columns == 2:
        raise ArgumentError(f"game {game!r} needs a second column: give other=")
    if other is not None and columns != 1:
        second = _listed("other", other, number)
        if len(second) != n:
            raise ArgumentError(f"other has {len(second)} entries but values has {n}: give as many")
        tuples = list(zip(tuples, second, strict=True))
    phi = [number(0)] * n
    for s in range(1, 1 << n):
        inside = [i for i in range(n) if s >> i & 1]
        nu, k = worth([tuples[i] for i in inside]), len(inside)
        joined = nu * number(factorial(k - 1) * factorial(n - k)) / factorial(n)
        left = nu * number(factorial(k) * factorial(n - k - 1)) / factorial(n) if k < n else 0
        phi = [p + joined if s >> i & 1 else p - left for i, p in enumerate(phi)]
    return phi


def _worth_of(game: Any) -> tuple[Callable[[list[Any]], Any], int | None]:
    """ν, and how many columns it reads: None if any."""
    if isinstance(game, str):
        return definition(game), game_of(game).columns
    if isinstance(game, MomentGame):
        return _polynomial(game), game.columns
    if not callable(game):
        raise ArgumentTypeError(
            f"game is {game!r}: give a statistic's name, a MomentGame or a function of a list"
        )
    return game, None


def _polynomial(game: MomentGame) -> Callable[[list[Any]], Any]:
    """ν of a polynomial game, from its power sums."""

    def worth(tuples: list[Any]) -> Any:
        pairs = tuples if game.columns == 2 else [(y, 1) for y in tuples]
        size = pairs[0][0] * 0 + len(pairs)
        return sum(
            term.coefficient(size)
            * prod(sum(y**j * x**k for y, x in pairs) for j, k in term.powers)
            for term in game.terms
        )

    return worth


def _listed(name: str, values: Any, number: Any) -> list[Any]:
    """A column in this type of number; rationals of the entries as they are given."""
    checked = column(name, values)
    if not np.isfinite(checked).all() and number is Fraction:
        raise ArgumentError(f"{name} holds NaN or Inf, which are no rationals: leave them out")
    entries = values.tolist() if hasattr(values, "tolist") else values
    return [number(entry) for entry in entries]


def definition(statistic: str) -> Callable[[list[Any]], Any]:
    """Return the aggregate as a plain function of a non-empty list of tuples.

    Written from its definition, in any number type, and used by the oracles only.

    Examples
    --------
    >>> definition("var_pop")([1.0, 3.0])
    1.0
    """
    name = game_of(statistic).name
    if name.startswith("central_moment"):
        order = game_of(statistic).order
        return lambda ys: sum((y - sum(ys) / len(ys)) ** order for y in ys)
    return _DEFINITIONS[name]


def _products(tuples: list[Any]) -> Any:
    """Σ(y−ȳ)(x−x̄)."""
    n = len(tuples)
    mean, mean2 = sum(y for y, _ in tuples) / n, sum(x for _, x in tuples) / n
    return sum((y - mean) * (x - mean2) for y, x in tuples)


def _squares(values: list[Any]) -> Any:
    return _products([(y, y) for y in values])


_DEFINITIONS: dict[str, Callable[[list[Any]], Any]] = {
    "sum": sum,
    "count": lambda ys: ys[0] * 0 + len(ys),
    "avg": lambda ys: sum(ys) / len(ys),
    "var_pop": lambda ys: _squares(ys) / len(ys),
    "var_samp": lambda ys: _squares(ys) / max(len(ys) - 1, 1),
    "covar_pop": lambda pairs: _products(pairs) / len(pairs),
    "covar_samp": lambda pairs: _products(pairs) / max(len(pairs) - 1, 1),
}


class Sample(NamedTuple):
    """Estimated Shapley values.

    Parameters
    ----------
    phi : array of float, shape (N,)
        The mean marginal contribution of every tuple.
    error : array of float, shape (N,)
        Its standard error; NaN for fewer than two permutations.
    """

    phi: FloatArray
    error: FloatArray


def sample_shapley(
    statistic: str, values: ArrayLike, *, permutations: int, seed: int = 0
) -> Sample:
    """Estimate the Shapley value of every tuple from random permutations.

    The right tool to compare with: what attribution costs and how far it is off without a closed
    form. The error falls with the square root of the permutations, and each costs O(N).

    Parameters
    ----------
    statistic : str
        A statistic of one column with a closed form, but no central moment.
    values : array of float, shape (N,)
        The window's tuples.
    permutations : int
        How many walks.
    seed : int, default 0
        Same seed, same result.

    Raises
    ------
    ArgumentError
        If the statistic has two columns or is a central moment, `permutations` is below 1 or
        `seed` below 0.
    ArgumentTypeError
        If there is anything but numbers in `values`.

    Notes
    -----
    One walk adds the tuples in random order and keeps |S|, A and B (Σd, Σd² about the window's
    mean), so that every marginal contribution takes constant time.

    Examples
    --------
    >>> sample = sample_shapley("avg", [2.0, 4.0, 10.0], permutations=2000)
    >>> bool(abs(sample.phi[2] - 95 / 18) < 4 * sample.error[2])
    True
    """
    game = game_of(statistic)
    if not isinstance(game, Game) or game.columns != 1:
        raise ArgumentError(f"statistic {game.name!r} cannot be sampled: use enumerate_shapley")
    permutations = whole_number("permutations", permutations, 1)
    total = Summary.of(values)
    d = column("values", values) - total.center
    sizes = np.arange(1, d.size + 1, dtype=np.float64)
    rng = np.random.default_rng(whole_number("seed", seed, 0))
    mean, squares = np.zeros(d.size), np.zeros(d.size)
    for walk in range(1, permutations + 1):
        order = rng.permutation(d.size)
        marginal = np.empty(d.size)
        nu = _along(game, total.center, sizes, d[order])
        with np.errstate(all="ignore"):
            marginal[order] = np.diff(nu, prepend=0.0)
            step = marginal - mean
            mean += step / walk
            squares += step * (marginal - mean)
    with np.errstate(all="ignore"):
        error = np.sqrt(squares / (permutations - 1) / permutations)
    return Sample(mean, error if permutations > 1 else np.full(d.size, np.nan))


def _along(game: Game, center: float, sizes: FloatArray, d: FloatArray) -> Any:
    """ν of the first 1, 2, … tuples of a walk."""
    if game.moment == COUNTS:
        return sizes / game.divisor(sizes)
    a = np.cumsum(d)
    if game.moment == SQUARES:
        return np.maximum(np.cumsum(d * d) - a * a / sizes, 0.0) / game.divisor(sizes)
    return (sizes * center + a) / game.divisor(sizes)
