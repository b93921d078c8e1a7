"""Every digit, with no centre given: the bars of the design, through every way in."""

from fractions import Fraction

import numpy as np
import pytest

from shapwin import Frames, SlidingWindow, Summary, closed_form, rolling
from shapwin.cursor import FrameCursor
from shapwin.games import Scales, game_of

from .oracle import whole_number_phi

BOUND = 1e-12


def weight(statistic, n):
    """w(N) in long double, from sums."""
    k = np.arange(n, 0, -1, dtype=np.longdouble)
    h, h2, n = (1 / k).sum(), (1 / k**2).sum(), np.longdouble(n)
    if statistic == "avg":
        return n * (h - 1) / (n - 1)
    if statistic == "var_samp":
        return (n * (h - 2) + 1) / (n - 2)
    return (n * (n * (h - h2) / (n - 1)) - (n - 1)) / (n - 2)


@pytest.mark.parametrize("statistic", ["avg", "var_pop", "var_samp"])
def test_a_million_slides_of_a_window_of_a_hundred_thousand(statistic):
    """N(10⁶, 1), against sums that are exact in modular whole-number arithmetic."""
    size, length = 100_000, 1_100_000
    rng = np.random.default_rng(1)
    steps = np.round(rng.normal(size=length) * 2**20).astype(np.int64)
    member = rng.random(length) < 0.3
    got = rolling(1e6 + steps * 2.0**-20, member, size=size, statistic=statistic)[size:]

    def windows(column):
        before = np.concatenate([[0], np.cumsum(column)])  # wraps, but differences do not
        return (before[size + 1 :] - before[1:-size]).astype(np.longdouble)

    unit = np.longdouble(2) ** -20
    a, m = windows(steps) * unit, windows(member.astype(np.int64))
    a_p, r = windows(steps * member) * unit, a / size
    if statistic == "avg":
        nu, share = 1e6 + r, (m * 1e6 + a_p) / size
        lift = (a_p - m * r) / size
    else:
        divisor = np.longdouble(size if statistic == "var_pop" else size - 1)
        b, b_p = windows(steps**2) * unit**2, windows(steps**2 * member) * unit**2
        nu = (b - r * a) / divisor
        share = (b_p - r * (2 * a_p - m * r)) / divisor
        lift = share - m / size * nu
    want = share + weight(statistic, size) * lift
    assert len(got) == 1_000_000
    assert (np.abs(got - want) / np.abs(nu)).max() <= BOUND


