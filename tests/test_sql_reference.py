"""The reference page: every function is there, and every example gives what it shows."""

from __future__ import annotations

import re
from pathlib import Path

import pandas as pd
import pytest
from py4j.protocol import Py4JJavaError
from pyspark.errors import PySparkException
from pyspark.sql.pandas.functions import pandas_udf

import shapwin
from shapwin import functions as S

PAGE = (Path(__file__).parents[1] / "sql" / "README.md").read_text("utf-8")
TABLE, *BLOCKS = re.findall(r"```sql\n(.*?)```", PAGE, re.DOTALL)


@pytest.fixture(scope="module")
def names(spark):
    made = shapwin.register(spark)
    spark.sql(TABLE.replace("CREATE", "CREATE OR REPLACE", 1).rstrip().rstrip(";"))
    return made


def test_every_function_is_on_the_page_with_an_example(spark, names):
    shown = {row[0].split(".")[-1] for row in spark.sql("SHOW USER FUNCTIONS").collect()}
    described = re.findall(r"^### (\w+)\(", PAGE, re.MULTILINE)
    assert sorted(described) == sorted(names)
    assert set(names) == {name for name in shown if name.startswith("shapley_")}
    assert len(BLOCKS) == len(names)


@pytest.mark.parametrize("block", BLOCKS, ids=lambda text: re.search(r"shapley_\w+", text)[0])
def test_examples_give_what_they_show(spark, names, block):
    query, _, shown = block.partition(";\n")
    rows = [tuple(row) for row in spark.sql(query).collect()]
    expected = [line.removeprefix("--").split() for line in shown.strip().splitlines()]
    assert len(rows) == len(expected)
    for row, line in zip(rows, expected, strict=True):
        for value, text in zip(row, line, strict=True):
            same = value == text if isinstance(value, str) else pytest.approx(value) == float(text)
            assert same, (row, line)


def test_column_functions_print_what_stands_below_them(spark, names, capsys):
    code, shown = re.search(r"```python\n(.*?)```\n\n```text\n(.*?)```", PAGE, re.DOTALL).groups()
    exec(compile(code, "sql/README.md", "exec"), {"spark": spark})
    printed = capsys.readouterr().out
    assert printed.split() == shown.split()


# ---- what Spark refuses, and what works ------------------------------------------------------

REFUSED = {
    "SELECT shapley_avg(fare, true) FILTER (WHERE id > 1) FROM trips": (
        "SELECT shapley_avg(IF(id > 1, fare, NULL), true) FROM trips",
        [(7.0,)],
    ),
    "SELECT shapley_avg(DISTINCT fare, true) FROM trips": (
        "SELECT shapley_avg(fare, true) FROM (SELECT DISTINCT fare FROM trips)",
        [(16 / 3,)],
    ),
    "SELECT region, max(fare), shapley_avg(fare, id = 1) FROM trips GROUP BY region": (
        """SELECT * FROM (SELECT region, max(fare) FROM trips GROUP BY region)
           JOIN (SELECT region, shapley_avg(fare, id = 1) FROM trips GROUP BY region)
           USING (region) ORDER BY region""",
        [("EU", 4.0, 0.5), ("US", 10.0, 0.0)],
    ),
    "SELECT region, shapley_avg(fare, true) FROM trips GROUP BY region HAVING max(id) > 2": (
        """SELECT region, shapley_avg(fare, id = 1) FROM (
               SELECT *, max(id) OVER (PARTITION BY region) AS last FROM trips)
           WHERE last > 2 GROUP BY region""",
        [("US", 0.0)],
    ),
    "SELECT * FROM trips PIVOT (shapley_avg(fare, true) FOR region IN ('EU', 'US'))": (
        """SELECT shapley_avg(IF(region = 'EU', fare, NULL), id = 1),
                  shapley_avg(IF(region = 'US', fare, NULL), id = 1) FROM trips""",
        [(0.5, 0.0)],
    ),
    "CREATE VIEW explained AS SELECT shapley_avg(fare, true) FROM trips": (
        "CREATE TABLE explained USING parquet AS SELECT shapley_avg(fare, true) AS phi FROM trips",
        [],
    ),
    "CREATE TEMPORARY FUNCTION mine(y DOUBLE, p BOOLEAN) RETURNS DOUBLE RETURN shapley_avg(y, p)": (
        "SELECT shapley_avg(fare, id = 3) FROM trips",
        [(95 / 18,)],
    ),
}


@pytest.mark.parametrize("refused", REFUSED)
def test_what_spark_refuses_and_what_works(spark, names, refused):
    with pytest.raises(PySparkException):
        spark.sql(refused).collect()
    query, expected = REFUSED[refused]
    rows = [tuple(row) for row in spark.sql(query).collect()]
    assert rows == [pytest.approx(row) if len(row) == 1 else row for row in expected]
    spark.sql("DROP TABLE IF EXISTS explained")


