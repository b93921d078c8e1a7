"""The Column functions: exact values, windows, types, and what they share with the SQL names."""

from __future__ import annotations

import json
import math
import re
from pathlib import Path

import numpy as np
import pytest
from pyspark.sql import Window
from pyspark.sql import functions as F

import shapwin
from shapwin import Summary, closed_form, tuple_values
from shapwin import functions as S
from shapwin.errors import ShapwinError

WINDOWS = json.loads((Path(__file__).parent / "golden" / "exact_windows.json").read_text())
ONE_COLUMN = ("sum", "count", "avg", "var_pop", "var_samp")
TWO_COLUMNS = ("covar_pop", "covar_samp")
MOMENTS = {q: f"central_moment({q})" for q in (2, 3, 4)}
# Spark's own avg and var_pop are this good (2.5e-10 is met by epoch seconds).
SPARKS_OWN = 1e-9


@pytest.fixture(scope="module")
def windows(spark):
    rows = [
        (i, k, w["values"][k], w["pair"][k], w["member"][k])
        for i, w in enumerate(WINDOWS)
        for k in range(len(w["values"]))
    ]
    return spark.createDataFrame(rows, "i INT, k INT, y DOUBLE, x DOUBLE, p BOOLEAN").cache()


@pytest.fixture(scope="module")
def trips(spark):
    rows = [(1, "EU", 2.0), (2, "EU", 4.0), (3, "US", 10.0), (4, None, None)]
    return spark.createDataFrame(rows, "t INT, region STRING, fare DOUBLE")


def test_explanations_and_several_at_once(windows):
    names = [*ONE_COLUMN, *TWO_COLUMNS]
    one = [S.shapley_explain("y", "p", name, other="x").alias(name) for name in names]
    several = S.attributions("y", {"p": "p", "it's not": "NOT p"}, names, other="x").alias("both")
    for row in windows.groupBy("i").agg(*one, several).collect():
        exact = WINDOWS[row["i"]]
        for name in names:
            nu = exact["nu"][name]
            assert row[name]["statistic"] == name
            assert row[name]["value"] == pytest.approx(nu, rel=SPARKS_OWN)
            assert row[name]["phi"] == pytest.approx(exact["phi"][name], rel=SPARKS_OWN)
            assert row[name]["n"] == len(exact["values"])
            both = row["both"]
            assert both["p"][name] == row[name]["phi"]
            scale = max(abs(nu), abs(both["p"][name]))
            assert both["p"][name] + both["it's not"][name] == pytest.approx(nu, abs=1e-9 * scale)


def test_central_moments_of_enumerated_windows(windows, dialect):
    """All 2^N coalitions in rationals say what is right, by `tests/golden`."""
    one = [S.shapley_central_moment("y", "p", q).alias(f"central{q}") for q in (3, 4)]
    told = [S.shapley_explain("y", "p", MOMENTS[q]).alias(f"told{q}") for q in (3, 4)]
    several = S.attributions("y", {"p": "p", "others": "NOT p"}, [MOMENTS[3], MOMENTS[4]])
    for row in windows.groupBy("i").agg(*one, *told, several.alias("both")).collect():
        for q in (3, 4):
            nu, phi, tuple_phi = (
                WINDOWS[row["i"]][part][f"central{q}"] for part in ("nu", "phi", "tuple_phi")
            )
            bar = SPARKS_OWN * max(abs(nu), *map(abs, tuple_phi))
            both, explained = row["both"], row[f"told{q}"]
            assert row[f"central{q}"] == pytest.approx(phi, rel=0, abs=bar)
            assert explained["value"] == pytest.approx(nu, rel=0, abs=bar)
            assert explained["phi"] == both["p"][MOMENTS[q]] == row[f"central{q}"]
            assert explained["weight"] is None
            added_up = both["p"][MOMENTS[q]] + both["others"][MOMENTS[q]]
            assert added_up == pytest.approx(nu, rel=0, abs=bar)


