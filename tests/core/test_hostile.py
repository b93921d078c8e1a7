"""Input that a careless caller gives: refused in words, or answered as if it were tidy."""

import warnings
from decimal import Decimal
from fractions import Fraction
from itertools import product

import numpy as np
import pytest

from shapwin import (
    Frames,
    MomentGame,
    Summary,
    Term,
    central_moment,
    closed_form,
    enumerate_shapley,
    harmonic,
    harmonic2,
    player_values,
    rolling,
    sample_shapley,
    tuple_values,
)
from shapwin.cursor import FrameCursor
from shapwin.errors import ArgumentError, ArgumentTypeError, ShapwinError
from shapwin.games import GAMES, game_of

MEMBER = [True, False]
TEXT = np.array(["1", "2"])
GAME = central_moment(3)

# Every way in that takes a column of numbers.
COLUMNS = {
    "of": Summary.of,
    "of, other": lambda y: Summary.of([1.0, 2.0], y),
    "each": Summary.each,
    "each, other": lambda y: Summary.each([1.0, 2.0], y),
    "tuple_values": lambda y: tuple_values("avg", y),
    "rolling": lambda y: rolling(y, MEMBER, size=2),
    "rolling, other": lambda y: rolling([1.0, 2.0], MEMBER, size=2, other=y),
    "frames": lambda y: Frames.of_rows(y, MEMBER),
    "cursor": lambda y: FrameCursor(y, MEMBER, "avg"),
    "enumerate": lambda y: enumerate_shapley("avg", y),
    "enumerate, fractions": lambda y: enumerate_shapley("avg", y, fractions=True),
    "sample": lambda y: sample_shapley("avg", y, permutations=2),
    "moment game": lambda y: GAME.sums(y),
}
NO_NUMBERS = {
    "missing": ([1.0, None], "holds None, which is no number: leave such rows out"),
    "texts": (["1", "2"], "has type <U1: give numbers"),
    "text": ("12", "give numbers"),
    "dates": (np.array(["2024", "2025"], dtype="M8[s]"), "has type datetime64"),
    "complex": ([1j, 2], "has type complex128"),
    "ragged": ([[1.0], [1.0, 2.0]], "different lengths"),
    "table": ([[1.0, 2.0]], "2 dimensions"),
    "number": (1.0, "0 dimensions"),
    "nothing": (None, "holds None"),
    "iterator": (iter([1.0, 2.0]), "which is no number"),
    "too large": ([10**400, 1], "beyond 1.8e308"),
    "masked": (np.ma.array([1.0, 2.0], mask=[0, 1]), "masked entries"),
}


@pytest.mark.parametrize(("way", "kind"), list(product(COLUMNS, NO_NUMBERS)))
def test_columns_of_anything_but_numbers(way, kind):
    if "other" in way and kind == "nothing":
        return  # no second column
    values, message = NO_NUMBERS[kind]
    argument = "other" if "other" in way else "values"
    with pytest.raises(ShapwinError, match=f"^{argument} .*{message}"):
        COLUMNS[way](iter([1.0, 2.0]) if kind == "iterator" else values)


@pytest.mark.parametrize(
    "values",
    [
        (2, 4),
        range(2, 5, 2),
        np.array([2, 4], dtype=np.int8),
        np.array([2, 4], dtype=np.float32),
        [Decimal(2), Decimal(4)],
        [Fraction(2), 4],
        np.array([2, 4.0], dtype=object),
    ],
    ids=repr,
)
@pytest.mark.parametrize("way", ["tuple_values", "rolling", "enumerate", "enumerate, fractions"])
def test_columns_of_any_numbers(way, values):
    want = [float(v) for v in COLUMNS[way]([2.0, 4.0])]
    assert [float(v) for v in COLUMNS[way](values)] == want


