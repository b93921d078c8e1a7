"""RQ5, semantics: Φ beside the lift ranking, beside itself at other N, beside players.

Groups airport, manhattan, other on a month of trips, AVG, windows (t − 1 h, t] every 5 minutes.
The lift is m/N · (ȳ_P − ȳ). Made up unless ``--trips`` names the TLC file.

    python bench/rq5.py [--quick] [--trips FILE]
"""

from __future__ import annotations

from argparse import Namespace
from itertools import permutations
from time import process_time
from typing import Any

import numpy as np
from results import Figures, experiment
from trips import Trips, tick_time, trips

from shapwin import Attribution, Frames, Summary, closed_form, player_values

GROUPS = ("airport", "manhattan", "other")


def measure(options: Namespace) -> Figures:
    data = trips(options)
    total, parts = windows(data)
    found = closed_form("avg", total, parts)
    peak = int(np.argmax(np.where(total.m >= 100, found.value, -np.inf)))
    return {
        "data": data.source,
        "trips": len(data.seconds),
        "windows": int((total.m > 0).sum()),
        "n": {"min": total.m.min(), "mean": total.m.mean(), "max": total.m.max()},
        "rankings": rankings(found),
        "phi_vs_n": phi_against_n(total, parts, peak),
        "players": players(total, parts, peak, every=20 if options.quick else 1),
    }


def windows(data: Trips) -> tuple[Summary, Summary]:
    """The sums of every window that has any rows, and of the three groups in it."""
    held = data.predicates()
    airport, manhattan = held["airport"], held["manhattan"]
    groups = np.stack([airport, manhattan, ~(airport | manhattan)])
    begin, end = data.windows()
    some = end > begin
    return Frames.of_rows(data.fare, groups).answer(begin[some], end[some])


def rankings(found: Attribution) -> Figures:
    """How far Φ and the lift agree on which group matters most."""
    phi, lift = np.asarray(found.phi), np.asarray(found.lift)
    top, top_lift = phi.argmax(axis=0), lift.argmax(axis=0)
    same = (np.argsort(phi, axis=0) == np.argsort(lift, axis=0)).all(axis=0)
    apart = np.flatnonzero(top != top_lift)
    at = np.arange(phi.shape[1])
    # Share-driven: the group that leads by Φ leads because it makes up more of ν.
    share = np.asarray(found.share)
    driven = share[top, at] > share[top_lift, at]
    result: Figures = {
        "pearson_phi_lift": pearson(phi, lift),
        "full_ranking_agreement": same.mean(),
        "top1_agreement": 1 - len(apart) / phi.shape[1],
        "top1_differs": {
            "windows": len(apart),
            "share": len(apart) / phi.shape[1],
            "share_driven": driven[apart].mean() if len(apart) else 1.0,
            "median_n": np.median(found.n[apart]) if len(apart) else 0.0,
        },
    }
    if len(apart):
        result["example"] = example(found, int(apart[np.argmin(found.n[apart])]))
    return result


def example(found: Attribution, window: int) -> Figures:
    """A window where the two disagree."""
    phi, lift = found.phi[:, window], found.lift[:, window]
    leads, leads_by_lift = int(phi.argmax()), int(lift.argmax())
    return {
        "n": found.n[window],
        "nu": found.value[window],
        "by_lift": {"group": GROUPS[leads_by_lift], "lift": lift[leads_by_lift]},
        "by_phi": {"group": GROUPS[leads], "phi": phi[leads], "m": found.m[leads, window]},
    }


def phi_against_n(total: Summary, parts: Summary, peak: int) -> Figures:
    """Φ of the airports with the peak's composition, were it of other sizes: it grows as ln N."""
    n = np.unique(np.geomspace(total.m.min(), total.m.max(), 40).round())
    whole, airport = total.take(peak), one(parts, 0, peak)
    scaled = closed_form("avg", resized(whole, n, whole.m), resized(airport, n, whole.m))
    return {
        "composition": tick_time(peak),
        "n": n,
        "phi": scaled.phi,
        "ends": [scaled.phi[0], scaled.phi[-1]],
        "share": scaled.share[0],
        "value": scaled.value[0],
    }


def one(parts: Summary, group: int, window: int) -> Summary:
    at = group, window
    return Summary(int(parts.m[at]), parts.a[at], parts.b[at], parts.center[window])


def resized(s: Summary, n: Any, size: float) -> Summary:
    """The same mix of tuples in windows of n rather than of that size."""
    return Summary(s.m * n / size, s.a * n / size, s.b * n / size, s.center)


def players(total: Summary, parts: Summary, peak: int, every: int) -> Figures:
    """The other game: the three groups themselves as players, in every so many windows."""
    chosen = np.union1d(np.arange(0, total.m.size, every), peak)
    peak = int(np.searchsorted(chosen, peak))
    total, parts = total.take(chosen), parts.take(chosen)
    found = closed_form("avg", total, parts)
    names = GROUPS[:2]
    # Disjoint groups: the atoms are the signatures of one predicate each, and of none.
    by_signature = {1: 0, 2: 1, 0: 2}
    atoms = [
        {s: one(parts, g, window) for s, g in by_signature.items()}
        for window in range(total.m.size)
    ]
    start = process_time()
    values = np.array([player_values("avg", of_window, names).shapley for of_window in atoms]).T
    took = process_time() - start
    start = process_time()
    again = permuted(parts)
    at_once = process_time() - start
    phi = np.asarray(found.phi)
    off = np.abs(phi - values)
    return {
        "pearson": pearson(phi, values),
        "top1_agreement": (phi.argmax(axis=0) == values.argmax(axis=0)).mean(),
        "mean_abs_dev": off.mean(),
        "mean_abs_dev_of_nu": (off.mean(axis=0) / found.value).mean(),
        "max_abs_dev": off.max(),
        "peak_airport": values[0, peak],
        "peak_manhattan": values[1, peak],
        "efficiency": np.abs(values.sum(axis=0) - found.value).max(),
        "difference_from_permutations": np.abs(values - again).max(),
        "us_per_tick": took / total.m.size * 1e6,
        "permutations_us_per_tick": at_once / total.m.size * 1e6,
    }


def permuted(parts: Summary) -> Any:
    """The same from its definition, the mean over the 3! orders, for all windows at once."""
    orders = list(permutations(range(len(GROUPS))))
    values = np.zeros(parts.m.shape)
    for order in orders:
        before, joined = 0.0, Summary.zero()
        for group in order:
            joined = joined + Summary(parts.m[group], parts.a[group], parts.b[group], parts.center)
            nu = np.where(joined.m > 0, np.nan_to_num(closed_form("avg", joined, joined).value), 0)
            values[group] += (nu - before) / len(orders)
            before = nu
    return values


def pearson(x: Any, y: Any) -> float:
    return float(np.corrcoef(np.ravel(x), np.ravel(y))[0, 1])


if __name__ == "__main__":
    experiment(rq5=measure)
