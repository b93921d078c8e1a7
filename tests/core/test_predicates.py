import numpy as np
import pytest

from shapwin import Frames, Query, Summary, closed_form
from shapwin.errors import ArgumentError, ArgumentTypeError, PredicateError, QueryError
from shapwin.predicates import atom_label, pack, predicate_names, signature_of, unpack

NAMES = ("airport", "long", "night", "from a`b", "OR")


@pytest.mark.parametrize("count", [1, 2, 63, 64])
def test_pack_and_unpack(count):
    rng = np.random.default_rng(count)
    satisfied = rng.random((count, 50)) < 0.5
    signatures = pack(satisfied)
    assert signatures.dtype == np.int64
    assert np.array_equal(unpack(signatures, count), satisfied)
    names = [f"p{k}" for k in range(count)]
    for i in (0, 17):
        held = [name for name, s in zip(names, satisfied[:, i], strict=True) if s]
        assert signature_of(held, names) == signatures[i]
        assert signature_of(int(signatures[i]), names) == signatures[i]
        assert atom_label(int(signatures[i]), names) == (" AND ".join(held) or "(none)")


def test_the_last_of_64_is_the_sign():
    flags = np.zeros((64, 1), dtype=bool)
    flags[63] = True
    assert pack(flags).tolist() == [-(2**63)]
    assert signature_of(2**63, [f"p{k}" for k in range(64)]) == -(2**63)


@pytest.mark.parametrize(
    ("text", "python"),
    [
        ("airport", "a"),
        ("airport AND long", "a and b"),
        ("airport and not Long", "a and not b"),
        ("airport OR long AND night", "a or b and c"),
        ("(airport OR long) AND night", "(a or b) and c"),
        ("NOT airport OR long", "(not a) or b"),
        ("NOT (airport OR long) AND NOT NOT night", "not (a or b) and c"),
        ("`from a``b` AND `OR`", "d and e"),
        ("not`OR`or(airport)", "(not e) or a"),
    ],
)
def test_queries(text, python):
    signatures = np.arange(32)
    query = Query.parse(text, NAMES)
    want = [bool(eval(python, dict(zip("abcde", unpack(s, 5), strict=True)))) for s in signatures]
    assert query.over_atoms(signatures).tolist() == want
    assert query.over(unpack(signatures, 5)).tolist() == want
    assert bool(query.over_atoms(3)) == want[3]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "at its end"),
        ("airport AND", "at its end"),
        ("airport long", "at 'long'"),
        ("(airport", "without its"),
        ("airport)", r"at '\)'"),
        ("airport = 1", "at '= 1'"),
        ("airport OR taxi", "'taxi', which is no predicate: registered are airport, long"),
        ("`airport", "at '`airport'"),
        ("airport; DROP TABLE x", "does not parse"),
        ("(" * 500 + "airport" + ")" * 500, "nests more than"),
        (None, "is no text"),
    ],
)
def test_queries_that_do_not_parse(text, message):
    with pytest.raises(QueryError, match=message):
        Query.parse(text, NAMES)


@pytest.mark.parametrize(
    ("names", "message"),
    [
        ([], "at least 1"),
        ([f"p{k}" for k in range(65)], "at most 64"),
        (["a", "A"], "used twice"),
        (["a", " "], "not blank"),
        ([1], "not blank"),
        ("abc", "give a list"),
        (None, "give a list"),
        (5, "give a list"),
    ],
)
def test_names_that_do_not_work(names, message):
    with pytest.raises(PredicateError, match=message):
        predicate_names(names)


def test_signatures_that_do_not_work():
    with pytest.raises(PredicateError, match="beyond the 2"):
        signature_of(4, ["a", "b"])
    with pytest.raises(PredicateError, match="beyond"):
        signature_of(-1, ["a", "b"])
    with pytest.raises(PredicateError, match="'c' is no predicate"):
        signature_of(["c"], ["a", "b"])
    with pytest.raises(PredicateError, match="at most 64"):
        pack(np.zeros((65, 1), dtype=bool))
    with pytest.raises(ArgumentTypeError, match="satisfied has type int64: give one bool"):
        pack([[0, 1]])
    with pytest.raises(ArgumentTypeError, match="satisfied is True: give one row"):
        pack(True)
    for nothing in (None, 1.5, float("nan")):
        with pytest.raises(ArgumentTypeError, match="give the names of predicates"):
            signature_of(nothing, ["a", "b"])
    query = Query.parse("a OR NOT b", ["a", "b"])
    for wrong in (1.0, [1.5], "x", None, [True]):
        with pytest.raises(ArgumentTypeError, match="signatures has type"):
            query.over_atoms(wrong)
    for beyond in (4, [0, -1], np.uint64(2**63)):
        with pytest.raises(PredicateError, match="beyond the 2 registered predicates: give one"):
            query.over_atoms(beyond)
    with pytest.raises(ArgumentTypeError, match="give one bool"):
        query.over([1, 0])
    for rows in ([True], True, [[True, False]]):
        with pytest.raises(ArgumentError, match="one row for each of the 2 predicates"):
            query.over(rows)
    with pytest.raises(ArgumentError, match="count is 65"):
        unpack([1], 65)


def test_names_match_in_any_case_wherever_they_are_given():
    names = ["Airport", "long trip"]
    assert signature_of(["AIRPORT", "Long Trip"], names) == 3
    assert Query.parse("airport AND `LONG TRIP`", names).over_atoms(3) is True
    assert predicate_names(np.array(["a", "b"])) == ("a", "b")
    assert type(predicate_names(np.array(["a"]))[0]) is str
    for unfit in (["a", "A"], [1], [], None, "a"):
        with pytest.raises(PredicateError):
            Query.parse("a", unfit)


def test_a_signature_on_its_own_and_unsigned():
    query = Query.parse("p63 AND NOT p0", [f"p{k}" for k in range(64)])
    assert query.over_atoms(-(2**63)) is True
    assert query.over_atoms(2**63) is True
    assert query.over_atoms(np.array([2**63, 2**63 + 1], dtype=np.uint64)).tolist() == [True, False]
    assert query.over_atoms([]).shape == (0,)


@pytest.mark.parametrize("name", ["avg", "var_pop", "var_samp"])
def test_inclusion_and_exclusion_agree(name):
    rng = np.random.default_rng(8)
    y = rng.normal(size=200)
    signatures = pack(rng.random((3, 200)) < [[0.3], [0.5], [0.2]])
    names = ("a", "b", "c")

    def phi(text):
        member = Query.parse(text, names).over_atoms(signatures)
        return closed_form(name, Summary.of(y), Summary.of(y[member])).phi

    value = closed_form(name, Summary.of(y), Summary.of(y)).value
    for got, want in [
        (phi("NOT a"), value - phi("a")),
        (phi("a AND NOT b"), phi("a") - phi("a AND b")),
        (phi("a OR b"), phi("a") + phi("b") - phi("a AND b")),
        (
            phi("a OR b OR c"),
            phi("a")
            + phi("b")
            + phi("c")
            - phi("a AND b")
            - phi("a AND c")
            - phi("b AND c")
            + phi("a AND b AND c"),
        ),
        (phi("a OR NOT a"), value),
        (phi("a AND NOT a"), 0),
    ]:
        assert got == pytest.approx(want, abs=1e-12)
    kinds = np.unique(signatures)
    total, atoms = Frames.of_rows(y, signatures == kinds[:, None]).answer([0], [200])
    assert closed_form(name, total, atoms).phi.sum() == pytest.approx(value, abs=1e-12)