@pytest.mark.parametrize("order", [1, 0, -1, 2.0, "2", None, True])
def test_orders_and_sizes_are_whole_numbers(order):
    for way in (
        lambda: Summary.of([1.0], order=order),
        lambda: Summary.each([1.0], order=order),
        lambda: Summary.zero(order=order),
        lambda: Frames.of_rows([1.0], [True], order=order),
    ):
        with pytest.raises(ArgumentError, match=f"order is {order!r}: give a whole number from 2"):
            way()
    with pytest.raises(ArgumentError, match=f"q is {order!r}"):
        central_moment(order)
    for center in (np.nan, np.inf):
        with pytest.raises(ArgumentError, match=f"center is {center}: give a finite number"):
            Frames.of_rows([1.0], [True], center=center)
        with pytest.raises(ArgumentError, match=f"center is {center}: give a finite number"):
            Frames.of_summaries(Summary.each([1.0]), [True], center=center)
    for least_1 in (0, 1.5, "x", None, True):
        with pytest.raises(ArgumentError, match="block is"):
            Frames.of_rows([1.0], [True], block=least_1)
        with pytest.raises(ArgumentError, match="permutations is"):
            sample_shapley("avg", [1.0], permutations=least_1)
    with pytest.raises(ArgumentError, match="seed is -1"):
        sample_shapley("avg", [1.0], permutations=1, seed=-1)


@pytest.mark.parametrize("member", [[True, None], [1, 0], ["a", "b"], [0.0, 1.0], None])
def test_members_are_bool(member):
    for way in (
        lambda: rolling([1.0, 2.0], member, size=2),
        lambda: FrameCursor([1.0, 2.0], member, "avg"),
        lambda: Frames.of_rows([1.0, 2.0], member),
        lambda: Frames.of_summaries(Summary.each([1.0, 2.0]), member),
    ):
        with pytest.raises(ArgumentTypeError, match=r"^members? (holds|has type).*: "):
            way()


def test_bools_of_any_container():
    want = rolling([1.0, 2.0], MEMBER, size=2).tolist()
    for member in (tuple(MEMBER), np.array(MEMBER, dtype=object), np.array(MEMBER)):
        assert rolling([1.0, 2.0], member, size=2).tolist() == want
    with pytest.raises(ArgumentError, match="member has 3 dimensions"):
        rolling([1.0, 2.0], [[MEMBER]], size=2)
    with pytest.raises(ArgumentError, match="several rows"):
        FrameCursor([1.0, 2.0], [MEMBER, MEMBER], "avg")


def test_nothing_at_all():
    for statistic in [*GAMES, "central_moment(3)"]:
        assert tuple_values(statistic, [], []).shape == (0,)
        for window in ({"size": 3}, {"begin": [], "end": []}):
            assert rolling([], [], statistic=statistic, other=[], **window).shape == (0,)
    total, parts = Frames.of_rows([], []).answer([], [])
    assert total.m.shape == (0,)
    assert parts.m.shape == (1, 0)
    assert FrameCursor([], [], "avg").attribute(0, 0).n == 0


@pytest.mark.parametrize("statistic", ["avg", "var_pop", "covar_pop", "central_moment(3)"])
def test_a_size_beyond_the_column(statistic):
    y, x, member = [1.0, 2.0, 4.0], [3.0, 1.0, 1.0], [True, False, True]
    want = rolling(y, member, size=3, statistic=statistic, other=x).tolist()
    for size in (2**63, 10**30):
        assert rolling(y, member, size=size, statistic=statistic, other=x).tolist() == want


@pytest.mark.parametrize("of", [harmonic, harmonic2])
def test_harmonic_numbers_of_whole_numbers_only(of):
    for n in (-1, 2.5, -np.inf, [1, 2.5]):
        with pytest.raises(ArgumentError, match=r"^n is .*: give whole numbers from 0 on"):
            of(n)
    for n in ("5", None, 1j, [None]):
        with pytest.raises(ArgumentTypeError, match=r"^n h"):
            of(n)
    with pytest.raises(ArgumentError, match=r"beyond 1\.8e308"):
        of(10**400)
    assert of(np.array(3)) == of(3.0) == of(np.int8(3))
    assert of(np.inf) in (np.inf, pytest.approx(np.pi**2 / 6))


