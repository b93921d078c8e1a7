"""Predicates as players: exact values and interactions for K predicates. Prints JSON.

python bench/core_players.py
"""

from __future__ import annotations

import json
from time import perf_counter, process_time

import numpy as np

from shapwin import Summary, player_values


def main() -> None:
    rows = []
    for k in (4, 8, 12, 16):
        rng = np.random.default_rng(k)
        signatures = rng.integers(0, 1 << k, 50_000)
        kinds, place = np.unique(signatures, return_inverse=True)
        values = rng.normal(size=signatures.size)
        atoms = {int(s): Summary.of(values[place == i]) for i, s in enumerate(kinds[:5000])}
        for statistic in ("avg", "var_pop"):
            wall, cpu = perf_counter(), process_time()
            got = player_values(statistic, atoms, [f"p{i}" for i in range(k)])
            rows.append(
                {
                    "predicates": k,
                    "statistic": statistic,
                    "atoms": len(atoms),
                    "wall_s": round(perf_counter() - wall, 4),
                    "cpu_s": round(process_time() - cpu, 4),
                    "efficiency_error": abs(float(got.shapley.sum()) - got.value),
                }
            )
    print(json.dumps(rows, indent=1))


if __name__ == "__main__":
    main()
