import json
from pathlib import Path

import numpy as np
import pytest

from shapwin import Summary, closed_form, tuple_values
from shapwin.errors import ArgumentError, StatisticError
from shapwin.exact import enumerate_shapley
from shapwin.games import GAMES, Scales, game_of, split_one

GOLDEN = Path(__file__).parents[1] / "golden"
SMALL = json.loads((GOLDEN / "exact_windows.json").read_text())
LARGE = json.loads((GOLDEN / "exact_windows_large.json").read_text())
NAMES = {"central3": "central_moment(3)", "central4": "central_moment(4)"}


def summaries(case, name):
    y, x, member = (np.array(case[key]) for key in ("values", "pair", "member"))
    order = game_of(name).order
    return Summary.of(y, x, order=order), Summary.of(y[member], x[member], order=order)


@pytest.mark.parametrize("case", SMALL, ids=range(len(SMALL)))
def test_golden_windows(case):
    for key, phi in case["phi"].items():
        name = NAMES.get(key, key)
        scale = max(np.abs(case["tuple_phi"][key]).max(), abs(case["nu"][key]), 1e-300)
        got = closed_form(name, *summaries(case, name))
        assert got.value == pytest.approx(case["nu"][key], abs=1e-13 * scale)
        assert got.phi == pytest.approx(phi, abs=1e-13 * scale)
        tuples = tuple_values(name, case["values"], case["pair"])
        assert tuples == pytest.approx(case["tuple_phi"][key], abs=1e-13 * scale)


@pytest.mark.parametrize("case", LARGE, ids=lambda case: case["name"])
def test_golden_large_windows(case):
    for name, phi in case["phi"].items():
        total, part = summaries(case, name)
        tuples = tuple_values(name, case["values"], case["pair"])
        scale = max(np.abs(tuples).max(), abs(case["nu"][name]))
        got = closed_form(name, total, part)
        assert got.value == pytest.approx(case["nu"][name], abs=1e-12 * scale)
        assert got.phi == pytest.approx(phi, abs=1e-12 * scale)


def test_the_window_of_the_design():
    thirds = {
        "avg": [-13 / 18, 7 / 9, 95 / 18],
        "var_pop": [199 / 54, 5 / 27, 415 / 54],
        "var_samp": [49 / 9, -14 / 9, 121 / 9],
    }
    for name, phi in thirds.items():
        assert tuple_values(name, [2, 4, 10]) == pytest.approx(phi, rel=1e-14)


@pytest.mark.parametrize("name", GAMES)
def test_parts_add_up(name):
    rng = np.random.default_rng(5)
    y, x = rng.normal(size=(2, 50)) + 3
    member = rng.random(50) < 0.4
    got = closed_form(name, Summary.of(y, x), Summary.of(y[member], x[member]))
    assert got.phi == pytest.approx(got.share + got.weight * got.lift, rel=1e-14)
    assert got.lift == pytest.approx(got.share - got.m / got.n * got.value, abs=1e-13)


@pytest.mark.parametrize("name", [*GAMES, "central_moment(3)"])
def test_arrays_equal_scalars(name):
    rng = np.random.default_rng(6)
    order = game_of(name).order
    y, x = rng.normal(size=(2, 4, 9))
    totals = [Summary.of(a, b, order=order) for a, b in zip(y, x, strict=True)]
    parts = [Summary.of(a[:3], b[:3], order=order) for a, b in zip(y, x, strict=True)]

    def stacked(summaries):
        fields = [
            np.array(f)
            for f in zip(
                *((s.m, s.a, s.b, s.center, s.a2, s.ab, s.center2) for s in summaries), strict=True
            )
        ]
        higher = tuple(np.array(h) for h in zip(*(s.higher for s in summaries), strict=True))
        return Summary(*fields, higher)

    got = closed_form(name, stacked(totals), stacked(parts))
    for i, (total, part) in enumerate(zip(totals, parts, strict=True)):
        one = closed_form(name, total, part)
        assert got.phi[i] == pytest.approx(one.phi, rel=1e-13)
        assert isinstance(one.phi, float)


