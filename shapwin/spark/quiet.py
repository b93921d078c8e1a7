"""Errors that shapwin words anew: not logged by PySpark as well, and short."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from pyspark.logger import PySparkLogger

# They log each error that Spark raises, Java trace and all.
_REPEATERS = ("SQLQueryContextLogger", "DataFrameQueryContextLogger")


@contextmanager
def unlogged() -> Iterator[None]:
    """Keep PySpark from logging, within the context, the errors that it raises."""
    loggers = [PySparkLogger.getLogger(name) for name in _REPEATERS]
    before = [logger.disabled for logger in loggers]
    for logger in loggers:
        logger.disabled = True
    try:
        yield
    finally:
        for logger, was in zip(loggers, before, strict=True):
            logger.disabled = was


def first_line(error: Exception) -> str:
    """Return Spark's message without its error class, plan and position."""
    text = str(error).strip().splitlines()[0]
    return text.split("] ", 1)[-1].split(" SQLSTATE:")[0].rstrip(" ;.")
