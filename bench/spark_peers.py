"""Predicates as players on Spark: by `explain`, and by Spark's own AVG … FILTER of all coalitions.

Spark's own part ends with the coalitions' averages; the Shapley values are made of them in NumPy.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory
from time import perf_counter
from typing import Any

import numpy as np
import panes
import pyarrow as pa
from coalitions import unions
from common import compute
from pyspark.sql import Column, DataFrame, SparkSession
from pyspark.sql import functions as F
from results import Figures
from timing import in_turn

import shapwin
from shapwin.players import OTHER, shapley

HOUR, EVERY = "1 hour", "5 minutes"
Make = Callable[[], DataFrame]


class OneWindow:
    """The rows of one window, cached: its predicates as players by both."""

    def __init__(self, spark: SparkSession, y: Any, satisfied: Any) -> None:
        self.names = [f"p{k}" for k in range(len(satisfied))]
        table = pa.table({"y": y} | dict(zip(self.names, satisfied, strict=True)))
        rows = spark.createDataFrame(table).withColumn("t", F.timestamp_seconds(F.lit(0)))
        self.rows = rows.cache()
        self.rows.count()

    def by_explain(self) -> Any:
        predicates = {name: name for name in self.names}
        long = as_players(self.rows, "y", "t", HOUR, predicates).collect()
        phi = {row["predicate"]: row["phi"] for row in long}
        return np.array([phi[name] for name in (*self.names, OTHER)])

    def by_filter(self) -> Any:
        averages = self.rows.agg(*coalition_averages("y", self.names)).collect()
        return shapley(worths(averages[0]), len(self.names) + 1)


def as_players(
    rows: DataFrame, value: str, time: str, every: str, predicates: dict[str, str]
) -> DataFrame:
    """An hour's AVG, its predicates and the rows that none covers as players."""
    return shapwin.explain(
        rows,
        value=value,
        time=time,
        window=HOUR,
        every=every,
        predicates=predicates,
        semantics="players",
    )


def coalition_averages(value: str, predicates: list[str]) -> list[Column]:
    """AVG … FILTER of every coalition of the predicates and the rows that none covers."""
    held = [f"({predicate})" for predicate in predicates]
    conditions = unions([*held, f"NOT ({' OR '.join(held)})"])
    return [
        F.expr(f"avg({value}) FILTER (WHERE {condition})").alias(f"v{s}")
        for s, condition in enumerate(conditions, start=1)
    ]


def worths(averages: Any) -> Any:
    """ν of every coalition; 0 of none, and without tuples."""
    return np.array([0.0, *(0.0 if average is None else average for average in averages)])


# ---- sliding windows -------------------------------------------------------------------------


def sliding(spark: SparkSession, count: int, days: int, repeats: int) -> Figures:
    """An hour every five minutes over some days of a month of so many trips."""
    with TemporaryDirectory() as folder:
        path = Path(folder) / "trips.parquet"
        panes.write_trips(path, count)
        trips = spark.read.parquet(str(path)).where(f"day(pickup) <= {days}").cache()
        rows = trips.count()
    players = partial(as_players, trips, "fare", "pickup", EVERY, panes.PREDICATES)
    coalitions = partial(coalitions_of_windows, trips)
    members, plain = partial(panes.explained, trips, HOUR), partial(panes.sparks_own, trips, HOUR)
    return {
        "rows": rows,
        "windows": plain().count(),
        # Their results are compared first, which starts and compiles everything.
        "cases": [
            {"work": work} | apart(ours(), theirs()) | timed(ours, theirs, repeats)
            for work, ours, theirs, apart in (
                ("players", players, coalitions, players_apart),
                ("members", members, plain, values_apart),
            )
        ],
    }


def coalitions_of_windows(trips: DataFrame) -> DataFrame:
    averages = coalition_averages("fare", [*panes.PREDICATES.values()])
    return trips.groupBy(F.window("pickup", HOUR, EVERY)).agg(*averages)


def timed(ours: Make, theirs: Make, repeats: int) -> Figures:
    """Seconds of both, planning included, and Spark's own over ours."""
    works = {"shapwin": lambda: compute(ours()), "spark": lambda: compute(theirs())}
    times = in_turn(works, repeats, perf_counter)
    ratios = [own / mine for mine, own in zip(times["shapwin"], times["spark"], strict=True)]
    seconds = {f"{name}_s": median(spent) for name, spent in times.items()}
    return seconds | {"spark_over_shapwin": median(ratios)}


def players_apart(ours: DataFrame, theirs: DataFrame) -> Figures:
    """How far Φ is from that of the coalitions' averages, relative to each window's largest."""
    long = ours.toPandas().pivot(index="window_start", columns="predicate", values="phi")
    phi = long.sort_index()[[*panes.PREDICATES, OTHER]].to_numpy()
    nu = [worths(row[1:]) for row in theirs.orderBy("window.start").collect()]
    true = np.array([shapley(worth, phi.shape[1]) for worth in nu])
    scale = np.maximum(np.abs(true).max(axis=1), [abs(worth[-1]) for worth in nu])
    return {"difference": (np.abs(phi - true).max(axis=1) / scale).max()}


def values_apart(ours: DataFrame, theirs: DataFrame) -> Figures:
    """How far ν is from Spark's own average and variance, relative to those."""
    long = ours.toPandas().pivot_table(index="window_start", columns="statistic", values="value")
    values = long.sort_index()[["avg", "var_pop"]].to_numpy()
    true = theirs.orderBy("window.start").drop("window").toPandas().to_numpy()
    scale = np.where(true == 0, 1, np.abs(true))
    return {"difference": (np.abs(values - true) / scale).max()}
