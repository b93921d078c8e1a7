"""RQ4a, predicates: K = 1 … 64 of them, over dimensions of 8 values, windows of 10⁴ tuples.

- push: one tuple in, one out, nothing asked;
- slide: the same, and AVG attributed to one predicate;
- kept: AVG attributed to every active atom at once, from sums of the atoms that are at hand (as
  pane rows keep them);
- query: the same from the window's rows, by `attribute_atoms`;
- loop: the paper's way to the same, in the same run: running sums in a dict of atoms, and one
  closed form after another, with all that `closed_form` gives, or (loop_phi) nothing but Φ; its
  slide adds to one atom and subtracts from another.

    python bench/rq4a.py [--quick]
"""

from __future__ import annotations

from argparse import Namespace
from collections.abc import Callable
from itertools import product
from statistics import median
from typing import Any

import numpy as np
from results import Figures, experiment
from timing import in_turn, micros

from shapwin import SlidingWindow, Summary, closed_form
from shapwin.predicates import pack

CARDINALITY, BATCH, OFTEN = 8, 100, 10


def measure(options: Namespace) -> Figures:
    size, slides = (1000, 500) if options.quick else (10_000, 2000)
    counts = (1, 8, 64) if options.quick else (1, 4, 8, 16, 32, 64)
    return {
        "N": size,
        "slides": slides,
        "dimension_cardinality": CARDINALITY,
        "rows": [predicates(count, size, slides) for count in counts],
    }


def predicates(count: int, size: int, slides: int) -> Figures:
    """Costs and atoms for one K."""
    rng = np.random.default_rng(count)
    length = size + 2 * slides
    signatures = equalities(count, length, rng)
    values = rng.normal(size=length).tolist()
    pushed, asked = (Slides(values, signatures, count, size) for _ in range(2))
    atoms = Atoms(values, signatures, size)
    asked.answer()
    times = in_turn(
        {"push": pushed.push, "slide": asked.push_and_answer, "loop_slide": atoms.slide},
        slides // BATCH,
    )
    row: Figures = {"K": count, "min(2^K,N)": min(2**count, size)}
    row |= {name: micros(each, BATCH) for name, each in times.items()}
    window = asked.window
    total, parts = atoms.summaries()
    times = in_turn(
        {
            "kept": often(lambda: closed_form("avg", total, parts)),
            "query": often(lambda: window.attribute_atoms("avg")),
            "loop_query": often(atoms.answer),
            "loop_phi": often(atoms.phi),
        },
        slides // BATCH,
    )
    row |= {name: micros(each, OFTEN) for name, each in times.items()}
    for loop, ours in product(("loop_query", "loop_phi"), ("kept", "query")):
        pairs = zip(times[loop], times[ours], strict=True)
        row[f"{loop}_over_{ours}"] = median(theirs / mine for theirs, mine in pairs)
    signatures, found = window.attribute_atoms("avg")
    one_by_one = atoms.answer()
    looped = np.array([one_by_one[signature][1] for signature in signatures.tolist()])
    scale = np.abs(found.phi).max()
    row["active_atoms"] = len(found.phi)
    row["efficiency"] = abs(found.phi.sum() - found.value) / scale
    row["difference"] = np.abs(found.phi - looped).max() / scale
    return row


def often(work: Callable[[], Any]) -> Callable[[], None]:
    """The same several times over, so that each finds its own things in the caches."""

    def repeated() -> None:
        for _ in range(OFTEN):
            work()

    return repeated


def equalities(count: int, length: int, rng: Any) -> list[int]:
    """Signatures of the predicates d = v, for the values v of one dimension after another."""
    dimensions = -(-count // CARDINALITY)
    d = rng.integers(0, CARDINALITY, (dimensions, length))
    satisfied = [d[k // CARDINALITY] == k % CARDINALITY for k in range(count)]
    return pack(satisfied).tolist()


class Slides:
    """A full `SlidingWindow`, slid a batch at a time."""

    def __init__(self, values: list[float], signatures: list[int], count: int, size: int) -> None:
        self.values, self.signatures, self.at = values, signatures, size
        self.window = SlidingWindow([f"p{k}" for k in range(count)], size=size)
        self.window.insert(values[:size], signatures[:size])

    def answer(self) -> None:
        self.window.attribute("avg", "p0")

    def push(self) -> None:
        push = self.window.push
        for i in range(self.at, self.at + BATCH):
            push(self.values[i], self.signatures[i])
        self.at += BATCH

    def push_and_answer(self) -> None:
        push, attribute = self.window.push, self.window.attribute
        for i in range(self.at, self.at + BATCH):
            push(self.values[i], self.signatures[i])
            attribute("avg", "p0")
        self.at += BATCH


class Atoms:
    """The paper's structure: count and running sums of each active atom, in a dict."""

    def __init__(self, values: list[float], signatures: list[int], size: int) -> None:
        self.values, self.signatures, self.at, self.size = values, signatures, size, size
        self.sums: dict[int, list[float]] = {}
        self.total = 0.0
        whole = Summary(size, 0.0, 0.0)
        self.weight = closed_form("avg", whole, whole).weight
        for value, signature in zip(values[:size], signatures[:size], strict=True):
            self.change(value, signature, 1)

    def change(self, value: float, signature: int, sign: int) -> None:
        """Add a tuple, or take one out."""
        sums = self.sums.get(signature)
        if sums is None:
            sums = self.sums[signature] = [0, 0.0, 0.0]
        sums[0] += sign
        sums[1] += sign * value
        sums[2] += sign * value * value
        self.total += sign * value
        if not sums[0]:
            del self.sums[signature]

    def slide(self) -> None:
        for i in range(self.at, self.at + BATCH):
            self.change(self.values[i], self.signatures[i], 1)
            self.change(self.values[i - self.size], self.signatures[i - self.size], -1)
        self.at += BATCH

    def answer(self) -> dict[int, tuple[float, float, float, float]]:
        """Members, Φ, share and lift of every atom."""
        n, weight, found = self.size, self.weight, {}
        mean = self.total / n
        for signature, (m, a, _) in self.sums.items():
            share = a / n
            lift = share - m / n * mean
            found[signature] = m, share + weight * lift, share, lift
        return found

    def phi(self) -> dict[int, float]:
        """Φ of every atom, and nothing else."""
        n, weight = self.size, self.weight
        once, of_all = (1 + weight) / n, weight * self.total / n**2
        return {s: once * a - of_all * m for s, (m, a, _) in self.sums.items()}

    def summaries(self) -> tuple[Summary, Summary]:
        """The window's sums and the atoms', as arrays."""
        parts = Summary(*np.array([*self.sums.values()]).T)
        return Summary(parts.m.sum(), parts.a.sum(), parts.b.sum()), parts


if __name__ == "__main__":
    experiment(rq4a=measure)
