"""Column functions over long frames of ROWS: each is made of two pieces, and tells of its rows."""

from __future__ import annotations

import math
import re

import numpy as np
import pytest
from pyspark.sql import Window
from pyspark.sql import functions as F

from shapwin import Summary, closed_form, tuple_values
from shapwin import functions as S
from shapwin.spark.row_frames import long_row_frame

pytestmark = pytest.mark.oldest

TWO_COLUMNS = ("covar_pop", "covar_samp")
# Some partitions are shorter than a frame, some end with a block of it.
LENGTHS = (1, 2, 39, 40, 41, 80, 131)
NULL = None


def by_time():  # which takes a session
    return Window.partitionBy("k").orderBy("t")


@pytest.fixture(scope="module")
def rows():
    """Rows (k, t, y, x, p), by partition; y, x and p are NULL here and there."""
    random = np.random.default_rng(7)
    found = {}
    for length in LENGTHS:
        y, x, odd = random.normal(3, 2, length), random.normal(size=length), random.random(length)
        found[length] = [
            (
                length,
                t,
                NULL if odd[t] < 0.1 else float(y[t]),
                NULL if 0.1 <= odd[t] < 0.2 else float(x[t]),
                NULL if 0.2 <= odd[t] < 0.3 else bool(odd[t] < 0.6),
            )
            for t in range(length)
        ]
    return found


def table(spark, rows):
    schema = "k INT, t INT, y DOUBLE, x DOUBLE, p BOOLEAN"
    return spark.createDataFrame([row for found in rows.values() for row in found], schema)


@pytest.mark.parametrize(
    ("low", "high"), [(-39, 0), (-59, 0), (-20, 30), (-70, -5), (0, 50), (-(10**9), 3)]
)
def test_every_frame_is_that_of_its_rows(spark, rows, low, high):
    window = by_time().rowsBetween(low, high)
    predicates = {"p": "p", "not p": "NOT p"}
    got = table(spark, rows).select(
        "k",
        "t",
        S.shapley_explain("y", "p", "var_samp", window).alias("told"),
        S.attributions("y", predicates, ["sum", "count", "avg", "var_pop"], window).alias("one"),
        S.attributions("y", predicates, TWO_COLUMNS, window, other="x").alias("two"),
    )
    got = got.collect()
    assert len(got) == sum(LENGTHS)
    for row in got:
        frame = rows[row["k"]][max(row["t"] + low, 0) : max(row["t"] + high + 1, 0)]
        values = [r for r in frame if r[2] is not NULL]
        pairs = [r for r in values if r[3] is not NULL]
        check(row["told"], "var_samp", values)
        for column, given in (("one", values), ("two", pairs)):
            for predicate, phis in row[column].asDict().items():
                for name, phi in phis.asDict().items():
                    assert (phi is None) == (not given)
                    if given:
                        right = attribution(name, given, member=predicate == "p")
                        assert phi == pytest.approx(right.phi, rel=1e-12, abs=1e-12)


def check(found, name, frame):
    assert (found is None) == (not frame)
    if frame:
        right = attribution(name, frame)
        assert (found["n"], found["m"]) == (right.n, right.m)
        for part in ("value", "phi", "share", "lift", "weight"):
            assert found[part] == pytest.approx(getattr(right, part), rel=1e-12, abs=1e-12)


def attribution(name, frame, member=True):
    y, x = (np.array([row[at] for row in frame], dtype=float) for at in (2, 3))
    part = np.array([row[4] == member for row in frame], dtype=bool)
    columns = (y, x) if name in TWO_COLUMNS else (y,)
    total, group = Summary.of(*columns), Summary.of(*(column[part] for column in columns))
    return closed_form(name, total, group)


def test_rows_that_tie_are_counted_once(spark):
    """Were rows numbered twice, ties could change places in between, and be lost or come twice."""
    frame = spark.range(3000).select(
        (F.col("id") % 3).alias("k"), F.floor(F.col("id") / 300).alias("t"), F.rand(1).alias("y")
    )
    window = Window.partitionBy("k").orderBy("t").rowsBetween(-99, 20)
    parts = [S.shapley_explain("y", f"y {sign} 0.4", "var_pop", window) for sign in ("<", ">=")]
    got = frame.repartition(3).select("k", *(part.alias(f"x{i}") for i, part in enumerate(parts)))
    found = got.collect()
    sizes = sorted(min(i + 21, 1000) - max(i - 99, 0) for i in range(1000))
    for k in range(3):
        assert sorted(row["x0"]["n"] for row in found if row["k"] == k) == sizes
    for row in found:
        assert row["x0"]["m"] + row["x1"]["m"] == row["x0"]["n"]
        assert row["x0"]["phi"] + row["x1"]["phi"] == pytest.approx(row["x0"]["value"], rel=1e-12)


