"""The other semantics: the predicates themselves are the players.

ν of a coalition of predicates is the aggregate over the union of their tuples. The tuples that no
predicate covers are one more player, as in the paper's setting, or a remainder. Everything follows
from atom summaries alone.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import factorial
from typing import Any, Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from .errors import ArgumentError, ArgumentTypeError
from .games import closed_form
from .predicates import predicate_names
from .summary import Summary, checked_summary, each_field

FloatArray = NDArray[np.float64]

# 2^K coalitions are all looked at: this many take seconds and some hundred megabytes.
MAX_PLAYER_PREDICATES = 20
OTHER = "(other)"


class PlayerValues(NamedTuple):
    """What each predicate contributes as a player.

    Parameters
    ----------
    players : tuple of str
        The predicates, and ``(other)`` last if the uncovered tuples are a player.
    value : float
        ν of the window.
    shapley, banzhaf : array of float, shape (players,)
        Shapley values add up to `value` − `remainder`; Banzhaf values need not.
    interactions : array of float, shape (players, players)
        Pairwise Shapley interaction indices: positive where two predicates are worth more
        together than apart; symmetric, 0 on the diagonal.
    remainder : float
        What the uncovered tuples change, if they are no player; else 0.
    """

    players: tuple[str, ...]
    value: float
    shapley: FloatArray
    banzhaf: FloatArray
    interactions: FloatArray
    remainder: float


def player_values(
    statistic: str,
    atoms: Mapping[int, Summary],
    predicates: Sequence[str],
    *,
    uncovered: Literal["player", "remainder"] = "player",
) -> PlayerValues:
    """Attribute the aggregate of a window to its predicates as players, exactly.

    Parameters
    ----------
    statistic : str
        As in `closed_form`.
    atoms : mapping of int to Summary
        The window's atoms by signature, as `SlidingWindow.atoms` gives them.
    predicates : sequence of str
        The names, bit 0 of a signature first; at most 20, none of them ``(other)``.
    uncovered : {"player", "remainder"}
        What the tuples of signature 0 are.

    Raises
    ------
    ArgumentError
        If there are more than 20 predicates, an atom has a bit beyond them, the atoms are of
        different kinds, or `uncovered` is something else.
    ArgumentTypeError
        If `atoms` is no mapping of whole numbers to summaries of one set each.
    StatisticError
        If the statistic is unknown or has no closed form.

    Notes
    -----
    All 2^K coalition summaries come from one transform of K passes over the atoms; values and
    interactions from K and K² passes over the 2^K aggregates. Coalitions without tuples have
    ν = 0; a window without any has the value NaN. Nothing is sampled. K = 16 takes below a second.

    Examples
    --------
    >>> atoms = {1: Summary.of([4.0]), 2: Summary.of([10.0]), 0: Summary.of([1.0])}
    >>> result = player_values("avg", atoms, ["a", "b"])
    >>> result.players, result.value, result.shapley.round(3).tolist()
    (('a', 'b', '(other)'), 5.0, [0.917, 5.417, -1.333])
    """
    names = predicate_names(predicates)
    if len(names) > MAX_PLAYER_PREDICATES:
        raise ArgumentError(
            f"{len(names)} predicates have 2^{len(names)} coalitions: give at most "
            f"{MAX_PLAYER_PREDICATES} as players"
        )
    if OTHER in names:
        raise ArgumentError(f"predicate name {OTHER!r} is that of the uncovered tuples: rename it")
    if uncovered not in ("player", "remainder"):
        raise ArgumentError(f"uncovered is {uncovered!r}: write 'player' or 'remainder'")
    other_plays = uncovered == "player"
    placed = _placed(atoms, len(names))
    value, nu = coalition_values(statistic, placed, len(names), other_plays)
    players = (*names, OTHER) if other_plays else names
    n, of_all = len(players), nu[0]
    return PlayerValues(
        players,
        float(value[0]),
        shapley(of_all, n),
        banzhaf(of_all, n),
        interactions(of_all, n),
        0.0 if other_plays or not placed.m.sum() else float(value[0] - of_all[-1]),
    )


def coalition_values(
    statistic: str, atoms: Summary, count: int, other_plays: bool = True
) -> tuple[FloatArray, FloatArray]:
    """Return ν of some windows, and in each ν of all coalitions of its players.

    Parameters
    ----------
    statistic : str
        As in `closed_form`.
    atoms : Summary
        With arrays of shape (windows · 2^count,): every window's atoms in order of signature.
    count : int
        How many predicates there are.
    other_plays : bool
        Whether the tuples of signature 0 are one more player.

    Returns
    -------
    value : array of float, shape (windows,)
        NaN for a window without tuples.
    nu : array of float, shape (windows, 2^players)
        In order of the coalitions' bits; 0 without tuples.
    """
    windows = np.arange(atoms.m.size >> count)
    first = windows << count
    covered, rest = _unions(atoms, count), atoms.take(first)
    whole = covered.take(first + (1 << count) - 1) + rest
    value = np.where(np.equal(whole.m, 0), np.nan, _worth(statistic, whole))
    nu = [_worth(statistic, covered)]
    if other_plays:
        nu.append(_worth(statistic, covered + rest.take(windows.repeat(1 << count))))
    return value, np.stack([v.reshape(windows.size, -1) for v in nu], 1).reshape(windows.size, -1)


def shapley(nu: FloatArray, n: int) -> FloatArray:
    """Return the Shapley values of n players from ν of all coalitions, in order of their bits.

    Parameters
    ----------
    nu : array of float, shape (..., 2^n)
        One game, or more.
    n : int
        How many players there are.

    Returns
    -------
    array of float, shape (..., n)

    Examples
    --------
    >>> shapley(np.array([0.0, 1.0, 2.0, 4.0]), 2).tolist()
    [1.5, 2.5]
    """
    factors = [factorial(k) * factorial(n - k - 1) / factorial(n) for k in range(n)]
    return _marginal_sums(nu, n, np.array(factors))


def banzhaf(nu: FloatArray, n: int) -> FloatArray:
    """Return the Banzhaf values: the plain means of a player's marginal contributions."""
    return _marginal_sums(nu, n, np.full(n, 0.5 ** (n - 1)))


