"""The rows of a sliding window as a queue of blocks.

    | oldest block, its first rows gone |  whole blocks  | youngest block, filling |

Rows enter at the right and leave at the left. In between two changes of the blocks only `head`
and the youngest block move, so that what was derived from the others stays good.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

Rows = tuple[NDArray[np.float64], NDArray[np.int64]]
_NO_ROWS: Rows = np.empty(0), np.empty(0, dtype=np.int64)


class Block:
    """Consecutive rows, in the order in which they came."""

    __slots__ = ("_arrays", "number", "signatures", "times", "values")

    def __init__(self, number: int) -> None:
        self.number = number
        self.values: list[float] = []
        self.signatures: list[int] = []
        self.times: list[Any] = []
        self._arrays = _NO_ROWS

    def arrays(self) -> Rows:
        """Return the values and signatures as arrays, made once for a block that rests."""
        if len(self._arrays[0]) != len(self.values):
            values = np.array(self.values, dtype=np.float64)
            self._arrays = values, np.array(self.signatures, dtype=np.int64)
        return self._arrays

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
        self._arrays = _NO_ROWS


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
        in a window of fixed size it takes over from the oldest as that runs out. Its first row
        stays as long as the blocks do.
    epoch : int
        How often the blocks have changed in another way than by `head` and by rows that follow
        the first of the youngest block.
    corrections : int
        How often a row was taken out of the blocks.
    values, signatures, value, signature
        The youngest block's lists and the newest row, within reach of the hot path.
    """

    __slots__ = (
        "corrections",
        "epoch",
        "head",
        "length",
        "old",
        "signature",
        "signatures",
        "value",
        "values",
        "whole",
        "young",
    )

    def __init__(self, length: int) -> None:
        self.length = length
        self.old, self.head = Block(0), 0
        self.whole: deque[Block] = deque()
        self.epoch = self.corrections = 0
        self.value, self.signature = 0.0, 0
        self._open(1)

    def add(self, value: float, signature: int, time: Any = None) -> None:
        """Let a row enter; with its time, if the window goes by that."""
        if self.head >= len(self.old.values) or len(self.values) >= self.length:
            self._close_young()
            self._go_on()
        if not self.values:
            self.epoch += 1
        self.values.append(value)
        self.signatures.append(signature)
        if time is not None:
            self.young.times.append(time)
        self.value, self.signature = value, signature

    def drop(self) -> None:
        """Let the oldest row leave; there is one."""
        self._go_on()
        self.head += 1

    def drop_until(self, limit: Any) -> int:
        """Let all rows with times up to `limit` leave; return how many did."""
        count = 0
        while True:
            self._go_on()
            times, start = self.old.times, self.head
            while self.head < len(times) and times[self.head] <= limit:
                self.head += 1
            count += self.head - start
            if self.head < len(times) or not (self.whole or self.values):
                return count

    def remove(self, value: float, signature: int) -> bool:
        """Take out the newest row with this value and signature; False if there is none."""
        for block, start in self._newest_first():
            i = block.find(value, signature, start)
            if i >= 0:
                block.remove(i)
                self.corrections += 1
                self.epoch += 1
                return True
        return False

    def rows(self) -> Rows:
        """Return the values and signatures of all rows, oldest first."""
        blocks = [block.arrays() for block in (self.old, *self.whole, self.young)]
        values, signatures = zip(*blocks, strict=True)
        return np.concatenate(values)[self.head :], np.concatenate(signatures)[self.head :]

    def _open(self, number: int) -> None:
        self.young = Block(number)
        self.values, self.signatures = self.young.values, self.young.signatures
        self.epoch += 1

    def _close_young(self) -> None:
        if self.values:
            self.whole.append(self.young)
            self._open(self.young.number + 1)

    def _go_on(self) -> None:
        """Go on to the next oldest block with rows, if all rows of this one have left."""
        while self.head >= len(self.old.values):
            if not self.whole:
                if not self.values:
                    return
                self._close_young()
            self.old, self.head = self.whole.popleft(), 0
            self.epoch += 1

    def _newest_first(self) -> Iterator[tuple[Block, int]]:
        yield self.young, 0
        for block in reversed(self.whole):
            yield block, 0
        yield self.old, self.head
