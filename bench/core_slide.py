"""What one slide costs: a bare loop, `SlidingWindow` and `rolling`, over window lengths.

Prints JSON. Times are CPU time (other load on the machine counts less), medians over batches of
1000 slides; `rolling` is the best of three calls over the whole column.

    python bench/core_slide.py [--quick]
"""

from __future__ import annotations

import json
import statistics
import sys
from time import process_time

import numpy as np

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


def rolled(values: np.ndarray, member: np.ndarray, size: int, statistic: str) -> float:
    best = float("inf")
    for _ in range(3):
        began = process_time()
        rolling(values, member, size=size, statistic=statistic)
        best = min(best, process_time() - began)
    return best / len(values) * 1e6


def main() -> None:
    quick = "--quick" in sys.argv
    sizes = [100, 10_000] if quick else [100, 1000, 10_000, 100_000, 1_000_000]
    slides = 50_000 if quick else 200_000
    rows = []
    for size in sizes:
        values, member = column(size + slides)
        as_lists = values.tolist(), member.tolist()
        bare, slide = bare_loop(*as_lists, size), sliding(*as_lists, size)
        values, member = column(2_000_000)
        row = {
            "size": size,
            "bare_us": statistics.median(bare),
            "sliding_us": statistics.median(slide),
            "sliding_mean_us": statistics.mean(slide),
            "sliding_max_batch_us": max(slide),
            "rolling_avg_us": rolled(values, member, size, "avg"),
            "rolling_var_pop_us": rolled(values, member, size, "var_pop"),
        }
        row["sliding_over_bare"] = row["sliding_us"] / row["bare_us"]
        row["sliding_over_rolling_avg"] = row["sliding_us"] / row["rolling_avg_us"]
        rows.append({k: round(v, 4) for k, v in row.items()})
    print(json.dumps(rows, indent=1))


if __name__ == "__main__":
    main()
