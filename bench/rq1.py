"""RQ1, exactness: every route of the core, and of Spark, against enumeration in exact rationals.

The paper's grid: N = 2 … 12, five selectivities, two distributions, 91 windows a cell: 10,010
windows. Deviations are of Φ, and of the φ of each tuple; relative ones are relative to
max(max_i |φ_i|, |ν|) of the window. Two enumerations in doubles stand beside, against the same
rationals, to show what of a deviation would be an oracle's own: `enumerate_shapley`, of the first
window of each cell, and one from the coalitions' sums of powers.

    python bench/rq1.py [rq1] [rq1_spark] [--quick]
"""

from __future__ import annotations

from argparse import Namespace
from collections.abc import Iterable
from fractions import Fraction
from itertools import pairwise, product
from math import fsum
from typing import Any, NamedTuple

import numpy as np
from coalitions import exact, in_doubles
from results import Figures, experiment

from shapwin import (
    SlidingWindow,
    Summary,
    closed_form,
    enumerate_shapley,
    rolling,
    tuple_values,
)

SELECTIVITIES = (0, 0.25, 0.5, 0.75, 1)
DISTRIBUTIONS = ("normal", "uniform")
PAPER = ("avg", "var_pop", "var_samp")
BEYOND = ("covar_pop", "covar_samp", "central_moment(3)", "central_moment(4)")
DEVIATIONS = ("max_abs", "max_rel")
TUPLES, ORACLE, IN_DOUBLES = "tuple_values", "enumerate_shapley", "sums of powers"


class Cell(NamedTuple):
    """The rows of one cell of the grid, and how many of them a window holds."""

    distribution: str
    size: int
    y: Any
    x: Any
    member: Any

    def windows(self, column: Any) -> Any:
        """A column's full windows, one a row."""
        return column[np.arange(len(column) - self.size + 1)[:, None] + np.arange(self.size)]


def measure(options: Namespace) -> Figures:
    sizes, windows = grid(options)
    cells = cells_of(sizes, windows)
    return about(cells, windows) | {
        "rows": [
            deviations(statistic, distribution, cells)
            for statistic, distribution in product(PAPER + BEYOND, DISTRIBUTIONS)
        ],
        "atoms": [atom_efficiency(statistic, sizes[1:], windows) for statistic in PAPER],
        "stability": stability(*((2000, 10_000) if options.quick else (100_000, 1_000_000))),
    }


def spark(options: Namespace) -> Figures:
    """The same windows through Spark."""
    from spark_windows import ABOUT_ZERO, phi_by_route

    sizes, windows = grid(options)
    cells = cells_of(sizes[:: 4 if options.quick else 1], windows)
    found = phi_by_route(cells)
    return about(cells, windows) | {
        "apart": ABOUT_ZERO,
        "rows": [
            spark_deviations(statistic, distribution, cells, found[statistic], ABOUT_ZERO)
            for statistic, distribution in product(PAPER + BEYOND, DISTRIBUTIONS)
        ],
    }


def grid(options: Namespace) -> tuple[range, int]:
    """The windows' lengths, and how many windows a cell has."""
    return (range(2, 7), 7) if options.quick else (range(2, 13), 91)


def cells_of(sizes: range, windows: int) -> list[Cell]:
    kinds = product(DISTRIBUTIONS, sizes, range(len(SELECTIVITIES)))
    return [cell(distribution, size, k, windows) for distribution, size, k in kinds]


def cell(distribution: str, size: int, number: int, windows: int) -> Cell:
    rng = np.random.default_rng([size, number, DISTRIBUTIONS.index(distribution)])
    length = size + windows - 1
    y, x = column(distribution, length, rng), column(distribution, length, rng)
    member = rng.permutation(length) < round(SELECTIVITIES[number] * length)
    return Cell(distribution, size, y, x, member)


def column(distribution: str, length: int, rng: Any) -> Any:
    return rng.normal(size=length) if distribution == "normal" else rng.uniform(-100, 100, length)


def about(cells: list[Cell], windows: int) -> Figures:
    return {
        "relative_to": "max(max_i |phi_i|, |nu|) of the window",
        "oracle": "all 2^N coalitions in exact rationals",
        "windows": len(cells) * windows,
    }


def deviations(statistic: str, distribution: str, cells: list[Cell]) -> Figures:
    """The largest deviation of each route over all cells of one row of the paper's table."""
    routes = largest(
        cell_deviations(statistic, cell) for cell in cells if cell.distribution == distribution
    )
    oracles = {oracle: routes.pop(oracle) for oracle in (ORACLE, IN_DOUBLES)}
    return row(statistic, distribution, routes) | {"oracles_in_doubles": oracles}


