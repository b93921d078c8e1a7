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
from ..frames import Frames, stack_of
from ..summary import Summary, each_field, merge_runs
from .long_rows import Answers
from .pane_rows import Ints, Layout, PaneRows, grouped, runs

# A sum Σ y that is this small beside m·c has lost too many digits when it was about c.
_NEAR = 2.0**-10

# Tuples that a double counts one by one.
EXACT_COUNT = 2.0**53

# Pane rows worked on at once, and windows of them: enough to be fast, few enough to keep the
# memory flat.
ENOUGH = 1 << 18
PORTION = 1 << 17


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
    begin, index = runs(starts, highest)
    end, _ = runs(lowest, stops)
    return Ticks(index, begin, end + 1)


@dataclass(frozen=True, slots=True)
class WindowKernel:
    """Turns Arrow batches of sorted, packed pane rows into the sums of windows and their groups.

    Parameters
    ----------
    window, every, length : int
        Microseconds in a window, between windows, and in a pane.
    layout : Layout
        Which columns the rows have.
    queries : int, or None
        How many groups the bits stand for; None to answer for each combination of bits, an atom.
    offset : int
        How much later than whole multiples of the step windows begin.
    max_atoms : int
        How many combinations of bits there may be among the rows worked on at once.
    stretch : int
        How many windows a segment has, where rows are segmented.
    by : tuple of str
        The user's names of the keys, for errors.
    enough : int
        Pane rows worked on at once.
    """

    window: int
    every: int
    length: int
    layout: Layout
    queries: int | None
    offset: int = 0
    max_atoms: int = 1 << 16
    stretch: int = 1
    by: tuple[str, ...] = ()
    enough: int = ENOUGH

    def __call__(self, batches: Iterable[pa.RecordBatch]) -> Iterator[Answers]:
        """Work through one partition, whose rows are sorted by key and pane."""
        with np.errstate(invalid="ignore", over="ignore"):  # NaN and Inf are values
            yield from self._slide(batches)

    def _slide(self, batches: Iterable[pa.RecordBatch]) -> Iterator[Answers]:
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

    def _sums(self, rows: PaneRows, since: int | None, until: int | None) -> Iterator[Answers]:
        """The sums of the first key's windows from `since` and of the last key's before `until`."""
        self._refuse_many_atoms(rows)
        # Rows of one key and pane are one item: what slides is as long as there are panes.
        at = np.flatnonzero(np.append(True, (np.diff(rows.key) != 0) | (np.diff(rows.pane) != 0)))
        first = np.append(True, np.diff(rows.key[at]) != 0)
        found = self._ticks(rows.pane[at], first)
        key = rows.key[at[found.begin]]
        ready = np.ones(key.size, dtype=np.bool_)
        if self.layout.segmented:
            segment = rows.column("_segment", at[found.begin]).to_numpy()
            ready &= found.tick // self.stretch == segment
        if since is not None:
            ready &= (key != rows.key[0]) | (found.tick >= since)
        if until is not None:
            ready &= (key != rows.key[-1]) | (found.tick < until)
        found, key = found.take(ready), key[ready]
        if self.queries is None:
            yield self._atoms(rows, at, found, key)
        else:
            yield from self._groups(rows, at, found, self.queries)

    def _groups(self, rows: PaneRows, at: Ints, found: Ticks, queries: int) -> Iterator[Answers]:
        """The sums of every query in some windows after others: thin keys have many of them."""
        slider = _Slider(stack_of(rows.sums, rows.groups(queries)), at)
        for first in range(0, found.tick.size, PORTION):
            some = found.take(slice(first, first + PORTION))
            total, parts, plain, plain_parts = slider.over(some)
            some = some._replace(begin=at[some.begin])
            self._refuse_negative(total, parts, rows, some)
            place = self._place(rows, some)
            yield Answers(place, total, parts, plain, plain_parts).where(total.m != 0)

    def _atoms(self, rows: PaneRows, at: Ints, windows: Ticks, key: Ints) -> Answers:
        """The sums of every atom in the windows that have it: each atom slides on its own."""
        total, _, plain, _ = _Slider(stack_of(rows.sums, rows.groups(0)), at).over(windows)
        windows = windows._replace(begin=at[windows.begin])
        self._refuse_negative(total, None, rows, windows)
        (atom,) = rows.words
        order, _ = grouped([rows.key, atom, rows.pane])
        ordered, atom = rows.take(order), atom[order]
        first = np.append(True, (np.diff(ordered.key) != 0) | (np.diff(atom) != 0))
        found = self._ticks(ordered.pane, first)
        known = pd.MultiIndex.from_arrays([key, windows.tick])
        asked = pd.MultiIndex.from_arrays([ordered.key[found.begin], found.tick])
        window = known.get_indexer(asked)
        found, window = found.take(window >= 0), window[window >= 0]

        stack = stack_of(ordered.sums, ordered.groups(0))
        part, _, plain_part, _ = _Slider(stack, np.arange(first.size)).over(found)
        self._refuse_negative(part, None, ordered, found)
        group = each_field(lambda f: f[None], part)
        answers = Answers(
            self._place(ordered, found),
            total.take(window),
            group,
            plain[window],
            plain_part[None],
            pa.array(atom[found.begin]),
        )
        return answers.where(part.m != 0)

    def _place(self, rows: PaneRows, found: Ticks) -> list[pa.Array]:
        """The keys and starts of windows."""
        keys = [rows.column(name, found.begin) for name in self.layout.key_names]
        return [*keys, self._start(rows, found.tick)]

    def _ticks(self, pane: Ints, first_of_key: NDArray[np.bool_]) -> Ticks:
        return ticks(pane - self.offset, first_of_key, self.window, self.every, self.length)

    def _start(self, rows: PaneRows, index: Any) -> pa.Array:
        return pa.array(index * self.every + self.offset).cast(rows.table.column("_pane").type)

    def _refuse_many_atoms(self, rows: PaneRows) -> None:
        atoms = np.unique(rows.words, axis=1).shape[1] if len(rows.words) > 1 else 0
        atoms = atoms or np.unique(rows.words[0]).size
        if atoms > self.max_atoms:
            raise ArgumentError(
                f"the rows have {atoms:,} atoms, combinations of predicates or queries, more than "
                f"max_atoms={self.max_atoms}: use fewer predicates, list the queries you need, or "
                "raise max_atoms"
            )

    def _refuse_negative(
        self, total: Summary, parts: Summary | None, rows: PaneRows, found: Ticks
    ) -> None:
        """Refuse windows where a group, or what is in none, has fewer tuples than none."""
        fewest = np.asarray(total.m)
        if parts is not None and parts.m.size:
            rest = total.m - parts.m.max(axis=0)
            fewest = np.minimum(np.minimum(fewest, parts.m.min(axis=0)), rest)
        wrong = np.flatnonzero((fewest < 0) | (total.m > EXACT_COUNT))[:1]
        if not wrong.size:
            return
        start, begin = self._start(rows, found.tick[wrong])[0], found.begin[wrong]
        keys = zip(self.by, self.layout.key_names, strict=False)
        values = (f", {by} = {rows.column(name, begin)[0].as_py()!r}" for by, name in keys)
        key = "".join(values) + "," * bool(self.by)
        if fewest[wrong[0]] < 0:
            raise ArgumentError(
                f"the window from {start}{key} or a group in it has {fewest[wrong[0]]:.0f} tuples: "
                "more were taken back than were there; look for a negative multiplicity whose row "
                "is missing, or has another value, time or predicate"
            )
        raise ArgumentError(
            f"the window from {start}{key} has {total.m[wrong[0]]:.0f} tuples, more than can be "
            f"counted exactly, {EXACT_COUNT:.0f}: look for a wrong multiplicity"
        )


