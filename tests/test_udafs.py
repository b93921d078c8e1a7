"""The SQL aggregates, both flavors, against exact values and against the core."""

from __future__ import annotations

import json
import math
from decimal import Decimal
from pathlib import Path

import numpy as np
import pytest
from pyspark.errors import PythonException

import shapwin
from shapwin.spark.udafs import AGGREGATES

WINDOWS = json.loads((Path(__file__).parent / "golden" / "exact_windows.json").read_text())
ONE_COLUMN = {"sum": "sum", "count": "count", "avg": "avg", "var": "var_pop"} | {
    name: name for name in ("var_pop", "var_samp")
}
TWO_COLUMNS = ("covar_pop", "covar_samp")


@pytest.fixture(scope="module", params=["arrow", "pandas"])
def flavor(spark, request):
    shapwin.register(spark, flavor=request.param)
    return request.param


@pytest.fixture
def arrow(spark):
    shapwin.register(spark)


@pytest.fixture(scope="module")
def windows(spark):
    rows = [
        (i, k, w["values"][k], w["pair"][k], w["member"][k])
        for i, w in enumerate(WINDOWS)
        for k in range(len(w["values"]))
    ]
    schema = "i INT, k INT, y DOUBLE, x DOUBLE, p BOOLEAN"
    spark.createDataFrame(rows, schema).createOrReplaceTempView("windows")


def table(spark, name, rows, schema):
    spark.createDataFrame(rows, schema).createOrReplaceTempView(name)


def only(spark, query):
    """The values of the one row of a query."""
    (row,) = spark.sql(query).collect()
    return tuple(row)


def refusal(spark, query):
    """The last line of the error that a query ends with."""
    with pytest.raises(PythonException) as caught:
        spark.sql(query).collect()
    lines = [line for line in str(caught.value).splitlines() if line.startswith("shapwin.")]
    assert lines, caught.value
    return lines[-1].removeprefix("shapwin.errors.")


# ---- exact values ----------------------------------------------------------------------------


def test_golden_windows_in_group_by(spark, flavor, windows):
    calls = [f"shapley_{name}(y, p) AS {name}" for name in ONE_COLUMN]
    calls += [f"shapley_{name}(y, x, p) AS {name}" for name in TWO_COLUMNS]
    calls += [f"shapley_central_moment(y, p, {q}) AS central{q}" for q in (3, 4)]
    got = spark.sql(f"SELECT i, {', '.join(calls)} FROM windows GROUP BY i").collect()
    assert len(got) == len(WINDOWS)
    expected_of = ONE_COLUMN | {name: name for name in (*TWO_COLUMNS, "central3", "central4")}
    for row in got:
        exact = WINDOWS[row["i"]]["phi"]
        for name, golden in expected_of.items():
            assert row[name] == pytest.approx(exact[golden], rel=1e-12, abs=1e-12), (name, row)


@pytest.mark.parametrize("statistic", ["avg", "var_pop"])
@pytest.mark.parametrize(
    "frame",
    [
        "ROWS BETWEEN 3 PRECEDING AND CURRENT ROW",
        "ROWS BETWEEN 1 FOLLOWING AND 2 FOLLOWING",
        "ROWS BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW",
        "ROWS BETWEEN CURRENT ROW AND UNBOUNDED FOLLOWING",
        "ROWS BETWEEN UNBOUNDED PRECEDING AND UNBOUNDED FOLLOWING",
        "RANGE BETWEEN 2 PRECEDING AND 1 FOLLOWING",
    ],
)
def test_frames_agree_with_the_core(spark, flavor, statistic, frame):
    rng = np.random.default_rng(7)
    rows = [
        (key, int(rng.integers(15)), float(rng.normal(1e6, 1)), bool(rng.random() < 0.4))
        for key in range(3)
        for _ in range(20)
    ]
    table(spark, "frames", rows, "key INT, t INT, y DOUBLE, p BOOLEAN")
    got = spark.sql(
        f"""SELECT shapley_{statistic}(y, p) OVER w AS phi, collect_list(y) OVER w AS ys,
                   collect_list(p) OVER w AS ps
            FROM frames WINDOW w AS (PARTITION BY key ORDER BY t {frame})"""
    ).collect()
    for row in got:
        y, p = np.array(row["ys"]), np.array(row["ps"], dtype=bool)
        if y.size == 0:
            assert row["phi"] is None
            continue
        exact = shapwin.closed_form(statistic, shapwin.Summary.of(y), shapwin.Summary.of(y[p]))
        scale = max(abs(exact.value), abs(exact.phi))
        assert row["phi"] == pytest.approx(exact.phi, abs=1e-12 * scale)


