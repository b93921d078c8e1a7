import json
from itertools import permutations
from pathlib import Path

import numpy as np
import pytest

from shapwin import Summary, player_values
from shapwin.errors import ArgumentError, StatisticError
from shapwin.exact import definition
from shapwin.predicates import pack

GOLDEN = json.loads((Path(__file__).parents[1] / "golden" / "exact_players.json").read_text())


def atoms_of(values, signatures):
    values, signatures = np.asarray(values, dtype=float), np.asarray(signatures)
    return {int(s): Summary.of(values[signatures == s]) for s in np.unique(signatures)}


@pytest.mark.parametrize("case", GOLDEN, ids=lambda case: case["statistic"])
def test_golden(case):
    atoms = atoms_of(case["values"], pack(np.array(case["signatures"], dtype=bool).T))
    names = ["a", "b", "c"]
    scale = max(abs(case["nu"]), *map(abs, case["with_other"]))
    player = player_values(case["statistic"], atoms, names)
    assert player.players == ("a", "b", "c", "(other)")
    assert player.value == pytest.approx(case["nu"], abs=1e-13 * scale)
    assert player.shapley == pytest.approx(case["with_other"], abs=1e-13 * scale)
    assert player.remainder == 0
    rest = player_values(case["statistic"], atoms, names, uncovered="remainder")
    assert rest.players == ("a", "b", "c")
    assert rest.shapley == pytest.approx(case["covered"], abs=1e-13 * scale)
    assert rest.remainder == pytest.approx(case["remainder_if_covered"], abs=1e-13 * scale)


@pytest.mark.parametrize("statistic", ["sum", "count", "avg", "var_pop", "var_samp"])
def test_against_every_order_and_every_pair(statistic):
    rng = np.random.default_rng(4)
    values, signatures = rng.normal(size=30) + 5, rng.integers(0, 16, 30)
    n, nu = 5, {}
    for coalition in range(1 << n):
        union = ((signatures & coalition & 15) > 0) | ((signatures == 0) & (coalition >> 4 & 1 > 0))
        chosen = values[union].tolist()
        nu[coalition] = definition(statistic)(chosen) if chosen else 0.0
    got = player_values(statistic, atoms_of(values, signatures), ["a", "b", "c", "d"])
    shapley = np.zeros(n)
    for order in permutations(range(n)):
        coalition = 0
        for i in order:
            shapley[i] += (nu[coalition | 1 << i] - nu[coalition]) / 120
            coalition |= 1 << i
    assert got.shapley == pytest.approx(shapley, abs=1e-12)
    for i in range(n):
        others = [c for c in range(1 << n) if not c >> i & 1]
        marginal = [nu[c | 1 << i] - nu[c] for c in others]
        assert got.banzhaf[i] == pytest.approx(np.mean(marginal), abs=1e-12)
        for j in set(range(n)) - {i}:
            # The Shapley interaction index: the mean, over orders in which i and j are one
            # player, of the second difference when that player enters.
            weights = {0: 1 / 4, 1: 1 / 12, 2: 1 / 12, 3: 1 / 4}
            second = sum(
                weights[bin(c).count("1")]
                * (nu[c | 1 << i | 1 << j] - nu[c | 1 << i] - nu[c | 1 << j] + nu[c])
                for c in others
                if not c >> j & 1
            )
            assert got.interactions[i, j] == pytest.approx(second, abs=1e-12)
    assert got.shapley.sum() == pytest.approx(got.value, abs=1e-12)


def test_null_and_equal_predicates():
    values, signatures = [1.0, 5.0, 6.0, 2.0], [0b0011, 0b0011, 0b1000, 0]
    for statistic in ("avg", "var_pop", "sum"):
        got = player_values(statistic, atoms_of(values, signatures), ["a", "b", "null", "c"])
        assert got.shapley[2] == 0
        assert got.banzhaf[2] == 0
        assert got.interactions[2].tolist() == [0] * 5
        assert got.shapley[0] == pytest.approx(got.shapley[1], abs=1e-14)


def test_a_coalition_keeps_its_digits_beside_another_magnitude():
    atoms = {1: Summary.of([0.1, 0.2, 0.4]), 2: Summary.of([1e9, 1e9 + 1]), 0: Summary.of([3e8])}
    got = player_values("var_pop", atoms, ["low", "high"])
    low = definition("var_pop")([0.1, 0.2, 0.4])
    high = definition("var_pop")([0.0, 1.0])
    nu = got.shapley  # efficiency still holds among large parts
    assert nu.sum() == pytest.approx(got.value, rel=1e-13)
    alone = player_values("var_pop", {1: atoms[1], 2: Summary.zero()}, ["low", "high"])
    assert alone.shapley[0] == pytest.approx(low, rel=1e-14)
    alone = player_values("var_pop", {2: atoms[2]}, ["low", "high"])
    assert alone.shapley[1] == pytest.approx(high, rel=1e-14)


def test_sixteen_players():
    rng = np.random.default_rng(0)
    values, signatures = rng.normal(size=3000), rng.integers(0, 1 << 16, 3000)
    atoms = {int(s): Summary.each([v]).take(0) for v, s in zip(values, signatures, strict=True)}
    got = player_values("var_pop", atoms, [f"p{k}" for k in range(16)])
    assert got.shapley.sum() == pytest.approx(got.value, rel=1e-12)


def test_wrong_calls():
    one = {1: Summary.of([1.0])}
    with pytest.raises(ArgumentError, match="at most 20 as players"):
        player_values("avg", one, [f"p{k}" for k in range(21)])
    with pytest.raises(ArgumentError, match="beyond the 1 predicates"):
        player_values("avg", {2: Summary.of([1.0])}, ["a"])
    with pytest.raises(ArgumentError, match="'player' or 'remainder'"):
        player_values("avg", one, ["a"], uncovered="other")
    with pytest.raises(StatisticError, match="Proposition 5"):
        player_values("max", one, ["a"])


def test_an_empty_window_has_no_value():
    got = player_values("avg", {}, ["a"])
    assert np.isnan(got.value)
    assert got.shapley.tolist() == [0, 0]
