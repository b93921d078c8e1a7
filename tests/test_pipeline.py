"""Every way from rows to the long table gives the same, and what explain can be asked for."""

from __future__ import annotations

import datetime as dt
import math
from decimal import Decimal

import numpy as np
import pandas as pd
import pytest
from pyspark.sql import functions as F

import shapwin
from shapwin.errors import ArgumentError, ColumnError, IntervalError, PredicateError, ShapwinError
from shapwin.players import player_values

KEYS = ["window_start", "statistic", "predicate"]
PREDICATES = {"eu": "region = 'EU'", "high": "fare > 20"}
LONG_TABLE = [
    *("window_start", "window_end", "statistic", "predicate", "n", "value", "m", "group_mean"),
    *("phi", "share", "lift", "weight"),
]
CALL = dict(value="fare", time="t", window="40 minutes", every="15 minutes")
ALL = ("sum", "count", "avg", "var_pop", "var_samp")


def table(result, *keys):
    found = result.toPandas()
    return found.sort_values([*keys, *KEYS], ignore_index=True)


def same(left, right, *keys, rtol=1e-12):
    left, right = table(left, *keys), table(right, *keys)
    assert len(left) > 0
    pd.testing.assert_frame_equal(left, right, rtol=rtol, atol=1e-10)


def trips(spark, count=600, seed=3):
    """Trips of three keys (one of them NULL) before and after 1970, with odd values."""
    rng = np.random.default_rng(seed)
    seconds = rng.integers(-9_000, 9_000, count)
    rows = [
        (
            dt.datetime(1970, 1, 1) + dt.timedelta(seconds=int(s)),
            float(fare),
            float(tip),
            str(region) if region != "none" else None,
            float(key) if key < 2 else None,
        )
        for s, fare, tip, region, key in zip(
            seconds,
            rng.normal(20, 5, count).round(2),
            rng.normal(1e6, 1, count),
            rng.choice(["EU", "US", "none"], count),
            rng.integers(0, 3, count),
            strict=True,
        )
    ]
    rows[5] = (*rows[5][:1], None, *rows[5][2:])
    rows[6] = (*rows[6][:1], math.nan, *rows[6][2:])
    rows[7] = (*rows[7][:1], -math.inf, *rows[7][2:])
    return spark.createDataFrame(
        rows, "t timestamp, fare double, tip double, region string, key double"
    ).repartition(3)


@pytest.fixture(scope="module")
def df(spark):
    return trips(spark).cache()


@pytest.mark.parametrize("closed", ["left", "right"])
@pytest.mark.parametrize("queries", [None, "atoms"])
def test_every_way_from_rows_to_windows_gives_the_same(df, tmp_path, closed, queries):
    asked = dict(statistics=(*ALL, "covar_pop", "covar_samp"), queries=queries)
    call = CALL | asked | dict(predicates=PREDICATES, by="key", other="tip", closed=closed)
    packed = shapwin.explain(df, **call)
    # One copy of each row is the row itself, but is summed by Spark.
    summed = shapwin.explain(df.withColumn("copies", F.lit(1)), multiplicity="copies", **call)
    same(packed, summed, "key")
    same(packed, shapwin.explain(df, engine="pandas", **call), "key")
    for engine in ("native", "pandas"):
        panes = shapwin.panes(
            df, value="fare", time="t", every="5 minutes", predicates=PREDICATES,
            by="key", other="tip", closed=closed, engine=engine,
        )  # fmt: skip
        panes.write.parquet(str(tmp_path / engine))
        read = df.sparkSession.read.parquet(str(tmp_path / engine))
        windows = shapwin.attribute(read, window="40 minutes", every="15 minutes", **asked)
        same(packed, windows, "key")


