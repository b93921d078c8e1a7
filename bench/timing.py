"""How everything here is timed: medians, batches in turn; CPU time of this process, or a clock."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from statistics import mean, median
from time import process_time
from typing import Any

Clock = Callable[[], float]


def seconds(work: Callable[[], Any], clock: Clock = process_time) -> float:
    """Return the time of one call."""
    start = clock()
    work()
    return clock() - start


def typical(work: Callable[[], Any], repeats: int) -> float:
    """Return the median CPU time of several calls."""
    return median(seconds(work) for _ in range(repeats))


def in_turn(
    works: dict[str, Callable[[], Any]], repeats: int, clock: Clock = process_time
) -> dict[str, list[float]]:
    """Return the times of each; one of each in turn, so that noise on the machine hits all."""
    times: dict[str, list[float]] = {name: [] for name in works}
    for _ in range(repeats):
        for name, work in works.items():
            times[name].append(seconds(work, clock))
    return times


def micros(times: Iterable[float], each: int = 1) -> dict[str, float]:
    """Return the median and the mean in microseconds, of each of so many slides a batch."""
    per = [time / each * 1e6 for time in times]
    return {"median_us": median(per), "mean_us": mean(per)}
