"""Predicates as players, many windows at once, from the atoms that the window kernel finds."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
import pyarrow as pa

from ..players import OTHER, coalition_values, shapley
from ..summary import Summary, about_mean, each_field
from .kernel import WindowKernel
from .long_rows import Answers, counts, long_batch, mean, numbers, repeated
from .pane_rows import codes

# Coalitions worked on at once: some tens of megabytes.
_AT_ONCE = 1 << 18


@dataclass(frozen=True, slots=True)
class PlayerRows:
    """Turns sorted pane rows into one row for each window, statistic and player.

    Parameters
    ----------
    kernel : WindowKernel
        Answers for atoms, all of a window at once.
    statistics, predicates : tuple of str
        The games, and the players besides the uncovered tuples.
    width : int
        Microseconds in a window.
    """

    kernel: WindowKernel
    statistics: tuple[str, ...]
    predicates: tuple[str, ...]
    width: int

    def __call__(self, batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        """Work through one partition, whose rows are sorted by key and pane."""
        for answers in self.kernel(batches):
            if len(answers.plain):
                yield from self._players(answers)

    def _players(self, answers: Answers) -> Iterator[pa.RecordBatch]:
        """The rows of each statistic in turn."""
        window = codes(answers.place, answers.plain.size)
        order = np.argsort(window, kind="stable")
        first = np.flatnonzero(np.append(True, np.diff(window[order]) != 0))
        place = [column.take(pa.array(order[first])) for column in answers.place]
        signature = np.asarray(answers.atoms)[order]
        # All of a window about its mean, as the coalitions of its atoms add up.
        total, part = about_mean(answers.total, each_field(lambda f: f.reshape(-1), answers.part))
        atoms = part.take(order)
        members = self._members(signature)
        size, sums = (
            np.add.reduceat(np.where(members, x, 0.0), first, axis=1).T
            for x in (atoms.m, answers.plain_part[0][order])
        )
        n = total.m[order[first]]
        for statistic in self.statistics:
            value, phi = self._games(statistic, first, signature, atoms)
            yield self._batch(place, statistic, n, value, size, sums, phi)

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
        sums: Any,
        phi: Any,
    ) -> pa.RecordBatch:
        """A window's players together."""
        players = [*self.predicates, OTHER]
        window = np.arange(n.size).repeat(len(players))
        m, none = size.ravel(), np.ones(window.size, dtype=np.bool_)
        no_part = numbers(np.zeros(window.size), none)
        return long_batch(
            [column.take(pa.array(window)) for column in place],
            self.width,
            statistic=repeated(statistic, window.size),
            predicate=pa.array(players * n.size),
            n=counts(n[window]),
            value=numbers(value[window]),
            m=counts(m),
            group_mean=numbers(mean(sums.ravel(), m), m == 0),
            phi=numbers(phi.ravel()),
            share=no_part,
            lift=no_part,
            weight=no_part,
        )


def _placed(numbers: Any, places: Any, size: int) -> Any:
    """Numbers at places among zeros."""
    result = np.zeros(size)
    result[places] = numbers
    return result