def test_peers_of_the_default_frame_get_equal_phi(spark, flavor):
    table(spark, "peers", [(1, 2.0), (2, 4.0), (2, 10.0), (3, 1.0)], "t INT, y DOUBLE")
    got = spark.sql("SELECT t, shapley_avg(y, y > 5) OVER (ORDER BY t) AS phi FROM peers")
    phi = [row["phi"] for row in got.orderBy("t").collect()]
    assert phi[:3] == [0.0, pytest.approx(95 / 18), pytest.approx(95 / 18)]


def test_readme_statement(spark, flavor):
    table(
        spark,
        "trips",
        [(1, "EU", 2.0), (2, "EU", 4.0), (3, "US", 10.0), (4, None, None)],
        "t INT, region STRING, fare DOUBLE",
    )
    got = spark.sql(
        """SELECT t, avg(fare) OVER window AS mean, shapley_avg(fare, region='EU') OVER window AS eu
           FROM trips
           WINDOW window AS (ORDER BY t ROWS BETWEEN 2 PRECEDING AND CURRENT ROW)"""
    ).collect()
    assert [tuple(row) for row in got] == [
        (1, 2.0, 2.0),
        (2, 3.0, 3.0),
        (3, pytest.approx(16 / 3), pytest.approx(1 / 18)),
        (4, 7.0, pytest.approx(0.5)),
    ]


def test_named_arguments(spark, flavor, windows):
    phi = only(
        spark,
        """SELECT shapley_avg(predicate => p, value => y), shapley_avg(y, predicate => p),
                  shapley_covar_pop(predicate => p, other => x, value => y)
           FROM windows WHERE i = 0""",
    )
    exact = WINDOWS[0]["phi"]
    assert phi == pytest.approx((exact["avg"], exact["avg"], exact["covar_pop"]))


# ---- odd input -------------------------------------------------------------------------------


def test_null_values_are_no_players_and_null_predicates_no_members(spark, flavor):
    rows = [(2.0, True), (4.0, None), (None, True), (10.0, False)]
    table(spark, "nulls", rows, "y DOUBLE, p BOOLEAN")
    count, mean, none = only(
        spark, "SELECT shapley_count(y, p), shapley_avg(y, p), shapley_avg(y, NULL) FROM nulls"
    )
    assert (count, mean, none) == (1.0, pytest.approx(-13 / 18), 0.0)


def test_a_window_without_values_gives_null(spark, flavor):
    table(spark, "nulls", [(None, True), (None, False)], "y DOUBLE, p BOOLEAN")
    names = ("sum", "count", "avg", "var_pop", "var_samp")
    calls = [f"shapley_{name}(y, p)" for name in names]
    calls += ["shapley_covar_pop(y, y, p)", "shapley_summary(y)", "shapley_avg(NULL, p)"]
    assert set(only(spark, f"SELECT {', '.join(calls)} FROM nulls")) == {None}


def test_nan_and_infinity_stay_in_their_windows(spark, flavor):
    values = [1.0, 2.0, math.nan, 4.0, 5.0, math.inf, 7.0, 8.0]
    table(
        spark,
        "odd",
        [(i, y, i % 2 == 0) for i, y in enumerate(values)],
        "t INT, y DOUBLE, p BOOLEAN",
    )
    got = spark.sql(
        """SELECT shapley_avg(y, p) OVER w AS phi, shapley_sum(y, p) OVER w AS part,
                  sum(if(p, y, 0)) OVER w AS native
           FROM odd WINDOW w AS (ORDER BY t ROWS BETWEEN 1 PRECEDING AND CURRENT ROW)"""
    ).collect()
    finite = [math.isfinite(row["phi"]) for row in got]
    nan_is_a_value = flavor == "arrow"
    assert finite == [True, True, not nan_is_a_value, not nan_is_a_value, True, False, False, True]
    if nan_is_a_value:
        for row in got:
            assert row["part"] == pytest.approx(row["native"], nan_ok=True)


