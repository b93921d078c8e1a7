"""What the pipeline is asked for, checked before any Spark job starts."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from difflib import get_close_matches
from functools import reduce
from operator import and_
from typing import Any

from pyspark.errors import AnalysisException, ParseException
from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as F
from pyspark.sql import types as T

from ..errors import ArgumentError, ArgumentTypeError, ColumnError, PredicateError, QueryError
from .quiet import first_line, unlogged

MAX_PREDICATES = 64
NAME_MEND = "its last word would name what stands before it: is an AND or OR missing?"
# Where Spark notes the watermark of a column.
WATERMARK = "spark.watermarkDelayMs"
RESULT_COLUMNS = (
    "window_start",
    "window_end",
    "statistic",
    "predicate",
    "n",
    "value",
    "m",
    "group_mean",
    "phi",
    "share",
    "lift",
    "weight",
)
# Types of keys: those that Spark sorts and Arrow compares.
_KEYS = (
    T.NumericType,
    T.StringType,
    T.BooleanType,
    T.BinaryType,
    T.DateType,
    T.TimestampType,
    T.TimestampNTZType,
)


def quoted(name: str) -> str:
    """Return a name as a SQL identifier."""
    return "`" + name.replace("`", "``") + "`"


def unused(name: str, taken: Iterable[str]) -> str:
    """Return a name for a column beside others, which may have any.

    Examples
    --------
    >>> unused("place", ["fare", "Place"])
    '_place'
    """
    lower = {other.lower() for other in taken}
    while name.lower() in lower:
        name = f"_{name}"
    return name


def has_name(df: DataFrame, text: str) -> bool:
    """Whether Spark takes the end of a condition for its name: ``eu gold`` is ``eu`` to it."""
    try:
        with unlogged():
            _ = df.select(_in_parentheses(text)).schema
    except ParseException:
        return True
    except AnalysisException:
        pass
    return False


def _in_parentheses(text: str) -> Column:
    """The condition, which cannot have a name there; a comment at its end has a line of its own."""
    return F.expr(f"(\n{text}\n)")


def names(argument: str, given: str | Sequence[str]) -> tuple[str, ...]:
    """Return one name or several as a tuple of names, each used once."""
    if not isinstance(given, str | list | tuple):
        raise ArgumentTypeError(f"{argument}={_shown(given)}: give a name, or a list of names")
    found = (given,) if isinstance(given, str) else tuple(given)
    for name in found:
        if not isinstance(name, str):
            raise ArgumentTypeError(f"{argument} has {name!r}: give names as strings")
    _no_twins(argument, found, ColumnError)
    return found


def one_of(argument: str, given: str, allowed: Sequence[str]) -> str:
    """Return the given word if it is one of the allowed ones."""
    if given not in allowed:
        raise ArgumentError(f"{argument}={given!r}: use {' or '.join(map(repr, allowed))}")
    return given


def by_columns(df: DataFrame, by: str | Sequence[str], taken: Iterable[str]) -> list[Column]:
    """Return the key columns, whose names must not be those of result columns."""
    reserved = {name.lower() for name in taken}
    columns = []
    for name in names("by", by):
        if name.lower() in reserved:
            raise ColumnError(
                f"by column {name!r} has the name of a result column: rename it first, as in "
                f"df.withColumnRenamed({name!r}, {name + '_key'!r})"
            )
        column, kind = typed(df, "by", name)
        if not isinstance(kind, _KEYS):
            raise ArgumentTypeError(
                f"by column {name!r} is {kind.simpleString().upper()}: give a plain column, such "
                "as a field of it, or cast it to STRING"
            )
        if isinstance(kind, T.StringType) and not kind.isUTF8BinaryCollation():
            raise ArgumentTypeError(
                f"by column {name!r} is {kind.simpleString().upper()}, by which unequal texts are "
                f"one key: give one text for each, as in df.withColumn({name!r}, "
                f"F.expr('lower({name}) COLLATE UTF8_BINARY'))"
            )
        columns.append(column)
    return columns


def numeric(df: DataFrame, argument: str, name: str | Column) -> Column:
    """Return a column of numbers as DOUBLE."""
    column, kind = typed(df, argument, name)
    if not isinstance(kind, T.NumericType):
        raise ArgumentTypeError(
            f"{argument}={_shown(name)} is {kind.simpleString().upper()}: give a column of "
            "numbers, or cast it first"
        )
    return column.cast("double")


def integer(df: DataFrame, argument: str, name: str | Column) -> Column:
    """Return a column of whole numbers as BIGINT."""
    column, kind = typed(df, argument, name)
    if not isinstance(kind, T.IntegralType):
        mend = "cast it to BIGINT" if isinstance(kind, T.DecimalType) and not kind.scale else ""
        raise ArgumentTypeError(
            f"{argument}={_shown(name)} is {kind.simpleString().upper()}: "
            f"{mend or 'give a column of whole numbers'}"
        )
    return column.cast("bigint")


def timestamp(df: DataFrame, name: str | Column) -> Column:
    """Return the time column as TIMESTAMP or TIMESTAMP_NTZ."""
    column, kind = typed(df, "time", name)
    if isinstance(kind, T.DateType):
        return column.cast("timestamp")
    if not isinstance(kind, T.TimestampType | T.TimestampNTZType):
        mend = "timestamp_seconds" if isinstance(kind, T.NumericType) else "to_timestamp"
        raise ArgumentTypeError(
            f"time={_shown(name)} is {kind.simpleString().upper()}: give a TIMESTAMP, "
            f"TIMESTAMP_NTZ or DATE, as in df.withColumn('time', F.{mend}({_shown(name)}))"
        )
    return column


def event_time(df: DataFrame, name: str | Column) -> Column:
    """Return the time column of a stream, which must carry a watermark."""
    column, shown = timestamp(df, name), _shown(name)
    mend = f"df.withWatermark({shown}, '10 minutes'), after all changes to the column"
    field = df.select(column).schema[0]
    if isinstance(field.dataType, T.TimestampNTZType):
        raise ArgumentTypeError(
            f"time={shown} of the stream is TIMESTAMP_NTZ, which cannot have a watermark: cast it "
            f"to TIMESTAMP, and then say how late rows may come, as in {mend}"
        )
    if WATERMARK not in field.metadata:
        raise ArgumentError(
            f"time={shown} of the stream has no watermark: say how late rows may come, as in {mend}"
        )
    return column


def predicates(
    df: DataFrame, given: Mapping[str, str | Column], taken: Iterable[str]
) -> dict[str, Column]:
    """Return each predicate as a BOOLEAN column that is never NULL.

    SQL's three-valued logic: where a predicate is NULL, the row is not a member.
    """
    if not isinstance(given, Mapping):
        raise ArgumentTypeError(
            f"predicates={given!r}: give a dict of name to SQL condition, as in "
            "{'eu': \"region = 'EU'\"}"
        )
    if len(given) > MAX_PREDICATES:
        raise PredicateError(f"{len(given)} predicates: at most {MAX_PREDICATES} are possible")
    reserved = {name.lower() for name in taken}
    for name in given:
        if not isinstance(name, str) or not name.strip():
            raise PredicateError(f"a predicate is named {name!r}: give it a name")
        if name.lower() in reserved:
            raise PredicateError(
                f"predicate {name!r} has the name of another column of the table: rename it"
            )
    _no_twins("predicates", tuple(given), PredicateError)
    conditions = _conditions(df, "predicate", given, PredicateError)
    return {name: F.coalesce(column, F.lit(False)) for name, column in conditions.items()}


def queries(
    df: DataFrame, given: Mapping[str, str] | str | None, known: Sequence[str]
) -> dict[str, str]:
    """Return the queries, each a condition over the predicates' names; one a predicate by default.

    Parameters
    ----------
    df : DataFrame
        Holds one BOOLEAN column a predicate, and nothing else.
    """
    if given is None:
        return {name: quoted(name) for name in known}
    if not isinstance(given, Mapping) or not given:
        raise QueryError(
            f"queries={given!r}: give 'atoms', or a dict of name to condition over predicate "
            "names, as in {'both': 'a AND b'}"
        )
    _no_twins("queries", tuple(name for name in given if isinstance(name, str)), QueryError)
    for name, text in given.items():
        if not isinstance(name, str) or not name.strip():
            raise QueryError(f"a query is named {name!r}: give it a name")
        if not isinstance(text, str):
            raise QueryError(f"query {name!r} is {text!r}: give a condition as text")
    _conditions(df, "query", given, QueryError)
    return dict(given)


def typed(df: DataFrame, argument: str, name: str | Column) -> tuple[Column, T.DataType]:
    """Return the column of that name, and its type; a Column stands for itself."""
    if not isinstance(name, str | Column):
        raise ArgumentTypeError(f"{argument}={name!r}: give a column's name, or a Column")
    column = F.col(quoted(name)) if isinstance(name, str) and name in df.columns else name
    try:
        with unlogged():
            column = F.col(column) if isinstance(column, str) else column
            # WHERE refuses what is no value of a row: aggregates, windows, generators. Connect
            # asks the server for the schema of a SELECT only.
            kind = df.where(column.isNotNull()).select(column).schema[0].dataType
    except AnalysisException as error:
        raise ColumnError(_missing(df, argument, name, error)) from None
    return column, kind


def _conditions(
    df: DataFrame, noun: str, given: Mapping[str, Any], kind: type[ArgumentError]
) -> dict[str, Column]:
    """Let Spark parse each condition on its own, so that it can be nothing else, and analyse it.

    All at once where all are right, as every analysis takes some milliseconds; else one by one,
    to name the one at fault.
    """
    try:
        columns = {name: F.expr(t) if isinstance(t, str) else t for name, t in given.items()}
        whole = [_in_parentheses(t) if isinstance(t, str) else t for t in given.values()]
        if _are_conditions(df, [*columns.values()], whole):
            return columns
    except ParseException:
        pass
    return {name: _condition(df, f"{noun} {name!r}", text, kind) for name, text in given.items()}


def _are_conditions(df: DataFrame, columns: Sequence[Any], whole: Sequence[Any]) -> bool:
    """Whether these are conditions on a row, each and together; whole ones have no names."""
    if not columns or not all(isinstance(column, Column) for column in columns):
        return False
    try:
        with unlogged():
            # WHERE refuses what no condition on a row can be: aggregates, windows, generators.
            rows = df.where(reduce(and_, whole))
            fields = rows.select(*(column.alias("condition") for column in columns)).schema
    except (ParseException, AnalysisException):
        return False
    return len(fields) == len(columns) and all(
        isinstance(field.dataType, T.BooleanType) for field in fields
    )


def _condition(df: DataFrame, what: str, text: str | Column, kind: type[ArgumentError]) -> Column:
    """Let Spark parse and analyse one condition, and say what is wrong with it."""
    if not isinstance(text, str | Column):
        raise kind(f"{what} is {text!r}: give a condition as SQL text or a Column")
    shown = text if isinstance(text, str) else _shown(text)
    try:
        with unlogged():
            column = F.expr(text) if isinstance(text, str) else text
            found = df.select(column.alias("condition")).schema[0].dataType
            if isinstance(found, T.BooleanType):
                # WHERE refuses what no condition on a row can be: aggregates, windows, generators.
                _ = df.where(column).select(column).schema
    except ParseException as error:
        raise kind(f"{what} does not parse: {shown} ({first_line(error)})") from None
    except AnalysisException as error:
        raise kind(f"{what} cannot be used: {shown} ({first_line(error)})") from None
    if not isinstance(found, T.BooleanType):
        raise kind(
            f"{what} is {found.simpleString().upper()}, not BOOLEAN: {shown}; write a condition "
            "such as region = 'EU'"
        )
    if isinstance(text, str) and has_name(df, text):
        raise kind(f"{what} does not parse: {text} ({NAME_MEND})")
    return column


def _missing(df: DataFrame, argument: str, name: Any, error: AnalysisException) -> str:
    if not isinstance(name, str) or (error.getCondition() or "").startswith("AMBIGUOUS"):
        return f"{argument}={_shown(name)} cannot be used: {first_line(error)}"
    close = get_close_matches(name, df.columns, n=1)
    mend = f"did you mean {close[0]!r}?" if close else f"there are {', '.join(df.columns)}"
    return f"{argument}={name!r}: there is no such column; {mend}"


def _no_twins(argument: str, given: tuple[str, ...], kind: type[ArgumentError]) -> None:
    seen: dict[str, str] = {}
    for name in given:
        twin = seen.get(name.lower())
        if twin == name:
            raise kind(f"{argument} has {name!r} twice: use each name once")
        if twin is not None:
            raise kind(
                f"{argument} has {twin!r} and {name!r}, one name to Spark: leave one out, or "
                "rename it"
            )
        seen[name.lower()] = name


def _shown(name: Any) -> str:
    return repr(name) if isinstance(name, str) else str(name)
