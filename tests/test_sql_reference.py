"""The reference page: every function is there, and every example gives what it shows."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from pyspark.errors import AnalysisException, PySparkException

import shapwin

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


REFUSED = {
    "SELECT shapley_avg(fare, true) FILTER (WHERE id > 1) FROM trips": (
        "SELECT shapley_avg(IF(id > 1, fare, NULL), true) FROM trips"
    ),
    "SELECT shapley_avg(DISTINCT fare, true) FROM trips": (
        "SELECT shapley_avg(fare, true) FROM (SELECT DISTINCT fare FROM trips)"
    ),
    "SELECT region, avg(fare), shapley_avg(fare, id = 1) FROM trips GROUP BY region": (
        """SELECT * FROM (SELECT region, avg(fare) FROM trips GROUP BY region)
           JOIN (SELECT region, shapley_avg(fare, id = 1) FROM trips GROUP BY region)
           USING (region)"""
    ),
    "CREATE VIEW explained AS SELECT shapley_avg(fare, true) FROM trips": (
        "CREATE OR REPLACE TEMPORARY VIEW explained AS SELECT shapley_avg(fare, true) FROM trips"
    ),
}


@pytest.mark.parametrize("refused", REFUSED)
def test_what_spark_refuses_and_what_works(spark, names, refused):
    with pytest.raises(PySparkException):
        spark.sql(refused).collect()
    spark.sql(REFUSED[refused]).collect()


def test_a_stream_refuses_the_aggregate_over_a_window(spark, names):
    stream = spark.readStream.format("rate").load().createOrReplaceTempView("ticks")
    assert stream is None
    query = spark.sql("SELECT shapley_avg(value, true) OVER (ORDER BY timestamp) AS x FROM ticks")
    with pytest.raises(AnalysisException):
        query.writeStream.format("memory").queryName("never").start()


def test_results_compose(spark, names):
    spark.sql(
        """CREATE OR REPLACE TEMPORARY VIEW why AS
           SELECT id, region, shapley_avg(fare, region = 'EU') OVER w AS phi
           FROM trips WINDOW w AS (ORDER BY id ROWS BETWEEN 1 PRECEDING AND CURRENT ROW)"""
    )
    rows = spark.sql(
        """WITH joined AS (SELECT w.*, t.fare FROM why w JOIN trips t USING (id) WHERE phi > 0)
           SELECT id FROM joined ORDER BY phi DESC"""
    ).collect()
    assert [row["id"] for row in rows] == [2, 1, 3]
    spark.sql("CREATE TABLE kept_why USING parquet AS SELECT * FROM why")
    assert spark.table("kept_why").count() == 3
    spark.sql("DROP TABLE kept_why")
