"""compare against differences worked out in pandas, from explanations of each window alone."""

from __future__ import annotations

import datetime as dt
import re

import numpy as np
import pandas as pd
import pytest
from pyspark.sql import functions as F

import shapwin
from shapwin import errors

KEYS = ["window_start", "window_end", "statistic", "predicate"]
PARTS = ["value", "phi", "share", "lift", "weight"]
CHANGES = [f"d_{part}" for part in PARTS]
EFFECTS = ["composition_effect", "size_effect"]
STATISTICS = ("sum", "count", "avg", "var_pop", "var_samp")
CALL = dict(
    value="fare",
    time="t",
    window="2 hours",
    every="1 hour",
    predicates={"eu": "region = 'EU'", "gold": "tier = 'gold'"},
    statistics=STATISTICS,
)
LAG = pd.Timedelta("3 hours")
BASELINE = ("2024-01-01 02:00:00", "2024-01-01 04:00:00")


@pytest.fixture(scope="module")
def df(spark):
    """Ten hours of trips with thin hours, so that atoms come and go, and a key that is NULL."""
    rng = np.random.default_rng(7)
    rows = []
    for hour, count in enumerate((9, 1, 4, 30, 2, 0, 0, 3, 12, 5)):
        for _ in range(count):
            time = dt.datetime(2024, 1, 1, hour, int(rng.integers(60)))
            region, tier = (
                ["EU", "US", None][rng.integers(3)],
                ["gold", "tin"][rng.integers(2)],
            )
            vendor = [None, "a", "b"][rng.integers(3)]
            rows.append((time, float(rng.normal(20 + hour, 5)), region, tier, vendor))
    kinds = "t timestamp, fare double, region string, tier string, vendor string"
    return spark.createDataFrame(rows, kinds).cache()


def expected(table, keys, earlier_of):
    """The differences, row by row; `earlier_of` gives the start of the earlier window."""
    places = [*keys, "window_start", "statistic"]
    table = table.assign(**{key: table[key].fillna("NULL") for key in keys})
    whole = table.drop_duplicates(places).set_index(places)[["n", "value", "weight"]]
    series = table.set_index([*places, "predicate"])[["phi", "share", "lift"]]
    found = {}
    for place, window in whole.iterrows():
        before = (*place[: len(keys)], earlier_of(place[-2]), place[-1])
        earlier = whole.loc[before] if before in whole.index else None
        names = {p for *w, p in series.index if tuple(w) == place}
        if earlier is not None:
            names |= {p for *w, p in series.index if tuple(w) == before}
        for name in names:
            if earlier is None:
                found[(*place, name)] = [np.nan] * 7
                continue
            one, zero = (
                series.loc[(*at, name)].to_numpy() if (*at, name) in series.index else np.zeros(3)
                for at in (place, before)
            )
            d_value, d_weight = window.value - earlier.value, window.weight - earlier.weight
            composition = one[1] - zero[1] + earlier.weight * (one[2] - zero[2])
            changes = [d_value, *(one - zero), d_weight, composition, d_weight * one[2]]
            found[(*place, name)] = changes
    index = pd.MultiIndex.from_tuples(found, names=[*places, "predicate"])
    return pd.DataFrame(list(found.values()), index, [*CHANGES, *EFFECTS]).sort_index()


def by_place(result, keys):
    table = result.toPandas()
    table = table.assign(**{key: table[key].fillna("NULL") for key in keys})
    places = [*keys, "window_start", "statistic", "predicate"]
    assert not table.duplicated(places).any()
    return table.set_index(places).sort_index()


@pytest.mark.parametrize("queries", [None, "atoms"])
@pytest.mark.parametrize("by", [(), ("vendor",)])
@pytest.mark.parametrize("asked", [{"lag": "3 hours"}, {"baseline": BASELINE}])
def test_differences_are_those_of_pandas(df, queries, by, asked):
    explained = shapwin.explain(df, **CALL, queries=queries, by=by)
    changed = by_place(shapwin.compare(explained, **asked), by)
    start = pd.Timestamp(BASELINE[0])
    earlier = (lambda t: t - LAG) if "lag" in asked else (lambda _: start)
    table = explained.toPandas()
    oracle = expected(table, by, earlier)
    assert oracle["d_phi"].isna().any() == ("lag" in asked)
    if queries == "atoms":  # some are in one of two windows only, on either side
        own = set(table.set_index([*by, "window_start", "statistic", "predicate"]).index)
        assert len(changed) > len(own)
    pd.testing.assert_frame_equal(
        changed[oracle.columns], oracle, rtol=1e-9, atol=1e-9, check_dtype=False
    )


