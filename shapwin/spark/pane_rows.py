"""Pane rows in a Python worker: keys, time, atoms and summaries as arrays.

They come packed, many in one binary value, so that Spark shuffles and sorts few rows, and no value
is converted again on the way to the kernel.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from ..summary import Summary, each_field
from .exact_sums import Sums

Ints = NDArray[np.int64]
Bools = NDArray[np.bool_]

# Pane rows in one binary value: a batch of 10,000 values stays far below Arrow's 2 GiB.
IN_ONE = 256


@dataclass(frozen=True, slots=True)
class Layout:
    """What columns the pane rows of a pipeline have.

    Parameters
    ----------
    keys : int
        How many key columns there are: ``_by0``, ….
    words : int
        How many columns of 64 bits, ``_bits0``, …, say which groups a row is in.
    sums : Sums
        Which columns hold the sums.
    packed : bool
        Whether a row carries many pane rows as ``_records``, none of them before ``_pane``;
        otherwise it is one, and ``_pane`` its pane.
    segmented : bool
        Whether ``_segment`` says for which stretch of windows a row is: stretches are worked on
        side by side, and rows near their borders are there more than once.
    """

    keys: int
    words: int
    sums: Sums
    packed: bool = False
    segmented: bool = False

    @property
    def together(self) -> list[str]:
        """The columns whose equal rows are worked on one after another."""
        return self.key_names + ["_segment"] * self.segmented

    @property
    def key_names(self) -> list[str]:
        """The names of the key columns."""
        return [f"_by{i}" for i in range(self.keys)]

    @property
    def word_names(self) -> list[str]:
        """The names of the columns of bits."""
        return [f"_bits{i}" for i in range(self.words)]

    @property
    def letters(self) -> str:
        """One letter for each column of numbers."""
        return "yx" if self.sums.two_columns else "y"

    @property
    def record(self) -> np.dtype[Any]:
        """One pane row among packed ones."""
        fields = [("pane", "<i8"), *((name, "<i8") for name in self.word_names)]
        return np.dtype([*fields, *((name, "<f8") for name in self.sums.names)])

    def count(self, batch: pa.RecordBatch) -> int:
        """How many pane rows a batch of packed ones holds."""
        lengths = pc.sum(pc.binary_length(batch.column("_records")))
        return (lengths.as_py() or 0) // self.record.itemsize

    def records(self, column: pa.ChunkedArray) -> tuple[Any, Ints]:
        """The records of all rows of a column end to end, and how many each row has."""
        chunks = [memoryview(chunk) for chunk in column.to_pylist()]
        counts = [len(chunk) // self.record.itemsize for chunk in chunks]
        return np.frombuffer(b"".join(chunks), self.record), np.array(counts, dtype=np.int64)

    def order(self, key: Ints, records: Any) -> Ints:
        """The order by key, pane and words, and of equal ones by what they hold.

        So the same pane rows always merge in the same order, wherever they were made.
        """
        place = [key, records["pane"], *(records[name] for name in self.word_names)]
        order, first = grouped(place)
        size = np.diff(np.append(first, order.size))
        run = np.arange(first.size).repeat(size)
        equal = np.flatnonzero(size[run] > 1)
        held = [records[name][order[equal]] for name in self.sums.names]
        order[equal] = order[equal[np.lexsort([*held, run[equal]])]]
        return order


@dataclass(frozen=True, slots=True)
class PaneRows:
    """Pane rows in order of key and pane.

    Parameters
    ----------
    table : pa.Table
        The columns that they were read from, keys among them.
    source : array of int, shape (rows,)
        The row of `table` that each pane row is from.
    key, pane : array of int, shape (rows,)
        The number of the key, and the start of the pane in microseconds; both ascend.
    words : array of int, shape (words, rows)
        Bit k of word w says whether the row is in group 64·w + k.
    sums : Summary
        With arrays of shape (rows,).
    """

    table: pa.Table
    source: Ints
    key: Ints
    pane: Ints
    words: Ints
    sums: Summary

    @classmethod
    def read(cls, batches: list[pa.RecordBatch], layout: Layout) -> PaneRows:
        """Read batches of packed ones, whose rows are sorted by key and ``_pane``."""
        table = pa.Table.from_batches(batches).combine_chunks()
        key = np.cumsum(first_of_key(table, layout)) - 1
        records, counts = layout.records(table.column("_records"))
        source = np.arange(table.num_rows).repeat(counts)
        order = layout.order(key[source], records)
        source, records = source[order], records[order]
        sums = Summary(*(records[name].copy() for name in layout.sums.names))
        words = np.array([records[name] for name in layout.word_names])
        return cls(table, source, key[source], records["pane"].copy(), words, sums)

    def take(self, chosen: Any) -> PaneRows:
        """Some of the rows, or all in another order."""
        return PaneRows(
            self.table,
            self.source[chosen],
            self.key[chosen],
            self.pane[chosen],
            self.words[:, chosen],
            each_field(lambda f: f[chosen], self.sums),
        )

    def column(self, name: str, rows: Ints) -> pa.Array:
        """A column of the table at some rows."""
        return self.table.column(name).combine_chunks().take(pa.array(self.source[rows]))

    def groups(self, count: int) -> Bools:
        """Which rows are in each of the first groups, shape (count, rows)."""
        bits = [(self.words[k // 64] >> (k % 64)) & 1 for k in range(count)]
        return np.array(bits, dtype=np.bool_).reshape(count, self.pane.size)


def portions(batches: Iterable[pa.RecordBatch], at_once: int) -> Iterator[pa.Table]:
    """Yield tables of some rows at once, each in one chunk, until there are no more."""
    held: list[pa.RecordBatch] = []
    for batch in batches:
        held.append(batch)
        if sum(b.num_rows for b in held) >= at_once:
            yield pa.Table.from_batches(held).combine_chunks()
            held = []
    if any(b.num_rows for b in held):
        yield pa.Table.from_batches(held).combine_chunks()


def binary(records: Any, starts: Ints) -> pa.Array:
    """Return binary values that hold the records from each start to the next."""
    offsets = np.append(starts, records.size) * records.itemsize
    buffers = [None, pa.py_buffer(offsets.astype(np.int32)), pa.py_buffer(records.tobytes())]
    return pa.Array.from_buffers(pa.binary(), starts.size, buffers)


def starts_of(*columns: Ints) -> Ints:
    """Return where binary values begin: where a column changes, and after `IN_ONE` records."""
    cut = np.ones(columns[0].size, dtype=np.bool_)
    cut[1:] = np.any([np.diff(column) != 0 for column in columns], axis=0)
    within = np.arange(cut.size) - np.flatnonzero(cut)[np.cumsum(cut) - 1]
    return np.flatnonzero(within % IN_ONE == 0)


def codes(columns: Sequence[Any], rows: int) -> Ints:
    """Return a number for each different combination of keys; NULL is a key."""
    code = np.zeros(rows, dtype=np.int64)
    for column in columns:
        column = column.combine_chunks() if isinstance(column, pa.ChunkedArray) else column
        found = pc.dictionary_encode(column, null_encoding="encode")
        code = code * len(found.dictionary) + found.indices.to_numpy()
        if code.size and code.max() >= 1 << 31:
            code = np.unique(code, return_inverse=True)[1]
    return code


def grouped(columns: Sequence[Ints]) -> tuple[Ints, Ints]:
    """Return the order by these columns, and where in it another combination begins.

    Examples
    --------
    >>> order, first = grouped([np.array([2, 1, 2]), np.array([5, 7, 5])])
    >>> order.tolist(), first.tolist()
    ([1, 0, 2], [0, 1])
    """
    if not columns[0].size:
        return np.array([], dtype=np.int64), np.array([], dtype=np.int64)
    lows = [int(column.min()) for column in columns]
    sizes = [int(column.max()) - low + 1 for column, low in zip(columns, lows, strict=True)]
    if float(np.prod([float(size) for size in sizes])) < 2.0**62:
        code = np.zeros(columns[0].size, dtype=np.int64)
        for column, low, size in zip(columns, lows, sizes, strict=True):
            code = code * size + (column - low)
        order = np.argsort(code, kind="stable")
        changes = np.diff(code[order]) != 0
    else:
        order = np.lexsort(columns[::-1])
        changes = np.any([np.diff(column[order]) != 0 for column in columns], axis=0)
    return order, np.flatnonzero(np.append(True, changes))


def runs(start: Ints, stop: Ints) -> tuple[Ints, Ints]:
    """Return every whole number from start[i] to stop[i], with its i before it."""
    count = np.maximum(stop - start + 1, 0)
    row = np.repeat(np.arange(start.size), count)
    within = np.arange(row.size) - np.repeat(np.cumsum(count) - count, count)
    return row, start[row] + within


def first_of_key(table: pa.Table, layout: Layout) -> Bools:
    """Where another key begins."""
    first = np.zeros(table.num_rows, dtype=np.bool_)
    first[:1] = True
    for name in layout.together:
        first[1:] |= _changes(table.column(name).combine_chunks())
    return first


def _changes(column: Any) -> Any:
    """Where an entry is another key than the one before it; NULL is a key, and so is NaN."""
    left, right = column[:-1], column[1:]
    differs = pc.fill_null(pc.not_equal(left, right), False)
    if pa.types.is_floating(column.type):
        both = pc.and_(pc.fill_null(pc.is_nan(left), False), pc.fill_null(pc.is_nan(right), False))
        differs = pc.and_not(differs, both)
    null = pc.not_equal(pc.is_null(left), pc.is_null(right))
    return pc.or_(differs, null).to_numpy(zero_copy_only=False)
