"""Rows to packed pane rows in the Python workers: the route for many thin keys or groups.

Where a key or a group has a few rows a pane, panes are hardly fewer than rows, and what costs is
moving them. Here each task summarises its rows by key, pane and groups with NumPy.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from .pane_rows import Ints, Layout, binary, codes, grouped, portions, starts_of
from .segments import Segments

# Rows summarised at once.
AT_ONCE = 1 << 20
# Panes in a span: a value holds pane rows of one span, so that a long key can be worked through
# span by span.
SPAN = 1 << 14


@dataclass(frozen=True, slots=True)
class Packer:
    """Turns Arrow batches of rows into batches of packed pane rows.

    Rows have the key columns, ``_place``, perhaps the words of bits, ``_y`` and perhaps ``_x``.

    Parameters
    ----------
    layout : Layout
        Of the result.
    length : int
        Microseconds in a pane.
    time : pa.DataType
        Of the starts of panes.
    offset : int
        How much later than whole multiples of the length panes begin.
    inside : int
        How many of the low bits of ``_place`` are the one word; the others are the number of the
        pane. None of them where words have columns.
    segments : Segments, optional
        Where pane rows go, if the layout is segmented; otherwise a value holds those of a span.
    at_once : int
        Rows summarised at once.
    """

    layout: Layout
    length: int
    time: pa.DataType
    offset: int = 0
    inside: int = 0
    segments: Segments | None = None
    at_once: int = AT_ONCE

    def __call__(self, batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        """Work through one partition."""
        yield from map(self._pack, portions(batches, self.at_once))

    def _pack(self, table: pa.Table) -> pa.RecordBatch:
        (rows,) = table.to_batches(max_chunksize=table.num_rows)
        keys = [rows.column(name) for name in self.layout.key_names]
        key = codes(keys, rows.num_rows)
        own = [] if self.inside else self.layout.word_names
        place, *words = (rows.column(name).to_numpy() for name in ("_place", *own))
        order, first = grouped([key, place, *words])
        values = [rows.column(f"_{v}").to_numpy()[order] for v in self.layout.letters]
        at = order[first]
        pane = place[at] >> self.inside
        words = [word[at] for word in words] or [place[at] & ((1 << self.inside) - 1)]
        start = pane * self.length + self.offset
        records = summarised(values, first, start, words, self.layout)
        if self.segments is not None:
            keys = [column.take(pa.array(at)) for column in keys]
            return self.segments.packed(keys, records, self.time)
        span = pane // SPAN
        starts = starts_of(key[at], span)
        begins = pa.array(span[starts] * SPAN * self.length + self.offset).cast(self.time)
        columns = [column.take(pa.array(at[starts])) for column in keys]
        columns += [begins, binary(records, starts)]
        return pa.RecordBatch.from_arrays(columns, [*self.layout.key_names, "_pane", "_records"])


def summarised(
    values: Sequence[Any], first: Ints, pane: Ints, words: Sequence[Ints], layout: Layout
) -> Any:
    """Return one record for each run of rows: its summary about its own mean.

    Parameters
    ----------
    values : sequence of array of float
        The columns y and perhaps x, in an order that puts the rows of a run together.
    first : array of int, shape (runs,)
        Where runs begin.
    pane, words : arrays of int, shape (runs,)
        The pane and the words of each run.
    layout : Layout
        Says what a record is.
    """
    records = np.empty(first.size, layout.record)
    records["pane"] = pane
    for name, word in zip(layout.word_names, words, strict=True):
        records[name] = word
    size = np.diff(np.append(first, values[0].size))
    records["m"] = size
    with np.errstate(invalid="ignore", over="ignore"):  # NaN and Inf are values
        dy, records["center"] = _about_mean(values[0], first, size)
        records["a"] = np.add.reduceat(dy, first)
        records["b"] = np.add.reduceat(dy * dy, first)
        for x in values[1:]:
            dx, records["center2"] = _about_mean(x, first, size)
            records["a2"] = np.add.reduceat(dx, first)
            records["ab"] = np.add.reduceat(dy * dx, first)
    return records


@dataclass(frozen=True, slots=True)
class PanePacker:
    """The same for the rows of one key and pane: the body of a grouped-aggregate UDF."""

    layout: Layout

    def __call__(self, start: Any, *columns: Any) -> bytes:
        """Return the records of all groups of rows in the pane.

        Parameters
        ----------
        start : Series
            The start of the pane in microseconds, once a row.
        columns : Series
            The words and the values.
        """
        arrays = [column.to_numpy() for column in columns]
        words, values = arrays[: self.layout.words], arrays[self.layout.words :]
        order, first = grouped(words)
        at, pane = order[first], np.full(first.size, start.iloc[0])
        sorted_values = [value[order] for value in values]
        made = summarised(sorted_values, first, pane, [w[at] for w in words], self.layout)
        return bytes(made.tobytes())


@dataclass(frozen=True, slots=True)
class Unpacker:
    """Turns packed pane rows into one row each, with ``_pane``, the words and the sums."""

    layout: Layout

    def __call__(self, batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        """Work through one partition."""
        for batch in batches:
            records, counts = self.layout.records(pa.chunked_array([batch.column("_records")]))
            source = pa.array(np.arange(batch.num_rows).repeat(counts))
            columns = {name: batch.column(name).take(source) for name in self.layout.key_names}
            columns["_pane"] = pa.array(records["pane"]).cast(batch.column("_pane").type)
            columns |= {name: pa.array(records[name]) for name in self.layout.word_names}
            for name in self.layout.sums.names:
                kind = np.int64 if name == "m" else np.float64
                columns[f"_{name}"] = pa.array(records[name].astype(kind))
            yield pa.RecordBatch.from_pydict(columns)


def _about_mean(y: NDArray[np.float64], first: Ints, size: Ints) -> tuple[Any, Any]:
    """Values less the mean of their group, and the means; equal values are their own mean."""
    anchor = y[first]
    mean = anchor + np.add.reduceat(y - anchor.repeat(size), first) / size
    mean = np.where(np.isfinite(mean), mean, 0.0)
    return y - mean.repeat(size), mean
