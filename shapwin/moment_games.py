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

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from math import comb
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from .arguments import column, whole_number
from .errors import ArgumentError, ArgumentTypeError
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
        ``g(s)`` for an array of coalition sizes s >= 1, in the precision it is given; finite.

    Raises
    ------
    ArgumentError
        If a factor is no power.
    ArgumentTypeError
        If the coefficient is no function.
    """

    factors: tuple[Any, ...]
    coefficient: Callable[[Any], Any]

    def __post_init__(self) -> None:
        if not isinstance(self.factors, tuple | list):
            raise ArgumentError(f"factors is {self.factors!r}: give a tuple, such as (1, 1, 2)")
        object.__setattr__(self, "factors", tuple(self.factors))
        for factor in self.factors:
            pair = factor if isinstance(factor, tuple) else (factor, 0)
            if len(pair) != 2:
                raise ArgumentError(
                    f"factor {factor!r} has no two powers: give (j, k) for Σ y^j x^k"
                )
            for power in pair:
                whole_number("power", power, 0)
        if not callable(self.coefficient):
            raise ArgumentTypeError(
                f"coefficient is {self.coefficient!r}: give a function of |S|, such as "
                "lambda s: 1 / s"
            )

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

    Raises
    ------
    ArgumentError
        If there are no terms.

    Notes
    -----
    Coefficients α_p(N), β_p(N) are sums over all coalition sizes: O(N) once for each N (or once
    for many N together), then cached. Everything else takes constant time in N. Writing Φ out,
    once a game, takes longer the more factors a term has: a second for a dozen.

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

    def __post_init__(self) -> None:
        terms = self.terms if isinstance(self.terms, tuple | list) else ()
        if not terms or not all(isinstance(term, Term) for term in terms):
            raise ArgumentError(f"terms is {self.terms!r}: give a tuple of at least one Term")
        object.__setattr__(self, "terms", tuple(terms))

    @property
    def center(self) -> None:
        """As of `Game`: sums are to be about values of the window."""
        return None

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

        Raises
        ------
        ArgumentError
            If shapes differ, or the game needs a second column and has none.

        Examples
        --------
        >>> CENTRAL_MOMENTS["central_moment(2)"].sums([1.0, 3.0])
        {(0, 0): 2.0, (1, 0): 4.0, (2, 0): 10.0}
        """
        each = self.each(values, other)
        with np.errstate(all="ignore"):
            return {power: float(np.sum(products)) for power, products in each.items()}

    def each(self, values: ArrayLike, other: ArrayLike | None = None) -> PowerSums:
        """Return the power sums of every tuple on its own, as arrays of shape (m,)."""
        y = column("values", values)
        x = y if other is None else column("other", other)
        if x.shape != y.shape or (other is None and self.columns == 2):
            raise ArgumentError(f"game {self.name!r} needs other: one value for each of values")
        with np.errstate(all="ignore"):
            return {(j, k): y**j * x**k for j, k in self.exponents}

    def sums_of(self, summary: Summary) -> PowerSums:
        """Return the power sums, about the summary's centre, of a game of one column.

        Raises
        ------
        ArgumentError
            If the game has two columns, or the summary too few powers.
        """
        if self.columns == 2 or summary.order < self.order:
            raise ArgumentError(
                f"game {self.name!r} reads power sums {self.exponents}, which a summary of order "
                f"{summary.order} lacks: make them with sums(values, other)"
            )
        sums = (summary.m, summary.a, summary.b, *summary.higher)
        return {(j, 0): sums[j] for j in range(self.order + 1)}

    def value(self, total: PowerSums) -> Numbers:
        """Return ν(W) from the window's power sums; 0 for none."""
        self._check("total", total)
        n = np.asarray(total[_COUNT], dtype=np.float64)
        with np.errstate(all="ignore"):
            sizes = np.maximum(n, 1)
            terms = [term.coefficient(sizes) * _product(term.powers, total) for term in self.terms]
            return plain(np.where(n < 1, 0.0, sum(terms)))

    def phi(self, total: PowerSums, part: PowerSums) -> Numbers:
        """Return Φ of a group: the sum of its tuples' Shapley values.

        Parameters
        ----------
        total, part : mapping of (j, k) to float or array
            The power sums of the window and of the group, about one common centre. Arrays
            broadcast; a window has at least one tuple.

        Raises
        ------
        ArgumentError
            If a power sum is missing, a count is not whole, or a coefficient is not finite.
        """
        coefficients = self.coefficients(total)
        self._check("part", part)
        with np.errstate(all="ignore"):
            return plain(sum(c * part[power] for power, c in coefficients.items()))

    def coefficients(self, total: PowerSums) -> dict[Power, Numbers]:
        """Return c_ℓ: φ of a tuple is Σ_ℓ c_ℓ y^ℓ, Φ of a group Σ_ℓ c_ℓ M_ℓ,P (Theorem 1).

        Parameters
        ----------
        total : mapping of (j, k) to float or array
            The window's power sums.
        """
        self._check("total", total)
        monomials = self._monomials()
        factors = self._factors(total[_COUNT])
        result: dict[Power, Numbers] = {}
        with np.errstate(all="ignore"):
            for (power, sums), factor in zip(monomials, factors, strict=True):
                c = factor * _product(sums, total)
                result[power] = result[power] + c if power in result else c
        return result

    def _check(self, name: str, sums: PowerSums) -> None:
        missing = [power for power in self.exponents if power not in sums]
        if missing:
            raise ArgumentError(
                f"{name} lacks the power sum {missing[0]}: make it with sums(values, other)"
            )
        count = np.asarray(sums[_COUNT], dtype=np.float64)
        if not np.all(np.floor(count) == count):
            raise ArgumentError(f"{name} counts {sums[_COUNT]} tuples: give a whole number")

    def _monomials(self) -> dict[Monomial, list[Part]]:
        """Φ written out, once: which monomials, and from which unit games each takes its factor."""
        if not self._expansion:
            known: Known = {}
            for index, term in enumerate(self.terms):
                for factors, ways in _partitions(term.powers).items():
                    for kind, polynomial in (
                        ("outside", _distinct(factors, known)),
                        ("inside", _with_player(factors, known)),
                    ):
                        for monomial, count in polynomial.items():
                            parts = self._expansion.setdefault(monomial, [])
                            parts.append((index, len(factors), kind, ways * count))
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
    after = _values(g, s + 1)
    step = np.diff(after, prepend=np.longdouble(0))
    n = sizes.astype(np.longdouble)
    beta = np.cumsum(_falling(s, p) * step)[sizes - 1] / (n * _at_least_1(_falling(n - 1, p)))
    if p == 0:
        return {"outside": beta, "inside": np.zeros_like(beta)}
    alpha = np.cumsum(_falling(s, p - 1) * after)[sizes - 1]
    alpha /= n * _at_least_1(_falling(n - 1, p - 1))
    return {"outside": beta, "inside": alpha - beta}


