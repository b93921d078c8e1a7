"""A sliding window in process: insert what enters, drop what leaves, explain on demand.

The paper's Algorithm 1 (Khani & Assent), with merges in place of its subtractions: `blocks` holds
the rows and `running` each query's sums.
"""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime, timedelta
from decimal import Decimal
from math import nan
from numbers import Real
from typing import Any, cast

import numpy as np
from numpy.typing import NDArray

from .arguments import whole_number
from .blocks import Blocks
from .errors import ArgumentError, ArgumentTypeError, ShapwinError
from .games import (
    COUNTS,
    DEVIATIONS,
    SQUARES,
    Attribution,
    Game,
    Scales,
    closed_form,
    game_of,
    split_one,
)
from .moment_games import MomentGame
from .predicates import Query, predicate_names, signature_of
from .running import RunningSums
from .summary import Summary

# Rows in a block: enough that beginning one is cheap per row, few enough for a short pause.
_BLOCK = 512
# The moment of a game that reads all rows, and of one whose sums are about a centre of its own.
_ROWS, _CENTERED = -1, -2
# Of a statistic: its moment, and N twice with the divisor and the weight for it.
_Plan = tuple[int, int, float, float, float]
# Times of one of these compare with each other, of any other type with their own only. First what
# is a Real to Python, but no number.
_KINDS = (bool, np.timedelta64, Real, datetime, timedelta)
# What float() would read, but is no number.
_NO_NUMBERS = (str, bytes, bytearray, np.timedelta64, np.datetime64)

Satisfied = int | Iterable[str]


