"""Any frame [begin, end) of a sequence, answered without ever subtracting one sum from another.

Rows are cut into short blocks. A frame is the end of one block, some whole blocks and the start of
another: three pieces that hold nothing but the frame's own tuples, so a NaN, an Inf or a 10¹⁷
leaves no trace in the frames without it (Khani & Assent, Corollaries 1 and 2, with merges only).

Every sum is about a point inside its own piece, and groups share the centre of the whole. As
Σ_{i∈S}(y_i−ȳ_S)² only grows when S does, no sum on the way is much larger than the frame's own.

The pieces are *stacks*: a `Summary` with sums of shape (1 + groups, n), row 0 the whole and the
others groups of its tuples, and centres of shape (n,).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from .arguments import column, flags, whole_number
from .errors import ArgumentError
from .summary import (
    Summary,
    about_given,
    checked_center,
    checked_summary,
    each_field,
    merge_stacks,
)

FloatArray = NDArray[np.float64]
BoolArray = NDArray[np.bool_]
IndexArray = NDArray[np.int64]

# Rows and frames worked on at once: past this size memory costs more than calls do.
_AT_ONCE = 32768

# Rows in a block: enough that blocks are few, few enough for one centre a block.
BLOCK = 64


class Frames:
    """A sequence of tuples, or of summaries, ready to answer any frame of it in constant time.

    Make one with `of_rows` or `of_summaries`.

    Examples
    --------
    >>> frames = Frames.of_rows([2.0, 4.0, 10.0, 9.0], [False, True, True, False])
    >>> total, groups = frames.answer([0, 1], [3, 4])
    >>> total.mean.round(2).tolist(), groups.m.tolist()
    ([5.33, 7.67], [[2.0, 2.0]])
    """

    def __init__(self, length: int, pieces: Pieces, odd: Odd | None = None) -> None:
        self.length = length
        self.pieces = pieces
        self.odd = odd

    @classmethod
    def of_rows(
        cls,
        values: ArrayLike,
        members: ArrayLike,
        other: ArrayLike | None = None,
        *,
        order: int = 2,
        block: int = BLOCK,
        center: float | None = None,
    ) -> Frames:
        """Prepare tuples.

        Parameters
        ----------
        values : array of float, shape (N,)
            In the order that frames refer to. NaN and ±Inf are values.
        members : array of bool, shape (N,) or (groups, N)
            Which tuples belong to each group.
        other : array of float, shape (N,), optional
            The second column of covariances.
        order : int, default 2
            The highest power kept, for central moments.
        block : int
            Rows in a block. Frames within one block cost a step a row.
        center : float, optional
            What all sums are about, of both columns, such as 0 for a SUM. Without, those of a
            frame are about values in it, as variances need.

        Raises
        ------
        ArgumentError
            If shapes differ, `order` is below 2, `block` below 1 or `center` not finite.
        ArgumentTypeError
            If there is anything but numbers in a column, or anything but bool in `members`.
        """
        y, groups, x = checked_rows(values, members, other, "members")
        order, block = whole_number("order", order, 2), whole_number("block", block, 1)
        center = None if center is None else float(checked_center("center", center))
        rows = Rows(finite(y), groups, None if x is None else finite(x), order, block, center)
        return cls(y.size, rows, Odd.of(y, groups, x))

    @classmethod
    def of_summaries(
        cls, items: Summary, members: ArrayLike, *, center: float | None = None
    ) -> Frames:
        """Prepare summaries, such as the pane rows of one key in time order.

        Parameters
        ----------
        items : Summary
            Fields are arrays of shape (N,); items with m = 0 are allowed.
        members : array of bool, shape (N,) or (groups, N)
            Which items belong to each group.
        center : float, optional
            As in `of_rows`.

        Raises
        ------
        ArgumentError
            If shapes differ.
        ArgumentTypeError
            If `items` is no summary, or `members` is not Boolean.
        """
        items = checked_summary("items", items)
        if center is not None:
            items = about_given(items, float(checked_center("center", center)))
        return cls.of_stack(stack_of(items, members))

    @classmethod
    def of_stack(cls, stack: Summary) -> Frames:
        """Make one of a stack: sums of shape (1 + groups, N), centres of shape (N,)."""
        return cls(stack.m.shape[-1], Stacks(stack))

    def answer(self, begin: ArrayLike, end: ArrayLike) -> tuple[Summary, Summary]:
        """Return the summaries of frames and of the groups in them.

        Parameters
        ----------
        begin, end : array of int, shape (frames,)
            Frame i is [begin[i], end[i]): in any order, of any length, empty if end <= begin.

        Returns
        -------
        total, parts : Summary
            Sums of shape (frames,) and (groups, frames), about common centres.

        Raises
        ------
        ArgumentError
            If a frame reaches beyond the sequence.
        """
        b, e = checked_frames(begin, end, self.length)
        starts = range(0, max(b.size, 1), _AT_ONCE)
        with np.errstate(all="ignore"):
            stack = end_to_end(
                [self.pieces.answer(b[i : i + _AT_ONCE], e[i : i + _AT_ONCE]) for i in starts]
            )
            if self.odd is not None:
                stack = self.odd.put_back(stack, b, e)
        return _rows_of(stack, 0), _rows_of(stack, slice(1, None))


class Pieces:
    """Items cut into blocks, with the stacks from every item to the two ends of its block.

    A range is the end of one block, whole blocks (a range of the level above) and the start of
    another; a range within one block is merged item by item. Building takes O(N) merges, a range
    O(log N) of them.
    """

    block: int

    def edges(self) -> tuple[Summary, Summary]:
        """Return for every item the stacks from it to its block's end and from its start to it."""
        raise NotImplementedError

    def above(self) -> Pieces:
        """Return the level whose items are this level's blocks."""
        raise NotImplementedError

    def within(self, begin: IndexArray, end: IndexArray) -> Summary:
        """Return the stacks of ranges that lie in one block, or are empty."""
        raise NotImplementedError

    def answer(self, begin: IndexArray, end: IndexArray) -> Summary:
        """Return the stacks of the ranges [begin, end); the empty ones are all zero."""
        long = begin // self.block < (end - 1) // self.block
        if long.all():
            return self._across(begin, end)
        if not long.any():
            return self.within(begin, end)
        order = np.argsort(~long, kind="stable")
        cut = int(long.sum())
        b, e, back = begin[order], end[order], np.empty_like(order)
        back[order] = np.arange(order.size)
        answers = [self._across(b[:cut], e[:cut]), self.within(b[cut:], e[cut:])]
        return end_to_end(answers).take(back)

    def _across(self, begin: IndexArray, end: IndexArray) -> Summary:
        suffix, prefix = self.edges()
        first, last = begin // self.block + 1, (end - 1) // self.block
        left, right = suffix.take(begin), prefix.take(end - 1)
        if (first < last).any():
            left = merge_stacks(left, self._whole_blocks(first, last))
        return merge_stacks(left, right)

    def _whole_blocks(self, first: IndexArray, last: IndexArray) -> Summary:
        """The stacks of ranges of blocks; ranges in order repeat, and are answered once."""
        new = np.append(True, (np.diff(first) != 0) | (np.diff(last) != 0))
        stacks = self.above().answer(first[new], last[new])
        return stacks if new.all() else stacks.take(np.cumsum(new) - 1)