def spark_deviations(
    statistic: str, distribution: str, cells: list[Cell], found: dict[str, Any], apart: str
) -> Figures:
    """The same of the routes on Spark, one of them apart, from Φ by route and statistic."""
    routes = largest(
        group_deviations(statistic, cell, {route: phi[number] for route, phi in found.items()})
        for number, cell in enumerate(cells)
        if cell.distribution == distribution
    )
    contrast = routes.pop(apart, None)
    return row(statistic, distribution, routes) | {"apart": contrast}


def group_deviations(
    statistic: str, cell: Cell, found: dict[str, Any]
) -> dict[str, tuple[float, float]]:
    _, group, scale = truth(statistic, cell)
    return {route: worst(phi, group, scale) for route, phi in found.items()}


def row(statistic: str, distribution: str, routes: dict[str, Figures]) -> Figures:
    """One row of the paper's table: the routes, and the worst of them."""
    worst_of = {what: max(route[what] for route in routes.values()) for what in DEVIATIONS}
    return {"statistic": statistic, "distribution": distribution, **worst_of, "routes": routes}


def largest(of_cells: Iterable[dict[str, tuple[float, float]]]) -> dict[str, Figures]:
    """The largest deviations of each route over cells."""
    found: dict[str, list[tuple[float, float]]] = {}
    for deviations_of in of_cells:
        for route, deviation in deviations_of.items():
            found.setdefault(route, []).append(deviation)
    return {
        route: dict(zip(DEVIATIONS, np.max(all_of_it, axis=0), strict=True))
        for route, all_of_it in found.items()
    }


def other_of(statistic: str, cell: Cell) -> Any:
    return cell.x if statistic.startswith("covar") else None


def truth(statistic: str, cell: Cell) -> tuple[Any, Any, Any]:
    """φ of each tuple, Φ of the group, and what deviations are relative to, by window."""
    other = other_of(statistic, cell)
    nu, phi = exact(statistic, cell.windows(cell.y), None if other is None else cell.windows(other))
    scale = np.maximum(np.abs(phi).max(axis=1), np.abs(nu))
    return phi, (phi * cell.windows(cell.member)).sum(axis=1), scale


def cell_deviations(statistic: str, cell: Cell) -> dict[str, tuple[float, float]]:
    """Largest absolute and relative deviations of each route over the windows of one cell."""
    y, other, member, size = cell.y, other_of(statistic, cell), cell.member, cell.size
    y_rows, inside = cell.windows(y), cell.windows(member)
    x_rows = None if other is None else cell.windows(other)
    phi, group, scale = truth(statistic, cell)
    doubles = (in_doubles(statistic, y_rows, x_rows)[1] * inside).sum(axis=1)
    found = {
        route: worst(got, group, scale)
        for route, got in routes(statistic, y, other, member, size).items()
    }
    tuples = tuple_phi(statistic, y_rows, x_rows)
    by_tuple = [worst(tuples[:, i], phi[:, i], scale) for i in range(size)]
    found[TUPLES] = tuple(np.max(by_tuple, axis=0))
    found[IN_DOUBLES] = worst(doubles, group, scale)
    first = enumerate_shapley(statistic, y_rows[0], None if other is None else x_rows[0])
    found[ORACLE] = worst([sum(np.array(first)[inside[0]])], group[:1], scale[:1])
    return found


def routes(statistic: str, y: Any, other: Any, member: Any, size: int) -> dict[str, Any]:
    """Φ of every full window by each route of the core."""
    found = {
        "closed_form": [
            window_phi(
                statistic,
                y[i : i + size],
                other if other is None else other[i : i + size],
                member[i : i + size],
            )
            for i in range(len(y) - size + 1)
        ],
        "rolling": rolling(y, member, size=size, statistic=statistic, other=other)[size - 1 :],
    }
    if other is None:
        window, sliding = SlidingWindow(["p"], size=size), []
        for value, inside in zip(y.tolist(), member.tolist(), strict=True):
            window.push(value, int(inside))
            sliding.append(window.attribute(statistic, "p").phi)
        found["SlidingWindow"] = sliding[size - 1 :]
    return found


def window_phi(statistic: str, y: Any, x: Any, member: Any) -> float:
    order = 4 if statistic.startswith("central") else 2
    total = Summary.of(y, x, order=order)
    part = Summary.of(y[member], None if x is None else x[member], order=order)
    return closed_form(statistic, total, part).phi


def tuple_phi(statistic: str, y: Any, x: Any) -> Any:
    """φ of every tuple, a window a row."""
    pairs = zip(y, [None] * len(y) if x is None else x, strict=True)
    return np.array([tuple_values(statistic, *pair) for pair in pairs])


