"""Sums of y, y² and y·x that lose no digit, and what they are about a centre.

A double is cut into four parts of 13 or 14 bits (Veltkamp's splitting, Dekker 1971). A product of
two parts then has 28 bits at most, so that a plain sum of parts, or of products of one size, is
exact for millions of values of like magnitude, in any order and on any machine. No centre is
needed before the values have been seen: it is taken off in the end, exactly again, and what is
left is rounded once. So a column of epoch seconds keeps its variance in one pass over the rows.

The sums are made by `shapwin.spark.exact_sums`, as native aggregates; this file reads them.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .summary import Summary

FloatArray = NDArray[np.float64]

PARTS = (1, 2, 3, 4)
# Products of the parts i and j have size i + j; each size has a sum of its own.
SIZES = (2, 3, 4, 5, 6, 7, 8)
# y · s − (y · s − y) with s = 2ᵏ + 1 rounds y to 53 − k bits: to its first, its first two and its
# first three parts. All are cut from y itself, so that the products of one size share a grid.
SPLITTERS = tuple(float((1 << k) + 1) for k in (40, 27, 14))
# Squares of larger values are infinite: they are kept out of the parts, as NaN and ±Inf are.
LARGEST = 1.3e154


def split(y: FloatArray) -> list[FloatArray]:
    """Cut finite numbers into parts that add up to them exactly.

    Examples
    --------
    >>> parts = split(np.array([1e9 + 0.1]))
    >>> [float(part[0]) for part in parts[:2]], float(sum(parts)[0])
    ([999948288.0, 51712.0], 1000000000.1)
    """
    ends = [y * s - (y * s - y) for s in SPLITTERS] + [y]
    return [ends[0], *(end - before for before, end in pairwise(ends))]


def pairs(size: int) -> list[tuple[int, int]]:
    """Which parts multiply to products of a size."""
    return [(i, size - i) for i in PARTS if size - i in PARTS]


def summary(
    sums: Mapping[str, Any], two_columns: bool = False, center: FloatArray | None = None
) -> Summary:
    """Return the summary that exact sums stand for.

    Parameters
    ----------
    sums : dict of str to array
        ``m`` rows; ``y1`` … ``y4`` the sums of parts, ``yy2`` … ``yy8`` of their products by
        size; ``y_odd`` the sum of what was kept out, and ``y_any`` whether there was any. With
        two columns also ``x1`` …, ``yx2`` …, ``x_odd`` and ``x_any``.
    two_columns : bool
        Whether there is a second column.
    center : array, optional
        What the first column is measured from; by default its mean.

    Returns
    -------
    Summary
        About the mean of each entry, which for equal values is that value. Sums of NaN, ±Inf
        and values beyond 1.3e154 are what IEEE arithmetic makes of them; products of two columns
        are NaN there.
    """
    m = sums["m"]
    c = _mean(sums, "y") if center is None else center
    parts = {"y": split(c)}
    a, b = _first(sums, "y", parts), np.maximum(_products(sums, "y", parts), 0.0)
    # Past the largest square no digit is left; the plain sum says that it is infinite.
    b = np.where(np.isfinite(sums["yy2"]), b, sums["yy2"])
    b = np.where(sums["y_any"], np.abs(sums["y_odd"]) + np.inf, b)
    if not two_columns:
        return Summary(m, a, b, c)
    d = _mean(sums, "x")
    parts["x"] = split(d)
    ab = np.where(sums["y_any"] | sums["x_any"], np.nan, _products(sums, "x", parts))
    return Summary(m, a, b, c, _first(sums, "x", parts), ab, d)


def _mean(sums: Mapping[str, FloatArray], name: str) -> FloatArray:
    m = sums["m"]
    mean = sum((sums[f"{name}{part}"] / np.where(m == 0, 1.0, m) for part in PARTS), 0.0 * m)
    return np.where((m != 0) & np.isfinite(mean), mean, 0.0)


def _first(sums: Mapping[str, FloatArray], name: str, centers: Mapping[str, Any]) -> FloatArray:
    """Σ(y − c)."""
    rests = (
        sums[f"{name}{part}"] - sums["m"] * c for part, c in zip(PARTS, centers[name], strict=True)
    )
    return _accurate_sum(rests) + sums[f"{name}_odd"]


def _products(sums: Mapping[str, FloatArray], name: str, centers: Mapping[str, Any]) -> FloatArray:
    """Σ(y − c)(x − d), of one size after another: Σ yᵢxⱼ − cᵢ Σ xⱼ − dⱼ Σ yᵢ + m cᵢdⱼ."""

    def of_size(size: int) -> FloatArray:
        total = sums[f"y{name}{size}"]
        for i, j in pairs(size):
            c, d = centers["y"][i - 1], centers[name][j - 1]
            total = total - c * sums[f"{name}{j}"] - d * sums[f"y{i}"] + sums["m"] * c * d
        return total

    return _accurate_sum(of_size(size) for size in SIZES)


def _accurate_sum(terms: Iterable[FloatArray]) -> FloatArray:
    """Add as if with twice the digits: Knuth's two-sum keeps what each addition rounds off."""
    total: Any = np.float64(0.0)
    lost = total
    for term in terms:
        added = total + term
        moved = added - total
        lost = lost + ((total - (added - moved)) + (term - moved))
        total = added
    return np.asarray(total + lost)
