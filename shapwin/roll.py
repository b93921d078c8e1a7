"""The attribution of every window of a column at once.

Windows of one size are swept a row at a time, for all blocks of rows together: the window that
begins at row r of block k has the rows r … of its block, whole blocks, and the first rows of a
later one. Whole blocks come from `frames`, and their mean is the centre of all sums;
they are part of the window, so it is as good as the window's own. Nothing is subtracted.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from .arguments import whole_number
from .errors import ArgumentError
from .frames import Frames, Stacks, checked_frames, checked_rows, finite
from .games import DEVIATIONS, PRODUCTS, SQUARES, Game, closed_form, game_of, split
from .summary import Summary, each_field

FloatArray = NDArray[np.float64]

# Rows in a block, where windows are long enough, and blocks swept together: what measured best.
_ROWS = 64
_BLOCKS = 4096
# Frames answered together when they are not all of one size.
_FRAMES = 32768


def rolling(
    values: ArrayLike,
    member: ArrayLike,
    *,
    size: int | None = None,
    begin: ArrayLike | None = None,
    end: ArrayLike | None = None,
    statistic: str = "avg",
    other: ArrayLike | None = None,
) -> FloatArray:
    """Return Φ of one group in every window of a column.

    Parameters
    ----------
    values : array of float, shape (N,)
        The tuples in the order of the windows. NaN and ±Inf are values: the windows that hold
        one are NaN or ±Inf, and no others.
    member : array of bool, shape (N,)
        Which tuples belong to the group.
    size : int, optional
        Tuples in a window: window i is ``values[max(0, i-size+1) … i]``, one for every tuple.
    begin, end : array of int, shape (windows,), optional
        Instead of `size`: window i is ``values[begin[i]:end[i]]``, in any order.
    statistic : str, default "avg"
        As in `closed_form`.
    other : array of float, shape (N,), optional
        The second column of covariances.

    Returns
    -------
    ndarray of float, shape (N,) or (windows,)
        Φ in the statistic's unit; NaN for an empty window, 0 for a window without members.

    Raises
    ------
    StatisticError
        If the statistic is unknown or has no closed form.
    ArgumentError
        If shapes differ, a window reaches beyond the column, or not exactly one of `size` and
        `begin` with `end` is given.
    ArgumentTypeError
        If there is anything but numbers in a column, or anything but bool in `member`.

    Examples
    --------
    >>> rolling([2.0, 4.0, 10.0], [False, False, True], size=3).round(3).tolist()
    [0.0, 0.0, 5.278]
    >>> rolling([2.0, 4.0, 10.0], [False, True, True], begin=[0, 1], end=[2, 3]).tolist()
    [2.5, 7.0]
    """
    game = game_of(statistic)
    y, groups, x = checked_rows(values, member, other)
    if len(groups) != 1 or np.ndim(member) != 1:
        raise ArgumentError("member has several rows: give one bool for each of values")
    if game.columns == 2 and x is None:
        raise ArgumentError(f"statistic {game.name!r} needs a second column: give other=")
    if (size is None) == (begin is None) or (begin is None) != (end is None):
        raise ArgumentError("give either size, or begin and end of every window")
    if size is None:
        with np.errstate(all="ignore"):
            return _by_frames(game, y, groups, x, *checked_frames(begin, end, y.size))
    size = min(whole_number("size", size, 1), max(y.size, 1))
    with np.errstate(all="ignore"):
        return _by_size(game, y, groups, x, size)


def _by_frames(game: Any, y: Any, groups: Any, x: Any, begin: Any, end: Any) -> FloatArray:
    size = _one_size(begin, end, y.size)
    if size:
        return _by_size(game, y, groups, x, size)
    return _any_frames(game, y, groups, x, begin, end)


def _one_size(begin: Any, end: Any, length: int) -> int:
    """The size of the windows, if they are those of a whole column with `size` given; else 0."""
    if len(end) != length or length == 0:
        return 0
    stop = np.arange(1, length + 1)
    size = int(np.max(end - begin))
    same = np.array_equal(end, stop) and np.array_equal(begin, np.maximum(stop - size, 0))
    return size if same else 0


def _by_size(game: Any, y: Any, groups: Any, x: Any, size: int) -> FloatArray:
    stop = np.arange(1, y.size + 1)
    simple = isinstance(game, Game) and game.moment != PRODUCTS and game.center is None
    if not simple or size == 1 or y.size == 0:  # a window of one row holds no whole block
        return _any_frames(game, y, groups, x, np.maximum(stop - size, 0), stop)
    odd = ~np.isfinite(y)
    if not odd.any():
        return _sized(game, y, groups[0], size)
    phi = _sized(game, finite(y), groups[0], size)
    before = np.concatenate([[0], np.cumsum(odd)])
    again = np.flatnonzero(before[stop] > before[np.maximum(stop - size, 0)])
    begin = np.maximum(stop[again] - size, 0)
    phi[again] = _any_frames(game, y, groups, x, begin, stop[again])
    return phi


def _any_frames(game: Any, y: Any, groups: Any, x: Any, begin: Any, end: Any) -> FloatArray:
    typical = int(np.median(end - begin)) if len(begin) else 0
    block = _ROWS if y.size <= _ROWS else _block_for(typical)
    frames = Frames.of_rows(
        y,
        groups,
        x if game.columns == 2 else None,
        order=game.order,
        block=block,
        center=game.center,
    )
    phi = np.empty(len(begin))
    for i in range(0, len(begin), _FRAMES):
        some = slice(i, i + _FRAMES)
        total, parts = frames.answer(begin[some], end[some])
        phi[some] = closed_form(game.name, total, parts).phi[0]
    return phi


def _block_for(size: int) -> int:
    """Rows in a block such that a window holds at least one whole block."""
    return max(1, min(_ROWS, 1 << max(size // 2, 1).bit_length() - 1))


# ---- windows of one size ---------------------------------------------------------------------


def _sized(game: Game, y: FloatArray, member: Any, size: int) -> FloatArray:
    """Φ of the windows that end at each row; the first ones are shorter than `size`."""
    block = _block_for(min(size, y.size))
    column = _Column(y, member, block)
    phi = np.empty(column.padded)
    _growing(game, column, min(size, y.size), phi)
    if y.size > size:
        _full(game, column, size, y.size, phi)
    return phi[: y.size]


class _Column:
    """Finite rows and members, cut into blocks, with the stacks of the blocks."""

    def __init__(self, y: FloatArray, member: Any, block: int) -> None:
        self.block = block
        self.count = -(-y.size // block)
        self.padded = self.count * block
        spare = (self.count + 2) * block - y.size  # windows may look two blocks ahead
        self.y = np.pad(y, (0, spare)).reshape(-1, block)
        self.member = np.pad(member, (0, spare)).reshape(-1, block)
        self.blocks = Stacks(_block_stacks(self.y[: self.count], self.member[: self.count]))

    def rows(self, blocks: slice) -> tuple[FloatArray, FloatArray]:
        """Values and members of some blocks, one row of the result for each place in a block."""
        y, member = self.y[blocks], self.member[blocks]
        return np.ascontiguousarray(y.T), np.ascontiguousarray(member.T, dtype=np.float64)


def _block_stacks(y: FloatArray, member: Any) -> Summary:
    """The stacks (whole, group) of full blocks, about their means."""
    c = y[:, 0] + (y - y[:, :1]).mean(axis=1)
    d = y - c[:, None]
    d_p = np.where(member, d, 0.0)
    m = np.stack([np.full(len(y), float(y.shape[1])), member.sum(axis=1, dtype=np.float64)])
    a = np.stack([d.sum(axis=1), d_p.sum(axis=1)])
    b = np.stack([np.einsum("ij,ij->i", d, d), np.einsum("ij,ij->i", d_p, d_p)])
    return Summary(m, a, b, c)


class _Sums:
    """Sums of many windows about a centre each: Σd, Σd² and, of the group, m, Σd, Σd².

    Parameters
    ----------
    center : array of float, shape (windows,)
    stack : Summary
        What the windows hold to begin with, about any centres.
    squares : bool
        Whether the game needs Σd².
    """

    def __init__(self, stack: Summary, squares: bool) -> None:
        self.center, self.squares = stack.center, squares
        self.a, self.m, self.a_p = stack.a[0].copy(), stack.m[1].copy(), stack.a[1].copy()
        self.b, self.b_p = stack.b[0].copy(), stack.b[1].copy()
        self._d, self._d_p = np.empty_like(self.a), np.empty_like(self.a)

    def add(self, y: FloatArray, member: FloatArray) -> None:
        """Let every window grow by one row."""
        d, d_p = self._d, self._d_p
        np.subtract(y, self.center, out=d)
        np.multiply(d, member, out=d_p)
        self.a += d
        self.a_p += d_p
        self.m += member
        if self.squares:
            d *= d
            d_p *= d_p
            self.b += d
            self.b_p += d_p

    def kept(self) -> tuple[FloatArray, ...]:
        """A copy of the sums as they are."""
        sums = (self.a, self.m, self.a_p, self.b, self.b_p)
        return tuple(s.copy() for s in (sums if self.squares else sums[:3]))

    def phi(
        self, game: Game, n: Any, scale: Any, more: tuple[FloatArray, ...] | None
    ) -> FloatArray:
        """Φ of the windows, of n tuples each, with `more` sums about the same centres."""
        sums = (self.a, self.m, self.a_p, self.b, self.b_p)
        if more is not None:
            sums = tuple(s + t for s, t in zip(sums, more, strict=False))
        a, m, a_p, *squares = sums
        divisor, weight = scale
        r = a / n  # from the centre to the window's mean
        if game.moment == SQUARES:
            b, b_p = squares
            whole = np.maximum(b - r * a, 0.0)
            part = np.maximum(b_p - r * (2 * a_p - m * r), 0.0)
            _, share, lift = split(n, m, 0.0, whole, part, divisor)
        elif game.moment == DEVIATIONS:
            _, share, lift = split(n, m, self.center + r, 0.0, a_p - m * r, divisor)
        else:
            return np.asarray(m)
        return np.asarray(share + weight * lift)


def _scale(game: Game, n: Any) -> tuple[Any, Any]:
    n = np.asarray(n, dtype=np.float64)
    return game.divisor(n), game.weight(n)


def _growing(game: Game, column: _Column, longest: int, phi: FloatArray) -> None:
    """Fill in the windows [0, e) for e up to `longest`: whole blocks, then row by row."""
    last = -(-longest // column.block)
    for first in range(0, last, _BLOCKS):
        k = np.arange(first, min(first + _BLOCKS, last))
        y, member = column.rows(slice(first, k[-1] + 1))
        stack = column.blocks.answer(np.zeros_like(k), k)
        if first == 0:
            stack.center[0] = y[0, 0]
        sums = _Sums(stack, game.moment == SQUARES)
        result = np.empty((column.block, k.size))
        for row in range(column.block):
            sums.add(y[row], member[row])
            n = (k * column.block + row + 1).astype(np.float64)
            result[row] = sums.phi(game, n, _scale(game, n), None)
        phi.reshape(-1, column.block)[first : first + k.size] = result.T


def _full(game: Game, column: _Column, size: int, length: int, phi: FloatArray) -> None:
    """Fill in the windows [b, b + size): the end of a block, whole blocks, rows of later ones."""
    block = column.block
    wholes, ahead = divmod(size, block)
    scale = _scale(game, size)
    last = (length - size) // block + 1
    for first in range(0, last, _BLOCKS):
        k = np.arange(first, min(first + _BLOCKS, last))
        middle = column.blocks.answer(k + 1, k + wholes)
        ends = _ends_of_blocks(column, first, middle, game.moment == SQUARES)
        sums = _Sums(middle, game.moment == SQUARES)
        y, member = column.rows(slice(first + wholes, k[-1] + wholes + 2))
        result = np.empty((block, k.size))
        for row in range(block + ahead):
            if row >= ahead:
                result[row - ahead] = sums.phi(game, size, scale, ends[row - ahead])
            next_block, place = divmod(row, block)
            some = slice(next_block, next_block + k.size)
            sums.add(y[place, some], member[place, some])
        flat = result.T.ravel()
        start = first * block + size - 1
        stop = min(start + flat.size, length)
        phi[start:stop] = flat[: stop - start]


def _ends_of_blocks(column: _Column, first: int, middle: Summary, squares: bool) -> list[Any]:
    """For each place in a block, the sums from it to the block's end about given centres."""
    y, member = column.rows(slice(first, first + middle.center.size))
    sums = _Sums(each_field(np.zeros_like, middle), squares)
    sums.center = middle.center
    ends = []
    for row in reversed(range(column.block)):
        sums.add(y[row], member[row])
        ends.append(sums.kept())
    return ends[::-1]