# The largest errors found, of Φ and of its sum over a partition, were 1e-15 about a center and of
# small values, and without one, at a million times the spread, 2e-9 and 7e-9 for order 3 (where
# Spark's own skewness is off by as much) and 1e-10 for 2 and 4.
@pytest.mark.parametrize(
    ("level", "center", "bars"),
    [
        (0.0, None, (1e-14, 1e-14, 1e-14)),
        (1e6, 1e6, (1e-14, 1e-14, 1e-14)),
        (1e6, None, (1e-9, 1e-8, 1e-9)),
    ],
)
def test_central_moments_of_large_windows(spark, level, center, bars):
    sizes = (3, 4, 5, 6, 9, 63, 64, 100, 5000)
    random = np.random.default_rng(1)
    y = {n: random.normal(size=n) + level for n in sizes}
    p = {n: random.random(n) < 0.4 for n in sizes}
    rows = [(n, float(v), bool(m)) for n in sizes for v, m in zip(y[n], p[n], strict=True)]
    calls = [
        column.alias(f"{name}{q}")
        for q in MOMENTS
        for name, column in {
            "p": S.shapley_central_moment("y", "p", q, center=center),
            "others": S.shapley_central_moment("y", "NOT p", q, center=center),
        }.items()
    ]
    frame = spark.createDataFrame(rows, "n INT, y DOUBLE, p BOOLEAN")
    for row in frame.groupBy("n").agg(*calls).collect():
        values, member = y[row["n"]] - level, p[row["n"]]  # the difference is exact
        for q, bar in zip(MOMENTS, bars, strict=True):
            total, part = (Summary.of(v, order=q) for v in (values, values[member]))
            right = closed_form(MOMENTS[q], total, part)
            scale = max(abs(right.value), *np.abs(tuple_values(MOMENTS[q], values)))
            assert abs(row[f"p{q}"] - right.phi) <= bar * scale, (row["n"], q)
            assert abs(row[f"p{q}"] + row[f"others{q}"] - right.value) <= bar * scale, (row["n"], q)


ODD = {
    "NULL": [(None, True), (1.0, True), (3.0, None), (7.0, False), (None, None)],
    "only NULL": [(None, True), (None, False)],
    "no members": [(1.0, False), (2.0, None)],
    "NaN, no members": [(math.nan, False), (1.0, False)],
    "NaN": [(math.nan, False), (1.0, True), (2.0, True), (5.0, False), (6.0, True)],
    "Inf": [(math.inf, False), (1.0, True), (2.0, True), (5.0, False), (6.0, True)],
    "-Inf of a member": [(-math.inf, True), (1.0, True), (2.0, False)],
    "one": [(7.5, True)],
    "one NaN": [(math.nan, True)],
    "one Inf": [(math.inf, True)],
    "equal": [(0.1, k % 3 == 0) for k in range(20)],
    "two": [(0.3, True), (0.1, False)],
}


def test_central_moments_of_odd_values_are_those_of_the_sql_functions(spark, dialect):
    shapwin.register(spark)
    rows = [(name, *row) for name, window in ODD.items() for row in window]
    frame = spark.createDataFrame(rows, "name STRING, y DOUBLE, p BOOLEAN")
    frame.createOrReplaceTempView("odd")
    for statistic in MOMENTS.values():
        native = frame.groupBy("name").agg(S.shapley_explain("y", "p", statistic).alias("e"))
        sql = spark.sql(f"SELECT name, shapley_explain(y, p, '{statistic}') e FROM odd GROUP BY 1")
        right = {row["name"]: row["e"] for row in sql.collect()}
        for name, got in native.collect():
            if right[name] is None:
                assert got is None
                continue
            expected = right[name].asDict()
            if math.isnan(expected["value"]) and expected["m"]:
                # No value deviates from a mean that is not finite, so neither does a share.
                expected |= dict(share=math.nan, lift=math.nan)
            for part, number in expected.items():
                same = got[part] == number
                assert same or got[part] == pytest.approx(number, nan_ok=True), (name, part, got)
            if name in ("equal", "one"):
                assert got["value"] == got["phi"] == got["share"] == got["lift"] == 0


def test_central_moments_over_windows_beside_other_aggregates(spark, trips):
    shapwin.register(spark)
    trips.createOrReplaceTempView("trips_of_moments")
    frame = "ORDER BY t ROWS BETWEEN 2 PRECEDING AND CURRENT ROW"
    window = Window.orderBy("t").rowsBetween(-2, 0)
    for q in MOMENTS:
        native = S.shapley_central_moment("fare", "region = 'EU'", q, window)
        got = trips.select("t", native, F.max("fare").over(window)).orderBy("t", "fare").collect()
        sql = spark.sql(
            f"SELECT t, shapley_central_moment(fare, region = 'EU', {q}) OVER ({frame}) AS phi "
            "FROM trips_of_moments ORDER BY t, fare"
        )
        assert [row[1] for row in got] == pytest.approx([row["phi"] for row in sql.collect()])


