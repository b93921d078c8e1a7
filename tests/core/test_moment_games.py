from fractions import Fraction
from itertools import pairwise

import numpy as np
import pytest

from shapwin import MomentGame, Summary, Term, central_moment, closed_form
from shapwin.errors import ArgumentError
from shapwin.exact import enumerate_shapley
from shapwin.moment_games import CENTRAL_MOMENTS

# ν as a polynomial in power sums, next to the row of the table it must reproduce.
AS_MOMENTS = {
    "sum": (Term((1,), lambda s: 1.0),),
    "count": (Term((), lambda s: s),),
    "avg": (Term((1,), lambda s: 1 / s),),
    "var_pop": (Term((2,), lambda s: 1 / s), Term((1, 1), lambda s: -1 / s**2)),
    "var_samp": (
        Term((2,), lambda s: 1 / np.maximum(s - 1, 1)),
        Term((1, 1), lambda s: -1 / (s * np.maximum(s - 1, 1))),
    ),
    "covar_pop": (
        Term(((1, 1),), lambda s: 1 / s),
        Term(((1, 0), (0, 1)), lambda s: -1 / s**2),
    ),
    "covar_samp": (
        Term(((1, 1),), lambda s: 1 / np.maximum(s - 1, 1)),
        Term(((1, 0), (0, 1)), lambda s: -1 / (s * np.maximum(s - 1, 1))),
    ),
}
VALUES = [3.0, -1.5, 4.25, 0.0, 8.0, -2.0, 4.25]
PAIR = [1.0, 0.5, -3.0, 2.0, 2.5, 0.25, -1.0]


@pytest.mark.parametrize("name", AS_MOMENTS)
@pytest.mark.parametrize("n", [1, 2, 3, 7, 60, 500])
def test_moment_polynomials_reproduce_the_table(name, n):
    rng = np.random.default_rng(n)
    y, x, member = rng.normal(size=n), rng.normal(size=n), rng.random(n) < 0.4
    game = MomentGame(name, AS_MOMENTS[name])
    total, part = game.sums(y, x), game.sums(y[member], x[member])
    want = closed_form(name, Summary.of(y, x), Summary.of(y[member], x[member]))
    scale = max(abs(want.value), abs(want.phi), 1e-3)
    assert game.value(total) == pytest.approx(want.value, abs=1e-10 * scale)
    assert game.phi(total, part) == pytest.approx(want.phi, abs=1e-10 * scale)


@pytest.mark.parametrize("q", [2, 3, 4, 5, 6])
@pytest.mark.parametrize("n", [1, 2, 3, 5, 7])
def test_central_moments_against_rationals(q, n):
    exact = enumerate_shapley(f"central_moment({q})", VALUES[:n], fractions=True)
    scale = max(1.0, *(abs(float(phi)) for phi in exact))
    total = Summary.of(VALUES[:n], order=q)
    for k in range(n + 1):
        got = closed_form(f"central_moment({q})", total, Summary.of(VALUES[:k], order=q))
        assert got.phi == pytest.approx(float(sum(exact[:k])), abs=1e-13 * scale)
        assert got.value == pytest.approx(float(sum(exact)), abs=1e-13 * scale)
    mean = Fraction(sum(map(Fraction, VALUES[:n]))) / n
    powers = [float((Fraction(v) - mean) ** q) for v in VALUES[:n]]
    assert closed_form(f"central_moment({q})", total, total).share == pytest.approx(
        sum(powers), abs=1e-13 * scale
    )
    assert np.isnan(closed_form(f"central_moment({q})", total, total).weight)


def test_second_central_moment_is_n_times_a_variance_game_of_its_own():
    """Σ(y−ȳ_S)² is no multiple of VAR_POP as a game: N varies over coalitions."""
    total, part = Summary.of(VALUES), Summary.of(VALUES[:3])
    assert closed_form("central_moment(2)", total, part).value == pytest.approx(
        len(VALUES) * closed_form("var_pop", total, part).value
    )


def test_any_polynomial_against_enumeration():
    """A game nobody has named: |S|·M_1·M_2 − M_3² + √|S|."""
    game = MomentGame(
        "odd one",
        (
            Term((1, 2), lambda s: s),
            Term((3, 3), lambda s: -1 + 0 * s),
            Term((), lambda s: s**0.5),
        ),
    )
    assert game.order == 6
    y = [0.5, -1.0, 2.0, 1.5, -0.25]

    def nu(ys):
        m1, m2, m3 = (sum(v**power for v in ys) for power in (1, 2, 3))
        return len(ys) * m1 * m2 - m3 * m3 + len(ys) ** 0.5

    exact = enumerate_shapley(nu, y)
    total = game.sums(y)
    tuples = game.phi(total, game.each(y))
    assert tuples == pytest.approx(exact, rel=1e-12)
    assert game.value(total) == pytest.approx(nu(y))


def test_two_columns_of_mixed_powers():
    game = MomentGame("mixed", (Term(((2, 1), (0, 1)), lambda s: 1 / s),))
    assert game.columns == 2

    def nu(pairs):
        return sum(y * y * x for y, x in pairs) * sum(x for _, x in pairs) / len(pairs)

    exact = enumerate_shapley(nu, VALUES[:5], PAIR[:5])
    total = game.sums(VALUES[:5], PAIR[:5])
    assert game.phi(total, game.each(VALUES[:5], PAIR[:5])) == pytest.approx(exact, rel=1e-12)
    with pytest.raises(ArgumentError, match="needs other"):
        game.sums(VALUES)


def test_order_is_the_number_of_power_sums_less_one():
    for q in range(2, 7):
        assert CENTRAL_MOMENTS[f"central_moment({q})"].order == q
        assert len(central_moment(q).exponents) == q + 1
    with pytest.raises(ArgumentError, match="q is 1: give a whole number from 2"):
        central_moment(1)


def test_coefficients_of_a_size_are_found_once():
    calls = []

    def g(s):
        calls.append(len(np.atleast_1d(s)))
        return 1 / s

    game = MomentGame("avg", (Term((1,), g),))
    sums = {(0, 0): 50.0, (1, 0): 1.0}
    first = game.phi(sums, sums)
    seen = len(calls)
    assert game.phi(sums, sums) == first
    assert len(calls) == seen


def test_many_sizes_together_equal_one_by_one():
    rng = np.random.default_rng(0)
    game = central_moment(3)
    n = np.arange(1, 1200)
    sums = {(0, 0): n.astype(float), **{(j, 0): rng.normal(size=n.size) for j in (1, 2, 3)}}
    together = game.phi(sums, sums)
    for i in (0, 1, 7, 600, 1198):
        one = {power: s[i] for power, s in sums.items()}
        assert central_moment(3).phi(one, one) == pytest.approx(together[i], rel=1e-12)


def test_large_windows_stay_exact():
    """Efficiency and symmetry at N = 300, where rationals are out of reach by enumeration."""
    rng = np.random.default_rng(2)
    y = rng.normal(size=300) + 1e6
    for q in range(2, 7):
        total = Summary.of(y, order=q)
        whole = closed_form(f"central_moment({q})", total, total)
        assert whole.phi == pytest.approx(whole.value, rel=1e-11, abs=1e-9)
        cuts = [Summary.of(y[a:b], order=q) for a, b in pairwise([0, 100, 101, 300])]
        parts = [closed_form(f"central_moment({q})", total, part).phi for part in cuts]
        scale = sum(map(abs, parts))
        assert sum(parts) == pytest.approx(whole.value, abs=1e-12 * scale)
