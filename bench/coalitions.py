"""The definition, vectorised: φ of every tuple of many windows from all 2^N coalitions.

In Python's own integers (``exact``) every step is exact; in doubles it is the oracle that the
paper compares with. Both walk the same code.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from math import comb, factorial, lcm
from typing import Any

import numpy as np

# A game's ν(S) is a whole polynomial in the power sums, over |S|^p, or over |S|(|S|−1).
POWER = {"avg": 1, "var_pop": 2, "covar_pop": 2, "central_moment(3)": 2, "central_moment(4)": 3}
DEGREE = {"avg": 1, "central_moment(3)": 3, "central_moment(4)": 4}


def exact(statistic: str, values: Any, other: Any = None) -> tuple[list[Fraction], Any]:
    """Return ν and φ of windows of doubles, shapes (windows,) and (windows, N), as rationals."""
    degree = DEGREE.get(statistic, 2)
    y, scale = _whole(values)
    x, other_scale = (y, scale) if other is None else _whole(other)
    unit = scale**degree if other is None else scale * other_scale
    nu, phi, divisor = _enumerated(statistic, y, x)
    as_rationals = np.vectorize(lambda whole: Fraction(whole, divisor * unit), otypes=[object])
    return as_rationals(nu), as_rationals(phi)


def in_doubles(statistic: str, values: Any, other: Any = None) -> tuple[Any, Any]:
    """Return the same, computed in doubles."""
    y = np.asarray(values, dtype=np.float64)
    nu, phi, divisor = _enumerated(statistic, y, y if other is None else other)
    return nu / divisor, phi / divisor


def unions(players: Sequence[str]) -> list[str]:
    """Return the SQL condition of every coalition's tuples, player i as bit i, but of none."""
    each = range(1, 1 << len(players))
    return [" OR ".join(p for i, p in enumerate(players) if s >> i & 1) for s in each]


def _whole(values: Any) -> tuple[Any, int]:
    """Doubles as whole numbers over a power of two."""
    ratios = [value.as_integer_ratio() for value in np.ravel(values).tolist()]
    scale = max(below for _, below in ratios)
    whole = np.empty(len(ratios), dtype=object)
    whole[:] = [above * (scale // below) for above, below in ratios]
    return whole.reshape(np.shape(values)), scale


def _enumerated(statistic: str, y: Any, x: Any) -> tuple[Any, Any, int]:
    """ν and φ, times the divisor that makes both whole."""
    n = y.shape[1]
    size = _sizes(n)
    common = lcm(*range(1, n + 1))
    if statistic.endswith("_samp"):
        over, below = [0, 0, *(common**2 // (s * (s - 1)) for s in range(2, n + 1))], common**2
    else:
        power = POWER[statistic]
        over, below = [0, *((common // s) ** power for s in range(1, n + 1))], common**power
    kind = y.dtype
    nu = _numerators(statistic, size, y, x) * np.array(over, dtype=object)[size].astype(kind)
    joined, left = (np.array(w, dtype=object)[size].astype(kind) for w in _weights(n))
    change, without = nu * (joined + left), (nu * left).sum(axis=1)
    with_i = [change.reshape(len(y), -1, 2, 1 << i)[:, :, 1].sum(axis=(1, 2)) for i in range(n)]
    # φ_i = Σ_{S∋i} joined·ν(S) − Σ_{S∌i} left·ν(S)
    phi = np.stack(with_i, axis=1) - without[:, None]
    return nu[:, -1] * factorial(n), phi, below * factorial(n)


def _weights(n: int) -> tuple[list[int], list[int]]:
    """N! times the Shapley weight of ν(S) where i has joined S, and where i is yet to join."""
    sizes = range(n + 1)
    joined = [factorial(s - 1) * factorial(n - s) if s else 0 for s in sizes]
    left = [factorial(s) * factorial(n - s - 1) if s < n else 0 for s in sizes]
    return joined, left


def _numerators(statistic: str, size: Any, y: Any, x: Any) -> Any:
    """ν of every coalition, shape (windows, 2^N), times |S|^p or |S|(|S|−1)."""
    a = _sums(y)
    if statistic == "avg":
        return a
    s = size.astype(y.dtype)
    if statistic.startswith("central_moment"):
        q = DEGREE[statistic]
        powers = [s, *(_sums(y**k) for k in range(1, q + 1))]
        # Σ_k C(q, k) M_{q−k} (−M_1)^k / |S|^k; the last two terms are one.
        terms = [comb(q, k) * powers[q - k] * (-a) ** k * s ** (q - 1 - k) for k in range(q - 1)]
        return sum(terms) + (-1) ** (q - 1) * (q - 1) * a**q
    if statistic.startswith("covar"):
        return s * _sums(y * x) - a * _sums(x)
    return s * _sums(y * y) - a * a


def _sums(column: Any) -> Any:
    """The sum over every coalition, by doubling: tuple i is bit i."""
    sums = np.zeros((len(column), 1), dtype=column.dtype)
    for i in range(column.shape[1]):
        sums = np.concatenate([sums, sums + column[:, i : i + 1]], axis=1)
    return sums


def _sizes(n: int) -> Any:
    size = np.zeros(1, dtype=np.int64)
    for _ in range(n):
        size = np.concatenate([size, size + 1])
    return size
