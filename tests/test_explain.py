"""explain, panes and attribute against Spark's own windows and against brute force."""

from __future__ import annotations

import datetime as dt
import math
from itertools import product

import numpy as np
import pandas as pd
import pytest
from pyspark.sql import functions as F

import shapwin

PREDICATES = {"eu": "region = 'EU'", "gold": "tier = 'gold'", "big": "fare > 20"}
STATISTICS = ("sum", "count", "avg", "var_pop", "var_samp")
LONG_TABLE = [
    ("window_start", "timestamp"),
    ("window_end", "timestamp"),
    ("statistic", "string"),
    ("predicate", "string"),
    ("n", "bigint"),
    ("value", "double"),
    ("m", "bigint"),
    ("group_mean", "double"),
    ("phi", "double"),
    ("share", "double"),
    ("lift", "double"),
    ("weight", "double"),
]


def trips(count=400, seed=1):
    """Trips over six hours with NULLs in every column, ties and a quiet hour."""
    rng = np.random.default_rng(seed)
    minutes = rng.integers(0, 360, count)
    minutes = minutes[(minutes < 120) | (minutes >= 200)]
    count = len(minutes)

    def some(values, missing=0.1):
        return [None if rng.random() < missing else v for v in values]

    return pd.DataFrame(
        {
            "t": [dt.datetime(2024, 1, 1) + dt.timedelta(minutes=int(m)) for m in minutes],
            "fare": some([float(v) for v in rng.normal(20, 8, count).round(2)]),
            "region": some(rng.choice(["EU", "US"], count)),
            "tier": some(rng.choice(["gold", "tin"], count)),
            "vendor": some(rng.choice(["a", "b"], count)),
        }
    )


def as_spark(spark, rows):
    objects = rows.astype(object).where(rows.notna(), None)
    times = [t.to_pydatetime() for t in rows.t]
    records = list(zip(times, *(objects[c] for c in objects.columns[1:]), strict=True))
    return spark.createDataFrame(
        records, "t timestamp, fare double, region string, tier string, vendor string"
    )


@pytest.fixture(scope="module")
def rows():
    return trips()


@pytest.fixture(scope="module")
def df(spark, rows):
    return as_spark(spark, rows).cache()


@pytest.fixture(scope="module")
def explained(df):
    return shapwin.explain(
        df,
        value="fare",
        time="t",
        window="1 hour",
        every="5 minutes",
        predicates=PREDICATES,
        statistics=STATISTICS,
    ).toPandas()


def member_of(rows, query):
    masks = {
        "eu": (rows.region == "EU").to_numpy(),
        "gold": (rows.tier == "gold").to_numpy(),
        "big": (rows.fare > 20).to_numpy(),
    }
    return eval(query, {}, masks)


def brute_force(rows, start, end, statistic, member):
    """Attribute one window from its rows alone, by the core."""
    inside = ((rows.t >= start) & (rows.t < end) & rows.fare.notna()).to_numpy()
    values = rows.fare.to_numpy(dtype=float)
    total = shapwin.Summary.of(values[inside])
    return shapwin.closed_form(statistic, total, shapwin.Summary.of(values[inside & member]))


def test_long_table_has_its_columns_and_types(df):
    result = shapwin.explain(
        df, value="fare", time="t", window="1 hour", every="1 hour", predicates=PREDICATES
    )
    assert result.dtypes == LONG_TABLE
    assert {field.name for field in result.schema if field.nullable} == {"group_mean"}


@pytest.mark.parametrize(
    ("options", "unknown"),
    [
        ({"semantics": "players"}, {"group_mean", "share", "lift", "weight"}),
        (
            {"empty": "emit"},
            {"value", "group_mean", "phi", "share", "lift", "weight"},
        ),
    ],
)
def test_what_may_be_null_is_declared_so(df, options, unknown):
    result = shapwin.explain(
        df,
        value="fare",
        time="t",
        window="1 hour",
        every="1 hour",
        predicates=PREDICATES,
        **options,
    )
    assert unknown <= {field.name for field in result.schema if field.nullable}
    assert not result.schema["statistic"].nullable


