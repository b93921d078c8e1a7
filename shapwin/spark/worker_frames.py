"""The frames that Spark's worker is about to ask for, where it lets them be seen.

Spark calls a Python aggregate behind OVER once a row, with slices only; but the loop that calls it
holds the begins and ends of all frames of the partition in variables. That is no interface of
Spark's: what is found there is a hint which frames to answer ahead of their calls, and no more.
"""

from __future__ import annotations

import sys
from types import CodeType
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.types as pt
from numpy.typing import NDArray

Ints = NDArray[np.int64]

# What begins and ends are called in pyspark/worker.py.
_NAMES = (
    ("begin_col", "end_col"),  # flavor arrow, from PySpark 4.2 on
    ("begin_array", "end_array"),  # flavor pandas
    ("begin_index", "end_index"),  # flavor arrow, PySpark 4.1
)
# How far up the loop is looked for: Spark wraps a function once, twice with keyword arguments, and
# once more with a profiler.
_LEVELS = 12


def worker_frames(begin: int, end: int) -> tuple[Ints, Ints] | None:
    """Return begins and ends of all frames of the partition, if [begin, end) is but the first."""
    caller = sys._getframe(1).f_back
    for _ in range(_LEVELS):
        if caller is None:
            return None
        names = _names_in(caller.f_code)
        if names:
            begins, ends = (_whole_numbers(caller.f_locals.get(name)) for name in names)
            return _checked(begins, ends, begin, end)
        caller = caller.f_back
    return None


def _names_in(code: CodeType) -> tuple[str, str] | None:
    """Which of the names are variables of the function; those that inner ones use are cells."""
    for names in _NAMES:
        if all(name in code.co_varnames or name in code.co_cellvars for name in names):
            return names
    return None


def _whole_numbers(bounds: Any) -> Ints | None:
    """A copy, as nobody promises that the worker leaves its own as they are."""
    if isinstance(bounds, pa.Array) and pt.is_integer(bounds.type) and not bounds.null_count:
        bounds = bounds.to_numpy()
    if isinstance(bounds, np.ndarray) and bounds.ndim == 1 and bounds.dtype.kind in "iu":
        return bounds.astype(np.int64)
    return None


def _checked(
    begins: Ints | None, ends: Ints | None, begin: int, end: int
) -> tuple[Ints, Ints] | None:
    if begins is None or ends is None or begins.size != ends.size or begins.size < 2:
        return None
    if begins[0] != begin or ends[0] != end or begins.min() < 0 or (begins > ends).any():
        return None
    return begins, ends
