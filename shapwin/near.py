"""Short frames of a column, one after another, at two look-ups and an addition each.

Rows are cut into blocks of 1, of 2, of 4 … rows. Whatever frame is asked for, there is a size of
which two neighbouring blocks hold it: its sums are those from its begin to the border of the two,
and from there to its end. Both are about the row at the border, which the frame holds; nothing is
subtracted, and no sum has more in it than the frame.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from .arguments import BoolArray, FloatArray

# Rows laid out at once; a frame is at most half as long.
_LAID_OUT = 4096
# Of a column of so few rows the frames are added up one by one: to lay it out would take longer.
_FEW = 64

# The group's count, then Σd of all and of the group, then their Σd²: of as many as were asked for.
Sums = tuple[float, ...]


class NearFrames:
    """The sums of short frames.

    Parameters
    ----------
    y : array of float, shape (N,)
        Finite values.
    member : array of bool, shape (N,)
        Which of them belong to the group.
    squares : bool
        Whether sums of squares are wanted as well.
    center : float, optional
        What all sums are about; without, about a row of the frame.

    Examples
    --------
    >>> frames = NearFrames(np.array([2.0, 4.0, 10.0]), np.array([False, False, True]), False)
    >>> frames.sums(0, 3)
    (2.0, 1.0, 10.0, 8.0)
    """

    longest = _LAID_OUT // 2

    def __init__(
        self, y: FloatArray, member: BoolArray, squares: bool, center: float | None = None
    ) -> None:
        self.y, self.member, self.squares, self.center = y, member, squares, center
        self._begin = self._end = 0
        self._top = 0
        self._rows: list[float] = []
        self._few = [*zip(y.tolist(), member.tolist(), strict=True)] if y.size <= _FEW else None
        self._tables: list[tuple[list[Sums], list[Sums]] | None] = []

    def sums(self, begin: int, end: int) -> Sums:
        """Return the centre and the sums about it of a frame of up to `longest` rows."""
        if self._few is not None:
            return self._added(self._few[begin:end])
        if begin < self._begin or end > self._end:
            self._lay_out(begin)
        i, j = begin - self._begin, end - 1 - self._begin
        shift = (i ^ j).bit_length() - 1
        if shift > self._top or shift < 0:
            if shift < 0:
                return self._single(begin)
            if end - begin > 1 << self._top:
                self._top = (end - begin - 1).bit_length()
            shift = min(shift, self._top)
        table = self._tables[shift]
        if table is None:
            table = self._tables[shift] = self._table(1 << shift)
        left, right = table[0][i], table[1][j]
        center = self._rows[j >> shift << shift] if self.center is None else self.center
        if self.squares:
            m0, a0, p0, b0, q0 = left
            m1, a1, p1, b1, q1 = right
            return center, m0 + m1, a0 + a1, p0 + p1, b0 + b1, q0 + q1
        m0, a0, p0 = left
        m1, a1, p1 = right
        return center, m0 + m1, a0 + a1, p0 + p1

    def _added(self, rows: list[tuple[float, bool]]) -> Sums:
        """The sums of some rows, in plain Python."""
        center = rows[0][0] if self.center is None else self.center
        m = a = a_p = b = b_p = 0.0
        for y, inside in rows:
            d = y - center
            square = d * d
            a += d
            b += square
            if inside:
                m += 1.0
                a_p += d
                b_p += square
        return (center, m, a, a_p, b, b_p) if self.squares else (center, m, a, a_p)

    def _single(self, row: int) -> Sums:
        return self._added([(float(self.y[row]), bool(self.member[row]))])

    def _lay_out(self, begin: int) -> None:
        self._begin, self._end = begin, begin + _LAID_OUT
        self._rows = self.y[begin : self._end].tolist()
        self._tables = [None] * _LAID_OUT.bit_length()

    def _table(self, size: int) -> tuple[list[Sums], list[Sums]]:
        """Sums from every row to the end of its block, and from its block's start to it.

        About the first row of the block after the end, and of the block itself, or as asked for.
        """
        rows = slice(self._begin, self._end)
        fill = (0, -self.y[rows].size % size)
        y = np.pad(self.y[rows], fill).reshape(-1, size)
        member = np.pad(self.member[rows], fill).reshape(-1, size)
        first = y[:, :1] if self.center is None else np.full((len(y), 1), self.center)
        after = np.append(first[1:], first[:1], axis=0)
        with np.errstate(all="ignore"):
            to_end = self._summed(y[:, ::-1] - after, member[:, ::-1])
            from_start = self._summed(y - first, member)
        return _listed(field[:, ::-1] for field in to_end), _listed(from_start)

    def _summed(self, d: FloatArray, member: BoolArray) -> list[Any]:
        """The running sums along each block."""
        fields = [member, d, np.where(member, d, 0.0)]
        if self.squares:
            fields += [d * d, fields[2] * d]
        return [np.cumsum(field, axis=1, dtype=np.float64) for field in fields]


def _listed(fields: Any) -> list[Sums]:
    return list(zip(*(field.ravel().tolist() for field in fields), strict=True))