def test_a_pandas_aggregate_of_the_users_own(spark, names):
    def mean(values: pd.Series) -> float:
        return values.mean()

    mean.__annotations__ = {"values": pd.Series, "return": float}
    spark.udf.register("pandas_mean", pandas_udf(mean, "double"))
    both = "SELECT pandas_mean(fare), shapley_avg(fare, id = 3) FROM trips"
    with pytest.raises(Py4JJavaError, match="INTERNAL_ERROR"):
        spark.sql(both).collect()
    apart = """SELECT mean, phi
               FROM (SELECT true AS all, pandas_mean(fare) AS mean FROM trips GROUP BY 1)
               JOIN (SELECT true AS all, shapley_avg(fare, id = 3) AS phi FROM trips GROUP BY 1)
               USING (all)"""
    shapwin.register(spark, flavor="pandas")
    one_flavor = spark.sql(both).first()
    shapwin.register(spark)
    for row in (one_flavor, spark.sql(apart).first()):
        assert tuple(row) == pytest.approx((16 / 3, 95 / 18))


def test_aggregates_of_a_whole_table_twice_in_a_query(spark, names):
    """Spark 4.3 merges such subqueries, and fails on any Python aggregate in them."""
    rule = "org.apache.spark.sql.execution.planmerging.MergeSubplans"
    calls = [f"shapley_avg(fare, id = {i})" for i in (1, 3)]
    twice = " UNION ALL ".join(f"SELECT {call} FROM trips" for call in calls)
    right = [pytest.approx(-13 / 18), pytest.approx(95 / 18)]
    with pytest.raises(Py4JJavaError, match="UnevaluableAggregateFunc"):
        spark.sql(twice).collect()
    assert list(spark.sql(f"SELECT {', '.join(calls)} FROM trips").first()) == right
    spark.conf.set("spark.sql.optimizer.excludedRules", rule)
    try:
        assert [row[0] for row in spark.sql(twice).collect()] == right
    finally:
        spark.conf.unset("spark.sql.optimizer.excludedRules")


def test_a_stream_refuses_the_aggregates_and_takes_the_column_functions(spark, names, tmp_path):
    spark.table("trips").write.parquet(str(tmp_path / "in"))
    stream = spark.readStream.schema(spark.table("trips").schema).parquet(str(tmp_path / "in"))
    stream.createOrReplaceTempView("arriving")
    for refused in (
        "SELECT shapley_avg(fare, id = 3) OVER (ORDER BY id) AS phi FROM arriving",
        "SELECT shapley_avg(fare, id = 3) AS phi FROM arriving",
    ):
        with pytest.raises(PySparkException):
            start(spark.sql(refused), tmp_path / "refused").awaitTermination(60)
    start(stream.agg(S.shapley_avg("fare", "id = 3")), tmp_path / "taken").awaitTermination(60)
    assert spark.table("taken").first() == (pytest.approx(95 / 18),)


def start(frame, checkpoint):
    writer = frame.writeStream.format("memory").queryName(checkpoint.name).outputMode("complete")
    return writer.option("checkpointLocation", checkpoint).trigger(availableNow=True).start()


# ---- results compose -------------------------------------------------------------------------

# Φ of the second view: 2, 3 and 0.5 for the trips 1, 2 and 3.
WHY = """SELECT id, region, shapley_avg(fare, region = 'EU') OVER w AS phi
         FROM trips WINDOW w AS (ORDER BY id ROWS BETWEEN 1 PRECEDING AND CURRENT ROW)"""

COMPOSED = {
    "a view": "SELECT id, phi FROM why",
    "a common table expression": f"WITH w AS ({WHY}) SELECT id, phi FROM w",
    "a subquery": f"SELECT id, phi FROM ({WHY})",
    "a view of a view": "TABLE strong UNION ALL SELECT id, phi FROM why WHERE phi < 1",
    "a join": "SELECT id, phi FROM why JOIN trips USING (id) WHERE fare > 0",
    "a lateral join": f"SELECT t.id, w.phi FROM trips t, LATERAL ({WHY}) w WHERE w.id = t.id",
    "a correlated subquery": (
        "SELECT id, (SELECT max(phi) FROM why WHERE why.id = t.id) FROM trips t"
    ),
    "a table made of it": "SELECT id, phi FROM kept",
    "windows over it": "SELECT id, max(phi) OVER (PARTITION BY id) FROM why",
    "other functions around it": """SELECT id, abs(shapley_avg(fare, region = 'EU') OVER w) + 0
        FROM trips WINDOW w AS (ORDER BY id ROWS BETWEEN 1 PRECEDING AND CURRENT ROW)""",
}


@pytest.fixture(scope="module")
def views(spark, names):
    spark.sql(f"CREATE OR REPLACE TEMPORARY VIEW why AS {WHY}")
    spark.sql("CREATE OR REPLACE TEMPORARY VIEW strong AS SELECT id, phi FROM why WHERE phi > 1")
    spark.sql("CREATE TABLE kept USING parquet AS SELECT * FROM why")
    yield
    spark.sql("DROP TABLE kept")


@pytest.mark.parametrize("how", COMPOSED)
def test_results_compose(spark, views, how):
    got = spark.sql(f"SELECT * FROM ({COMPOSED[how]}) AS t(id, phi) ORDER BY phi DESC").collect()
    assert [tuple(row) for row in got] == [(2, 3.0), (1, 2.0), (3, 0.5)]


def test_a_sort_by_phi_and_a_group_of_groups(spark, names):
    got = spark.sql(
        """SELECT sum(phi) FROM (
               SELECT shapley_avg(fare, region = 'EU') AS phi FROM trips GROUP BY id % 2
               ORDER BY shapley_avg(fare, region = 'EU') DESC LIMIT 1)"""
    ).first()
    assert got == (4.0,)
