"""What is usual for an aggregate, learnt from window after window, and what jumps out of it."""

from __future__ import annotations

from collections import defaultdict, deque
from collections.abc import Hashable
from math import isfinite
from statistics import median


class Usual:
    """The last windows of every series, and whether the next one jumps.

    Parameters
    ----------
    jump : float
        How many times farther from the median than is typical a jump is; typical is the median
        distance.
    least : int
        How many it takes to know what is usual.

    Examples
    --------
    >>> usual = Usual(3.0)
    >>> for value in [10.0, 11.0, 10.0, 9.0, 10.0, 11.0, 9.0, 10.0]:
    ...     median, jumps = usual.add("avg", value)
    >>> usual.add("avg", 40.0), usual.add("avg", 41.0)
    ((10.0, True), (10.0, False))
    """

    # How many windows are remembered of a series.
    SIZE = 100

    def __init__(self, jump: float, *, least: int = 8) -> None:
        self._jump = jump
        self._least = least
        self._seen: dict[Hashable, deque[float]] = defaultdict(lambda: deque(maxlen=self.SIZE))
        self._outside: dict[Hashable, bool] = {}

    def add(self, series: Hashable, value: float) -> tuple[float, bool]:
        """Take the next value: return the median of those before it, and whether it jumps.

        Windows overlap, so that one event is in many: only the first of a row of them jumps.
        """
        seen = self._seen[series]
        middle = median(seen) if seen else float("nan")
        if not isfinite(value):
            return middle, False
        typical = median(abs(v - middle) for v in seen) if seen else 0.0
        # Rounding is no jump where all values are equal.
        outside = len(seen) >= self._least and abs(value - middle) > max(
            self._jump * typical, 1e-9 * abs(middle)
        )
        jumps = outside and not self._outside.get(series, False)
        self._outside[series] = outside
        seen.append(value)
        return middle, jumps