def test_summaries_made_and_moved_about_finite_centres():
    for center in (np.nan, np.inf, "1", [None]):
        for way in (
            lambda c=center: Summary.of([1.0], center=c),
            lambda c=center: Summary.of([1.0]).recentred(c),
            lambda c=center: Summary.of([1.0], [1.0], center2=c),
            lambda c=center: Summary.of([1.0], [1.0]).recentred(0.0, c),
        ):
            with pytest.raises(ShapwinError, match=r"^center2? "):
                way()


def test_what_a_summary_does_not_have():
    one = Summary.of([1.0, 3.0])
    with pytest.raises(ArgumentError, match="no second column"):
        _ = one.mean2
    with pytest.raises(ArgumentError, match="no elements to take"):
        one.take(0)
    with pytest.raises(ArgumentError, match="has 0 dimensions"):
        one.total()
    with pytest.raises(ArgumentError, match="has 2 dimensions"):
        Summary(*np.ones((4, 2, 2))).total()
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert np.isnan(Summary.each([np.inf, -np.inf]).total().a)


def test_arguments_that_are_no_summaries():
    one = Summary.of([1.0])
    for wrong in (None, [1.0], 3):
        for arguments in ((wrong, one), (one, wrong)):
            with pytest.raises(
                ArgumentTypeError, match=r"(total|part) is .*: make it with Summary"
            ):
                closed_form("avg", *arguments)
        with pytest.raises(ArgumentTypeError, match="items is"):
            Frames.of_summaries(wrong, [True])
        with pytest.raises(ArgumentTypeError, match="atom 1 is"):
            player_values("avg", {1: wrong}, ["a"])
    with pytest.raises(ArgumentError, match=r"total has shape \(3,\) but part has \(2,\)"):
        closed_form("avg", Summary.each([1.0, 2.0, 3.0]), Summary.each([1.0, 2.0]))


@pytest.mark.parametrize("statistic", [*GAMES, "central_moment(3)"])
def test_summaries_may_hold_more_than_the_game_reads(statistic):
    y, x = [2.0, 4.0, 10.0], [1.0, 3.0, 2.0]
    game = game_of(statistic)
    least = {"order": game.order, "other": x if game.columns == 2 else None}

    def of(rows, other, order):
        return Summary.of(y[rows], None if other is None else other[rows], order=order)

    whole, group = slice(None), slice(2, None)
    want = closed_form(statistic, *(of(rows, **least) for rows in (whole, group)))
    most = {"other": x, "order": 5}
    for total_kind, part_kind in ((most, least), (least, most), (most, most)):
        got = closed_form(statistic, of(whole, **total_kind), of(group, **part_kind))
        assert got == pytest.approx(want, nan_ok=True)


@pytest.mark.parametrize("statistic", [*GAMES, "central_moment(3)"])
def test_scalars_stay_scalars_and_arrays_can_be_written(statistic):
    y, x = [2.0, 4.0, 10.0], [1.0, 3.0, 2.0]
    total = Summary.of(y, x, order=3)
    cursor = FrameCursor(y, [False, False, True], statistic, x)
    for got in (closed_form(statistic, total, total), cursor.attribute(0, 3)):
        assert [type(field) for field in got] == [int, float, int, *[float] * 4]
    phi = tuple_values(statistic, y, x)
    phi[0] = 0.0


def test_more_taken_out_than_put_in_has_no_value():
    less = Summary.zero() - Summary.of([1.0])
    for statistic in ("sum", "count", "avg", "var_pop", "var_samp"):
        got = closed_form(statistic, less, Summary.zero())
        assert got.n == -1
        assert np.isnan([got.value, got.phi, got.share, got.lift, got.weight]).all()


