"""Streams give what tables give: replays of the same rows, late ones, and those taken back."""

from __future__ import annotations

import datetime as dt
import math

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from pyspark.sql import functions as F

import shapwin
from shapwin import PaneSink
from shapwin.errors import ArgumentError, ArgumentTypeError, ColumnError, IntervalError

EPOCH = dt.datetime(2024, 1, 1)
SCHEMA = "t timestamp, y double, x double, region string, key string, k int"
PREDICATES = {"eu": "region = 'EU'", "high": "y > 1000000"}
CALL = dict(value="y", time="t", window="20 minutes", every="5 minutes")
PANES = dict(value="y", time="t", every="5 minutes", predicates=PREDICATES)
COUNTS = "t IS NOT NULL AND y IS NOT NULL"
STATISTICS = ("sum", "count", "avg", "var_pop", "var_samp")


def rows(count=1500, seed=7):
    """Two hours far from zero, out of order by up to five minutes, with NULL and NaN."""
    rng = np.random.default_rng(seed)
    seconds = np.sort(rng.integers(0, 7200, count))
    arrival = np.argsort(seconds + rng.integers(0, 300, count), kind="stable")
    frame = pd.DataFrame(
        {
            "t": [EPOCH + dt.timedelta(seconds=int(s)) for s in seconds],
            "y": rng.normal(1e6, 1, count),
            "x": rng.normal(-5, 2, count),
            "region": rng.choice(np.array(["EU", "US", None], dtype=object), count),
            "key": rng.choice(np.array(["a", "b", None], dtype=object), count),
            "k": 1,
        }
    )
    frame["y"] = frame.y.astype(object)
    frame.loc[20, "y"] = None
    frame.loc[30, "t"] = pd.NaT
    return frame.iloc[arrival].reset_index(drop=True)


def write(frame, folder, parts):
    folder.mkdir(exist_ok=True)
    start = len(list(folder.iterdir()))
    for i, part in enumerate(np.array_split(np.arange(len(frame)), parts), start):
        table = pa.Table.from_pandas(frame.iloc[part], preserve_index=False)
        types = [pa.timestamp("us", "UTC"), *[pa.float64()] * 2, *[pa.string()] * 2, pa.int32()]
        fields = list(zip(frame.columns, types, strict=True))
        pq.write_table(table.cast(pa.schema(fields)), folder / f"{i:03}.parquet")


def replay(spark, folder, explain, name, delay="10 minutes"):
    """What a streaming query has given out once all files are read, and its progress."""
    reader = spark.readStream.schema(SCHEMA).option("maxFilesPerTrigger", 1)
    stream = reader.parquet(str(folder)).withWatermark("t", delay)
    query = explain(stream).writeStream.format("memory").queryName(name).outputMode("append")
    query = query.trigger(availableNow=True).start()
    query.awaitTermination()
    return spark.table(name).toPandas(), query.recentProgress


def by_window(found, *keys):
    return found.sort_values([*keys, "window_start", "statistic", "predicate"], ignore_index=True)


@pytest.fixture(scope="module")
def folder(spark, tmp_path_factory):
    """The rows in six files, and a last one far ahead that closes every window."""
    folder = tmp_path_factory.mktemp("stream") / "rows"
    frame = rows()
    write(frame, folder, 6)
    later = frame.iloc[:1].assign(t=EPOCH + dt.timedelta(days=1))
    write(later, folder, 1)
    return folder


@pytest.mark.parametrize(
    ("name", "asked"),
    [
        ("keys", dict(by="key", statistics=STATISTICS)),
        ("right", dict(closed="right", queries={"both": "eu AND high", "us": "NOT eu"})),
        ("atoms", dict(by="key", queries="atoms", statistics=STATISTICS, offset="2 minutes")),
        ("pairs", dict(other="x", statistics=("covar_pop", "covar_samp", "avg"))),
    ],
)
def test_closed_windows_are_those_of_the_batch(spark, folder, name, asked):
    def explain(df):
        return shapwin.explain(df, **CALL, predicates=PREDICATES, **asked)

    found, progress = replay(spark, folder, explain, name)
    batch = explain(spark.read.schema(SCHEMA).parquet(str(folder))).toPandas()
    # The row far ahead opens windows that nothing closes.
    batch = batch[batch.window_start < EPOCH + dt.timedelta(hours=3)]
    keys = [asked["by"]] if "by" in asked else []
    found, batch = by_window(found, *keys), by_window(batch, *keys)
    assert len(found) > 20
    assert list(found.columns) == list(batch.columns)
    pd.testing.assert_frame_equal(found, batch, rtol=1e-12, atol=1e-11)
    assert sum(p.numInputRows for p in progress) == 1501


