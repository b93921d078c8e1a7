"""The sample that ships with shapwin: every New York departure of February 2013."""

from __future__ import annotations

from pathlib import Path


def flights_path() -> str:
    """Return the path of the sample, a Parquet file that Spark, pandas and DuckDB read.

    Examples
    --------
    >>> from shapwin.data import flights_path
    >>> flights_path().endswith("flights_2013_02.parquet")
    True
    """
    return str(Path(__file__).with_name("flights_2013_02.parquet"))
