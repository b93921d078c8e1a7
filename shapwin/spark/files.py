"""A user's CSV, JSON or Parquet file as rows that the pipeline takes."""

from __future__ import annotations

import bz2
import gzip
import json
import os
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, BinaryIO

import pyarrow as pa
import pyarrow.parquet as pq
from py4j.protocol import Py4JError
from pyspark.errors import PySparkException
from pyspark.sql import Column, DataFrame, DataFrameReader, SparkSession
from pyspark.sql import functions as F
from pyspark.sql import types as T

from ..errors import ArgumentError, ArgumentTypeError
from .checks import existing, quoted, type_of

SUFFIXES = {
    **dict.fromkeys((".csv", ".tsv", ".txt"), "csv"),
    **dict.fromkeys((".json", ".jsonl", ".ndjson"), "json"),
    **dict.fromkeys((".parquet", ".pq"), "parquet"),
}
_COMPRESSED: dict[str, Callable[[str], Any]] = {".gz": gzip.open, ".bz2": bz2.open}
# What Hadoop takes for a pattern or a scheme when it stands in the name of a file.
_ODD = set("[]{}*?:\\")
SPARK_ERRORS = (PySparkException, Py4JError)
_TIME_FORMATS = {
    "seconds": F.timestamp_seconds,
    "milliseconds": F.timestamp_millis,
    "microseconds": F.timestamp_micros,
}


@dataclass(frozen=True, slots=True)
class Source:
    """Where rows come from, and how to read them.

    Parameters
    ----------
    path : str
        A file or a folder of files; a URL that Spark knows works as well.
    format : str, optional
        ``csv``, ``json`` or ``parquet``; by default what the suffix says.
    delimiter : str, optional
        Between the fields of a CSV file; by default a comma, a tab in a ``.tsv``.
    null_value : str
        The text that means NULL in a CSV file, besides an empty field.
    time_format : str, optional
        How to read a time column of text or numbers: a Spark datetime pattern, ``seconds``,
        ``milliseconds`` or ``microseconds`` since 1970. By default as a timestamp of SQL.
    skip_bad : bool
        Leave rows out whose time or value cannot be read.
    """

    path: str
    format: str | None = None
    delimiter: str | None = None
    null_value: str = ""
    time_format: str | None = None
    skip_bad: bool = False


@contextmanager
def rows(spark: SparkSession, source: Source, time: str, value: str) -> Iterator[DataFrame]:
    """Read a user's file, its time column as timestamps and its value column as numbers.

    Times without a zone read as the clock they show (TIMESTAMP_NTZ), others in UTC.

    Raises
    ------
    ShapwinError
        If the file is missing or unreadable, or a time or a number in it.
    """
    kind = form_of(source)
    with _plain_name(source.path) as path:
        reader = spark.read.options(**_options(kind, source))
        try:
            df = _read(spark, reader, kind, path)
        except SPARK_ERRORS as error:
            raise ArgumentError(f"cannot read {source.path} as {kind}: {reason(error)}") from None
        if not df.columns or df.columns == ["_corrupt_record"]:
            raise ArgumentError(f"cannot read {source.path} as {kind}: it has no rows of that form")
        if kind == "parquet":
            df = _without_nanoseconds(df, path)
        df = _with_times(df, source, time)
        yield _with_numbers(df, source, value) if kind != "parquet" else df


def reason(error: Exception) -> str:
    """Spark's message as one line, without its error class, its plan and the Java around it."""
    lines = [line.strip(" :") for line in str(error).splitlines() if line.strip(" :")]
    if lines and lines[0].startswith("An error occurred while calling"):
        lines = lines[1:]
    text = lines[0] if lines else type(error).__name__
    return text.split("] ", 1)[-1].split(" SQLSTATE:")[0].rstrip(" ;.")


def size(path: str) -> float:
    """Return the bytes of a local file or folder; unknown ones are infinite."""
    if not os.path.exists(path):
        return float("inf")
    names = _names_in(path) if os.path.isdir(path) else [path]
    return float(sum(os.path.getsize(name) for name in names))


def form_of(source: Source) -> str:
    """Return csv, json or parquet: as told, or what the suffix says of the file or in the folder.

    Raises
    ------
    ArgumentError
        If there is no such file, or no known suffix.
    """
    path = source.path
    if "://" not in path and not os.path.exists(path):
        raise ArgumentError(f"there is no file or folder {path}")
    if source.format is not None:
        return source.format
    names = _names_in(path) if os.path.isdir(path) else [path]
    for name in names:
        stem, suffix = os.path.splitext(name.lower())
        suffix = os.path.splitext(stem)[1] if suffix in _COMPRESSED else suffix
        if suffix in SUFFIXES:
            return SUFFIXES[suffix]
    raise ArgumentError(f"{path} tells no format: add --format csv, json or parquet")


def _names_in(folder: str) -> list[str]:
    """The data files below a folder, in order; Spark skips what starts with _ or a dot."""
    files = sorted(Path(folder).rglob("*"))
    return [str(file) for file in files if file.is_file() and file.name[0] not in "_."]


