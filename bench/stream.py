"""Rows a second of an explained stream against Spark's own streaming aggregate, in one run.

Run ``python bench/stream.py [--sizes 500000 3000000] [--files 5] [--repeat 3]``; prints JSON. Every
query reads the same Parquet files, one each micro-batch, and gives its windows to Spark's ``noop``
sink. A micro-batch costs about a second whatever is in it, so the rate that can be sustained is
that of large ones: a query that falls behind finds more rows each time.
"""

from __future__ import annotations

import argparse
import json
import os
import statistics
import tempfile
import time
from collections.abc import Callable, Mapping
from pathlib import Path

import pyarrow.parquet as pq
from common import session
from panes import explained, sparks_own, write_trips
from pyspark.sql import DataFrame, SparkSession

CASES = {
    "spark 1 hour": lambda df: sparks_own(df, "1 hour"),
    "explain 1 hour": lambda df: explained(df, "1 hour"),
    "explain atoms 1 hour": lambda df: explained(df, "1 hour", queries="atoms"),
    "spark 1 day": lambda df: sparks_own(df, "1 day"),
    "explain 1 day": lambda df: explained(df, "1 day"),
}
BAR = 1.5  # times the rows a second of "spark 1 hour"


def write_files(folder: Path, rows: int, files: int) -> None:
    """Cut a month of trips, in order of time, into files that arrive one after another."""
    whole = folder / "whole.parquet"
    write_trips(whole, rows)
    table = pq.read_table(whole)
    size = -(-rows // files)
    for i in range(files):
        path = folder / "in" / f"{i:03}.parquet"
        path.parent.mkdir(exist_ok=True)
        pq.write_table(table.slice(i * size, size), path)
        os.utime(path, (i + 1, i + 1))


def replay(df: DataFrame) -> dict[str, float]:
    """Run a query to its end: rows a second over all micro-batches, and the state it kept."""
    query = df.writeStream.format("noop").outputMode("append").trigger(availableNow=True).start()
    start = time.perf_counter()
    query.awaitTermination()
    took = time.perf_counter() - start
    progress = query.recentProgress
    state = [sum(s.numRowsTotal for s in p.stateOperators) for p in progress]
    return {"rows a second": sum(p.numInputRows for p in progress) / took, "state rows": max(state)}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--sizes", type=int, nargs="+", default=[500_000, 3_000_000])
    parser.add_argument("--files", type=int, default=5)
    parser.add_argument("--repeat", type=int, default=3)
    parser.add_argument("--only", nargs="*", help="names of cases to run")
    arguments = parser.parse_args()
    chosen = {n: c for n, c in CASES.items() if not arguments.only or n in arguments.only}
    spark = session(2)
    found = {}
    for size in arguments.sizes:
        with tempfile.TemporaryDirectory() as folder:
            write_files(Path(folder), size * arguments.files, arguments.files)
            found[f"{size:,} rows a micro-batch"] = measured(
                spark, f"{folder}/in", chosen, arguments.repeat
            )
    spark.stop()
    print(json.dumps({"micro-batches": arguments.files, "bar": BAR, "found": found}, indent=2))


def measured(
    spark: SparkSession,
    files: str,
    chosen: Mapping[str, Callable[[DataFrame], DataFrame]],
    repeat: int,
) -> dict[str, object]:
    """Medians of each case over a folder, and how many times Spark's own rate the explained has."""
    schema = spark.read.parquet(files).schema
    runs: dict[str, list[dict[str, float]]] = {name: [] for name in chosen}
    for _ in range(repeat + 1):  # the first one compiles
        for name, case in chosen.items():
            stream = spark.readStream.schema(schema).option("maxFilesPerTrigger", 1)
            stream = stream.parquet(files).withWatermark("pickup", "10 minutes")
            runs[name].append(replay(case(stream)))
    result: dict[str, object] = {
        name: {what: round(statistics.median(run[what] for run in of[1:])) for what in of[0]}
        for name, of in runs.items()
    }
    for window in ("1 hour", "1 day"):
        if {f"spark {window}", f"explain {window}"} <= set(runs):
            pairs = zip(runs[f"explain {window}"][1:], runs[f"spark {window}"][1:], strict=True)
            ratios = [mine["rows a second"] / its["rows a second"] for mine, its in pairs]
            result[f"{window}: explain / spark"] = round(statistics.median(ratios), 2)
    return result


if __name__ == "__main__":
    main()