def test_what_is_not_finite_leaves_no_trace_in_frames_without_it(spark, dialect):
    odd = {60: math.nan, 200: math.inf, 340: -math.inf, 480: 1e153}
    values = [odd.get(t, float(t % 7)) for t in range(600)]
    frame = spark.createDataFrame([*enumerate(values)], "t INT, y DOUBLE")
    window = Window.orderBy("t").rowsBetween(-49, 0)
    why = S.attributions("y", {"p": "t % 2 = 0"}, ["avg", "var_pop"], window)
    for t, found in enumerate(frame.select(why.alias("why")).collect()):
        y = np.array(values[max(t - 49, 0) : t + 1])
        member = np.arange(max(t - 49, 0), t + 1) % 2 == 0
        for name, phi in found["why"]["p"].asDict().items():
            if not np.isfinite(y).all():
                assert not math.isfinite(phi)
            else:
                right = closed_form(name, Summary.of(y), Summary.of(y[member]))
                scale = np.abs(tuple_values(name, y)).max()
                assert phi == pytest.approx(right.phi, rel=0, abs=1e-13 * scale), (t, name)


def test_a_center_keeps_the_digits_of_values_far_from_zero(spark):
    random = np.random.default_rng(2)
    y = 1e9 + random.normal(size=300).round(4)
    frame = spark.createDataFrame(
        [(t, float(v), t % 3 == 0) for t, v in enumerate(y)], "t INT, y DOUBLE, p BOOLEAN"
    )
    window = Window.orderBy("t").rowsBetween(-99, 0)
    got = frame.select(S.shapley_var_pop("y", "p", window, center=1e9)).collect()
    for t, (phi,) in enumerate(got):
        rows = slice(max(t - 99, 0), t + 1)
        part = Summary.of(y[rows][np.arange(len(y))[rows] % 3 == 0] - 1e9)
        right = closed_form("var_pop", Summary.of(y[rows] - 1e9), part)
        assert phi == pytest.approx(right.phi, rel=1e-12, abs=1e-13)


def test_which_windows_are_made_of_pieces(spark):
    made = long_row_frame(by_time().rowsBetween(-99, 3))
    assert (made.low, made.high, [str(c) for c in made.partition]) == (-99, 3, ["Column<'k'>"])
    assert long_row_frame(Window.orderBy("t").rowsBetween(-99, 0)).partition == []
    for window in (
        by_time(),  # Spark's default grows
        by_time().rangeBetween(-99, 0),
        by_time().rowsBetween(-9, 0),  # Spark is faster
        by_time().rowsBetween(Window.unboundedPreceding, 0),
        by_time().rowsBetween(-99, Window.unboundedFollowing),
        by_time().rowsBetween(1, 100),
        Window.partitionBy("k").rowsBetween(-99, 0),  # in no order
    ):
        assert long_row_frame(window) is None


def test_each_step_sorts_once_for_all_columns(spark, rows):
    window = by_time().rowsBetween(-99, 0)
    frame = table(spark, rows)
    one = [S.attributions("y", {"p": "p", "q": "x > 0"}, ["avg", "var_pop"], window)]
    two = [S.shapley_avg("y", "p", window), S.shapley_var_pop("y", "p", window)]
    for columns in (one, two):
        plan = frame.select(*columns)._jdf.queryExecution().executedPlan().toString()
        # Numbers, blocks from their ends, blocks from their beginnings, frames, and apart.
        assert len(re.findall(r"\bWindow \[", plan)) == 5
        assert len(re.findall(r"\bSort \[", plan)) == 4
        assert len(re.findall(r"\bExchange ", plan)) == 1


def test_it_stands_where_spark_s_own_do(spark, rows):
    """Beside other windows, over aggregates of groups, in an order, in a view."""
    window = by_time().rowsBetween(-44, 0)
    frame = table(spark, rows)
    mine, sparks = S.shapley_avg("y", "true", window), F.avg("y").over(window)
    beside = frame.select("k", "t", mine.alias("phi"), sparks.alias("own"))
    total = F.sum("y")
    mine, sparks = S.shapley_sum(total, "true", window), F.sum(total).over(window)
    grouped = frame.groupBy("k", "t").agg(mine.alias("phi"), sparks.alias("own"))
    for row in [*beside.collect(), *grouped.collect()]:
        own = row["own"]
        assert row["phi"] == (None if own is None else pytest.approx(own, rel=1e-12))
    beside.where("k = 131").orderBy(F.desc("phi")).createOrReplaceTempView("of_long_frames")
    top = spark.sql("SELECT max(phi) FROM of_long_frames").first()[0]
    assert top == beside.where("k = 131").orderBy(F.desc("phi")).first()["phi"]
