"""RQ4b, throughput: a month of trips explained, in process and on Spark.

Windows (t − 1 h, t], a tick every 5 minutes, predicates airport, manhattan, longtrip; AVG and
VAR_POP for each and for what the long airport trips and the others add.

- rq4b, in process: SlidingWindow, the trips of 5 minutes inserted at a time, then everything
  asked; Frames, all windows at once.
- rq4b_spark: `shapwin.explain` of the same trips as Parquet.

Trips are made up unless ``--trips`` names the TLC file.

    python bench/rq4b.py [--quick] [--trips FILE]
"""

from __future__ import annotations

from argparse import Namespace
from itertools import product
from pathlib import Path
from tempfile import TemporaryDirectory
from time import process_time
from typing import Any

import numpy as np
from agreement import apart, efficiency
from results import Figures, experiment
from trips import (
    AIRPORTS,
    DAYS,
    LONG_TRIP,
    MANHATTAN,
    MOST_FARE,
    START,
    TICK,
    TICKS,
    WINDOW,
    Trips,
    tick_time,
    trips,
    write,
)

from shapwin import Attribution, Frames, SlidingWindow, closed_form
from shapwin.predicates import Query, pack

STATISTICS = ("avg", "var_pop")
QUERIES = (
    "airport",
    "manhattan",
    "longtrip",
    "airport AND longtrip",
    "airport AND NOT longtrip",
    "NOT (airport OR manhattan)",
)
ON_SPARK: dict[str, Any] = {
    "value": "fare_amount",
    "time": "tpep_pickup_datetime",
    "window": "1 hour",
    "every": "5 minutes",
    "closed": "right",
    "predicates": {
        "airport": f"PULocationID IN {(*AIRPORTS,)}",
        "manhattan": f"PULocationID IN {(*MANHATTAN,)}",
        "longtrip": f"trip_distance > {LONG_TRIP}",
    },
    "queries": {query: query for query in QUERIES},
    "statistics": STATISTICS,
}


def measure(options: Namespace) -> Figures:
    data = trips(options)
    signature = pack(list(data.predicates().values()))
    at_once, frames = all_windows(data.fare, members(signature), data.windows())
    slid, sliding = slide(data, signature)
    n = at_once["avg"].n
    return {
        "data": data.source,
        "trips": len(data.seconds),
        "ticks": len(n),
        "n": {"min": n.min(), "mean": n.mean(), "max": n.max()},
        "SlidingWindow": sliding,
        "Frames": frames,
        "atoms": atoms(data, signature),
        "difference": difference(data, slid),
        **shown(at_once),
    }


def members(signature: Any, queries: Any = QUERIES) -> Any:
    names = ["airport", "manhattan", "longtrip"]
    return np.stack([Query.parse(query, names).over_atoms(signature) for query in queries])


def all_windows(
    values: Any, groups: Any, windows: tuple[Any, Any]
) -> tuple[dict[str, Attribution], Figures]:
    """Every window by `Frames`."""
    start = process_time()
    total, parts = Frames.of_rows(values, groups).answer(*windows)
    found = {statistic: closed_form(statistic, total, parts) for statistic in STATISTICS}
    took = process_time() - start
    return found, {"total_s": took, "rows_per_s": len(values) / took}


def slide(data: Trips, signature: Any) -> tuple[list[Any], Figures]:
    """Every window by `SlidingWindow`: what was found at each tick, and times."""
    columns = data.fare.tolist(), signature.tolist(), data.seconds.tolist()
    ends = data.windows()[1].tolist()
    window = SlidingWindow(["airport", "manhattan", "longtrip"], duration=WINDOW)
    found, updating, asking, first = [], 0.0, 0.0, 0
    for end in ends:
        rows = [column[first:end] for column in columns]
        start = process_time()
        window.insert(*rows)
        inserted = process_time()
        found.append([window.attribute(*ask) for ask in product(STATISTICS, QUERIES)])
        asking += process_time() - inserted
        updating += inserted - start
        first = end
    total = updating + asking
    figures = {
        "total_s": total,
        "update_s": updating,
        "rows_per_s": len(columns[0]) / total,
        "updates_per_s": len(columns[0]) / updating,
        "tick_us": asking / len(ends) * 1e6,
        "answers_a_tick": len(STATISTICS) * len(QUERIES),
    }
    return found, figures


