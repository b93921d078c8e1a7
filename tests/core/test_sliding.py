import random
from datetime import UTC, date, datetime, timedelta
from decimal import Decimal

import numpy as np
import pytest

from shapwin import Query, SlidingWindow, Summary, closed_form, rolling
from shapwin.errors import (
    ArgumentError,
    ArgumentTypeError,
    PredicateError,
    QueryError,
    ShapwinError,
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


@pytest.mark.parametrize("statistic", [*STATISTICS, "central_moment(3)"])
def test_all_atoms_at_once_equal_one_after_another(statistic):
    rng = np.random.default_rng(5)
    window = SlidingWindow(NAMES, size=700)
    window.insert(rng.normal(1e3, 1, 2000).tolist(), rng.integers(0, 8, 2000).tolist())
    window.attribute_atoms(statistic)  # what it keeps must not outlive the rows
    window.retract([window._blocks.young.values[0]], [window._blocks.young.signatures[0]])
    window.push(-7.0, 5)
    signatures, found = window.attribute_atoms(statistic)
    assert signatures.tolist() == list(range(8))
    assert found.phi.sum() == pytest.approx(found.value, rel=1e-12)
    for i, signature in enumerate(signatures):
        atom = " AND ".join(n if signature >> k & 1 else f"NOT {n}" for k, n in enumerate(NAMES))
        one = window.attribute(statistic, atom)
        agrees(one._replace(m=found.m[i], share=found.share[i], phi=found.phi[i]), one, 1e-11)


def test_atoms_of_no_rows_or_of_two_columns():
    window = SlidingWindow(NAMES, size=3)
    signatures, found = window.attribute_atoms("avg")
    assert (signatures.size, found.phi.size, found.n) == (0, 0, 0)
    with pytest.raises(ArgumentError, match="needs a second column"):
        window.attribute_atoms("covar_pop")


def test_new_signatures_for_ever():
    """With many predicates nearly every row brings a new one, and none is forgotten wrongly."""
    rng = np.random.default_rng(6)
    names = [f"p{k}" for k in range(64)]
    signatures = rng.integers(-(2**63), 2**63, 150_000).tolist()
    values = rng.normal(size=len(signatures)).tolist()
    window, query = SlidingWindow(names, size=50), "p63 AND NOT p0 OR p7"
    for i, (value, signature) in enumerate(zip(values, signatures, strict=True)):
        window.push(value, signature)
        window.attribute("sum", query)
        if i % 997 == 50:
            rows = slice(i - 49, i + 1)
            member = Query.parse(query, names).over_atoms(signatures[rows])
            assert window.attribute("count", query).m == member.sum()
    assert len(window._sums[query]._holds) < 120_000


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


DAY, NOON = timedelta(days=1), datetime(2024, 1, 1, 12)


@pytest.mark.parametrize(
    ("duration", "first", "wrong", "message"),
    [
        (5, None, NOON, "does not go with duration 5: give numbers"),
        (5, None, "x", "time 'x' does not go with duration"),
        (5, None, True, "time True does not go with"),
        (5, None, 1j, "does not go with"),
        (5, None, np.array([1.0]), "does not go with"),
        (5, None, np.array([1.0, 2.0]), "does not go with"),
        (DAY, None, 0, "time 0 does not go with"),
        (np.timedelta64(5, "s"), None, 10, "time 10 does not go with"),
        (5, 1, "x", "does not go with"),
        (5, 1, Decimal(2), "does not compare with 1 before it: give all times in one type"),
        (5, Decimal(1), 2, "does not compare with"),
        (DAY, NOON, (NOON + DAY).replace(tzinfo=UTC), "does not compare with .* time zone"),
        (DAY, (NOON - DAY).replace(tzinfo=UTC), NOON, "does not compare with"),
        (DAY, NOON, date(2024, 1, 3), "does not compare with"),
        (DAY, NOON, 3, "does not go with"),
        (5, 1, None, "time None is missing"),
        (5, 1, float("nan"), "time nan is missing"),
        (DAY, NOON, np.datetime64("NaT"), "is missing"),
        (5, 1, 0.5, r"time 0\.5 goes back behind 1: push in order"),
    ],
)
def test_a_refused_time_changes_nothing(duration, first, wrong, message):
    window = SlidingWindow(["a"], duration=duration)
    if first is not None:
        window.push(1.0, 1, first)
        assert window.attribute("sum", "a").value == 1
    before = len(window)
    for _ in range(2):
        with pytest.raises(ShapwinError, match=message):
            window.push(2.0, 1, wrong)
    with pytest.raises(ShapwinError, match=message):
        window.insert([2.0], [1], [wrong])
    assert len(window) == window.attribute("count", "a").n == before
    if first is not None:
        window.push(4.0, 0, first)
        assert window.attribute("sum", "a").value == 5


@pytest.mark.parametrize(
    ("duration", "time"),
    [
        (5, np.inf),
        (5, -np.inf),
        (np.inf, np.inf),
        (5, 1e300),
        (5.0, 10**400),
        (timedelta(hours=1), date(2024, 1, 1)),
        (DAY, datetime.min),
    ],
)
def test_a_time_that_would_expire_its_own_tuple(duration, time):
    window = SlidingWindow(["a"], duration=duration)
    with pytest.raises(ArgumentError, match="is no earlier time: give finite times"):
        window.push(1.0, 1, time)
    assert len(window) == 0


@pytest.mark.parametrize(
    ("duration", "times"),
    [
        (2, [0, 1.5, np.float64(2), np.int64(3)]),
        (Decimal(2), [Decimal(0), Decimal("1.5"), Decimal(2), Decimal(3)]),
        (np.inf, [0, 1, 2]),
        (np.timedelta64(2, "D"), [np.datetime64("2024-01-01"), np.datetime64("2024-01-03", "h")]),
        (timedelta(2), [timedelta(0), timedelta(1), timedelta(2)]),
        (DAY, [NOON.replace(tzinfo=UTC), (NOON + DAY).replace(tzinfo=UTC)]),
    ],
)
def test_types_of_time(duration, times):
    window = SlidingWindow(["a"], duration=duration)
    for time in times:
        window.push(1.0, 1, time)
    assert len(window) == sum(time > times[-1] - duration for time in times)


@pytest.mark.parametrize(
    "duration",
    [0, -1, np.nan, Decimal("nan"), "5", True, np.bool_(True), [1], np.ones(1), NOON, -DAY],
)
def test_durations_that_are_none(duration):
    with pytest.raises(ShapwinError, match=r"duration is .*: give"):
        SlidingWindow(["a"], duration=duration)


@pytest.mark.parametrize("size", [0, -1, 2.5, "3", True, [3]])
def test_sizes_that_are_none(size):
    with pytest.raises(ArgumentError, match=r"size is .*: give a whole number from 1 on"):
        SlidingWindow(["a"], size=size)


@pytest.mark.parametrize(
    "value", ["1", b"1", bytearray(b"1"), None, [], 1j, NOON, np.timedelta64(5, "s")]
)
def test_values_that_are_none(value):
    window = SlidingWindow(["a"], size=2)
    with pytest.raises(ArgumentTypeError, match="is no number: give a float"):
        window.push(value, 1)
    with pytest.raises(ArgumentError, match=r"value is a number beyond 1\.8e308: give"):
        window.push(10**400, 1)
    assert len(window) == 0


@pytest.mark.parametrize(
    ("values", "satisfied", "name"),
    [(5, [1], "values"), ([1.0], 5, "satisfied"), (None, None, "values")],
)
def test_columns_that_are_none(values, satisfied, name):
    window = SlidingWindow(["a"], size=2)
    for way in (window.insert, window.retract):
        with pytest.raises(ArgumentTypeError, match=f"{name} is .*: give a list"):
            way(values, satisfied)
    with pytest.raises(ArgumentTypeError, match="times is 5: give a list"):
        window.insert([1.0], [1], 5)


@pytest.mark.parametrize("wrong", [["a"], {"a": 1}, 5, None])
def test_statistics_and_queries_that_are_no_text(wrong):
    window = SlidingWindow(["a"], size=2)
    for _ in range(2):
        with pytest.raises(QueryError, match="is no text"):
            window.attribute("avg", wrong)
        with pytest.raises(StatisticError, match="is no text"):
            window.attribute(wrong, "a")
        window.push(1.0, 1)


def test_an_insertion_is_whole_or_not_at_all():
    counted, timed = SlidingWindow(["a"], size=3), SlidingWindow(["a"], duration=5)
    counted.insert([1.0, 2.0, 4.0], [1, 1, 0])
    timed.insert([1.0, 2.0, 4.0], [1, 1, 0], [1, 2, 3])
    late = [7, 8, 9]
    for window in (counted, timed):
        for values, satisfied in (([7.0, 8.0, "x"], [1, 1, 1]), ([7.0, 8.0, 9.0], [1, 1, 2])):
            with pytest.raises(ShapwinError):
                window.insert(values, satisfied, late)
            with pytest.raises(ShapwinError):
                window.retract([1.0, *values[1:]], satisfied)
    for times in ([7, 8, 7.5], [2.5, 7, 8], [7, 8, "x"], [7, 8, None], [7, 8]):
        with pytest.raises(ShapwinError):
            timed.insert([7.0, 8.0, 9.0], [1, 1, 1], times)
    for window in (counted, timed):
        assert window.attribute("sum", "a").value == 7
        assert window.attribute("sum", "a").m == 2
        window.insert([8.0], [["a"]], [6])
        assert window.attribute("sum", "a").value == 14


def test_a_retraction_of_what_is_not_there_says_the_mend():
    window = SlidingWindow(["a"], size=2)
    with pytest.raises(ArgumentError, match=r"value 1\.0 that satisfies \['a'\] .*: give both"):
        window.retract([1.0], [["a"]])
