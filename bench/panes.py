"""What explaining costs against Spark's own sliding aggregate, as ratios within one run.

Run ``python bench/panes.py [--rows 3000000] [--repeat 3] [--only CASE …] [--set KEY=VALUE …]``;
prints JSON. The settings are of Spark. Every case reads the same uncached Parquet file (those of
ten times the rows another) and writes all of its result to Spark's ``noop`` sink. Cases take turns,
so that a ratio, the median of the rounds', is of times that lie close together. Memory is the most
that any Python worker held so far.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import statistics
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
from common import session
from pyspark.sql import DataFrame
from pyspark.sql import functions as F

import shapwin

PREDICATES = {
    "airport": "zone IN (1, 132, 138)",
    "manhattan": "zone % 3 = 0",
    "longtrip": "distance > 10",
}
# A day's rhythm: trips by hour, as weights.
HOURS = np.array([4, 3, 2, 2, 1, 2, 3, 6, 8, 8, 8, 8, 9, 9, 9, 9, 9, 10, 11, 10, 10, 9, 8, 6])


def write_trips(path: Path, rows: int, seed: int = 0) -> None:
    """Write a month of trips, in order of time, with 100 keys and 16 flags of 64 combinations."""
    rng = np.random.default_rng(seed)
    hour = rng.choice(24, rows, p=HOURS / HOURS.sum())
    second = (rng.integers(0, 31, rows) * 24 + hour) * 3600 + rng.random(rows) * 3600
    second.sort()
    distance = rng.exponential(3, rows).round(2)
    combination = rng.integers(0, 64, rows)
    table = pa.table(
        {
            "pickup": pa.array((second * 1e6).astype(np.int64) + 1_704_067_200_000_000).cast(
                pa.timestamp("us", "UTC")
            ),
            "fare": (3 + 2.5 * distance + rng.normal(0, 2, rows)).round(2),
            "zone": rng.integers(1, 264, rows),
            "distance": distance,
            "key": rng.integers(0, 100, rows),
            "user": rng.integers(0, 100_000, rows),
            "combination": combination,
        }
    )
    pq.write_table(table, path, row_group_size=500_000)


def sparks_own(df: DataFrame, window: str, *keys: str) -> DataFrame:
    """Spark's sliding average and variance, nothing explained."""
    sliding = df.groupBy(*keys, F.window("pickup", window, "5 minutes"))
    return sliding.agg(F.avg("fare"), F.var_pop("fare"))


def explained(df: DataFrame, window: str, **options: object) -> DataFrame:
    """The same, explained."""
    call = {"predicates": PREDICATES} | options
    return shapwin.explain(
        df,
        value="fare",
        time="pickup",
        window=window,
        every="5 minutes",
        statistics=("avg", "var_pop"),
        **call,
    )


def worker_megabytes() -> int:
    """The largest peak of resident memory among our Spark's Python workers (Linux only)."""
    peaks = [0]
    for status in Path("/proc").glob("[0-9]*/status"):
        try:
            ours = os.getsid(int(status.parent.name)) == os.getsid(0)
            if ours and "pyspark.daemon" in status.with_name("cmdline").read_text():
                found = re.search(r"VmHWM:\s+(\d+)", status.read_text())
                peaks.append(int(found.group(1)) if found else 0)
        except OSError:  # it ended meanwhile
            continue
    return max(peaks) // 1024


def cases(df: DataFrame, larger: DataFrame) -> dict[str, Callable[[], DataFrame]]:
    """Everything that is timed, by name."""
    flags = {f"p{k}": f"(combination >> {k % 6}) & 1 = {k // 6 % 2}" for k in range(16)}
    return {
        "spark 1 hour": lambda: sparks_own(df, "1 hour"),
        "explain 1 hour": lambda: explained(df, "1 hour"),
        "explain 1 day": lambda: explained(df, "1 day"),
        "explain 7 days": lambda: explained(df, "7 days"),
        "explain atoms K=3": lambda: explained(df, "1 hour", queries="atoms"),
        "explain atoms K=16": lambda: explained(df, "1 hour", queries="atoms", predicates=flags),
        "spark 100 keys": lambda: sparks_own(df, "1 hour", "key"),
        "explain 100 keys": lambda: explained(df, "1 hour", by="key"),
        "explain engine pandas": lambda: explained(df, "1 hour", engine="pandas"),
        "explain 10 x rows": lambda: explained(larger, "1 hour"),
        "explain 100,000 keys": lambda: explained(df, "1 hour", by="user"),
        "spark 100,000 keys": lambda: sparks_own(df, "1 hour", "user"),
        "spark 1 day": lambda: sparks_own(df, "1 day"),
    }


RATIOS = {
    "1 hour: explain / spark": ("explain 1 hour", "spark 1 hour", 0.6),
    "1 day: explain / spark": ("explain 1 day", "spark 1 day", 0.03),
    "explain: 7 days / 1 hour": ("explain 7 days", "explain 1 hour", 1.5),
    "atoms: K=16 / K=3": ("explain atoms K=16", "explain atoms K=3", 2.0),
    "100 keys: explain / spark": ("explain 100 keys", "spark 100 keys", 1.2),
    "100,000 keys: explain / spark": ("explain 100,000 keys", "spark 100,000 keys", None),
    "engine: native / pandas": ("explain 1 hour", "explain engine pandas", None),
    "rows: 10 x / 1 x": ("explain 10 x rows", "explain 1 hour", 11.0),
}


def seconds(make: Callable[[], DataFrame]) -> float:
    """The time of a whole call, planning included."""
    start = time.perf_counter()
    make().write.format("noop").mode("overwrite").save()
    return time.perf_counter() - start


def median_ratio(ones: list[float], others: list[float]) -> float:
    """The median of the rounds' ratios."""
    return round(statistics.median(a / b for a, b in zip(ones, others, strict=True)), 3)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rows", type=int, default=3_000_000)
    parser.add_argument("--repeat", type=int, default=3)
    parser.add_argument("--only", nargs="*", help="names of cases to run")
    parser.add_argument("--set", nargs="*", default=[], help="settings of Spark, KEY=VALUE")
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "trips.parquet"
        write_trips(path, arguments.rows)
        larger = Path(folder) / "larger.parquet"
        if not arguments.only or "explain 10 x rows" in arguments.only:
            write_trips(larger, 10 * arguments.rows)
        spark = session(2, **dict(setting.split("=", 1) for setting in arguments.set))
        df = spark.read.parquet(str(path))
        every = cases(df, spark.read.parquet(str(larger)) if larger.exists() else df)
        chosen = {n: c for n, c in every.items() if not arguments.only or n in arguments.only}
        memory = {}
        for name, case in chosen.items():  # start workers, compile
            seconds(case)
            memory[name] = worker_megabytes()
        times: dict[str, list[float]] = {name: [] for name in chosen}
        for _ in range(arguments.repeat):
            seconds(every["explain 1 hour"])  # Spark lets workers go after an idle minute
            for name, case in chosen.items():
                times[name].append(seconds(case))
        spark.stop()
    result = {
        "rows": arguments.rows,
        "seconds": {name: round(statistics.median(found), 3) for name, found in times.items()},
        "ratios": {
            name: {"ratio": median_ratio(times[a], times[b]), "bar": bar}
            for name, (a, b, bar) in RATIOS.items()
            if a in times and b in times
        },
        "worker megabytes": memory,
    }
    print(json.dumps(result, indent=2))


if __name__ == "__main__":
    main()
