"""The Column functions: exact values, windows, types, and what they share with the SQL names."""

from __future__ import annotations

import json
import math
import re
from pathlib import Path

import pytest
from pyspark.sql import Window
from pyspark.sql import functions as F

import shapwin
from shapwin import functions as S
from shapwin.errors import ShapwinError

WINDOWS = json.loads((Path(__file__).parent / "golden" / "exact_windows.json").read_text())
ONE_COLUMN = ("sum", "count", "avg", "var_pop", "var_samp")
TWO_COLUMNS = ("covar_pop", "covar_samp")
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


def test_explain_has_the_type_of_the_sql_function(spark, windows):
    shapwin.register(spark)
    windows.createOrReplaceTempView("windows")
    sql = spark.sql("SELECT shapley_explain(y, p, 'var_samp') AS e FROM windows")
    native = windows.agg(S.shapley_explain("y", "p", "var_samp").alias("e"))
    assert native.schema["e"].dataType.simpleString() == sql.schema["e"].dataType.simpleString()


def test_over_a_window_each_aggregate_is_computed_once(trips):
    window = Window.orderBy("t").rowsBetween(-2, 0)
    column = S.attributions("fare", {"eu": "region = 'EU'"}, ["avg", "var_pop"], window=window)
    got = trips.select(column.alias("why"), S.shapley_avg("fare", "region = 'EU'", window))
    rows = got.orderBy("t").collect()
    assert [row[1] for row in rows] == [2.0, 3.0, pytest.approx(1 / 18), pytest.approx(0.5)]
    assert [row["why"]["eu"]["avg"] for row in rows] == [row[1] for row in rows]
    plan = trips.select(column)._jdf.queryExecution().optimizedPlan().toString()
    assert plan.count("windowspecdefinition") == 6  # count, avg, var_pop of all and of the group


def test_java_compiles_the_closed_form(trips):
    """It interprets methods of more than 8,000 bytes, which takes 20 times as long."""
    window = Window.orderBy("t").rowsBetween(-2, 0)
    eu = {"eu": "region = 'EU'"}
    three = eu | {"us": "region = 'US'", "dear": "fare > 5"}
    both = [f("fare", eu["eu"], window) for f in (S.shapley_avg, S.shapley_var_pop)]
    for columns in (
        both,
        [S.shapley_covar_pop("fare", "fare", eu["eu"], window)],
        [S.shapley_explain("fare", eu["eu"], "var_pop", window)],
        [S.attributions("fare", three, ["sum", "avg", "var_pop"], window)],
    ):
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
        .agg(S.shapley_avg("fare", "region = 'US'").alias("phi"), F.count("*").alias("n"))
        .select("phi", "n")
        .writeStream.format("memory")
        .queryName("explained_stream")
        .outputMode("complete")
        .option("checkpointLocation", str(tmp_path / "checkpoint"))
        .trigger(availableNow=True)
        .start()
    )
    query.awaitTermination(120)
    assert spark.table("explained_stream").first() == (pytest.approx(95 / 18), 3)


def test_every_numeric_type(trips):
    kinds = ["tinyint", "smallint", "int", "bigint", "float", "double", "decimal(10,2)"]
    calls = [S.shapley_avg(F.col("fare").cast(kind), "fare = 10") for kind in kinds]
    assert tuple(trips.agg(*calls).first()) == pytest.approx((95 / 18,) * len(kinds))


def test_a_result_is_named_as_its_call_unless_it_is_given_a_name(trips):
    calls = [
        S.shapley_avg(F.col("fare"), "t = 1"),
        S.shapley_explain("fare", "t = 1", "avg"),
        S.attributions("fare", {"one": "t = 1"}),
        S.shapley_avg("fare", "t = 1").alias("mine"),
    ]
    assert trips.agg(*calls).columns == [
        "shapley_avg(fare, t = 1)",
        "shapley_explain(fare, t = 1, avg)",
        "attributions(fare)",
        "mine",
    ]


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
