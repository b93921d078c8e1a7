"""Rows a second of an explained stream against Spark's own streaming aggregate, in one run.

Run ``python bench/stream.py [--rows 3000000] [--files 6] [--repeat 3]``; prints JSON. Every query
reads the same Parquet files, one each micro-batch, and gives its windows to Spark's ``noop`` sink.
"""

from __future__ import annotations

import argparse
import json
import os
import statistics
import tempfile
import time
from pathlib import Path

import pyarrow.parquet as pq
from common import session
from panes import explained, sparks_own, write_trips
from pyspark.sql import DataFrame

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
    parser.add_argument("--rows", type=int, default=3_000_000)
    parser.add_argument("--files", type=int, default=6)
    parser.add_argument("--repeat", type=int, default=3)
    parser.add_argument("--only", nargs="*", help="names of cases to run")
    arguments = parser.parse_args()
    spark = session(2)
    found: dict[str, dict[str, float]] = {}
    with tempfile.TemporaryDirectory() as folder:
        write_files(Path(folder), arguments.rows, arguments.files)
        files = f"{folder}/in"
        schema = spark.read.parquet(files).schema
        for name, case in CASES.items():
            if arguments.only and name not in arguments.only:
                continue
            runs = []
            for _ in range(arguments.repeat + 1):  # the first one compiles
                stream = spark.readStream.schema(schema).option("maxFilesPerTrigger", 1)
                stream = stream.parquet(files).withWatermark("pickup", "10 minutes")
                runs.append(replay(case(stream)))
            found[name] = {
                what: round(statistics.median(run[what] for run in runs[1:])) for what in runs[0]
            }
        spark.stop()
    speed = {name: result["rows a second"] for name, result in found.items()}
    ratios = {
        window: round(speed[f"explain {window}"] / speed[f"spark {window}"], 2)
        for window in ("1 hour", "1 day")
        if f"spark {window}" in speed and f"explain {window}" in speed
    }
    result = {"rows": arguments.rows, "micro-batches": arguments.files, "found": found}
    print(json.dumps(result | {"explain / spark": ratios, "bar": {"1 hour": BAR}}, indent=2))


if __name__ == "__main__":
    main()
