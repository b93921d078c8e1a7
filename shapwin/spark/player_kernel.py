"""Predicates as players, many windows at once, from the atoms that the window kernel gives."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
import pyarrow as pa

from ..players import OTHER, coalition_values, shapley
from ..summary import Summary, each_field
from .kernel import WindowKernel
from .pane_rows import codes

# Coalitions worked on at once: some tens of megabytes.
_AT_ONCE = 1 << 18


@dataclass(frozen=True, slots=True)
class PlayerKernel:
    """Turns sorted pane rows into one row for each window, statistic and player.

    Parameters
    ----------
    atoms : WindowKernel
        Gives the atoms of windows, all of a window in one batch.
    statistics, predicates : tuple of str
        The games, and the players besides the uncovered tuples.
    """

    atoms: WindowKernel
    statistics: tuple[str, ...]
    predicates: tuple[str, ...]

    def __call__(self, batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        """Work through one partition, whose rows are sorted by key and pane."""
        for batch in self.atoms(batches):
            if batch.num_rows:
                yield from self._players(batch)

    def _players(self, batch: pa.RecordBatch) -> Iterator[pa.RecordBatch]:
        """The rows of each statistic in turn."""
        keyed = self.atoms.layout.keys + 1  # the keys and the start make a window
        window = codes(batch.columns[:keyed], batch.num_rows)
        order = np.argsort(window, kind="stable")
        first = np.flatnonzero(np.append(True, np.diff(window[order]) != 0))
        place = [column.take(pa.array(order[first])) for column in batch.columns[:keyed]]
        signature, *sums = (column.to_numpy()[order] for column in batch.columns[keyed:])
        whole = 8 if self.atoms.layout.sums.two_columns else 5
        n, _, _, _, center, *pair = sums[:whole]
        m, plain, a, b, *pair_of_part = sums[whole:]
        two = (*pair_of_part, pair[2]) if pair else (None, None, None)
        atoms = Summary(m, a, b, center, *two)
        members = self._members(signature)
        size, total = (
            np.add.reduceat(np.where(members, x, 0.0), first, axis=1).T for x in (m, plain)
        )
        with np.errstate(invalid="ignore", divide="ignore"):  # a player without tuples has no mean
            mean = total / size
        for statistic in self.statistics:
            value, phi = self._games(statistic, first, signature, atoms)
            yield self._batch(place, statistic, n[first], value, size, mean, phi)

    def _members(self, signature: Any) -> Any:
        """Which atoms each player has; the last one has the uncovered tuples."""
        bits = [(signature >> k) & 1 == 1 for k in range(len(self.predicates))]
        return np.array([*bits, signature == 0])

    def _games(self, statistic: str, first: Any, signature: Any, atoms: Summary) -> tuple[Any, Any]:
        """ν and the players' values of the windows whose atoms begin at these places."""
        count = len(self.predicates)
        step = max(1, _AT_ONCE >> count + 1)
        ends = np.append(first, signature.size)
        found = []
        for w in range(0, first.size, step):
            bounds = ends[w : w + step + 1]
            rows = slice(bounds[0], bounds[-1])
            number = np.arange(bounds.size - 1).repeat(np.diff(bounds))
            at, room = (number << count) + signature[rows], (bounds.size - 1) << count
            placed = each_field(lambda f, at=at, room=room: _placed(f, at, room), atoms.take(rows))
            found.append(coalition_values(statistic, placed, count))
        values, games = zip(*found, strict=True)
        return np.concatenate(values), np.concatenate([shapley(nu, count + 1) for nu in games])

    def _batch(
        self,
        place: list[pa.Array],
        statistic: str,
        n: Any,
        value: Any,
        size: Any,
        mean: Any,
        phi: Any,
    ) -> pa.RecordBatch:
        """Columns in the order of the result's schema: a window's players together."""
        players = [*self.predicates, OTHER]
        window = np.arange(n.size).repeat(len(players))
        texts = [
            pa.array([statistic]).take(pa.array(np.zeros(window.size, np.int64))),
            pa.array(players).take(pa.array(np.tile(np.arange(len(players)), n.size))),
        ]
        means = pa.array(mean.ravel(), mask=size.ravel() == 0)
        numbers = [pa.array(x) for x in (n[window], value[window], size.ravel())]
        columns = [key.take(pa.array(window)) for key in place]
        columns += [*texts, *numbers, means, pa.array(phi.ravel())]
        return pa.RecordBatch.from_arrays(columns, [str(i) for i in range(len(columns))])


def _placed(numbers: Any, places: Any, size: int) -> Any:
    """Numbers at places among zeros."""
    result = np.zeros(size)
    result[places] = numbers
    return result