@pytest.mark.parametrize("name", ["sum", "count", "avg", "var_pop", "var_samp"])
def test_the_scalar_form_is_the_array_form(name):
    game = game_of(name)
    y = np.array([3.0, -1.0, 4.5, 8.0, 0.5])
    total, part = Summary.of(y), Summary.of(y[:2])
    want = closed_form(name, total, part)
    d = y - y.mean()
    moments = [(len(part_), part_.sum(), (part_**2).sum()) for part_ in (d, d[:2])]
    divisor, weight = Scales(game)[5]
    base = y.mean() if game.moment == 1 else 0.0
    got = split_one(5, 2, base, moments[0][game.moment], moments[1][game.moment], divisor, weight)
    assert got == pytest.approx(want, rel=1e-14, abs=1e-14)


def test_empty_windows_and_empty_groups():
    empty = closed_form("avg", Summary.zero(), Summary.zero())
    assert (empty.n, empty.m) == (0, 0)
    assert np.isnan([empty.value, empty.phi, empty.share, empty.lift, empty.weight]).all()
    for name in ("sum", "count", "avg", "var_pop", "var_samp"):
        got = closed_form(name, Summary.of([1.0, 3.0, 9.0]), Summary.zero())
        assert (got.n, got.m, got.phi, got.share, got.lift) == (3, 0, 0, 0, 0)


def test_one_tuple():
    one = Summary.of([7.5])
    assert closed_form("avg", one, one).phi == 7.5
    about_zero = Summary(1, 0.1, 0.1 * 0.1, 0.0)
    for name in ("var_pop", "var_samp"):
        assert closed_form(name, one, one).phi == 0
        assert closed_form(name, about_zero, about_zero).phi == 0
    pair = Summary.of([7.5], [2.0])
    assert closed_form("covar_samp", pair, pair).phi == 0


@pytest.mark.parametrize("odd", [np.nan, np.inf, -np.inf])
def test_odd_values_spread_to_their_window_only(odd):
    total, clean, dirty = (Summary.of(v) for v in ([1.0, 2.0, odd], [1.0, 2.0], [odd]))
    assert closed_form("sum", total, clean).phi == 3.0
    assert closed_form("count", total, clean).phi == 2.0
    assert np.isclose(closed_form("sum", total, dirty).phi, odd, equal_nan=True)
    assert not np.isfinite(closed_form("avg", total, clean).phi)
    for name in ("var_pop", "var_samp"):
        got = closed_form(name, total, clean)
        assert np.isnan(got.value)
        assert np.isnan(got.phi)
    assert closed_form("avg", total, Summary.zero()).phi == 0
    assert closed_form("var_pop", Summary.of([odd]), Summary.of([odd])).n == 1


def test_names():
    assert game_of("var") is game_of("VAR_POP") is GAMES["var_pop"]
    assert game_of("central_moment( 3 )").name == "central_moment(3)"


@pytest.mark.parametrize(
    ("statistic", "reason"),
    [
        *(
            (s, "provably has no closed form")
            for s in ("max", "MIN", "median", "quantile(0.9)", "percentile_approx", "p95", "mode")
        ),
        *(
            (s, "has no known closed form")
            for s in (
                "stddev",
                "skewness",
                "distinct",
                "count(distinct)",
                "ratio",
                "regression",
                "corr",
            )
        ),
        ("nonsense", "is not known"),
        ("central_moment(7)", "is not known"),
        (None, "is no text"),
    ],
)
def test_the_boundary(statistic, reason):
    with pytest.raises(StatisticError) as caught:
        closed_form(statistic, Summary.of([1.0]), Summary.of([1.0]))
    assert reason in str(caught.value)
    assert "available are sum, count, avg, var_pop" in str(caught.value)
    assert "central_moment(q)" in str(caught.value)


def test_the_witness_that_maxima_have_no_form_of_order_two():
    """Equal N, M1, M2 give equal φ to any form in them; MAX differs (Proposition 5)."""
    left, right = [1.0, 5.0, 6.0], [2.0, 3.0, 7.0]
    moments = [(len(v), sum(v), sum(y * y for y in v)) for v in (left, right)]
    assert moments[0] == moments[1]
    assert max(left) != max(right)
    sums = [sum(enumerate_shapley(max, v)) for v in (left, right)]
    assert sums == pytest.approx([6, 7])


def test_summaries_too_narrow():
    with pytest.raises(ArgumentError, match="needs a second column"):
        closed_form("covar_pop", Summary.of([1.0]), Summary.of([1.0]))
    with pytest.raises(ArgumentError, match="order=4"):
        closed_form("central_moment(4)", Summary.of([1.0]), Summary.of([1.0]))