@contextmanager
def _plain_name(path: str) -> Iterator[str]:
    """A name for a local file or folder that Hadoop takes literally."""
    if "://" in path:
        yield path
        return
    absolute = os.path.abspath(path)
    if not _ODD & set(absolute):
        yield absolute
        return
    with tempfile.TemporaryDirectory(prefix="shapwin-") as folder:
        suffixes = "".join(s for s in Path(absolute).suffixes[-2:] if not _ODD & set(s))
        link = os.path.join(folder, "data" + suffixes)
        os.symlink(absolute, link)
        yield link


def _options(kind: str, source: Source) -> dict[str, Any]:
    if kind == "json":
        return {"inferTimestamp": True, "multiLine": _json_spans_lines(source.path)}
    if kind == "parquet":
        return {}
    tabs = ".tsv" in Path(source.path).suffixes
    return {
        "header": True,
        "inferSchema": True,
        "escape": '"',
        "sep": source.delimiter or ("\t" if tabs else ","),
        "nullValue": source.null_value,
    }


def _read(spark: SparkSession, reader: DataFrameReader, kind: str, path: str) -> DataFrame:
    # With this setting Spark infers TIMESTAMP_NTZ unless a value of the column has a zone.
    setting = "spark.sql.timestampType"
    before = str(spark.conf.get(setting))
    spark.conf.set(setting, "TIMESTAMP_NTZ")
    try:
        return reader.format(kind).load(path)
    finally:
        spark.conf.set(setting, before)


def _json_spans_lines(path: str) -> bool:
    """Whether a JSON file is an array or pretty-printed, not one object a line."""
    if "://" in path:
        return False
    name = next(iter(_names_in(path)), path) if os.path.isdir(path) else path
    opener: Callable[..., Any] = _COMPRESSED.get(os.path.splitext(name.lower())[1], open)
    try:
        with opener(name, "rb") as file:
            return not _is_json_object(_first_line(file))
    except OSError as error:
        raise ArgumentError(f"cannot read {path} as json: {error.strerror or error}") from None


def _first_line(file: BinaryIO) -> bytes:
    return next((line for line in file if line.strip()), b"{}")


def _is_json_object(line: bytes) -> bool:
    try:
        return isinstance(json.loads(line), dict)
    except ValueError:
        return False


def _without_nanoseconds(df: DataFrame, path: str) -> DataFrame:
    """Turn the nanoseconds that pandas writes, BIGINT to Spark, into timestamps."""
    if "://" in path:
        return df
    first = next(iter(_names_in(path)), path) if os.path.isdir(path) else path
    for field in pq.read_schema(first):
        if pa.types.is_timestamp(field.type) and field.type.unit == "ns":
            times = F.timestamp_micros(F.expr(f"{quoted(field.name)} div 1000"))
            kind = "timestamp" if field.type.tz else "timestamp_ntz"
            df = df.withColumn(field.name, times.cast(kind))
    return df


def _with_times(df: DataFrame, source: Source, time: str) -> DataFrame:
    column = existing(df, "time", time)
    kind = type_of(df, column)
    if isinstance(kind, T.TimestampType | T.TimestampNTZType | T.DateType):
        return df
    wanted = source.time_format
    if isinstance(kind, T.NumericType) and wanted is None:
        raise ArgumentTypeError(
            f"time={time!r} is {kind.simpleString().upper()}: say how to read it, with "
            "--time-format seconds (since 1970), milliseconds, or a pattern such as yyyyMMddHHmm"
        )
    if wanted in _TIME_FORMATS:
        times = _TIME_FORMATS[wanted](F.expr(f"try_cast({quoted(time)} AS BIGINT)"))
    elif wanted is not None:
        times = F.try_to_timestamp(column.cast("string"), F.lit(wanted))
    else:
        times = column.try_cast("timestamp")
    mend = "say how to read it, with --time-format 'MM/dd/yyyy HH:mm' for example"
    return _replaced(df, source, time, times.cast("timestamp_ntz"), "no timestamp", mend)


def _with_numbers(df: DataFrame, source: Source, value: str) -> DataFrame:
    """Read numbers that stand as text; a CSV column is text if one of its fields is."""
    column = existing(df, "value", value)
    if not isinstance(type_of(df, column), T.StringType):
        return df
    mend = "name it with --null-value if it means NULL"
    return _replaced(df, source, value, column.try_cast("double"), "no number", mend)


def _replaced(
    df: DataFrame, source: Source, name: str, parsed: Column, what: str, mend: str
) -> DataFrame:
    """Put what was parsed in place of the text, after making sure that all of it was."""
    column = F.col(quoted(name))
    bad = column.isNotNull() & parsed.isNull()
    try:
        found = df.agg(
            F.count_if(bad).alias("bad"),
            F.count(column).alias("all"),
            F.min(F.when(bad, column.cast("string"))).alias("example"),
        ).first()
    except SPARK_ERRORS as error:
        raise ArgumentError(f"{name!r} cannot be read: {reason(error)}") from None
    if found is not None and found["bad"] and not source.skip_bad:
        raise ArgumentError(
            f"{name!r} has {what} in {found['bad']:,} of {found['all']:,} rows of {source.path}, "
            f"such as {found['example']!r}: {mend}, or leave such rows out with --skip-bad"
        )
    kept = df.where(~bad) if found is not None and found["bad"] else df
    return kept.withColumn(name, parsed)
