"""RQ2, latency: AVG and VAR_POP of one slide, attributed, against the window's length N.

- SlidingWindow: one tuple in, one out, both statistics answered;
- rolling: all windows of a column at once, both statistics, per window;
- scan: each window summed again in NumPy, both closed forms from the sums;
- sampling: M = 100 permutations, both statistics;
- enumeration: all 2^N coalitions, AVG.

CPU time; the routes take turns, so that ratios within the run hold on a busy machine.

    python bench/rq2.py [--quick]
"""

from __future__ import annotations

from argparse import Namespace
from functools import partial
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

SELECTIVITY, SLIDES, BATCH = 0.3, 2000, 100
STATISTICS = ("avg", "var_pop")


def measure(options: Namespace) -> Figures:
    exponents = (2, 3, 4) if options.quick else (2, 3, 4, 5, 6)
    rows = [latency(10**k, options.quick) for k in exponents]
    return {
        "selectivity": SELECTIVITY,
        "slides": SLIDES,
        "statistics": STATISTICS,
        "rows": rows,
        "flatness": {
            route: rows[-1][route]["median_us"] / rows[0][route]["median_us"]
            for route in ("sliding", "rolling")
        },
        "enumeration": [
            {"N": n, "seconds": seconds(partial(enumerate_shapley, "avg", column(n)[0].tolist()))}
            for n in ((10, 12) if options.quick else (10, 15, 20))
        ],
    }


def column(length: int) -> tuple[Any, Any]:
    rng = np.random.default_rng(length)
    return rng.normal(size=length), rng.random(length) < SELECTIVITY


def latency(size: int, quick: bool) -> Figures:
    """Times of every route for one N; scans of long windows for some of the slides only."""
    y, member = column(size + SLIDES)
    slider, scan = Slides(y, member, size), Scan(y, member, size)
    scans = BATCH if size <= 10**4 else 5
    length = max(2 * size, 50_000 if quick else 200_000)
    wide, flags = column(length)
    times = in_turn(
        {
            "sliding": slider.batch,
            "scan": partial(scan.batch, scans),
            "rolling": partial(both_rolled, wide, flags, size),
        },
        SLIDES // BATCH if size < 10**6 else 10,
    )
    times["sliding"] += [seconds(slider.batch) for _ in range(slider.left)]
    sampled = typical(partial(both_sampled, y[:size]), 1 if size > 10**4 else 3)
    row = {
        "N": size,
        "sliding": micros(times["sliding"], BATCH) | {"first_use_us": slider.first_use * 1e6},
        "scan": micros(times["scan"], scans),
        "rolling": micros(times["rolling"], length),
        "sampling_100": {"median_us": sampled * 1e6},
    }
    row["difference"] = difference(scan.window(SLIDES), slider.found, both_rolled(y, member, size))
    ratios = {
        f"scan_over_{route}": row["scan"]["median_us"] / row[route]["median_us"]
        for route in ("sliding", "rolling")
    }
    return row | ratios


class Slides:
    """A full window, slid a batch at a time."""

    def __init__(self, y: Any, member: Any, size: int) -> None:
        self.values, self.signatures = y.tolist(), member.astype(int).tolist()
        self.window, self.at = SlidingWindow(["p"], size=size), size
        self.window.insert(self.values[:size], self.signatures[:size])
        self.first_use = seconds(self.answer)

    @property
    def left(self) -> int:
        """How many batches are left."""
        return (len(self.values) - self.at) // BATCH

    def answer(self) -> None:
        self.found = [self.window.attribute(statistic, "p").phi for statistic in STATISTICS]

    def batch(self) -> None:
        push, attribute = self.window.push, self.window.attribute
        for i in range(self.at, self.at + BATCH):
            push(self.values[i], self.signatures[i])
            attribute("avg", "p")
            attribute("var_pop", "p")
        self.at += BATCH
        self.answer()


class Scan:
    """Both statistics of a window from its rows, in as few passes as NumPy allows."""

    def __init__(self, y: Any, member: Any, size: int) -> None:
        self.y, self.member, self.size = y, member, size
        empty = Summary(size, 0.0, 0.0)
        self.weights = [closed_form(statistic, empty, empty).weight for statistic in STATISTICS]

    def batch(self, slides: int) -> None:
        for start in range(1, slides + 1):
            self.window(start)

    def window(self, start: int) -> tuple[float, float]:
        y = self.y[start : start + self.size]
        group = y[self.member[start : start + self.size]]
        n, m, a, a_p = y.size, group.size, y.sum(), group.sum()
        b, b_p = y @ y, group @ group
        mean, of_avg = a / n, a_p / n
        var, of_var = b / n - mean**2, (b_p - 2 * mean * a_p + m * mean**2) / n
        w_avg, w_var = self.weights
        lifts = of_avg - m / n * mean, of_var - m / n * var
        return of_avg + w_avg * lifts[0], of_var + w_var * lifts[1]


def difference(scanned: Any, slid: Any, rolled: Any) -> float:
    """The largest difference between the routes on the last window, relative to Φ."""
    last = np.array([scanned, slid, [phi[-1] for phi in rolled]])
    return float(np.max(np.abs(np.ptp(last, axis=0) / last[1])))


def both_rolled(y: Any, member: Any, size: int) -> list[Any]:
    return [rolling(y, member, size=size, statistic=statistic) for statistic in STATISTICS]


def both_sampled(y: Any) -> list[Any]:
    return [sample_shapley(statistic, y, permutations=100) for statistic in STATISTICS]


if __name__ == "__main__":
    experiment(rq2=measure)
