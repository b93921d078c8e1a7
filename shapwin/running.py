"""The sums of a sliding window and of one query's tuples in it, kept up as the window slides.

For every row of the oldest block the sums from it through the last whole block are laid out
together, once an epoch (`rest`), and those of the youngest block run along. A slide then costs
one look-up and one addition of each sum, and what has left the window is in none of them.

All sums are about a centre that stays in the window during the whole epoch: the mean of the whole
blocks, or the last row of the oldest block.
"""

from __future__ import annotations

from math import isfinite
from typing import Any, NamedTuple

import numpy as np

from .blocks import Block, Blocks
from .predicates import Query


class BlockSums(NamedTuple):
    """Sums of n tuples about a finite centre c, and of the group's m tuples about the same c."""

    n: float
    c: float
    a: float
    b: float
    m: float
    a_p: float
    b_p: float

    def about(self, c: float) -> BlockSums:
        """The same about another centre."""
        d = self.c - c
        a, a_p = self.a + self.n * d, self.a_p + self.m * d
        b, b_p = self.b + (self.a + a) * d, self.b_p + (self.a_p + a_p) * d
        return BlockSums(self.n, c, a, b, self.m, a_p, b_p)

    def __add__(self, other: Any) -> BlockSums:
        n = self.n + other.n
        c = self.c + (other.c - self.c) * (other.n / n) if n else self.c
        left, right = self.about(c), other.about(c)
        sums = [x + y for x, y in zip(left[2:], right[2:], strict=True)]
        return BlockSums(n, c, *sums)


class RunningSums:
    """The sums for one query.

    Parameters
    ----------
    query : Query
        Which tuples are the group.

    Attributes
    ----------
    mean : float
        The window's mean, or a finite centre if that is NaN or ±Inf.
    whole, part : tuple of float
        (count, Σd, Σd²) of the window and of the group about the window's mean.
    clock : int
        The state of the window that these belong to.
    """

    __slots__ = (
        "_back",
        "_back_to",
        "_center",
        "_corrections",
        "_done",
        "_epoch",
        "_first",
        "_front",
        "_holds",
        "_known",
        "_rest",
        "_young",
        "clock",
        "mean",
        "part",
        "query",
        "whole",
    )

    def __init__(self, query: Query) -> None:
        self.query = query
        self.clock = self._epoch = self._corrections = -1
        self.mean = 0.0
        self.whole: Moments = (0, 0.0, 0.0)
        self.part: Moments = (0, 0.0, 0.0)
        self._holds = _Holds(query)
        self._center, self._done, self._young = 0.0, 0, _NOTHING
        self._rest: list[Any] = []
        self._first = self._back_to = 0
        self._front: list[BlockSums] = []
        self._known: dict[int, tuple[int, BlockSums]] = {}
        self._back: BlockSums | None = None

    def follow(self, blocks: Blocks, n: int, clock: int) -> None:
        """Catch up with the window of `n` tuples."""
        self.clock = clock
        if n == 0:
            return  # nothing to find a centre by
        if self._epoch != blocks.epoch:
            self._lay_out(blocks)
        young, c, done, holds = blocks.young, self._center, self._done, self._holds
        a, b, m, a_p, b_p = self._young
        values, signatures = young.values, young.signatures
        while done < len(values):
            d = values[done] - c
            square = d * d
            a += d
            b += square
            if holds[signatures[done]]:
                m += 1.0
                a_p += d
                b_p += square
            done += 1
        self._done, self._young = done, (a, b, m, a_p, b_p)
        a0, b0, m0, a_p0, b_p0 = self._rest[blocks.head]
        self.mean, self.whole, self.part = moved_to_mean(
            c, n, a + a0, b + b0, m + m0, a_p + a_p0, b_p + b_p0
        )

    # ---- once an epoch ------------------------------------------------------------------------

    def _lay_out(self, blocks: Blocks) -> None:
        middle = self._middle(blocks)
        old, head = blocks.old, blocks.head
        self._center = c = _center(middle, old.values[-1:] or blocks.young.values[:1])
        y = np.array(old.values[head:])
        sums = np.zeros((5, y.size + 1))
        if y.size:
            sums[:, :-1] = _deviations(y, self._flags(old, head), c)
        if middle is not None:
            sums[:, -1] = middle.about(c)[2:]
        rest = sums[:, ::-1].cumsum(axis=1)[:, ::-1]
        self._rest = [*[()] * head, *rest.T.tolist()]
        self._young, self._done = _NOTHING, 0
        self._epoch = blocks.epoch

    def _middle(self, blocks: Blocks) -> BlockSums | None:
        """The sums of the whole blocks, a queue of two stacks: merges only."""
        whole = blocks.whole
        if not whole:
            return None
        first, end = whole[0].number, whole[-1].number + 1
        start = self._first + len(self._front)
        if blocks.corrections != self._corrections or not self._first <= first < start:
            self._known = {k: v for k, v in self._known.items() if k >= first}
            self._front = [self._of_block(block) for block in whole]
            for i in range(len(self._front) - 2, -1, -1):
                self._front[i] = self._front[i] + self._front[i + 1]
            self._first, self._back, self._back_to = first, None, end
            self._corrections = blocks.corrections
        for number in range(self._back_to, end):
            sums = self._of_block(whole[number - first])
            self._back = sums if self._back is None else self._back + sums
        self._back_to = end
        front = self._front[first - self._first]
        return front if self._back is None else front + self._back

    def _of_block(self, block: Block) -> BlockSums:
        """The sums of a whole block, found once unless a row is taken out of it."""
        size, sums = self._known.get(block.number, (-1, None))
        if sums is None or size != len(block.values):
            sums = self._sums_of(block)
            self._known[block.number] = len(block.values), sums
        return sums

    def _sums_of(self, block: Block) -> BlockSums:
        y = np.array(block.values)
        with np.errstate(all="ignore"):
            c = float(y[0] + np.mean(y - y[0])) if y.size else 0.0
        c = c if isfinite(c) else 0.0
        sums = _deviations(y, self._flags(block, 0), c).sum(axis=1)
        return BlockSums(float(y.size), c, *sums.tolist())

    def _flags(self, block: Block, start: int) -> Any:
        holds = self._holds
        return np.array([holds[s] for s in block.signatures[start:]], dtype=np.bool_)