def test_every_window_equals_brute_force(rows, explained):
    assert len(explained) > 1000
    for row in explained.itertuples():
        member = member_of(rows, row.predicate)
        want = brute_force(rows, row.window_start, row.window_end, row.statistic, member)
        assert (row.n, row.m) == (want.n, want.m)
        scale = max(abs(want.phi), abs(want.value), 1.0)
        for name in ("value", "phi", "share", "lift", "weight"):
            assert getattr(row, name) == pytest.approx(getattr(want, name), abs=1e-12 * scale)


def test_value_and_windows_are_those_of_sparks_own_aggregate(df, explained):
    own = {
        (row.window.start, statistic): row[statistic]
        for row in df.groupBy(F.window("t", "1 hour", "5 minutes"))
        .agg(*(F.expr(f"{s}(fare)").alias(s) for s in STATISTICS))
        .collect()
        for statistic in STATISTICS
        if row["count"]
    }
    ours = {(r.window_start, r.statistic): (r.n, r.value) for r in explained.itertuples()}
    assert set(ours) == set(own)
    for key, (n, value) in ours.items():
        if key[1] == "var_samp" and n == 1:
            assert value == 0
        else:
            assert value == pytest.approx(own[key], rel=1e-9, abs=1e-12)


def test_atoms_add_up_to_the_value(df):
    atoms = shapwin.explain(
        df,
        value="fare",
        time="t",
        window="1 hour",
        every="5 minutes",
        predicates=PREDICATES,
        statistics=STATISTICS,
        queries="atoms",
    ).toPandas()
    assert "(none)" in set(atoms.predicate)
    assert "eu AND gold" in set(atoms.predicate)
    for (_, statistic), window in atoms.groupby(["window_start", "statistic"]):
        value = window.value.iloc[0]
        assert window.m.sum() == window.n.iloc[0]
        assert window.phi.sum() == pytest.approx(value, rel=1e-9, abs=1e-9), statistic


def test_a_query_is_the_sum_of_its_atoms(df, rows):
    queries = {"both": "eu AND gold", "odd": "NOT eu OR big", "none": "eu AND NOT eu"}
    result = shapwin.explain(
        df,
        value="fare",
        time="t",
        window="1 hour",
        every="1 hour",
        predicates=PREDICATES,
        statistics=["avg", "var_pop"],
        queries=queries,
    ).toPandas()
    python = {"both": "eu & gold", "odd": "~eu | big", "none": "eu & ~eu"}
    for row in result.itertuples():
        member = member_of(rows, python[row.predicate])
        want = brute_force(rows, row.window_start, row.window_end, row.statistic, member)
        assert row.phi == pytest.approx(want.phi, abs=1e-10)
        assert row.m == want.m
        assert math.isnan(row.group_mean) == (row.m == 0)


def test_keys_have_windows_of_their_own(df, rows):
    result = shapwin.explain(
        df,
        value="fare",
        time="t",
        window="2 hours",
        every="1 hour",
        predicates=PREDICATES,
        by=["vendor"],
    ).toPandas()
    assert list(result.columns[:2]) == ["vendor", "window_start"]
    assert {None if pd.isna(v) else v for v in result.vendor} == {"a", "b", None}
    for row in result.itertuples():
        of_key = rows[rows.vendor.isna() if pd.isna(row.vendor) else rows.vendor == row.vendor]
        want = brute_force(
            of_key, row.window_start, row.window_end, "avg", member_of(of_key, row.predicate)
        )
        assert row.phi == pytest.approx(want.phi, abs=1e-10)


@pytest.mark.parametrize(
    ("window", "every"),
    [("1 hour", "25 minutes"), ("10 minutes", "1 hour"), ("7 minutes", "5 minutes")],
)
def test_any_window_and_step(df, rows, window, every):
    result = shapwin.explain(
        df, value="fare", time="t", window=window, every=every, predicates=PREDICATES
    ).toPandas()
    length, step = pd.Timedelta(window), pd.Timedelta(every)
    starts = set(result.window_start)
    assert all((start - pd.Timestamp(0)) % step == pd.Timedelta(0) for start in starts)
    assert set(result.window_end - result.window_start) == {length}
    for row in result.itertuples():
        member = member_of(rows, row.predicate)
        want = brute_force(rows, row.window_start, row.window_end, "avg", member)
        assert (row.n, row.m) == (want.n, want.m)
        assert row.phi == pytest.approx(want.phi, abs=1e-10)
    players = rows[rows.fare.notna()].t
    first = players.min().floor(step) - math.ceil(length / step) * step
    for start in pd.date_range(first, players.max(), freq=step):
        covered = ((players >= start) & (players < start + length)).any()
        assert covered == (start in starts)


