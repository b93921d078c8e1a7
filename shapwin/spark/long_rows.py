"""Window sums to rows of the long table: the closed form, by NumPy, in the Python workers."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa

from ..games import Attribution, closed_form
from ..predicates import atom_label
from ..summary import Summary, each_field


class Answers(NamedTuple):
    """The sums of some windows, and of groups in each.

    Parameters
    ----------
    place : list of array
        The keys of each window, and its start.
    total, part : Summary
        Of the windows, and of their groups: shapes (windows,) and (groups, windows).
    plain, plain_part : array of float
        Σ y about zero of the same, where no outlier elsewhere in a window touches a group.
    atoms : array of int, optional
        The bits of the atom that the one group of each window is; None where groups are queries.
    """

    place: list[pa.Array]
    total: Summary
    part: Summary
    plain: Any
    plain_part: Any
    atoms: pa.Array | None = None

    def where(self, kept: Any) -> Answers:
        """Only the windows that `kept` says."""
        if kept.all():
            return self
        chosen = pa.array(kept)
        return Answers(
            [column.filter(chosen) for column in self.place],
            each_field(lambda f: f[..., kept], self.total),
            each_field(lambda f: f[..., kept], self.part),
            self.plain[kept],
            self.plain_part[..., kept],
            None if self.atoms is None else self.atoms.filter(chosen),
        )


Batches = Iterable[pa.RecordBatch]


@dataclass(frozen=True, slots=True)
class LongRows:
    """Turns what a kernel answers into the rows of every statistic and group.

    Parameters
    ----------
    kernel : callable
        Gives the answers to batches of its rows.
    statistics : tuple of str
        The games.
    labels : tuple of str
        The names of the queries, or of the predicates that atoms are made of.
    width : int
        Microseconds in a window.
    """

    kernel: Callable[[Batches], Iterator[Answers]]
    statistics: tuple[str, ...]
    labels: tuple[str, ...]
    width: int

    def __call__(self, batches: Batches) -> Iterator[pa.RecordBatch]:
        """Work through one partition: rows of one statistic and query lie together."""
        for answers in self.kernel(batches):
            names = self._names(answers)
            for statistic in self.statistics:
                yield from self._rows(statistic, answers, names)

    def _names(self, answers: Answers) -> list[pa.Array]:
        """The column ``predicate`` of each group."""
        if answers.atoms is not None:
            return [atom_labels(answers.atoms, self.labels)]
        return [repeated(label, len(answers.plain)) for label in self.labels]

    def _rows(
        self, statistic: str, answers: Answers, names: list[pa.Array]
    ) -> Iterator[pa.RecordBatch]:
        n, m = np.asarray(answers.total.m), answers.part.m
        # A stream flags windows from which more was taken back than was there: all else is NULL.
        wrong = (n < 0) | (m < 0).any(axis=0) | (m > n).any(axis=0)
        flagged = wrong if wrong.any() else None
        found = attributed(statistic, answers)
        of_window = {"n": counts(n), "value": numbers(found.value, flagged)}
        weight = numbers(found.weight, flagged)
        for i, name in enumerate(names):
            m = answers.part.m[i]
            none = m == 0 if flagged is None else flagged | (m == 0)
            parts = {"phi": found.phi[i], "share": found.share[i], "lift": found.lift[i]}
            yield long_batch(
                answers.place,
                self.width,
                statistic=repeated(statistic, n.size),
                predicate=name,
                **of_window,
                m=counts(m),
                group_mean=numbers(mean(answers.plain_part[i], m), none),
                **{part: numbers(x, flagged) for part, x in parts.items()},
                weight=weight,
            )


def attributed(statistic: str, answers: Answers) -> Attribution:
    """Attribute a statistic of windows to their groups: arrays (windows,) or (groups, windows).

    A SUM is Σ y about zero itself, so that groups beside an outlier keep their digits.
    """
    found = closed_form(statistic, answers.total, answers.part)
    if statistic != "sum":
        return found
    return found._replace(value=answers.plain, phi=answers.plain_part, share=answers.plain_part)


def long_batch(place: Sequence[pa.Array], width: int, **columns: pa.Array) -> pa.RecordBatch:
    """Return rows of the long table, whose order of columns this is."""
    start = place[-1]
    end = pa.array(start.cast(pa.int64()).to_numpy() + width).cast(start.type)
    arrays = [*place, end, *columns.values()]
    return pa.RecordBatch.from_arrays(arrays, [str(i) for i in range(len(arrays))])


def atom_labels(bits: pa.Array, predicates: Sequence[str]) -> pa.Array:
    """Name each atom by what is satisfied; a label is made once for all its rows."""
    found = bits.dictionary_encode()
    labels = [atom_label(atom, predicates) for atom in found.dictionary.to_pylist()]
    return pa.array(labels, pa.string()).take(found.indices)


def repeated(text: str, count: int) -> pa.Array:
    """Return a column that says the same in every row."""
    return pa.repeat(pa.scalar(text, pa.string()), count)


def counts(m: Any) -> pa.Array:
    """Return numbers of tuples as a column of BIGINT."""
    return pa.array(np.asarray(m).astype(np.int64))


def numbers(x: Any, unknown: Any = None) -> pa.Array:
    """Return a column of DOUBLE; what is unknown is NULL."""
    return pa.array(np.asarray(x, dtype=np.float64), mask=unknown)


def mean(total: Any, m: Any) -> Any:
    """Σ y / m; NaN where there are no tuples."""
    with np.errstate(invalid="ignore", divide="ignore"):
        return total / m