@pytest.mark.parametrize("asked", [{"lag": timedelta} for timedelta in ("1 hour", LAG)])
def test_changes_of_a_partition_add_up(df, asked):
    explained = shapwin.explain(df, **CALL, queries="atoms", by="vendor")
    changed = shapwin.compare(explained, **asked).toPandas().dropna(subset="d_value")
    assert len(changed) > 50
    effects = changed[EFFECTS].sum(axis=1)
    np.testing.assert_allclose(effects, changed["d_phi"], atol=1e-9)
    window = ["vendor", "window_start", "statistic"]
    sums = changed.groupby(window, dropna=False)
    d_value = sums["d_value"].first()
    np.testing.assert_allclose(sums["d_phi"].sum(), d_value, atol=1e-9)
    np.testing.assert_allclose(sums["composition_effect"].sum(), d_value, atol=1e-9)
    np.testing.assert_allclose(sums["size_effect"].sum(), 0, atol=1e-9)
    assert changed["size_effect"].abs().max() > 0.1


def test_the_columns_and_the_window_s_own_numbers(df):
    explained = shapwin.explain(df, **CALL, by="vendor")
    result = shapwin.compare(explained, lag="3 hours")
    others = ["n", "value", "d_n", *CHANGES, *EFFECTS]
    assert result.columns == ["vendor", *KEYS, *others]
    kinds = dict(result.dtypes)
    assert kinds["window_start"] == "timestamp"
    assert kinds["n"] == kinds["d_n"] == "bigint"
    assert kinds["d_phi"] == kinds["size_effect"] == "double"
    own = by_place(explained, ["vendor"])
    pd.testing.assert_frame_equal(by_place(result, ["vendor"])[["n", "value"]], own[["n", "value"]])
    one = result.where("statistic = 'count' AND d_n IS NOT NULL").toPandas()
    assert (one["d_n"] == one["d_value"]).all()
    assert len(one)


def test_two_values_are_two_keys(df):
    two = df.withColumn("tip", F.col("fare") / 10)
    explained = shapwin.explain(two, **{**CALL, "value": ["fare", "tip"], "statistics": "avg"})
    found = shapwin.compare(explained, lag="3 hours").toPandas().set_index(["column", *KEYS])
    np.testing.assert_allclose(
        found.loc["tip"].sort_index()["d_phi"], found.loc["fare"].sort_index()["d_phi"] / 10
    )


def test_players_have_no_parts(df):
    explained = shapwin.explain(df, **CALL, semantics="players")
    found = shapwin.compare(explained, lag="3 hours").toPandas().dropna(subset="d_value")
    assert found[["d_share", "d_lift", "d_weight", *EFFECTS]].isna().all(axis=None)
    sums = found.groupby(["window_start", "statistic"])
    np.testing.assert_allclose(sums["d_phi"].sum(), sums["d_value"].first(), atol=1e-9)


def test_empty_windows_have_no_difference_on_either_side(df):
    for queries in (None, "atoms"):
        explained = shapwin.explain(
            df, **{**CALL, "window": "1 hour"}, queries=queries, empty="emit"
        )
        found = shapwin.compare(explained, lag="1 hour").toPandas()
        hours = found["window_start"].dt.hour
        # Nothing is at 5 and 6.
        for hour in (5, 6, 7):
            assert found[hours == hour][["d_n", *CHANGES, *EFFECTS]].isna().all(axis=None)
            assert len(found[hours == hour])
        assert found[hours == 8]["d_phi"].notna().all()
        own = explained.groupBy("window_start").count().toPandas().set_index("window_start")
        assert (hours == 6).sum() == own.loc["2024-01-01 06:00", "count"]


def test_weights_of_one_row_do_not_bring_nan_into_the_effects(spark):
    rows = [
        ("2024-01-01 00:10", 1.0),
        ("2024-01-01 01:10", float("nan")),
        ("2024-01-01 01:20", 2.0),
    ]
    df = spark.createDataFrame(rows, "t string, y double").withColumn("t", F.expr("timestamp(t)"))
    explained = shapwin.explain(
        df, value="y", time="t", window="1 hour", every="1 hour",
        predicates={"small": "y < 5"}, statistics=("sum", "avg"),
    )  # fmt: skip
    found = shapwin.compare(explained, lag="1 hour").where("d_phi IS NOT NULL").toPandas()
    found = found.set_index("statistic")
    assert found.loc["sum", "d_phi"] == found.loc["sum", "composition_effect"] == 1
    assert found.loc["sum", "size_effect"] == 0
    assert np.isnan(found.loc["avg", "d_phi"])


