"""Harmonic numbers H_N and H_N^(2) in constant time for any N."""

from __future__ import annotations

from typing import Any, overload

import numpy as np
from numpy.typing import ArrayLike

from .arguments import FloatArray, numbers
from .errors import ArgumentError

_EULER_GAMMA = 0.5772156649015329
_PI_SQUARED_OVER_6 = 1.6449340668482264

# From this N on the asymptotic series is as exact as a double; below it the sums are tabulated.
_SERIES_FROM = 16
_H_TABLE = np.array([sum(1.0 / k for k in range(n, 0, -1)) for n in range(_SERIES_FROM)])
_H2_TABLE = np.array([sum(1.0 / (k * k) for k in range(n, 0, -1)) for n in range(_SERIES_FROM)])


@overload
def harmonic(n: float) -> float: ...
@overload
def harmonic(n: ArrayLike) -> Any: ...
def harmonic(n: Any) -> Any:
    """Return the harmonic number H_N = Σ 1/k for k = 1 … N.

    Parameters
    ----------
    n : int, float or array of them
        Whole numbers >= 0; any shape. NaN gives NaN.

    Returns
    -------
    float or ndarray
        Same shape as `n`; H_0 = 0. Within a few ulp of the exact value for every N.

    Raises
    ------
    ArgumentError
        If a number is negative or not whole.

    Notes
    -----
    Direct sums below N = 16, from there
    H = ln N + γ + 1/(2N) − 1/(12N²) + 1/(120N⁴) − 1/(252N⁶) + 1/(240N⁸) − 1/(132N¹⁰)
    (Euler–Maclaurin).

    Examples
    --------
    >>> harmonic(3)
    1.8333333333333333
    >>> harmonic([0, 1, 2]).tolist()
    [0.0, 1.0, 1.5]
    """
    return _piecewise(n, _H_TABLE, _harmonic_series)


@overload
def harmonic2(n: float) -> float: ...
@overload
def harmonic2(n: ArrayLike) -> Any: ...
def harmonic2(n: Any) -> Any:
    """Return the second-order harmonic number H_N^(2) = Σ 1/k² for k = 1 … N.

    Parameters
    ----------
    n : int, float or array of them
        Whole numbers >= 0; any shape. NaN gives NaN.

    Returns
    -------
    float or ndarray
        Same shape as `n`; the value at 0 is 0. Within a few ulp of the exact value.

    Raises
    ------
    ArgumentError
        If a number is negative or not whole.

    Notes
    -----
    Direct sums below N = 16, from there
    H2 = π²/6 − 1/N + 1/(2N²) − 1/(6N³) + 1/(30N⁵) − 1/(42N⁷) + 1/(30N⁹) − 5/(66N¹¹)
    (Euler–Maclaurin).

    Examples
    --------
    >>> harmonic2(2)
    1.25
    """
    return _piecewise(n, _H2_TABLE, _harmonic2_series)


def _piecewise(n: Any, table: FloatArray, series: Any) -> Any:
    count = numbers("n", n)
    wrong = (count < 0) | (np.floor(count) < count)
    if wrong.any():
        raise ArgumentError(f"n is {count[wrong][0]}: give whole numbers from 0 on")
    small = count < _SERIES_FROM
    if count.ndim and not small.any():
        return series(count)
    index = np.where(small, count, 0.0).astype(np.int64)
    result = np.where(small, table[index], series(np.where(small, _SERIES_FROM, count)))
    return result if result.ndim else float(result)


def _harmonic_series(n: FloatArray) -> FloatArray:
    r2 = 1.0 / (n * n)
    tail = r2 * (1 / 12 - r2 * (1 / 120 - r2 * (1 / 252 - r2 * (1 / 240 - r2 / 132))))
    return np.asarray(np.log(n) + (_EULER_GAMMA + (0.5 / n - tail)))


def _harmonic2_series(n: FloatArray) -> FloatArray:
    r = 1.0 / n
    r2 = r * r
    tail = r * r2 * (1 / 6 - r2 * (1 / 30 - r2 * (1 / 42 - r2 * (1 / 30 - r2 * (5 / 66)))))
    return np.asarray(_PI_SQUARED_OVER_6 - (r - (0.5 * r2 - tail)))
