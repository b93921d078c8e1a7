"""Every SQL function by every route that it has, against exact values of 48 golden windows."""

from __future__ import annotations

import json
from fractions import Fraction
from pathlib import Path
from typing import NamedTuple

import numpy as np
import pytest
from pyspark.sql import Window

import shapwin
from shapwin import Summary, closed_form, rolling
from shapwin.spark import functions as S

pytestmark = pytest.mark.oldest
WINDOWS = json.loads((Path(__file__).parent / "golden" / "exact_windows.json").read_text())


class Function(NamedTuple):
    """What a function gives of a golden window, its arguments, and its routes."""

    golden: str
    arguments: str
    routes: str


EVERY = "core rolling arrow pandas columns"

FUNCTIONS = {
    "shapley_sum": Function("sum", "y, p", EVERY),
    "shapley_count": Function("count", "y, p", EVERY),
    "shapley_avg": Function("avg", "y, p", EVERY),
    "shapley_var": Function("var_pop", "y, p", EVERY),
    "shapley_var_pop": Function("var_pop", "y, p", EVERY),
    "shapley_var_samp": Function("var_samp", "y, p", EVERY),
    "shapley_covar_pop": Function("covar_pop", "y, x, p", EVERY),
    "shapley_covar_samp": Function("covar_samp", "y, x, p", EVERY),
    "shapley_central_moment": Function("central3", "y, p, 3", EVERY),
    "shapley_explain": Function("var_samp", "y, p, 'var_samp'", "core arrow columns"),
    "shapley_summary": Function("total", "y", "core arrow pandas"),
    "shapley_avg_from_sums": Function("avg", "n, a, m, a_p, c", "sums"),
    "shapley_var_pop_from_sums": Function("var_pop", "n, a, b, m, a_p, b_p", "sums"),
    "shapley_var_samp_from_sums": Function("var_samp", "n, a, b, m, a_p, b_p", "sums"),
    "shapley_covar_pop_from_sums": Function(
        "covar_pop", "n, a, a2, ab, m, a_p, a2_p, ab_p", "sums"
    ),
    "shapley_covar_samp_from_sums": Function(
        "covar_samp", "n, a, a2, ab, m, a_p, a2_p, ab_p", "sums"
    ),
    "shapley_harmonic": Function("harmonic", "n", "core sums"),
    "shapley_harmonic2": Function("harmonic2", "n", "core sums"),
}

# Error of a route, relative to the largest of the window's values; Spark's own avg and var_pop,
# which the Column functions are made of, are no better than that.
BARS = {"core": 1e-12, "rolling": 1e-12, "arrow": 1e-12, "pandas": 1e-12, "sums": 1e-12}
BARS["columns"] = 1e-9


def by_route(route):
    return {name: f for name, f in FUNCTIONS.items() if route in f.routes.split()}


# ---- what is right ---------------------------------------------------------------------------


def exact(window, golden):
    """The value, and the scale that its error is measured by."""
    n = range(1, len(window["values"]) + 1)
    known = {
        "harmonic": float(sum(Fraction(1, k) for k in n)),
        "harmonic2": float(sum(Fraction(1, k * k) for k in n)),
        "total": window["nu"]["sum"],
    }
    if golden in known:
        return known[golden], abs(known[golden])
    parts = [window["nu"][golden], *window["tuple_phi"][golden]]
    return window["phi"][golden], max(map(abs, parts))


def number(function, result):
    """The number to compare, of results that have several."""
    if function == "shapley_explain":
        return result["phi"]
    if function == "shapley_summary":  # struct or array: m, a, b, center
        return result[0] * result[3] + result[1]
    return result


def check(route, got):
    """Compare what a route gives: a dict of function to result for every window."""
    assert len(got) == len(WINDOWS)
    for i, window in enumerate(WINDOWS):
        for function, result in got[i].items():
            value, scale = exact(window, FUNCTIONS[function].golden)
            assert abs(number(function, result) - value) <= BARS[route] * scale, (function, i)


# ---- the core --------------------------------------------------------------------------------


def columns_of(window):
    return (np.array(window[name]) for name in ("values", "pair", "member"))


def statistic_of(golden):
    return golden.replace("central3", "central_moment(3)")


def core(window, function, golden):
    y, x, p = columns_of(window)
    if golden.startswith("harmonic"):
        return getattr(shapwin, golden)(len(y))
    total, part = Summary.of(y, x, order=3), Summary.of(y[p], x[p], order=3)
    if golden == "total":
        return [total.m, total.a, total.b, total.center]
    found = closed_form(statistic_of(golden), total, part)
    return {"phi": found.phi} if function == "shapley_explain" else found.phi


