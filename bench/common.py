"""What the benchmarks share: a quiet Spark session."""

from __future__ import annotations

import os
import sys

from pyspark.sql import DataFrame, SparkSession


def session(cores: int, **settings: str) -> SparkSession:
    """Start Spark on some cores of this machine, with a partition for each."""
    os.environ.setdefault("PYSPARK_PYTHON", sys.executable)
    builder = (
        SparkSession.builder.master(f"local[{cores}]")
        .config("spark.ui.enabled", "false")
        .config("spark.ui.showConsoleProgress", "false")
        .config("spark.sql.shuffle.partitions", str(cores))
        .config("spark.sql.session.timeZone", "UTC")
        .config("spark.driver.memory", "4g")
    )
    for name, value in settings.items():
        builder = builder.config(name, value)
    spark = builder.getOrCreate()
    spark.sparkContext.setLogLevel("ERROR")
    return spark


def compute(frame: DataFrame) -> None:
    """Compute all of a DataFrame, and keep nothing of it."""
    frame.write.format("noop").mode("overwrite").save()