def ramp(n):
    return np.arange(n) * (10**9 // n)


def step(n):
    return np.where(np.arange(n) < n // 2, 0, 10**9) + np.random.default_rng(2).integers(-2, 3, n)


def epoch(n):
    return 1_704_844_800 + np.cumsum(np.random.default_rng(3).integers(0, 3, n))


def counter_resets(n):
    return (np.arange(n) * 7919) % 10**9


def tera(n):
    return 10**12 + np.arange(n) % 7


LEVELS = (ramp, step, epoch, counter_resets, tera)


def windows_of(n, size):
    """Some windows, those at the middle (where a step is) among them."""
    ends = [size, size + 1, n // 2, n // 2 + 1, n // 2 + size // 2, n // 2 + size, n - 1, n]
    return [(end - size, end) for end in ends]


@pytest.mark.parametrize("column", LEVELS)
@pytest.mark.parametrize("statistic", ["avg", "var_pop", "var_samp"])
@pytest.mark.parametrize("size", [3, 100, 3000])
def test_levels_through_every_way_in(column, statistic, size):
    n = 10_000
    y = column(n)
    member = np.random.default_rng(4).random(n) < 0.3
    values = y.astype(np.float64)
    by_size = rolling(values, member, size=size, statistic=statistic)
    frames = Frames.of_rows(values, member)
    panes = Frames.of_summaries(*in_panes(values, member, 25))
    cursor = FrameCursor(values, member, statistic)
    for begin, end in windows_of(n, size):
        w = weight(statistic, size)
        nu, phi = whole_number_phi(statistic, y[begin:end], member[begin:end], Fraction(float(w)))
        bound = BOUND * max(abs(nu), abs(phi) / size)
        assert by_size[end - 1] == pytest.approx(phi, abs=bound)
        by_frame = closed_form(statistic, *frames.answer([begin], [end]))
        assert by_frame.phi[0, 0] == pytest.approx(phi, abs=bound)
        assert by_frame.value[0] == pytest.approx(nu, rel=BOUND, abs=1e-300)
        assert cursor.attribute(begin, end).phi == pytest.approx(phi, abs=bound)
        window = SlidingWindow(["p"], size=size)
        start = max(0, begin - size // 2)
        window.insert(values[start:end].tolist(), member[start:end].astype(int).tolist())
        assert window.attribute(statistic, "p").phi == pytest.approx(phi, abs=bound)
        if begin % 25 == end % 25 == 0:
            of_panes = panes.answer([begin // 25 * 2], [end // 25 * 2])
            assert closed_form(statistic, *of_panes).phi[0, 0] == pytest.approx(phi, abs=bound)


@pytest.mark.parametrize("giant", [1e17, 1e300])
@pytest.mark.parametrize("size", [1, 2, 60, 700])
def test_a_sum_is_that_of_its_members_to_the_last_digit(giant, size):
    """Whole numbers, beside values of others that are beyond all their digits."""
    rng = np.random.default_rng(6)
    member = rng.random(2000) < 0.3
    values = rng.integers(-50, 1000, 2000).astype(np.float64)
    values[~member & (rng.random(2000) < 0.05)] = giant
    before = np.concatenate([[0], np.cumsum(np.where(member, values, 0).astype(np.int64))])
    end = np.arange(1, 2001)
    begin = np.maximum(end - size, 0)
    right = (before[end] - before[begin]).tolist()
    assert rolling(values, member, size=size, statistic="sum").tolist() == right
    some = rng.permutation(2000)
    mixed = rolling(values, member, begin=begin[some], end=end[some], statistic="sum")
    assert mixed.tolist() == [right[i] for i in some]
    each = Summary.each(values)
    for items in (values, each):
        cursor = FrameCursor(items, member, "sum")
        frames = zip(begin.tolist(), end.tolist(), strict=True)
        assert [cursor.attribute(b, e).phi for b, e in frames] == right
    of_rows = Frames.of_rows(values, member, center=0.0)
    for frames in (of_rows, Frames.of_summaries(each, member, center=0.0)):
        found = closed_form("sum", *frames.answer(begin, end))
        assert found.phi[0].tolist() == found.share[0].tolist() == right
    window = SlidingWindow(["p"], size=size)
    for value, held, phi in zip(values.tolist(), member.astype(int).tolist(), right, strict=True):
        window.push(value, held)
        found = window.attribute("sum", "p")
        assert found.phi == found.share == phi
    signatures, found = window.attribute_atoms("sum")
    assert dict(zip(signatures.tolist(), found.phi.tolist(), strict=True)).get(1, 0.0) == right[-1]


def in_panes(values, member, length):
    """Pane × atom rows as Spark makes them: count, avg and var_pop of each."""
    parts, flags = [], []
    for begin in range(0, len(values), length):
        rows = slice(begin, begin + length)
        for flag in (True, False):
            parts.append(Summary.of(values[rows][member[rows] == flag]))
            flags.append(flag)
    fields = zip(*((p.m, p.a, p.b, p.center) for p in parts), strict=True)
    return Summary(*map(np.array, fields)), np.array(flags)


def test_the_bar_of_ten_to_the_twelve():
    values = 1e12 + np.arange(7)
    member = np.arange(7) < 3
    got = closed_form("var_pop", Summary.of(values), Summary.of(values[member]))
    assert got.value == 4.0
    total, parts = Frames.of_rows(values, member).answer([0], [7])
    assert closed_form("var_pop", total, parts).value[0] == 4.0
    window = SlidingWindow(["p"], size=7)
    window.insert(values.tolist(), member.astype(int).tolist())
    assert window.attribute("var_pop", "p").value == 4.0
    assert FrameCursor(values, member, "var_pop").attribute(0, 7).value == 4.0


@pytest.mark.parametrize("constant", [0.0, 0.1, -3e9 + 0.7, 1e15 + 0.3])
@pytest.mark.parametrize("size", [2, 5, 64, 1000])
def test_constants_have_no_variance_at_all(constant, size):
    values, member = np.full(2500, constant), np.arange(2500) % 3 == 0
    for statistic in ("var_pop", "var_samp", "covar_pop", "central_moment(4)"):
        assert not rolling(values, member, size=size, statistic=statistic, other=values).any()
    cursor = FrameCursor(values, member, "var_pop")
    for end in range(1, 2500, 7):
        got = cursor.attribute(max(0, end - size), end)
        assert (got.value, got.phi) == (0, 0)


def test_no_variance_is_negative():
    rng = np.random.default_rng(9)
    values = 1e8 + np.round(rng.normal(size=4000), 1) * 1e-7
    member = rng.random(4000) < 0.5
    for size in (2, 3, 70, 300):
        end = np.arange(1, 4001)
        total, parts = Frames.of_rows(values, member).answer(np.maximum(0, end - size), end)
        got = closed_form("var_pop", total, parts)
        assert (got.value >= 0).all()
        assert (got.share >= 0).all()


@pytest.mark.parametrize("odd", [1e17, 1e200, np.nan, np.inf, -np.inf])
@pytest.mark.parametrize("size", [1, 2, 50, 64, 200, 1500])
@pytest.mark.parametrize("statistic", ["sum", "avg", "var_pop", "covar_samp", "central_moment(3)"])
def test_an_odd_value_leaves_no_trace(odd, size, statistic):
    rng = np.random.default_rng(5)
    values, x, member = rng.normal(size=4000), rng.normal(size=4000), rng.random(4000) < 0.4
    clean = rolling(values, member, size=size, statistic=statistic, other=x)
    dirty = values.copy()
    dirty[[777, 778, 2100]] = odd
    got = rolling(dirty, member, size=size, statistic=statistic, other=x)
    touched = np.zeros(4000, dtype=bool)
    for i in (777, 778, 2100):
        touched[i : i + size] = True
    assert np.abs(got - clean)[~touched].max() <= 1e-13 * np.abs(clean).max()
    if not np.isfinite(odd):
        if statistic == "sum":
            first = slice(max(0, 778 - size), 778)
            want = dirty[first][member[first]].sum()
            assert np.isclose(got[777], want, equal_nan=True)
        elif statistic != "covar_samp":
            holds = touched & (rolling(values, member, size=size, statistic="count") > 0)
            holds &= np.minimum(np.arange(1, 4001), size) > 1  # of one tuple, Φ is its share
            assert not np.isfinite(got[holds]).any()
    total, parts = Frames.of_rows(dirty, member).answer([0, 778, 779], [777, 2100, 2101])
    phi = closed_form("avg", total, parts).phi[0]
    assert np.isfinite(phi[0])
    assert np.isfinite(phi[1]) == np.isfinite(odd)


@pytest.mark.parametrize("size", [1, 2, 3, 4, 5, 8])
def test_short_windows_beside_a_giant(size):
    """All tuples are members, so that nothing can hide in a Φ of 0."""
    values, member = np.linspace(0.1, 0.9, 40), np.ones(40, dtype=bool)
    values[20] = 1e17
    got = rolling(values, member, size=size, statistic="avg")
    for end in (*range(1, 21), *range(21 + size, 41)):
        want = np.mean(values[max(0, end - size) : end])
        assert got[end - 1] == pytest.approx(want, rel=1e-15)


@pytest.mark.parametrize("statistic", ["avg", "var_pop", "var_samp"])
def test_the_same_window_from_two_starts(statistic):
    rng = np.random.default_rng(6)
    values, member = rng.normal(size=9000) + 1e6, rng.random(9000) < 0.3
    values[:4000] *= rng.choice([1e-3, 1.0, 1e9], 4000)
    early = rolling(values, member, size=700, statistic=statistic)[5000:]
    late = rolling(values[4000:], member[4000:], size=700, statistic=statistic)[1000:]
    assert np.abs(early - late).max() <= BOUND * np.abs(late).max()


@pytest.mark.parametrize("statistic", ["avg", "var_pop", "var_samp", "covar_pop"])
def test_row_order_and_partitioning(statistic):
    rng = np.random.default_rng(7)
    y, x = rng.normal(size=(2, 3000)) + 1e6
    member = rng.random(3000) < 0.3
    whole = closed_form(statistic, Summary.of(y, x), Summary.of(y[member], x[member]))
    for seed in range(3):
        order = np.random.default_rng(seed).permutation(3000)
        cuts = np.sort(np.random.default_rng(seed).integers(0, 3000, 9))
        total = part = Summary.zero(two_columns=True)
        for rows in np.split(order, cuts):
            held = rows[member[rows]]
            total, part = total + Summary.of(y[rows], x[rows]), part + Summary.of(y[held], x[held])
        got = closed_form(statistic, total, part)
        assert got.value == pytest.approx(whole.value, abs=BOUND * abs(whole.value))
        assert got.phi == pytest.approx(whole.phi, abs=BOUND * max(abs(whole.value), 1e-2))


@pytest.mark.parametrize("n", [1, 2, 3, 15, 16, 17, 1000, 10**6])
@pytest.mark.parametrize("statistic", ["avg", "var_pop", "var_samp"])
def test_weights(statistic, n):
    divisor, w = Scales(game_of(statistic))[n]
    assert divisor == (max(n - 1, 1) if statistic == "var_samp" else n)
    if n <= (1 if statistic == "avg" else 2):
        assert w == 0
    else:
        assert w == pytest.approx(float(weight(statistic, n)), rel=2e-14)


def test_counters_at_one_and_at_a_billion_in_one_column():
    """Two keys interleaved: every group keeps its digits beside the other."""
    rng = np.random.default_rng(8)
    y = np.where(np.arange(4000) % 2, 10**9, 1) + rng.integers(-3, 4, 4000)
    member = np.arange(4000) % 2 == 1
    got = rolling(y.astype(float), member, size=1000, statistic="var_pop")
    w = Fraction(float(weight("var_pop", 1000)))
    for end in (1000, 2500, 4000):
        rows = slice(end - 1000, end)
        nu, phi = whole_number_phi("var_pop", y[rows], member[rows], w)
        assert got[end - 1] == pytest.approx(phi, abs=BOUND * nu)
