"""Scale: what explaining costs as rows, keys, panes and windows grow, and a model that predicts it.

Seconds of wall clock = fixed + a · rows + b · pane rows + c · window sums + d · result rows, fitted
for each master on all inputs but the largest, which it then predicts. Each master is a Spark of
its own in a process of its own. Spark makes the input: a month, evenly filled, in order of time.

    python bench/scale.py [--quick]
"""

from __future__ import annotations

from argparse import Namespace
from concurrent.futures import ProcessPoolExecutor
from functools import partial
from itertools import combinations, product
from math import exp, gcd
from multiprocessing import get_context
from statistics import median
from tempfile import TemporaryDirectory
from time import perf_counter
from typing import Any, NamedTuple

import numpy as np
import pyspark  # noqa: F401  (its version is told with the results)
from results import Figures, experiment
from timing import seconds

MASTERS = {"local[1]": 1, "local[2]": 2, "local-cluster[2,1,1500]": 2}  # and their cores
MONTH, HOUR = 31 * 86400, 3600  # seconds
USERS, ZONES = 100_000, 100
STATISTICS = ("avg", "var_pop", "sum", "count", "var_samp")
PREDICATES = {"airport": "zone < 9", "manhattan": "zone >= 12", "longtrip": "distance > 10"}
# How likely each atom is: airport, manhattan or neither, and a tenth of them long.
ATOMS = [part * far for part, far in product((0.09, 0.88, 0.03), (0.1, 0.9))]
PAIRS = [*combinations(PREDICATES, 2)]
QUERIES = (
    *PREDICATES,
    *(f"NOT {name}" for name in PREDICATES),
    *(f"{a} AND {b}" for a, b in PAIRS),
    *(f"{a} OR {b}" for a, b in PAIRS),
)
# What the cost is made of. Rows without a key are summed by Spark, others in Python workers.
TERMS = ("fixed", "rows", "rows_by_key", "pane_rows", "window_sums", "result_rows")
FAR = {"rows": 10**12, "cores": 1000}


class Case(NamedTuple):
    """One call of `explain`: its input, and what is asked. Times are in seconds."""

    rows: int
    window: int = HOUR
    every: int = 300
    keys: int = 1
    queries: int = 3
    statistics: int = 2

    @property
    def sizes(self) -> dict[str, float]:
        """How much there is of each of `TERMS`, as expected of rows that come evenly."""
        panes = self.keys * MONTH / gcd(self.window, self.every)
        windows = self.keys * (MONTH + self.window) / self.every
        sums = self.queries * occupied(windows, self.rows * self.window / self.every)
        keyed = self.keys > 1
        return {
            "fixed": 1,
            "rows": 0 if keyed else self.rows,
            "rows_by_key": self.rows if keyed else 0,
            "pane_rows": sum(occupied(panes, self.rows * chance) for chance in ATOMS),
            "window_sums": sums,
            "result_rows": sums * self.statistics,
        }


def occupied(cells: float, balls: float) -> float:
    """How many cells are expected to be hit by balls thrown at random."""
    return cells * (1 - exp(-balls / cells))


def cases(quick: bool) -> list[Case]:
    """What is run. The last has the most rows by far: it is for the model to predict."""
    unit = 10**4 if quick else 10**6
    few, some, many = (unit * millions for millions in (1, 3, 10))
    known = [
        *(Case(rows) for rows in (few, some, many, 3 * many)),
        Case(some, every=HOUR),
        Case(some, every=60),
        Case(some, every=60, queries=1),
        Case(some, every=60, queries=len(QUERIES)),
        Case(some, every=60, statistics=len(STATISTICS)),
        Case(some, every=10),
        Case(some, window=HOUR + 10, every=HOUR),  # many panes, few windows
        Case(few, keys=100),
        Case(few, every=HOUR, keys=100),
        Case(some, every=HOUR, keys=100),
        Case(many, every=HOUR, keys=100),
        Case(few, every=HOUR, keys=10_000),
        Case(few, every=HOUR, keys=USERS),
    ]
    return [*(known[::2] if quick else known), Case(10 * many)]


def measure(options: Namespace) -> Figures:
    chosen, repeats = cases(options.quick), 1 if options.quick else 3
    masters = ["local[2]"] if options.quick else [*MASTERS]
    # One task a process, as a JVM has one master.
    alone = ProcessPoolExecutor(1, get_context("spawn"), max_tasks_per_child=1)
    with TemporaryDirectory() as folder, alone:
        alone.submit(write, sorted({case.rows for case in chosen}), folder).result()
        found = {
            master: alone.submit(runs, chosen, repeats, folder, master).result()
            for master in masters
        }
    return {
        "largest": chosen[-1].rows,
        "repeats": repeats,
        "masters": {master: modelled(chosen, MASTERS[master], found[master]) for master in found},
    }


# ---- in a Spark of its own -------------------------------------------------------------------


def spark_on(master: str) -> Any:
    from common import session

    here = {"spark.driver.host": "127.0.0.1", "spark.driver.bindAddress": "127.0.0.1"}
    return session(MASTERS[master], **{"spark.master": master}, **here)


