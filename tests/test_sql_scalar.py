"""The SQL scalar functions: plain SQL, exact, in both dialects, temporary and persistent."""

from __future__ import annotations

import math
from pathlib import Path

import numpy as np
import pytest

from shapwin.spark.sql_functions import create_statements, load, script, sql_directory

# N: (H_N, H_N^(2)), rounded once from 40 digits.
HARMONIC = {
    0: (0.0, 0.0),
    1: (1.0, 1.0),
    2: (1.5, 1.25),
    3: (1.8333333333333333, 1.3611111111111112),
    15: (3.3182289932289932, 1.580440283444987),
    16: (3.3807289932289932, 1.584346533444987),
    17: (3.4395525226407577, 1.587806741057444),
    100: (5.187377517639621, 1.634983900184893),
    1000: (7.485470860550345, 1.64393456668156),
    1000000: (14.392726722865724, 1.6449330668487265),
    1000000000: (21.300481502347942, 1.6449340658482265),
    1000000000000: (28.208236780830582, 1.6449340668472265),
}


@pytest.fixture(scope="module")
def functions(spark):
    """All of them, with no Python function beside."""
    for statement in create_statements():
        spark.sql(statement)


def value(spark, expression):
    return spark.sql(f"SELECT {expression}").first()[0]


def column(spark, expression, values):
    """The expression over a column n; not folded into a literal at planning."""
    frame = spark.createDataFrame([(float(v),) for v in values], "n DOUBLE")
    return [row[0] for row in frame.selectExpr(expression).collect()]


def test_harmonic_numbers_within_4_ulp(spark, functions, dialect):
    for k, name in enumerate(("shapley_harmonic", "shapley_harmonic2")):
        exact = np.array([pair[k] for pair in HARMONIC.values()])
        got = np.array(column(spark, f"{name}(n)", HARMONIC))
        assert (np.abs(got - exact) <= 4 * np.spacing(exact)).all()
        assert got[0] == 0


def test_harmonic_numbers_of_nothing(spark, functions, dialect):
    assert value(spark, "shapley_harmonic(-1)") is None
    assert value(spark, "shapley_harmonic(NULL)") is None
    assert value(spark, "shapley_harmonic2(CAST(3 AS TINYINT))") == pytest.approx(49 / 36)


def test_small_windows(spark, functions, dialect):
    assert value(spark, "shapley_avg_from_sums(0, 0, 0, 0)") is None
    assert value(spark, "shapley_avg_from_sums(1, 5, 1, 5)") == 5.0
    assert value(spark, "shapley_avg_from_sums(1, 5, 0, 0)") == 0.0
    assert value(spark, "shapley_var_pop_from_sums(0, 0, 0, 0, 0, 0)") is None
    assert value(spark, "shapley_var_samp_from_sums(1, 5, 25, 1, 5, 25)") == 0.0
    assert value(spark, "shapley_var_pop_from_sums(2, 4, 10, 1, 1, 1)") == 0.5
    assert value(spark, "shapley_covar_samp_from_sums(1, 5, 2, 10, 1, 5, 2, 10)") == 0.0


def test_center_default_and_names(spark, functions):
    about_zero = "shapley_avg_from_sums(n => 3, a => 16, m => 1, a_p => 10)"
    about_ten = "shapley_avg_from_sums(3, -14, 1, 0, center => 10)"
    assert value(spark, about_zero) == pytest.approx(95 / 18)
    assert value(spark, about_ten) == pytest.approx(95 / 18)


def test_window_sums_as_arguments(spark, functions):
    got = spark.sql(
        """SELECT shapley_avg_from_sums(count(y) OVER w, sum(y) OVER w,
                      count_if(y > 5) OVER w, sum(if(y > 5, y, 0)) OVER w) AS phi
           FROM VALUES (1, 2D), (2, 4D), (3, 10D) AS t(k, y)
           WINDOW w AS (ORDER BY k ROWS BETWEEN 2 PRECEDING AND CURRENT ROW)"""
    ).collect()
    assert [row["phi"] for row in got] == [0.0, 0.0, pytest.approx(95 / 18)]


def test_nan_stays_visible(spark, functions):
    assert math.isnan(value(spark, "shapley_avg_from_sums(2, double('NaN'), 1, 1)"))


def test_as_persistent_functions(spark):
    spark.sql("CREATE DATABASE kept")
    spark.sql("USE kept")
    try:
        for statement in create_statements(temporary=False):
            spark.sql(statement)
        spark.sql("CREATE VIEW explained AS SELECT kept.shapley_avg_from_sums(3, 16, 1, 10) AS phi")
        assert spark.table("kept.explained").first()[0] == pytest.approx(95 / 18)
    finally:
        spark.sql("USE default")
        spark.sql("DROP DATABASE kept CASCADE")


def test_the_assembled_file_is_fresh_and_whole():
    text = (Path(str(sql_directory())) / "functions.sql").read_text("utf-8")
    assert text == script(), "run python -m shapwin.spark.sql_functions > sql/functions.sql"
    public = [function.name for function in load().values() if function.is_public]
    assert text.count("CREATE OR REPLACE TEMPORARY FUNCTION") == len(public)
    assert not any(f"{part}(" in text for part in load() if part.startswith("_"))
