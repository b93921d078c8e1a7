"""The Spark session of the commands: local, quiet, and on the wall clock's time."""

from __future__ import annotations

import os
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from pyspark.sql import SparkSession

from ..errors import DependencyError
from ..java import require_java
from .quiet import unlogged

# Times without a zone keep their digits from the input to the output; nanoseconds, which pandas
# writes and Spark refuses, arrive as numbers that `files` turns into times.
_WHILE_RUNNING = {
    "spark.sql.session.timeZone": "UTC",
    "spark.sql.legacy.parquet.nanosAsLong": "true",
    "spark.sql.parquet.outputTimestampType": "TIMESTAMP_MICROS",
    "spark.sql.legacy.javaCharsets": "true",  # every --encoding that Java knows
}
_FROM_THE_START = {
    "spark.ui.enabled": "false",
    "spark.ui.showConsoleProgress": "false",
    "spark.driver.host": "127.0.0.1",
    "spark.driver.bindAddress": "127.0.0.1",
    "spark.sql.shuffle.partitions": str(os.cpu_count() or 2),
}


def require_spark() -> None:
    """Make sure, before anything is done, that there is a session or a Java to start one on."""
    if SparkSession.getActiveSession() is None:
        require_java()


@contextmanager
def local_session(*, short: bool = False) -> Iterator[SparkSession]:
    """Give the session that is active, or start one on this machine and stop it afterwards.

    Parameters
    ----------
    short : bool
        Whether little is to be done: Java then compiles quickly rather than well, which halves
        the time of a job of seconds.

    Raises
    ------
    DependencyError
        If there is no Java to run Spark on, or Spark does not start.
    """
    spark = SparkSession.getActiveSession()
    if spark is not None:
        with _settings(spark):
            yield spark
        return
    require_spark()
    spark = _start(short)
    try:
        with _settings(spark):
            yield spark
    finally:
        spark.stop()


@contextmanager
def _settings(spark: SparkSession) -> Iterator[None]:
    before = {name: spark.conf.get(name, None) for name in _WHILE_RUNNING}
    for name, value in _WHILE_RUNNING.items():
        spark.conf.set(name, value)
    try:
        with unlogged():
            yield
    finally:
        for name, old in before.items():
            spark.conf.unset(name) if old is None else spark.conf.set(name, old)


def _start(short: bool) -> SparkSession:
    os.environ.setdefault("PYSPARK_PYTHON", sys.executable)
    with tempfile.TemporaryDirectory(prefix="shapwin-") as scratch:
        log4j = Path(scratch, "log4j2.properties")
        log4j.write_text("rootLogger.level = off\n", "utf-8")
        builder = SparkSession.builder.master("local[*]").appName("shapwin")
        for name, value in _FROM_THE_START.items():
            builder = builder.config(name, value)
        java = [f'"-Dlog4j2.configurationFile={log4j.as_uri()}"']
        java += ["-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC"] if short else []
        # The default options leave the user's own extraJavaOptions alone.
        builder = builder.config("spark.driver.defaultJavaOptions", " ".join(java))
        words = Path(scratch, "stderr")
        try:
            with _stderr_into(words):
                return builder.getOrCreate()
        except Exception as error:
            told = words.read_text("utf-8", "replace").strip().splitlines()
            raise DependencyError(f"Spark did not start: {told[-1] if told else error}") from None


@contextmanager
def _stderr_into(path: Path) -> Iterator[None]:
    """Let a new process write to a file what it would write to the terminal.

    Spark's launcher and the JVM greet the user with warnings about themselves.
    """
    sys.stderr.flush()
    terminal = os.dup(2)
    with path.open("wb") as file:
        os.dup2(file.fileno(), 2)
    try:
        yield
    finally:
        os.dup2(terminal, 2)
        os.close(terminal)
