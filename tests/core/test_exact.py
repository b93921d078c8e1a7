from fractions import Fraction

import numpy as np
import pytest

from shapwin import enumerate_shapley, sample_shapley, tuple_values
from shapwin.errors import ArgumentError
from shapwin.games import GAMES

from .oracle import enumerated, exact_phi


@pytest.mark.parametrize("name", GAMES)
def test_enumeration_equals_the_closed_form(name):
    y, x = [2.5, -1.0, 4.0, 0.0, 3.25, 3.25], [1.0, 2.0, 0.5, -3.0, 1.0, 2.0]
    other = x if GAMES[name].columns == 2 else None
    exact = enumerate_shapley(name, y, other, fractions=True)
    assert all(isinstance(phi, Fraction) for phi in exact)
    assert enumerate_shapley(name, y, other) == pytest.approx([float(p) for p in exact], rel=1e-12)
    assert tuple_values(name, y, x) == pytest.approx([float(p) for p in exact], rel=1e-13)
    for i in range(len(y)):
        member = [k == i for k in range(len(y))]
        assert exact_phi(name, y, member, other)[1] == exact[i]


def test_the_oracle_of_the_grid_is_exact_enough():
    y = np.random.default_rng(1).normal(size=(1, 6))
    for name in ("avg", "var_pop", "var_samp"):
        _, phi = enumerated(y, name)
        exact = enumerate_shapley(name, y[0], fractions=True)
        assert phi[0].astype(float) == pytest.approx([float(p) for p in exact], rel=1e-15)


def test_any_game():
    assert enumerate_shapley(lambda ys: len(ys) ** 2, [0, 0, 0]) == pytest.approx([3, 3, 3])
    assert enumerate_shapley(lambda ys: 1.0, [5.0]) == [1.0]
    assert enumerate_shapley("avg", []) == []


@pytest.mark.parametrize("name", ["sum", "count", "avg", "var_pop", "var_samp"])
def test_sampling_is_within_its_standard_errors(name):
    y = np.random.default_rng(2).normal(size=40) + 10
    sample = sample_shapley(name, y, permutations=3000, seed=1)
    off = np.abs(sample.phi - tuple_values(name, y))
    assert (off <= 4.5 * sample.error + 1e-9).all()
    again = sample_shapley(name, y, permutations=3000, seed=1)
    assert np.array_equal(sample.phi, again.phi)
    assert sample.phi.sum() == pytest.approx(tuple_values(name, y).sum(), rel=1e-9)


def test_errors_shrink_with_the_root_of_the_walks():
    y = np.random.default_rng(3).normal(size=30)
    few, many = (sample_shapley("avg", y, permutations=m).error.mean() for m in (200, 3200))
    assert few / many == pytest.approx(4, rel=0.2)
    assert np.isnan(sample_shapley("avg", y, permutations=1).error).all()


def test_wrong_calls():
    with pytest.raises(ArgumentError, match="at most 22"):
        enumerate_shapley("avg", range(23))
    with pytest.raises(ArgumentError, match="other has 1"):
        enumerate_shapley("covar_pop", [1, 2], [1])
    with pytest.raises(ArgumentError, match="cannot be sampled"):
        sample_shapley("covar_pop", [1.0], permutations=3)
    with pytest.raises(ArgumentError, match="permutations is 0: give a whole number from 1 on"):
        sample_shapley("avg", [1.0], permutations=0)
