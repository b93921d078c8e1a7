"""RQ2, latency: one slide and one attributed statistic, against the window's length N.

In process:

- SlidingWindow: one tuple in, one out, the statistic answered;
- rolling: all windows of a column at once, per window;
- scan: each window summed again in NumPy, and the closed form from the sums;
- sampling: M = 100 permutations;
- enumeration: all 2^N coalitions, AVG.

and on Spark (``rq2_spark``, see `spark_frames.py`) each row of a frame of N rows.

CPU time, on Spark wall clock; the routes take turns, and a ratio is the median over the turns, so
that it holds on a busy machine.

    python bench/rq2.py [rq2] [rq2_spark] [--quick]
"""

from __future__ import annotations

from argparse import Namespace
from functools import partial
from statistics import median
from typing import Any

import numpy as np
from results import Figures, experiment
from timing import in_turn, micros, seconds, typical

from shapwin import (
    SlidingWindow,
    Summary,
    closed_form,
    enumerate_shapley,
    rolling,
    sample_shapley,
)

SELECTIVITY, SLIDES, BATCH = 0.3, 2000, 500
STATISTICS = ("avg", "var_pop")


def measure(options: Namespace) -> Figures:
    exponents = (2, 3, 4) if options.quick else (2, 3, 4, 5, 6)
    rows = {
        statistic: [latency(statistic, 10**k, options.quick) for k in exponents]
        for statistic in STATISTICS
    }
    return {
        "selectivity": SELECTIVITY,
        "slides": SLIDES,
        "rows": rows,
        "enumeration": [
            {"N": n, "seconds": seconds(partial(enumerate_shapley, "avg", column(n)[0].tolist()))}
            for n in ((10, 12) if options.quick else (10, 15, 20))
        ],
    }


def spark(options: Namespace) -> Figures:
    """A frame of N rows on Spark."""
    from spark_frames import against_length

    if options.quick:
        return against_length((100, 1000), count=5000, repeats=1)
    return against_length((100, 1000, 10_000, 100_000), count=110_000, repeats=3)


def column(length: int) -> tuple[Any, Any]:
    rng = np.random.default_rng(length)
    return rng.normal(size=length), rng.random(length) < SELECTIVITY


def latency(statistic: str, size: int, quick: bool) -> Figures:
    """Times of every route for one N; scans of long windows for some of the slides only."""
    y, member = column(size + SLIDES)
    slider, scan = Slides(statistic, y, member, size), Scan(statistic, y, member, size)
    scans = BATCH if size <= 10**4 else 10
    length = max(2 * size, 50_000 if quick else 500_000)
    roll = partial(rolling, *column(length), size=size, statistic=statistic)
    times = in_turn(
        {"sliding": slider.batch, "scan": partial(scan.batch, scans), "rolling": roll},
        SLIDES // BATCH,
    )
    sample = partial(sample_shapley, statistic, y[:size], permutations=100)
    each = {"sliding": BATCH, "scan": scans, "rolling": length}
    rolled = rolling(y, member, size=size, statistic=statistic)[-1]
    return {
        "N": size,
        **{route: micros(times[route], count) for route, count in each.items()},
        "first_use_us": slider.first_use * 1e6,
        "sampling_100_us": typical(sample, 1 if size > 10**4 else 3) * 1e6,
        "difference": float(np.ptp([scan.window(SLIDES), slider.phi, rolled]) / abs(rolled)),
        **{
            f"scan_over_{route}": median(
                (x / scans) / (t / each[route])
                for x, t in zip(times["scan"], times[route], strict=True)
            )
            for route in ("sliding", "rolling")
        },
    }


class Slides:
    """A full window, slid a batch at a time."""

    def __init__(self, statistic: str, y: Any, member: Any, size: int) -> None:
        self.values, self.signatures = y.tolist(), member.astype(int).tolist()
        self.window, self.at = SlidingWindow(["p"], size=size), size
        self.window.insert(self.values[:size], self.signatures[:size])
        self.statistic, self.phi = statistic, 0.0
        self.first_use = seconds(lambda: self.window.attribute(statistic, "p"))

    def batch(self) -> None:
        push, attribute, statistic = self.window.push, self.window.attribute, self.statistic
        rows = slice(self.at, self.at + BATCH)
        for value, signature in zip(self.values[rows], self.signatures[rows], strict=True):
            push(value, signature)
            found = attribute(statistic, "p")
        self.at += BATCH
        self.phi = found.phi


class Scan:
    """The statistic of a window from its rows, in as few passes as NumPy allows."""

    def __init__(self, statistic: str, y: Any, member: Any, size: int) -> None:
        self.y, self.member, self.size = y, member, size
        empty = Summary(size, 0.0, 0.0)
        self.weight = closed_form(statistic, empty, empty).weight
        self.split = {"avg": self.avg, "var_pop": self.var_pop}[statistic]

    def batch(self, slides: int) -> None:
        for start in range(1, slides + 1):
            self.window(start)

    def window(self, start: int) -> float:
        """Φ of the window that begins there."""
        y = self.y[start : start + self.size]
        group = y[self.member[start : start + self.size]]
        value, share = self.split(y, group)
        return share + self.weight * (share - group.size / y.size * value)

    @staticmethod
    def avg(y: Any, group: Any) -> tuple[float, float]:
        return y.sum() / y.size, group.sum() / y.size

    @staticmethod
    def var_pop(y: Any, group: Any) -> tuple[float, float]:
        n, mean = y.size, y.sum() / y.size
        squares = group @ group - 2 * mean * group.sum() + group.size * mean**2
        return y @ y / n - mean**2, squares / n


if __name__ == "__main__":
    experiment(rq2=measure, rq2_spark=spark)
