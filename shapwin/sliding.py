"""A sliding window in process: insert what enters, drop what leaves, explain on demand.

The paper's Algorithm 1 (Khani & Assent), with merges in place of its subtractions: `blocks` holds
the rows and `running` each query's sums.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np

from .blocks import Blocks
from .errors import ArgumentError, ArgumentTypeError
from .games import DEVIATIONS, Attribution, Game, Scales, closed_form, game_of, split_one
from .predicates import Query, predicate_names, signature_of
from .running import RunningSums
from .summary import Summary

# Rows in a block: enough that laying one out is cheap per row, few enough for a short pause.
_BLOCK = 512

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
        length = _BLOCK if self._size is None else min(max(self._size // 2, 1), _BLOCK)
        self._blocks = Blocks(length)
        self._live = 0
        self._clock = 0  # changes whenever the window does
        self._newest: Any = None
        self._plain = 1 << min(len(self.predicates), 63)  # signatures that need no check
        self._sums: dict[str, RunningSums] = {}
        self._games: dict[str, tuple[int, Scales]] = {}

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
        if value.__class__ is not float:
            value = _number(value)
        if satisfied.__class__ is not int or not 0 <= satisfied < self._plain:
            satisfied = signature_of(satisfied, self.predicates)
        blocks = self._blocks
        young = blocks.young
        if self._size is None:
            self._check_time(time)
            young.times.append(time)
        young.values.append(value)
        young.signatures.append(satisfied)
        self._clock += 1
        if self._live == self._size:
            blocks.head += 1
            if blocks.head >= len(blocks.old.values):
                blocks.close_young()
            return
        self._live += 1
        if len(young.values) >= blocks.length:
            blocks.close_young()
        if self._size is None:
            self._expire(time)

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
            self._clock += 1

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
        sums = self._sums.get(query)
        if sums is None:
            sums = self._sums[query] = RunningSums(Query.parse(query, self.predicates))
        n = self._live
        if sums.clock != self._clock:
            sums.follow(self._blocks, n, self._clock)
        game = self._games.get(statistic) or self._game(statistic)
        if game is None or n == 0:
            return self._from_rows(statistic, sums.query)
        moment, scales = game
        divisor, weight = scales[n]
        base = sums.mean if moment == DEVIATIONS else 0.0
        part = sums.part
        return split_one(n, part[0], base, sums.whole[moment], part[moment], divisor, weight)

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

    def _game(self, statistic: str) -> tuple[int, Scales] | None:
        """The moment and the scales of a game of the table; None if it reads all rows."""
        game = game_of(statistic)
        if game.columns == 2:
            raise ArgumentError(
                f"statistic {game.name!r} needs a second column: use rolling with other="
            )
        if not isinstance(game, Game):
            return None
        self._games[statistic] = game.moment, Scales(game)
        return self._games[statistic]

    def _from_rows(self, statistic: str, query: Query) -> Attribution:
        order = game_of(statistic).order
        values, signatures = self._blocks.rows()
        part = values[query.over_atoms(signatures)]
        total = Summary.of(values, order=order)
        return closed_form(statistic, total, Summary.of(part, order=order))

    def _check_time(self, time: Any) -> None:
        if time is None or time != time:
            raise ArgumentError("time is missing: a window with a duration needs it every time")
        if self._newest is not None and time < self._newest:
            raise ArgumentError(
                f"time {time!r} goes back behind {self._newest!r}: push in order of time"
            )
        self._newest = time

    def _expire(self, time: Any) -> None:
        """Drop what lies at or before time − duration."""
        blocks, limit = self._blocks, time - self._duration
        while True:
            if blocks.head >= len(blocks.old.values):
                if not self._live:
                    return
                blocks.close_young()
            if blocks.old.times[blocks.head] > limit:
                return
            blocks.head += 1
            self._live -= 1


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