def test_state_is_panes_and_windows_and_not_rows(spark, folder, tmp_path):
    def explain(df):
        return shapwin.explain(df, **CALL, predicates=PREDICATES)

    _, progress = replay(spark, folder, explain, "once")
    twice = tmp_path / "twice"
    frame = rows()
    # Every row five times: five times the rate, the same panes.
    write(frame.loc[frame.index.repeat(5)], twice, 6)
    _, faster = replay(spark, twice, explain, "twice")
    # Four windows are open at a time, and as many panes as the delay and the micro-batch span.
    for found in (progress, faster):
        states = [[s.numRowsTotal for s in p.stateOperators] for p in found]
        assert max(max(state) for state in states) <= 4 * (20 + 10 + 25) // 5
    assert max(sum(s.numRowsTotal for p in faster for s in p.stateOperators), 1) <= 1.5 * max(
        sum(s.numRowsTotal for p in progress for s in p.stateOperators), 1
    )


def test_state_is_flat_over_a_long_replay(spark, tmp_path):
    """Eight micro-batches of two hours each, the later ones with five times the rows."""
    folder = tmp_path / "long"
    for i, count in enumerate([2_000] * 4 + [10_000] * 4):
        frame = rows(count, seed=i)
        write(frame.assign(t=frame.t + i * dt.timedelta(hours=2)), folder, 1)

    def explain(df):
        return shapwin.explain(df, **CALL, predicates=PREDICATES, by="key")

    _, progress = replay(spark, folder, explain, "long")
    state = [p.stateOperators for p in progress if p.numInputRows]
    assert len(state) == 8
    held = [sum(s.numRowsTotal for s in operators) for operators in state]
    used = [sum(s.memoryUsedBytes for s in operators) for operators in state]
    # From the third on, a micro-batch finds what the one before has left open.
    for sizes in (held, used):
        assert max(sizes[4:]) <= 1.25 * max(sizes[2:4])


def test_rows_beyond_the_watermark_are_dropped_and_counted(spark, tmp_path):
    folder = tmp_path / "late"
    frame = rows(300)
    write(frame, folder, 2)
    later = frame.iloc[:1].assign(t=EPOCH + dt.timedelta(hours=6))
    write(later, folder, 1)
    late = frame.iloc[50:53].assign(t=EPOCH + dt.timedelta(minutes=1))
    write(pd.concat([late, later]), folder, 1)

    def explain(df):
        return shapwin.explain(df, **CALL, predicates=PREDICATES)

    found, progress = replay(spark, folder, explain, "late")
    dropped = sum(s.numRowsDroppedByWatermark for p in progress for s in p.stateOperators)
    assert dropped >= 1  # one a pane and atom: rows are summed before they are looked at
    first = found[found.window_start == EPOCH].n.iloc[0]
    write(frame, tmp_path / "in time", 1)
    batch = explain(spark.read.schema(SCHEMA).parquet(str(tmp_path / "in time")))
    assert first == batch.where(F.col("window_start") == EPOCH).first()["n"]


def test_what_is_taken_back_leaves_nothing(spark, tmp_path):
    frame = rows(400, seed=2)
    odd = [math.nan, math.inf, 1e17, 1e200, 123.456]
    extra = pd.concat([frame.iloc[100:105].assign(y=odd)] * 2)
    extra["k"] = [1] * 5 + [-1] * 5
    folder = tmp_path / "back"
    closing = frame.iloc[:1].assign(t=EPOCH + dt.timedelta(days=1))
    changed = pd.concat([frame.iloc[:200], extra, frame.iloc[200:]])
    write(changed, folder, 4)
    write(closing, folder, 1)

    def explain(df):
        return shapwin.explain(
            df, **CALL, predicates={"eu": "region = 'EU'"}, multiplicity="k", statistics=STATISTICS
        )

    found, _ = replay(spark, folder, explain, "back")
    plain = tmp_path / "plain"
    write(frame, plain, 1)
    batch = explain(spark.read.schema(SCHEMA).parquet(str(plain))).toPandas()
    pd.testing.assert_frame_equal(by_window(found), by_window(batch), rtol=1e-12, atol=1e-11)


def test_more_taken_back_than_there_was_is_a_flagged_row(spark, tmp_path):
    frame = rows(60).dropna(subset=["t", "y"]).assign(k=-1)
    folder = tmp_path / "negative"
    write(frame, folder, 1)
    write(frame.iloc[:1].assign(t=EPOCH + dt.timedelta(days=1)), folder, 1)

    def explain(df):
        return shapwin.explain(df, **CALL, predicates=PREDICATES, multiplicity="k")

    found, _ = replay(spark, folder, explain, "negative")
    assert (found.n < 0).all()
    assert len(found) > 10
    assert found[["value", "phi", "share", "lift"]].isna().all().all()


