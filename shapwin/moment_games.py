"""Moment-polynomial games (Khani & Assent, Theorem 1): exact Φ beyond the table of `games`.

A game ν(S) = Σ_κ g_κ(|S|) Π_ℓ M_ℓ(S)^κ_ℓ over power sums M_ℓ(S) = Σ_{i∈S} y_i^ℓ is a sum of unit
games: written out, a product of power sums runs over tuples J of distinct players, each with a
product of powers of y, and ν(S) = Σ_J g(|S|)·[J ⊆ S]·Π y. In a unit game only |J| = p counts:

    a player of J gets       α_p(N) = 1/N · Σ_{s=p−1}^{N−1} (s)_{p−1}/(N−1)_{p−1} · g(s+1)
    any other player gets    β_p(N) = 1/N · Σ_{s=p}^{N−1} (s)_p/(N−1)_p · (g(s+1) − g(s))

with (s)_p = s(s−1)…(s−p+1). Summed over all J this is a polynomial in y_i whose coefficients c_ℓ
depend on the window only, hence Φ_P = Σ_ℓ c_ℓ M_ℓ,P.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from math import comb
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from .errors import ArgumentError
from .summary import Numbers, Summary, plain

# (j, k) stands for the mixed power sum Σ y^j x^k; (0, 0) for the count.
Power = tuple[int, int]
PowerSums = Mapping[Power, Numbers]
Factors = tuple[Power, ...]
FloatArray = NDArray[np.float64]

# A power of the player's own values times power sums of the window, and how often it occurs.
Monomial = tuple[Power, Factors]
Polynomial = dict[Monomial, int]
# Where a monomial's factor comes from: the term, p, "inside" (α−β) or "outside" (β), how often.
Part = tuple[int, int, str, int]

_COUNT: Power = (0, 0)

# One call with more window sizes than this does not fill the cache.
_MANY_SIZES = 1000


@dataclass(frozen=True, slots=True)
class Term:
    """One summand g_κ(|S|) · Π M^κ of a moment-polynomial game.

    Parameters
    ----------
    factors : tuple
        The power sums multiplied: ℓ for M_ℓ = Σ y^ℓ, (j, k) for Σ y^j x^k; repeat one for a
        power, so that (1, 1, 2) is M_1² M_2. None for a game of the size alone.
    coefficient : callable
        ``g(s)`` for an array of coalition sizes s >= 1, in the precision it is given.
    """

    factors: tuple[Any, ...]
    coefficient: Callable[[Any], Any]

    @property
    def powers(self) -> Factors:
        """The factors as pairs (j, k)."""
        return tuple(f if isinstance(f, tuple) else (f, 0) for f in self.factors)


@dataclass(frozen=True)
class MomentGame:
    """A game that is a polynomial in power sums, with coefficients that depend on |S|.

    Parameters
    ----------
    name : str
        The statistic's name.
    terms : tuple of Term
        The polynomial; ν(∅) = 0 by convention.

    Notes
    -----
    Coefficients α_p(N), β_p(N) are sums over all coalition sizes: O(N) once for each N (or once
    for many N together), then cached. Everything else takes constant time in N.

    The power sums are taken as given. For a game that does not change when all values move
    together, give sums about the window's mean, which keep every digit.

    Examples
    --------
    >>> avg = MomentGame("avg", (Term((1,), lambda s: 1 / s),))
    >>> total, part = avg.sums([2.0, 4.0, 10.0]), avg.sums([10.0])
    >>> round(avg.phi(total, part) * 18, 12)
    95.0
    """

    name: str
    terms: tuple[Term, ...]
    _expansion: dict[Monomial, list[Part]] = field(default_factory=dict, repr=False, compare=False)
    _by_size: dict[int, FloatArray] = field(default_factory=dict, repr=False, compare=False)

    @property
    def columns(self) -> int:
        """How many value columns the game reads."""
        return 2 if any(k for power in self.exponents for k in power[1:]) else 1

    @property
    def order(self) -> int:
        """D, the highest total power that the game needs."""
        return max(sum(power) for power in self.exponents)

    @property
    def exponents(self) -> tuple[Power, ...]:
        """The power sums that Φ is linear in, the count (0, 0) among them."""
        found = {_COUNT}
        for term in self.terms:
            sums = {_COUNT}
            for factor in term.powers:
                sums |= {_times(power, factor) for power in sums}
            found |= sums
        return tuple(sorted(found))

    def sums(self, values: ArrayLike, other: ArrayLike | None = None) -> PowerSums:
        """Return the power sums of a set of tuples that the game needs.

        Parameters
        ----------
        values, other : array of float, shape (m,)
            The tuples; `other` is the second column.

        Examples
        --------
        >>> CENTRAL_MOMENTS["central_moment(2)"].sums([1.0, 3.0])
        {(0, 0): 2.0, (1, 0): 4.0, (2, 0): 10.0}
        """
        each = self.each(values, other)
        return {power: float(np.sum(products)) for power, products in each.items()}

    def each(self, values: ArrayLike, other: ArrayLike | None = None) -> PowerSums:
        """Return the power sums of every tuple on its own, as arrays of shape (m,)."""
        y = np.asarray(values, dtype=np.float64)
        x = y if other is None else np.asarray(other, dtype=np.float64)
        if x.shape != y.shape or (other is None and self.columns == 2):
            raise ArgumentError(f"game {self.name!r} needs other: one value for each of values")
        return {(j, k): y**j * x**k for j, k in self.exponents}

    def sums_of(self, summary: Summary) -> PowerSums:
        """Return the power sums, about the summary's centre, of a game of one column."""
        sums = (summary.m, summary.a, summary.b, *summary.higher)
        return {(j, 0): sums[j] for j in range(self.order + 1)}

    def value(self, total: PowerSums) -> Numbers:
        """Return ν(W) from the window's power sums; 0 for none."""
        n = np.maximum(total[_COUNT], 1)
        terms = (term.coefficient(n) * _product(term.powers, total) for term in self.terms)
        return plain(sum(terms))

    def phi(self, total: PowerSums, part: PowerSums) -> Numbers:
        """Return Φ of a group: the sum of its tuples' Shapley values.

        Parameters
        ----------
        total, part : mapping of (j, k) to float or array
            The power sums of the window and of the group, about one common centre. Arrays
            broadcast; a window has at least one tuple.
        """
        return plain(sum(c * part[power] for power, c in self.coefficients(total).items()))

    def coefficients(self, total: PowerSums) -> dict[Power, Numbers]:
        """Return c_ℓ: φ of a tuple is Σ_ℓ c_ℓ y^ℓ, Φ of a group Σ_ℓ c_ℓ M_ℓ,P (Theorem 1).

        Parameters
        ----------
        total : mapping of (j, k) to float or array
            The window's power sums.
        """
        monomials = self._monomials()
        factors = self._factors(total[_COUNT])
        result: dict[Power, Numbers] = {}
        for (power, sums), factor in zip(monomials, factors, strict=True):
            c = factor * _product(sums, total)
            result[power] = result[power] + c if power in result else c
        return result

    def _monomials(self) -> dict[Monomial, list[Part]]:
        """Φ written out, once: which monomials, and from which unit games each takes its factor."""
        if not self._expansion:
            for index, term in enumerate(self.terms):
                for factors in _partitions(term.powers):
                    for kind, polynomial in (
                        ("outside", _distinct(factors)),
                        ("inside", _with_player(factors)),
                    ):
                        for monomial, count in polynomial.items():
                            parts = self._expansion.setdefault(monomial, [])
                            parts.append((index, len(factors), kind, count))
        return self._expansion

    def _factors(self, n: Numbers) -> FloatArray:
        """The factor of every monomial, shape (monomials, *shape of n); O(N) for a new N."""
        sizes, where = np.unique(np.asarray(n, dtype=np.int64), return_inverse=True)
        if sizes.size > _MANY_SIZES:
            table = self._factors_of(np.maximum(sizes, 1)).T
        else:
            known = sizes.tolist()
            new = np.array([s for s in known if s not in self._by_size], dtype=np.int64)
            if new.size:
                columns = self._factors_of(np.maximum(new, 1)).T
                self._by_size.update(zip(new.tolist(), columns, strict=True))
            table = np.array([self._by_size[s] for s in known])
        return np.asarray(table.T[:, where].reshape(-1, *np.shape(n)))

    def _factors_of(self, sizes: NDArray[np.int64]) -> Any:
        """The same for ascending N >= 1, in long double: large terms of both signs meet here."""
        units: dict[tuple[int, int], dict[str, Any]] = {}
        rows = []
        for parts in self._monomials().values():
            row = np.zeros(len(sizes), dtype=np.longdouble)
            for term, p, kind, count in parts:
                if (term, p) not in units:
                    units[term, p] = _unit_values(self.terms[term].coefficient, p, sizes)
                row += count * units[term, p][kind]
            rows.append(row)
        return np.asarray(rows, dtype=np.float64)