class Stacks(Pieces):
    """A level of stacks.

    Parameters
    ----------
    items : Summary
        A stack of N items, some of them perhaps empty.
    """

    block = 16

    def __init__(self, items: Summary) -> None:
        fill = -items.m.shape[-1] % self.block or self.block
        self.items = each_field(lambda s: np.pad(s, [(0, 0)] * (s.ndim - 1) + [(0, fill)]), items)
        self._edges: tuple[Summary, Summary] | None = None
        self._above: Pieces | None = None

    def edges(self) -> tuple[Summary, Summary]:
        """As in `Pieces`."""
        if self._edges is None:
            places = [self.items.take(slice(k, None, self.block)) for k in range(self.block)]
            starts, ends = places[:1], places[-1:]
            for place in places[1:]:
                starts.append(merge_stacks(starts[-1], place))
            for place in places[-2::-1]:
                ends.append(merge_stacks(place, ends[-1]))
            self._edges = _interleaved(ends[::-1]), _interleaved(starts)
        return self._edges

    def above(self) -> Pieces:
        """As in `Pieces`."""
        if self._above is None:
            self._above = Stacks(self.edges()[0].take(slice(None, None, self.block)))
        return self._above

    def within(self, begin: IndexArray, end: IndexArray) -> Summary:
        """As in `Pieces`."""
        length = end - begin
        result = masked(self.items.take(begin), length > 0)
        for k in range(1, int(length.max(initial=0))):
            inside = k < length
            item = self.items.take(np.where(inside, begin + k, begin))
            result = merge_stacks(result, masked(item, inside))
        return result