def test_right_closed_windows_take_their_end_and_not_their_start(spark):
    rows = [
        ("2024-01-01 00:00:00", 1.0),
        ("2024-01-01 00:30:00", 2.0),
        ("2024-01-01 01:00:00", 4.0),
    ]
    df = spark.createDataFrame(rows, "t string, y double").selectExpr("timestamp(t) AS t", "y")
    result = shapwin.explain(
        df,
        value="y",
        time="t",
        window="1 hour",
        every="1 hour",
        predicates={"all": "true"},
        statistics="sum",
        closed="right",
    )
    found = {(str(r.window_start), str(r.window_end)): r.value for r in result.collect()}
    assert found == {
        ("2023-12-31 23:00:00", "2024-01-01 00:00:00"): 1.0,
        ("2024-01-01 00:00:00", "2024-01-01 01:00:00"): 6.0,
    }


def test_empty_windows_are_skipped_or_emitted(df):
    def run(**options):
        return shapwin.explain(
            df,
            value="fare",
            time="t",
            window="10 minutes",
            every="10 minutes",
            predicates=PREDICATES,
            statistics=("avg", "sum"),
            **options,
        ).toPandas()

    skipped, emitted = run(), run(empty="emit")
    assert (skipped.n > 0).all()
    gap = emitted[emitted.n == 0]
    starts = pd.date_range("2024-01-01 02:00", "2024-01-01 03:10", freq="10min")
    assert sorted(set(gap.window_start)) == list(starts)
    assert len(gap) == len(starts) * len(PREDICATES) * 2
    assert (gap.m == 0).all()
    assert gap[["value", "group_mean", "phi", "share", "lift", "weight"]].isna().all(axis=None)
    assert len(emitted) == len(skipped) + len(gap)


def test_a_stray_timestamp_is_one_window_and_emit_refuses_to_fill_the_gap(spark):
    rows = [(dt.datetime(2024, 1, 1), 1.0), (dt.datetime(2041, 1, 1), 2.0)]
    df = spark.createDataFrame(rows, "t timestamp, y double")
    call = dict(value="y", time="t", window="1 minute", every="1 minute", predicates={"p": "true"})
    assert shapwin.explain(df, **call).count() == 2
    with pytest.raises(shapwin.errors.ArgumentError, match=r"2024-01-01.*2041-01-01.*1000000"):
        shapwin.explain(df, empty="emit", **call)


def test_pane_table_has_its_columns(df):
    table = shapwin.panes(
        df, value="fare", time="t", every="5 minutes", predicates=PREDICATES, by="vendor"
    )
    assert table.dtypes == [
        ("vendor", "string"),
        ("pane", "timestamp"),
        ("pane_end", "timestamp"),
        ("signature", "bigint"),
        ("eu", "boolean"),
        ("gold", "boolean"),
        ("big", "boolean"),
        ("m", "bigint"),
        ("a", "double"),
        ("b", "double"),
        ("center", "double"),
    ]
    first = table.toPandas()
    bits = first.eu * 1 + first.gold * 2 + first.big * 4
    assert (bits == first.signature).all()
    assert (first.a.abs() <= 1e-12 * first.m * first.center.abs()).all()  # the centre is the mean


def test_attribute_equals_explain_also_after_writing_and_appending(spark, df, tmp_path):
    call = dict(value="fare", time="t", every="5 minutes", predicates=PREDICATES)
    path = str(tmp_path / "panes")
    early, late = df.where("minute(t) % 2 = 0"), df.where("minute(t) % 2 = 1")
    shapwin.panes(early, **call).write.parquet(path)
    shapwin.panes(late, **call).write.mode("append").parquet(path)
    again = shapwin.attribute(
        spark.read.parquet(path), window="1 hour", every="10 minutes", statistics=STATISTICS
    )
    at_once = shapwin.explain(
        df,
        value="fare",
        time="t",
        window="1 hour",
        every="10 minutes",
        predicates=PREDICATES,
        statistics=STATISTICS,
    )
    keys = ["window_start", "statistic", "predicate"]
    left, right = (t.toPandas().sort_values(keys).reset_index(drop=True) for t in (again, at_once))
    pd.testing.assert_frame_equal(left, right, rtol=1e-10, atol=1e-10)


