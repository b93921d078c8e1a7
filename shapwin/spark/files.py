"""A user's CSV, JSON or Parquet file as rows that the pipeline takes."""

from __future__ import annotations

import csv
import os
import re
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import reduce
from pathlib import Path
from typing import Any, NamedTuple

import pyarrow as pa
import pyarrow.parquet as pq
from py4j.protocol import Py4JError
from pyspark.errors import PySparkException
from pyspark.sql import Column, DataFrame, DataFrameReader, SparkSession
from pyspark.sql import functions as F
from pyspark.sql import types as T

from ..errors import ArgumentError, ArgumentTypeError, ColumnError
from .checks import quoted, typed
from .intervals import microseconds
from .raw_files import (
    ODD,
    Source,
    codec_of,
    form_of,
    headers,
    json_spans_lines,
    names_in,
    plain_name,
)

SPARK_ERRORS = (PySparkException, Py4JError)
_CORRUPT = "_corrupt_record"
_BAD = "_unreadable"
# Under this name a stream's progress tells of its rows.
OBSERVED = "shapwin"
# The first and the last microsecond of the years 1 to 9999, which Python's calendar has.
_FIRST, _LAST = -62_135_596_800_000_000, 253_402_300_799_999_999
_YEAR = 366 * 86_400_000_000
_TIME_FORMATS = {
    "seconds": F.timestamp_seconds,
    "milliseconds": F.timestamp_millis,
    "microseconds": F.timestamp_micros,
}


class Rows(NamedTuple):
    """What a file holds, how many of its rows were left out, and how many windows are sure.

    Parameters
    ----------
    df : DataFrame
        The time column as timestamps, the value columns as numbers.
    dropped, all : int
        The rows that were left out, and those of the file.
    stretches : int
        How many stretches as long as a window hold a value, added up over the keys.
    """

    df: DataFrame
    dropped: int
    all: int
    stretches: int


class _Check(NamedTuple):
    """Which rows are bad, an example from one, and what to tell."""

    bad: Column
    example: Column
    text: str


@contextmanager
def rows(spark: SparkSession, source: Source, arguments: Mapping[str, Any]) -> Iterator[Rows]:
    """Read a user's file, its time column as timestamps and its value columns as numbers.

    Times without a zone read as the clock they show (TIMESTAMP_NTZ), others in UTC.

    Raises
    ------
    ShapwinError
        If the file is missing or unreadable, or a row, a time or a number in it.
    """
    kind = form_of(source)
    with plain_name(source.path) as path:
        df = _seen(spark, source, kind, path, arguments)
        if kind == "parquet":
            df = _without_nanoseconds(df, path)
        yield _checked(df, source, kind, arguments)


def stream(spark: SparkSession, source: Source, arguments: Mapping[str, Any]) -> DataFrame:
    """Read a folder that files come into, as `rows` reads one that has all.

    The files that are there say which columns there are. Rows that are broken or unreadable are
    left out; the metrics `OBSERVED` of the query count them as ``bad``, with an ``example``.

    Raises
    ------
    ShapwinError
        If the files that are there are unreadable, or a column is missing.
    """
    kind = form_of(source)
    # Spark knows again what it has read by these names, so that a link will not do.
    path = source.path if "://" in source.path else os.path.abspath(source.path)
    seen = _seen(spark, source, kind, path, arguments)
    options: dict[str, Any] = {}
    if kind == "csv":
        found, spans_lines, _ = headers(source, path)
        if len(found) > 1:
            raise ArgumentError(
                f"the files of {source.path} have different columns: watch a folder for each kind"
            )
        options = {"enforceSchema": False, **_csv_options(source, spans_lines)}
    elif kind == "json":
        options = {"multiLine": json_spans_lines(path)}
    schema = seen.schema
    if kind == "parquet":
        seen = _without_nanoseconds(seen, path)
    else:
        schema = _lasting(schema, arguments)
    _parsed(seen, source, kind, arguments)  # refuses columns that are missing, or of no use
    df = spark.readStream.schema(schema).options(**options).format(kind).load(path)
    if kind == "parquet":
        df = _without_nanoseconds(df, path)
    parsed, checks = _parsed(df, source, kind, arguments)
    bad = F.coalesce(*(F.when(check.bad, check.example) for check in checks))
    df = df.withColumns({**parsed, _BAD: bad})
    counts = F.count(_BAD).alias("bad"), F.min(_BAD).alias("example")
    return df.observe(OBSERVED, *counts).where(F.col(_BAD).isNull()).drop(_BAD, _CORRUPT)


