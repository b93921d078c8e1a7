"""The sums of a sliding window and of one query's tuples in it, kept up as the window slides.

For every row of the oldest block the sums from it through the last whole block are laid out
together, once when the blocks change (`_rest`), and those of the youngest block run along. A
slide then costs one look-up and one addition of each sum, and what has left the window is in none
of them.

All sums are about the first row of the youngest block, which stays in the window as long as the
blocks do. So the sums of the youngest block need nothing outside it, and serve on when it has
become a whole one.

This is plain Python on purpose: for blocks of some hundred rows, NumPy's way there and back costs
more than the additions.
"""

from __future__ import annotations

from itertools import islice
from math import isfinite
from typing import NamedTuple

import numpy as np

from .blocks import Block, Blocks
from .predicates import Query

# About a centre: the group's count, Σd and Σd² of all tuples, Σd and Σd² of the group.
Sums = tuple[int, float, float, float, float]
_NOTHING: Sums = (0, 0.0, 0.0, 0.0, 0.0)
_MANY_SIGNATURES = 100_000
# One before no head, as heads begin with 0.
_LAPSED = -2


class BlockSums(NamedTuple):
    """Sums of n tuples about a finite centre c, and of the group's m tuples about the same c."""

    n: int
    c: float
    m: int
    a: float
    b: float
    a_p: float
    b_p: float

    def about(self, c: float) -> BlockSums:
        """The same about another centre."""
        d = self.c - c
        a, a_p = self.a + self.n * d, self.a_p + self.m * d
        b, b_p = self.b + (self.a + a) * d, self.b_p + (self.a_p + a_p) * d
        return BlockSums(self.n, c, self.m, a, b, a_p, b_p)

    def merged(self, other: BlockSums) -> BlockSums:
        """The sums of both, about their common centre of weight."""
        n = self.n + other.n
        c = self.c + (other.c - self.c) * (other.n / n) if n else self.c
        x, y = self.about(c), other.about(c)
        return BlockSums(n, c, x.m + y.m, x.a + y.a, x.b + y.b, x.a_p + y.a_p, x.b_p + y.b_p)