def test_attribute_reads_a_table_made_elsewhere(spark, df):
    """Without the noted pane length, and with predicates in another order than the signature."""
    made = shapwin.panes(df, value="fare", time="t", every="5 minutes", predicates=PREDICATES)
    bare = spark.createDataFrame(
        made.select(
            *("pane", "pane_end", "signature", "big", "gold", "eu", "m", "a", "b", "center")
        ).rdd,
        "pane timestamp, pane_end timestamp, signature bigint, big boolean, gold boolean, "
        "eu boolean, m bigint, a double, b double, center double",
    )
    columns = ["window_start", "predicate", "phi"]
    left, right = (
        shapwin.attribute(table, window="1 hour").select(*columns).toPandas().sort_values(columns)
        for table in (bare, made)
    )
    pd.testing.assert_frame_equal(left.reset_index(drop=True), right.reset_index(drop=True))


def test_a_null_boolean_of_an_older_pane_row_is_an_error_that_names_it(df):
    made = shapwin.panes(df, value="fare", time="t", every="5 minutes", predicates=PREDICATES)
    older = made.withColumn("gold", F.lit(None).cast("boolean"))
    with pytest.raises(Exception, match="predicate 'gold' is NULL in a row of the pane table"):
        shapwin.attribute(older, window="1 hour").collect()


def test_a_predicate_that_came_later_is_missed_in_older_rows(df):
    old = shapwin.panes(df, value="fare", time="t", every="5 minutes", predicates=PREDICATES)
    more = PREDICATES | {"late": "minute(t) > 30"}
    new = shapwin.panes(df, value="fare", time="t", every="5 minutes", predicates=more)
    for both in (
        old.unionByName(new, allowMissingColumns=True),
        new.unionByName(old, allowMissingColumns=True),
    ):
        with pytest.raises(Exception, match="predicate 'late' is NULL in a row of the pane table"):
            shapwin.attribute(both, window="1 hour").collect()


def test_panes_of_two_lengths_are_an_error(df):
    short, long = (
        shapwin.panes(df, value="fare", time="t", every=every, predicates=PREDICATES)
        for every in ("5 minutes", "30 minutes")
    )
    with pytest.raises(Exception, match="a pane that is not 0:05:00 long, or does not begin"):
        shapwin.attribute(short.unionByName(long), window="1 hour").collect()


def test_names_of_sums_are_free_in_explain_and_taken_in_panes(df):
    call = dict(value="fare", time="t", every="1 hour", predicates={"m": "region = 'EU'"})
    renamed = df.withColumnRenamed("vendor", "b")
    result = shapwin.explain(renamed, window="1 hour", by="b", **call)
    assert result.columns[0] == "b"
    assert {row.predicate for row in result.collect()} == {"m"}
    with pytest.raises(shapwin.errors.ColumnError, match="'m' is the name of a column"):
        shapwin.panes(df, **call)
    call["predicates"] = PREDICATES
    with pytest.raises(shapwin.errors.ColumnError, match="'b' is the name of a column"):
        shapwin.panes(renamed, by="b", **call)


def test_nan_and_inf_stay_in_their_windows(spark):
    start = dt.datetime(2024, 1, 1)
    values = [1.0, 2.0, math.nan, 4.0, math.inf, 6.0, 1e17, 3.0, 5.0]
    rows = [(start + dt.timedelta(minutes=10 * i), v, i % 2 == 0) for i, v in enumerate(values)]
    df = spark.createDataFrame(rows, "t timestamp, y double, p boolean")
    result = shapwin.explain(
        df,
        value="y",
        time="t",
        window="20 minutes",
        every="10 minutes",
        predicates={"p": "p", "q": "NOT p"},
        statistics=STATISTICS,
    ).toPandas()
    own = (
        df.groupBy(F.window("t", "20 minutes", "10 minutes"))
        .agg(
            *(F.expr(f"{s}(y)").alias(s) for s in STATISTICS),
            F.expr("sum(if(p, y, 0))").alias("p"),
            F.expr("sum(if(NOT p, y, 0))").alias("q"),
        )
        .collect()
    )
    for row in own:
        of = result[result.window_start == row.window.start]
        for statistic, predicate in product(STATISTICS, ("p", "q")):
            found = of[(of.statistic == statistic) & (of.predicate == predicate)].iloc[0]
            want = row[statistic] if row[statistic] is not None else 0.0
            assert found.value == pytest.approx(want, rel=1e-12, nan_ok=True)
            if statistic == "sum":
                assert found.phi == pytest.approx(row[predicate], rel=1e-12, nan_ok=True)
    last = result[result.window_start == result.window_start.max()]
    assert last[last.statistic == "var_pop"].value.iloc[0] == 0


