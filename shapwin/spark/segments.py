"""Pane rows packed by stretches of windows on their way to the kernel."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pyarrow as pa

from .pane_rows import Ints, Layout, binary, codes, grouped, portions, runs, starts_of

# Pane rows packed at once: few enough to keep the memory flat.
AT_ONCE = 1 << 18
# The fewest windows in a segment: a few for each core in a month of windows every five minutes.
SEGMENT = 1024


@dataclass(frozen=True, slots=True)
class Segments:
    """Time cut into stretches of windows, so that one key is worked on by several tasks.

    Parameters
    ----------
    window, every, length : int
        Microseconds in a window, between windows, and in a pane.
    offset : int
        How much later than whole multiples of the step windows begin.
    stretch : int
        How many windows a segment has.
    """

    window: int
    every: int
    length: int
    offset: int
    stretch: int

    def of(self, pane: Ints) -> tuple[Ints, Ints]:
        """Return which panes go to which segments: to each that has a window with it, mostly one.

        Examples
        --------
        >>> ten_windows = Segments(window=20, every=10, length=10, offset=0, stretch=10)
        >>> row, segment = ten_windows.of(np.array([0, 50, 100]))
        >>> row.tolist(), segment.tolist()
        ([0, 0, 1, 2, 2], [-1, 0, 0, 0, 1])
        """
        first_window = -((self.window - self.length - (pane - self.offset)) // self.every)
        last_window = (pane - self.offset) // self.every
        return runs(first_window // self.stretch, last_window // self.stretch)

    def packed(self, keys: Sequence[pa.Array], records: Any, time: pa.DataType) -> pa.RecordBatch:
        """Pack pane rows, whose keys stand beside them, by key and segment.

        Parameters
        ----------
        keys : sequence of array
            The key columns, ``_by0``, ….
        records : structured array
            The pane rows.
        time : pa.DataType
            Of ``_pane``, before which no record of a packed row begins.
        """
        source, segment = self.of(records["pane"])
        key = codes(keys, records.size)[source]
        order, _ = grouped([key, segment, records["pane"][source]])
        source, segment = source[order], segment[order]
        starts = starts_of(key[order], segment)
        first = source[starts]
        columns = [column.take(pa.array(first)) for column in keys]
        columns += [pa.array(segment[starts]), pa.array(records["pane"][first]).cast(time)]
        columns.append(binary(records[source], starts))
        names = [*(f"_by{i}" for i in range(len(keys))), "_segment", "_pane", "_records"]
        return pa.RecordBatch.from_arrays(columns, names)


def segments(window: int, every: int, length: int, offset: int) -> Segments:
    """Return segments so long that few pane rows go to two of them."""
    return Segments(window, every, length, offset, max(SEGMENT, 4 * -(-window // every)))


@dataclass(frozen=True, slots=True)
class SegmentPacker:
    """Turns Arrow batches of pane rows into batches of packed ones, by key and segment.

    Rows have the key columns, ``_pane``, the words of bits, and ``_sums`` as the layout's sums
    are stacked.

    Parameters
    ----------
    layout : Layout
        Of these rows.
    segments : Segments
        Where they go.
    at_once : int
        Pane rows packed at once.
    """

    layout: Layout
    segments: Segments
    at_once: int = AT_ONCE

    def __call__(self, batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        """Work through one partition."""
        yield from map(self._pack, portions(batches, self.at_once))

    def _pack(self, table: pa.Table) -> pa.RecordBatch:
        (rows,) = table.to_batches(max_chunksize=table.num_rows)
        keys = [rows.column(name) for name in self.layout.key_names]
        return self.segments.packed(keys, self._records(rows), rows.column("_pane").type)

    def _records(self, rows: pa.RecordBatch) -> np.ndarray:
        records = np.empty(rows.num_rows, self.layout.record)
        records["pane"] = rows.column("_pane").cast(pa.int64()).to_numpy()
        for name in self.layout.word_names:
            records[name] = rows.column(name).to_numpy()
        sums = self.layout.sums
        with np.errstate(invalid="ignore", over="ignore"):  # NaN and Inf are values
            found = sums.read(sums.unstacked(rows.column("_sums")))
        for name in sums.names:
            records[name] = getattr(found, name)
        return records