class _Slider:
    """Answers windows and groups over a stack's runs from `at`.

    Parameters
    ----------
    stack : Summary
        Of pane rows and their groups.
    at : array of int
        Where runs begin: each is one item to the windows.
    """

    def __init__(self, stack: Summary, at: Ints) -> None:
        self.stack, self.at = stack, at
        runs_of = merge_runs(stack, at) if at.size < stack.center.size else stack
        self.frames = Frames.of_stack(runs_of)

    def over(self, found: Ticks) -> tuple[Summary, Summary, Any, Any]:
        """Return the sums of windows and of their groups, and their plain sums Σ y."""
        total, parts = self.frames.answer(found.begin, found.end)
        m = np.concatenate([total.m[None], parts.m])
        plain = np.concatenate([total.a[None], parts.a]) + m * total.center
        # Beside an outlier the mean of a window says little of a group: its digits are gone.
        lost = ~(np.abs(plain) >= _NEAR * np.abs(m * total.center)) & (m != 0)
        some = np.flatnonzero(lost.any(axis=0))
        if some.size:
            plain[:, some] = self._plain(found.take(some))
        return total, parts, plain[0], plain[1:]

    def _plain(self, found: Ticks) -> Any:
        """Σ y about zero, of windows and groups: no outlier elsewhere in a window touches it."""
        stack, ends = self.stack, np.append(self.at, self.stack.center.size)
        begin, length = ends[found.begin], ends[found.end] - ends[found.begin]
        if length.sum() <= max(stack.center.size, ENOUGH):
            first = np.cumsum(length) - length
            row = np.arange(length.sum()) + (begin - first).repeat(length)
            plain = stack.m[:, row] * stack.center[row] + stack.a[:, row]
            return np.add.reduceat(plain, first, axis=-1)
        at = self.at
        plain = np.add.reduceat(stack.m * stack.center + stack.a, at, axis=-1)
        m = np.add.reduceat(stack.m, at, axis=-1)
        frames = Frames.of_stack(Summary(m, plain, np.zeros_like(plain), np.zeros(at.size)))
        total, parts = frames.answer(found.begin, found.end)
        return np.concatenate([total.a[None], parts.a])
