"""A case study on Spark: how fast it is explained, how exactly, and which windows."""

from __future__ import annotations

from statistics import median
from time import perf_counter
from typing import Any

import numpy as np
import pandas as pd
from agreement import efficiency
from common import compute
from pyspark.sql import DataFrame
from pyspark.sql import functions as F
from results import Figures
from timing import in_turn

import shapwin
from shapwin import Attribution

CORES = 2


def speed(df: DataFrame, rows: int, asked: dict[str, Any], repeats: int) -> Figures:
    """Wall clock of `explain` and of Spark's own sliding aggregates, nothing explained."""

    def sparks_own() -> DataFrame:
        # Spark has no windows (start, end]: later by its smallest step, they hold the same rows.
        later = {"right": "1 microsecond"}.get(asked.get("closed", "left"), "0 seconds")
        window = F.window(asked["time"], asked["window"], asked["every"], later)
        return df.groupBy(window).agg(*(getattr(F, s)(asked["value"]) for s in asked["statistics"]))

    works = {
        "explain": lambda: compute(shapwin.explain(df, **asked)),
        "spark": lambda: compute(sparks_own()),
    }
    times = in_turn(works, 1 + repeats, perf_counter)  # the first starts workers and compiles
    took = {name: median(of[1:]) for name, of in times.items()}
    return {
        "cores": CORES,
        "repeats": repeats,
        "explain_s": took["explain"],
        "rows_per_s": rows / took["explain"],
        "spark_s": took["spark"],
        "spark_rows_per_s": rows / took["spark"],
        "explain_over_spark": took["explain"] / took["spark"],
    }


def atoms(df: DataFrame, asked: dict[str, Any], ends: Any) -> Figures:
    """How many atoms are active at most, and how well their Φ add up to ν."""
    every = shapwin.explain(df, **asked | {"queries": "atoms"}).toPandas()
    possible = 2 ** len(asked["predicates"])
    return {"possible": possible} | efficiency(arrays(every, every["predicate"].unique(), ends))


def arrays(rows: pd.DataFrame, labels: Any, ends: Any) -> dict[str, Attribution]:
    """Turn the long table into arrays of groups and windows, by statistic.

    A group that a window lacks has zeros there, and a window without rows an n of 0.
    """
    return {
        str(statistic): Attribution(
            n=_row(of, "n", ends).fillna(0).to_numpy(),
            value=_row(of, "value", ends).to_numpy(),
            weight=_row(of, "weight", ends).to_numpy(),
            **{name: _grid(of, name, labels, ends) for name in ("m", "phi", "share", "lift")},
        )
        for statistic, of in rows.groupby("statistic")
    }


def _row(of: pd.DataFrame, name: str, ends: Any) -> pd.Series[Any]:
    return of.drop_duplicates("window_end").set_index("window_end")[name].reindex(ends)


def _grid(of: pd.DataFrame, name: str, labels: Any, ends: Any) -> Any:
    wide = of.pivot(index="predicate", columns="window_end", values=name)
    return wide.reindex(index=labels, columns=ends).fillna(0).to_numpy()


def day(found: Attribution, labels: Any, ends: Any, first: int) -> Figures:
    """The picture of a day from one window on; None where a window has no rows."""
    shown = slice(first, first + 24 * 12 + 1)
    held = found.n[shown] > 0
    return {
        "from": str(ends[first])[:16].replace("T", " "),
        "value": np.where(held, found.value[shown], None),
        "phi": {label: np.where(held, found.phi[g, shown], None) for g, label in enumerate(labels)},
    }
