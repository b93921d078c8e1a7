"""What one slide costs, over window lengths. Prints JSON, in microseconds of CPU time a slide.

- bare: a Python loop that adds and subtracts the six sums and evaluates nothing;
- sliding: `SlidingWindow`, one tuple in, one out, AVG and VAR_POP answered;
- rolling: all windows of a column, by size, and by frames of irregular length;
- cursor: `FrameCursor`, VAR_POP one frame after another.

Loops are timed in batches of 1000 slides: medians, the best of three interleaved rounds. Batches
of bare and sliding alternate, and sliding_over_bare is the median of their ratios, pair by pair;
sliding_first_use is what a query's first use costs, once, on the full window.

    python bench/core_slide.py [--quick]
"""

from __future__ import annotations

import json
import statistics
import sys
from time import process_time
from typing import Any

import numpy as np

from shapwin.cursor import FrameCursor
from shapwin.roll import rolling
from shapwin.sliding import SlidingWindow

BATCH = 1000


def column(length: int) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(7)
    return rng.normal(size=length), rng.random(length) < 0.3


class Bare:
    """Adds and subtracts the six sums, evaluates nothing."""

    def __init__(self, values: list[float], member: list[bool], size: int) -> None:
        self.values, self.member, self.size = values, member, size
        self.sums = (0, 0.0, 0.0, 0, 0.0, 0.0)

    def slides(self, start: int) -> float:
        """Seconds of CPU time for a batch of slides from row `start` on."""
        values, member, size = self.values, self.member, self.size
        n, a, b, m, a_p, b_p = self.sums
        began = process_time()
        for i in range(start, start + BATCH):
            y = values[i]
            n += 1
            a += y
            b += y * y
            if member[i]:
                m += 1
                a_p += y
                b_p += y * y
            y = values[i - size]
            n -= 1
            a -= y
            b -= y * y
            if member[i - size]:
                m -= 1
                a_p -= y
                b_p -= y * y
        seconds = process_time() - began
        self.sums = (n, a, b, m, a_p, b_p)
        return seconds


class Sliding:
    """One tuple in, one out, AVG and VAR_POP answered."""

    def __init__(self, values: list[float], member: list[bool], size: int) -> None:
        self.values, self.member = values, member
        self.window = SlidingWindow(["p"], size=size)
        self.window.insert(values[:size], [int(p) for p in member[:size]])
        began = process_time()
        self.window.attribute("avg", "p")
        self.first_use = process_time() - began

    def slides(self, start: int) -> float:
        """Seconds of CPU time for a batch of slides from row `start` on."""
        values, member = self.values, self.member
        push, attribute = self.window.push, self.window.attribute
        began = process_time()
        for i in range(start, start + BATCH):
            push(values[i], 1 if member[i] else 0)
            attribute("avg", "p")
            attribute("var_pop", "p")
        return process_time() - began


def slide_and_bare(values: list[float], member: list[bool], size: int) -> dict[str, float]:
    """Both, batch by batch in turn, so that whatever else runs on the machine slows both."""
    bare, sliding = Bare(values, member, size), Sliding(values, member, size)
    starts = range(size, len(values) - BATCH + 1, BATCH)
    pairs = [(bare.slides(start), sliding.slides(start)) for start in starts]
    return {
        "bare": statistics.median(b for b, _ in pairs) / BATCH * 1e6,
        "sliding": statistics.median(s for _, s in pairs) / BATCH * 1e6,
        "sliding_mean": statistics.mean(s for _, s in pairs) / BATCH * 1e6,
        "sliding_over_bare": statistics.median(s / b for b, s in pairs),
        "sliding_first_use": sliding.first_use * 1e6,
    }


def cursor(values: np.ndarray, member: np.ndarray, size: int) -> list[float]:
    frames = FrameCursor(values, member, "var_pop")
    times = []
    for start in range(size, len(values) - BATCH + 1, BATCH):
        began = process_time()
        for end in range(start, start + BATCH):
            frames.attribute(end - size, end)
        times.append((process_time() - began) / BATCH * 1e6)
    return times


def rolled(values: np.ndarray, member: np.ndarray, **arguments: Any) -> float:
    began = process_time()
    rolling(values, member, **arguments)
    return (process_time() - began) / len(values) * 1e6


def measured(size: int, slides: int) -> dict[str, float]:
    values, member = column(size + slides)
    wide, flags = column(2 * max(size, 500_000))
    as_lists = values.tolist(), member.tolist()
    gaps = np.random.default_rng(8).exponential(size=len(wide))
    times = np.cumsum(gaps)
    irregular = {
        "begin": np.searchsorted(times, times - size, side="right"),
        "end": np.arange(1, len(wide) + 1),
    }
    return {
        **slide_and_bare(*as_lists, size),
        "rolling_avg": rolled(wide, flags, size=size, statistic="avg"),
        "rolling_var_pop": rolled(wide, flags, size=size, statistic="var_pop"),
        "frames_avg": rolled(wide, flags, statistic="avg", **irregular),
        "frames_var_pop": rolled(wide, flags, statistic="var_pop", **irregular),
        "cursor": statistics.median(cursor(values, member, size)),
    }


def main() -> None:
    quick = "--quick" in sys.argv
    sizes = [100, 10_000] if quick else [100, 10_000, 1_000_000]
    rounds = [[measured(size, 20_000 if quick else 50_000) for size in sizes] for _ in range(3)]
    rows = []
    for i, size in enumerate(sizes):
        best = {name: min(r[i][name] for r in rounds) for name in rounds[0][i]}
        best["sliding_over_bare"] = statistics.median(r[i]["sliding_over_bare"] for r in rounds)
        best["sliding_over_rolling_var_pop"] = best["sliding"] / best["rolling_var_pop"]
        best["sliding_over_frames_var_pop"] = best["sliding"] / best["frames_var_pop"]
        rows.append({"size": size, **{name: round(value, 4) for name, value in best.items()}})
    print(json.dumps(rows, indent=1))


if __name__ == "__main__":
    main()