def _values(g: Callable[[Any], Any], sizes: Any) -> Any:
    """The coefficient of every coalition size, checked."""
    try:
        with np.errstate(all="ignore"):
            values = np.asarray(g(sizes), dtype=np.longdouble) * np.ones_like(sizes)
    except (TypeError, ValueError) as error:
        raise ArgumentTypeError(
            f"coefficient takes no array of sizes ({error}): write it with NumPy's functions"
        ) from error
    if not np.isfinite(values).all():
        s = int(sizes[~np.isfinite(values)][0])
        raise ArgumentError(
            f"coefficient is not finite for |S| = {s}: give a number for every size, such as "
            "1 / np.maximum(s - 1, 1)"
        )
    return values


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


def _partitions(factors: Factors) -> dict[Factors, int]:
    """The ways in which factors can share players: the powers of a set partition's blocks.

    Sorted, and with how many set partitions have them: equal ones are one.
    """
    result: dict[Factors, int] = {(): 1}
    for factor in factors:
        longer: dict[Factors, int] = {}
        for blocks, ways in result.items():
            _add(longer, tuple(sorted((factor, *blocks))), ways)
            for k in range(len(blocks)):
                _add(longer, _joined(blocks, factor, k), ways)
        result = longer
    return result


# The three polynomials below by name and sorted factors, found once for a game.
Known = dict[tuple[str, Factors], Polynomial]


def _distinct(factors: Factors, known: Known) -> Polynomial:
    """Σ over tuples of distinct players of the product of their powers, in power sums."""
    if not factors:
        return {(_COUNT, ()): 1}
    key = "distinct", factors
    if key not in known:
        first, rest = factors[0], factors[1:]
        result: Polynomial = {}
        for (_, sums), count in _distinct(rest, known).items():
            _add(result, (_COUNT, tuple(sorted((first, *sums)))), count)
        for k in range(len(rest)):
            for monomial, count in _distinct(_joined(rest, first, k), known).items():
                _add(result, monomial, -count)
        known[key] = result
    return known[key]


def _with_player(factors: Factors, known: Known) -> Polynomial:
    """The same sum over the tuples that hold a player i, with the powers of y_i."""
    key = "with", factors
    if key not in known:
        result: Polynomial = {}
        for k, power in enumerate(factors):
            others = _without_player(factors[:k] + factors[k + 1 :], known)
            for (other, sums), count in others.items():
                _add(result, (_times(power, other), sums), count)
        known[key] = result
    return known[key]


def _without_player(factors: Factors, known: Known) -> Polynomial:
    """The same sum over the tuples that lack player i: all, minus those that hold it."""
    key = "without", factors
    if key not in known:
        result = dict(_distinct(factors, known))
        for monomial, count in _with_player(factors, known).items():
            _add(result, monomial, -count)
        known[key] = result
    return known[key]


def _joined(blocks: Factors, factor: Power, k: int) -> Factors:
    """The blocks, sorted, once the factor has joined block k."""
    return tuple(sorted((*blocks[:k], _times(factor, blocks[k]), *blocks[k + 1 :])))


def _add(counts: dict[Any, int], key: Any, count: int) -> None:
    counts[key] = counts.get(key, 0) + count


# ---- ready-made games ------------------------------------------------------------------------


def central_moment(q: int) -> MomentGame:
    """Return the game ν(S) = Σ_{i∈S} (y_i − ȳ_S)^q.

    Parameters
    ----------
    q : int
        The order, 2 or more. `CENTRAL_MOMENTS` has those from 2 to 6 ready.

    Raises
    ------
    ArgumentError
        If `q` is no whole number from 2 on.

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
    q = whole_number("q", q, 2)
    terms = [Term((q - k, *(1,) * k), _over_size((-1) ** k * comb(q, k), k)) for k in range(q - 1)]
    terms.append(Term((1,) * q, _over_size((-1) ** (q - 1) * (q - 1), q - 1)))
    return MomentGame(f"central_moment({q})", tuple(terms))


def _over_size(numerator: int, power: int) -> Callable[[Any], Any]:
    return lambda s: numerator / s**power


CENTRAL_MOMENTS: dict[str, MomentGame] = {
    game.name: game for game in (central_moment(q) for q in range(2, 7))
}
