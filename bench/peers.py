"""Peers: the same Shapley values by shapiq, dowhy and DuckDB, of the same windows in the same run.

- players: K predicates and the tuples that none covers play; ν of a coalition is the AVG of the
  union of its tuples. shapwin's `player_values` from the rows, shapiq's ExactComputer, dowhy's
  exact estimator, and DuckDB's AVG … FILTER of all 2^(K+1) coalitions in one query.
- tuples: each tuple of a short window plays. shapwin's `tuple_values`, shapiq, dowhy.
- shapwin alone: the players' values of more predicates, from atoms that are at hand.
- Spark (``peers_spark``, see `spark_peers.py`): one window, and sliding ones, by `explain` and by
  Spark's own aggregates of all coalitions.

What is not installed is skipped: ``pip install "shapwin[bench]"`` brings all three.

    python bench/peers.py [peers] [peers_spark] [--quick]
"""

from __future__ import annotations

from argparse import Namespace
from collections.abc import Callable
from functools import partial
from importlib.util import find_spec
from statistics import median
from time import perf_counter, process_time
from typing import Any

import numpy as np
from coalitions import unions
from results import Figures, experiment
from timing import Clock, in_turn, typical

from shapwin import Summary, player_values, tuple_values
from shapwin.players import shapley
from shapwin.predicates import pack

SHAPWIN, REPEATS = "shapwin", 5


def measure(options: Namespace) -> Figures:
    peers = {"shapiq": by_shapiq, "dowhy": by_dowhy, "duckdb": by_duckdb}
    installed = {name: solve for name, solve in peers.items() if find_spec(name)}
    skipped = sorted(set(peers) - set(installed))
    for name in skipped:
        print(f'peers: {name} is not installed, skipped: pip install "shapwin[bench]"')
    cases = [(3, 200), (5, 200)] if options.quick else [(3, 2000), (6, 2000), (9, 2000), (6, 10**5)]
    sizes = (6, 8) if options.quick else (8, 12)
    return {
        "skipped": skipped,
        "players": [players(*case, installed) for case in cases],
        "tuples": [tuples(size, installed) for size in sizes],
        "shapwin_alone": [alone(count) for count in ((4, 8) if options.quick else (4, 8, 12, 16))],
    }


def spark(options: Namespace) -> Figures:
    """Spark's own aggregates as a peer, on one core, and DuckDB on its one thread beside."""
    from common import session
    from spark_peers import OneWindow, sliding

    # Spark takes most of a minute for the 1,023 averages of nine predicates over few rows.
    cases = [(3, 5000)] if options.quick else [(3, 10**5), (6, 10**5), (9, 10**4)]
    trips, days, repeats = (20_000, 1, 1) if options.quick else (1_000_000, 31, 3)
    duckdb = {"duckdb": by_duckdb} if find_spec("duckdb") else {}
    connection = session(1)

    def one_window(count: int, rows: int) -> Figures:
        y, satisfied, members = drawn(count, rows)
        window = OneWindow(connection, y, satisfied)
        solvers = {SHAPWIN: window.by_explain, "spark": window.by_filter}
        others = {name: partial(solve, y, members) for name, solve in duckdb.items()}
        found = compared(solvers | others, repeats, perf_counter)
        return {"predicates": count, "N": rows} | found

    figures = {
        "cores": 1,
        "skipped": [] if duckdb else ["duckdb"],
        "players": [one_window(*case) for case in cases],
        "sliding": sliding(connection, trips, days, repeats),
    }
    connection.stop()
    return figures


def drawn(count: int, rows: int) -> tuple[Any, Any, Any]:
    """A column, which predicates its tuples satisfy, and the same with those that none covers."""
    rng = np.random.default_rng(count)
    y, satisfied = rng.normal(10, 3, rows), rng.random((count, rows)) < 0.2
    return y, satisfied, np.vstack([satisfied, ~satisfied.any(axis=0)])


def players(count: int, rows: int, peers: dict[str, Callable[..., Any]]) -> Figures:
    """One window of so many rows, K predicates as players."""
    y, satisfied, members = drawn(count, rows)
    return {"predicates": count, "N": rows} | compared(
        {
            SHAPWIN: partial(by_shapwin, y, satisfied),
            **{name: partial(solve, y, members) for name, solve in peers.items()},
        }
    )