def write(sizes: list[int], folder: str) -> None:
    """Write an input of each size; what a row holds depends on its number alone."""
    spark = spark_on("local[2]")
    for rows in sizes:
        made = spark.range(0, rows, 1, max(2, rows // 2_500_000)).selectExpr(
            f"timestamp_micros(1704067200000000 + id * {MONTH * 10**6 // rows}) pickup",
            f"int(pmod(xxhash64(id, 1), {ZONES})) zone",
            f"int(pmod(xxhash64(id, 2), {USERS})) user",
            "round(10 * log10(10000 / (pmod(xxhash64(id, 3), 10000) + 1)), 2) distance",
            "3 + 2.5 * distance + pmod(xxhash64(id, 4), 500) / 100 fare",
        )
        made.write.parquet(f"{folder}/{rows}")
    spark.stop()


def runs(chosen: list[Case], repeats: int, folder: str, master: str) -> Figures:
    """Time every case in turn, from few rows to many, after those of few have warmed Spark up."""
    from common import compute
    from panes import worker_megabytes

    spark = spark_on(master)
    chosen = sorted(chosen, key=lambda case: case.rows)
    inputs = {case.rows: spark.read.parquet(f"{folder}/{case.rows}") for case in chosen}
    counted = {case: counted_rows(inputs, case) for case in chosen if case.rows <= min(inputs) * 3}
    times: dict[Case, list[float]] = {case: [] for case in chosen}
    reading: dict[int, list[float]] = {rows: [] for rows in [*inputs][:-1]}
    megabytes = {}
    for _ in range(repeats):
        for case in chosen:
            times[case].append(seconds(partial(run, inputs, case), perf_counter))
            megabytes.setdefault(case, worker_megabytes())
        for rows in reading:
            needed = inputs[rows].select("pickup", "fare", "zone", "distance")
            reading[rows].append(seconds(partial(compute, needed), perf_counter))
    spark.stop()
    return {
        "seconds": {case: median(of) for case, of in times.items()},
        "reading": {rows: median(of) for rows, of in reading.items()},
        "counted": counted,
        "megabytes": megabytes,
    }


def explained(inputs: dict[int, Any], case: Case) -> Any:
    from pyspark.sql import functions as F

    import shapwin

    return shapwin.explain(
        inputs[case.rows].withColumn("key", F.expr(f"user % {case.keys}")),
        value="fare",
        time="pickup",
        window=f"{case.window} seconds",
        every=f"{case.every} seconds",
        predicates=PREDICATES,
        queries={query: query for query in QUERIES[: case.queries]},
        statistics=STATISTICS[: case.statistics],
        by="key" if case.keys > 1 else (),
    )


def run(inputs: dict[int, Any], case: Case) -> None:
    from common import compute

    compute(explained(inputs, case))


def counted_rows(inputs: dict[int, Any], case: Case) -> int:
    """Run a case once and return how many rows its result has."""
    from common import compute
    from pyspark.sql import Observation
    from pyspark.sql import functions as F

    seen = Observation()
    compute(explained(inputs, case).observe(seen, F.count("*").alias("rows")))
    return seen.get["rows"]


# ---- the model -------------------------------------------------------------------------------


def modelled(chosen: list[Case], cores: int, found: Figures) -> Figures:
    """Fit the model on all cases but the last, and say what it makes of each."""
    sizes = np.array([[*case.sizes.values()] for case in chosen])
    took = np.array([found["seconds"][case] for case in chosen])
    cost = fitted(sizes[:-1], took[:-1])
    model = sizes @ cost
    off = np.abs(model / took - 1)
    read = np.array([*found["reading"].items()])
    per_row = fitted(np.stack([np.ones(len(read)), read[:, 0]], axis=1), read[:, 1])[1]
    return {
        "cores": cores,
        "coefficients": dict(zip(TERMS, cost, strict=True)),
        "runs": [
            case._asdict()
            | case.sizes
            | {
                "rows": case.rows,
                "result_rows_counted": found["counted"].get(case),
                "seconds": spent,
                "model": said,
                "worker_megabytes": found["megabytes"][case],
            }
            for case, spent, said in zip(chosen, took, model, strict=True)
        ],
        "off": {"median": np.median(off[:-1]), "max": off[:-1].max(), "largest": off[-1]},
        "reading": found["reading"],
        "reading_s_per_row": per_row,
        "far": [far(keys, cores, cost, per_row) for keys in (1, USERS)],
    }


def fitted(sizes: Any, took: Any) -> Any:
    """Return the coefficients, none negative, with the least squares of relative errors.

    The best of them are an ordinary fit of the terms that they do not put at zero; all sets of
    terms are tried.
    """
    scaled = sizes / took[:, None]
    best, least = np.zeros(sizes.shape[1]), np.inf
    for used in product((False, True), repeat=sizes.shape[1]):
        tried = np.zeros(sizes.shape[1])
        tried[[*used]] = np.linalg.lstsq(scaled[:, [*used]], np.ones(len(took)))[0]
        off = np.linalg.norm(scaled @ tried - 1)
        if (tried >= 0).all() and off < least:
            best, least = tried, off
    return best


def far(keys: int, cores: int, cost: Any, reading: float) -> Figures:
    """What the model says of `FAR`: cores share rows, and with keys all that grows with keys."""
    case = Case(FAR["rows"], keys=keys)
    took = dict(zip(TERMS, cost * [*case.sizes.values()], strict=True))
    share = cores / FAR["cores"]
    spread = ("rows",) if keys == 1 else TERMS[1:]
    took |= {term: took[term] * share for term in spread}
    return {
        **FAR,
        "keys": keys,
        "seconds": sum(took.values()),
        "of_rows": took["rows"] + took["rows_by_key"],
        "of_reading": reading * FAR["rows"] * share,
    }


if __name__ == "__main__":
    experiment(scale=measure)