def test_a_third_moment_that_spark_loses_is_nan_and_not_0(spark):
    """Its skewness divides by the root of (Σ(y−ȳ)²)³, which is infinite here."""
    frame = spark.createDataFrame([(1e60,), (2e60,), (4e60,)], "y DOUBLE")
    assert math.isnan(frame.agg(S.shapley_central_moment("y", "y < 3e60", 3)).first()[0])


def test_explain_has_the_type_of_the_sql_function(spark, windows):
    shapwin.register(spark)
    windows.createOrReplaceTempView("windows")
    for name in ("var_samp", "central_moment(3)"):
        sql = spark.sql(f"SELECT shapley_explain(y, p, '{name}') AS e FROM windows")
        native = windows.agg(S.shapley_explain("y", "p", name).alias("e"))
        kinds = [frame.schema["e"].dataType.simpleString() for frame in (native, sql)]
        assert kinds[0] == kinds[1]


def test_over_a_window_each_aggregate_is_computed_once(trips):
    window = Window.orderBy("t").rowsBetween(-2, 0)
    column = S.attributions("fare", {"eu": "region = 'EU'"}, ["avg", "var_pop"], window=window)
    got = trips.select(column.alias("why"), S.shapley_avg("fare", "region = 'EU'", window))
    rows = got.orderBy("t").collect()
    assert [row[1] for row in rows] == [2.0, 3.0, pytest.approx(1 / 18), pytest.approx(0.5)]
    assert [row["why"]["eu"]["avg"] for row in rows] == [row[1] for row in rows]
    plan = trips.select(column)._jdf.queryExecution().optimizedPlan().toString()
    assert plan.count("windowspecdefinition") == 6  # count, sum, var_pop of all and of the group


@pytest.mark.parametrize("length", [3, 99])
def test_java_compiles_the_closed_form(trips, length):
    """It interprets methods of more than 8,000 bytes, which takes 20 times as long."""
    window = Window.orderBy("t").rowsBetween(1 - length, 0)
    eu = {"eu": "region = 'EU'"}
    three = eu | {"us": "region = 'US'", "dear": "fare > 5"}
    both = [f("fare", eu["eu"], window) for f in (S.shapley_avg, S.shapley_var_pop)]
    several = [
        both,
        [S.shapley_covar_pop("fare", "fare", eu["eu"], window)],
        [S.shapley_explain("fare", eu["eu"], "var_pop", window)],
        [S.attributions("fare", three, ["sum", "avg", "var_pop"], window)],
    ]
    if length == 3:  # Spark has no parts of moments above the second that could be merged
        several += [
            *([S.shapley_central_moment("fare", eu["eu"], q, window)] for q in MOMENTS),
            *([S.shapley_explain("fare", eu["eu"], name, window)] for name in MOMENTS.values()),
            [S.attributions("fare", three, ["avg", "central_moment(3)"], window)],
        ]
    for columns in several:
        plan = trips.select(*columns)._jdf.queryExecution()
        codegen = trips.sparkSession._jvm.org.apache.spark.sql.execution.ExplainMode.fromString
        found = re.findall(r"maxMethodCodeSize:(\d+)", plan.explainString(codegen("codegen")))
        assert 0 < max(map(int, found)) <= 8000


def test_a_center_for_values_far_from_zero(spark):
    frame = spark.createDataFrame([(1e12 + i, i % 2 == 0) for i in range(7)], "y DOUBLE, p BOOLEAN")
    phi = frame.agg(
        S.shapley_var_pop("y", "true", center=1e12), S.shapley_avg("y", "true", center=1e12)
    ).first()
    assert phi == (4.0, 1e12 + 3)


def test_a_center_is_in_no_sum_and_in_no_value(trips):
    """It says what deviations are taken of, and leaves every statistic what it is."""
    eu = {"eu": "region = 'EU'"}
    asked = [
        [S.attributions("fare", eu, ONE_COLUMN, center=center)]
        + [S.shapley_explain("fare", eu["eu"], name, center=center) for name in ONE_COLUMN]
        + [S.shapley_sum("fare", eu["eu"], center=center)]
        for center in (None, 7.0)
    ]
    plain, centered = (json.dumps(trips.agg(*columns).first(), default=float) for columns in asked)
    flat = [re.findall(r"-?\d+\.?\d*(?:e-?\d+)?", text) for text in (plain, centered)]
    assert [float(x) for x in flat[1]] == pytest.approx([float(x) for x in flat[0]])


