"""Slow, independent ways to the same numbers."""

from __future__ import annotations

from fractions import Fraction

import numpy as np

# Statistics of the table, and what z_i and w(N) are for them, written from DESIGN's table again
# but in rationals: a second copy on purpose.
ONE_COLUMN = ("sum", "count", "avg", "var_pop", "var_samp")


def exact_phi(statistic, values, member, other=None):
    """(ν, Φ) of one window as Fractions of the doubles' exact values."""
    y = [Fraction(float(v)) for v in values]
    x = y if other is None else [Fraction(float(v)) for v in other]
    n = len(y)
    y_mean, x_mean = sum(y) / n, sum(x) / n
    h, h2 = (
        sum(Fraction(1, k) for k in range(1, n + 1)),
        sum(Fraction(1, k * k) for k in range(1, n + 1)),
    )
    products = [(a - y_mean) * (b - x_mean) for a, b in zip(y, x, strict=True)]
    z, w = {
        "sum": (y, 0),
        "count": ([Fraction(1)] * n, 0),
        "avg": ([v / n for v in y], n * (h - 1) / (n - 1) if n > 1 else 0),
        "pop": (
            [p / n for p in products],
            (n * (n * (h - h2) / (n - 1)) - (n - 1)) / (n - 2) if n > 2 else 0,
        ),
        "samp": (
            [p / max(n - 1, 1) for p in products],
            (n * (h - 2) + 1) / Fraction(n - 2) if n > 2 else 0,
        ),
    }[statistic.rpartition("_")[2]]
    nu = sum(z)
    share = sum((v for v, p in zip(z, member, strict=True) if p), Fraction(0))
    m = sum(bool(p) for p in member)
    return nu, share + w * (share - Fraction(m, n) * nu)


def whole_number_phi(statistic, values, member, weight):
    """(ν, Φ) of a long window of whole numbers: exact sums, then long double."""
    y = [int(v) for v in values]
    n, m = len(y), int(sum(member))
    group = [v for v, p in zip(y, member, strict=True) if p]
    a, a_p = sum(y), sum(group)
    if statistic == "avg":
        nu, share = Fraction(a, n), Fraction(a_p, n)
    else:
        b, b_p = sum(v * v for v in y), sum(v * v for v in group)
        mean = Fraction(a, n)
        divisor = n if statistic == "var_pop" else n - 1
        nu = (b - n * mean * mean) / divisor
        share = (b_p - 2 * mean * a_p + m * mean * mean) / divisor
    return float(nu), float(share + Fraction(weight) * (share - Fraction(m, n) * nu))


def enumerated(values, statistic):
    """φ of every tuple for many windows at once, shape (windows, N), in long double.

    All 2^N coalitions: their counts and power sums by doubling, then the definition.
    """
    y = np.asarray(values, dtype=np.longdouble)
    n = y.shape[1]
    size = np.zeros((1, 1), dtype=np.longdouble)
    a = np.zeros((len(y), 1), dtype=np.longdouble)
    b = a
    for i in range(n):
        size = np.concatenate([size, size + 1], axis=1)
        a = np.concatenate([a, a + y[:, i : i + 1]], axis=1)
        b = np.concatenate([b, b + y[:, i : i + 1] ** 2], axis=1)
    safe = np.maximum(size, 1)
    squares = np.where(size > 1, b - a * a / safe, 0)
    nu = {
        "avg": a / safe,
        "var_pop": squares / safe,
        "var_samp": squares / np.maximum(size - 1, 1),
    }[statistic]
    weights = np.ones(n, dtype=np.longdouble)
    for k in range(n):  # k!(n−k−1)!/n! = 1 / (n · C(n−1, k))
        combos = np.longdouble(1)
        for j in range(k):
            combos = combos * (n - 1 - j) / (j + 1)
        weights[k] = 1 / (n * combos)
    phi = np.empty((len(y), n), dtype=np.longdouble)
    sizes = size[0].astype(int)
    for i in range(n):
        v = nu.reshape(len(y), -1, 2, 1 << i)
        w = np.append(weights, 0)[sizes].reshape(-1, 2, 1 << i)[:, 0]
        phi[:, i] = ((v[:, :, 1] - v[:, :, 0]) * w).sum(axis=(1, 2))
    return nu[:, -1], phi
