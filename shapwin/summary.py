"""The mergeable summary of a set of tuples: counts and power sums about a centre."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from math import comb
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from .arguments import column, numbers, whole_number
from .errors import ArgumentError, ArgumentTypeError

# A scalar or an array: all fields of one Summary broadcast against each other.
Numbers = Any
Pair = tuple[Numbers, Numbers, Numbers]


@dataclass(frozen=True, slots=True)
class Summary:
    """Count and centred power sums of a set of tuples; disjoint sets add.

    A `Summary` holds scalars (one set) or arrays (many sets at once, element by element).

    Parameters
    ----------
    m : int or array
        How many tuples.
    a, b : float or array
        Σ(y−c) and Σ(y−c)² about the centre c.
    center : float or array
        The centre c: finite, and the closer to the mean the more digits survive.
    a2, ab, center2 : float or array, optional
        Σ(x−c₂), Σ(y−c)(x−c₂) and c₂ of a second column, for covariances.
    higher : tuple of float or array, optional
        Σ(y−c)³, Σ(y−c)⁴, … for central moments.

    Notes
    -----
    Summaries of one kind form a commutative monoid under ``+`` with `zero` (Khani & Assent,
    Corollary 2: pane compatibility). Equal centres: merging is plain addition. Different
    centres: both are first moved to their weighted mean, A' = A + m(c−c'),
    B' = B + 2(c−c')A + m(c−c')², so no difference of large squares appears.
    NaN and ±Inf among the values make the sums NaN or ±Inf; the centre stays finite.

    Examples
    --------
    >>> Summary.of([2.0, 4.0]) + Summary.of([9.0])
    Summary(m=3, a=0.0, b=26.0, center=5.0, a2=None, ab=None, center2=None, higher=())
    """

    m: Numbers
    a: Numbers
    b: Numbers
    center: Numbers = 0.0
    a2: Numbers = None
    ab: Numbers = None
    center2: Numbers = None
    higher: tuple[Numbers, ...] = ()

    @classmethod
    def zero(cls, *, order: int = 2, two_columns: bool = False) -> Summary:
        """Return the summary of no tuples at all, the neutral element of ``+``.

        Parameters
        ----------
        order : int, default 2
            The highest power kept.
        two_columns : bool, default False
            Whether a second column is kept.

        Examples
        --------
        >>> Summary.zero().m
        0
        """
        pair: Pair = (0.0, 0.0, 0.0) if two_columns else (None, None, None)
        return cls(0, 0.0, 0.0, 0.0, *pair, (0.0,) * (_order(order) - 2))

    @classmethod
    def of(
        cls,
        values: ArrayLike,
        other: ArrayLike | None = None,
        *,
        order: int = 2,
        center: float | None = None,
        center2: float | None = None,
    ) -> Summary:
        """Summarise the tuples with these values.

        Parameters
        ----------
        values : array of float, shape (m,)
            One number a tuple; may be empty. NaN and ±Inf are values, not missing ones.
        other : array of float, shape (m,), optional
            The second column.
        order : int, default 2
            The highest power kept.
        center, center2 : float, optional
            The centres; by default the mean of each column, which keeps most digits.

        Raises
        ------
        ArgumentError
            If `values` is not one-dimensional, `other` has another shape, `order` is below 2
            or a centre is not finite.
        ArgumentTypeError
            If there is anything but numbers in a column: texts, dates, missing values.

        Examples
        --------
        >>> Summary.of([1.0, 3.0])
        Summary(m=2, a=0.0, b=2.0, center=2.0, a2=None, ab=None, center2=None, higher=())
        """
        y = column("values", values)
        c = _mean_within(y) if center is None else checked_center("center", center)
        with np.errstate(all="ignore"):
            dy = y - c
            a, b, *higher = (float(np.sum(dy**q)) for q in range(1, _order(order) + 1))
        if other is None:
            return cls(y.size, a, b, c, higher=tuple(higher))
        x = _second_column(other, y)
        c2 = _mean_within(x) if center2 is None else checked_center("center2", center2)
        with np.errstate(all="ignore"):
            dx = x - c2
            a2, ab = float(np.sum(dx)), float(np.sum(dy * dx))
        return cls(y.size, a, b, c, a2, ab, c2, tuple(higher))

    @classmethod
    def each(cls, values: ArrayLike, other: ArrayLike | None = None, *, order: int = 2) -> Summary:
        """Return one summary a tuple, as arrays: the players of the game one by one.

        Parameters
        ----------
        values, other, order
            As in `of`.

        Examples
        --------
        >>> Summary.each([1.0, 3.0]).center.tolist()
        [1.0, 3.0]
        """
        y = column("values", values)
        center, a = _finite_and_odd(y)
        ones = np.ones(y.shape, dtype=np.int64)
        higher = tuple(a**q for q in range(3, _order(order) + 1))
        if other is None:
            return cls(ones, a, a * a, center, higher=higher)
        x = _second_column(other, y)
        center2, a2 = _finite_and_odd(x)
        return cls(ones, a, a * a, center, a2, a * a2, center2, higher)

    @property
    def order(self) -> int:
        """The highest power of the value that is kept."""
        return 2 + len(self.higher)

    @property
    def two_columns(self) -> bool:
        """Whether a second column is kept."""
        return self.a2 is not None

    @property
    def mean(self) -> Numbers:
        """The mean of the values; NaN for an empty set."""
        with np.errstate(all="ignore"):
            return plain(self.center + np.divide(self.a, self.m))

    @property
    def mean2(self) -> Numbers:
        """The mean of the second column; NaN for an empty set."""
        if not self.two_columns:
            raise ArgumentError("the summary has no second column: make it with other=")
        with np.errstate(all="ignore"):
            return plain(self.center2 + np.divide(self.a2, self.m))

    def recentred(self, center: Numbers, center2: Numbers = None) -> Summary:
        """Return the same tuples' summary about another centre.

        Parameters
        ----------
        center : float or array
            The new centre of the value.
        center2 : float or array, optional
            The new centre of the second column; unchanged by default.

        Raises
        ------
        ArgumentError
            If a centre is not finite.

        Notes
        -----
        S'_q = Σ_k binom(q, k) (c−c')^(q−k) S_k, with S_0 = m, S_1 = a, S_2 = b; the mixed sum is
        AB' = AB + (c₂−c₂')A' + (c−c')A₂.

        Examples
        --------
        >>> Summary.of([1.0, 3.0]).recentred(0.0).b
        10.0
        """
        return moved(
            self,
            checked_center("center", center),
            self.center2 if center2 is None else checked_center("center2", center2),
        )

    def shifted(self, d: Numbers, e: Numbers, center: Numbers, center2: Numbers = None) -> Summary:
        """Return the same tuples' summary about the point that lies `d` below the centre.

        Parameters
        ----------
        d, e : float or array
            c − c' for the value and for the second column (None without one). Given as
            differences they keep digits that a rounded c' has lost.
        center, center2 : float or array
            What to store as c': the new centre, as near as a double comes to it.
        """
        md = self.m * d
        a = self.a + md
        b = self.b + (self.a + a) * d
        higher = tuple(self._power_sum(q, d) for q in range(3, self.order + 1))
        if not self.two_columns:
            return Summary(self.m, a, b, center, higher=higher)
        a2 = self.a2 + self.m * e
        ab = self.ab + e * a + d * self.a2
        return Summary(self.m, a, b, center, a2, ab, center2, higher)

    def _power_sum(self, q: int, d: Numbers) -> Numbers:
        """Σ (y−c+d)^q by Horner's rule over the sums of lower order."""
        sums = (self.m, self.a, self.b, *self.higher)
        result = sums[0] * d
        for k in range(1, q):
            result = (result + comb(q, k) * sums[k]) * d
        return result + sums[q]

    def take(self, index: Any) -> Summary:
        """Return the chosen elements of a summary of arrays.

        Parameters
        ----------
        index : int, slice or array
            Any NumPy index of the last axis.

        Raises
        ------
        ArgumentError
            If it is a summary of scalars.
        IndexError
            If the index is beyond the arrays.

        Examples
        --------
        >>> Summary.each([1.0, 3.0]).take(1).center
        3.0
        """
        if np.ndim(self.m) == 0:
            raise ArgumentError("a summary of one set has no elements to take: use it as it is")
        if isinstance(index, np.ndarray) and index.dtype.kind in "iu":
            return each_field(lambda s: np.take(s, index, axis=-1), self)  # three times as fast
        return each_field(lambda s: plain(s[..., index]), self)

    def total(self) -> Summary:
        """Merge all elements of a summary of one-dimensional arrays into one.

        Notes
        -----
        First the mean of all, then every element moved there and added: as exact as merging one
        by one in any order, at the cost of a few array operations.

        Examples
        --------
        >>> Summary.each([2.0, 4.0, 9.0]).total()
        Summary(m=3, a=0.0, b=26.0, center=5.0, a2=None, ab=None, center2=None, higher=())
        """
        if np.ndim(self.m) != 1:
            raise ArgumentError(
                f"the summary has {np.ndim(self.m)} dimensions: merge arrays of one dimension"
            )
        with np.errstate(all="ignore"):
            c = _middle(self.m, self.center)
            c2 = _middle(self.m, self.center2) if self.two_columns else None
            merged = _each_sum(moved(self, c, c2), lambda s: plain(np.sum(s)))
        return replace(merged, m=plain(np.sum(self.m)))

    def __add__(self, other: Summary) -> Summary:
        if not isinstance(other, Summary):
            return NotImplemented
        _same_kind(self, other)
        return _merged(self, other, self.m, other.m)

    def __sub__(self, other: Summary) -> Summary:
        if not isinstance(other, Summary):
            return NotImplemented
        _same_kind(self, other)
        left = _plus(self, moved(other, self.center, self.center2), -1)
        # Nothing left means exactly nothing: rounding, NaN and Inf go with the tuples.
        empty = np.equal(left.m, 0)
        return _each_sum(left, lambda s: plain(np.where(empty, 0.0, s)))