def tuples(size: int, peers: dict[str, Callable[..., Any]]) -> Figures:
    """One short window, its tuples as players."""
    y = np.random.default_rng(size).normal(10, 3, size)
    each = np.eye(size, dtype=bool)
    others = {name: solve for name, solve in peers.items() if name != "duckdb"}
    return {"N": size} | compared(
        {
            SHAPWIN: partial(tuple_values, "avg", y),
            **{name: partial(solve, y, each) for name, solve in others.items()},
        }
    )


def alone(count: int) -> Figures:
    """K predicates as players, in a window with up to 5,000 atoms."""
    rng = np.random.default_rng(count)
    names = [f"p{k}" for k in range(count)]
    kinds = rng.permutation(1 << count)[:5000].tolist()
    atoms = {s: Summary.of(rng.normal(10, 3, 10)) for s in kinds}
    row: Figures = {"predicates": count, "atoms": len(atoms), "efficiency": 0.0}
    for statistic in ("avg", "var_pop"):
        row[f"{statistic}_s"] = typical(partial(player_values, statistic, atoms, names), 3)
        found = player_values(statistic, atoms, names)
        apart = abs(found.shapley.sum() - found.value) / np.abs(found.shapley).max()
        row["efficiency"] = max(row["efficiency"], apart)
    return row


def compared(
    solvers: dict[str, Callable[[], Any]], repeats: int = REPEATS, clock: Clock = process_time
) -> Figures:
    """The time of each, relative to shapwin's, and the largest difference of the values."""
    ours = solvers[SHAPWIN]()
    off = {
        name: np.abs(solve() - ours).max() / np.abs(ours).max() for name, solve in solvers.items()
    }
    times = {name: median(spent) for name, spent in in_turn(solvers, repeats, clock).items()}
    return {
        name: {
            "ms": took * 1e3,
            "times_shapwin": took / times[SHAPWIN],
            "difference": off[name],
        }
        for name, took in times.items()
    }


def by_shapwin(y: Any, satisfied: Any) -> Any:
    signatures = pack(satisfied)
    atoms = {int(s): Summary.of(y[signatures == s]) for s in np.unique(signatures)}
    names = [f"p{k}" for k in range(len(satisfied))]
    return player_values("avg", atoms, names).shapley


def worth(y: Any, members: Any, coalition: Any) -> float:
    """AVG over the union of the coalition's tuples; 0 without any."""
    inside = y[members[np.asarray(coalition, dtype=bool)].any(axis=0)]
    return float(inside.mean()) if inside.size else 0.0


def by_shapiq(y: Any, members: Any) -> Any:
    import shapiq

    def game(coalitions: Any) -> Any:
        return np.array([worth(y, members, coalition) for coalition in coalitions])

    computer = shapiq.ExactComputer(game, n_players=len(members))
    values = computer("SV")
    return np.array([values[(i,)] for i in range(len(members))])


def by_dowhy(y: Any, members: Any) -> Any:
    from dowhy.gcm.config import disable_progress_bars
    from dowhy.gcm.shapley import (
        ShapleyApproximationMethods,
        ShapleyConfig,
        estimate_shapley_values,
    )

    disable_progress_bars()
    exact = ShapleyConfig(ShapleyApproximationMethods.EXACT, n_jobs=1)
    return estimate_shapley_values(partial(worth, y, members), len(members), exact)


def by_duckdb(y: Any, members: Any) -> Any:
    import duckdb
    import pyarrow as pa

    count = len(members)
    columns = {f"p{k}": row for k, row in enumerate(members)}
    table = pa.table({"y": y, **columns})
    wanted = ", ".join(f"avg(y) FILTER (WHERE {union})" for union in unions([*columns]))
    with duckdb.connect() as connection:
        connection.execute("SET threads = 1")
        connection.register("tuples", table)
        found = connection.execute(f"SELECT {wanted} FROM tuples").fetchone()
    return shapley(np.array([0.0, *(0.0 if nu is None else nu for nu in found or ())]), count)


if __name__ == "__main__":
    experiment(peers=measure, peers_spark=spark)
