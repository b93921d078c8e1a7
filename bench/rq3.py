"""RQ3, sampling: what permutations cost and how far they are off, where the closed form is exact.

N = 1,000 tuples of N(10, 1), a group of 30 %, 20 runs. The error is |Φ̂ − Φ| / ν, its mean over
the runs; the fit is a straight line through the logarithms.

    python bench/rq3.py [--quick]
"""

from __future__ import annotations

from argparse import Namespace
from statistics import mean, median
from time import process_time
from typing import Any

import numpy as np
from results import Figures, experiment
from timing import seconds

from shapwin import SlidingWindow, sample_shapley, tuple_values

SIZE, SELECTIVITY = 1000, 0.3
STATISTICS = ("avg", "var_pop")


def measure(options: Namespace) -> Figures:
    permutations = (3, 10, 32, 100) if options.quick else (10, 32, 100, 316, 1000, 3162)
    runs = 60 if options.quick else 20
    found = {statistic: errors(statistic, permutations, runs) for statistic in STATISTICS}
    slide = slide_us()
    for rows in found.values():
        for row in rows:
            row["times_slide"] = row["s_per_window"] / slide * 1e6
    return {
        "N": SIZE,
        "selectivity": SELECTIVITY,
        "values": "N(10,1)",
        "runs": runs,
        "slide_us": slide,
        "errors": found,
        "fit": {statistic: fit(rows) for statistic, rows in found.items()},
    }


def errors(statistic: str, permutations: tuple[int, ...], runs: int) -> list[Figures]:
    """Mean relative error and median time of each number of permutations."""
    rows = []
    for count in permutations:
        off, times = zip(*(one_run(statistic, count, run) for run in range(runs)), strict=True)
        rows.append({"M": count, "rel_error": mean(off), "s_per_window": median(times)})
    return rows


def one_run(statistic: str, permutations: int, run: int) -> tuple[float, float]:
    """The error of one run, and its time."""
    rng = np.random.default_rng([run, permutations])
    y, member = rng.normal(10, 1, SIZE), rng.random(SIZE) < SELECTIVITY
    start = process_time()
    sampled = sample_shapley(statistic, y, permutations=permutations, seed=run).phi
    took = process_time() - start
    true = tuple_values(statistic, y)
    return abs(sampled[member].sum() - true[member].sum()) / true.sum(), took


def fit(rows: list[Figures]) -> Figures:
    """Error = constant · M^exponent, by least squares of the logarithms."""
    x, y = (np.log([row[what] for row in rows]) for what in ("M", "rel_error"))
    exponent, intercept = np.polyfit(x, y, 1)
    return {"exponent": exponent, "constant": float(np.exp(intercept))}


def slide_us(slides: int = 5000) -> Any:
    """What the exact answer costs: a slide of the same window, one statistic."""
    rng = np.random.default_rng(3)
    values = rng.normal(10, 1, SIZE + slides).tolist()
    member = (rng.random(SIZE + slides) < SELECTIVITY).astype(int).tolist()
    window = SlidingWindow(["p"], size=SIZE)
    window.insert(values[:SIZE], member[:SIZE])
    window.attribute("avg", "p")

    def slide() -> None:
        for value, inside in zip(values[SIZE:], member[SIZE:], strict=True):
            window.push(value, inside)
            window.attribute("avg", "p")

    return seconds(slide) / slides * 1e6


if __name__ == "__main__":
    experiment(rq3=measure)
