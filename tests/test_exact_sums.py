"""The sums that lose no digit, against rational numbers."""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np
import pandas as pd
import pytest
from pyspark.sql import functions as F

from shapwin.spark import exact_sums

RNG = np.random.default_rng(5)
COLUMNS = {
    "usual": RNG.exponential(10, 500).round(2),
    "far": RNG.normal(1e6, 1, 500),
    "farther": RNG.normal(1e9, 1, 500),
    "seconds": 1_700_000_000 + np.arange(500.0),
    "microseconds": 1.7e15 + RNG.integers(0, 300, 500),
    "whole": 1e12 + np.arange(7.0),
    "border of a power of two": 2.0**20 + RNG.normal(0, 1e-3, 500),
    "around zero": RNG.normal(0, 1, 500),
    "magnitudes": RNG.normal(0, 1, 500) * 10.0 ** RNG.integers(-12, 12, 500),
    "refunds": np.repeat(RNG.normal(1e8, 1e-3, 250), 2) * np.tile([1, -1], 250),
    "giant": np.append(RNG.normal(5, 1, 400), 1e17),
    "one": np.array([0.1]),
    "two": np.array([1e9, 1e9 + 2**-20]),
    "small": RNG.normal(3e-120, 1e-126, 300),
}


def summaries(spark, y, x=None, center=None, copies=None):
    """One summary of all rows, from several partitions."""
    frame = pd.DataFrame({"_y": y}) if x is None else pd.DataFrame({"_y": y, "_x": x})
    if copies is not None:
        frame["_k"] = copies
    letters, weight = "y" if x is None else "yx", None if copies is None else "_k"
    rows = spark.createDataFrame(frame).repartition(2)
    rows = rows.withColumn("_y", F.coalesce("_y", F.lit(math.nan)))
    grouped = exact_sums.with_parts(rows, letters).groupBy()
    raw = grouped.agg(*(F.expr(sql) for sql in exact_sums.aggregates(letters, weight)))
    if center is not None:
        raw = raw.withColumn("_c", F.lit(center))
    sums = exact_sums.Sums(x is not None, exact=True, centered=center is not None)
    batch = next(sums.summarise(raw.toArrow().to_batches()))
    return batch.to_pylist()[0]


def exact(y, c, x=None, d=0.0):
    y, c = [Fraction(float(v)) for v in y], Fraction(c)
    x = y if x is None else [Fraction(float(v)) for v in x]
    d = c if x is y else Fraction(d)
    first = sum(v - c for v in y)
    return first, sum((v - c) * (w - d) for v, w in zip(y, x, strict=True))


@pytest.mark.parametrize("name", COLUMNS)
def test_sums_are_the_exact_ones_rounded(spark, name):
    y = COLUMNS[name]
    found = summaries(spark, y)
    a, b = exact(y, found["_center"])
    assert found["_m"] == len(y)
    assert found["_center"] == pytest.approx(float(sum(map(Fraction, y.tolist())) / len(y)))
    # A is nearly 0 about the mean; what counts is its error beside the spread.
    spread = math.sqrt(max(float(b), 0.0) * len(y))
    assert abs(Fraction(found["_a"]) - a) <= 1e-14 * spread
    assert abs(Fraction(found["_b"]) - b) <= 1e-14 * b


@pytest.mark.parametrize("name", COLUMNS)
def test_products_with_a_second_column(spark, name):
    y = COLUMNS[name]
    x = np.random.default_rng(1).permutation(y) + 1.0
    found = summaries(spark, y, x)
    a2, _ = exact(x, found["_center2"])
    _, ab = exact(y, found["_center"], x, found["_center2"])
    size = math.sqrt(float(exact(y, found["_center"])[1] * exact(x, found["_center2"])[1]))
    assert abs(Fraction(found["_ab"]) - ab) <= 1e-13 * size
    assert abs(Fraction(found["_a2"]) - a2) <= 1e-13 * max(abs(x))


@pytest.mark.parametrize("value", [0.1, 1e9 + 1 / 3, -7e-20, 5e-324, 1e150, 0.0])
def test_equal_values_are_their_own_centre_and_spread_nothing(spark, value):
    found = summaries(spark, np.full(1000, value))
    assert tuple(found.values()) == (1000, 0.0, 0.0, value)


def test_about_a_given_centre(spark):
    y = COLUMNS["far"]
    found = summaries(spark, y, center=1e6 + 0.1)
    assert found["_center"] == 1e6 + 0.1
    for sums, expected in zip((found["_a"], found["_b"]), exact(y, 1e6 + 0.1), strict=True):
        assert Fraction(sums) == pytest.approx(float(expected), rel=1e-15)


def test_copies_are_the_rows_themselves(spark):
    y, copies = COLUMNS["far"][:100], RNG.integers(-2, 5, 100)
    found = summaries(spark, y, copies=copies)
    c = Fraction(found["_center"])
    d = [Fraction(v) - c for v in y.tolist()]
    whole = sum(k * v * v for k, v in zip(copies.tolist(), d, strict=True))
    assert found["_m"] == copies.sum()
    assert found["_b"] == pytest.approx(float(whole), rel=1e-13)


@pytest.mark.parametrize(
    ("odd", "a", "b"),
    [
        ([math.nan], math.nan, math.nan),
        ([math.inf], math.inf, math.inf),
        ([-math.inf], -math.inf, math.inf),
        ([math.inf, -math.inf], math.nan, math.nan),
        ([1e200], 1e200, math.inf),
        ([1e200, -1e200], 0.0, math.inf),
        ([-1.2e154] * 3, None, math.inf),
    ],
)
def test_what_has_no_square_is_nan_or_infinite(spark, odd, a, b):
    found = summaries(spark, np.array([1.0, 2.0, *odd]))
    mean = found["_a"] / found["_m"] + found["_center"]
    if a is None:
        assert mean == pytest.approx(sum(odd) / found["_m"])
    else:
        assert mean == pytest.approx((a + 3) / found["_m"], nan_ok=True)
    assert found["_b"] == pytest.approx(b, nan_ok=True)
    assert math.isfinite(found["_center"])


def test_copies_that_cancel_are_an_empty_summary(spark):
    found = summaries(spark, [4.0], copies=[0])
    assert tuple(found.values()) == (0, 0.0, 0.0, 0.0)
