"""RQ4b's questions of the flights that ship with shapwin: speed, exactness, the worst hour.

What is asked is what ``shapwin demo`` asks: the delay of an hour's departures, every 5 minutes, by
kennedy, florida, regional. The most striking window is drilled down into.

    python bench/flights.py [--quick]
"""

from __future__ import annotations

from argparse import Namespace
from typing import Any

import numpy as np
from agreement import apart
from results import Figures, experiment
from rq4b import all_windows

from shapwin import demo

ASKED, PREDICATES = demo.ARGUMENTS, [*demo.ARGUMENTS["predicates"]]
HOUR, STEP, DAY = (np.timedelta64(minutes, "m") for minutes in (60, 5, 24 * 60))


def measure(options: Namespace) -> Figures:
    from case_study import CORES, arrays, atoms, day, speed
    from common import session

    import shapwin

    spark = session(CORES)
    flights = spark.read.parquet(demo.PATH)
    explained = shapwin.explain(flights, **ASKED).toPandas()
    first, last = explained["window_end"].min(), explained["window_end"].max()
    ends = np.arange(first.to_datetime64(), last.to_datetime64() + DAY, STEP)
    found = arrays(explained, PREDICATES, ends)
    peak, combined = striking(explained)
    queries = ASKED | {"queries": {query: query for query in combined}}
    drilled = shapwin.explain(flights, **queries).toPandas()
    in_process, frames = by_frames(flights, ends)
    figures = {
        "flights": flights.count(),
        **speed(flights, flights.count(), ASKED, 1 if options.quick else 3),
        "atoms": atoms(flights, ASKED, ends),
    }
    spark.stop()
    midnight = peak["window_end"].floor("D").to_datetime64()
    return {
        **figures,
        "windows": (found["avg"].n > 0).sum(),
        "Frames": frames,
        "difference": max(apart(found[s].phi, in_process[s]) for s in found),
        "peak": {
            "window_end": f"{peak['window_end']:%Y-%m-%d %H:%M}",
            **{name: peak[name] for name in ("n", "value", "usual", "weight")},
            "predicates": at(explained, peak["window_end"]),
            "combined": at(drilled, peak["window_end"]),
        },
        "timeline": day(found["avg"], PREDICATES, ends, int(np.searchsorted(ends, midnight))),
    }


def striking(explained: Any) -> tuple[Any, list[str]]:
    """The window that strikes most, and what divides its strongest group further."""
    from shapwin import report

    window = report.striking(explained.sort_values(["window_start", "predicate"]), "avg")
    group = window.loc[window["phi"].abs().idxmax(), "predicate"]
    others = [name for name in PREDICATES if name != group]
    return window.iloc[0], [f"{group} AND {no}{name}" for name in others for no in ("", "NOT ")]


def at(rows: Any, end: Any) -> Figures:
    """What the long table has of each query in the window with this end."""
    window = rows[rows["window_end"] == end]
    return {
        statistic: of.set_index("predicate")[["m", "phi", "share", "lift"]].to_dict("index")
        for statistic, of in window.groupby("statistic")
    }


def by_frames(flights: Any, ends: Any) -> tuple[Any, Figures]:
    """Every window in process; who has no delay, being cancelled, is no player."""
    value, time, predicates = ASKED["value"], ASKED["time"], ASKED["predicates"]
    flags = (f"coalesce({condition}, false) {name}" for name, condition in predicates.items())
    rows = flights.where(f"{value} IS NOT NULL").selectExpr(time, value, *flags)
    rows = rows.orderBy(time).toPandas()
    began = rows[time].to_numpy()
    windows = np.searchsorted(began, ends - HOUR), np.searchsorted(began, ends)
    return all_windows(rows[value].to_numpy(float), rows[PREDICATES].to_numpy().T, windows)


if __name__ == "__main__":
    experiment(flights=measure)
