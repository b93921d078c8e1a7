"""Rows to panes: one summary for each key, time slice and atom, by Spark's own aggregation."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import timedelta
from functools import reduce
from numbers import Number
from typing import Any

from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as F
from pyspark.sql import types as T

from ..errors import ArgumentError, ArgumentTypeError, ColumnError, PredicateError
from . import checks
from .checks import quoted
from .exact_sums import SUMS, SUMS_OF_TWO, Sums, aggregates, with_parts
from .intervals import duration, interval, microseconds
from .shipping import shipped

Names = str | Sequence[str]
Center = float | Mapping[Any, float] | None

_FIXED = ("pane", "pane_end", "signature", *SUMS_OF_TWO)

# Names of the pipeline's own columns.
_KEPT = re.compile(
    r"_(by\d+|pane|pane_end|signature|m|[abcx]|ab|a2|center2?|[yx](\d|_odd)|y[yx]\d|q\d+|atom)",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class PaneTable:
    """A pane table inside the pipeline.

    Parameters
    ----------
    frame : DataFrame
        The keys as ``_by0``, …; ``_pane`` and ``_pane_end``; one BOOLEAN column a predicate,
        under the user's own name; the sums, as `sums` says. The underscores keep the names of
        sums and of predicates apart.
    by, predicates : tuple of str
        The user's names of the keys and predicates.
    length : int
        Microseconds in a pane.
    sums : Sums
        Which sums there are.
    """

    frame: DataFrame
    by: tuple[str, ...]
    predicates: tuple[str, ...]
    length: int
    sums: Sums

    @property
    def keys(self) -> list[str]:
        """The names of the key columns in `frame`."""
        return [f"_by{i}" for i in range(len(self.by))]


def panes(
    df: DataFrame,
    *,
    value: str | Column,
    time: str | Column,
    every: str | timedelta,
    predicates: Mapping[str, str | Column],
    by: Names = (),
    other: str | Column | None = None,
    multiplicity: str | Column | None = None,
    center: Center = None,
    closed: str = "left",
    engine: str = "native",
) -> DataFrame:
    """Summarise rows by key, pane and atom: the table that `attribute` explains windows from.

    Parameters
    ----------
    df : DataFrame
        The rows, in any order.
    value : str or Column
        The column of numbers that is aggregated, cast to DOUBLE. Rows where it is NULL are no
        players; NaN and ±Inf are values.
    time : str or Column
        A TIMESTAMP, TIMESTAMP_NTZ or DATE column. Rows where it is NULL belong to no pane.
    every : str or timedelta
        The length of a pane, as in ``5 minutes``.
    predicates : dict of str to str or Column
        Up to 64 named conditions on a row. Where one is NULL, the row is not a member.
    by : str or sequence of str
        Key columns; each key has panes of its own.
    other : str or Column, optional
        A second column of numbers, for covariances; rows where either is NULL are no players.
    multiplicity : str or Column, optional
        A column of whole numbers: a row stands for that many equal tuples, −1 takes one back.
    center : float or dict of key to float, optional
        What values are measured from. By default each pane's own mean, which keeps most digits.
    closed : {"left", "right"}
        Whether a pane is [start, end) or (start, end].
    engine : {"native"}
        How the sums are made: by Spark's own aggregation.

    Returns
    -------
    DataFrame
        ``*by, pane, pane_end, signature, <one BOOLEAN a predicate>, m, a, b, center``, and
        ``a2, ab, center2`` with `other`. Rows are additive: append more for the same pane and
        they mean the sum. Bit k of the signature is the k-th predicate.

    Raises
    ------
    ShapwinError
        For a wrong argument, before any job starts.

    Notes
    -----
    (m, a, b) = count, Σ(y−c), Σ(y−c)² about c = center (Khani & Assent, Corollary 2).
    """
    table = pane_table(
        df,
        value=value,
        time=time,
        length=microseconds("every", every),
        predicates=predicates,
        by=by,
        other=other,
        multiplicity=multiplicity,
        center=center,
        closed=closed,
        engine=engine,
    )
    for name in (*table.by, *predicates):
        if name.lower() in _FIXED:
            raise ColumnError(f"{name!r} is the name of a column of the pane table: rename it")
    return _public(table, predicates)


def pane_table(
    df: DataFrame,
    *,
    value: str | Column,
    time: str | Column,
    length: int,
    predicates: Mapping[str, str | Column],
    by: Names,
    other: str | Column | None,
    multiplicity: str | Column | None,
    center: Center,
    closed: str,
    engine: str,
) -> PaneTable:
    """Check the arguments of `panes` and build its table with names for the pipeline."""
    if not isinstance(df, DataFrame):
        raise ArgumentTypeError(f"df is a {type(df).__name__}: give a Spark DataFrame")
    checks.one_of("closed", closed, ("left", "right"))
    checks.one_of("engine", engine, ("native",))
    if df.isStreaming:
        raise ArgumentError("df is a stream: explain it batch by batch with foreachBatch")
    keys = checks.by_columns(df, by, checks.RESULT_COLUMNS)
    by = checks.names("by", by)
    columns = [key.alias(f"_by{i}") for i, key in enumerate(keys)]
    columns += [
        checks.timestamp(df, time).alias("_time"),
        checks.numeric(df, "value", value).alias("_y"),
    ]
    if other is not None:
        columns.append(checks.numeric(df, "other", other).alias("_x"))
    if multiplicity is not None:
        columns.append(checks.integer(df, "multiplicity", multiplicity).alias("_k"))
    members = checks.predicates(df, predicates, by)
    _refuse_kept_names(members)
    conditions = [f"_q{k}" for k in range(len(members))]
    columns += [member.alias(q) for member, q in zip(members.values(), conditions, strict=True)]

    rows = _players(df.select(*columns), other is not None)
    rows = rows.selectExpr("*", f"{signature(conditions)} _signature").drop(*conditions)
    rows = _in_panes(rows, length, closed)
    names = [f"_by{i}" for i in range(len(keys))]
    if multiplicity is not None:
        rows = _net(rows)
    sums = Sums(other is not None, exact=True, centered=center is not None)
    frame = _summed(rows, names, sums, center)
    booleans = [
        f"CAST(getbit(_signature, {k}) AS BOOLEAN) {quoted(name)}"
        for k, name in enumerate(predicates)
    ]
    frame = frame.selectExpr("*", f"_pane + {interval(length)} _pane_end", *booleans)
    return PaneTable(frame, by, tuple(predicates), length, sums)


def pane_table_of(panes: DataFrame) -> PaneTable:
    """Read a table made by `panes`, perhaps written and read back, for the pipeline.

    Columns are found by name and place: keys stand before ``pane``, and every other column that
    is no sum is a predicate. The signature is not read: predicates may stand in another order
    than when a row was written.
    """
    found = panes.columns
    missing = [c for c in ("pane", "pane_end", "signature", *SUMS) if c not in found]
    if missing:
        raise ColumnError(
            f"panes has no column {', '.join(map(repr, missing))}: give a table made by "
            "shapwin.panes"
        )
    by = found[: found.index("pane")]
    predicates = [name for name in found[len(by) :] if name not in _FIXED]
    for name in predicates:
        if not isinstance(checks.type_of(panes, F.col(quoted(name))), T.BooleanType):
            raise ColumnError(
                f"panes has the column {name!r}, which is neither a predicate nor a sum: drop it"
            )
    _refuse_kept_names(predicates)
    two = "a2" in found
    sums = Sums(two)
    length = _length(panes)
    frame = panes.select(
        *(F.col(quoted(name)).alias(f"_by{i}") for i, name in enumerate(by)),
        _of_length(length).alias("_pane"),
        F.col("pane_end").alias("_pane_end"),
        *(_never_null(name).alias(name) for name in predicates),
        *(F.col(name).alias(f"_{name}") for name in sums.names),
    )
    return PaneTable(frame, tuple(by), tuple(predicates), length, sums)


def signature(conditions: Sequence[str]) -> str:
    """Return, as SQL, the BIGINT whose bit k says whether the k-th of some conditions holds."""
    bits = (
        f"shiftleft(CAST({condition} AS BIGINT), {k})" for k, condition in enumerate(conditions)
    )
    return " | ".join(("0L", *bits))


def _players(rows: DataFrame, two_columns: bool) -> DataFrame:
    """Only rows with a time and a value take part."""
    needed = ["_time", "_y"] + (["_x"] if two_columns else [])
    return rows.where(" AND ".join(f"{name} IS NOT NULL" for name in needed))


def _in_panes(rows: DataFrame, length: int, closed: str) -> DataFrame:
    """Add the start of each row's pane; (start, end] is [start, end) a microsecond later."""
    every = f"{length} microseconds"
    if closed == "left":
        start = F.window("_time", every)["start"]
    else:
        start = F.window("_time", every, every, "1 microsecond")["start"] - duration(1)
    return rows.withColumn("_pane", start).drop("_time")


