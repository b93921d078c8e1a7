import random
from datetime import datetime, timedelta

import numpy as np
import pytest

from shapwin import Query, SlidingWindow, Summary, closed_form, rolling
from shapwin.errors import (
    ArgumentError,
    ArgumentTypeError,
    PredicateError,
    QueryError,
    StatisticError,
)

NAMES = ["a", "b", "c"]
QUERIES = ["a", "a AND NOT b", "c OR (a AND b)", "NOT a"]
STATISTICS = ["sum", "count", "avg", "var_pop", "var_samp"]


def direct(rows, statistic, query, order=2):
    values = np.array([row[0] for row in rows])
    member = Query.parse(query, NAMES).over_atoms(np.array([row[1] for row in rows], np.int64))
    return closed_form(
        statistic, Summary.of(values, order=order), Summary.of(values[member], order=order)
    )


def agrees(got, want, bound=1e-12):
    assert (got.n, got.m) == (want.n, want.m)
    if want.n:
        scale = max(abs(want.value), abs(want.phi), abs(want.share), 1e-6)
        for field in ("value", "phi", "share", "lift"):
            assert getattr(got, field) == pytest.approx(getattr(want, field), abs=bound * scale)


@pytest.mark.parametrize("seed", range(16))
def test_any_sequence_of_changes(seed):
    """Count and time windows, bursts, gaps and retractions, against the rows themselves."""
    rng = random.Random(seed)
    size = rng.choice([1, 2, 3, 10, 100, 700, None])
    duration = rng.choice([1, 5, 50.5]) if size is None else None
    level = rng.choice([0, 1e6, 1e9])
    window, rows, time = SlidingWindow(NAMES, size=size, duration=duration), [], 0.0
    for i in range(rng.choice([60, 1800])):
        if rows and rng.random() < 0.03:
            wrong = rng.choice(rows)[:2]
            rows.pop(max(k for k, row in enumerate(rows) if row[:2] == wrong))
            window.retract([wrong[0]], [wrong[1]])
        value = round(rng.gauss(0, 1), 2) + level * (i // 400)
        signature, time = (
            rng.randrange(8),
            time + rng.choice([0, 0, 0.1, 0.5, rng.random() ** 9 * 60]),
        )
        window.push(value, signature, time)
        rows.append((value, signature, time))
        rows = rows[-size:] if size else [row for row in rows if row[2] > time - duration]
        assert len(window) == len(rows)
        if i < 5 or rng.random() < 0.1:
            query = rng.choice(QUERIES)
            for statistic in STATISTICS:
                agrees(window.attribute(statistic, query), direct(rows, statistic, query))
    atoms = window.atoms()
    assert sum(atom.m for atom in atoms.values()) == len(rows)
    assert set(atoms) == {row[1] for row in rows}


@pytest.mark.parametrize("size", [1, 3, 100, 1500])
@pytest.mark.parametrize("statistic", STATISTICS)
def test_slides_equal_rolling(size, statistic):
    rng = np.random.default_rng(size)
    values, member = rng.normal(size=4000) + 1e3, rng.random(4000) < 0.3
    window = SlidingWindow(["p"], size=size)
    got = []
    for value, p in zip(values.tolist(), member.tolist(), strict=True):
        window.push(value, int(p))
        got.append(window.attribute(statistic, "p").phi)
    want = rolling(values, member, size=size, statistic=statistic)
    assert np.abs(got - want).max() <= 1e-12 * max(1, np.abs(want).max())


@pytest.mark.parametrize("odd", [1e17, -1e300, np.nan, np.inf, -np.inf])
@pytest.mark.parametrize("size", [1, 2, 10, 1100])
def test_an_odd_value_leaves_no_trace(odd, size):
    rng = np.random.default_rng(0)
    values = rng.normal(size=3 * size + 20).tolist()
    clean, dirty = SlidingWindow(["p"], size=size), SlidingWindow(["p"], size=size)
    for value in [*values[: size + 3], odd, odd, *values]:
        dirty.push(value, int(value > 0))
        dirty.attribute("var_pop", "p")
    for value in values:
        clean.push(value, int(value > 0))
    for statistic in STATISTICS:
        agrees(dirty.attribute(statistic, "p"), clean.attribute(statistic, "p"), 1e-13)


def test_odd_values_while_they_are_in():
    window = SlidingWindow(["p"], size=3)
    window.insert([1.0, np.inf, 2.0], [1, 0, 1])
    assert window.attribute("sum", "p").phi == 3
    assert window.attribute("sum", "p").value == np.inf
    assert window.attribute("avg", "p").phi == -np.inf
    assert np.isnan(window.attribute("var_pop", "p").phi)
    assert window.attribute("count", "p").phi == 2


def test_the_same_window_reached_from_two_starts():
    rng = np.random.default_rng(5)
    values = (rng.normal(size=5000) + 1e6).tolist()
    early, late = SlidingWindow(["p"], size=1000), SlidingWindow(["p"], size=1000)
    for i, value in enumerate(values):
        early.push(value, i % 3 == 0)
        if i >= 3500:
            late.push(value, i % 3 == 0)
    for statistic in STATISTICS:
        agrees(early.attribute(statistic, "p"), late.attribute(statistic, "p"))


@pytest.mark.parametrize("size", [100, 3000])
def test_levels(size):
    """A step from 0 to 10⁹ with spread 1: every digit afterwards."""
    rng = np.random.default_rng(6)
    values = np.round(rng.normal(size=3 * size), 3)
    values[size:] += 1e9
    window, member = SlidingWindow(["p"], size=size), rng.random(3 * size) < 0.4
    for i, value in enumerate(values.tolist()):
        window.push(value, int(member[i]))
        if i % 97 == 0:
            window.attribute("var_pop", "p")
    last = slice(2 * size, None)
    rows = list(zip(values[last], member[last].astype(int), strict=True))
    agrees(window.attribute("var_pop", "p"), direct(rows, "var_pop", "a"), 1e-13)


def test_a_constant_has_no_variance():
    window = SlidingWindow(["p"], size=700)
    for i in range(2000):
        window.push(0.1, i % 2)
        got = window.attribute("var_pop", "p")
        assert (got.value, got.phi) == (0, 0)


def test_names_or_signatures():
    by_name, by_bits = SlidingWindow(NAMES, size=9), SlidingWindow(NAMES, size=9)
    for value, held in [(1.0, ["a", "c"]), (2.5, []), (4.0, "b"), (7, ("c",))]:
        by_name.push(value, held)
    by_bits.insert([1.0, 2.5, 4.0, 7], [5, 0, np.int64(2), 4])
    assert by_name.attribute("avg", "c AND NOT b") == by_bits.attribute("avg", "c AND NOT b")
    assert {s: a.m for s, a in by_name.atoms().items()} == {0: 1, 2: 1, 4: 1, 5: 1}


def test_sixty_four_predicates():
    names = [f"p{k}" for k in range(64)]
    window = SlidingWindow(names, size=5)
    window.insert([1.0, 2.0, 6.0], [["p63"], -(2**63), 1])
    assert window.attribute("sum", "p63").phi == 3
    assert window.attribute("sum", "p0 OR p63").m == 3


def test_only_atoms_that_occur_exist():
    window = SlidingWindow(NAMES, size=4)
    window.insert(range(6), [7, 7, 1, 2, 2, 2])
    assert sorted(window.atoms()) == [1, 2]


def test_datetimes():
    window = SlidingWindow(["p"], duration=timedelta(minutes=10))
    start = datetime(2024, 1, 10)
    for minute in (0, 5, 10, 14):
        window.push(float(minute), 1, start + timedelta(minutes=minute))
    assert len(window) == 3  # (4, 14]: a tuple at t − τ has left
    window.insert([1.0], [0], [start + timedelta(hours=5)])
    assert len(window) == 1


def test_central_moments_read_the_rows():
    rng = np.random.default_rng(3)
    window, rows = SlidingWindow(NAMES, size=40), []
    for value in rng.normal(size=90):
        window.push(value, int(value > 0))
        rows.append((value, int(value > 0)))
    agrees(
        window.attribute("central_moment(3)", "a"), direct(rows[-40:], "central_moment(3)", "a", 3)
    )
    agrees(window.attribute("var_pop", "a"), direct(rows[-40:], "var_pop", "a"))


def test_an_empty_window():
    window = SlidingWindow(["p"], size=3)
    for statistic in ("avg", "central_moment(3)"):
        got = window.attribute(statistic, "p")
        assert (got.n, got.m) == (0, 0)
        assert np.isnan(got.phi)
    window.push(1e6 + 0.5, 1)
    window.push(1e6 + 0.75, 0)
    assert window.attribute("var_pop", "p").value == 0.015625
    window.retract([1e6 + 0.5, 1e6 + 0.75], [1, 0])
    assert window.attribute("avg", "p").n == 0
    assert window.atoms() == {}


def test_wrong_calls():
    for arguments in ({}, {"size": 3, "duration": 4}, {"size": 0}, {"size": 2.5}, {"duration": 0}):
        with pytest.raises(ArgumentError):
            SlidingWindow(["p"], **arguments)
    with pytest.raises(PredicateError):
        SlidingWindow(["p", "P"], size=3)
    window = SlidingWindow(["p"], size=3)
    with pytest.raises(ArgumentTypeError, match="'1' is no number"):
        window.push("1", 0)
    with pytest.raises(PredicateError, match="beyond the 1"):
        window.push(1.0, 2)
    with pytest.raises(PredicateError, match="'q' is no predicate"):
        window.push(1.0, ["q"])
    with pytest.raises(ArgumentError, match="1 satisfied for 2 values"):
        window.insert([1.0, 2.0], [0])
    with pytest.raises(ArgumentError, match=r"no tuple with value 3\.0"):
        window.retract([3.0], [0])
    assert len(window) == 0
    with pytest.raises(QueryError, match="no predicate"):
        window.attribute("avg", "q")
    with pytest.raises(StatisticError, match="Proposition 5"):
        window.attribute("max", "p")
    with pytest.raises(ArgumentError, match="second column"):
        window.attribute("covar_pop", "p")
    timed = SlidingWindow(["p"], duration=5)
    timed.push(1.0, 1, 10)
    for time, message in ((9, "goes back"), (None, "missing"), (float("nan"), "missing")):
        with pytest.raises(ArgumentError, match=message):
            timed.push(1.0, 1, time)
    assert len(timed) == 1
    with pytest.raises(ArgumentError, match="0 times for 1 values"):
        timed.insert([1.0], [1], [])
