"""The driver that `test_stream_faults` kills: explains a folder into another, from a checkpoint."""

from __future__ import annotations

import os
import sys

os.environ.setdefault("PYSPARK_PYTHON", sys.executable)

from pyspark.sql import DataFrame, SparkSession
from test_streams import CALL, PREDICATES, SCHEMA

import shapwin


def explain(rows: DataFrame) -> DataFrame:
    return shapwin.explain(
        rows, **CALL, predicates=PREDICATES, by="key", statistics=("avg", "var_pop")
    )


def main(folder: str) -> None:
    spark = (
        SparkSession.builder.master("local[2]")
        .config("spark.ui.enabled", "false")
        .config("spark.driver.defaultJavaOptions", "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC")
        .config("spark.sql.shuffle.partitions", "2")
        .config("spark.sql.session.timeZone", "UTC")
        .config("spark.driver.bindAddress", "127.0.0.1")
        .config("spark.driver.host", "127.0.0.1")
        .getOrCreate()
    )
    rows = spark.readStream.schema(SCHEMA).option("maxFilesPerTrigger", 1).parquet(f"{folder}/in")
    writer = explain(rows.withWatermark("t", "10 minutes")).writeStream.format("parquet")
    writer = writer.option("path", f"{folder}/out")
    writer = writer.option("checkpointLocation", f"{folder}/checkpoint")
    writer.trigger(availableNow=True).start().awaitTermination()


if __name__ == "__main__":
    main(sys.argv[1])