class RunningSums:
    """The sums for one query.

    Parameters
    ----------
    query : Query
        Which tuples are the group.
    center : float, optional
        What all sums are about; without, about a value in the window.

    Attributes
    ----------
    head : int
        The head of the blocks that the following belong to; `_LAPSED` if more has changed since.
    c : float
        The centre.
    m, a, b, a_p, b_p : int, float
        The group's count; Σd and Σd² of the window and of the group about the centre.
    r, excess : float
        Their way to the mean: a/n, and Σd of the group about it.
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
        "_y_a",
        "_y_a_p",
        "_y_b",
        "_y_b_p",
        "_y_m",
        "_young",
        "a",
        "a_p",
        "b",
        "b_p",
        "c",
        "excess",
        "head",
        "m",
        "query",
        "r",
    )

    def __init__(self, query: Query, center: float | None = None) -> None:
        self.query, self._center = query, center
        self.head = _LAPSED
        self._epoch = self._corrections = -1
        self.c = self.r = self.excess = 0.0
        self.m, self.a, self.b, self.a_p, self.b_p = _NOTHING
        self._set_young(_NOTHING)
        self._young: Block | None = None
        self._done = 0  # rows of the youngest block that had come when head was 0, or now if lapsed
        self._holds: dict[int, bool] = {}
        self._rest: list[Sums] = []
        self._first = self._back_to = 0
        self._front: list[BlockSums] = []
        self._known: dict[int, BlockSums] = {}
        self._back: BlockSums | None = None

    def follow(self, blocks: Blocks, n: float) -> None:
        """Catch up with the window of `n` tuples, n > 0."""
        head = blocks.head
        if head - self.head != 1:
            self._catch_up(blocks)
        else:  # one new row: what `_added` does to many
            member = self._holds.get(blocks.signature)
            if member is None:
                member = self._holds[blocks.signature] = self.query.holds(blocks.signature)
            d = blocks.value - self.c
            square = d * d
            self._y_a += d
            self._y_b += square
            if member:
                self._y_m += 1
                self._y_a_p += d
                self._y_b_p += square
        self.head = head
        m, a, b, a_p, b_p = self._rest[head]
        self.m = m = m + self._y_m
        self.a = a = a + self._y_a
        self.b = b + self._y_b
        self.a_p = a_p = a_p + self._y_a_p
        self.b_p = b_p + self._y_b_p
        self.r = r = a / n
        self.excess = a_p - m * r

    def lapse(self) -> None:
        """Note that more has changed than that each row pushed one out."""
        if self.head >= 0:
            self._done += self.head
            self.head = _LAPSED

    # ---- when the blocks have changed, or several rows have come ----------------------------

    def _catch_up(self, blocks: Blocks) -> None:
        self.lapse()
        if self._epoch != blocks.epoch:
            self._lay_out(blocks)
        self._set_young(self._added(self._of_young(), blocks.young, self._done, self.c))
        self._done = len(blocks.values) - blocks.head

    def _added(self, sums: Sums, block: Block, done: int, c: float) -> Sums:
        """The sums with the rows of a block after the first `done`."""
        m, a, b, a_p, b_p = sums
        values, signatures = block.values[done:], block.signatures[done:]
        self._learn(signatures)
        holds = self._holds
        for value, signature in zip(values, signatures, strict=True):
            d = value - c
            square = d * d
            a += d
            b += square
            if holds[signature]:
                m += 1
                a_p += d
                b_p += square
        return m, a, b, a_p, b_p

    def _learn(self, signatures: list[int]) -> None:
        """Answer the query for signatures not seen before."""
        holds, answer = self._holds, self.query.holds
        if len(holds) > _MANY_SIGNATURES:  # a long stream may bring new ones for ever
            holds.clear()
        holds.update({s: answer(s) for s in set(signatures).difference(holds)})

    def _lay_out(self, blocks: Blocks) -> None:
        """Begin an epoch: with the sums from each row of the oldest block on, and none of young."""
        self._keep(blocks)
        old, middle = blocks.old, self._middle(blocks)
        self.c = c = _inside(blocks) if self._center is None else self._center
        if self._young is not blocks.young or blocks.corrections != self._corrections:
            self._done = 0
        if not self._done:
            self._set_young(_NOTHING)
        self._epoch, self._corrections = blocks.epoch, blocks.corrections
        self._young = blocks.young
        m, a, b, a_p, b_p = _NOTHING if middle is None else middle.about(c)[2:]
        self._learn(old.signatures)
        holds, rest = self._holds, [(m, a, b, a_p, b_p)]
        rows = zip(reversed(old.values), reversed(old.signatures), strict=True)
        for value, signature in islice(rows, len(old.values) - blocks.head):
            d = value - c
            square = d * d
            a += d
            b += square
            if holds[signature]:
                m += 1
                a_p += d
                b_p += square
            rest.append((m, a, b, a_p, b_p))
        rest += [_NOTHING] * blocks.head
        rest.reverse()
        self._rest = rest

    def _set_young(self, sums: Sums) -> None:
        self._y_m, self._y_a, self._y_b, self._y_a_p, self._y_b_p = sums

    def _keep(self, blocks: Blocks) -> None:
        """Keep the sums of the block that was the youngest, if it is a whole one now."""
        block = self._young
        if block is None or blocks.corrections != self._corrections or block is blocks.young:
            return
        if blocks.whole and block.number >= blocks.whole[0].number:
            sums = self._added(self._of_young(), block, self._done, self.c)
            self._known[block.number] = BlockSums(len(block.values), self.c, *sums)

    def _of_young(self) -> Sums:
        return self._y_m, self._y_a, self._y_b, self._y_a_p, self._y_b_p

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
                self._front[i] = self._front[i].merged(self._front[i + 1])
            self._first, self._back, self._back_to = first, None, end
        for number in range(self._back_to, end):
            sums = self._of_block(whole[number - first])
            self._back = sums if self._back is None else self._back.merged(sums)
        self._back_to = end
        front = self._front[first - self._first]
        return front if self._back is None else front.merged(self._back)

    def _of_block(self, block: Block) -> BlockSums:
        """The sums of a whole block, found once unless a row is taken out of it."""
        sums = self._known.get(block.number)
        if sums is None or sums.n != len(block.values):
            c = self._center
            if c is None:
                c = _finite(block.values[0]) if block.values else 0.0
            sums = BlockSums(len(block.values), c, *self._added(_NOTHING, block, 0, c))
            self._known[block.number] = sums
        return sums


def _inside(blocks: Blocks) -> float:
    """A finite point that stays in the window during this epoch.

    The youngest block is empty only if rows were retracted: its next row begins an epoch.
    """
    last = blocks.whole[-1] if blocks.whole else blocks.old
    return _finite(blocks.values[0] if blocks.values else last.values[-1])


def _finite(value: float) -> float:
    return value if isfinite(value) else 0.0


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
_HUGE = float(np.finfo(np.float64).max)