# ---- games of one's own ----------------------------------------------------------------------


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: Term(1, len), "factors is 1: give a tuple"),
        (lambda: Term((1.5,), len), "power is 1.5: give a whole number from 0"),
        (lambda: Term((-1,), len), "power is -1"),
        (lambda: Term(("y",), len), "power is 'y'"),
        (lambda: Term(((1, 2, 3),), len), r"factor \(1, 2, 3\) has no two powers"),
        (lambda: Term((1,), 1.0), "coefficient is 1.0: give a function"),
        (lambda: MomentGame("g", ()), r"terms is \(\): give a tuple of at least one Term"),
        (lambda: MomentGame("g", None), "terms is None"),
        (lambda: MomentGame("g", ("x",)), "terms is"),
        (lambda: MomentGame("g", Term((1,), len)), "terms is"),
    ],
)
def test_games_that_are_none(make, message):
    with pytest.raises(ShapwinError, match=message):
        make()


@pytest.mark.parametrize(
    ("g", "message"),
    [
        (lambda s: 1 / (s - 1), r"not finite for \|S\| = 1: give a number for every size"),
        (lambda s: 1 if s > 2 else 0, "takes no array of sizes"),
        (lambda s: "x", "takes no array of sizes"),
        (lambda s: [1, 2], "takes no array of sizes"),
    ],
)
def test_coefficients_that_are_none(g, message):
    game = MomentGame("g", [Term([1], g)])
    with pytest.raises(ShapwinError, match=message):
        game.coefficients(game.sums([1.0, 2.0, 4.0]))


def test_power_sums_that_do_not_fit():
    sums = GAME.sums([1.0, 2.0])
    for total in ({}, {(0, 0): 2.0}):
        with pytest.raises(ArgumentError, match="total lacks the power sum"):
            GAME.phi(total, sums)
        with pytest.raises(ArgumentError, match="total lacks the power sum"):
            GAME.value(total)
        with pytest.raises(ArgumentError, match="part lacks the power sum"):
            GAME.phi(sums, total)
    for count in (2.5, np.nan):
        with pytest.raises(ArgumentError, match="give a whole number"):
            GAME.phi({**sums, (0, 0): count}, sums)
    with pytest.raises(ArgumentError, match="a summary of order 2 lacks"):
        GAME.sums_of(Summary.of([1.0]))
    two = MomentGame("two", (Term(((1, 1),), lambda s: 1 / s),))
    with pytest.raises(ArgumentError, match="lacks"):
        two.sums_of(Summary.of([1.0], [2.0]))


def test_the_empty_coalition_is_worth_nothing():
    counts = MomentGame("count", (Term((), lambda s: s),))
    assert counts.value(counts.sums([])) == 0
    assert counts.value({(0, 0): np.array([0, 2])}).tolist() == [0, 2]


def test_many_factors_are_written_out_fast_and_right():
    """Equal set partitions are one: M_1^9 has 30 kinds of them, not 21147."""
    y = [0.5, -1.0, 2.0, 1.5]
    game = MomentGame("ninth", (Term((1,) * 9, lambda s: 1 / s), Term((2, 1, 1, 2), lambda s: s)))
    exact = [float(phi) for phi in enumerate_shapley(game, y, fractions=True)]
    assert game.phi(game.sums(y), game.each(y)) == pytest.approx(exact, rel=1e-9)
    exact = enumerate_shapley(
        lambda ys: sum(ys) ** 9 / len(ys) + len(ys) * sum(ys) ** 2 * sum(v * v for v in ys) ** 2, y
    )
    assert game.phi(game.sums(y), game.each(y)) == pytest.approx(exact, rel=1e-9)


# ---- the slow oracles ------------------------------------------------------------------------


