"""Predicates as players, window by window, from the atoms that the window kernel gives."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
import pyarrow as pa

from ..players import player_values
from ..summary import Summary
from .kernel import WindowKernel
from .packing import codes


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
                yield self._players(batch)

    def _players(self, batch: pa.RecordBatch) -> pa.RecordBatch:
        keyed = self.atoms.layout.keys + 1  # the keys and the start make a window
        window = codes(batch.columns[:keyed], batch.num_rows)
        order = np.argsort(window, kind="stable")
        first = np.flatnonzero(np.append(True, np.diff(window[order]) != 0))
        signature, n, _, _, _, center, m, plain, a, b, *two = (
            column.to_numpy()[order] for column in batch.columns[keyed:]
        )
        pair = (two[3], two[4], two[2]) if two else (None, None, None)
        sums = Summary(m, a, b, center, *pair)
        rows: list[tuple[Any, ...]] = []
        for begin, end in zip(first, np.append(first[1:], order.size), strict=True):
            inside = slice(begin, end)
            members = _members(signature[inside], len(self.predicates))
            sizes, plains = members @ m[inside], members @ plain[inside]
            atoms = {int(signature[i]): sums.take(i) for i in range(begin, end)}
            for statistic in self.statistics:
                found = player_values(statistic, atoms, self.predicates)
                rows += zip(
                    [order[begin]] * sizes.size,
                    [statistic] * sizes.size,
                    found.players,
                    [n[begin]] * sizes.size,
                    [found.value] * sizes.size,
                    sizes,
                    [s / k if k else None for s, k in zip(plains, sizes, strict=True)],
                    found.shapley,
                    strict=True,
                )
        source, *columns = zip(*rows, strict=True)
        keys = [column.take(pa.array(source)) for column in batch.columns[:keyed]]
        texts = [pa.array(column, pa.string()) for column in columns[:2]]
        numbers = [pa.array(column, pa.float64()) for column in columns[2:]]
        arrays = [*keys, *texts, *numbers]
        return pa.RecordBatch.from_arrays(arrays, [str(i) for i in range(len(arrays))])


def _members(signature: Any, predicates: int) -> Any:
    """Which atoms each player has, as 0 and 1; the last one has the uncovered tuples."""
    bits = [(signature >> k) & 1 for k in range(predicates)]
    return np.array([*bits, signature == 0], dtype=np.float64)