class SlidingWindow:
    """The last tuples of a stream, ready to explain any aggregate by any query at any time.

    Parameters
    ----------
    predicates : list of str
        The names of the registered predicates, at most 64.
    size : int, optional
        Keep the last `size` tuples.
    duration : number or timedelta, optional
        Keep the tuples of (t − duration, t], t the time of the newest: in the unit of the times
        (Proposition 4).

    Raises
    ------
    PredicateError
        If a name is unusable or used twice, or there are more than 64.
    ArgumentError
        If not exactly one of `size` and `duration` is given, or it is not positive.
    ArgumentTypeError
        If `duration` is neither number nor timedelta.

    Notes
    -----
    A slide takes constant time, amortised, in the window's length and in the number of
    predicates; sums are laid out a block at a time, so no single slide pays for the whole
    window. A query's first use, or one after a long silence, reads the window once.

    Examples
    --------
    >>> window = SlidingWindow(["airport", "long"], size=3)
    >>> for fare, satisfied in [(50.0, ["airport"]), (2.0, []), (4.0, []), (10.0, ["long"])]:
    ...     window.push(fare, satisfied)
    >>> result = window.attribute("avg", "long OR airport")
    >>> result.n, result.m, round(result.phi, 6)
    (3, 1, 5.277778)
    """

    def __init__(
        self, predicates: Iterable[str], *, size: int | None = None, duration: Any = None
    ) -> None:
        self.predicates = predicate_names(predicates)
        if (size is None) == (duration is None):
            raise ArgumentError(
                f"size is {size!r} and duration is {duration!r}: give either size or duration"
            )
        self._size = None if size is None else whole_number("size", size, 1)
        self._duration = None if duration is None else _checked_duration(duration)
        self._blocks = Blocks(_BLOCK if self._size is None else min(self._size, _BLOCK))
        self._live = 0
        self._swaps = 0  # while head < swaps, a row in means a row out and nothing else
        self._newest: Any = None
        self._plain = 1 << min(len(self.predicates), 63)  # signatures that need no check
        # By query, and by query and centre for the games that have one.
        self._sums: dict[str | tuple[str, float], RunningSums] = {}
        self._plans: dict[str, _Plan] = {}
        self._scales: dict[str, Scales] = {}

    def __len__(self) -> int:
        return self._live

    def push(self, value: float, satisfied: Satisfied, time: Any = None) -> None:
        """Insert one tuple and drop what has left.

        Parameters
        ----------
        value : float
            NaN and ±Inf are values.
        satisfied : names or int
            The names of the predicates that the tuple satisfies, or its signature.
        time : number or datetime, optional
            When it happened: for windows with a duration, never before the newest so far, and of
            its type.

        Raises
        ------
        PredicateError
            If a name or a bit stands for no registered predicate.
        ArgumentError
            If the time is missing, goes back or is infinite, or the value is beyond doubles.
        ArgumentTypeError
            If the value is no number, or the time fits neither the duration nor the times before.

        Notes
        -----
        A tuple that is refused changes nothing.
        """
        blocks = self._blocks
        if (
            blocks.head < self._swaps
            and value.__class__ is float
            and satisfied.__class__ is int
            and 0 <= satisfied < self._plain
        ):
            blocks.head += 1
            blocks.values.append(value)
            blocks.signatures.append(satisfied)
            blocks.value = value
            blocks.signature = satisfied
        else:
            self._push_with_care(value, satisfied, time)

    def insert(
        self,
        values: Iterable[float],
        satisfied: Iterable[Satisfied],
        times: Iterable[Any] | None = None,
    ) -> None:
        """Insert many tuples, oldest first, and drop what has left.

        Parameters
        ----------
        values, satisfied, times : iterables of equal length
            As in `push`, one entry a tuple.

        Raises
        ------
        ShapwinError
            As `push` does, or if the lengths differ: then none of the tuples is inserted.

        Examples
        --------
        >>> window = SlidingWindow(["airport"], size=2)
        >>> window.insert([50.0, 2.0, 4.0], [["airport"], [], []])
        >>> len(window)
        2
        """
        rows = self._checked(values, satisfied)
        moments = [None] * len(rows) if times is None else _listed("times", times)
        if len(moments) != len(rows):
            raise ArgumentError(f"{len(moments)} times for {len(rows)} values: give as many")
        if self._duration is None:
            for value, signature, _ in rows:
                self.push(value, signature)
            return
        limits = [
            _limit(time, newest, self._duration)
            for newest, time in zip([self._newest, *moments], moments, strict=False)
        ]
        for (value, signature, _), time, limit in zip(rows, moments, limits, strict=True):
            self._enter(value, signature, time, limit)

    def retract(self, values: Iterable[float], satisfied: Iterable[Satisfied]) -> None:
        """Take wrong tuples out, as if they had never been inserted.

        Parameters
        ----------
        values, satisfied : iterables of equal length
            As they were inserted. Of equal tuples the newest goes.

        Raises
        ------
        ArgumentError
            If no such tuple is in the window; those before it stay retracted.
        ShapwinError
            As `insert` does for values and satisfied: then none is retracted.

        Notes
        -----
        The tuple is looked for from the newest back; then each query merges its whole blocks,
        of 512 rows each, once more.

        Examples
        --------
        >>> window = SlidingWindow(["airport"], size=2)
        >>> window.insert([50.0, 2.0], [["airport"], []])
        >>> window.retract([50.0], [["airport"]])
        >>> window.attribute("sum", "airport").value
        2.0
        """
        for value, signature, held in self._checked(values, satisfied):
            if not self._blocks.remove(value, signature):
                raise ArgumentError(
                    f"no tuple with value {value!r} that satisfies {held!r} is in the window: "
                    "give both as inserted, of a tuple that has not left"
                )
            self._live -= 1
            self._swaps = 0
            self._lapse()

    def attribute(self, statistic: str, query: str) -> Attribution:
        """Explain an aggregate of the window by one query.

        Parameters
        ----------
        statistic : str
            As in `closed_form`, but for covariances, which need a second column.
        query : str
            Boolean text over the predicates' names, such as ``"airport AND NOT long"``.

        Returns
        -------
        Attribution
            Of plain numbers. An empty window has n = 0 and NaN.

        Raises
        ------
        StatisticError
            If the statistic is unknown or has no closed form.
        ArgumentError
            If it needs a second column.
        QueryError
            If the query does not parse or uses an unknown name.

        Notes
        -----
        Constant time, but for central moments, which read the whole window.
        """
        blocks = self._blocks
        try:
            sums = self._sums[query]
            moment, n, size, divisor, weight = self._plans[statistic]
        except (KeyError, TypeError):
            n = -1
        if n != self._live:
            sums, (moment, n, size, divisor, weight) = self._prepare(statistic, query)
        if sums.head != blocks.head and n:
            sums.follow(blocks, size)
        if moment == DEVIATIONS:
            base, whole, part = sums.c, sums.a, sums.a_p
        elif moment == SQUARES:
            r = sums.r
            base = 0.0
            whole = sums.b - r * sums.a
            part = sums.b_p - r * (sums.a_p + sums.excess)
            if not (whole >= 0.0 and part >= 0.0):
                whole, part = _squares(whole, part)
        elif moment == COUNTS:
            base, whole, part = 1.0, 0.0, 0.0
        elif moment == _CENTERED:
            sums = self._centered(statistic, query)
            base, whole, part = 0.0, sums.a, sums.a_p
        else:
            return self._from_rows(statistic, sums.query)
        return split_one(n, sums.m, base, whole, part, divisor, weight)

    def attribute_atoms(self, statistic: str) -> tuple[NDArray[np.int64], Attribution]:
        """Explain an aggregate of the window by every atom that occurs, all at once.

        Parameters
        ----------
        statistic : str
            As in `attribute`.

        Returns
        -------
        signatures : array of int64, shape (atoms,)
            In ascending order.
        attribution : Attribution
            Arrays of shape (atoms,) for the group; plain numbers for the window.
            The Φ add up to the value.

        Raises
        ------
        StatisticError
            If the statistic is unknown or has no closed form.
        ArgumentError
            If it needs a second column.

        Notes
        -----
        Reads the window once, in NumPy: meant for many atoms. For a few, `attribute` is faster.

        Examples
        --------
        >>> window = SlidingWindow(["airport", "long"], size=3)
        >>> window.insert([2.0, 4.0, 10.0], [[], [], ["airport", "long"]])
        >>> signatures, found = window.attribute_atoms("avg")
        >>> signatures.tolist(), (found.phi * 18).round(12).tolist()
        ([0, 3], [1.0, 95.0])
        """
        game = _game_of_one_column(statistic)
        values, signatures = self._blocks.rows()
        total = Summary.of(values, order=game.order, center=game.center)
        kinds, place, m = np.unique(signatures, return_inverse=True, return_counts=True)
        with np.errstate(all="ignore"):
            d = values - total.center
            sums = [np.bincount(place, d**q, len(kinds)) for q in range(1, game.order + 1)]
        part = Summary(m, sums[0], sums[1], total.center, higher=tuple(sums[2:]))
        return kinds, closed_form(statistic, total, part)

    def atoms(self) -> dict[int, Summary]:
        """Return the atoms of the window, signature → summary: only those that occur.

        Notes
        -----
        Reads the window once. The Φ of the atoms add up to the Φ of their union, as Φ is affine
        in (m, A, B) (Lemma 1).

        Examples
        --------
        >>> window = SlidingWindow(["airport", "long"], size=3)
        >>> window.insert([50.0, 2.0, 4.0], [["airport", "long"], [], []])
        >>> {signature: atom.m for signature, atom in window.atoms().items()}
        {0: 2, 3: 1}
        """
        values, signatures = self._blocks.rows()
        order = np.argsort(signatures, kind="stable")
        kinds, starts = np.unique(signatures[order], return_index=True)
        groups = np.split(values[order], starts[1:]) if kinds.size else []
        return {int(s): Summary.of(y) for s, y in zip(kinds, groups, strict=True)}

    def _prepare(self, statistic: str, query: str) -> tuple[RunningSums, _Plan]:
        """The sums of the query, and the plan of the statistic for the window as it is."""
        sums = self._sums.get(query) if isinstance(query, str) else None
        if sums is None:
            sums = self._sums[query] = RunningSums(Query.parse(query, self.predicates))
        if self._live == 0 or not isinstance(statistic, str) or statistic not in self._scales:
            game = _game_of_one_column(statistic)
            if self._live == 0 or not isinstance(game, Game):
                return sums, (_ROWS, self._live, float(self._live), nan, nan)
            self._scales[statistic] = Scales(game)
        scales = self._scales[statistic]
        moment = scales.game.moment if scales.game.center is None else _CENTERED
        plan = (moment, self._live, float(self._live), *scales[self._live])
        self._plans[statistic] = plan
        return sums, plan

    def _centered(self, statistic: str, query: str) -> RunningSums:
        """The sums of the query about the centre that the statistic asks for."""
        center = cast(float, self._scales[statistic].game.center)
        sums = self._sums.get((query, center))
        if sums is None:
            sums = self._sums[query, center] = RunningSums(self._sums[query].query, center)
        if sums.head != self._blocks.head:
            sums.follow(self._blocks, self._live)
        return sums

    def _from_rows(self, statistic: str, query: Query) -> Attribution:
        order = game_of(statistic).order
        values, signatures = self._blocks.rows()
        part = values[query.over_atoms(signatures)]
        total = Summary.of(values, order=order)
        return closed_form(statistic, total, Summary.of(part, order=order))

    def _push_with_care(self, value: Any, satisfied: Any, time: Any) -> None:
        """Push whatever it is, whatever it does to the blocks."""
        number, signature = _number(value), signature_of(satisfied, self.predicates)
        duration = self._duration
        limit = None if duration is None else _limit(time, self._newest, duration)
        self._enter(number, signature, time, limit)

    def _enter(self, value: float, signature: int, time: Any, limit: Any) -> None:
        """Insert a tuple that has passed all checks; those up to the limit have left."""
        blocks = self._blocks
        if self._size is None:
            self._newest = time
            self._live -= blocks.drop_until(limit)
        elif self._live == self._size:
            blocks.drop()
            self._live -= 1
        blocks.add(value, signature, None if self._size else time)
        self._live += 1
        self._swaps = len(blocks.old.values) if self._live == self._size else 0
        self._lapse()

    def _checked(
        self, values: Iterable[float], satisfied: Iterable[Satisfied]
    ) -> list[tuple[float, int, Satisfied]]:
        """Of each tuple its value, its signature, and what that was made of."""
        left, right = _listed("values", values), _listed("satisfied", satisfied)
        if len(left) != len(right):
            raise ArgumentError(f"{len(right)} satisfied for {len(left)} values: give as many")
        names, plain = self.predicates, self._plain
        return [
            (
                value if value.__class__ is float else _number(value),
                held if held.__class__ is int and 0 <= held < plain else signature_of(held, names),
                held,
            )
            for value, held in zip(left, right, strict=True)
        ]

    def _lapse(self) -> None:
        for sums in self._sums.values():
            sums.lapse()


