"""OVER at a cost that does not depend on the frame: one partition prepared, its frames answered.

Spark calls a Python aggregate once a row with slices of the partition's columns. The slices share
the partition's memory, so a call can tell which partition it is in and where: `Partition` keeps
hold of that memory (so no address can be used again), compares it at every call, and falls back to
the plain computation wherever it is not sure.

Where Spark's worker lets all frames of the partition be seen, they are answered ahead, many at
once. Elsewhere those that follow a rule are foreseen: most frames begin and end a step of 0 or 1
row after the one before. All others are answered one by one from a cursor.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from operator import is_
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.types as pt

from .worker_frames import Ints, worker_frames

# Columns of one frame → its answer; columns of a partition → what answers many of its frames.
Plain = Callable[..., Any]
Prepare = Callable[[Sequence[Any]], "Prepared"]
Bind = Callable[..., Sequence[Any]]

# As many frames out of step may be computed plainly before a partition gets a cursor.
_PLAIN_CALLS = 6
# The least number of frames foreseen, and how many of them one call pays for.
_FORESEEN = 256
_PAID = 2
# How much more is paid for foreseeing frames that have not come before.
_DEAREST = 64
# The least number of the worker's frames answered at once: few calls of NumPy, little memory.
_AT_ONCE = 65536
# From one frame to the next, of those that follow a rule: rows that leave, and that enter.
_STEPS = frozenset([(0, 1), (1, 1), (1, 0)])


class Prepared:
    """What answers the frames of a partition; rows are counted from its first."""

    def one(self, begin: int, end: int) -> Any:
        """Answer one frame."""
        raise NotImplementedError

    def many(self, begin: Any, end: Any) -> list[Any]:
        """Answer frames in the order of their calls; begin <= end for each."""
        raise NotImplementedError


class Partition:
    """Where the calls are: a stretch of memory, and the frames that are foreseen in it.

    Parameters
    ----------
    anchors : list
        What tells the columns' memory, held so that nothing else can take its place.
    prepare : callable
        Makes a `Prepared` of the whole columns.
    whole : callable
        Returns the whole columns that slices lie in, or None.
    frames : tuple of arrays, optional
        Begins and ends of all frames to come, as far as the worker lets them be seen.
    """

    __slots__ = (
        "anchors", "answers", "begins", "credit", "ends", "frames", "horizon", "next", "plainly",
        "prepare", "prepared", "price", "step", "whole",
    )  # fmt: skip

    def __init__(
        self,
        anchors: list[Any],
        prepare: Prepare,
        whole: Callable[..., Any],
        frames: tuple[Ints, Ints] | None,
    ) -> None:
        self.anchors, self.prepare, self.whole, self.frames = anchors, prepare, whole, frames
        self.prepared: tuple[Prepared, int] | None = None
        # Entry 0 is the frame answered last; those after it are foreseen; the last is a stop.
        self.begins, self.ends, self.answers = [-1, -1], [-1, -1], [None, None]
        self.next = 1
        self.step = (-1, -1)
        self.horizon = _FORESEEN
        self.plainly = self.credit = 0
        self.price = 1

    def answer(self, plain: Plain, columns: Sequence[Any], begin: int, end: int) -> Any:
        """Answer a frame that was not foreseen, and foresee the next ones if they are known."""
        if self.frames is not None and self._read_on(columns, begin, end):
            return self.answers[0]
        k = self.next
        last_begin, last_end = self.begins[k - 1], self.ends[k - 1]
        if begin == last_begin and end == last_end:
            return self.answers[k - 1]
        step = (begin - last_begin, end - last_end)
        in_step = step == self.step and step in _STEPS
        self.step = step
        self.credit += k
        if len(self.begins) > 2:
            self._learn(k, len(self.begins) - 1)
        if in_step and self.credit >= 0 and self._foresee(columns, begin, end):
            return self.answers[0]
        result = self._one(plain, columns, begin, end)
        self.begins, self.ends, self.answers = [begin, -1], [end, -1], [result, None]
        self.next = 1
        return result

    def _read_on(self, columns: Sequence[Any], begin: int, end: int) -> bool:
        """Foresee the next of the worker's frames; once they are not those that come, none."""
        frames, self.frames = self.frames, None
        prepared = self._prepared(columns)
        if frames is None or prepared is None:
            return False
        begins, ends = frames
        if begins[0] != begin or ends[0] != end or max(len(ends), ends.max()) > prepared[1]:
            return False
        # Long frames share most of their rows: what is laid out of them should serve many, but a
        # portion as long as the frame would take half as much memory again.
        count = max(_AT_ONCE, (end - begin) // 4)
        self._foreseen(prepared[0], begins[:count], ends[:count])
        if count < len(begins):
            self.frames = begins[count:], ends[count:]
        return True

    def _learn(self, came: int, foreseen: int) -> None:
        """Foresee more where all frames came, and pay more for the next where some did not."""
        all_came = came == foreseen
        self.horizon = 4 * came if all_came else _FORESEEN
        self.price = 1 if all_came else min(2 * self.price, _DEAREST)

    def _one(self, plain: Plain, columns: Sequence[Any], begin: int, end: int) -> Any:
        self.plainly += 1
        if self.plainly <= _PLAIN_CALLS:
            return plain(*columns)
        prepared = self._prepared(columns)
        if prepared is None or end > prepared[1]:
            return plain(*columns)
        return prepared[0].one(begin, end)

    def _foresee(self, columns: Sequence[Any], begin: int, end: int) -> bool:
        prepared = self._prepared(columns)
        if prepared is None:
            return False
        length, (forth, on) = prepared[1], self.step
        count = min(max(self.horizon, end - begin), (length - end if on else end - begin) + 1)
        if count < 2 or end > length:
            return False
        steps = np.arange(count)
        begins, ends = begin + forth * steps, end + on * steps
        self._foreseen(prepared[0], begins, ends)
        self.credit -= self.price * (count + end - begin) // _PAID
        return True

    def _foreseen(self, prepared: Prepared, begins: Ints, ends: Ints) -> None:
        """Answer frames, of which the first is asked for now."""
        self.answers = [*prepared.many(begins, ends), None]
        self.begins, self.ends = [*begins.tolist(), -1], [*ends.tolist(), -1]
        self.next = 1

    def _prepared(self, columns: Sequence[Any]) -> tuple[Prepared, int] | None:
        if self.prepared is None:
            whole = self.whole(columns)
            if whole is None:
                return None
            self.prepared = self.prepare(whole), len(whole[0])
            # Once a partition, frames foreseen in vain cost no more than to prepare it: where they
            # end to grow and begin to slide, all that were foreseen to grow are.
            self.credit += len(whole[0])
        return self.prepared


def over_arrow(plain: Plain, prepare: Prepare, bind: Bind | None = None, count: int = 0) -> Plain:
    """Return `plain` with a memory for the partition that its Arrow columns lie in.

    With `bind` it takes the arguments as Spark gives them, if they are not just `count` columns:
    it is called once a row, where one more call between Spark and this would be felt.
    """
    partition: Partition | None = None
    # Which buffer of a column tells its memory, and where that is: of the first column, of the
    # last, and of those between. Two columns are the rule, and a loop over them would be felt.
    first = last = (0, 0)
    between: list[tuple[int, int]] = []

    def answer(*columns: pa.Array, **named: pa.Array) -> Any:
        nonlocal partition, first, between, last
        if bind is not None and (named or len(columns) != count):
            columns = tuple(bind(columns, named))
        value, predicate = columns[0], columns[-1]
        offset = value.offset
        if (
            partition is None
            or value.buffers()[first[0]].address != first[1]
            or predicate.buffers()[last[0]].address != last[1]
            or predicate.offset != offset
            or (between and _elsewhere(columns[1:-1], between, offset))
        ):
            partition = None
            places = _places(columns)
            if places is None:
                return plain(*columns)
            first, *between, last = places
            held = [column.buffers() for column in columns]
            frames = worker_frames(offset, offset + len(value))
            partition = Partition(held, prepare, _whole_columns, frames)
        k = partition.next
        end = offset + len(value)
        if partition.begins[k] == offset and partition.ends[k] == end:
            partition.next = k + 1
            return partition.answers[k]
        return partition.answer(plain, columns, offset, end)

    return answer


def _places(columns: Sequence[pa.Array]) -> list[tuple[int, int]] | None:
    """Which buffer tells each column's memory, and where that is, if they lie in step."""
    found = [_place(column) for column in columns]
    places = [place for place in found if place is not None]
    if len(places) < len(found) or any(c.offset != columns[0].offset for c in columns):
        return None
    return [(k, c.buffers()[k].address) for c, k in zip(columns, places, strict=True)]


def _elsewhere(columns: Sequence[pa.Array], places: Sequence[tuple[int, int]], offset: int) -> bool:
    """Whether any of the columns lies in other memory, or elsewhere in it."""
    return any(
        column.offset != offset or column.buffers()[place].address != address
        for column, (place, address) in zip(columns, places, strict=True)
    )


def over_pandas(plain: Plain, prepare: Prepare) -> Plain:
    """Return `plain` with a memory for the partition that its pandas columns lie in."""
    partition: Partition | None = None

    def answer(*columns: pd.Series[Any]) -> Any:
        nonlocal partition
        bases: list[Any] = [getattr(column.values, "base", None) for column in columns]
        index = columns[0].index
        if not isinstance(index, pd.RangeIndex) or index.step != 1:
            return plain(*columns)
        begin, end = index.start, index.stop
        if partition is None or not all(map(is_, bases, partition.anchors)):
            if not all(map(_lies_at, columns, bases, [begin] * len(bases))):
                partition = None
                return plain(*columns)
            partition = Partition(bases, prepare, _whole_series, worker_frames(begin, end))
        k = partition.next
        if partition.begins[k] == begin and partition.ends[k] == end:
            partition.next = k + 1
            return partition.answers[k]
        return partition.answer(plain, columns, begin, end)

    return answer


# ---- where the slices lie --------------------------------------------------------------------


def _place(column: pa.Array) -> int | None:
    """Which of the column's buffers tells its memory: the first with values of a fixed width."""
    kind = column.type
    place = 2 if pt.is_struct(kind) else 1
    buffers = column.buffers()
    fixed = pt.is_struct(kind) or pt.is_boolean(kind) or pt.is_primitive(kind) or _decimal(kind)
    return place if fixed and len(buffers) > place and buffers[place] is not None else None


def _whole_columns(columns: Sequence[pa.Array]) -> list[pa.Array] | None:
    whole = [_whole(column) for column in columns]
    found = [column for column in whole if column is not None]
    if len(found) < len(whole):
        return None
    length = min(len(column) for column in found)
    return [column.slice(0, length) for column in found]


def _whole(column: pa.Array) -> pa.Array | None:
    """The column that a slice was cut from; after its last row may come a few of padding."""
    kind, buffers = column.type, column.buffers()
    if pt.is_struct(kind):
        children = _whole_columns([column.field(i) for i in range(kind.num_fields)])
        if children is None or any(c.offset != column.offset for c in column.flatten()):
            return None
        length = _fits(len(children[0]), buffers[0])
        children = [child.slice(0, length) for child in children]
        return pa.Array.from_buffers(kind, length, [buffers[0]], children=children)
    if _place(column) is None:
        return None
    length = _fits(buffers[1].size * 8 // kind.bit_width, buffers[0])
    return pa.Array.from_buffers(kind, length, buffers)


def _fits(length: int, validity: pa.Buffer | None) -> int:
    return length if validity is None else min(length, validity.size * 8)


def _decimal(kind: pa.DataType) -> bool:
    return bool(pt.is_decimal(kind))


def _lies_at(column: pd.Series[Any], base: Any, begin: int) -> bool:
    """Whether the slice is the part of the base array that its index says."""
    values = column.to_numpy()
    if not isinstance(base, np.ndarray) or base.dtype != values.dtype:
        return False
    if base.size != max(base.shape) or not base.flags.c_contiguous:
        return False
    return bool(values.size == 0 or values.ctypes.data == base.ctypes.data + begin * base.itemsize)


def _whole_series(columns: Sequence[pd.Series[Any]]) -> list[pd.Series[Any]]:
    bases: list[Any] = [column.to_numpy().base for column in columns]
    return [pd.Series(base.reshape(-1)) for base in bases]