def _net(rows: DataFrame) -> DataFrame:
    """Add up equal tuples of a pane first, so that one taken back leaves no trace."""
    same = [name for name in rows.columns if name != "_k"]
    return rows.groupBy(*same).agg(F.sum("_k").alias("_k")).where("_k <> 0")


def _given_center(rows: DataFrame, center: float | Mapping[Any, float], keys: list[str]) -> Column:
    if not isinstance(center, Mapping):
        return F.lit(_finite(center))
    if not keys:
        raise ArgumentError("center is a dict but there is no by column: give one number")
    choice: Column = F.lit(0.0)
    for key, value in center.items():
        parts = key if isinstance(key, tuple) else (key,)
        if len(parts) != len(keys):
            raise ArgumentError(
                f"center has the key {key!r}: give one value for each of the {len(keys)} by columns"
            )
        for name, part in zip(keys, parts, strict=True):
            _refuse_other_type(part, rows.schema[name].dataType)
        same = (F.col(k).eqNullSafe(F.lit(part)) for k, part in zip(keys, parts, strict=True))
        choice = F.when(reduce(Column.__and__, same), F.lit(_finite(value))).otherwise(choice)
    return choice


def _refuse_other_type(part: Any, kind: T.DataType) -> None:
    literal = part is None or isinstance(part, bool) == isinstance(kind, T.BooleanType)
    if isinstance(kind, T.StringType):
        literal = part is None or isinstance(part, str)
    elif isinstance(kind, T.NumericType):
        literal = part is None or (isinstance(part, Number) and not isinstance(part, bool))
    if not literal:
        raise ArgumentTypeError(
            f"center has the key {part!r} but the by column is {kind.simpleString().upper()}: "
            "give its values as keys"
        )