@pytest.mark.parametrize("several", [False, True])
@pytest.mark.parametrize("asked", [dict(queries="atoms"), dict(), dict(semantics="players")])
def test_many_atoms_without_keys_are_summed_in_workers_and_give_the_same(
    df, caplog, asked, several
):
    predicates = PREDICATES | {f"p{k}": f"tip * 8 % {k + 2} < 1" for k in range(4)}
    call = dict(value=["fare", "tip"]) if several else dict(value="fare", other="tip")
    names = ALL if several else (*ALL, "covar_pop", "covar_samp")
    call |= dict(time="t", window="40 minutes", every="15 minutes", closed="right")
    # Windows of three segments: 1024 windows of 15 minutes are less than eleven days.
    rows = df.withColumn("t", F.expr("if(tip > 1e6, t, t + interval 21 days)"))
    call |= asked | dict(predicates=predicates, statistics=names, offset="7 minutes")
    with caplog.at_level("INFO", logger="shapwin"):
        packed = shapwin.explain(rows, **call)
        summed = shapwin.explain(rows.withColumn("n", F.lit(1)), multiplicity="n", **call)
    workers, spark = (record.getMessage() for record in caplog.records)
    assert "summed in Python workers: panes of 0:05:00 may have 64 atoms" in workers
    assert "summed by Spark: equal ones are netted first, by their multiplicity" in spark
    keys = ["column"] if several else []
    same(packed, summed, *keys, rtol=1e-11)
    if not several:
        same(packed, shapwin.explain(rows, engine="pandas", **call), rtol=1e-11)


def test_values_of_one_dimension_are_few_atoms(df, caplog):
    with caplog.at_level("INFO", logger="shapwin"):
        shapwin.explain(df, **CALL, dimensions=["region"], predicates=PREDICATES)
    (message,) = (record.getMessage() for record in caplog.records)
    assert message == "rows are summed by Spark: panes of 0:05:00 hold many, of 12 atoms at most"


@pytest.mark.parametrize("offset", ["7 minutes", "-1 hour", "3 days 1 microsecond"])
def test_offset_is_sparks_start_time(df, offset):
    length = {"7 minutes": 7 * 60, "-1 hour": -3600 + 7200, "3 days 1 microsecond": 3 * 86400}
    start = f"{length[offset] % 900} seconds" if "micro" not in offset else "1 microsecond"
    expected = (
        df.where("fare IS NOT NULL")
        .groupBy("key", F.window("t", "40 minutes", "15 minutes", start)["start"].alias("start"))
        .agg(F.count("fare").alias("n"), F.sum("fare").alias("value"))
        .toPandas()
        .sort_values(["key", "start"], ignore_index=True)
    )
    call = CALL | dict(predicates={"eu": "region = 'EU'"}, statistics="sum", offset=offset)
    for found in (
        shapwin.explain(df, by="key", **call),
        shapwin.explain(df.withColumn("k", F.lit(1)), by="key", multiplicity="k", **call),
        shapwin.attribute(
            shapwin.panes(
                df, value="fare", time="t", every="5 minutes", by="key", offset=offset,
                predicates=call["predicates"],
            ),
            window="40 minutes", every="15 minutes", statistics="sum",
        ),
    ):  # fmt: skip
        found = table(found, "key")
        assert list(found.window_start) == list(expected.start)
        assert list(found.n) == list(expected.n)
        np.testing.assert_allclose(found.value, expected.value, rtol=1e-12)


def test_windows_of_a_pane_table_can_begin_elsewhere_by_whole_panes(df):
    panes = shapwin.panes(df, value="fare", time="t", every="5 minutes", predicates=PREDICATES)
    moved = shapwin.attribute(panes, window="40 minutes", every="15 minutes", offset="10 minutes")
    same(moved, shapwin.explain(df, predicates=PREDICATES, offset="10 minutes", **CALL))
    with pytest.raises(IntervalError, match=r"offset='7 minutes' is no whole number of panes"):
        shapwin.attribute(panes, window="1 hour", offset="7 minutes")


