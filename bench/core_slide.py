"""What one slide costs, over window lengths. Prints JSON, in microseconds of CPU time a slide.

- bare: a Python loop that adds and subtracts the six sums and evaluates nothing;
- sliding: `SlidingWindow`, one tuple in, one out, AVG and VAR_POP answered;
- rolling: all windows of a column, by size, and by frames of irregular length;
- cursor: `FrameCursor`, VAR_POP one frame after another.

Loops are timed in batches of 1000 slides: medians, the best of three interleaved rounds.

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


def bare_loop(values: list[float], member: list[bool], size: int) -> list[float]:
    """Add and subtract the six sums, evaluate nothing: µs a slide, batch by batch."""
    n = m = 0
    a = b = a_p = b_p = 0.0
    times = []
    for start in range(0, len(values) - BATCH + 1, BATCH):
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
            if i >= size:
                y = values[i - size]
                n -= 1
                a -= y
                b -= y * y
                if member[i - size]:
                    m -= 1
                    a_p -= y
                    b_p -= y * y
        if start >= size:
            times.append((process_time() - began) / BATCH * 1e6)
    return times


def sliding(values: list[float], member: list[bool], size: int) -> list[float]:
    """One tuple in, one out, AVG and VAR_POP answered: µs a slide, batch by batch."""
    window = SlidingWindow(["p"], size=size)
    push, attribute = window.push, window.attribute
    filled = size // BATCH * BATCH
    for i in range(filled):
        push(values[i], int(member[i]))
    times = []
    for start in range(filled, len(values) - BATCH + 1, BATCH):
        began = process_time()
        for i in range(start, start + BATCH):
            push(values[i], 1 if member[i] else 0)
            attribute("avg", "p")
            attribute("var_pop", "p")
        if start >= size:
            times.append((process_time() - began) / BATCH * 1e6)
    return times


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
    slide = sliding(*as_lists, size)
    return {
        "bare": statistics.median(bare_loop(*as_lists, size)),
        "sliding": statistics.median(slide),
        "sliding_mean": statistics.mean(slide),
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
        best["sliding_over_bare"] = best["sliding"] / best["bare"]
        best["sliding_over_rolling_var_pop"] = best["sliding"] / best["rolling_var_pop"]
        best["sliding_over_frames_var_pop"] = best["sliding"] / best["frames_var_pop"]
        rows.append({"size": size, **{name: round(value, 4) for name, value in best.items()}})
    print(json.dumps(rows, indent=1))


if __name__ == "__main__":
    main()