def difference(data: Trips, slid: list[Any]) -> float:
    """The largest difference of Φ between the routes, relative to max(|Φ|, |ν|).

    A `SlidingWindow` ends at its newest trip, which can be seconds before the tick.
    """
    end = data.windows()[1]
    newest = data.seconds[np.maximum(end - 1, 0)]
    begin = np.searchsorted(data.seconds, newest - WINDOW, side="right")
    signature = pack(list(data.predicates().values()))
    at_once, _ = all_windows(data.fare, members(signature), (begin, end))
    phi = np.array([[answer.phi for answer in tick] for tick in slid]).T
    of_statistic = np.split(phi, len(STATISTICS))
    return max(apart(phi, at_once[s]) for s, phi in zip(STATISTICS, of_statistic, strict=True))


def atoms(data: Trips, signature: Any) -> Figures:
    """How many atoms are active at most, and how well their Φ add up to ν."""
    found, _ = all_windows(data.fare, signature == np.arange(8)[:, None], data.windows())
    return {"possible": 8} | efficiency(found)


def shown(found: dict[str, Attribution]) -> Figures:
    """What the paper shows: 24 hours from the 9th, 18:00, and the peak in the small hours."""
    avg, var = found["avg"], found["var_pop"]
    first = (8 * 24 + 18) * 3600 // TICK - 1
    day = np.arange(first, first + 24 * 3600 // TICK + 1)
    night = day[(day >= first + 8 * 12) & (day <= first + 12 * 12)]
    peak = int(night[np.nanargmax(avg.value[night])])
    part = {query: g for g, query in enumerate(QUERIES)}
    airport = part["airport"]
    return {
        "daytime_avg": np.mean(avg.value[first + 16 * 12 : first + 24 * 12]),
        "peak": {
            "window_end": tick_time(peak),
            "n": avg.n[peak],
            "avg": avg.value[peak],
            "m": dict(zip(QUERIES, avg.m[:, peak], strict=True)),
            "phi": dict(zip(QUERIES, avg.phi[:, peak], strict=True)),
            "airport": {
                "mean": avg.share[airport, peak] * avg.n[peak] / avg.m[airport, peak],
                "share": avg.share[airport, peak],
                "weight_times_lift": avg.weight[peak] * avg.lift[airport, peak],
                "weight": avg.weight[peak],
            },
            "var_pop": dict(zip(QUERIES, var.phi[:, peak], strict=True)),
        },
        "timeline": {
            "from": tick_time(first),
            "value": avg.value[day],
            "phi": {query: avg.phi[part[query], day] for query in QUERIES[:3]},
        },
    }


def month_on_spark(options: Namespace) -> Figures:
    from case_study import CORES, arrays, atoms, speed
    from common import session

    import shapwin

    data = trips(options)
    ends = START + np.arange(1, TICKS + 1) * np.timedelta64(TICK, "s")
    with TemporaryDirectory() as folder:
        path = options.trips or Path(folder) / "trips.parquet"
        if options.trips is None:
            write(data, path)
        spark = session(CORES)
        rows = spark.read.parquet(str(path)).where(kept())
        figures = speed(rows, len(data.seconds), ON_SPARK, 1 if options.quick else 3)
        found = arrays(shapwin.explain(rows, **ON_SPARK).toPandas(), QUERIES, ends)
        figures["atoms"] = atoms(rows, ON_SPARK, ends)
        spark.stop()
    signature = pack(list(data.predicates().values()))
    in_process, _ = all_windows(data.fare, members(signature), data.windows())
    return {
        "data": data.source,
        "trips": len(data.seconds),
        "ticks": (found["avg"].n > 0).sum(),
        "difference": max(apart(found[s].phi, in_process[s]) for s in STATISTICS),
        **figures,
        **shown(found),
    }


def kept() -> str:
    """Which of TLC's rows are trips of the month, as `trips.read` has it."""
    day, last = "tpep_pickup_datetime", START + np.timedelta64(DAYS, "D")
    columns = (day, "fare_amount", "trip_distance", "PULocationID")
    return " AND ".join(
        [
            *(f"{column} IS NOT NULL" for column in columns),
            f"{day} >= '{START}' AND {day} < '{last}'",
            f"fare_amount > 0 AND fare_amount <= {MOST_FARE}",
        ]
    )


if __name__ == "__main__":
    experiment(rq4b=measure, rq4b_spark=month_on_spark)
