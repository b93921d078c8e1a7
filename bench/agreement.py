"""How far attributions are from one another and from adding up, relative to max(|Φ|, |ν|)."""

from __future__ import annotations

from typing import Any

import numpy as np

from shapwin import Attribution


def scale(found: Attribution) -> Any:
    """What deviations of each window are relative to, over the groups; NaN if all is 0."""
    most = np.maximum(np.abs(found.phi).max(axis=0), np.abs(found.value))
    return np.where(most == 0, np.nan, most)


def apart(phi: Any, found: Attribution) -> float:
    """The largest difference of Φ from what was found."""
    return float(np.nanmax(np.abs(phi - found.phi) / scale(found)))


def efficiency(atoms: dict[str, Attribution]) -> dict[str, Any]:
    """How many atoms are active at most, and of each statistic how well their Φ add up to ν."""
    result: dict[str, Any] = {}
    for statistic, found in atoms.items():
        off = np.abs(found.phi.sum(axis=0) - found.value)
        result["max_active"] = (found.m > 0).sum(axis=0).max()
        result[f"efficiency_{statistic}"] = {
            "max_abs": np.nanmax(off),
            "max_rel": np.nanmax(off / scale(found)),
        }
    return result