def _game_of_one_column(statistic: str) -> Game | MomentGame:
    game = game_of(statistic)
    if game.columns == 2:
        raise ArgumentError(
            f"statistic {game.name!r} needs a second column: use rolling with other="
        )
    return game


def _squares(whole: float, part: float) -> tuple[float, float]:
    """No sum of squares is negative. If the window's is NaN, so is the group's."""
    if whole != whole:
        return whole, whole
    return max(whole, 0.0), part if part != part else max(part, 0.0)


def _limit(time: Any, newest: Any, duration: Any) -> Any:
    """The time up to which tuples have left; refuse a time that cannot follow the newest."""
    try:
        if time.__class__ is newest.__class__ or _akin(time, newest, duration):
            limit = time - duration
            if limit < time and (newest is None or newest <= time):
                return limit
    except (TypeError, ValueError, ArithmeticError):
        pass
    raise _refusal(time, newest, duration)


def _akin(time: Any, newest: Any, duration: Any) -> bool:
    """Whether a time is of a type that can stand beside the newest and the duration."""
    kind = _kind(time)
    if kind in (bool, np.bool_, np.ndarray):
        return False
    # NumPy would take a number for a time span.
    if kind is Real and isinstance(duration, np.timedelta64):
        return False
    return newest is None or kind is _kind(newest)


