import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from shapwin import Summary
from shapwin.errors import ArgumentError
from shapwin.summary import each_field, merge_stacks, stack_total

numbers = st.floats(-1e6, 1e6, allow_nan=False).map(lambda v: round(v, 3))
columns = st.lists(numbers, max_size=12)
steady = settings(max_examples=60, deadline=None, derandomize=True)


def about(summary, center=0.0):
    moved = summary.recentred(center, center if summary.two_columns else None)
    pair = (moved.a2, moved.ab) if moved.two_columns else ()
    return np.array([moved.m, moved.a, moved.b, *pair, *moved.higher], dtype=np.float64)


def same(left, right, rel=1e-12):
    """Equal about a common centre, relative to the sum of absolute powers."""
    scale = np.maximum(np.abs(about(left)), np.abs(about(right)))
    size = float(max(left.m, 1)) * (1 + abs(np.max(scale)) ** (1 / left.order)) ** left.order
    return np.allclose(about(left), about(right), rtol=rel, atol=rel * size)


@steady
@given(columns, columns, columns)
def test_disjoint_sets_add_in_any_order_and_grouping(x, y, z):
    of = [Summary.of(part, order=4) for part in (x, y, z)]
    whole = Summary.of(x + y + z, order=4)
    assert same(of[0] + of[1] + of[2], whole)
    assert same(of[0] + (of[1] + of[2]), whole)
    assert same(of[2] + of[0] + of[1], whole)


@steady
@given(columns)
def test_zero_is_neutral_to_the_bit(x):
    s = Summary.of(x)
    zero = Summary.zero()
    for left, right in ((s, zero), (zero, s)):
        if x:
            assert left + right == s
    assert (s - s).b == 0
    assert (s - s).m == 0


@steady
@given(st.lists(st.tuples(numbers, numbers), min_size=1, max_size=12), st.integers(0, 12))
def test_two_columns_merge(pairs, cut):
    y, x = np.array(pairs).T
    cut = min(cut, len(y))
    parts = Summary.of(y[:cut], x[:cut]) + Summary.of(y[cut:], x[cut:])
    whole = Summary.of(y, x)
    scale = (1 + np.abs(y).max()) * (1 + np.abs(x).max()) * len(y)
    assert about(parts) == pytest.approx(about(whole), rel=1e-12, abs=1e-12 * scale)


def test_minus_takes_a_part_out():
    whole, part = Summary.of([1.0, 2.0, 4.0]), Summary.of([4.0])
    left = whole - part
    assert (left.m, left.mean) == (2, 1.5)
    assert left.recentred(left.mean).b == pytest.approx(0.5)


@pytest.mark.parametrize("c", [0.1, 1e9 + 0.3, -7e15])
@pytest.mark.parametrize("n", [1, 3, 64, 1000])
def test_constants_have_no_spread(c, n):
    s = Summary.of(np.full(n, c))
    assert (s.center, s.a, s.b) == (c, 0, 0)
    merged = Summary.each(np.full(n, c)).total()
    assert (merged.m, merged.center, merged.b) == (n, c, 0)
    assert (s + s).b == 0


def test_total_merges_all_elements_whatever_their_order():
    rng = np.random.default_rng(3)
    y = rng.normal(size=500) + np.repeat([0, 1e9], 250)
    whole = Summary.of(y)
    for order in (np.arange(500), rng.permutation(500)):
        merged = Summary.each(y[order]).total()
        assert merged.m == 500
        assert merged.recentred(whole.center).b == pytest.approx(whole.b, rel=1e-14)


def test_total_of_nothing_is_zero():
    empty = Summary.each([]).total()
    assert (empty.m, empty.a, empty.b) == (0, 0, 0)


def test_stacks_share_the_centre_of_the_whole():
    zeros, left_b, right_b = np.zeros((2, 1)), np.array([[1.0], [1.0]]), np.array([[1.0], [0.0]])
    left = Summary(np.array([[2.0], [1.0]]), zeros, left_b, np.array([0.0]))
    right = Summary(np.array([[2.0], [0.0]]), zeros, right_b, np.array([4.0]))
    merged = merge_stacks(left, right)
    assert merged.center.tolist() == [2.0]
    assert merged.b.tolist() == [[18.0], [5.0]]
    both = each_field(lambda *f: np.concatenate(f, axis=-1), left, right)
    assert stack_total(both).b.tolist() == [[18.0], [5.0]]


def test_odd_values_stay_in_the_sums_and_the_centre_stays_finite():
    for odd in (np.nan, np.inf, -np.inf):
        s = Summary.of([1.0, odd, 3.0])
        assert np.isfinite(s.center)
        assert not np.isfinite(s.a)
        merged = Summary.of([1.0]) + s
        assert np.isfinite(merged.center)


def test_wrong_calls_say_what_to_do():
    with pytest.raises(ArgumentError, match="one-dimensional"):
        Summary.of([[1.0]])
    with pytest.raises(ArgumentError, match="other has 1 values but values has 2"):
        Summary.of([1.0, 2.0], [1.0])
    with pytest.raises(ArgumentError, match="same order and columns"):
        Summary.of([1.0]) + Summary.of([1.0], order=3)
    with pytest.raises(TypeError):
        Summary.of([1.0]) + 1