def moved(s: Summary, center: Numbers, center2: Numbers) -> Summary:
    """Return `s` about other centres, which are not checked."""
    e = s.center2 - center2 if s.two_columns else None
    with np.errstate(all="ignore"):
        return s.shifted(s.center - center, e, center, center2)


def about_given(s: Summary, center: float | None) -> Summary:
    """Return `s` about a centre, if one is given; merges of such summaries are about it too."""
    if center is None:
        return s
    there = np.full_like(s.center, center, dtype=np.float64)
    return moved(s, there, there if s.two_columns else None)


def merge_stacks(left: Summary, right: Summary) -> Summary:
    """Merge windows with their groups: sums of shape (1 + groups, n), centres of shape (n,).

    Row 0 of a stack is the whole and the other rows are groups of its tuples. They share the
    whole's centre, so a group's sums are never larger than those of the whole.
    """
    return _merged(left, right, left.m[0], right.m[0])


def stack_total(stack: Summary) -> Summary:
    """Merge all items of a stack into a stack of one, about the mean of their centres."""
    c = _middle(stack.m[0], stack.center)
    c2 = _middle(stack.m[0], stack.center2) if stack.two_columns else None
    there = moved(stack, np.array([c]), None if c2 is None else np.array([c2]))
    return each_field(lambda s: np.sum(s, axis=-1, keepdims=True), there)