def _lasting(schema: T.StructType, arguments: Mapping[str, Any]) -> T.StructType:
    """A schema that fits later files too: the first may have whole numbers where they have not."""
    needed = {name.lower() for name in _needed(arguments)}
    time = arguments["time"].lower()
    lasting = T.StructType()
    for field in schema:
        name, numeric = field.name.lower(), isinstance(field.dataType, T.NumericType)
        text = name in needed and numeric != (name == time)
        lasting.add(field.name, T.StringType() if text else field.dataType)
    return lasting if _CORRUPT in schema.names else lasting.add(_CORRUPT, T.StringType())


def _seen(
    spark: SparkSession, source: Source, kind: str, path: str, arguments: Mapping[str, Any]
) -> DataFrame:
    try:
        df = _read(spark, source, kind, path, _needed(arguments))
    except SPARK_ERRORS as error:
        raise ArgumentError(f"cannot read {source.path} as {kind}: {reason(error)}") from None
    if not df.columns or df.columns == [_CORRUPT]:
        raise ArgumentError(f"cannot read {source.path} as {kind}: it has no rows of that form")
    return df


def _needed(arguments: Mapping[str, Any]) -> list[str]:
    names = (arguments["time"], arguments["value"], arguments.get("other"))
    return [name for name in names if name is not None]


def _parsed(
    df: DataFrame, source: Source, kind: str, arguments: Mapping[str, Any]
) -> tuple[dict[str, Column], list[_Check]]:
    """The columns of times and numbers, and what can be wrong with a row."""
    time, value, other = arguments["time"], arguments["value"], arguments.get("other")
    checks: list[_Check] = []
    if _CORRUPT in df.columns and kind != "parquet":
        text = "{bad} of {all} rows of {path} are broken, such as {example}: mend them, or leave "
        broken = F.col(_CORRUPT)
        checks.append(_Check(broken.isNotNull(), broken, text + "them out with --skip-bad"))
    parsed = {time: _times(df, source, time, checks)}
    for argument, name in (("value", value), ("other", other)):
        if name is not None and name not in parsed:
            parsed[name] = _numbers(df, kind, argument, name, checks)
    length = microseconds("window", arguments["window"])
    checks.append(_within_the_calendar(parsed[time], length, source, time))
    return parsed, checks


def _micros(times: Column) -> Column:
    return F.unix_micros(times.cast("timestamp"))


def _checked(df: DataFrame, source: Source, kind: str, arguments: Mapping[str, Any]) -> Rows:
    """Parse the columns, and see in one pass whether each row is whole and was parsed."""
    parsed, checks = _parsed(df, source, kind, arguments)
    micros = _micros(parsed[arguments["time"]])
    length = microseconds("window", arguments["window"])
    keys = [quoted(name) for name in arguments.get("by", ()) if name in df.columns]
    stretch = F.struct(F.floor(micros / F.lit(length)), *(F.col(k).cast("string") for k in keys))
    bad = reduce(lambda a, b: a | b, (check.bad for check in checks))
    value, _ = typed(df, "value", arguments["value"])
    used = value.isNotNull() & micros.isNotNull() & ~bad
    try:
        found = df.agg(
            F.count(F.lit(1)).alias("all"),
            F.count_if(bad).alias("bad"),
            F.approx_count_distinct(F.when(used, stretch)).alias("stretches"),
            *(F.count_if(check.bad).alias(f"bad{i}") for i, check in enumerate(checks)),
            *(F.min(F.when(c.bad, c.example)).alias(f"min{i}") for i, c in enumerate(checks)),
            *(F.max(F.when(c.bad, c.example)).alias(f"max{i}") for i, c in enumerate(checks)),
        ).head()
    except SPARK_ERRORS as error:
        what = source.path if source.time_format is None else repr(arguments["time"])
        raise ArgumentError(f"{what} cannot be read: {reason(error)}") from None
    assert found is not None
    for i, check in enumerate(checks):
        if found[f"bad{i}"] and not source.skip_bad:
            raise ArgumentError(
                check.text.format(
                    bad=f"{found[f'bad{i}']:,}",
                    all=f"{found['all']:,}",
                    path=source.path,
                    example=short(found[f"min{i}"]),
                    last=short(found[f"max{i}"]),
                )
            )
    kept = df.where(~bad) if found["bad"] else df
    kept = kept.withColumns(parsed)
    return Rows(kept.drop(_CORRUPT), found["bad"], found["all"], found["stretches"])