def test_core():
    check(
        "core",
        [{name: core(w, name, f.golden) for name, f in by_route("core").items()} for w in WINDOWS],
    )


def test_rolling():
    got = []
    for window in WINDOWS:
        y, x, p = columns_of(window)
        whole = dict(size=len(y), other=x)
        got.append(
            {
                name: rolling(y, p, statistic=statistic_of(f.golden), **whole)[-1]
                for name, f in by_route("rolling").items()
            }
        )
    check("rolling", got)


# ---- Spark -----------------------------------------------------------------------------------

# As an aggregate of each window's rows, and over a frame that moves through all of them, of which
# the last row of each window sees that window alone.
FRAME = "ORDER BY t RANGE BETWEEN 50 PRECEDING AND CURRENT ROW"

# Native sums about a number near the values, here each window's first.
SUMS = {
    "n": "count(y)",
    "a": "sum(y - c)",
    "b": "sum((y - c) * (y - c))",
    "a2": "sum(x - c2)",
    "ab": "sum((y - c) * (x - c2))",
    "m": "count(if(p, y, NULL))",
    "a_p": "sum(if(p, y - c, 0))",
    "b_p": "sum(if(p, (y - c) * (y - c), 0))",
    "a2_p": "sum(if(p, x - c2, 0))",
    "ab_p": "sum(if(p, (y - c) * (x - c2), 0))",
    "c": "any_value(c)",
}


@pytest.fixture(params=["GROUP BY", "OVER", "GROUP BY without ANSI"])
def place(spark, request):
    place, _, without = request.param.partition(" without ")
    before = spark.conf.get("spark.sql.ansi.enabled")
    spark.conf.set("spark.sql.ansi.enabled", str(not without))
    yield place
    spark.conf.set("spark.sql.ansi.enabled", before)


@pytest.fixture(scope="module")
def windows(spark):
    rows = [
        (i, 100 * i + k, k == len(ys) - 1, ys[k], w["pair"][k], w["member"][k], ys[0], w["pair"][0])
        for i, w in enumerate(WINDOWS)
        for ys in [w["values"]]
        for k in range(len(ys))
    ]
    schema = "i INT, t INT, last BOOLEAN, y DOUBLE, x DOUBLE, p BOOLEAN, c DOUBLE, c2 DOUBLE"
    frame = spark.createDataFrame(rows, schema).cache()
    frame.createOrReplaceTempView("windows")
    return frame


def query(place, calls):
    """Evaluate calls of aggregates, given by name, on every window."""
    if place == "GROUP BY":
        named = ", ".join(f"{call} AS {name}" for name, call in calls.items())
        return f"SELECT i, {named} FROM windows GROUP BY i"
    named = ", ".join(f"{call} OVER w AS {name}" for name, call in calls.items())
    return f"SELECT * FROM (SELECT i, last, {named} FROM windows WINDOW w AS ({FRAME})) WHERE last"


def results(frame, functions):
    return {row["i"]: {name: row[name] for name in functions} for row in frame.collect()}


@pytest.mark.parametrize("route", ["arrow", "pandas"])
def test_udafs(spark, windows, route, place):
    shapwin.register(spark, flavor=route)
    functions = by_route(route)
    calls = {name: f"{name}({f.arguments})" for name, f in functions.items()}
    check(route, results(spark.sql(query(place, calls)), functions))


def native_arguments(text):
    """The arguments in Python of a call in SQL."""
    given = text.replace("'", "").split(", ")
    return [int(word) if word.isdigit() else word for word in given]


def test_column_functions(windows, place):
    window = Window.orderBy("t").rangeBetween(-50, 0) if place == "OVER" else None
    functions = by_route("columns")
    calls = [
        getattr(S, name)(*native_arguments(f.arguments), window=window).alias(name)
        for name, f in functions.items()
    ]
    if window is None:
        frame = windows.groupBy("i").agg(*calls)
    else:
        frame = windows.select("i", "last", *calls).where("last")
    check("columns", results(frame, functions))


def test_scalar_functions_over_native_sums(spark, windows, place):
    shapwin.register(spark)
    functions = by_route("sums")
    calls = ", ".join(f"{name}({f.arguments}) AS {name}" for name, f in functions.items())
    frame = spark.sql(f"SELECT i, {calls} FROM ({query(place, SUMS)})")
    check("sums", results(frame, functions))


# ---- nothing is missing ----------------------------------------------------------------------


def test_the_table_has_every_function_and_every_column_function(spark):
    assert set(FUNCTIONS) == set(shapwin.register(spark))
    assert set(by_route("columns")) == set(S.__all__) - {"attributions"}
