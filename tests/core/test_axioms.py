"""What makes it a Shapley value, as properties."""

from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from shapwin import Frames, Summary, closed_form, tuple_values
from shapwin.games import GAMES, game_of

number = st.integers(-1000, 1000).map(lambda v: v / 8)
windows = st.lists(st.tuples(number, number, st.booleans()), min_size=1, max_size=25)
steady = settings(max_examples=40, deadline=None, derandomize=True)
STATISTICS = [*GAMES, "central_moment(3)", "central_moment(4)"]
every_game = pytest.mark.parametrize("name", STATISTICS)


def columns(window):
    y, x, member = (np.array(column) for column in zip(*window, strict=True))
    return y.astype(float), x.astype(float), member.astype(bool)


def of(name, y, x):
    return Summary.of(y, x, order=game_of(name).order)


def scale_of(phi):
    return max(1.0, float(np.abs(phi).max()))


@every_game
@steady
@given(window=windows)
def test_efficiency(name, window):
    y, x, _ = columns(window)
    phi = tuple_values(name, y, x)
    value = closed_form(
        name, of(name, y, x), Summary.zero(order=game_of(name).order, two_columns=True)
    ).value
    assert phi.sum() == pytest.approx(value, abs=1e-12 * len(y) * scale_of(phi))


@every_game
@steady
@given(window=windows)
def test_a_group_is_the_sum_of_its_tuples_and_groups_add(name, window):
    y, x, member = columns(window)
    total, phi = of(name, y, x), tuple_values(name, y, x)
    sides = [closed_form(name, total, of(name, y[p], x[p])).phi for p in (member, ~member)]
    bound = 1e-12 * len(y) * scale_of(phi)
    assert sides[0] == pytest.approx(phi[member].sum(), abs=bound)
    assert sum(sides) == pytest.approx(phi.sum(), abs=bound)


@every_game
@steady
@given(window=windows, seed=st.integers(0, 10))
def test_symmetry_and_order(name, window, seed):
    y, x, _ = columns(window + window[:1])  # the first tuple twice
    phi = tuple_values(name, y, x)
    bound = 1e-12 * len(y) * scale_of(phi)
    assert phi[0] == pytest.approx(phi[-1], abs=bound)
    order = np.random.default_rng(seed).permutation(len(y))
    assert tuple_values(name, y[order], x[order]) == pytest.approx(phi[order], abs=bound)


@pytest.mark.parametrize("name", ["sum", "avg", "covar_pop", "covar_samp"])
@steady
@given(window=windows)
def test_additivity_in_the_value(name, window):
    """Games linear in y: φ of y + y′ is φ of y plus φ of y′."""
    y, x, member = columns(window)
    more = np.where(member, 2.0, -1.5) + np.arange(len(y))
    both = tuple_values(name, y, x) + tuple_values(name, more, x)
    assert tuple_values(name, y + more, x) == pytest.approx(
        both, abs=1e-12 * len(y) * scale_of(both)
    )


@steady
@given(window=windows)
def test_null_players(window):
    y, _, _ = columns(window)
    y[0] = 0.0
    assert tuple_values("sum", y)[0] == pytest.approx(0, abs=1e-12 * np.abs(y).sum())
    for name in ("avg", "var_pop", "var_samp"):
        assert closed_form(name, Summary.of(y), Summary.zero()).phi == 0


@pytest.mark.parametrize("name", ["var_pop", "var_samp", "covar_pop", "central_moment(3)"])
@steady
@given(window=windows, shift=st.sampled_from([1.0, -1e3, 1e6]))
def test_spread_does_not_see_the_level(name, window, shift):
    y, x, _ = columns(window)
    phi = tuple_values(name, y, x)
    assert tuple_values(name, y + shift, x) == pytest.approx(
        phi, abs=1e-12 * len(y) * scale_of(phi)
    )


@every_game
@steady
@given(window=windows, cuts=st.lists(st.integers(0, 25), max_size=4))
def test_pane_split_invariance(name, window, cuts):
    """Any cut into panes, merged again, gives the same attribution (Corollary 2)."""
    y, x, member = columns(window)
    edges = [0, *sorted(min(c, len(y)) for c in cuts), len(y)]
    total = part = Summary.zero(order=game_of(name).order, two_columns=True)
    for begin, end in pairwise(edges):
        pane = slice(begin, end)
        total = total + of(name, y[pane], x[pane])
        part = part + of(name, y[pane][member[pane]], x[pane][member[pane]])
    split = closed_form(name, total, part)
    whole = closed_form(name, of(name, y, x), of(name, y[member], x[member]))
    scale = scale_of(tuple_values(name, y, x)) * len(y)
    assert split.phi == pytest.approx(whole.phi, abs=1e-12 * scale)
    assert split.value == pytest.approx(whole.value, abs=1e-12 * scale)


@steady
@given(window=windows)
def test_affine_in_the_summary(window):
    """Lemma 1: Φ of merged atoms is the sum of the atoms' Φ."""
    y, _, member = columns(window)
    signature = member * 1 + (y > 0) * 2
    groups = [signature == s for s in range(4)]
    total, parts = Frames.of_rows(y, np.array(groups)).answer([0], [len(y)])
    for name in ("avg", "var_pop", "var_samp"):
        atoms = closed_form(name, total, parts).phi
        union = closed_form(name, Summary.of(y), Summary.of(y[signature != 0])).phi
        scale = scale_of(tuple_values(name, y)) * len(y)
        assert atoms[1:].sum() == pytest.approx(union, abs=1e-12 * scale)