def _unit_values(g: Callable[[Any], Any], p: int, sizes: NDArray[np.int64]) -> dict[str, Any]:
    """β_p and α_p − β_p for each of these N (ascending), by one pass over coalition sizes."""
    s = np.arange(int(sizes[-1]), dtype=np.longdouble)
    after = np.asarray(g(s + 1), dtype=np.longdouble) * np.ones_like(s)
    step = np.diff(after, prepend=np.longdouble(0))
    n = sizes.astype(np.longdouble)
    beta = np.cumsum(_falling(s, p) * step)[sizes - 1] / (n * _at_least_1(_falling(n - 1, p)))
    if p == 0:
        return {"outside": beta, "inside": np.zeros_like(beta)}
    alpha = np.cumsum(_falling(s, p - 1) * after)[sizes - 1]
    alpha /= n * _at_least_1(_falling(n - 1, p - 1))
    return {"outside": beta, "inside": alpha - beta}


def _falling(s: Any, p: int) -> Any:
    """(s)_p, which is 0 for whole s < p."""
    result = np.ones_like(s)
    for k in range(p):
        result = result * (s - k)
    return result


def _at_least_1(count: Any) -> Any:
    """No coalition has these players: the sum above is 0, so any divisor but 0 will do."""
    return np.maximum(count, 1)