def test_enumeration_of_what_is_no_game():
    for game in (None, 3, ["avg"]):
        with pytest.raises(ArgumentTypeError, match="game is"):
            enumerate_shapley(game, [1.0])
    with pytest.raises(ArgumentError, match="needs a second column: give other="):
        enumerate_shapley("covar_pop", [1.0, 2.0])
    for odd in (np.nan, np.inf):
        with pytest.raises(ArgumentError, match="no rationals"):
            enumerate_shapley("avg", [1.0, odd], fractions=True)


def test_statistics_of_one_column_ignore_the_other():
    for statistic in ("avg", "central_moment(5)"):
        want = enumerate_shapley(statistic, [1, 2, 4])
        assert enumerate_shapley(statistic, [1, 2, 4], [2, 3, 3]) == want


def test_samples_of_odd_values_warn_of_nothing():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert not np.isfinite(sample_shapley("avg", [np.inf, 1.0], permutations=3).phi).any()


# ---- predicates as players -------------------------------------------------------------------


def test_atoms_that_do_not_fit():
    one = Summary.of([1.0])
    for atoms, message in [
        (None, "atoms is None"),
        ([one], "atoms is"),
        ({"a": one}, "atom 'a' is no signature"),
        ({1.5: one}, "atom 1.5 is no signature"),
        ({True: one}, "atom True is no signature"),
        ({1: Summary.each([1.0, 2.0])}, r"atom 1 has shape \(2,\)"),
        ({1: one, 2: Summary.of([1.0], [1.0])}, "different kinds"),
        ({1: one, 2: Summary.of([1.0], order=3)}, "different kinds"),
    ]:
        with pytest.raises(ShapwinError, match=message):
            player_values("avg", atoms, ["a", "b"])
    with pytest.raises(ArgumentError, match="is that of the uncovered tuples"):
        player_values("avg", {1: one}, ["(other)"])


def test_atoms_without_tuples_are_an_empty_window():
    for atoms in ({}, {1: Summary.zero()}, {0: Summary.zero(), 2: Summary.zero()}):
        for uncovered in ("player", "remainder"):
            got = player_values("avg", atoms, ["a", "b"], uncovered=uncovered)
            assert np.isnan(got.value)
            assert not got.shapley.any()


@pytest.mark.parametrize("statistic", ["covar_pop", "covar_samp", "central_moment(3)"])
def test_players_of_every_game(statistic):
    """The rest of the table, against ν of all coalitions in rationals."""
    rows = [
        (1, 2.0, 1.0),
        (1, -1.0, 3.0),
        (3, 4.0, 0.5),
        (2, 8.0, -2.0),
        (0, 1.0, 5.0),
        (2, 3.0, 3.0),
    ]
    atoms = {
        s: Summary.of(*np.array([row[1:] for row in rows if row[0] == s]).T, order=3)
        for s in range(4)
    }
    got = player_values(statistic, atoms, ["a", "b"])

    def nu(coalition):
        held = [r for r in rows if r[0] & coalition & 3 or (not r[0] and coalition & 4)]
        y, x = ([Fraction(r[k]) for r in held] for k in (1, 2))
        if not held:
            return Fraction(0)
        d, e = ([v - sum(c) / len(c) for v in c] for c in (y, x))
        if statistic == "central_moment(3)":
            return sum(v**3 for v in d)
        divisor = len(held) if statistic == "covar_pop" else max(len(held) - 1, 1)
        return sum(p * q for p, q in zip(d, e, strict=True)) / divisor

    for i in range(3):
        others = [c for c in range(8) if not c >> i & 1]
        weight = {0: Fraction(1, 3), 1: Fraction(1, 6), 2: Fraction(1, 3)}
        phi = sum(weight[c.bit_count()] * (nu(c | 1 << i) - nu(c)) for c in others)
        assert got.shapley[i] == pytest.approx(float(phi), rel=1e-12, abs=1e-12)