def test_nulls_and_empty_windows(trips):
    got = trips.agg(
        S.shapley_count("fare", "region = 'EU'"),
        S.shapley_avg("fare", F.lit(None)),
        S.shapley_covar_pop("fare", F.lit(None), "true"),
        S.shapley_sum(F.lit(None), "true"),
        S.shapley_explain(F.lit(None), "true", "avg"),
    ).first()
    assert tuple(got) == (2.0, 0.0, None, None, None)


def test_one_row(trips):
    one = trips.where("t = 1")
    calls = [S.shapley_var_samp("fare", "true"), S.shapley_covar_samp("fare", "t", "true")]
    assert tuple(one.agg(*calls, S.shapley_avg("fare", "true")).first()) == (0.0, 0.0, 2.0)


def test_on_a_stream(spark, tmp_path, trips):
    trips.where("t < 4").write.parquet(str(tmp_path / "in"))
    stream = spark.readStream.schema(trips.schema).parquet(str(tmp_path / "in"))
    query = (
        stream.groupBy(F.window(F.timestamp_seconds("t"), "1 hour"))
        .agg(
            S.shapley_avg("fare", "region = 'US'").alias("phi"),
            S.shapley_central_moment("fare", "region = 'US'", 3).alias("third"),
            F.count("*").alias("n"),
        )
        .select("phi", "third", "n")
        .writeStream.format("memory")
        .queryName("explained_stream")
        .outputMode("complete")
        .option("checkpointLocation", str(tmp_path / "checkpoint"))
        .trigger(availableNow=True)
        .start()
    )
    query.awaitTermination(120)
    expected = (pytest.approx(95 / 18), pytest.approx(560 / 27), 3)
    assert spark.table("explained_stream").first() == expected


def test_every_numeric_type(trips):
    kinds = ["tinyint", "smallint", "int", "bigint", "float", "double", "decimal(10,2)"]
    calls = [S.shapley_avg(F.col("fare").cast(kind), "fare = 10") for kind in kinds]
    assert tuple(trips.agg(*calls).first()) == pytest.approx((95 / 18,) * len(kinds))


def test_a_result_is_named_as_its_call_unless_it_is_given_a_name(trips):
    calls = [
        S.shapley_avg(F.col("fare"), "t = 1"),
        S.shapley_explain("fare", "t = 1", "avg"),
        S.shapley_central_moment("fare", "t = 1", 3),
        S.attributions("fare", {"one": "t = 1"}),
        S.shapley_avg("fare", "t = 1").alias("mine"),
    ]
    assert trips.agg(*calls).columns == [
        "shapley_avg(fare, t = 1)",
        "shapley_explain(fare, t = 1, avg)",
        "shapley_central_moment(fare, t = 1, 3)",
        "attributions(fare)",
        "mine",
    ]


def test_two_centers_keep_the_digits_of_a_covariance(spark):
    y, x = [1e12 + k / 7 for k in range(6)], [1e12 + (k * k % 5) / 3 for k in range(6)]
    rows = spark.createDataFrame(zip(y, x, strict=True), "y double, x double").coalesce(1)
    (found,) = rows.agg(S.shapley_covar_pop("y", "x", f"y > {y[2]!r}", center=(1e12, 1e12))).head()
    expected = closed_form("covar_pop", Summary.of(y, x), Summary.of(y[3:], x[3:])).phi
    assert found == pytest.approx(expected, rel=1e-12)


def test_fields_of_attributions_have_the_names_that_were_asked_for(spark):
    rows = spark.range(4).selectExpr("double(id) v", "id > 2 p")
    both = S.attributions("v", {"p": "p"}, ["var", "var_pop", "avg"]).alias("x")
    found = rows.agg(both).select("x.p.*")
    assert found.columns == ["var", "var_pop", "avg"]
    assert found.head()["var"] == found.head()["var_pop"] > 0


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: S.shapley_avg("v", "b", center=math.nan), "center is nan: give a finite number"),
        (lambda: S.shapley_avg("v", "b", center=math.inf), "center is inf: give a finite number"),
        (lambda: S.attributions("v", ["b"]), r"predicates is \['b'\]: give a dict"),
        (lambda: S.attributions("v", {}), "predicates is empty: give at least one"),
        (lambda: S.attributions("v", {1: "b"}), "predicates has 1: give names as strings"),
        (lambda: S.attributions("v", {"b": "b", "B": "b"}), "'b' and 'B'"),
        (lambda: S.attributions("v", {"b": "b"}, None), "statistics=None: give a name"),
    ],
)
def test_what_no_column_function_can_work_with_is_refused_at_once(spark, call, message):
    with pytest.raises(ShapwinError, match=message):
        call()