def test_several_values_are_explained_in_one_go(df):
    one_by_one = [
        shapwin.explain(df, **(CALL | {"value": name}), predicates=PREDICATES, by="key")
        .withColumn("column", F.lit(name))
        .select("key", "column", *LONG_TABLE)
        for name in ("fare", "tip")
    ]
    call = CALL | {"value": ["fare", "tip"]}
    together = shapwin.explain(df, **call, predicates=PREDICATES, by="key")
    assert together.columns[:3] == ["key", "column", "window_start"]
    same(together, one_by_one[0].unionByName(one_by_one[1]), "key", "column")
    without = shapwin.explain(df, **call, predicates=PREDICATES)
    assert without.columns[:2] == ["column", "window_start"]
    with pytest.raises(ArgumentError, match="other goes with one value column"):
        shapwin.explain(df, **call, predicates=PREDICATES, other="tip")
    with pytest.raises(ColumnError, match="'column' is the name of"):
        shapwin.explain(df.withColumn("column", F.lit(1)), **call, predicates={}, by="column")


def test_dimensions_partition_the_rows(df):
    found = shapwin.explain(df.where("abs(fare) < 1e6"), **CALL, dimensions="region")
    names = {"region=EU", "region=US", "region IS NULL"}
    assert set(table(found).predicate) == names
    for _, window in table(found).groupby("window_start"):
        assert window.m.sum() == window.n.iloc[0]
        if np.isfinite(window.value.iloc[0]):
            assert window.phi.sum() == pytest.approx(window.value.iloc[0], rel=1e-12)
    by_hand = {
        "region=EU": "region = 'EU'",
        "region=US": "region = 'US'",
        "region IS NULL": "region IS NULL",
    }
    same(found, shapwin.explain(df.where("abs(fare) < 1e6"), **CALL, predicates=by_hand))