def _times(left: Power, right: Power) -> Power:
    return left[0] + right[0], left[1] + right[1]


def _product(factors: Factors, sums: PowerSums) -> Numbers:
    result: Numbers = 1.0
    for factor in factors:
        result = result * sums[factor]
    return result


def _partitions(factors: Factors) -> Iterable[Factors]:
    """Every way in which factors can share players: the powers of each set partition's blocks."""
    if not factors:
        yield ()
        return
    first, rest = factors[0], factors[1:]
    for blocks in _partitions(rest):
        yield (first, *blocks)
        for k, block in enumerate(blocks):
            yield (*blocks[:k], _times(first, block), *blocks[k + 1 :])


def _distinct(factors: Factors) -> Polynomial:
    """Σ over tuples of distinct players of the product of their powers, in power sums."""
    if not factors:
        return {(_COUNT, ()): 1}
    first, rest = factors[0], factors[1:]
    result: Polynomial = {}
    for (_, sums), count in _distinct(rest).items():
        _add(result, (_COUNT, tuple(sorted((first, *sums)))), count)
    for k, block in enumerate(rest):
        for monomial, count in _distinct((*rest[:k], _times(first, block), *rest[k + 1 :])).items():
            _add(result, monomial, -count)
    return result


def _with_player(factors: Factors) -> Polynomial:
    """The same sum over the tuples that hold a player i, with the powers of y_i."""
    result: Polynomial = {}
    for k, power in enumerate(factors):
        for (other, sums), count in _without_player(factors[:k] + factors[k + 1 :]).items():
            _add(result, (_times(power, other), sums), count)
    return result


def _without_player(factors: Factors) -> Polynomial:
    """The same sum over the tuples that lack player i: all, minus those that hold it."""
    result = dict(_distinct(factors))
    for monomial, count in _with_player(factors).items():
        _add(result, monomial, -count)
    return result


def _add(polynomial: Polynomial, monomial: Monomial, count: int) -> None:
    polynomial[monomial] = polynomial.get(monomial, 0) + count


# ---- ready-made games ------------------------------------------------------------------------


def central_moment(q: int) -> MomentGame:
    """Return the game ν(S) = Σ_{i∈S} (y_i − ȳ_S)^q.

    Parameters
    ----------
    q : int
        The order, 2 or more. `CENTRAL_MOMENTS` has those from 2 to 6 ready.

    Notes
    -----
    Expanded, Σ_k binom(q, k) M_{q−k} (−M_1/|S|)^k; the last two terms (M_1 and M_0) are one.
    The game does not change when all values move: give it sums about the window's mean.

    Examples
    --------
    >>> game = central_moment(3)
    >>> sums, group = game.sums([-10 / 3, -4 / 3, 14 / 3]), game.sums([14 / 3])
    >>> round(game.value(sums), 9), round(game.phi(sums, group), 9)
    (62.222222222, 20.740740741)
    """
    if q < 2:
        raise ArgumentError(f"order {q} has no central moment: give 2 or more")
    terms = [Term((q - k, *(1,) * k), _over_size((-1) ** k * comb(q, k), k)) for k in range(q - 1)]
    terms.append(Term((1,) * q, _over_size((-1) ** (q - 1) * (q - 1), q - 1)))
    return MomentGame(f"central_moment({q})", tuple(terms))


def _over_size(numerator: int, power: int) -> Callable[[Any], Any]:
    return lambda s: numerator / s**power


CENTRAL_MOMENTS: dict[str, MomentGame] = {
    game.name: game for game in (central_moment(q) for q in range(2, 7))
}
