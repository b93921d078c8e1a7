"""The SQL aggregates, both flavors, against exact values and against the core."""

from __future__ import annotations

import json
import math
from decimal import Decimal
from pathlib import Path

import numpy as np
import pytest

import shapwin

WINDOWS = json.loads((Path(__file__).parent / "golden" / "exact_windows.json").read_text())


@pytest.fixture(scope="module", params=["arrow", "pandas"])
def flavor(spark, request):
    shapwin.register(spark, flavor=request.param)
    return request.param


# Pandas functions return no structs.
ARROW = pytest.mark.parametrize("flavor", ["arrow"], indirect=True)
PANDAS = pytest.mark.parametrize("flavor", ["pandas"], indirect=True)


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


# ---- exact values ----------------------------------------------------------------------------


FRAMES = [
    "ROWS BETWEEN 3 PRECEDING AND CURRENT ROW",
    "ROWS BETWEEN 1 FOLLOWING AND 2 FOLLOWING",
    "ROWS BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW",
    "ROWS BETWEEN CURRENT ROW AND UNBOUNDED FOLLOWING",
    "ROWS BETWEEN UNBOUNDED PRECEDING AND UNBOUNDED FOLLOWING",
    "RANGE BETWEEN 2 PRECEDING AND 1 FOLLOWING",
]


def test_frames_agree_with_the_core(spark, flavor):
    rng = np.random.default_rng(7)
    rows = [
        (key, int(rng.integers(15)), float(rng.normal(1e6, 1)), bool(rng.random() < 0.4))
        for key in range(3)
        for _ in range(20)
    ]
    table(spark, "frames", rows, "key INT, t INT, y DOUBLE, p BOOLEAN")
    calls = ("shapley_avg(y, p)", "shapley_var_pop(y, p)", "collect_list(struct(y, p))")
    columns = [f"{call} OVER w{k}" for k in range(len(FRAMES)) for call in calls]
    windows = [f"w{k} AS (PARTITION BY key ORDER BY t {f})" for k, f in enumerate(FRAMES)]
    query = f"SELECT {', '.join(columns)} FROM frames WINDOW {', '.join(windows)}"
    answers = [row[i : i + 3] for row in spark.sql(query).collect() for i in range(0, len(row), 3)]
    assert len(answers) == 60 * len(FRAMES)
    for avg, var_pop, members in answers:
        y, p = (np.array([m[i] for m in members]) for i in (0, 1))
        if y.size == 0:
            assert avg is var_pop is None
            continue
        total, part = shapwin.Summary.of(y), shapwin.Summary.of(y[p])
        for statistic, phi in (("avg", avg), ("var_pop", var_pop)):
            exact = shapwin.closed_form(statistic, total, part)
            scale = max(abs(exact.value), abs(exact.phi))
            assert phi == pytest.approx(exact.phi, abs=1e-12 * scale)


def test_peers_of_the_default_frame_get_equal_phi(spark, flavor):
    table(spark, "peers", [(1, 2.0), (2, 4.0), (2, 10.0), (3, 1.0)], "t INT, y DOUBLE")
    got = spark.sql("SELECT t, shapley_avg(y, y > 5) OVER (ORDER BY t) AS phi FROM peers")
    phi = [row["phi"] for row in got.orderBy("t").collect()]
    assert phi[:3] == [0.0, pytest.approx(95 / 18), pytest.approx(95 / 18)]


def test_named_arguments(spark, flavor, windows):
    phi = only(
        spark,
        """SELECT shapley_avg(PREDICATE => p, value => y), shapley_avg(y, predicate => p),
                  shapley_covar_pop(predicate => p, other => x, value => y)
           FROM windows WHERE i = 0""",
    )
    exact = WINDOWS[0]["phi"]
    assert phi == pytest.approx((exact["avg"], exact["avg"], exact["covar_pop"]))


# ---- odd input -------------------------------------------------------------------------------


def test_sums_of_whole_numbers_are_whole(spark, flavor):
    spark.range(3000).selectExpr("id % 300 g", "hash(id) % 100 v").createOrReplaceTempView("whole")
    found = spark.sql("SELECT g, shapley_sum(v, v % 3 = 0) FROM whole GROUP BY g")
    own = spark.sql("SELECT g, double(sum(if(v % 3 = 0, v, 0))) FROM whole GROUP BY g")
    assert found.count() == 300
    assert found.exceptAll(own).count() == 0


@pytest.mark.parametrize("frame", ["ROWS 1 PRECEDING", "ROWS 49 PRECEDING", "RANGE 9 PRECEDING"])
def test_a_sum_beside_a_giant_is_that_of_its_members(spark, flavor, frame):
    spark.sql(
        """SELECT id, id % 3 > 0 AS p,
                  IF(id % 3 = 0 AND id % 40 = 7, 1e17D * pow(10, id % 200), id % 9) AS v
           FROM range(700)"""
    ).createOrReplaceTempView("giants")
    found = spark.sql(
        f"""SELECT shapley_sum(v, p) OVER w AS phi, sum(IF(p, v, 0D)) OVER w AS own
            FROM giants WINDOW w AS (ORDER BY id {frame})"""
    )
    assert found.where("own > 1").count() > 500
    assert found.where("phi <> own OR phi IS NULL").count() == 0


def test_null_values_are_no_players_and_null_predicates_no_members(spark, flavor):
    rows = [(2.0, True), (4.0, None), (None, True), (10.0, False)]
    table(spark, "nulls", rows, "y DOUBLE, p BOOLEAN")
    count, mean, none = only(
        spark,
        """SELECT shapley_count(y, p), shapley_avg(y, p), shapley_avg(y, predicate => NULL)
           FROM nulls""",
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


@ARROW
def test_summary_about_a_given_center(spark, flavor):
    own, given = only(
        spark,
        "SELECT shapley_summary(y), shapley_summary(y, center => 1) FROM VALUES (2D), (4D) AS t(y)",
    )
    assert own.asDict() == {"m": 2, "a": 0.0, "b": 2.0, "center": 3.0}
    assert given.asDict() == {"m": 2, "a": 4.0, "b": 10.0, "center": 1.0}


@PANDAS
def test_summary_in_flavor_pandas_is_an_array(spark, flavor):
    assert only(spark, "SELECT shapley_summary(y) FROM VALUES (2D), (4D) AS t(y)") == (
        [2.0, 0.0, 2.0, 3.0],
    )


def test_a_struct_of_a_pane_table_is_a_summary(spark, flavor):
    panes = [(2, 0.0, 2.0, 3.0, False), (1, 0.0, 0.0, 10.0, True)]
    table(spark, "panes", panes, "m BIGINT, a DOUBLE, b DOUBLE, center DOUBLE, p BOOLEAN")
    phi = only(spark, "SELECT shapley_avg(struct(m, a, b, center), p) FROM panes")
    assert phi == pytest.approx((95 / 18,))


# ---- explain ---------------------------------------------------------------------------------


@ARROW
def test_explain_gives_all_parts(spark, flavor, windows):
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


@ARROW
def test_explain_of_an_empty_frame_is_null(spark, flavor, windows):
    got = spark.sql(
        """SELECT k, shapley_explain(y, p, 'var_pop') OVER
                  (ORDER BY k ROWS BETWEEN 2 PRECEDING AND 1 PRECEDING) AS e
           FROM windows WHERE i = 0"""
    ).collect()
    assert [row["e"] is None for row in got] == [True, False, False]
