"""The rows of a sliding window as a queue of blocks.

    | oldest block, its first rows gone |  whole blocks  | youngest block, filling |

Rows enter at the right and leave at the left. `epoch` changes whenever the blocks do, which is
when what was derived from them has to be laid out anew; in between, only `head` and the youngest
block move.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray


class Block:
    """Consecutive rows, in the order in which they came."""

    __slots__ = ("number", "signatures", "times", "values")

    def __init__(self, number: int) -> None:
        self.number = number
        self.values: list[float] = []
        self.signatures: list[int] = []
        self.times: list[Any] = []

    def find(self, value: float, signature: int, start: int) -> int:
        """Return the place of the newest such row from `start` on, or −1."""
        nan = value != value
        if not nan and value not in self.values:
            return -1
        for i in range(len(self.values) - 1, start - 1, -1):
            here = self.values[i]
            if (here == value or (nan and here != here)) and self.signatures[i] == signature:
                return i
        return -1

    def remove(self, i: int) -> None:
        """Take row `i` out."""
        del self.values[i], self.signatures[i]
        if self.times:
            del self.times[i]


class Blocks:
    """The queue of blocks.

    Parameters
    ----------
    length : int
        Rows in a block.

    Attributes
    ----------
    old, head : Block, int
        The oldest block, and how many of its rows have left.
    whole : deque of Block
        The blocks between, numbered on without a gap.
    young : Block
        The youngest block. It never spans more than `length` rows while the window grows, and
        in a window of fixed size it takes over from the oldest as that runs out.
    epoch, corrections : int
        How often the blocks have changed, and how often a row was taken out of them.
    """

    def __init__(self, length: int) -> None:
        self.length = length
        self.old, self.head = Block(0), 0
        self.whole: deque[Block] = deque()
        self.young = Block(1)
        self.epoch = 0
        self.corrections = 0

    def close_young(self) -> None:
        """Begin a new youngest block; go on to the next oldest if all its rows have left."""
        if self.young.values:
            self.whole.append(self.young)
            self.young = Block(self.young.number + 1)
            self.epoch += 1
        while self.whole and self.head >= len(self.old.values):
            self.old, self.head = self.whole.popleft(), 0
            self.epoch += 1

    def remove(self, value: float, signature: int) -> bool:
        """Take out the newest row with this value and signature; False if there is none."""
        for block, start in self._newest_first():
            i = block.find(value, signature, start)
            if i >= 0:
                block.remove(i)
                self.corrections += 1
                self.epoch += 1
                if self.head >= len(self.old.values):
                    self.close_young()
                return True
        return False

    def _newest_first(self) -> Iterator[tuple[Block, int]]:
        yield self.young, 0
        for block in reversed(self.whole):
            yield block, 0
        yield self.old, self.head

    def rows(self) -> tuple[NDArray[np.float64], NDArray[np.int64]]:
        """Return the values and signatures of all rows, oldest first."""
        values, signatures = self.old.values[self.head :], self.old.signatures[self.head :]
        for block in (*self.whole, self.young):
            values += block.values
            signatures += block.signatures
        return np.array(values, dtype=np.float64), np.array(signatures, dtype=np.int64)
