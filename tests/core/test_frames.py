import random
from itertools import pairwise

import numpy as np
import pytest

from shapwin import Frames, Summary, closed_form, rolling
from shapwin.cursor import FrameCursor
from shapwin.errors import ArgumentError, ArgumentTypeError, StatisticError
from shapwin.games import GAMES, game_of

LENGTHS = [1, 5, 63, 64, 65, 700]
STATISTICS = [*GAMES, "central_moment(4)"]


def column(length, seed=0):
    rng = np.random.default_rng(seed + length)
    return (
        rng.normal(size=length) * 10 + 1e6,
        rng.normal(size=length),
        rng.random((2, length)) < 0.4,
    )


def frames_of(length, count=150):
    rng = np.random.default_rng(length)
    return rng.integers(0, length + 1, (2, count))


def direct(statistic, y, x, member, begin, end):
    rows = slice(begin, max(begin, end))
    y, x, member, order = y[rows], x[rows], member[rows], game_of(statistic).order
    total, part = Summary.of(y, x, order=order), Summary.of(y[member], x[member], order=order)
    return closed_form(statistic, total, part)


def agrees(n, m, phi, want, bound=1e-12):
    assert (n, m) == (want.n, want.m)
    if not want.n:
        assert np.isnan(phi)
    else:
        scale = max(abs(want.value), abs(want.phi), abs(want.share), 1e-9)
        assert phi == pytest.approx(want.phi, abs=bound * scale)


@pytest.mark.parametrize("length", LENGTHS)
@pytest.mark.parametrize("statistic", STATISTICS)
def test_any_frame_of_rows(length, statistic):
    y, x, members = column(length)
    begin, end = frames_of(length)
    frames = Frames.of_rows(y, members, x, order=game_of(statistic).order)
    got = closed_form(statistic, *frames.answer(begin, end))
    for i in range(len(begin)):
        for group in range(2):
            want = direct(statistic, y, x, members[group], begin[i], end[i])
            agrees(got.n[i], got.m[group, i], got.phi[group, i], want)


@pytest.mark.parametrize("length", LENGTHS)
@pytest.mark.parametrize("statistic", ["avg", "var_pop", "covar_samp"])
def test_any_frame_of_panes(length, statistic):
    """Pane rows of 0 … 3 tuples each, several in a row for one time."""
    rng = np.random.default_rng(length)
    sizes = rng.integers(0, 4, length)
    starts = np.concatenate([[0], np.cumsum(sizes)])
    y, x, _ = column(int(starts[-1]))
    panes = [Summary.of(y[a:b], x[a:b]) for a, b in pairwise(starts)]
    fields = zip(*((p.m, p.a, p.b, p.center, p.a2, p.ab, p.center2) for p in panes), strict=True)
    items, members = Summary(*map(np.array, fields)), rng.random((2, length)) < 0.5
    begin, end = frames_of(length)
    got = closed_form(statistic, *Frames.of_summaries(items, members).answer(begin, end))
    cursor = FrameCursor(items, members[1], statistic)
    for i, (b, e) in enumerate(zip(begin, end, strict=True)):
        e = max(b, e)
        of_rows = np.repeat(members[1], sizes)
        want = direct(statistic, y, x, of_rows, starts[b], starts[e])
        agrees(got.n[i], got.m[1, i], got.phi[1, i], want)
        one = cursor.attribute(int(b), int(e))
        agrees(one.n, one.m, one.phi, want)


@pytest.mark.parametrize("length", [1, 5, 63, 500, 6000])
@pytest.mark.parametrize("statistic", STATISTICS)
def test_one_frame_after_another(length, statistic):
    y, x, members = column(length)
    rng, begin, end = random.Random(length), 0, 0
    cursor = FrameCursor(y, members[0], statistic, x)
    for _ in range(200):
        if rng.random() < 0.05:
            begin, end = sorted(rng.randrange(length + 1) for _ in range(2))
        end = min(length, end + rng.choice([0, 1, 1, 2, 5]))
        begin = min(end, begin + rng.choice([0, 0, 1, 2, 7]))
        got = cursor.attribute(begin, end)
        agrees(got.n, got.m, got.phi, direct(statistic, y, x, members[0], begin, end))


@pytest.mark.parametrize("statistic", ["avg", "var_pop"])
@pytest.mark.parametrize("length", [1, 2, 50, 64, 700])
def test_a_giant_leaves_no_trace_in_short_frames(length, statistic):
    y, _, members = column(3000)
    giant = np.where(np.arange(3000) == 1500, 1e17, y)
    with_it, without = (FrameCursor(values, members[0], statistic) for values in (giant, y))
    for begin in range(0, 3001 - length, 7):
        got, want = (c.attribute(begin, begin + length) for c in (with_it, without))
        if not begin <= 1500 < begin + length:
            assert got == want


