"""What Spark is asked wherever it runs; prints the answers as JSON.

    python tests/anywhere.py master local-cluster[2,1,1500]
    python tests/anywhere.py remote local[2]

A process of its own, as a session cannot be of two kinds.
"""

from __future__ import annotations

import json
import sys

from pyspark.errors import PySparkException
from pyspark.sql import SparkSession, Window
from pyspark.sql import functions as F

import shapwin
from shapwin import functions as S
from shapwin.spark.row_frames import long_row_frame

PIPELINE = dict(
    value="fare", time="t", window="3 hours", every="1 hour", predicates={"us": "region = 'US'"}
)
FRAME = "OVER (ORDER BY id ROWS BETWEEN 2 PRECEDING AND CURRENT ROW)"


def main(kind: str, place: str) -> None:
    builder = SparkSession.builder.config("spark.sql.shuffle.partitions", "1")
    if kind == "master":
        builder = builder.master(place).config("spark.ui.enabled", "false")
        builder = builder.config("spark.driver.host", "127.0.0.1")
        # Java compiles quickly rather than well.
        quick = "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC"
        builder = builder.config("spark.executor.defaultJavaOptions", quick)
        spark = builder.config("spark.driver.bindAddress", "127.0.0.1").getOrCreate()
    else:
        spark = builder.remote(place).getOrCreate()
    print(json.dumps(answers(spark)))
    spark.stop()


def answers(spark):
    rows = [(1, "EU", 2.0), (2, "EU", 4.0), (3, "US", 10.0)]
    trips = spark.createDataFrame(rows, "id INT, region STRING, fare DOUBLE")
    trips = trips.withColumn("t", F.timestamp_seconds(F.col("id") * 3600 - 1)).repartition(2)
    trips.createOrReplaceTempView("trips")
    told = {"workers": trips.mapInPandas(has_shapwin, "found BOOLEAN").first()[0]}
    for flavor in ("pandas", "arrow"):
        shapwin.register(spark, flavor=flavor)
        told |= {
            f"{flavor} GROUP BY": one(spark.sql("SELECT shapley_avg(fare, id = 3) FROM trips")),
            f"{flavor} OVER": one(
                spark.sql(f"SELECT shapley_avg(fare, id = 3) {FRAME} AS phi FROM trips").orderBy(
                    F.desc("phi")
                )
            ),
        }
    window = Window.orderBy("id").rowsBetween(-2, 0)
    over = trips.select(S.shapley_avg("fare", "id = 3", window).alias("phi"))
    of_sixty = Window.partitionBy(F.lit(1)).orderBy("id").rowsBetween(-59, 0)
    long = trips.select(S.shapley_avg("fare", "id = 3", of_sixty).alias("phi"))
    explained = shapwin.explain(trips, **PIPELINE)
    # The window an hour earlier has no row of the group, so all of Φ is new.
    changed = shapwin.compare(explained, lag="1 hour")
    told |= {
        "explain": one(explained.where("n = 3").select("phi")),
        "compare": one(changed.where("n = 3").select("d_phi")),
        "Column": one(trips.agg(S.shapley_avg("fare", F.col("id") == 3), F.count("fare"))),
        "Column OVER": one(over.orderBy(F.desc("phi"))),
        "Column OVER long frames": one(long.orderBy(F.desc("phi"))),
        "made of pieces": long_row_frame(of_sixty) is not None,
        "scalar": one(spark.sql("SELECT shapley_avg_from_sums(3, 16, 1, 10)")),
        "a UDAF's mistake": mistake(lambda: spark.sql("SELECT shapley_avg(1, 'EU')").collect()),
        "a Column's mistake": mistake(lambda: trips.agg(S.shapley_avg("region", "true")).schema),
        "the pipeline's mistake": mistake(
            lambda: shapwin.explain(trips, **{**PIPELINE, "value": "fair"})
        ),
    }
    return told


def one(frame):
    return frame.first()[0]


def has_shapwin(batches):
    import pandas as pd

    try:
        import shapwin  # noqa: F401
    except ModuleNotFoundError:
        yield pd.DataFrame({"found": [False]})
    else:
        yield pd.DataFrame({"found": [True]})


def mistake(call):
    try:
        call()
    except (PySparkException, shapwin.ShapwinError) as error:
        return str(error)
    return "none"


if __name__ == "__main__":
    main(*sys.argv[1:])