def _finite(center: Any) -> float:
    if isinstance(center, bool) or not isinstance(center, int | float):
        raise ArgumentTypeError(f"center={center!r}: give a number, or a dict of key to number")
    if not abs(center) < float("inf"):
        raise ArgumentError(f"center={center!r}: give a finite number")
    return float(center)


def _summed(rows: DataFrame, keys: list[str], sums: Sums, center: Center) -> DataFrame:
    """The exact sums of each key, pane and atom."""
    letters = "yx" if sums.two_columns else "y"
    weight = "_k" if "_k" in rows.columns else None
    grouped = with_parts(rows, letters).groupBy(*keys, "_pane", "_signature")
    summed = grouped.agg(*(F.expr(sql) for sql in aggregates(letters, weight)))
    if center is None:
        return summed
    return summed.withColumn("_c", _given_center(summed, center, keys))


def _summarised(table: PaneTable) -> DataFrame:
    """The pane table's frame with summaries in place of exact sums."""
    schema = T.StructType([f for f in table.frame.schema if f.name not in table.sums.columns])
    for name in table.sums.names:
        schema.add(f"_{name}", T.LongType() if name == "m" else T.DoubleType())
    with shipped():
        return table.frame.mapInArrow(table.sums.summarise, schema)


def _public(table: PaneTable, predicates: Mapping[str, str | Column]) -> DataFrame:
    """Give the columns their public names; comments say what each predicate meant."""
    texts = {name: {"comment": str(text)} for name, text in predicates.items()}
    return _summarised(table).select(
        *(F.col(key).alias(name) for key, name in zip(table.keys, table.by, strict=True)),
        F.col("_pane").alias("pane", metadata={"shapwin.microseconds": table.length}),
        F.col("_pane_end").alias("pane_end"),
        F.col("_signature").alias("signature"),
        *(F.col(quoted(name)).alias(name, metadata=texts[name]) for name in table.predicates),
        *(F.col(f"_{name}").alias(name) for name in table.sums.names),
    )


def _of_length(length: int) -> Column:
    """The pane, or an error in a row whose pane is longer or shorter than the others."""
    message = (
        f"a row of the pane table has a pane that is not {timedelta(microseconds=length)} long as "
        "the others: keep panes of different lengths in tables of their own"
    )
    fits = F.col("pane_end") - F.col("pane") == duration(length)
    return F.when(fits, F.col("pane")).otherwise(F.raise_error(F.lit(message)))


def _refuse_kept_names(predicates: Iterable[str]) -> None:
    for name in predicates:
        if _KEPT.fullmatch(name):
            raise PredicateError(
                f"predicate {name!r} has a name that is kept for the pipeline: drop the underscore"
            )


def _never_null(name: str) -> Column:
    message = (
        f"predicate '{name}' is NULL in a row of the pane table that is older than it: make "
        "those panes anew, or leave the predicate out"
    )
    return F.coalesce(F.col(quoted(name)), F.raise_error(F.lit(message)).cast("boolean"))


def _length(panes: DataFrame) -> int:
    """The pane length: noted by `panes` beside the column, else seen in the first row."""
    for field in panes.schema:
        if field.name == "pane":
            if not isinstance(field.dataType, T.TimestampType | T.TimestampNTZType):
                raise ArgumentTypeError(
                    f"panes.pane is {field.dataType.simpleString().upper()}: it must be TIMESTAMP"
                )
            if "shapwin.microseconds" in field.metadata:
                return int(field.metadata["shapwin.microseconds"])
    first = panes.select(
        F.timestamp_diff("MICROSECOND", F.col("pane"), F.col("pane_end")).alias("length")
    ).head()
    return int(first["length"]) if first is not None else 1
