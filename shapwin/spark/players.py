"""The rows of a group, a frame or a partition as players, attributed by the core."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from ..cursor import FrameCursor
from ..frames import Frames
from ..games import Attribution, Scales, closed_form, game_of
from ..roll import rolling
from ..summary import Summary, about_given
from .arguments import Bools, condition, is_summaries, numbers, summaries
from .over import Prepared

Ints = NDArray[np.int64]

# Up to so many near frames are answered one by one: NumPy's calls would take longer.
_FEW = 128
# From so many frames on it pays to look for a rule that they follow.
_MANY = 256


@dataclass(frozen=True)
class Players:
    """Rows that are players: those whose values are not NULL.

    Parameters
    ----------
    values : array of float, or Summary of arrays
        One number a player, or one summary of several.
    member : array of bool
        Which of them the predicate holds for.
    other : array of float, optional
        The second column of a covariance.
    before : array of int
        How many players lie before each row, and after the last.
    """

    values: Any
    member: Bools
    other: Any
    before: Ints

    @classmethod
    def of(cls, function: str, value: pa.Array, *more: pa.Array) -> Players:
        """Read ``value, predicate`` or ``value, other, predicate``."""
        member = condition(function, more[-1])
        y: Any
        x: Any = None
        if len(more) == 2:
            y, known = numbers(function, "value", value)
            x, x_known = numbers(function, "other", more[0])
            known = known & x_known
        elif is_summaries(value):
            y, known = summaries(function, value)
        else:
            y, known = numbers(function, "value", value)
        before = np.concatenate([[0], np.cumsum(known)])
        if known.all():
            return cls(y, member, x, before)
        y = y.take(np.flatnonzero(known)) if isinstance(y, Summary) else y[known]
        return cls(y, member[known], None if x is None else x[known], before)

    def attribution(self, statistic: str) -> Attribution:
        """Attribute the aggregate over all of them."""
        game, member = game_of(statistic), self.member
        order, center = game.order, game.center
        if isinstance(self.values, Summary):
            items = about_given(self.values, center)
            chosen = items.take(np.flatnonzero(member))
            return closed_form(statistic, items.total(), chosen.total())
        x = self.other
        total = Summary.of(self.values, x, order=order, center=center)
        x = None if x is None else x[member]
        part = Summary.of(self.values[member], x, order=order, center=center)
        return closed_form(statistic, total, part)


class Frame(Prepared):
    """The frames of a partition's players.

    Parameters
    ----------
    players : Players
    statistic : str
    result : callable
        What an answer tells of an `Attribution`.
    only_phi : bool
        Whether that is Φ and nothing else, which can be had faster.
    scales : Scales, optional
        Those of the statistic, which all partitions share.
    """

    def __init__(
        self,
        players: Players,
        statistic: str,
        result: Any,
        only_phi: bool,
        scales: Scales | None = None,
    ) -> None:
        self.players, self.statistic, self.result = players, statistic, result
        self._scales = scales
        self._game = game_of(statistic)
        self.only_phi = only_phi and not isinstance(players.values, Summary)
        self._one: tuple[FrameCursor, list[int]] | None = None
        self._frames: Frames | None = None

    def one(self, begin: int, end: int) -> Any:
        """As in `Prepared`."""
        cursor, before = self._cursor()
        return self.result(cursor.attribute(before[begin], before[end]))

    def many(self, begin: Ints, end: Ints) -> list[Any]:
        """As in `Prepared`."""
        if begin.size <= _FEW and self._cursor()[0].near is not None:
            return [self.one(b, e) for b, e in zip(begin.tolist(), end.tolist(), strict=True)]
        b, e = self.players.before[begin], self.players.before[end]
        if self.only_phi:
            phi: list[Any] = self._phi(b, e).tolist()
            for i in np.flatnonzero(b == e).tolist():
                phi[i] = None
            return phi
        total, parts = self._answered(b, e)
        answers = closed_form(self.statistic, total, parts)
        columns = [np.broadcast_to(field, (1, b.size))[0].tolist() for field in answers]
        return [self.result(Attribution(*row)) for row in zip(*columns, strict=True)]

    def _cursor(self) -> tuple[FrameCursor, list[int]]:
        """What answers one frame, and how many players lie before each row."""
        if self._one is None:
            p = self.players
            cursor = FrameCursor(p.values, p.member, self.statistic, p.other, self._scales)
            self._one = cursor, p.before.tolist()
        return self._one

    def _phi(self, b: Ints, e: Ints) -> Any:
        # Behind the last row the frames of a sliding window end there again and again.
        slid = int(np.argmax(e == e[-1])) + 1
        if b.size < _MANY or 2 * slid <= b.size or not _slide(b[:slid], e[:slid]):
            return self._rolled(b, e)
        phi = self._slid(b[:slid], e[:slid])
        return np.append(phi, self._rolled(b[slid:], e[slid:])) if slid < b.size else phi

    def _slid(self, b: Ints, e: Ints) -> Any:
        """Φ of frames that slide: they are among the windows of one size of their rows."""
        size, rows = int((e - b).max()), slice(int(b[0]), int(e[-1]))
        return np.append(np.nan, self._rolling(rows, size=max(size, 1)))[e[0] - b[0] :]

    def _rolled(self, b: Ints, e: Ints) -> Any:
        rows = slice(int(b.min()), int(e.max()))
        return self._rolling(rows, begin=b - rows.start, end=e - rows.start)

    def _rolling(self, rows: slice, **windows: Any) -> Any:
        p = self.players
        x = None if p.other is None else p.other[rows]
        return rolling(p.values[rows], p.member[rows], statistic=self.statistic, other=x, **windows)

    def _answered(self, b: Ints, e: Ints) -> tuple[Summary, Summary]:
        p = self.players
        if self._frames is None:
            order, center = self._game.order, self._game.center
            self._frames = (
                Frames.of_summaries(p.values, p.member, center=center)
                if isinstance(p.values, Summary)
                else Frames.of_rows(p.values, p.member, p.other, order=order, center=center)
            )
        return self._frames.answer(b, e)


def _slide(b: Ints, e: Ints) -> bool:
    """Whether each frame ends a row after the one before, and begins so from a given size on."""
    moves = np.arange(b.size)
    return np.array_equal(e - e[0], moves) and np.array_equal(
        b, np.maximum(e - (e - b).max(), b[0])
    )