def merge_runs(stack: Summary, first: Any) -> Summary:
    """Merge the items of a stack from each of these places to the next, about their mean centre."""
    c = _run_centers(stack.m[0], stack.center, first)
    c2 = _run_centers(stack.m[0], stack.center2, first) if stack.two_columns else None
    size = np.diff(np.append(first, stack.m.shape[-1]))
    there = moved(stack, c.repeat(size), None if c2 is None else c2.repeat(size))
    sums = each_field(lambda s: np.add.reduceat(s, first, axis=-1), there)
    return replace(sums, center=c, center2=c2)


def about_mean(total: Summary, part: Summary) -> tuple[Summary, Summary]:
    """Return window and group, both about the window's own mean.

    The sums are about the exact mean c + A/m; only the stored centre is rounded. A mean that is
    NaN or ±Inf cannot be a centre: such a window keeps its finite one, so that the sums of groups
    without the odd value stay finite.
    """
    r = _finite_or_zero(np.divide(total.a, total.m))
    r2 = _finite_or_zero(np.divide(total.a2, total.m)) if total.two_columns else None
    c, c2 = plain(total.center + r), None if r2 is None else plain(total.center2 + r2)
    if r2 is None:
        return total.shifted(-r, None, c), part.shifted(part.center - total.center - r, None, c)
    e = part.center2 - total.center2 - r2
    return (
        total.shifted(-r, -r2, c, c2),
        part.shifted(part.center - total.center - r, e, c, c2),
    )


def checked_summary(name: str, value: Any) -> Summary:
    """The argument, once it is a summary."""
    if not isinstance(value, Summary):
        raise ArgumentTypeError(f"{name} is {value!r}, no Summary: make it with Summary.of(values)")
    return value


def _order(order: Any) -> int:
    return whole_number("order", order, 2)


def checked_center(name: str, center: Any) -> Numbers:
    """The argument, once it is finite numbers."""
    array = numbers(name, center)
    if not np.isfinite(array).all():
        raise ArgumentError(f"{name} is {center!r}: give a finite number")
    return plain(array)