class Rows(Pieces):
    """The level of single, finite tuples.

    Parameters
    ----------
    y, x : array of float, shape (N,)
        Finite values; `x` may be None.
    groups : array of bool, shape (groups, N)
    order, block, center
        As in `Frames.of_rows`.
    """

    def __init__(
        self,
        y: FloatArray,
        groups: BoolArray,
        x: FloatArray | None,
        order: int,
        block: int,
        center: float | None,
    ) -> None:
        fill = -y.size % block or block
        self.y = np.pad(y, (0, fill))
        self.x = None if x is None else np.pad(x, (0, fill))
        self.chosen = np.pad(_with_all(groups), ((0, 0), (0, fill)))
        self.order, self.block, self.center = order, block, center
        self._edges: tuple[Summary, Summary] | None = None
        self._above: Pieces | None = None

    def about(self, index: Any, center: FloatArray, center2: FloatArray | None) -> Summary:
        """Return the stacks of single tuples about given centres."""
        chosen = self.chosen[:, index]
        d = self.y[index] - center
        powers = [np.where(chosen, d, 0.0)]
        while len(powers) < self.order:
            powers.append(powers[-1] * d)
        m, higher = chosen.astype(np.float64), tuple(powers[2:])
        if self.x is None:
            return Summary(m, powers[0], powers[1], center, higher=higher)
        a2 = np.where(chosen, self.x[index] - center2, 0.0)
        return Summary(m, powers[0], powers[1], center, a2, a2 * d, center2, higher)

    def above(self) -> Pieces:
        """As in `Pieces`; the blocks are about their means."""
        if self._above is None:
            self._above = Stacks(self._chunked(self._blocks))
        return self._above

    def _blocks(self, rows: slice) -> Summary:
        c, c2 = self._centers(rows, _mean)
        stack = each_field(self._by_block, self.about(rows, c, c2))
        sums = each_field(lambda s: s.sum(axis=-1), stack)
        first = (None if s is None else s[:: self.block] for s in (c, c2))
        return replace(sums, center=next(first), center2=next(first))

    def edges(self) -> tuple[Summary, Summary]:
        """As in `Pieces`, about the last and the first row of the block: rows of the piece."""
        if self._edges is None:
            self._edges = self._chunked(self._to_end), self._chunked(self._from_start)
        return self._edges

    def _to_end(self, rows: slice) -> Summary:
        c, c2 = self._centers(rows, lambda block: block[:, -1:])
        stack = each_field(self._by_block, self.about(rows, c, c2))
        sums = each_field(lambda s: s[..., ::-1].cumsum(axis=-1)[..., ::-1], stack)
        return replace(_flat(sums), center=c, center2=c2)

    def _from_start(self, rows: slice) -> Summary:
        c, c2 = self._centers(rows, lambda block: block[:, :1])
        stack = each_field(self._by_block, self.about(rows, c, c2))
        sums = each_field(lambda s: s.cumsum(axis=-1), stack)
        return replace(_flat(sums), center=c, center2=c2)

    def _centers(self, rows: slice, of_block: Callable[[FloatArray], FloatArray]) -> Any:
        """One centre a block for both columns, repeated for its rows."""
        return (
            None
            if s is None
            else self._or_given(of_block(self._by_block(s[rows]))).repeat(self.block)
            for s in (self.y, self.x)
        )

    def _or_given(self, centers: FloatArray) -> FloatArray:
        return centers if self.center is None else np.full_like(centers, self.center)

    def _by_block(self, field: Any) -> Any:
        return field.reshape(*field.shape[:-1], -1, self.block)

    def _chunked(self, work: Callable[[slice], Summary]) -> Summary:
        step = max(_AT_ONCE // self.block, 1) * self.block
        return end_to_end([work(slice(i, i + step)) for i in range(0, self.y.size, step)])

    def within(self, begin: IndexArray, end: IndexArray) -> Summary:
        """As in `Pieces`, about the first row."""
        length = np.minimum(end - begin, self.block)
        places = np.arange(max(length.max(initial=0), 1))
        step = max(_AT_ONCE // places.size, 1)
        some = (slice(i, i + step) for i in range(0, max(begin.size, 1), step))
        return end_to_end([self._summed(begin[s], length[s], places) for s in some])

    def _summed(self, begin: IndexArray, length: IndexArray, places: IndexArray) -> Summary:
        inside = places < length[:, None]
        index = np.where(inside, begin[:, None] + places, begin[:, None])
        c = self._or_given(self.y[begin])
        c2 = None if self.x is None else self._or_given(self.x[begin])
        about = self.about(index, c[:, None], None if c2 is None else c2[:, None])
        sums = each_field(lambda s: s.sum(axis=-1), masked(about, inside))
        return replace(sums, center=c, center2=c2)


class Odd:
    """The NaN and ±Inf of a column, kept apart: how many of each kind lie before every row.

    Counts are exact whole numbers, so their differences are; sums of such values are not.

    Parameters
    ----------
    before, before2 : array of int, shape (3, 1 + groups, N + 1)
        Of the value and of the second column: counts of NaN, +Inf and −Inf.
    """

    def __init__(self, before: Any, before2: Any) -> None:
        self.before, self.before2 = before, before2

    @classmethod
    def of(cls, y: FloatArray, groups: BoolArray, x: FloatArray | None) -> Odd | None:
        """Count them, or return None if all values are finite."""
        if np.isfinite(y).all() and (x is None or np.isfinite(x).all()):
            return None
        chosen = _with_all(groups)
        return cls(_counts(y, chosen), None if x is None else _counts(x, chosen))

    def put_back(self, stack: Summary, b: IndexArray, e: IndexArray) -> Summary:
        """Add to the sums of frames what the finite rows lack."""
        odd = _odd_sum(self.before, b, e)
        higher = tuple(h + odd**q for q, h in enumerate(stack.higher, start=3))
        stack = replace(stack, a=stack.a + odd, b=stack.b + odd * odd, higher=higher)
        if self.before2 is None:
            return stack
        odd2 = _odd_sum(self.before2, b, e)
        return replace(stack, a2=stack.a2 + odd2, ab=stack.ab + odd * 0 + odd2 * 0)


def _counts(column: FloatArray, chosen: BoolArray) -> Any:
    kinds = np.array([np.isnan(column), column == np.inf, column == -np.inf])
    counts = np.cumsum(kinds[:, None, :] & chosen, axis=-1)
    return np.pad(counts, ((0, 0), (0, 0), (1, 0)))


def _odd_sum(before: Any, b: IndexArray, e: IndexArray) -> FloatArray:
    nan, high, low = before[..., e] - before[..., b] > 0
    infinite = np.where(high, np.inf, np.where(low, -np.inf, 0.0))
    return np.where(nan | (high & low), np.nan, infinite)


# ---- helpers ---------------------------------------------------------------------------------


def checked_rows(
    values: Any, members: Any, other: Any, name: str = "member"
) -> tuple[Any, Any, Any]:
    """Return values (N,), groups (G, N) and the second column once their shapes agree."""
    y, x = column("values", values), None if other is None else column("other", other)
    groups = np.atleast_2d(flags(name, members))
    if groups.ndim != 2:
        raise ArgumentError(f"{name} has {groups.ndim} dimensions: give one row of bool a group")
    sizes = ((name, groups.shape[-1]), ("other", y.size if x is None else x.size))
    for argument, size in sizes:
        if size != y.size:
            raise ArgumentError(
                f"{argument} has {size} entries but values has {y.size}: give as many"
            )
    return y, groups, x


def checked_frames(begin: Any, end: Any, length: int) -> tuple[IndexArray, IndexArray]:
    """Return the bounds of frames of a sequence of this length; empty frames as [0, 0)."""
    b, e = _bounds("begin", begin), _bounds("end", end)
    if b.shape != e.shape:
        raise ArgumentError(f"begin has {b.size} entries but end has {e.size}: give as many")
    some = e > b
    wrong = some & ((b < 0) | (e > length))
    if wrong.any():
        i = int(np.argmax(wrong))
        raise ArgumentError(
            f"frame [{b[i]}, {e[i]}) reaches beyond the {length} rows: clip begin and end"
        )
    return np.where(some, b, 0).astype(np.int64), np.where(some, e, 0).astype(np.int64)


def _bounds(name: str, bounds: Any) -> Any:
    array = np.asarray(bounds)
    if array.ndim != 1 or (array.dtype.kind not in "iu" and array.size):
        raise ArgumentError(
            f"{name} has type {array.dtype} and shape {array.shape}: give one whole number a frame"
        )
    return array


def stack_of(items: Summary, members: Any) -> Summary:
    """The stack of summaries, shape (N,), and of the groups that these members make."""
    _, groups, _ = checked_rows(checked_summary("items", items).m, members, None, "members")
    return masked(items, _with_all(groups))


def finite(column: FloatArray) -> FloatArray:
    """The column with 0 in place of NaN and ±Inf."""
    return np.where(np.isfinite(column), column, 0.0)


def masked(stack: Summary, kept: BoolArray) -> Summary:
    """The same sums where `kept`, and none elsewhere."""
    sums = each_field(lambda s: np.where(kept, s, 0.0), stack)
    return replace(sums, center=stack.center, center2=stack.center2)


def _with_all(groups: BoolArray) -> BoolArray:
    return np.concatenate([np.ones((1, groups.shape[1]), dtype=np.bool_), groups])


def _mean(block: FloatArray) -> FloatArray:
    """The mean of every block, as one entry plus a step: equal values are their own mean."""
    first = block[:, :1]
    return np.asarray(first + (block - first).mean(axis=-1, keepdims=True))


def _flat(stack: Summary) -> Summary:
    return each_field(lambda s: s.reshape(*s.shape[:-2], -1), stack)


def end_to_end(parts: list[Summary]) -> Summary:
    """Concatenate summaries along the last axis."""
    return each_field(lambda *fields: np.concatenate(fields, axis=-1), *parts)


def _interleaved(places: list[Summary]) -> Summary:
    """Lay out in the order of items what was found for each place in a block."""
    return _flat(each_field(lambda *fields: np.stack(fields, axis=-1), *places))


def _rows_of(stack: Summary, rows: Any) -> Summary:
    """The whole (row 0) or the groups of a stack."""
    return each_field(lambda s: s[rows] if s.ndim == 2 else s, stack)
