"""Pane rows in time order to window sums, by NumPy: what runs in the Python workers.

The cost of a window does not depend on its length, and one call serves many keys: `Frames`
answers each window from a few merged pieces, and never subtracts.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
import pyarrow as pa
from numpy.typing import NDArray

from ..errors import ArgumentError
from ..frames import Frames
from ..summary import Summary, about_mean, each_field
from .pane_rows import Layout, PaneRows

Ints = NDArray[np.int64]

# Pane rows worked on at once: enough to be fast, few enough to keep the memory flat.
ENOUGH = 1 << 18


class Ticks(NamedTuple):
    """The windows that hold at least one pane row, in order of key and time.

    Parameters
    ----------
    tick : array of int
        The window starts at this multiple of the step.
    begin, end : array of int
        Its pane rows are [begin, end).
    """

    tick: Ints
    begin: Ints
    end: Ints

    def take(self, chosen: Any) -> Ticks:
        """Some of the windows."""
        return Ticks(self.tick[chosen], self.begin[chosen], self.end[chosen])


def ticks(
    pane: Ints, first_of_key: NDArray[np.bool_], window: int, every: int, length: int
) -> Ticks:
    """Find every window that covers a pane row; keys and, within a key, panes ascend.

    Parameters
    ----------
    pane : array of int, shape (rows,)
        The start of each row's pane, in microseconds.
    first_of_key : array of bool, shape (rows,)
        Where another key begins.
    window, every, length : int
        Microseconds in a window, between windows, and in a pane.

    Examples
    --------
    >>> found = ticks(np.array([0, 10, 40]), np.array([True, False, False]), 20, 10, 10)
    >>> found.tick.tolist(), found.begin.tolist(), found.end.tolist()
    ([-1, 0, 1, 3, 4], [0, 0, 1, 2, 2], [1, 2, 2, 3, 3])
    """
    # Row i lies in the windows lowest[i] … highest[i]; both ascend within a key.
    lowest, highest = -((window - length - pane) // every), pane // every
    last_of_key = np.append(first_of_key[1:], True)
    # A window begins at the first row that it has, and ends with the last one.
    starts = np.where(first_of_key, lowest, np.maximum(lowest, np.roll(highest, 1) + 1))
    stops = np.where(last_of_key, highest, np.minimum(highest, np.roll(lowest, -1) - 1))
    begin, index = _runs(starts, highest)
    end, _ = _runs(lowest, stops)
    return Ticks(index, begin, end + 1)


def _runs(start: Ints, stop: Ints) -> tuple[Ints, Ints]:
    """Every whole number from start[i] to stop[i], with its i."""
    count = np.maximum(stop - start + 1, 0)
    row = np.repeat(np.arange(start.size), count)
    within = np.arange(row.size) - np.repeat(np.cumsum(count) - count, count)
    return row, start[row] + within


@dataclass(frozen=True, slots=True)
class WindowKernel:
    """Turns Arrow batches of sorted pane rows into batches of window sums.

    Parameters
    ----------
    window, every, length : int
        Microseconds in a window, between windows, and in a pane.
    layout : Layout
        Which columns the rows have.
    queries : tuple of str, or None
        The labels of the groups that the bits stand for; None for one result row a combination
        of bits, an atom.
    offset : int
        How much later than whole multiples of the step windows begin.
    enough : int
        Pane rows worked on at once.
    """

    window: int
    every: int
    length: int
    layout: Layout
    queries: tuple[str, ...] | None
    offset: int = 0
    enough: int = ENOUGH

    def __call__(self, batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        """Work through one partition, whose rows are sorted by key and pane."""
        with np.errstate(invalid="ignore", over="ignore"):  # NaN and Inf are values
            yield from self._slide(batches)

    def _slide(self, batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        """Give out what no further row can change; keep what later windows still need."""
        held: list[pa.RecordBatch] = []
        since: int | None = None
        enough = self.enough
        for batch in batches:
            held.append(batch)
            if sum(self.layout.count(b) for b in held) < enough:
                continue
            rows = PaneRows.read(held, self.layout)
            # No further row of the last key has an earlier pane than the last row says.
            reached = pa.array(batch.column("_pane"))[-1:].cast(pa.int64())[0].as_py()
            until = (reached - self.offset - self.window) // self.every + 1
            yield from self._sums(rows, since, until)
            since = until
            needed = (rows.key == rows.key[-1]) & (rows.pane >= since * self.every + self.offset)
            held = rows.table.take(pa.array(np.unique(rows.source[needed]))).to_batches()
            # Twice what is kept, so that long windows are not worked through again and again.
            enough = max(self.enough, 2 * int(needed.sum()))
        if any(b.num_rows for b in held):
            yield from self._sums(PaneRows.read(held, self.layout), since, None)

    def _sums(
        self, rows: PaneRows, since: int | None, until: int | None
    ) -> Iterator[pa.RecordBatch]:
        """The sums of the first key's windows from `since` and of the last key's before `until`."""
        first = np.append(True, np.diff(rows.key) != 0)
        found = self._ticks(rows.pane, first)
        key = rows.key[found.begin]
        ready = np.ones(key.size, dtype=np.bool_)
        if since is not None:
            ready &= (key != rows.key[0]) | (found.tick >= since)
        if until is not None:
            ready &= (key != rows.key[-1]) | (found.tick < until)
        found, key = found.take(ready), key[ready]
        members = rows.groups(len(self.queries or ()))
        total, parts = Frames.of_summaries(rows.sums, members).answer(found.begin, found.end)
        plain, plain_parts = _plain_sums(rows.sums, members, found)
        self._refuse_negative(total, rows, found)
        if self.queries is None:
            yield self._atoms(rows, found, key, total, plain)
            return
        total, parts = about_mean(total, parts)
        for i, name in enumerate(self.queries):
            part = each_field(lambda f, i=i: f[i] if f.ndim == 2 else f, parts)
            label = pa.array([name] * found.tick.size, pa.string())
            yield self._batch(rows, found, label, total, plain, part, plain_parts[i])

    def _atoms(
        self, rows: PaneRows, windows: Ticks, key: Ints, total: Summary, plain: Any
    ) -> pa.RecordBatch:
        """The sums of every atom in the windows that have it: each atom slides on its own."""
        (atom,) = rows.words
        order = np.lexsort((rows.pane, atom, rows.key))
        ordered, atom = rows.take(order), atom[order]
        first = np.append(True, (np.diff(ordered.key) != 0) | (np.diff(atom) != 0))
        found = self._ticks(ordered.pane, first)
        known = pd.MultiIndex.from_arrays([key, windows.tick])
        asked = pd.MultiIndex.from_arrays([ordered.key[found.begin], found.tick])
        window = known.get_indexer(asked)
        found, window = found.take(window >= 0), window[window >= 0]

        no_group = ordered.groups(0)
        part, _ = Frames.of_summaries(ordered.sums, no_group).answer(found.begin, found.end)
        plain_part, _ = _plain_sums(ordered.sums, no_group, found)
        whole, part = about_mean(total.take(window), part)
        label = pa.array(atom[found.begin])
        return self._batch(ordered, found, label, whole, plain[window], part, plain_part)

    def _batch(
        self,
        rows: PaneRows,
        found: Ticks,
        label: pa.Array,
        total: Summary,
        plain: Any,
        part: Summary,
        plain_part: Any,
    ) -> pa.RecordBatch:
        """Columns in the order of the result's schema; windows without tuples are left out."""
        numbers = [total.m, plain, total.a, total.b, total.center]
        numbers += [part.m, plain_part, part.a, part.b]
        if self.layout.sums.two_columns:
            numbers += [total.a2, total.ab, total.center2, part.a2, part.ab]
        columns = [rows.column(name, found.begin) for name in self.layout.key_names]
        columns += [self._start(rows, found.tick), label]
        columns += [pa.array(np.asarray(n, dtype=np.float64)) for n in numbers]
        batch = pa.RecordBatch.from_arrays(columns, names=[str(i) for i in range(len(columns))])
        counts = np.asarray(part.m if self.queries is None else total.m)
        return batch if counts.all() else batch.filter(pa.array(counts != 0))

    def _ticks(self, pane: Ints, first_of_key: NDArray[np.bool_]) -> Ticks:
        return ticks(pane - self.offset, first_of_key, self.window, self.every, self.length)

    def _start(self, rows: PaneRows, index: Any) -> pa.Array:
        return pa.array(index * self.every + self.offset).cast(rows.table.column("_pane").type)

    def _refuse_negative(self, total: Summary, rows: PaneRows, found: Ticks) -> None:
        negative = np.flatnonzero(np.asarray(total.m) < 0)[:1]
        if negative.size:
            start = self._start(rows, found.tick[negative])[0]
            begin = found.begin[negative]
            key = [rows.column(name, begin)[0].as_py() for name in self.layout.key_names]
            raise ArgumentError(
                f"the window from {start} {f'of the key {key} ' if key else ''}has "
                f"{total.m[negative[0]]:.0f} tuples: more were taken back than were there"
            )


def _plain_sums(sums: Summary, members: Any, found: Ticks) -> tuple[Any, Any]:
    """Σ y of windows and groups about zero: no outlier elsewhere in a window touches it."""
    plain = sums.m * sums.center + sums.a
    zero = np.zeros_like(plain)
    frames = Frames.of_summaries(Summary(sums.m, plain, zero, zero), members)
    total, parts = frames.answer(found.begin, found.end)
    return total.a, parts.a