def test_panes_of_a_stream_are_kept_and_late_windows_explained_anew(spark, tmp_path):
    folder, path = tmp_path / "rows", str(tmp_path / "panes")
    frame = rows(400, seed=4)
    write(frame, folder, 3)
    sink = PaneSink(path, **PANES)
    checkpoint = str(tmp_path / "checkpoint")

    def read():
        reader = spark.readStream.schema(SCHEMA).option("maxFilesPerTrigger", 1)
        query = reader.parquet(str(folder)).writeStream.foreachBatch(sink)
        query = query.option("checkpointLocation", checkpoint).trigger(availableNow=True).start()
        query.awaitTermination()

    def batch():
        whole = spark.read.schema(SCHEMA).parquet(str(folder))
        return by_window(shapwin.explain(whole, **CALL, predicates=PREDICATES).toPandas())

    read()
    asked = dict(window="20 minutes", every="5 minutes")
    at_first = by_window(shapwin.attribute(sink.table(spark), **asked).toPandas())
    pd.testing.assert_frame_equal(at_first, batch(), rtol=1e-12, atol=1e-11)
    late = frame.iloc[:1].assign(t=EPOCH + dt.timedelta(minutes=33), y=2e6)
    write(late, folder, 1)
    read()
    touched = by_window(sink.touched(spark, after=2, **asked).toPandas())
    starts = {EPOCH + dt.timedelta(minutes=m) for m in (15, 20, 25, 30)}
    assert set(touched.window_start) == starts
    expected = batch()
    expected = expected[expected.window_start.isin(starts)].reset_index(drop=True)
    pd.testing.assert_frame_equal(touched, expected, rtol=1e-12, atol=1e-11)


@pytest.mark.parametrize(
    ("asked", "message"),
    [
        (dict(empty="emit"), "empty='emit' is not possible on a stream"),
        (dict(semantics="players"), "semantics='players' is not possible on a stream"),
        (dict(top_k=2), "top_k is not possible on a stream: use min_support"),
        (dict(engine="pandas"), "engine='pandas' is not possible on a stream"),
        (dict(dimensions="region"), "dimensions needs the values beforehand"),
    ],
)
def test_what_a_stream_cannot_be_asked(spark, folder, asked, message):
    stream = spark.readStream.schema(SCHEMA).parquet(str(folder)).withWatermark("t", "1 hour")
    with pytest.raises(ArgumentError, match=message):
        shapwin.explain(stream, **CALL, predicates=PREDICATES, **asked)


def test_a_stream_has_a_watermark_and_only_appends(spark, folder):
    stream = spark.readStream.schema(SCHEMA).parquet(str(folder))
    asked = CALL | dict(predicates=PREDICATES)
    mend = r"no watermark.*df.withWatermark\('t', '10 minutes'\), after all changes"
    with pytest.raises(ArgumentError, match=mend):
        shapwin.explain(stream, **asked)
    clock = stream.withColumn("t", F.col("t").cast("timestamp_ntz"))
    with pytest.raises(ArgumentTypeError, match=r"TIMESTAMP_NTZ.* cast it to TIMESTAMP, and then"):
        shapwin.explain(clock, **asked)
    stream = stream.withWatermark("t", "1 hour")
    with pytest.raises(ArgumentError, match="no watermark"):
        shapwin.explain(stream, **asked | {"time": F.col("t") + F.expr("INTERVAL 1 HOUR")})
    with pytest.raises(IntervalError, match="too long for a stream"):
        shapwin.explain(stream, **asked | {"window": "90 days"})
    for selected in ({}, {"min_support": 0.1}):
        writer = shapwin.explain(stream, **asked, **selected).writeStream
        for mode in ("complete", "update"):
            with pytest.raises(ArgumentError, match=f"outputMode '{mode}' is not possible"):
                writer.outputMode(mode)
        assert writer.outputMode("append") is writer


def test_a_repeated_micro_batch_counts_once(spark, tmp_path):
    write(rows(100), tmp_path / "rows", 2)
    sink = PaneSink(str(tmp_path / "panes"), **PANES)
    first, second = (
        spark.read.schema(SCHEMA).parquet(str(tmp_path / "rows" / name))
        for name in ("000.parquet", "001.parquet")
    )
    for micro_batch, batch in ((0, first), (1, second), (1, second)):
        sink(batch, micro_batch)
    assert sink.table(spark).agg(F.sum("m")).first() == (first.union(second).where(COUNTS).count(),)


def test_a_sink_refuses_its_own_column_and_what_is_no_number(spark):
    with pytest.raises(ColumnError, match="'micro_batch' is the name of a column of the sink"):
        PaneSink("panes", by="micro_batch")
    with pytest.raises(ArgumentError, match="after='x': give the number of a micro-batch"):
        PaneSink("panes").touched(spark, after="x", window="1 hour")
