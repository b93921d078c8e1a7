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
from .intervals import duration, microseconds

Names = str | Sequence[str]
Center = float | Mapping[Any, float] | None

SUMS = ("m", "a", "b", "center")
SUMS_OF_TWO = (*SUMS, "a2", "ab", "center2")
_FIXED = ("pane", "pane_end", "signature", *SUMS_OF_TWO)

# Names of the pipeline's own columns.
_KEPT = re.compile(
    r"_(by\d+|pane|pane_end|signature|m|a|b|center|a2|ab|center2|q\d+|atom)", re.IGNORECASE
)

# Joining the panes' centres to the rows by broadcast: never more than this many panes a year.
_BROADCAST_FROM = 60_000_000


@dataclass(frozen=True, slots=True)
class PaneTable:
    """A pane table inside the pipeline.

    Parameters
    ----------
    frame : DataFrame
        The keys as ``_by0``, …; ``_pane`` and ``_pane_end``; one BOOLEAN column a predicate,
        under the user's own name; the sums as ``_m``, ``_a``, …. The underscores keep the names
        of sums and of predicates apart.
    by, predicates : tuple of str
        The user's names of the keys and predicates.
    length : int
        Microseconds in a pane.
    two_columns : bool
        Whether there are sums of a second column.
    """

    frame: DataFrame
    by: tuple[str, ...]
    predicates: tuple[str, ...]
    length: int
    two_columns: bool

    @property
    def keys(self) -> list[str]:
        """The names of the key columns in `frame`."""
        return [f"_by{i}" for i in range(len(self.by))]

    @property
    def sums(self) -> tuple[str, ...]:
        """The names of the sums, without the underscore."""
        return SUMS_OF_TWO if self.two_columns else SUMS


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
        The rows, in any order. It is read twice unless `center` is given: once for the panes'
        means, once for the sums about them.
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
    columns.append(signature(list(members.values())).alias("_signature"))

    rows = _players(df.select(*columns), other is not None)
    rows = _in_panes(rows, length, closed)
    names = [f"_by{i}" for i in range(len(keys))]
    if multiplicity is not None:
        rows = _net(rows)
    rows = _centred(rows, names, center, length)
    frame = _summed(rows, names, length)
    booleans = [
        F.getbit("_signature", F.lit(k)).cast("boolean").alias(name)
        for k, name in enumerate(predicates)
    ]
    return PaneTable(frame.select("*", *booleans), by, tuple(predicates), length, other is not None)


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
    sums = SUMS_OF_TWO if two else SUMS
    length = _length(panes)
    frame = panes.select(
        *(F.col(quoted(name)).alias(f"_by{i}") for i, name in enumerate(by)),
        _of_length(length).alias("_pane"),
        F.col("pane_end").alias("_pane_end"),
        *(_never_null(name).alias(name) for name in predicates),
        *(F.col(name).alias(f"_{name}") for name in sums),
    )
    return PaneTable(frame, tuple(by), tuple(predicates), length, two)


def signature(members: Sequence[Column]) -> Column:
    """Return the BIGINT whose bit k says whether the k-th of some conditions holds."""
    bits = [F.shiftleft(member.cast("bigint"), k) for k, member in enumerate(members)]
    return reduce(Column.bitwiseOR, bits, F.lit(0).cast("bigint"))


def _players(rows: DataFrame, two_columns: bool) -> DataFrame:
    """Only rows with a time and a value take part."""
    needed = ["_time", "_y"] + (["_x"] if two_columns else [])
    return rows.where(reduce(Column.__and__, (F.col(name).isNotNull() for name in needed)))


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


def _centred(rows: DataFrame, keys: list[str], center: Center, length: int) -> DataFrame:
    """Replace values by what they are about a centre, and keep the centre."""
    columns = [name for name in ("_y", "_x") if name in rows.columns]
    if center is None:
        rows = _with_own_centers(rows, keys, columns, length)
    else:
        given = _given_center(rows, center, keys)
        rows = rows.withColumns(
            {f"_center{c}": given if c == "_y" else F.lit(0.0) for c in columns}
        )
    return rows.withColumns({c: F.col(c) - F.col(f"_center{c}") for c in columns})


def _with_own_centers(
    rows: DataFrame, keys: list[str], columns: Sequence[str], length: int
) -> DataFrame:
    centers = rows.groupBy(*keys, "_pane").agg(*(_mean_within(c) for c in columns))
    centers = centers.withColumnsRenamed({name: f"_of{name}" for name in [*keys, "_pane"]})
    same = reduce(
        Column.__and__,
        (F.col(name).eqNullSafe(F.col(f"_of{name}")) for name in keys),
        F.col("_pane") == F.col("_of_pane"),
    )
    if not keys and length >= _BROADCAST_FROM:
        centers = F.broadcast(centers)
    # A left join: rows that come out differently on the second read are still counted.
    joined = rows.join(centers, same, "left")
    found = {f"_center{c}": F.coalesce(F.col(f"_center{c}"), F.lit(0.0)) for c in columns}
    return joined.withColumns(found).drop(*(f"_of{name}" for name in [*keys, "_pane"]))


def _mean_within(column: str) -> Column:
    """The mean, kept between min and max so that equal values are their own centre."""
    mean = F.least(F.greatest(F.avg(column), F.min(column)), F.max(column))
    finite = F.abs(mean) < F.lit(float("inf"))
    return F.when(finite, mean).otherwise(0.0).alias(f"_center{column}")


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


def _summed(rows: DataFrame, keys: list[str], length: int) -> DataFrame:
    y, weighted = F.col("_y"), "_k" in rows.columns

    def times(sums: Column) -> Column:
        return F.col("_k") * sums if weighted else sums

    sums = {
        "_m": F.sum("_k") if weighted else F.count("*"),
        "_a": F.sum(times(y)),
        "_b": F.sum(times(y * y)),
    }
    if "_x" in rows.columns:
        x = F.col("_x")
        sums |= {"_a2": F.sum(times(x)), "_ab": F.sum(times(y * x))}
    # All rows of a pane share their centres; as keys they stay exactly what they are.
    centers = {"_center": "_center_y"} | ({"_center2": "_center_x"} if "_a2" in sums else {})
    grouped = rows.groupBy(
        *keys, "_pane", "_signature", *(F.col(c).alias(name) for name, c in centers.items())
    ).agg(*(column.alias(name) for name, column in sums.items()))
    return grouped.withColumn("_pane_end", F.col("_pane") + duration(length))


def _public(table: PaneTable, predicates: Mapping[str, str | Column]) -> DataFrame:
    """Give the columns their public names; comments say what each predicate meant."""
    texts = {name: {"comment": str(text)} for name, text in predicates.items()}
    return table.frame.select(
        *(F.col(key).alias(name) for key, name in zip(table.keys, table.by, strict=True)),
        F.col("_pane").alias("pane", metadata={"shapwin.microseconds": table.length}),
        F.col("_pane_end").alias("pane_end"),
        F.col("_signature").alias("signature"),
        *(F.col(quoted(name)).alias(name, metadata=texts[name]) for name in table.predicates),
        *(F.col(f"_{name}").alias(name) for name in table.sums),
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