def test_every_numeric_type(spark, flavor):
    kinds = ["TINYINT", "SMALLINT", "INT", "BIGINT", "FLOAT", "DOUBLE", "DECIMAL(10,2)"]
    table(spark, "numbers", [(2,), (4,), (10,)], "y INT")
    calls = ", ".join(f"shapley_avg(CAST(y AS {kind}), y = 10)" for kind in kinds)
    assert only(spark, f"SELECT {calls} FROM numbers") == pytest.approx((95 / 18,) * len(kinds))


def test_exact_numbers_become_doubles_once(spark, flavor):
    table(spark, "exact", [(2**60, Decimal("0.10"))], "big BIGINT, price DECIMAL(10,2)")
    assert only(spark, "SELECT shapley_sum(big, true), shapley_sum(price, true) FROM exact") == (
        float(2**60),
        0.1,
    )


def test_one_tuple(spark, flavor):
    assert only(
        spark,
        """SELECT shapley_avg(y, true), shapley_avg(y, false), shapley_var_samp(y, true),
                  shapley_covar_samp(y, y, true) FROM VALUES (3D) AS t(y)""",
    ) == (3.0, 0.0, 0.0, 0.0)


def test_offset_does_not_cost_digits(spark, flavor):
    table(spark, "far", [(1e12 + i,) for i in range(7)], "y DOUBLE")
    assert only(spark, "SELECT shapley_var_pop(y, true) FROM far") == (4.0,)


# ---- summaries -------------------------------------------------------------------------------


def test_summaries_merge_to_the_same_attribution(spark, flavor, windows):
    (differ,) = only(
        spark,
        """WITH panes AS (
               SELECT i, p, shapley_summary(y) AS s FROM windows GROUP BY i, k % 2, p),
           merged AS (
               SELECT i, shapley_avg(s, p) AS avg, shapley_var_samp(s, p) AS var,
                      shapley_sum(s, p) AS sum, shapley_count(s, p) AS count
               FROM panes GROUP BY i),
           direct AS (
               SELECT i, shapley_avg(y, p) AS avg, shapley_var_samp(y, p) AS var,
                      shapley_sum(y, p) AS sum, shapley_count(y, p) AS count
               FROM windows GROUP BY i)
           SELECT max(abs(m.avg - d.avg) + abs(m.var - d.var) + abs(m.sum - d.sum)
                      + abs(m.count - d.count))
           FROM merged m JOIN direct d USING (i)""",
    )
    assert differ < 1e-10


def test_summary_about_a_given_center(spark, arrow):
    own, given = only(
        spark,
        "SELECT shapley_summary(y), shapley_summary(y, center => 1) FROM VALUES (2D), (4D) AS t(y)",
    )
    assert own.asDict() == {"m": 2, "a": 0.0, "b": 2.0, "center": 3.0}
    assert given.asDict() == {"m": 2, "a": 4.0, "b": 10.0, "center": 1.0}


def test_summary_in_flavor_pandas_is_an_array(spark):
    shapwin.register(spark, flavor="pandas")
    assert only(spark, "SELECT shapley_summary(y) FROM VALUES (2D), (4D) AS t(y)") == (
        [2.0, 0.0, 2.0, 3.0],
    )


def test_a_struct_of_a_pane_table_is_a_summary(spark, flavor):
    panes = [(2, 0.0, 2.0, 3.0, False), (1, 0.0, 0.0, 10.0, True)]
    table(spark, "panes", panes, "m BIGINT, a DOUBLE, b DOUBLE, center DOUBLE, p BOOLEAN")
    phi = only(spark, "SELECT shapley_avg(struct(m, a, b, center), p) FROM panes")
    assert phi == pytest.approx((95 / 18,))


# ---- explain ---------------------------------------------------------------------------------


def test_explain_gives_all_parts(spark, arrow, windows):
    (explained,) = only(spark, "SELECT shapley_explain(y, p, 'avg') FROM windows WHERE i = 0")
    assert explained.asDict() == {
        "statistic": "avg",
        "n": 3,
        "value": pytest.approx(16 / 3),
        "m": 1,
        "phi": pytest.approx(95 / 18),
        "share": pytest.approx(10 / 3),
        "lift": pytest.approx(14 / 9),
        "weight": pytest.approx(1.25),
    }


