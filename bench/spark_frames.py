"""What a row costs in ``OVER (ROWS …)`` on Spark, against the length of the frame.

`shapley_avg` as a UDAF, an arrow UDAF that returns a constant, which is what Spark itself takes to
call Python, `shapley_avg` as a Column function, and Spark's own avg, without and with its segment
tree. Wall clock on one core, rows cached, all results thrown away.

Without the segment tree Spark sums every frame again. The Column function is timed with it alone:
without it costs as several of Spark's own avg.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from statistics import median
from time import perf_counter
from typing import Any

import pyarrow as pa
from common import compute, session
from pyspark.sql import Column, DataFrame, SparkSession, Window
from pyspark.sql import functions as F
from pyspark.sql.pandas.functions import arrow_udf
from results import Figures
from timing import in_turn, seconds

import shapwin
from shapwin import functions as S

CORES, SEGMENT_TREE = 1, "spark.sql.window.segmentTree.enabled"
UDAF, CONSTANT, COLUMN = "shapley_avg OVER", "constant UDAF", "Column function"
OWN, OWN_WITH_TREE = "Spark's avg", "Spark's avg, segment tree"
# A route's aggregate, and whether it has the segment tree.
ROUTES: dict[str, tuple[Callable[[Any], Column], bool]] = {
    UDAF: (lambda frame: F.call_function("shapley_avg", "y", "p").over(frame), True),
    CONSTANT: (lambda frame: F.call_function("constant", "y", "p").over(frame), True),
    COLUMN: (lambda frame: S.shapley_avg("y", "p", frame), True),
    OWN: (lambda frame: F.avg("y").over(frame), False),
    OWN_WITH_TREE: (lambda frame: F.avg("y").over(frame), True),
}


def against_length(lengths: Sequence[int], count: int, repeats: int) -> Figures:
    """Return what each route takes a row, by the frame's length, over one table of so many rows."""
    spark = session(CORES)
    shapwin.register(spark)
    register_constant(spark)
    rows = spark.range(0, count, 1, 1).select(
        "id", F.randn(1).alias("y"), (F.rand(2) < 0.3).alias("p")
    )
    rows = rows.cache()
    rows.count()
    for plan in plans(rows, min(lengths)).values():  # start the worker, compile
        compute(plan)
    found = {
        "cores": CORES,
        "count": count,
        "repeats": repeats,
        "udaf": UDAF,
        "own": OWN,
        "column": COLUMN,
        "rows": [of_length(rows, length, count, repeats) for length in lengths],
        "difference": difference(rows, min(lengths)),
    }
    spark.stop()
    return found


def register_constant(spark: SparkSession) -> None:
    def constant(value: pa.Array, predicate: pa.Array) -> float:  # local: sent by value
        return 1.0

    spark.udf.register("constant", arrow_udf(constant, "double"))


def of_length(rows: DataFrame, length: int, count: int, repeats: int) -> Figures:
    works = {
        route: partial(run, plan, tree=ROUTES[route][1])
        for route, plan in plans(rows, length).items()
    }
    # Once, as it takes minutes; Spark lets a worker that is idle for one go, so another is started.
    own = seconds(works.pop(OWN), perf_counter)
    works[CONSTANT]()
    times = in_turn(works, repeats, perf_counter) | {OWN: [own] * repeats}
    return {
        "N": length,
        # The rows before the N-th have shorter frames.
        "mean_frame": length - length * (length - 1) / (2 * count),
        "us_a_row": {route: median(times[route]) / count * 1e6 for route in ROUTES},
        "udaf_over": {
            route: median(x / y for x, y in zip(times[UDAF], times[route], strict=True))
            for route in ROUTES
        },
    }


def plans(rows: DataFrame, length: int) -> dict[str, DataFrame]:
    """Return each route's query, analysed."""
    frame = Window.orderBy("id").rowsBetween(1 - length, 0)
    return {
        route: rows.select(aggregate(frame).alias("x")) for route, (aggregate, _) in ROUTES.items()
    }


def run(plan: DataFrame, tree: bool) -> None:
    plan.sparkSession.conf.set(SEGMENT_TREE, str(tree).lower())
    compute(plan)


def difference(rows: DataFrame, length: int) -> float:
    """Return how far the two routes to Φ are apart, relative to the largest Φ."""
    frame = Window.orderBy("id").rowsBetween(1 - length, 0)
    phi = rows.select(*(ROUTES[route][0](frame).alias(route) for route in (UDAF, COLUMN)))
    apart = F.max(F.abs(phi[UDAF] - phi[COLUMN])) / F.max(F.abs(phi[UDAF]))
    return phi.agg(apart).first()[0]