def test_a_dimension_of_many_values_has_the_sixteen_largest_and_the_rest(spark):
    values = [k for k in range(30) for _ in range(30 - k // 2)] + [None] * 3
    rows = spark.createDataFrame(
        [(dt.datetime(2024, 1, 1), 1.0, k) for k in values], "t timestamp, fare double, zone int"
    )
    found = table(shapwin.explain(rows, **CALL, dimensions="zone", statistics="count"))
    first = found[found.window_start == found.window_start.min()].set_index("predicate").m
    # 0 … 29 in falling size, two of each: the even one before the odd one.
    assert set(first.index) == {
        *(f"zone={k}" for k in range(16)), "zone=(other)", "zone IS NULL"
    }  # fmt: skip
    assert first["zone=(other)"] == sum(30 - k // 2 for k in range(16, 30))
    assert first["zone IS NULL"] == 3
    with pytest.raises(PredicateError, match=r"'zone=0' is also made by dimensions"):
        shapwin.explain(rows, **CALL, dimensions="zone", predicates={"zone=0": "zone = 0"})


def test_selection_by_support_or_by_size(df):
    call = CALL | dict(dimensions="region", statistics=("avg", "count"))
    df = df.where("abs(fare) < 1e6")
    full = table(shapwin.explain(df, **call))
    enough = table(shapwin.explain(df, **call, min_support=0.35))
    expected = full[full.m >= 0.35 * full.n].reset_index(drop=True)
    assert 0 < len(enough) < len(full)
    pd.testing.assert_frame_equal(enough, expected)
    largest = table(shapwin.explain(df, **call, top_k=2))
    for (start, statistic), window in full.groupby(["window_start", "statistic"]):
        order = window.assign(size=window.phi.abs())
        order = order.sort_values(["size", "predicate"], ascending=[False, True])
        kept = largest[(largest.window_start == start) & (largest.statistic == statistic)]
        assert set(kept.predicate) == set(order.predicate.head(2))


@pytest.mark.parametrize(
    ("asked", "message"),
    [
        (dict(top_k=0), "top_k=0: give at least 1"),
        (dict(top_k=1.5), "top_k=1.5: give a whole number"),
        (dict(min_support=1.5), r"min_support=1.5: give a share from 0 to 1"),
        (dict(min_support=0.1, top_k=3), "give one of them"),
        (dict(max_atoms=0), "max_atoms=0: give a whole number of at least 1"),
        (dict(semantics="players", queries={"q": "eu"}), "players are the predicates"),
        (dict(engine="pandas", multiplicity="n"), "engine='pandas' takes no multiplicity"),
    ],
)
def test_what_cannot_be_asked(df, asked, message):
    with pytest.raises(ShapwinError, match=message):
        shapwin.explain(df.withColumn("n", F.lit(1)), **CALL, predicates=PREDICATES, **asked)


@pytest.mark.parametrize(("m", "n"), [(7, 100), (14, 100), (28, 100), (55, 100), (7, 25)])
def test_support_at_the_bound_is_enough(spark, m, n):
    rows = spark.range(n).selectExpr("TIMESTAMP '2024-01-01' t", "1D fare", f"id < {m} p")
    call = CALL | dict(window="1 hour", every="1 hour", predicates={"p": "p"})
    for share in (m / n, Decimal(m) / n, np.float32(0.01)):
        assert shapwin.explain(rows, **call, min_support=share).count() == 1
    assert shapwin.explain(rows, **call, min_support=math.nextafter(m / n, 1)).count() == 0


def test_keys_may_have_any_name_beside_top_k(df):
    for name in ("place", "_PLACE"):
        keyed = df.withColumnRenamed("key", name)
        found = shapwin.explain(keyed, **CALL, predicates=PREDICATES, by=name, top_k=np.int64(1))
        assert found.columns == [name, *LONG_TABLE]
        assert found.count() == found.select(name, "window_start").distinct().count() > 2


def test_a_center_takes_no_digits_from_windows(spark):
    rows = spark.range(4).selectExpr("TIMESTAMP '2024-01-01' t", "1e9D + id / 10 fare", "true p")
    call = CALL | dict(statistics="var_pop", predicates={"p": "p"})
    found = [shapwin.explain(rows, **call, center=c).head().value for c in (None, 0.0, 7)]
    assert found[0] == found[1] == found[2] == pytest.approx(0.0125, rel=1e-6)


@pytest.mark.parametrize("way", [{}, dict(queries="atoms"), dict(semantics="players")])
def test_a_group_of_more_than_all_is_as_wrong_as_one_of_less_than_none(spark, way):
    rows = spark.sql(
        "SELECT TIMESTAMP '2024-01-01' t, 1D fare, k, p, 'a' route, 3 day "
        "FROM VALUES (2, true), (-1, false) AS v(k, p)"
    )
    call = CALL | dict(window="1 hour", every="1 hour", by=["route", "day"], multiplicity="k")
    wrong = shapwin.explain(rows, **call, predicates={"p": "p"}, **way)
    message = (
        r"window from 2024-01-01 00:00:00.*, route = 'a', day = 3, or a group in it has -1 tup"
    )
    with pytest.raises(Exception, match=message):
        wrong.collect()


@pytest.mark.parametrize(
    ("copies", "message"),
    [
        ("9223372036854775807L", "multiplicity is 9223372036854775807: at most 9,007,199,254,740"),
        ("9007199254740992L", "18014398509481984 tuples, more than can be counted exactly"),
    ],
)
def test_more_tuples_than_can_be_counted_stop_the_job(spark, copies, message):
    rows = spark.sql(f"SELECT TIMESTAMP '2024-01-01' t, id fare, {copies} k FROM range(2)")
    call = CALL | dict(window="1 hour", every="1 hour", predicates={"p": "true"})
    with pytest.raises(Exception, match=message):
        shapwin.explain(rows, **call, multiplicity="k").collect()


def test_no_two_atoms_share_a_label(spark):
    rows = spark.sql(
        "SELECT TIMESTAMP '2024-01-01' t, id fare, elt(id + 1, 'x', 'y', 'z') g FROM range(3)"
    )
    names = {"a": "g = 'x'", "b": "g = 'x'", "a AND b": "g = 'y'"}
    call = CALL | dict(window="1 hour", every="1 hour", queries="atoms")
    found = shapwin.explain(rows, **call, predicates=names).collect()
    assert {r.predicate: r.group_mean for r in found} == {"a AND b": 0, "`a AND b`": 1, "(none)": 2}


def test_too_many_atoms_stop_the_job_with_the_way_out(df):
    few = shapwin.explain(df, **CALL, predicates=PREDICATES, queries="atoms", max_atoms=2)
    with pytest.raises(Exception, match=r"4 atoms.*more than max_atoms=2: use fewer predicates"):
        few.collect()
    # Listed queries need fewer: rows are grouped by what they can tell apart.
    query = {"either": "eu OR high"}
    assert shapwin.explain(df, **CALL, predicates=PREDICATES, queries=query, max_atoms=2).count()


def test_more_than_64_queries(df):
    queries = {f"q{k}": "eu" if k % 2 else "high AND NOT eu" for k in range(70)}
    found = table(shapwin.explain(df, **CALL, predicates=PREDICATES, queries=queries))
    few = table(shapwin.explain(df, **CALL, predicates=PREDICATES, queries={"q69": "eu"}))
    last = found[found.predicate == "q69"].reset_index(drop=True)
    pd.testing.assert_frame_equal(last, few, rtol=1e-12, atol=1e-10)


@pytest.mark.parametrize("by", [(), "key"])
def test_predicates_as_players(df, by):
    usual = df.where("abs(fare) < 1e6")
    call = CALL | dict(predicates=PREDICATES, by=by, statistics=("avg", "var_pop"))
    found = table(shapwin.explain(usual, semantics="players", **call), *([by] if by else []))
    assert found[["share", "lift", "weight"]].isna().all().all()
    rows = usual.toPandas()
    rows["signature"] = (rows.region == "EU") * 1 + (rows.fare > 20) * 2
    keys = [by] if by else []
    for where, window in found.groupby([*keys, "window_start", "statistic"], dropna=False):
        start, statistic = where[-2:]
        inside = rows[(rows.t >= start) & (rows.t < start + pd.Timedelta("40 minutes"))]
        if by:
            inside = inside[inside.key.eq(where[0]) | (inside.key.isna() & pd.isna(where[0]))]
        atoms = {int(s): shapwin.Summary.of(group.fare) for s, group in inside.groupby("signature")}
        expected = player_values(statistic, atoms, list(PREDICATES))
        ordered = window.set_index("predicate").loc[list(expected.players)]
        np.testing.assert_allclose(ordered.phi, expected.shapley, rtol=1e-11, atol=1e-11)
        np.testing.assert_allclose(ordered.phi.sum(), window.value.iloc[0], rtol=1e-11)
        sizes = [(inside.region == "EU").sum(), (inside.fare > 20).sum()]
        assert list(ordered.m) == [*sizes, (inside.signature == 0).sum()]


def test_what_one_player_lacks_is_no_other_players(spark):
    """A NaN stays with the player that has it; one without tuples has no mean."""
    at = dt.datetime(2024, 1, 1)
    rows = spark.createDataFrame(
        [(at, math.nan, "a"), (at, 3.0, "b")], "t TIMESTAMP, y DOUBLE, p STRING"
    )
    found = table(
        shapwin.explain(
            rows,
            value="y",
            time="t",
            window="1 hour",
            every="1 hour",
            predicates={"a": "p = 'a'", "b": "p = 'b'"},
            semantics="players",
        )
    ).set_index("predicate")
    assert math.isnan(found.group_mean["a"])
    assert found.group_mean["b"] == 3.0
    assert found.m["(other)"] == 0
    assert found.group_mean.isna()["(other)"]
    assert found.n.eq(2).all()


def test_players_are_few(df):
    many = {f"p{k}": "fare > 1" for k in range(21)}
    with pytest.raises(ArgumentError, match="at most 20 with semantics='players'"):
        shapwin.explain(df, **CALL, predicates=many, semantics="players")


def test_float_keys_that_are_equal_are_one_key(spark):
    rows = [(dt.datetime(2024, 1, 1), 1.0, k) for k in (0.0, -0.0, math.nan, math.nan, None, 1.0)]
    df = spark.createDataFrame(rows, "t timestamp, fare double, key double").repartition(3)
    call = dict(value="fare", time="t", window="1 hour", every="1 hour", statistics="count")
    found = shapwin.explain(df, predicates={"all": "true"}, by="key", **call).collect()
    counts = sorted((str(row["key"]), row["n"]) for row in found)
    assert counts == [("0.0", 2), ("1.0", 1), ("None", 1), ("nan", 2)]


def test_many_small_keys_and_one_large_one(spark):
    small = spark.range(20_000).selectExpr(
        "id AS key",
        "timestamp_seconds(1704067200 + id % 7200) AS t",
        "CAST(id % 13 AS DOUBLE) AS fare",
    )
    large = spark.range(30_000).selectExpr(
        "-1L AS key",
        "timestamp_seconds(1704067200 + id % 7200) AS t",
        "CAST(id % 11 AS DOUBLE) AS fare",
    )
    call = dict(value="fare", time="t", window="1 hour", every="1 hour", statistics="avg")
    found = shapwin.explain(
        small.union(large), predicates={"low": "fare < 5"}, by="key", **call
    ).toPandas()
    assert len(found) == 20_002
    one = found[found.key == 17].iloc[0]
    assert (one.n, one.value, one.m) == (1, 4.0, 1)
    of_large = found[found.key == -1]
    assert of_large.n.sum() == 30_000
    assert of_large.m.sum() == sum(1 for i in range(30_000) if i % 11 < 5)


def test_yesterdays_panes_and_todays_are_one_run_over_both(df, tmp_path):
    call = dict(value="fare", time="t", every="5 minutes", predicates=PREDICATES, by="key")
    asked = dict(window="40 minutes", every="15 minutes", statistics=ALL)
    path = str(tmp_path / "panes")
    for day in ("t < '1970-01-01'", "t >= '1970-01-01'"):
        shapwin.panes(df.where(day), **call).write.mode("append").parquet(path)
    spark = df.sparkSession
    at_once = shapwin.explain(df, **CALL, predicates=PREDICATES, by="key", statistics=ALL)
    same(shapwin.attribute(spark.read.parquet(path), **asked), at_once, "key")

    before = table(shapwin.attribute(spark.read.parquet(path), **asked), "key")
    late = spark.createDataFrame([(dt.datetime(1970, 1, 1, 1, 1), 23.0, 0.0, "EU", 1.0)], df.schema)
    shapwin.panes(late, **call).write.mode("append").parquet(path)
    after = table(shapwin.attribute(spark.read.parquet(path), **asked), "key")
    changed = (before.n != after.n) | (before.phi != after.phi)
    start = before.window_start[changed & before.phi.notna() & after.phi.notna()]
    holds_it = (before.key == 1.0) & before.window_start.between(
        pd.Timestamp("1970-01-01 00:21:01"), pd.Timestamp("1970-01-01 01:01")
    )
    assert set(start) <= set(before.window_start[holds_it])
    assert (after.n - before.n)[holds_it].eq(1).all()
    assert (after.n - before.n)[~holds_it].eq(0).all()


def test_dimensions_keep_apart_what_has_one_name(spark):
    texts = ["(other)"] * 40 + ["eu"] * 30 + ["EU"] * 20 + [f"r{k}" for k in range(20)]
    rows = [(dt.datetime(2024, 1, 1), 1.0, r) for r in texts]
    df = spark.createDataFrame(rows, "t timestamp, fare double, r string")
    found = table(shapwin.explain(df, **CALL, dimensions="r", statistics="count"))
    first = found[found.window_start == found.window_start.min()].set_index("predicate").m
    assert first.sum() == len(texts)
    assert (first["r=(other)"], first["r=(other) (2)"], first["r=eu"], first["r=EU (2)"]) == (
        40, 7, 30, 20
    )  # fmt: skip
    assert "r IS NULL" not in first
    assert shapwin.explain(df.where("false"), **CALL, dimensions="r").collect() == []


def test_collated_keys_are_refused(df):
    collated = df.withColumn("r", F.expr("region COLLATE UTF8_LCASE"))
    with pytest.raises(ShapwinError, match="by column 'r' is STRING COLLATE UTF8_LCASE"):
        shapwin.explain(collated, **CALL, predicates=PREDICATES, by="r")


@pytest.mark.parametrize(
    "wrong",
    [dict(by=None), dict(by=3), dict(by={"key"}), dict(value=None), dict(value={"a": "fare"}),
     dict(statistics=None), dict(dimensions=3), dict(window="１ hour")],
)  # fmt: skip
def test_what_is_no_name_is_refused(df, wrong):
    with pytest.raises(ShapwinError, match=f"{next(iter(wrong))}="):
        shapwin.explain(df, **{**CALL, "predicates": PREDICATES, **wrong})


def test_a_group_from_which_more_was_taken_back_than_was_there_stops_the_job(spark):
    rows = [(dt.datetime(2024, 1, 1), 1.0, "EU", 4), (dt.datetime(2024, 1, 1), 2.0, "US", -3)]
    df = spark.createDataFrame(rows, "t timestamp, fare double, region string, k int")
    found = shapwin.explain(df, **CALL, predicates={"us": "region = 'US'"}, multiplicity="k")
    with pytest.raises(Exception, match="or a group in it has -3 tuples"):
        found.collect()


def test_a_day_has_24_hours_where_clocks_change(spark, tmp_path):
    """In a zone with summer time, every route gives the instants that it gives in UTC."""
    seconds = [day * 86_400 + 7_200 for day in (0, 1, 2, 9, 10)]  # from 26 March 2026
    start = 1_774_483_200
    call = dict(predicates={"p": "y > 1"}, statistics="count")

    def instants(make):
        found = make(
            spark.createDataFrame([(start + s, float(s)) for s in seconds], "s long, y double")
            .selectExpr("timestamp_seconds(s) t", "y")
        )  # fmt: skip
        micros = found.selectExpr(
            "unix_micros(window_start) a", "unix_micros(window_end) b", "n", "m"
        )
        return sorted(map(tuple, micros.collect()))

    def explained(df):
        return shapwin.explain(
            df, value="y", time="t", window="2 days", every="1 day", empty="emit", **call
        )

    def panes(df):
        made = shapwin.panes(df, value="y", time="t", every="1 day", predicates=call["predicates"])
        path = str(tmp_path / spark.conf.get("spark.sql.session.timeZone")[:3])
        made.write.mode("overwrite").option("header", True).csv(path)  # loses columns' comments
        read = spark.read.csv(path, header=True, inferSchema=True)
        return shapwin.attribute(read, window="2 days", empty="emit", statistics="count")

    def touched(df):
        sink = shapwin.PaneSink(
            str(tmp_path / spark.conf.get("spark.sql.session.timeZone")[-3:]),
            value="y", time="t", every="1 day", predicates=call["predicates"],
        )  # fmt: skip
        sink(df, 0)
        return sink.touched(spark, after=-1, window="2 days", statistics="count")

    routes = (explained, panes, touched)
    utc = [instants(route) for route in routes]
    try:
        spark.conf.set("spark.sql.session.timeZone", "Europe/Copenhagen")
        assert [instants(route) for route in routes] == utc
    finally:
        spark.conf.set("spark.sql.session.timeZone", "UTC")
    day = 86_400 * 1_000_000
    assert all(end - begin == 2 * day for found in utc for begin, end, *_ in found)
    assert [len(found) for found in utc] == [12, 12, 7]