def _kind(time: Any) -> type:
    return next((kind for kind in _KINDS if isinstance(time, kind)), type(time))


def _refusal(time: Any, newest: Any, duration: Any) -> ShapwinError:
    """What is wrong with a time."""
    try:
        if time is None or time != time:
            return ArgumentError(
                f"time {time!r} is missing: a window with a duration needs one for every tuple"
            )
        fits = _akin(time, None, duration)
        earlier = fits and bool(time - duration < time)
    except ArithmeticError:
        fits, earlier = True, False
    except (TypeError, ValueError):
        fits, earlier = False, False
    if not fits:
        return ArgumentTypeError(
            f"time {time!r} does not go with duration {duration!r}: "
            "give numbers for a number, datetimes for a timedelta"
        )
    if not earlier:
        return ArgumentError(
            f"time {time!r} less duration {duration!r} is no earlier time: "
            "give finite times, fine enough for the duration"
        )
    try:
        if _akin(time, newest, duration) and time < newest:
            return ArgumentError(
                f"time {time!r} goes back behind {newest!r}: push in order of time"
            )
    except TypeError:
        pass
    return ArgumentTypeError(
        f"time {time!r} does not compare with {newest!r} before it: "
        "give all times in one type, all with a time zone or all without"
    )


def _checked_duration(duration: Any) -> Any:
    if isinstance(duration, bool) or not isinstance(duration, Real | Decimal | timedelta):
        raise ArgumentTypeError(f"duration is {duration!r}: give a number or a timedelta")
    try:
        positive = bool(duration > type(duration)(0))  # type: ignore[operator, call-arg]
    except ArithmeticError:
        positive = False
    if not positive:
        raise ArgumentError(f"duration is {duration!r}: give one above 0")
    return duration


def _number(value: Any) -> float:
    try:
        if isinstance(value, _NO_NUMBERS):
            raise TypeError
        return float(value)
    except OverflowError:
        raise ArgumentError("value is a number beyond 1.8e308: give a double") from None
    except (TypeError, ValueError):
        raise ArgumentTypeError(
            f"value {value!r} is no number: give a float, NaN if it is missing"
        ) from None


def _listed(name: str, column: Any) -> list[Any]:
    try:
        entries = iter(column)
    except TypeError:
        raise ArgumentTypeError(
            f"{name} is {column!r}: give a list with one entry for each tuple"
        ) from None
    return list(entries)
