"""A sliding window in process: insert what enters, drop what leaves, explain on demand.

The paper's Algorithm 1 (Khani & Assent), with merges in place of its subtractions: `blocks` holds
the rows and `running` each query's sums.
"""

from __future__ import annotations

from collections.abc import Iterable
from math import nan
from typing import Any

import numpy as np

from .blocks import Blocks
from .errors import ArgumentError, ArgumentTypeError
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
from .predicates import Query, predicate_names, signature_of
from .running import RunningSums
from .summary import Summary

# Rows in a block: enough that beginning one is cheap per row, few enough for a short pause.
_BLOCK = 512
# The moment of a game that reads all rows.
_ROWS = -1
# Of a statistic: its moment, and N twice with the divisor and the weight for it.
_Plan = tuple[int, int, float, float, float]
# The constructor of the named tuple itself takes three times as long.

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
        self._size, self._duration = _checked_size(size, duration), duration
        self._blocks = Blocks(_BLOCK if self._size is None else min(self._size, _BLOCK))
        self._live = 0
        self._swaps = 0  # while head < swaps, a row in means a row out and nothing else
        self._newest: Any = None
        self._plain = 1 << min(len(self.predicates), 63)  # signatures that need no check
        self._sums: dict[str, RunningSums] = {}
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
            When it happened: for windows with a duration, never before the newest so far.

        Raises
        ------
        PredicateError
            If a name or a bit stands for no registered predicate.
        ArgumentError
            If the time is missing or goes back.
        ArgumentTypeError
            If the value is no number.
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

        Examples
        --------
        >>> window = SlidingWindow(["airport"], size=2)
        >>> window.insert([50.0, 2.0, 4.0], [["airport"], [], []])
        >>> len(window)
        2
        """
        rows = _paired(values, satisfied)
        moments = [None] * len(rows) if times is None else list(times)
        if len(moments) != len(rows):
            raise ArgumentError(f"{len(moments)} times for {len(rows)} values: give as many")
        for (value, signature), time in zip(rows, moments, strict=True):
            self.push(value, signature, time)

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
        for value, held in _paired(values, satisfied):
            signature = signature_of(held, self.predicates)
            if not self._blocks.remove(_number(value), signature):
                raise ArgumentError(
                    f"no tuple with value {value!r} that satisfies {held!r} is in the window"
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
        else:
            return self._from_rows(statistic, sums.query)
        return split_one(n, sums.m, base, whole, part, divisor, weight)

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
        sums = self._sums.get(query)
        if sums is None:
            sums = self._sums[query] = RunningSums(Query.parse(query, self.predicates))
        if self._live == 0 or statistic not in self._scales:
            game = game_of(statistic)
            if game.columns == 2:
                raise ArgumentError(
                    f"statistic {game.name!r} needs a second column: use rolling with other="
                )
            if self._live == 0 or not isinstance(game, Game):
                return sums, (_ROWS, self._live, float(self._live), nan, nan)
            self._scales[statistic] = Scales(game)
        scales = self._scales[statistic]
        plan = (scales.game.moment, self._live, float(self._live), *scales[self._live])
        self._plans[statistic] = plan
        return sums, plan

    def _from_rows(self, statistic: str, query: Query) -> Attribution:
        order = game_of(statistic).order
        values, signatures = self._blocks.rows()
        part = values[query.over_atoms(signatures)]
        total = Summary.of(values, order=order)
        return closed_form(statistic, total, Summary.of(part, order=order))

    def _push_with_care(self, value: Any, satisfied: Any, time: Any) -> None:
        """Push whatever it is, whatever it does to the blocks."""
        value = _number(value)
        signature = signature_of(satisfied, self.predicates)
        blocks = self._blocks
        if self._size is None:
            self._check_time(time)
            self._live -= blocks.drop_until(time - self._duration)
        elif self._live == self._size:
            blocks.drop()
            self._live -= 1
        blocks.add(value, signature, None if self._size else time)
        self._live += 1
        self._swaps = len(blocks.old.values) if self._live == self._size else 0

        self._lapse()

    def _lapse(self) -> None:
        for sums in self._sums.values():
            sums.lapse()

    def _check_time(self, time: Any) -> None:
        if time is None or time != time:
            raise ArgumentError("time is missing: a window with a duration needs it every time")
        if self._newest is not None and time < self._newest:
            raise ArgumentError(
                f"time {time!r} goes back behind {self._newest!r}: push in order of time"
            )
        self._newest = time


def _squares(whole: float, part: float) -> tuple[float, float]:
    """No sum of squares is negative. If the window's is NaN, so is the group's."""
    if whole != whole:
        return whole, whole
    return max(whole, 0.0), part if part != part else max(part, 0.0)


def _checked_size(size: Any, duration: Any) -> int | None:
    if (size is None) == (duration is None):
        raise ArgumentError("give either size or duration")
    if size is None:
        if not duration > type(duration)(0):
            raise ArgumentError(f"duration {duration!r} is no window: give more than nothing")
        return None
    if isinstance(size, bool) or not isinstance(size, int | np.integer) or size < 1:
        raise ArgumentError(f"size {size!r} is no window: give a whole number from 1 on")
    return int(size)


def _number(value: Any) -> float:
    try:
        if isinstance(value, str | bytes):
            raise TypeError
        return float(value)
    except (TypeError, ValueError):
        raise ArgumentTypeError(f"value {value!r} is no number") from None


def _paired(values: Iterable[float], satisfied: Iterable[Satisfied]) -> list[Any]:
    left, right = list(values), list(satisfied)
    if len(left) != len(right):
        raise ArgumentError(f"{len(right)} satisfied for {len(left)} values: give as many")
    return list(zip(left, right, strict=True))
