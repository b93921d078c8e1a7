"""One frame after another of a prepared sequence, at a few microseconds each.

Made for callers that ask frame by frame, such as a window function that is called once a row. Most
frames begin and end a little after the one before. So the sums from each of the next begins to
the middle of the frame, and from its end to each of the next ends, are laid out together; while
frames stay within reach, one costs a look-up on either side and an addition.
"""

from __future__ import annotations

from dataclasses import replace
from math import nan
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from .errors import ArgumentError
from .frames import checked_rows, end_to_end, stack_of
from .games import (
    DEVIATIONS,
    PRODUCTS,
    SQUARES,
    Attribution,
    Game,
    Scales,
    closed_form,
    game_of,
    split_one,
)
from .near import NearFrames
from .running import moved_to_mean
from .summary import Summary, about_given, each_field, moved, stack_total

# How many begins and ends are laid out at once, at most.
_REACH = 1024
_EMPTY = Attribution(0, nan, 0, nan, nan, nan, nan)


class FrameCursor:
    """Attributes one aggregate in one frame after another.

    Parameters
    ----------
    values : array of float, shape (N,), or Summary of arrays of shape (N,)
        Tuples, or summaries such as pane rows, in the order that frames refer to. Items with
        m = 0 (rows that are no players) are allowed in a summary.
    member : array of bool, shape (N,)
        Which items belong to the group.
    statistic : str
        As in `closed_form`.
    other : array of float, shape (N,), optional
        The second column of a covariance.
    scales : Scales, optional
        Those of the statistic, if there are some already.

    Attributes
    ----------
    near : NearFrames, optional
        What answers short frames at once: of finite values, but for covariances.

    Raises
    ------
    StatisticError
        If the statistic is unknown or has no closed form.
    ArgumentError
        If shapes differ, or a covariance lacks its second column.

    Notes
    -----
    Any order of frames is right; frames that move forward by small steps are fast. Nothing is
    subtracted: a NaN or an outlier leaves no trace in the frames without it. Central moments are
    computed frame by frame from their items.

    Examples
    --------
    >>> cursor = FrameCursor([2.0, 4.0, 10.0], [False, False, True], "avg")
    >>> cursor.attribute(0, 3).phi * 18
    95.0
    """

    def __init__(
        self,
        values: ArrayLike | Summary,
        member: ArrayLike,
        statistic: str,
        other: ArrayLike | None = None,
        scales: Scales | None = None,
    ) -> None:
        game = self._game = game_of(statistic)
        self._moment = game.moment if isinstance(game, Game) else -1
        self._plain = game.center is not None
        if np.ndim(member) > 1:
            raise ArgumentError("member has several rows: give one bool for each of values")
        if game.columns == 2 and not (
            values.two_columns if isinstance(values, Summary) else other is not None
        ):
            raise ArgumentError(f"statistic {game.name!r} needs a second column: give other=")
        self._stack: Summary | None = None
        self.near: NearFrames | None = None
        if isinstance(values, Summary):
            self._given: Any = values, member, None
            self._length = self._items.m.shape[-1]
        else:
            y, groups, x = checked_rows(values, member, other)
            self._given = y, groups[0], x
            self._length = y.size
            if self._moment not in (-1, PRODUCTS) and np.isfinite(y).all():
                self.near = NearFrames(y, groups[0], self._moment == SQUARES, game.center)
        if scales is None and isinstance(game, Game):
            scales = Scales(game)
        self._scales: Any = scales
        self._blocks: Summary | None = None
        self._begin = self._end = 0
        self._center = 0.0
        self._lefts: list[list[float]] = []
        self._rights: list[list[float]] = []

    @property
    def _items(self) -> Summary:
        """The stack of all items, which short frames of a column do not need."""
        if self._stack is None:
            self._stack = self._stacked(*self._given)
        return self._stack

    def _stacked(self, items: Any, member: Any, x: Any) -> Summary:
        if not isinstance(items, Summary):
            x = x if self._game.columns == 2 else None
            items = Summary.each(items, x, order=self._game.order)
        elif self._game.columns == 1:
            items = replace(items, a2=None, ab=None, center2=None)
        return stack_of(about_given(items, self._game.center), member)

    def attribute(self, begin: int, end: int) -> Attribution:
        """Return the attribution of the frame [begin, end).

        Parameters
        ----------
        begin, end : int
            0 <= begin and end <= N; empty if end <= begin: n = 0 and NaN.

        Raises
        ------
        ArgumentError
            If the frame reaches beyond the sequence.
        """
        near, n = self.near, end - begin
        if near is not None and 0 < n <= near.longest and begin >= 0 and end <= self._length:
            return self._answer(n, *near.sums(begin, end))
        i, j = begin - self._begin, end - self._end
        if i < 0 or j < 0 or i >= len(self._lefts) or j >= len(self._rights):
            if not 0 <= begin < end <= self._length:
                return self._nothing(begin, end)
            if self._scales is None:
                return self._from_items(begin, end)
            self._lay_out(begin, end)
            i = j = 0
        left, right = self._lefts[i], self._rights[j]
        n = int(left[0] + right[0])
        if not n:
            return _EMPTY
        if self._moment == PRODUCTS:
            m, whole, part = _products([x + y for x, y in zip(left, right, strict=True)])
            return split_one(n, m, 0.0, whole, part, *self._scales[n])
        _, m0, a0, a_p0, b0, b_p0 = left
        _, m1, a1, a_p1, b1, b_p1 = right
        return self._answer(n, self._center, m0 + m1, a0 + a1, a_p0 + a_p1, b0 + b1, b_p0 + b_p1)

    def _answer(
        self, n: int, c: float, m: float, a: float, a_p: float, b: float = 0.0, b_p: float = 0.0
    ) -> Attribution:
        divisor, weight = self._scales[n]
        if self._plain:
            return split_one(n, int(m), 0.0, a, a_p, divisor, weight)
        mean, whole, part = moved_to_mean(c, n, a, b, m, a_p, b_p)
        moment = self._moment
        base = mean if moment == DEVIATIONS else 0.0
        return split_one(n, part[0], base, whole[moment], part[moment], divisor, weight)

    def _nothing(self, begin: int, end: int) -> Attribution:
        if end > begin:
            raise ArgumentError(
                f"frame [{begin}, {end}) reaches beyond the {self._length} items: clip it"
            )
        return _EMPTY

    def _lay_out(self, begin: int, end: int) -> None:
        """Lay out the sums of the frames that begin and end from here on.

        They share the middle of this one, whose mean is the centre. A middle without players
        has none: then the frame's begin stays.
        """
        reach = min((end - begin) // 2, _REACH)
        middle = self._sum(begin + reach, end)
        if not middle.m[0, 0]:
            middle, ahead = self._sum(begin, end), self._items.take(slice(end, end + reach))
            reach_back = 0
            if not middle.m[0, 0] and ahead.m[0].any():
                first = int(np.argmax(ahead.m[0] != 0))
                middle = moved(middle, *_centers(ahead.take(slice(first, first + 1))))
        else:
            reach_back = reach
        centers = _centers(middle)
        lefts = end_to_end([self._items.take(slice(begin, begin + reach_back)), middle])
        rights = self._items.take(slice(end, end + reach))
        with np.errstate(all="ignore"):
            back = _listed(moved(lefts, *centers))[:, ::-1].cumsum(axis=1)[:, ::-1]
            forth = _listed(moved(rights, *centers)).cumsum(axis=1)
        self._lefts = back.T.tolist()
        self._rights = np.pad(forth, ((0, 0), (1, 0))).T.tolist()
        self._begin, self._end, self._center = begin, end, float(middle.center[0])

    def _sum(self, begin: int, end: int) -> Summary:
        """The stack of one frame: its items, or whole blocks of them where there are many."""
        if end - begin <= 4 * _REACH:
            return stack_total(self._items.take(slice(begin, end)))
        if self._blocks is None:
            starts = range(0, self._length, _REACH)
            self._blocks = end_to_end(
                [stack_total(self._items.take(slice(i, i + _REACH))) for i in starts]
            )
        first, last = -(-begin // _REACH), end // _REACH
        ends = (slice(begin, first * _REACH), slice(last * _REACH, end))
        pieces = [self._items.take(rows) for rows in ends]
        return stack_total(end_to_end([*pieces, self._blocks.take(slice(first, last))]))

    def _from_items(self, begin: int, end: int) -> Attribution:
        stack = self._sum(begin, end)
        total, part = (
            each_field(lambda s, r=r: (s[r, 0] if s.ndim == 2 else s[0]).item(), stack)
            for r in (0, 1)
        )
        return closed_form(
            self._game.name, replace(total, m=int(total.m)), replace(part, m=int(part.m))
        )


def _centers(stack: Summary) -> tuple[Any, Any]:
    return stack.center, stack.center2


def _listed(stack: Summary) -> Any:
    """The sums as rows: counts, Σd and Σd² of frame and group; for two columns Σe and Σde."""
    sums = (stack.a2, stack.ab) if stack.two_columns else (stack.b,)
    return np.concatenate([stack.m, stack.a, *sums])


def _products(sums: list[float]) -> tuple[int, float, float]:
    """The group's count, and Σde of frame and group about the frame's means."""
    n, m, a, a_p, a2, a2_p, ab, ab_p = sums
    r, r2 = a / n, a2 / n
    return int(m), ab - r * a2, ab_p - r * a2_p - r2 * (a_p - m * r)