def moved_to_mean(
    c: float, n: int, a: float, b: float, m: float, a_p: float, b_p: float
) -> tuple[float, Moments, Moments]:
    """Return the window's mean, and (count, Σd, Σd²) of window and group about it.

    The sums come about the centre c. If a NaN or an Inf is in the window there is no such mean:
    then it is c, and squares are NaN.
    """
    r = a / n
    if not -_HUGE < r < _HUGE:
        return c, (n, a, a * 0), (int(m), a_p, a * 0)
    mr = m * r
    b -= r * a
    b_p -= r * (a_p + a_p - mr)
    whole = (n, 0.0, 0.0 if b < 0 else b)
    return c + r, whole, (int(m), a_p - mr, 0.0 if b_p < 0 else b_p)


Moments = tuple[int, float, float]
_NOTHING = (0.0, 0.0, 0.0, 0.0, 0.0)
_HUGE = float(np.finfo(np.float64).max)


class _Holds(dict[int, bool]):
    """Whether the query holds for a signature, found once for each."""

    def __init__(self, query: Query) -> None:
        self.query = query

    def __missing__(self, signature: int) -> bool:
        held = self[signature] = bool(self.query.over_atoms(signature))
        return held


def _center(middle: BlockSums | None, row: list[float]) -> float:
    """A finite point within what stays in the window during this epoch."""
    c = middle.c if middle is not None and middle.n else row[0] if row else 0.0
    return c if isfinite(c) else 0.0


def _deviations(y: Any, member: Any, c: float) -> Any:
    """Rows of d, d², and for members 1, d, d²; shape (5, m)."""
    with np.errstate(all="ignore"):
        d = y - c
        d_p = np.where(member, d, 0.0)
        return np.array([d, d * d, member, d_p, d_p * d_p])