def exact_var_pop(values):
    mean = sum(values) / len(values)
    return sum((v - mean) ** 2 for v in values) / len(values)


@pytest.mark.parametrize("name", ["step", "ramp", "epoch", "normal"])
def test_no_digits_are_lost_far_from_zero(spark, name):
    """One key whose level moves from 0 to 10⁹, epoch seconds, and N(10⁶, 1)."""
    from fractions import Fraction

    rng = np.random.default_rng(3)
    i = np.arange(2000)
    values = {
        "step": np.where(i < 1000, 0.0, 1e9) + rng.normal(0, 1, i.size),
        "ramp": 1e9 * i / i.size + rng.normal(0, 1, i.size),
        "epoch": 1704067200.0 + rng.integers(0, 60, i.size),
        "normal": rng.normal(1e6, 1, i.size),
    }[name]
    member = rng.random(i.size) < 0.3
    start = dt.datetime(2024, 1, 1)
    rows = [
        (start + dt.timedelta(seconds=10 * int(k)), float(v), bool(p))
        for k, v, p in zip(i, values, member, strict=True)
    ]
    df = spark.createDataFrame(rows, "t timestamp, y double, p boolean").repartition(5)
    result = shapwin.explain(
        df,
        value="y",
        time="t",
        window="1 hour",
        every="10 minutes",
        predicates={"p": "p"},
        statistics=("avg", "var_pop"),
    ).toPandas()
    times = np.array([np.datetime64(r[0]) for r in rows])
    for row in result.itertuples():
        inside = (times >= np.datetime64(row.window_start)) & (
            times < np.datetime64(row.window_end)
        )
        exact = [Fraction(v) for v in values[inside]]
        of_group = [Fraction(v) for v in values[inside & member]]
        n, m = len(exact), len(of_group)
        mean = sum(exact) / n
        if row.statistic == "avg":
            z, part, largest = mean, sum(of_group) / n, max(map(abs, exact)) / n
            weight = Fraction(shapwin.harmonic(n) - 1) * n / (n - 1) if n > 1 else 0
        else:
            z, part = exact_var_pop(exact), sum((v - mean) ** 2 for v in of_group) / n
            largest = max((v - mean) ** 2 for v in exact) / n
            h, h2 = shapwin.harmonic(n), shapwin.harmonic2(n)
            weight = Fraction((n * (n * (h - h2) / (n - 1)) - (n - 1)) / (n - 2)) if n > 2 else 0
        phi = part + weight * (part - Fraction(m, n) * z)
        bar = 1e-12 * max(float(largest), abs(float(z)))
        assert abs(Fraction(row.value) - z) <= bar
        assert abs(Fraction(row.phi) - phi) <= bar


