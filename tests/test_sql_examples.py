"""The example files run, and say the same as the pipeline and as the UDAFs on the rows."""

from __future__ import annotations

from pathlib import Path

import pytest

import shapwin

EXAMPLES = Path(__file__).parents[1] / "sql" / "examples"
FILES = sorted(file.name for file in EXAMPLES.glob("*.sql"))


def statements(path):
    """The statements of a file; the examples have no semicolon elsewhere."""
    lines = (line.partition("--")[0] for line in path.read_text("utf-8").splitlines())
    return [text for text in "\n".join(lines).split(";") if text.strip()]


def shown(result):
    """A result as the comment at the end of a file shows it: columns of one width each."""
    rows = [result.columns, *(map(str, row) for row in result.collect())]
    columns = [[str(cell) for cell in column] for column in zip(*rows, strict=True)]
    padded = [[cell.ljust(max(map(len, column))) for cell in column] for column in columns]
    return "".join(f"-- {'  '.join(row).rstrip()}\n" for row in zip(*padded, strict=True))


@pytest.mark.parametrize("name", FILES)
def test_each_file_ends_with_what_it_gives(spark, name):
    shapwin.register(spark)
    *views, query = statements(EXAMPLES / name)
    for view in views:
        spark.sql(view)
    assert (EXAMPLES / name).read_text("utf-8").endswith(";\n\n" + shown(spark.sql(query)))


@pytest.fixture(scope="module")
def panes(spark):
    shapwin.register(spark)
    *views, query = statements(EXAMPLES / "panes.sql")
    for view in views:
        spark.sql(view)
    return spark.sql(query).collect()


def test_panes_shows_three_hours_of_each_city(panes):
    assert [row["city"] for row in panes] == ["Oslo"] * 3 + ["Seoul"] * 3
    assert all(row["avg_airport"] > 0 for row in panes)


def test_panes_agree_with_explain(spark, panes):
    shapwin.explain(
        spark.table("trips"),
        value="fare",
        time="pickup",
        window="1 hour",
        every="5 minutes",
        by="city",
        predicates={"airport": "airport", "card": "card"},
        queries={"airport": "airport", "cash": "airport AND NOT card"},
        statistics=("avg", "var_pop"),
    ).createOrReplaceTempView("long")
    compared, differ = spark.sql(
        """SELECT count(*), max(greatest(
                      abs(e.avg_airport - l.airport) / abs(avg_fare),
                      abs(e.avg_airport_cash - l.cash) / abs(avg_fare),
                      abs(e.var_airport - l.var_airport) / abs(l.var)))
           FROM explained e JOIN (
               SELECT city, window_end,
                      any_value(value) FILTER (WHERE statistic = 'var_pop') AS var,
                      any_value(phi) FILTER (WHERE statistic = 'avg' AND predicate = 'airport')
                          AS airport,
                      any_value(phi) FILTER (WHERE statistic = 'avg' AND predicate = 'cash')
                          AS cash,
                      any_value(phi) FILTER (WHERE statistic = 'var_pop' AND predicate = 'airport')
                          AS var_airport
               FROM long GROUP BY city, window_end) l USING (city, window_end)"""
    ).first()
    assert compared == spark.table("explained").count() > 500
    assert differ < 1e-9


def test_panes_agree_with_the_aggregates_on_the_rows(spark, panes):
    compared, differ = spark.sql(
        """SELECT count(*), max(abs(phi - avg_airport) / avg_fare)
           FROM explained JOIN (
               SELECT city, w.end AS window_end, shapley_avg(fare, airport) AS phi
               FROM (SELECT *, explode(transform(sequence(0, 11), k -> named_struct(
                         'end', window_time(window) + make_interval(0, 0, 0, 0, 0, 5 * k)
                                + INTERVAL 1 MICROSECOND))) AS w
                     FROM (SELECT *, window(pickup, '5 minutes') AS window FROM trips))
               GROUP BY city, w.end) USING (city, window_end)"""
    ).first()
    assert compared == spark.table("explained").count()
    assert differ < 1e-12