def short(text: str) -> str:
    """Return an example from a file as it is shown, not at any length."""
    return repr(text if len(text) <= 80 else f"{text[:80]}…")


def reason(error: Exception) -> str:
    """The words of what went wrong first, in one line, without the Java and Python around it."""
    lines = [line.strip() for line in str(error).splitlines() if line.strip()]
    if not lines:
        return type(error).__name__
    if lines[0].startswith("An exception was thrown from the Python worker"):
        trace = [line for line in str(error).splitlines()[2:] if line[:1].strip()]
        return trace[-1].strip() if trace else lines[0]
    causes = [line for line in lines if line.startswith("Caused by: ")]
    text = causes[-1].removeprefix("Caused by: ") if causes else lines[0]
    if not causes and lines[0].startswith("An error occurred while calling") and len(lines) > 1:
        text = lines[1].strip(" :")
    # The names of exception classes, Python's last line of a traceback among them.
    text = re.sub(r"^(?:[\w$]+\.)+[\w$]*(?:Exception|Error)[\w$]*: ", "", text)
    text = text.split("] ", 1)[-1].split(" SQLSTATE:")[0]
    text = re.sub(r"^Query \[.*?\] terminated with exception: (\[\w+\] )?", "", text)
    return text.split(' If necessary set "spark.sql')[0].rstrip(" ;.:")


def _read(
    spark: SparkSession, source: Source, kind: str, path: str, needed: Sequence[str]
) -> DataFrame:
    # With this setting Spark infers TIMESTAMP_NTZ unless a value of the column has a zone.
    setting = "spark.sql.timestampType"
    before = str(spark.conf.get(setting))
    spark.conf.set(setting, "TIMESTAMP_NTZ")
    try:
        if kind == "csv":
            return _read_csv(spark, source, path, needed)
        reader = spark.read
        if kind == "json":
            reader = reader.options(inferTimestamp=True, multiLine=json_spans_lines(path))
        return reader.format(kind).load(path)
    finally:
        spark.conf.set(setting, before)


def _read_csv(spark: SparkSession, source: Source, path: str, needed: Sequence[str]) -> DataFrame:
    """Read CSV files by the names in their headers; Spark by itself reads a folder by position.

    Broken rows have their text in the column `_CORRUPT`.
    """
    delimiter = _delimiter(source)
    found, spans_lines, all_seen = headers(source, path)
    reader = spark.read.options(
        inferSchema=True,
        enforceSchema=all_seen,  # else Spark itself holds every header to the columns' names
        **_csv_options(source, spans_lines),
    ).format("csv")
    for header, files in found.items():
        _refuse_header(header, files[0], delimiter, needed, several=len(found) > 1)
    if len(found) < 2:
        return _with_broken_rows(reader, reader.load(path).schema, path)
    if not all_seen:
        raise ArgumentError(
            f"the files of {source.path} have different columns, and some are compressed in a way "
            "that hides theirs: decompress them, or explain them one by one"
        )
    odd = [file for files in found.values() for file in files if ODD & set(file)]
    if odd:
        raise ArgumentError(
            f"the files of {source.path} have different columns, and {odd[0]} "
            "an odd name: rename it"
        )
    if os.path.isdir(path):
        reader = reader.option("basePath", path)
    schemas = [reader.load(files).schema for files in found.values()]
    kinds: dict[str, set[T.DataType]] = {}
    for field in (field for schema in schemas for field in schema):
        kinds.setdefault(field.name.lower(), set()).add(field.dataType)
    frames = []
    for schema, files in zip(schemas, found.values(), strict=True):
        for field in schema:
            different = kinds[field.name.lower()]
            if len(different) > 1 and not all(isinstance(k, T.NumericType) for k in different):
                field.dataType = T.StringType()
        frames.append(_with_broken_rows(reader, schema, files))
    return reduce(lambda a, b: a.unionByName(b, allowMissingColumns=True), frames)


def _delimiter(source: Source) -> str:
    if source.delimiter in ("", "\\"):
        raise ArgumentError(
            f"--delimiter {source.delimiter!r} cannot be: give one or more characters"
        )
    return source.delimiter or ("\t" if ".tsv" in Path(source.path).suffixes else ",")