def test_a_constant_column_has_no_variance(spark):
    rows = [(dt.datetime(2024, 1, 1, i // 60, i % 60), 0.1, i % 3 == 0) for i in range(240)]
    df = spark.createDataFrame(rows, "t timestamp, y double, p boolean")
    result = shapwin.explain(
        df,
        value="y",
        time="t",
        window="1 hour",
        every="7 minutes",
        predicates={"p": "p"},
        statistics=("var_pop", "var_samp"),
    ).toPandas()
    assert (result[["value", "phi", "share", "lift"]] == 0).all(axis=None)


def test_row_order_and_partitioning_do_not_matter(df, explained):
    again = shapwin.explain(
        df.repartition(7).orderBy(F.rand(5)),
        value="fare",
        time="t",
        window="1 hour",
        every="5 minutes",
        predicates=PREDICATES,
        statistics=STATISTICS,
    ).toPandas()
    keys = ["window_start", "statistic", "predicate"]
    left, right = (t.sort_values(keys).reset_index(drop=True) for t in (again, explained))
    pd.testing.assert_frame_equal(left, right, rtol=1e-12, atol=1e-12)


def test_center_by_hand_gives_the_same(df, explained):
    for center, by in ((20.0, ()), ({"a": 10.0, "b": 20.0, None: 5.0}, ("vendor",))):
        call = dict(
            value="fare", time="t", window="1 hour", every="5 minutes", predicates=PREDICATES, by=by
        )
        keys = [*by, "window_start", "predicate"]
        left, right = (
            shapwin.explain(df, center=c, **call)
            .toPandas()
            .sort_values(keys)
            .reset_index(drop=True)
            for c in (center, None)
        )
        pd.testing.assert_frame_equal(left, right, rtol=1e-11, atol=1e-11)


def test_covariances_with_a_second_column(spark):
    rng = np.random.default_rng(4)
    start = dt.datetime(2024, 1, 1)
    y, x = rng.normal(1e6, 1, 60), rng.normal(-3, 2, 60)
    rows = [
        (
            start + dt.timedelta(minutes=i),
            float(y[i]),
            None if i % 9 == 0 else float(x[i]),
            i % 4 < 2,
        )
        for i in range(60)
    ]
    df = spark.createDataFrame(rows, "t timestamp, y double, x double, p boolean")
    result = shapwin.explain(
        df,
        value="y",
        other="x",
        time="t",
        window="30 minutes",
        every="30 minutes",
        predicates={"p": "p"},
        statistics=("covar_pop", "covar_samp", "avg"),
    ).toPandas()
    assert len(result) == 6
    for row in result.itertuples():
        minute = int((row.window_start - pd.Timestamp(start)).total_seconds() // 60)
        inside = [i for i in range(minute, minute + 30) if i % 9]
        group = [i for i in inside if i % 4 < 2]
        want = shapwin.closed_form(
            row.statistic,
            shapwin.Summary.of(y[inside], x[inside]),
            shapwin.Summary.of(y[group], x[group]),
        )
        assert (row.n, row.m) == (want.n, want.m)
        assert row.value == pytest.approx(want.value, rel=1e-12)
        assert row.phi == pytest.approx(want.phi, rel=1e-12)


def test_multiplicity_stands_for_equal_tuples_and_takes_back(spark):
    start = dt.datetime(2024, 1, 1)
    plain = [(start, 2.0, True, 1)] * 3 + [(start, 5.0, False, 1)] * 2
    compressed = [
        (start, 2.0, True, 3),
        (start, 5.0, False, 2),
        (start, 1e17, True, 1),
        (start, 1e17, True, -1),
        (start, math.nan, False, 2),
        (start, math.nan, False, -2),
    ]
    schema = "t timestamp, y double, p boolean, k int"
    left, right = (
        shapwin.explain(
            spark.createDataFrame(rows, schema),
            value="y",
            time="t",
            window="1 hour",
            every="1 hour",
            predicates={"p": "p"},
            statistics=STATISTICS,
            multiplicity="k",
        )
        .toPandas()
        .sort_values("statistic", ignore_index=True)
        for rows in (plain, compressed)
    )
    pd.testing.assert_frame_equal(left, right, check_exact=True)
    assert set(left.n) == {5}


def test_odd_names_and_literals_are_data(spark):
    rows = [(dt.datetime(2024, 1, 1), 1.0, "O'Hare"), (dt.datetime(2024, 1, 1), 3.0, "a`b")]
    df = spark.createDataFrame(rows, "`ti me` timestamp, `fa``re` double, `zo.ne` string")
    result = shapwin.explain(
        df,
        value="fa`re",
        time="ti me",
        window="1 hour",
        every="1 hour",
        predicates={"a": '`zo.ne` = "O\'Hare"', "it's `odd`": F.col("`zo.ne`") == "a`b"},
        by="zo.ne",
        queries={"x'y": "a OR `it's ``odd```"},
    ).collect()
    assert {(r["zo.ne"], r.predicate, r.phi) for r in result} == {
        ("O'Hare", "x'y", 1.0),
        ("a`b", "x'y", 3.0),
    }


@pytest.mark.parametrize(
    ("kind", "instants"),
    [
        ("timestamp_ntz", ["1969-12-31 23:59:59.999999", "1970-01-01 00:00:00"]),
        ("timestamp", ["1969-12-31 23:59:59.999999", "1970-01-01 00:00:00"]),
        ("date", ["1969-12-31", "1970-01-01"]),
    ],
)
def test_time_types_and_times_before_the_epoch(spark, kind, instants):
    df = spark.createDataFrame([(t, 1.0) for t in instants], "t string, y double")
    df = df.withColumn("t", F.col("t").cast(kind))
    result = shapwin.explain(
        df, value="y", time="t", window="1 day", every="1 day", predicates={"p": "true"}
    )
    assert dict(result.dtypes)["window_start"] == ("timestamp" if kind == "date" else kind)
    assert sorted(str(r.window_start) for r in result.collect()) == [
        "1969-12-31 00:00:00",
        "1970-01-01 00:00:00",
    ]


def test_windows_align_in_utc_whatever_the_session_time_zone(spark):
    spark.conf.set("spark.sql.session.timeZone", "America/New_York")
    try:
        df = spark.sql(
            "SELECT timestamp(concat('2024-03-10 ', t)) AS t, 1D AS y "
            "FROM VALUES ('01:59:59'), ('03:00:00'), ('03:30:00') AS v(t)"
        )
        result = shapwin.explain(
            df,
            value="y",
            time="t",
            window="1 hour",
            every="1 hour",
            predicates={"p": "true"},
            statistics="count",
        )
        own = df.groupBy(F.window("t", "1 hour")).count()
        left = {(str(r.window_start), r.n) for r in result.collect()}
        assert left == {(str(r.window.start), r["count"]) for r in own.collect()}
    finally:
        spark.conf.set("spark.sql.session.timeZone", "UTC")


@pytest.mark.parametrize("zone", ["America/New_York", "Pacific/Apia"])
def test_a_clock_time_that_a_zone_leaves_out_is_a_time_all_the_same(spark, zone):
    # 02:30 in New York, and all of the day before in Apia, are no times to a TIMESTAMP.
    day = "2023-03-12" if zone == "America/New_York" else "2011-12-30"
    spark.conf.set("spark.sql.session.timeZone", zone)
    try:
        df = spark.sql(
            f"SELECT TIMESTAMP_NTZ '{day} 00:30:00' + make_dt_interval(0, h) AS t, 1D AS y, 1 AS g "
            "FROM VALUES (2), (7) AS v(h)"
        )
        call = dict(value="y", time="t", predicates={"p": "true"})
        windows = dict(window="1 hour", every="1 hour")
        panes = shapwin.panes(df, every="1 hour", **call)
        for found in (
            shapwin.explain(df, **call, **windows),
            shapwin.explain(df, **call, **windows, by="g"),
            shapwin.explain(df, **call, **windows, engine="pandas"),
            shapwin.attribute(panes, **windows),
        ):
            starts = found.selectExpr("string(window_start) s", "string(window_end) e").collect()
            assert sorted(r.s for r in starts) == [f"{day} 02:00:00", f"{day} 07:00:00"]
            assert sorted(r.e for r in starts) == [f"{day} 03:00:00", f"{day} 08:00:00"]
        emitted = shapwin.explain(df, **call, **windows, empty="emit")
        starts = emitted.selectExpr("string(window_start) s").collect()
        assert sorted(r.s for r in starts) == [f"{day} 0{h}:00:00" for h in range(2, 8)]
    finally:
        spark.conf.set("spark.sql.session.timeZone", "UTC")


def test_nothing_in_nothing_out(df):
    none = shapwin.explain(
        df.where("false"), value="fare", time="t", window="1 hour", every="1 hour",
        predicates=PREDICATES,
    )  # fmt: skip
    assert none.count() == 0
    all_null = df.withColumn("fare", F.lit(None).cast("double"))
    result = shapwin.explain(
        all_null, value="fare", time="t", window="1 hour", every="1 hour", predicates=PREDICATES
    )
    assert result.count() == 0