def _second_column(other: ArrayLike, y: Any) -> Any:
    x = column("other", other)
    if x.shape != y.shape:
        raise ArgumentError(
            f"other has {x.size} values but values has {y.size}: give one for each tuple"
        )
    return x


def _finite_and_odd(y: Any) -> Any:
    """Split values into finite centres and the NaN and ±Inf that stay in the sums."""
    finite = np.isfinite(y)
    return np.where(finite, y, 0.0), np.where(finite, 0.0, y)


def _mean_within(y: Any) -> float:
    """The mean, kept between min and max so that equal values are their own centre."""
    if y.size == 0:
        return 0.0
    with np.errstate(all="ignore"):
        mean = float(np.clip(np.mean(y), np.min(y), np.max(y)))
    return mean if np.isfinite(mean) else 0.0


def _merged(left: Summary, right: Summary, m: Numbers, other_m: Numbers) -> Summary:
    """The sum about the mean of both centres, weighted by these counts."""
    with np.errstate(all="ignore"):
        c = _between(m, left.center, other_m, right.center)
        c2 = _between(m, left.center2, other_m, right.center2) if left.two_columns else None
        return _plus(moved(left, c, c2), moved(right, c, c2), 1)


def _between(m: Numbers, c: Numbers, other_m: Numbers, other_c: Numbers) -> Numbers:
    """The weighted mean of two centres; where one set is empty, exactly the other's."""
    size, other_size = np.abs(m), np.abs(other_m)
    fraction = other_size / np.maximum(size + other_size, 1)
    return plain(np.where(fraction == 1.0, other_c, c + (other_c - c) * fraction))


def _middle(m: Numbers, c: Numbers) -> Numbers:
    """The weighted mean of all centres, found as one of them plus a small step."""
    size = np.abs(m)
    if not np.any(size):
        return 0.0
    anchor = c[np.argmax(size)]
    return plain(anchor + np.sum(size * (c - anchor)) / np.sum(size))


def _run_centers(m: Numbers, c: Numbers, first: Any) -> Any:
    """The weighted mean of the centres in each run, found as the first of them plus a step."""
    size = np.abs(m)
    anchor = c[first]
    away = size * (c - anchor.repeat(np.diff(np.append(first, c.size))))
    weight = np.add.reduceat(size, first)
    return anchor + np.add.reduceat(away, first) / np.where(weight == 0, 1.0, weight)


def _finite_or_zero(value: Numbers) -> Numbers:
    return plain(np.where(np.isfinite(value), value, 0.0))


def _same_kind(left: Summary, right: Summary) -> None:
    if left.order != right.order or left.two_columns != right.two_columns:
        raise ArgumentError(
            f"cannot merge a summary of order {left.order}"
            f"{' with a second column' if left.two_columns else ''} and one of order "
            f"{right.order}{' with a second column' if right.two_columns else ''}: "
            "make both with the same order and columns"
        )


def _plus(left: Summary, right: Summary, sign: int) -> Summary:
    """Add or take away sums that already share their centres."""
    pair: Pair = (
        (left.a2 + sign * right.a2, left.ab + sign * right.ab, left.center2)
        if left.two_columns
        else (None, None, None)
    )
    higher = tuple(p + sign * q for p, q in zip(left.higher, right.higher, strict=True))
    return Summary(
        left.m + sign * right.m,
        left.a + sign * right.a,
        left.b + sign * right.b,
        left.center,
        *pair,
        higher,
    )


def _each_sum(s: Summary, change: Any) -> Summary:
    """Change the sums, but not the count and the centres."""
    pair: Pair = (change(s.a2), change(s.ab), s.center2) if s.two_columns else (None, None, None)
    higher = tuple(change(h) for h in s.higher)
    return Summary(s.m, change(s.a), change(s.b), s.center, *pair, higher)


def each_field(change: Callable[..., Any], *summaries: Summary) -> Summary:
    """Make a summary field by field from the same fields of others; absent ones stay absent."""

    def made(name: str) -> Any:
        fields = [getattr(s, name) for s in summaries]
        return None if fields[0] is None else change(*fields)

    m, a, b, center, a2, ab, center2 = (made(name) for name in _FIELDS)
    higher = tuple(change(*sums) for sums in zip(*(s.higher for s in summaries), strict=True))
    return Summary(m, a, b, center, a2, ab, center2, higher)


_FIELDS = ("m", "a", "b", "center", "a2", "ab", "center2")


def plain(value: Any) -> Any:
    """A zero-dimensional array as a plain float, so that scalars stay scalars."""
    return value.item() if isinstance(value, np.ndarray | np.generic) and value.ndim == 0 else value