def _csv_options(source: Source, spans_lines: bool) -> dict[str, Any]:
    wide = codec_of(source.encoding).startswith(("utf-16", "utf-32"))
    return {
        "header": True,
        "escape": '"',
        "sep": _delimiter(source),
        "nullValue": source.null_value,
        "encoding": source.encoding,
        "multiLine": spans_lines or wide,
        "columnPruning": False,  # else fields that nobody asked for are not counted
    }


def _with_broken_rows(
    reader: DataFrameReader, schema: T.StructType, files: str | list[str]
) -> DataFrame:
    if _CORRUPT in schema.names or not schema.names:
        return reader.load(files)
    return reader.schema(T.StructType([*schema, T.StructField(_CORRUPT, T.StringType())])).load(
        files
    )


def _refuse_header(
    header: str, file: str, delimiter: str, needed: Sequence[str], *, several: bool
) -> None:
    """Refuse a header that has a column twice, or in a folder of different ones lacks it."""
    if len(delimiter) != 1:
        return
    names = [name.strip() for name in next(csv.reader([header], delimiter=delimiter), [])]
    for wanted in needed:
        twins = [name for name in names if name.lower() == wanted.lower()]
        if len(twins) > 1:
            raise ColumnError(
                f"{file} has two columns {twins[0]!r} and {twins[1]!r}, one name to Spark: rename "
                "one in its header"
            )
        if several and not twins and "=" not in os.path.dirname(file):
            raise ColumnError(
                f"{file} has no column {wanted!r}, which other files of the folder have: its "
                f"header is {short(header)}"
            )


def _without_nanoseconds(df: DataFrame, path: str) -> DataFrame:
    """Turn the nanoseconds that pandas writes, BIGINT to Spark, into timestamps."""
    if "://" in path:
        return df
    first = next(iter(names_in(path)), path) if os.path.isdir(path) else path
    for field in pq.read_schema(first):
        if pa.types.is_timestamp(field.type) and field.type.unit == "ns":
            times = F.timestamp_micros(F.expr(f"{quoted(field.name)} div 1000"))
            kind = "timestamp" if field.type.tz else "timestamp_ntz"
            df = df.withColumn(field.name, times.cast(kind))
    return df


def _times(df: DataFrame, source: Source, time: str, checks: list[_Check]) -> Column:
    column, kind = typed(df, "time", time)
    if isinstance(kind, T.TimestampType | T.TimestampNTZType):
        return column
    if isinstance(kind, T.DateType):
        return column.cast("timestamp_ntz")
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
    times = times.cast("timestamp_ntz")
    mend = "say how to read it, with --time-format 'MM/dd/yyyy HH:mm' for example"
    checks.append(_unparsed(column, times, time, "no timestamp", mend))
    return times


def _within_the_calendar(times: Column, length: int, source: Source, time: str) -> _Check:
    """Windows begin before a row and end after it: both must be dates."""
    pad = max(length, _YEAR)
    outside = ~_micros(times).between(F.lit(_FIRST + pad), F.lit(_LAST - pad))
    finer = {"seconds": "milliseconds", "milliseconds": "microseconds"}
    hint = finer.get(source.time_format or "")
    mend = f"are they {hint}, so --time-format {hint}? Else" if hint else "mend them, or"
    text = (
        f"{_braced(time)} has {{bad}} of {{all}} times too far from today for windows of this "
        f"length, from {{example}} to {{last}}: {mend} leave such rows out with --skip-bad"
    )
    return _Check(F.coalesce(outside, F.lit(False)), times.cast("string"), text)


def _numbers(df: DataFrame, kind: str, argument: str, name: str, checks: list[_Check]) -> Column:
    """Read numbers that stand as text; a CSV column is text if one of its fields is."""
    column, found = typed(df, argument, name)
    if kind == "parquet" or not isinstance(found, T.StringType):
        return column
    numbers = column.try_cast("double")
    mend = "name it with --null-value if it means NULL"
    checks.append(_unparsed(column, numbers, name, "no number", mend))
    return numbers


def _unparsed(column: Column, parsed: Column, name: str, what: str, mend: str) -> _Check:
    text = (
        f"{_braced(name)} has {what} in {{bad}} of {{all}} rows of {{path}}, such as {{example}}: "
        f"{mend}, or leave such rows out with --skip-bad"
    )
    return _Check(column.isNotNull() & parsed.isNull(), column.cast("string"), text)


def _braced(name: str) -> str:
    return repr(name).replace("{", "{{").replace("}", "}}")
