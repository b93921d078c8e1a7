"""Interval strings of fixed length, such as ``1 hour 30 minutes``, as microseconds."""

from __future__ import annotations

import re
from datetime import timedelta
from decimal import Decimal

from pyspark.sql import types as T

from ..errors import IntervalError

_MICROSECONDS = {
    "microsecond": 1,
    "millisecond": 1_000,
    "second": 1_000_000,
    "minute": 60_000_000,
    "hour": 3_600_000_000,
    "day": 86_400_000_000,
    "week": 604_800_000_000,
}
# Beyond a century the bounds of windows leave the years that timestamps have.
_LONGEST = 36_525 * _MICROSECONDS["day"]
_PART = re.compile(r"([+-]?[0-9]+(?:\.[0-9]+)?)\s*([a-z]+)\s*", re.IGNORECASE)


def microseconds(name: str, interval: str | timedelta, *, signed: bool = False) -> int:
    """Return the length of an interval of fixed length.

    Parameters
    ----------
    name : str
        The argument's name, for the error.
    interval : str or timedelta
        As Spark's ``window()`` takes it: ``5 minutes``, ``1 hour 30 minutes``, ``1 day`` (24 h).
    signed : bool
        Whether it may also be zero or negative.

    Raises
    ------
    IntervalError
        If it does not parse, is not positive, is longer than 100 years, or has months or years,
        whose lengths vary.

    Examples
    --------
    >>> microseconds("every", "1 minute 30 seconds")
    90000000
    """
    if isinstance(interval, timedelta):
        length = interval // timedelta(microseconds=1)
    elif isinstance(interval, str):
        length = _parse(name, interval)
    else:
        raise IntervalError(f"{name}={interval!r} is no interval: write '5 minutes'")
    if length <= 0 and not signed:
        raise IntervalError(f"{name}={str(interval)!r} is not positive: write '5 minutes'")
    if abs(length) > _LONGEST:
        raise IntervalError(
            f"{name}={str(interval)!r} is longer than 100 years: give a shorter one"
        )
    return length


def since_epoch(column: str, kind: T.DataType) -> str:
    """Return the microseconds since 1970 in UTC, or on the clock of a TIMESTAMP_NTZ, in SQL."""
    if isinstance(kind, T.TimestampNTZType):
        # timestampdiff would read the clock in the session's zone, where an hour may be missing.
        since = f"({column} - TIMESTAMP_NTZ '1970-01-01 00:00:00')"
        return f"{since} div INTERVAL '0.000001' SECOND"
    return f"unix_micros({column})"


# Spark's + and - of intervals, its timestampdiff and its sequence of times take a day of the
# session's time zone, which may have 23 hours, for 24 hours. These do not.


def later(time: str, length: int, kind: T.DataType | None = None) -> str:
    """Return a time plus a length in microseconds, in SQL.

    Of what is known to be a TIMESTAMP as a sum of whole numbers: timestampadd makes a date and a
    time of day of each, a good part of what a row of the long table costs.
    """
    if isinstance(kind, T.TimestampType):
        return f"timestamp_micros(unix_micros({time}) + {length}L)"
    return f"timestampadd(MICROSECOND, {length}L, {time})"


def times(first: str, count: str, step: int) -> str:
    """Return an array of times, `count` of them a step in microseconds apart, in SQL."""
    each = f"timestampadd(MICROSECOND, i * {step}L, {first})"
    return f"transform(sequence(0L, {count} - 1L), i -> {each})"


def _parse(name: str, text: str) -> int:
    body = re.sub(r"^\s*interval\s+", "", text, flags=re.IGNORECASE).strip()
    body = re.sub(r"'([^']*)'", r"\1", body)  # INTERVAL '1' HOUR
    parts = list(_PART.finditer(body))
    if not parts or "".join(p.group() for p in parts) != body:
        raise IntervalError(f"{name}={text!r} is no interval: write '5 minutes' or '1 hour'")
    return sum(_length(name, text, *part.groups()) for part in parts)


def _length(name: str, text: str, number: str, unit: str) -> int:
    singular = unit.lower().removesuffix("s")
    if singular in ("month", "year", "quarter"):
        raise IntervalError(
            f"{name}={text!r} has no fixed length: write it in weeks, days, hours, minutes or "
            "seconds (1 day is 24 hours)"
        )
    if singular not in _MICROSECONDS:
        raise IntervalError(
            f"{name}={text!r} has the unknown unit {unit!r}: use {', '.join(_MICROSECONDS)}"
        )
    length = Decimal(number) * _MICROSECONDS[singular]
    if length != length.to_integral_value():
        raise IntervalError(f"{name}={text!r} is finer than a microsecond")
    return int(length)