def test_rows_that_are_no_players():
    """A run of them longer than the frame: each frame still has a centre of its own."""
    y, _, members = column(400)
    known = np.ones(400, dtype=bool)
    known[100:220] = False
    items = Summary.each(np.where(known, y, 0.0))
    items = Summary(known.astype(int), items.a, items.b, items.center)
    cursor = FrameCursor(items, members[0], "var_pop")
    for end in range(1, 401):
        rows = slice(max(0, end - 80), end)
        kept, p = known[rows], members[0][rows]
        got = cursor.attribute(rows.start, end)
        want = closed_form("var_pop", Summary.of(y[rows][kept]), Summary.of(y[rows][kept & p]))
        agrees(got.n, got.m, got.phi, want, 1e-13)


@pytest.mark.parametrize("statistic", STATISTICS)
@pytest.mark.parametrize("size", [1, 2, 3, 16, 63, 64, 65, 128, 200, 999, 5000])
def test_sizes_equal_frames(statistic, size):
    y, x, members = column(1000)
    end = np.arange(1, 1001)
    begin = np.maximum(end - size, 0)
    got = rolling(y, members[0], size=size, statistic=statistic, other=x)
    order = np.random.default_rng(1).permutation(1000)
    want = rolling(y, members[0], begin=begin[order], end=end[order], statistic=statistic, other=x)
    scale = max(1e-9, np.abs(want).max())
    assert np.abs(got[order] - want).max() <= 1e-12 * scale
    same = rolling(y, members[0], begin=begin, end=end, statistic=statistic, other=x)
    assert np.array_equal(got, same)


@pytest.mark.parametrize("length", [0, 1, 2, 63, 64, 65, 129])
@pytest.mark.parametrize("size", [1, 2, 64, 1000])
def test_short_columns(length, size):
    y, x, members = column(length)
    got = rolling(y, members[0], size=size, statistic="var_samp")
    assert got.shape == (length,)
    for i in range(length):
        want = direct("var_samp", y, x, members[0], max(0, i + 1 - size), i + 1)
        agrees(want.n, want.m, got[i], want)


def test_same_run_twice_same_bits():
    y, _, members = column(3000)
    runs = [rolling(y, members[0], size=500, statistic="var_pop") for _ in range(2)]
    assert np.array_equal(*runs)


def test_wrong_calls():
    y, p = [1.0, 2.0], [True, False]
    for arguments in ({}, {"size": 1, "begin": [0], "end": [1]}, {"begin": [0]}, {"end": [0]}):
        with pytest.raises(ArgumentError, match="either size, or begin and end"):
            rolling(y, p, **arguments)
    for size in (0, -1, 2.0, True, "2"):
        with pytest.raises(ArgumentError, match=f"size is {size!r}: give a whole number from 1"):
            rolling(y, p, size=size)
    for begin, end in (([0], [3]), ([-1], [1])):
        with pytest.raises(ArgumentError, match="reaches beyond the 2 rows"):
            rolling(y, p, begin=begin, end=end)
        with pytest.raises(ArgumentError, match="reaches beyond the 2 items"):
            FrameCursor(y, p, "avg").attribute(begin[0], end[0])
    for begin, end, message in [
        ([0.5], [1], "begin has type float64"),
        ([0], ["1"], "end has type <U1"),
        ([0], [None], "end has type object"),
        (0, 1, r"begin has type int64 and shape \(\)"),
        ([0], [1, 2], "begin has 1 entries but end has 2"),
        ([0, 0], 2, r"end has type int64 and shape \(\)"),
    ]:
        with pytest.raises(ArgumentError, match=message):
            rolling(y, p, begin=begin, end=end)
        with pytest.raises(ArgumentError, match=message):
            Frames.of_rows(y, p).answer(begin, end)
    with pytest.raises(ArgumentError, match="member has 1 entries but values has 2"):
        rolling(y, [True], size=1)
    with pytest.raises(ArgumentTypeError, match="one bool for each"):
        rolling(y, [1, 0], size=1)
    with pytest.raises(ArgumentError, match="several rows"):
        rolling(y, [p, p], size=1)
    with pytest.raises(ArgumentError, match="second column"):
        rolling(y, p, size=1, statistic="covar_pop")
    with pytest.raises(ArgumentError, match="second column"):
        FrameCursor(y, p, "covar_pop")
    with pytest.raises(StatisticError, match="Proposition 5"):
        rolling(y, p, size=1, statistic="median")