def test_explain_of_an_empty_frame_is_null(spark, arrow, windows):
    got = spark.sql(
        """SELECT k, shapley_explain(y, p, 'var_pop') OVER
                  (ORDER BY k ROWS BETWEEN 2 PRECEDING AND 1 PRECEDING) AS e
           FROM windows WHERE i = 0"""
    ).collect()
    assert [row["e"] is None for row in got] == [True, False, False]


# ---- wrong calls -----------------------------------------------------------------------------

WRONG_CALLS = {
    "shapley_avg(y, 'EU')": (
        "ArgumentTypeError: shapley_avg: predicate is STRING, not BOOLEAN: "
        "write a condition, such as region = 'EU'"
    ),
    "shapley_avg('abc', true)": (
        "ArgumentTypeError: shapley_avg: value is STRING, not a number: "
        "write double(value) if it holds numbers"
    ),
    "shapley_var(current_timestamp(), true)": (
        "ArgumentTypeError: shapley_var: value is TIMESTAMP, not a number: "
        "write unix_micros(value) / 1e6, its seconds"
    ),
    "shapley_avg(y > 1, true)": (
        "ArgumentTypeError: shapley_avg: value is BOOLEAN, not a number: write int(value)"
    ),
    "shapley_covar_pop(y, 'x', true)": (
        "ArgumentTypeError: shapley_covar_pop: other is STRING, not a number: "
        "write double(other) if it holds numbers"
    ),
    "shapley_avg(struct(1 AS u), true)": (
        "ArgumentTypeError: shapley_avg: value is struct<u:int>: give a number, or a summary as "
        "shapley_summary makes it, struct<m:bigint,a:double,b:double,center:double>"
    ),
    "shapley_avg(y)": ("ArgumentError: shapley_avg takes (value, predicate): predicate is missing"),
    "shapley_avg()": (
        "ArgumentError: shapley_avg takes (value, predicate): value and predicate are missing"
    ),
    "shapley_avg(y, true, 1)": (
        "ArgumentError: shapley_avg takes (value, predicate): 3 arguments are too many"
    ),
    "shapley_avg(y, condition => true)": (
        "ArgumentError: shapley_avg takes (value, predicate): it has no argument 'condition'"
    ),
    "shapley_avg(y, value => 1)": (
        "ArgumentError: shapley_avg takes (value, predicate): value was given twice"
    ),
    "shapley_explain(y, true, 'covar_pop')": (
        "ArgumentError: shapley_explain: 'covar_pop' needs a second column: use shapley_covar_pop"
    ),
    "shapley_explain(y, true, CAST(y AS STRING))": (
        "ArgumentError: shapley_explain: statistic is not one literal value: "
        "write it out, such as 'avg'"
    ),
}


@pytest.mark.parametrize("call", WRONG_CALLS)
def test_wrong_calls_say_how_to_mend_them(spark, arrow, call):
    query = f"SELECT {call} FROM VALUES (1.0D), (2.0D) AS t(y)"
    assert refusal(spark, query) == WRONG_CALLS[call]


def test_explain_in_flavor_pandas_names_the_arrow_flavor(spark):
    shapwin.register(spark, flavor="pandas")
    assert refusal(spark, "SELECT shapley_explain(1, true, 'avg')") == (
        "ArgumentTypeError: shapley_explain returns a struct, which a pandas function cannot: "
        "call shapwin.register(spark, flavor='arrow')"
    )


def test_wrong_flavor(spark):
    with pytest.raises(shapwin.errors.ArgumentError) as caught:
        shapwin.register(spark, flavor="polars")
    assert str(caught.value) == "flavor 'polars' is not available: use 'arrow' or 'pandas'"


def test_registering_names_every_function_and_may_be_repeated(spark):
    names = shapwin.register(spark)
    assert shapwin.register(spark) == names
    shown = {row[0].split(".")[-1] for row in spark.sql("SHOW USER FUNCTIONS").collect()}
    assert set(names) == {name for name in shown if name.startswith("shapley")}
    assert {aggregate.name for aggregate in AGGREGATES} <= set(names)
