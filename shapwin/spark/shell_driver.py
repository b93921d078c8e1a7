"""What spark-submit runs for `shapwin.spark.shell`: a session, the functions, then Spark's program.

Spark's own launcher holds the terminal, so that the prompt, Ctrl-C and exit codes are its own.
"""

from __future__ import annotations

import contextlib
import os
import signal
import sys
import time
from typing import Any

from py4j.protocol import Py4JError
from pyspark.sql import SparkSession

import shapwin

_THRIFT = "org.apache.spark.sql.hive.thriftserver"


def main(program: str, args: list[str]) -> None:
    """Run ``spark-sql`` or the Thrift server in a session that knows shapwin's functions."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C belongs to the JVM
    spark = SparkSession.builder.appName(f"shapwin {program}").enableHiveSupport().getOrCreate()
    shapwin.register(spark)
    {"spark-sql": _shell, "thriftserver": _server}[program](spark, args)


def _shell(spark: SparkSession, args: list[str]) -> None:
    gateway: Any = spark.sparkContext._gateway
    arguments = gateway.new_array(gateway.jvm.String, len(args))
    for i, arg in enumerate(args):
        arguments[i] = arg
    driver = getattr(gateway.jvm, f"{_THRIFT}.SparkSQLCLIDriver")
    driver.main(arguments)  # it exits the JVM with its own code


def _server(spark: SparkSession, args: list[str]) -> None:
    gateway: Any = spark.sparkContext._gateway
    server = getattr(gateway.jvm, f"{_THRIFT}.HiveThriftServer2")
    server.startWithSparkSession(spark._jsparkSession, False)
    setting = "spark.hadoop.hive.server2.thrift"
    host, port = (spark.conf.get(f"{setting}.{name}") for name in ("bind.host", "port"))
    print(f"Listening on jdbc:hive2://{host}:{port}", flush=True)
    parent = os.getppid()
    while os.getppid() == parent:
        time.sleep(0.2)


if __name__ == "__main__":
    # The JVM that this process talks to goes away first: that is the normal end.
    with contextlib.suppress(Py4JError, OSError):
        main(sys.argv[1], sys.argv[2:])
