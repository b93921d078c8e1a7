"""What callers give, turned into arrays and whole numbers, or refused in words."""

from __future__ import annotations

from decimal import Decimal
from numbers import Real
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .errors import ArgumentError, ArgumentTypeError

FloatArray = NDArray[np.float64]
BoolArray = NDArray[np.bool_]


def numbers(name: str, values: Any) -> FloatArray:
    """Return an argument as an array of doubles, of any shape.

    Texts, dates and missing entries are refused: NumPy would turn them into numbers in silence.

    Examples
    --------
    >>> numbers("values", [1, 2.5]).tolist()
    [1.0, 2.5]
    """
    array = _array(name, values)
    if array.dtype == np.float64:
        return array
    if array.dtype.kind not in "fiubO":
        raise ArgumentTypeError(f"{name} has type {array.dtype}: give numbers")
    if array.dtype.kind == "O":
        _check_entries(name, array, (Real, Decimal), "number", "leave such rows out")
    try:
        return np.asarray(array, dtype=np.float64)
    except OverflowError:
        raise ArgumentError(f"{name} holds a number beyond 1.8e308: give doubles") from None


def column(name: str, values: Any) -> FloatArray:
    """Return an argument as a one-dimensional array of doubles.

    Examples
    --------
    >>> column("values", range(3)).tolist()
    [0.0, 1.0, 2.0]
    """
    array = numbers(name, values)
    if array.ndim != 1:
        raise ArgumentError(
            f"{name} has {array.ndim} dimensions: give a one-dimensional array of numbers"
        )
    return array


def flags(name: str, values: Any) -> BoolArray:
    """Return an argument as an array of bool, of any shape; numbers are refused.

    Examples
    --------
    >>> flags("member", [True, False]).tolist()
    [True, False]
    """
    array = _array(name, values)
    if array.dtype.kind == "O":
        _check_entries(name, array, (bool, np.bool_), "bool", "a missing condition is False")
    elif array.dtype.kind != "b" and array.size:
        raise ArgumentTypeError(f"{name} has type {array.dtype}: give one bool for each entry")
    return np.asarray(array, dtype=np.bool_)


def whole_number(name: str, value: Any, least: int, most: float = np.inf) -> int:
    """Return an argument as an int once it lies within the bounds.

    Examples
    --------
    >>> whole_number("order", 3, 2)
    3
    """
    whole = isinstance(value, int | np.integer) and not isinstance(value, bool)
    if not whole or not least <= value <= most:
        upper = "on" if most == np.inf else f"to {most}"
        raise ArgumentError(f"{name} is {value!r}: give a whole number from {least} {upper}")
    return int(value)


def _array(name: str, values: Any) -> NDArray[Any]:
    if isinstance(values, np.ma.MaskedArray) and np.ma.is_masked(values):
        raise ArgumentError(f"{name} has masked entries: leave such rows out")
    try:
        return np.asarray(values)
    except ValueError:
        raise ArgumentError(f"{name} has rows of different lengths: give equal ones") from None


def _check_entries(name: str, array: NDArray[Any], kinds: Any, kind: str, mend: str) -> None:
    for entry in array.flat:
        if not isinstance(entry, kinds):
            raise ArgumentTypeError(f"{name} holds {entry!r}, which is no {kind}: {mend}")