def interactions(nu: FloatArray, n: int) -> FloatArray:
    """Return the pairwise Shapley interaction indices, shape (n, n) (Grabisch & Roubens).

    I_ij = Σ_{T ∌ i,j} |T|!(n−|T|−2)!/(n−1)! · (ν(T∪ij) − ν(T∪i) − ν(T∪j) + ν(T)).

    Examples
    --------
    >>> interactions(np.array([0.0, 1.0, 2.0, 4.0]), 2).tolist()
    [[0.0, 1.0], [1.0, 0.0]]
    """
    factors = [factorial(k) * factorial(n - k - 2) / factorial(n - 1) for k in range(n - 1)]
    weights = np.array([*factors, 0.0, 0.0])[_sizes(n)]
    result = np.zeros((n, n))
    for j in range(n):
        for i in range(j):
            shape = (-1, 2, 1 << (j - i - 1), 2, 1 << i)
            v, w = nu.reshape(shape), weights.reshape(shape)[:, 0, :, 0]
            second = v[:, 1, :, 1] - v[:, 1, :, 0] - v[:, 0, :, 1] + v[:, 0, :, 0]
            result[i, j] = result[j, i] = np.sum(w * second)
    return result


def _marginal_sums(nu: FloatArray, n: int, factors: FloatArray) -> FloatArray:
    weights = np.append(factors, 0.0)[_sizes(n)]
    games = nu.shape[:-1]
    result = np.empty((*games, n))
    for i in range(n):
        v, w = nu.reshape(*games, -1, 2, 1 << i), weights.reshape(-1, 2, 1 << i)[:, 0]
        result[..., i] = np.sum(w * (v[..., 1, :] - v[..., 0, :]), axis=(-2, -1))
    return result


def _sizes(n: int) -> NDArray[np.int64]:
    """How many players each coalition has."""
    sizes = np.zeros(1, dtype=np.int64)
    for _ in range(n):
        sizes = np.concatenate([sizes, sizes + 1])
    return sizes


def _worth(statistic: str, coalitions: Summary) -> FloatArray:
    """ν of every coalition; 0 without tuples."""
    value = closed_form(statistic, coalitions, coalitions).value
    return np.where(np.equal(coalitions.m, 0), 0.0, value)


def _placed(atoms: Mapping[int, Summary], count: int) -> Summary:
    """Arrays of shape (2^K,) with every atom at its signature."""
    _check_atoms(atoms, count)
    place = list(atoms)

    def spread(*fields: Any) -> Any:
        result = np.zeros(1 << count)
        result[place] = fields[: len(place)]
        return result

    return each_field(spread, *(atoms.values() or [Summary.zero()]))


def _check_atoms(atoms: Mapping[int, Summary], count: int) -> None:
    if not isinstance(atoms, Mapping):
        raise ArgumentTypeError(f"atoms is {atoms!r}: give a mapping of signatures to summaries")
    kinds = set()
    for signature, atom in atoms.items():
        if isinstance(signature, bool) or not isinstance(signature, int | np.integer):
            raise ArgumentTypeError(f"atom {signature!r} is no signature: give a whole number")
        if not 0 <= signature < 1 << count:
            raise ArgumentError(
                f"atom {signature} has a bit beyond the {count} predicates: name those as well"
            )
        if not isinstance(atom, Summary):
            checked_summary(f"atom {signature}", atom)
        if isinstance(atom.m, np.ndarray) and atom.m.ndim:
            raise ArgumentTypeError(
                f"atom {signature} has shape {np.shape(atom.m)}: give one set, such as total()"
            )
        kinds.add((atom.order, atom.two_columns))
    if len(kinds) > 1:
        raise ArgumentError(
            "atoms are of different kinds: make all with the same order and columns"
        )


def _unions(atoms: Summary, count: int) -> Summary:
    """The summary of all tuples that satisfy any predicate of T, for every T.

    One pass for each predicate k turns bit k of the index from "satisfies k" into "k is in T",
    for the tuples that satisfy none of T so far and for those that satisfy some. Only merges, so
    that a coalition keeps its digits next to a window of another magnitude.
    """
    none, some = atoms, each_field(np.zeros_like, atoms)
    for k in range(count):
        (none0, none1), (some0, some1) = _halves(none, k), _halves(some, k)
        either = some0 + some1
        some = _interleaved(either, either + none1)
        none = _interleaved(none0 + none1, none0)
    return some


def _halves(s: Summary, k: int) -> tuple[Summary, Summary]:
    without, with_k = (
        each_field(lambda f, bit=bit: f.reshape(-1, 2, 1 << k)[:, bit], s) for bit in (0, 1)
    )
    return without, with_k


def _interleaved(without: Summary, with_k: Summary) -> Summary:
    return each_field(lambda f, g: np.stack([f, g], axis=1).reshape(-1), without, with_k)