def worst(got: Any, true: Any, scale: Any) -> tuple[float, float]:
    """Largest absolute and relative deviation from rationals, themselves found in rationals."""
    off = [abs(Fraction(float(g)) - t) for g, t in zip(got, true, strict=True)]
    # A central moment of odd order is 0 for two tuples, and so is every φ: nothing to relate to.
    relative = [d / s for d, s in zip(off, scale, strict=True) if s]
    return float(max(off)), float(max(relative, default=0))


def atom_efficiency(statistic: str, sizes: range, windows: int) -> Figures:
    """The identity Σ_atoms Φ = ν for K = 3 predicates: the largest deviation."""
    names = ["p", "q", "r"]
    atoms = [
        " AND ".join(name if atom >> k & 1 else f"NOT {name}" for k, name in enumerate(names))
        for atom in range(8)
    ]
    off: list[tuple[float, float]] = []
    for size, distribution in product(sizes, DISTRIBUTIONS):
        rng = np.random.default_rng([size, 8, DISTRIBUTIONS.index(distribution)])
        y = column(distribution, size + 5 * windows, rng)
        window = SlidingWindow(names, size=size)
        window.insert(y[:size].tolist(), rng.integers(0, 8, size).tolist())
        for value, atom in zip(
            y[size:].tolist(), rng.integers(0, 8, 5 * windows).tolist(), strict=True
        ):
            window.push(value, atom)
            found = [window.attribute(statistic, atom) for atom in atoms]
            scale = max(abs(found[0].value), *(abs(a.phi) for a in found))
            apart = abs(fsum(a.phi for a in found) - found[0].value)
            off.append((apart, apart / scale))
    max_abs, max_rel = np.max(off, axis=0)
    return {"statistic": statistic, "windows": len(off), "max_abs": max_abs, "max_rel": max_rel}


def stability(size: int, slides: int) -> Figures:
    """VAR_POP far from zero, N(10⁶, 1): at the end of many slides, against long double sums."""
    rng = np.random.default_rng(11)
    y = rng.normal(1e6, 1, size + slides)
    member = rng.random(y.size) < 0.3
    at = np.linspace(size, y.size, 51).astype(int)
    true = [reference(y[end - size : end], member[end - size : end]) for end in at]
    scale = [max(nu, biggest) for nu, biggest, _ in true]
    phi = [phi for *_, phi in true]

    def error(got: Any) -> float:
        return float(max(abs(g - p) / s for g, p, s in zip(got, phi, scale, strict=True)))

    rolled = rolling(y, member, size=size, statistic="var_pop")[at - 1]
    window = SlidingWindow(["p"], size=size)
    ends = np.concatenate([[0], at])
    slid = []
    for begin, end in pairwise(ends):
        window.insert(y[begin:end].tolist(), member[begin:end].astype(int).tolist())
        slid.append(window.attribute("var_pop", "p").phi)
    return {
        "size": size,
        "slides": slides,
        "rolling": error(rolled),
        "SlidingWindow": error(slid),
        "unshifted_running_sums": error(unshifted(y, member, size)[at - size]),
    }


def reference(y: Any, member: Any) -> tuple[Any, Any, Any]:
    """ν, max_i |φ_i| and Φ of VAR_POP by two passes in long double."""
    d = y.astype(np.longdouble) - y[0]
    z = (d - d.mean()) ** 2 / y.size
    nu, k = z.sum(), np.arange(1, y.size + 1, dtype=np.longdouble)
    h, h2, n = (1 / k).sum(), (1 / k**2).sum(), np.longdouble(y.size)
    w = (n * n * (h - h2) / (n - 1) - (n - 1)) / (n - 2)
    phi = z + w * (z - nu / n)
    return nu, np.abs(phi).max(), phi[member].sum()


def unshifted(y: Any, member: Any, size: int) -> Any:
    """Φ from Σy and Σy² about zero, added to and subtracted from row by row, as the paper's are."""
    p = member.astype(float)
    n, m, a, a_p, b, b_p = (
        running(column, size) for column in (np.ones_like(y), p, y, p * y, y * y, p * y * y)
    )
    mean = a / n
    nu, share = b / n - mean**2, (b_p - 2 * mean * a_p + m * mean**2) / n
    weight = closed_form("var_pop", Summary(n, 0.0, 0.0), Summary(m, 0.0, 0.0)).weight
    return share + weight * (share - m / n * nu)


def running(column: Any, size: int) -> Any:
    """Sums of the windows [0, size), [1, size + 1) …: one addition and subtraction each."""
    steps = np.empty(2 * (column.size - size) + 1)
    steps[0] = column[:size].cumsum()[-1]
    steps[1::2], steps[2::2] = column[size:], -column[:-size]
    return np.cumsum(steps)[::2]


if __name__ == "__main__":
    experiment(rq1=measure, rq1_spark=spark)
