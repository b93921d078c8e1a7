"""The shipped sample is what the source package holds, and reads as wall-clock time."""

import os

import pyarrow.parquet as pq

from shapwin.data import flights_path
from shapwin.data.make_flights import february, source


def test_sample_is_what_the_package_holds():
    made = february(source())
    assert pq.read_table(flights_path()).equals(made.replace_schema_metadata(None))


def test_sample_is_all_of_february_with_its_nulls():
    flights = pq.read_table(flights_path()).to_pandas()
    assert len(flights) == 24_951
    assert flights["dep_delay"].isna().sum() == 1_261
    assert flights["sched_dep"].is_monotonic_increasing
    assert str(flights["sched_dep"].iloc[0]) == "2013-02-01 05:00:00"
    assert os.path.getsize(flights_path()) < 500_000


def test_spark_reads_new_york_time_in_any_session_time_zone(spark):
    before = spark.conf.get("spark.sql.session.timeZone")
    try:
        for zone in ("UTC", "Asia/Tokyo"):
            spark.conf.set("spark.sql.session.timeZone", zone)
            df = spark.read.parquet(flights_path())
            first = df.selectExpr("CAST(min(sched_dep) AS STRING)").first()
            assert first[0] == "2013-02-01 05:00:00"
    finally:
        spark.conf.set("spark.sql.session.timeZone", before)
    assert dict(df.dtypes)["sched_dep"] == "timestamp_ntz"
