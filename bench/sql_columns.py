"""What the Column functions cost: against Spark's avg and var_pop of the same rows, unexplained.

    python bench/sql_columns.py [--rows N] [--repeats R] [--width W]

Prints JSON: seconds, the least of the repeats, and the ratio to Spark's own of the same repeat
(median), all in one session.
"""

from __future__ import annotations

import argparse
import json
import statistics
import time

from common import session
from pyspark.sql import Column, DataFrame, Window
from pyspark.sql import functions as F

from shapwin.spark.functions import attributions, shapley_avg, shapley_var_pop

PREDICATES = {"p": "p", "q": "q", "r": "p AND NOT q"}


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--rows", type=int, default=500_000)
    parser.add_argument("--repeats", type=int, default=5)
    parser.add_argument("--width", type=int, default=100, help="rows of a frame")
    args = parser.parse_args()
    spark = session(1)
    rows = spark.range(0, args.rows, 1, 1).select(
        "id",
        (F.col("id") % 2000).alias("key"),
        (1e6 + F.randn(1)).alias("y"),
        (F.rand(2) < 0.3).alias("p"),
        (F.rand(3) < 0.2).alias("q"),
    )
    rows = rows.cache()
    rows.count()
    sliding = Window.orderBy("id").rowsBetween(1 - args.width, 0)
    cases = {}
    for where, window in (("GROUP BY", None), (f"OVER {args.width} rows", sliding)):
        for name, columns in columns_of(window).items():
            cases[f"{where}: {name}"] = planned(rows, window, columns)
    times: dict[str, list[float]] = {name: [] for name in cases}
    for _ in range(args.repeats + 1):
        for name, frame in cases.items():
            times[name].append(seconds(frame))
    print(json.dumps([row(name, times) for name in cases], indent=1))
    spark.stop()


def columns_of(window: object) -> dict[str, list[Column]]:
    over = (lambda c: c.over(window)) if window is not None else (lambda c: c)
    both = ["avg", "var_pop"]
    several = {f"{k} predicates, one call": dict(list(PREDICATES.items())[:k]) for k in (1, 2, 3)}
    return {
        "Spark's avg, var_pop": [over(F.avg("y")), over(F.var_pop("y"))],
        "shapley_avg and shapley_var_pop": [
            shapley_avg("y", "p", window),
            shapley_var_pop("y", "p", window),
        ],
    } | {name: [attributions("y", chosen, both, window)] for name, chosen in several.items()}


def planned(rows: DataFrame, window: object, columns: list[Column]) -> DataFrame:
    named = [column.alias(f"x{i}") for i, column in enumerate(columns)]
    return rows.groupBy("key").agg(*named) if window is None else rows.select("id", *named)


def seconds(frame: DataFrame) -> float:
    start = time.perf_counter()
    frame.write.format("noop").mode("overwrite").save()
    return time.perf_counter() - start


def row(name: str, times: dict[str, list[float]]) -> dict[str, object]:
    base = times[name.split(":")[0] + ": Spark's avg, var_pop"]
    ratios = [mine / its for mine, its in zip(times[name][1:], base[1:], strict=True)]
    return {
        "case": name,
        "seconds": round(min(times[name][1:]), 3),
        "ratio": round(statistics.median(ratios), 2),
        "ratio_of_least": round(min(times[name][1:]) / min(base[1:]), 2),
    }


if __name__ == "__main__":
    main()
