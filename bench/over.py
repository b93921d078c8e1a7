"""What `shapley_*(…) OVER` costs a row: against a UDAF that returns a constant, and Spark's avg.

    python bench/over.py [--rows N] [--repeats R] [--kinds ROWS RANGE SMALL]

ROWS and RANGE, at irregular steps, are of one partition, SMALL of partitions of 5 and 50 rows.

Prints JSON: microseconds a row, the least of the repeats, all in one session on one core, so that
ratios mean something on a busy machine; `ratio` is against the constant of the same repeat, median.
"""

from __future__ import annotations

import argparse
import json
import statistics
import time
from collections.abc import Iterator

import pyarrow as pa
from common import session
from pyspark.sql import SparkSession
from pyspark.sql.pandas.functions import arrow_udf

import shapwin

ROWS = "ROWS BETWEEN {} PRECEDING AND CURRENT ROW"
RANGE = "RANGE BETWEEN {} PRECEDING AND CURRENT ROW"
SMALL = "PARTITION BY id DIV {} ORDER BY id ROWS 3 PRECEDING"


def constant(value: pa.Array, predicate: pa.Array) -> float:
    return 1.0


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--rows", type=int, default=200_000)
    parser.add_argument("--repeats", type=int, default=3)
    parser.add_argument("--kinds", nargs="+", default=["ROWS", "RANGE"])
    args = parser.parse_args()
    spark = session(1, **{"spark.sql.window.segmentTree.enabled": "true"})
    shapwin.register(spark)
    spark.udf.register("constant", arrow_udf(constant, "double"))
    spark.sql(
        f"""SELECT id, CAST(id + pmod(xxhash64(id), 7) AS BIGINT) AS t, 1e6 + randn(1) AS y,
                   rand(2) < 0.3 AS p FROM range(0, {args.rows}, 1, 1)"""
    ).cache().createOrReplaceTempView("rows")
    spark.sql("SELECT sum(y) FROM rows").collect()
    cases = {
        f"{call} {kind} {width}": query(call, window)
        for kind, width, window in windows_of(args.rows)
        if kind in args.kinds
        for call in ("constant", "shapley_avg", "shapley_var_pop", "avg")
        if call != "avg" or width in (50, 10_000)
    }
    times: dict[str, list[float]] = {name: [] for name in cases}
    for _ in range(args.repeats):
        for name, sql in cases.items():
            times[name].append(seconds(spark, sql) / args.rows * 1e6)
    print(json.dumps([row(name, times) for name in cases], indent=1))
    spark.stop()


def row(name: str, times: dict[str, list[float]]) -> dict[str, object]:
    floor = times["constant " + name.split(" ", 1)[1]]
    ratios = [mine / base for mine, base in zip(times[name], floor, strict=True)]
    return {
        "case": name,
        "us_per_row": round(min(times[name]), 2),
        "ratio": round(statistics.median(ratios), 2),
        "ratio_of_least": round(min(times[name]) / min(floor), 2),
    }


def windows_of(rows: int) -> Iterator[tuple[str, int, str]]:
    for width in (100, 10_000, rows // 2):
        yield "ROWS", width, f"ORDER BY id {ROWS.format(width - 1)}"
    for width in (100, 10_000, rows // 2):
        yield "RANGE", width, f"ORDER BY t {RANGE.format(width - 1)}"
    for size in (5, 50):
        yield "SMALL", size, SMALL.format(size)


def query(call: str, window: str) -> str:
    arguments = "y" if call == "avg" else "y, p"
    return f"SELECT {call}({arguments}) OVER ({window}) AS x FROM rows"


def seconds(spark: SparkSession, sql: str) -> float:
    start = time.perf_counter()
    spark.sql(sql).write.format("noop").mode("overwrite").save()
    return time.perf_counter() - start


if __name__ == "__main__":
    main()