def test_a_lag_of_a_day_has_24_hours_in_any_zone(spark):
    spark.conf.set("spark.sql.session.timeZone", "America/New_York")
    try:
        days = spark.range(9, 12).selectExpr("make_timestamp(2024, 3, id, 12, 0, 0, 'UTC') t", "id")
        df = days.withColumn("y", F.expr("double(id * id)"))
        explained = shapwin.explain(
            df, value="y", time="t", window="1 day", every="1 day", predicates={"p": "true"}
        )
        length = "unix_seconds(window_end) - unix_seconds(window_start)"
        assert {row[0] for row in explained.selectExpr(length).collect()} == {24 * 3600}
        found = shapwin.compare(explained, lag="1 day").orderBy("window_start").collect()
        assert [row.d_value for row in found] == [None, 19, 21]
        bounds = explained.selectExpr("string(window_start) s", "string(window_end) e").collect()
        first = min((row.s, row.e) for row in bounds)
        for baseline in (first, [dt.datetime.fromisoformat(time) for time in first]):
            found = shapwin.compare(explained, baseline=baseline).orderBy("window_start")
            assert [row.d_value for row in found.collect()] == [0, 19, 40]
    finally:
        spark.conf.set("spark.sql.session.timeZone", "UTC")


def test_odd_names_of_keys(df):
    odd = "_now `n` AS"
    renamed = df.withColumnRenamed("vendor", odd)
    explained = shapwin.explain(renamed, **CALL, by=odd)
    assert shapwin.compare(explained, lag="3 hours").columns[0] == odd
    assert shapwin.compare(explained, baseline=BASELINE).select(KEYS).count() > 0


@pytest.mark.parametrize("asked", [{"lag": "3 hours"}, {"baseline": BASELINE}])
def test_windows_that_are_there_twice_are_refused(df, asked):
    explained = shapwin.explain(df, **CALL)
    twice = shapwin.compare(explained.union(explained), **asked)
    with pytest.raises(Exception, match="explained has several rows for one key, window"):
        twice.collect()


@pytest.fixture(scope="module")
def empty(df):
    return shapwin.explain(df.where("false"), **CALL, by="vendor")


WRONG = [
    (dict(), "lag=None and baseline=None: give one of them, as in lag='1 day'"),
    (dict(lag="1 day", baseline=BASELINE), "lag='1 day' and baseline=('2024"),
    (dict(lag="1 month"), "lag='1 month' has no fixed length"),
    (dict(lag="0 days"), "lag='0 days' is not positive"),
    (
        dict(baseline="2024-01-01"),
        "baseline='2024-01-01': give its window_start and window_end, as in ('2024-01-09 01:00', ",
    ),
    (
        dict(baseline=("2024-01-01", "soon")),
        "baseline=('2024-01-01', 'soon'): 'soon' is no time; write '2024-01-09 01:00'",
    ),
    (dict(baseline=("2024-01-01", 3)), "baseline=('2024-01-01', 3): 3 is no time"),
    (
        dict(baseline=("2024-01-02", "2024-01-01")),
        "baseline=('2024-01-02', '2024-01-01') ends before it begins: give (start, end)",
    ),
]


@pytest.mark.parametrize(("asked", "message"), WRONG)
def test_wrong_calls_are_refused_before_a_job(empty, asked, message):
    with pytest.raises(errors.ArgumentError, match=f"^{re.escape(message)}"):
        shapwin.compare(empty, **asked)


def test_a_zone_where_windows_have_none_is_refused(empty):
    plain = empty.withColumn("window_start", F.col("window_start").cast("timestamp_ntz"))
    with pytest.raises(errors.ArgumentError, match="has a zone and window_start none: drop it"):
        shapwin.compare(plain, baseline=("2024-01-02T00:00Z", "2024-01-03T00:00Z"))


def test_tables_that_are_no_whole_long_table_are_refused(spark, df, empty):
    refused = [
        (empty.drop("lift"), errors.ColumnError, "explained has no column 'lift'"),
        (empty.withColumn("phi", F.lit("x")), errors.ArgumentTypeError, "explained.phi is STRING"),
        (empty.toPandas(), errors.ArgumentTypeError, "explained is a DataFrame: give a Spark"),
        (
            empty.withColumnRenamed("vendor", "d_phi"),
            errors.ColumnError,
            "by column 'd_phi' has the name of a result column",
        ),
        (
            shapwin.explain(df, **CALL, top_k=1).where("n > 1"),
            errors.ArgumentError,
            "explained was made with top_k=1: compare all its rows",
        ),
        (
            shapwin.explain(df, **CALL, min_support=0.5),
            errors.ArgumentError,
            "explained was made with min_support=0.5",
        ),
    ]
    for table, kind, message in refused:
        with pytest.raises(kind, match=re.escape(message)):
            shapwin.compare(table, lag="1 day")
    stream = spark.readStream.format("rate").load()
    with pytest.raises(errors.ArgumentError, match="explained is a stream"):
        shapwin.compare(stream, lag="1 day")
