"""Named predicates, the signatures they give tuples, and Boolean queries over them.

A signature packs which of the K registered predicates a tuple satisfies into one integer: bit k
is the k-th predicate. The tuples with one signature form an atom, atoms partition the window, and
every Boolean query is a set of atoms.
"""

from __future__ import annotations

import re
from collections import deque
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from .arguments import flags, whole_number
from .errors import ArgumentError, ArgumentTypeError, PredicateError, QueryError
from .summary import plain

BoolArray = NDArray[np.bool_]
SignatureArray = NDArray[np.int64]

MAX_PREDICATES = 64
_MAX_DEPTH = 100
_ALL_BITS = 2**64 - 1

_KEYWORDS = ("AND", "OR", "NOT")
_TOKEN = re.compile(r"\s*(?:`(?P<quoted>(?:[^`]|``)+)`|(?P<word>\w+)|(?P<sign>[()]))")


def predicate_names(names: Iterable[str]) -> tuple[str, ...]:
    """Return the names as a tuple once they are fit to register.

    Parameters
    ----------
    names : iterable of str
        At most 64, each different and not blank. Any other character is allowed; a query
        writes names that are no plain words in backticks.

    Raises
    ------
    PredicateError
        If there are none or too many, or a name is no text, blank, or used twice.

    Examples
    --------
    >>> predicate_names(["airport", "long trip"])
    ('airport', 'long trip')
    """
    if isinstance(names, str) or not isinstance(names, Iterable):
        raise PredicateError(f"predicates is {names!r}: give a list of names")
    listed = tuple(names)
    if not 1 <= len(listed) <= MAX_PREDICATES:
        raise PredicateError(
            f"{len(listed)} predicates given: register at least 1 and at most {MAX_PREDICATES}"
        )
    seen: dict[str, str] = {}
    for name in listed:
        if not isinstance(name, str) or not name.strip():
            raise PredicateError(f"{name!r} cannot name a predicate: use a text that is not blank")
        if name.lower() in seen:
            raise PredicateError(
                f"predicate name {name!r} is used twice (case does not count): rename one"
            )
        seen[name.lower()] = name
    return tuple(map(str, listed))


def pack(satisfied: ArrayLike) -> Any:
    """Return the signature of every tuple.

    Parameters
    ----------
    satisfied : array of bool, shape (K, …)
        ``satisfied[k]`` tells which tuples satisfy predicate k; K <= 64.

    Returns
    -------
    ndarray of int64, shape (…)
        Bit k is predicate k; at K = 64 the last predicate is the sign bit.

    Raises
    ------
    PredicateError
        If there are more than 64 predicates.
    ArgumentTypeError
        If `satisfied` is not Boolean.

    Examples
    --------
    >>> pack([[True, False], [True, True]]).tolist()
    [3, 2]
    """
    rows = flags("satisfied", satisfied)
    if rows.ndim == 0:
        raise ArgumentTypeError(f"satisfied is {satisfied!r}: give one row of bool a predicate")
    if len(rows) > MAX_PREDICATES:
        raise PredicateError(f"{len(rows)} predicates given: at most {MAX_PREDICATES} fit")
    signature = np.zeros(rows.shape[1:], dtype=np.uint64)
    for k, row in enumerate(rows):
        signature |= row.astype(np.uint64) << np.uint64(k)
    return signature.view(np.int64)


def unpack(signatures: ArrayLike, count: int) -> BoolArray:
    """Return which predicates each signature holds: the inverse of `pack`.

    Parameters
    ----------
    signatures : array of int64, shape (…)
    count : int
        K, the number of predicates.

    Returns
    -------
    ndarray of bool, shape (K, …)

    Raises
    ------
    PredicateError
        If a bit stands for no predicate.
    ArgumentTypeError
        If there is anything but whole numbers.

    Examples
    --------
    >>> unpack([3, 2], 2).tolist()
    [[True, False], [True, True]]
    """
    count = whole_number("count", count, 0, MAX_PREDICATES)
    given = np.asarray(signatures)
    if given.dtype.kind not in "iu" and given.size:
        raise ArgumentTypeError(f"signatures has type {given.dtype}: give whole numbers of 64 bits")
    bits = np.atleast_1d(given).astype(np.int64).view(np.uint64)
    beyond = bits > np.uint64((1 << count) - 1)
    if beyond.any():
        raise _beyond(np.atleast_1d(given)[beyond][0], count)
    rows = np.empty((count, *bits.shape), dtype=np.bool_)
    for k in range(count):
        rows[k] = (bits >> np.uint64(k)) & np.uint64(1)
    return rows.reshape(count, *given.shape)


def signature_of(satisfied: int | Iterable[str], names: Sequence[str]) -> int:
    """Return one tuple's signature from the names it satisfies, or check a given one.

    Parameters
    ----------
    satisfied : int or iterable of str
        The integer signature, negative or not at K = 64; or the names, which match exactly, else
        in any case, as in a query.
    names : sequence of str
        The registered predicates.

    Returns
    -------
    int
        The int64 bit pattern.

    Raises
    ------
    PredicateError
        If a name is not registered, or a bit stands for no predicate.
    ArgumentTypeError
        If `satisfied` is neither.

    Examples
    --------
    >>> signature_of(["long"], ["airport", "long"])
    2
    """
    if isinstance(satisfied, str):
        satisfied = (satisfied,)
    if isinstance(satisfied, int | np.integer | np.bool_):
        bits = int(satisfied) & _ALL_BITS
        if not -(2**63) <= int(satisfied) <= _ALL_BITS or bits >> len(names):
            raise _beyond(satisfied, len(names))
        return _signed(bits)
    if not isinstance(satisfied, Iterable):
        raise ArgumentTypeError(
            f"satisfied is {satisfied!r}: give the names of predicates, or a signature"
        )
    bits = 0
    for name in satisfied:
        bits |= 1 << _place(name, names)
    return _signed(bits)


def _beyond(signature: Any, count: int) -> PredicateError:
    return PredicateError(
        f"signature {signature} has a bit beyond the {count} registered predicates: "
        f"give one from 0 to {(1 << count) - 1}"
    )


def _place(name: Any, names: Sequence[str]) -> int:
    """Which predicate has this name: exactly, else in any case."""
    if name in names:
        return names.index(name)
    for k, registered in enumerate(names):
        if isinstance(name, str) and registered.lower() == name.lower():
            return k
    raise PredicateError(f"{name!r} is no predicate: registered are {', '.join(names)}")


def atom_label(signature: int, names: Sequence[str]) -> str:
    """Return an atom's name: its satisfied predicates joined by AND, or ``(none)``.

    A name that could be taken for one of these stands in backticks, so that no two atoms share
    a label.

    Examples
    --------
    >>> atom_label(3, ["airport", "long", "night"])
    'airport AND long'
    >>> atom_label(1, ["long AND night"])
    '`long AND night`'
    """
    held = [name for k, name in enumerate(names) if (signature & _ALL_BITS) >> k & 1]
    return " AND ".join(map(_in_label, held)) or "(none)"


def _in_label(name: str) -> str:
    if " AND " in name or name == "(none)" or "`" in name:
        return "`" + name.replace("`", "``") + "`"
    return name


def _signed(bits: int) -> int:
    return bits - 2**64 if bits >> 63 else bits


class _Token(NamedTuple):
    kind: str
    text: str
    at: int


@dataclass(frozen=True, slots=True)
class Query:
    """A Boolean combination of registered predicates: a set of atoms.

    Make one with `parse`. Operators by precedence: NOT, AND, OR; parentheses group; keywords in
    any case. A name is a word, or any text in backticks (a backtick inside is doubled).

    Parameters
    ----------
    text : str
        What was parsed.
    count : int
        K, how many predicates are registered.
    steps : tuple
        The query in postfix order: predicate numbers and the operators "AND", "OR", "NOT".

    Examples
    --------
    >>> query = Query.parse("airport AND NOT (long OR night)", ["airport", "long", "night"])
    >>> query.over_atoms([1, 3, 0]).tolist()
    [True, False, False]
    """

    text: str
    count: int
    steps: tuple[int | str, ...]

    @classmethod
    def parse(cls, text: str, names: Sequence[str]) -> Query:
        """Read a query over these predicate names.

        Parameters
        ----------
        text : str
            Such as ``"airport AND NOT long"``. Names match exactly, else in any case.
        names : sequence of str
            The registered predicates, in order.

        Raises
        ------
        QueryError
            If the text does not parse, or names no registered predicate.
        PredicateError
            If `names` are not fit to register.
        """
        names = predicate_names(names)
        if not isinstance(text, str):
            raise QueryError(f"query {text!r} is no text: write names with AND, OR, NOT")
        return cls(text, len(names), _Parser(text, names).steps())

    def over(self, satisfied: Any) -> Any:
        """Answer the query for tuples with known predicates.

        Parameters
        ----------
        satisfied : array of bool, shape (K, …)

        Returns
        -------
        bool or ndarray of bool, shape (…)

        Raises
        ------
        ArgumentError
            If there are not K rows.
        ArgumentTypeError
            If they are not Boolean.
        """
        rows = flags("satisfied", satisfied)
        if rows.ndim == 0 or len(rows) != self.count:
            raise ArgumentError(
                f"satisfied has shape {rows.shape}: give one row for each of the {self.count} "
                "predicates"
            )
        stack: list[Any] = []
        for step in self.steps:
            if step == "NOT":
                stack.append(np.logical_not(stack.pop()))
            elif step == "AND":
                stack.append(np.logical_and(stack.pop(), stack.pop()))
            elif step == "OR":
                stack.append(np.logical_or(stack.pop(), stack.pop()))
            else:
                stack.append(rows[int(step)])
        return plain(stack[0])

    def over_atoms(self, signatures: ArrayLike) -> Any:
        """Tell which of these signatures satisfy the query.

        Parameters
        ----------
        signatures : array of int64, shape (…)

        Returns
        -------
        bool or ndarray of bool, shape (…)

        Raises
        ------
        PredicateError
            If a bit stands for no predicate.
        """
        return self.over(unpack(signatures, self.count))

    def holds(self, signature: int) -> bool:
        """Tell whether one signature, as `signature_of` gives it, satisfies the query.

        Plain Python: for a single one, the way to NumPy and back takes a hundred times longer.

        Examples
        --------
        >>> Query.parse("airport AND NOT long", ["airport", "long"]).holds(1)
        True
        """
        stack: list[bool] = []
        for step in self.steps:
            if step == "NOT":
                stack[-1] = not stack[-1]
            elif step in ("AND", "OR"):
                right = stack.pop()
                stack[-1] = stack[-1] and right if step == "AND" else stack[-1] or right
            else:
                stack.append(bool(signature >> int(step) & 1))
        return stack[0]


class _Parser:
    """Recursive descent over the grammar OR < AND < NOT < name; emits postfix steps."""

    def __init__(self, text: str, names: Sequence[str]) -> None:
        self.text = text
        self.names = {name: k for k, name in enumerate(names)}
        self.any_case = {name.lower(): k for k, name in enumerate(names)}
        self.tokens = self._tokens()
        self.out: list[int | str] = []
        self.depth = 0

    def steps(self) -> tuple[int | str, ...]:
        self._either()
        if self.tokens:
            self._fail(self.tokens[0])
        return tuple(self.out)

    def _tokens(self) -> deque[_Token]:
        tokens: deque[_Token] = deque()
        at = 0
        end = len(self.text.rstrip())
        while at < end:
            match = _TOKEN.match(self.text, at)
            if match is None:
                raise QueryError(
                    f"query {self.text!r} does not parse at {self.text[at:].strip()!r}: write "
                    "predicate names with AND, OR, NOT and parentheses, other names in backticks"
                )
            kind = str(match.lastgroup)
            word = match[kind]
            if kind == "word" and word.upper() in _KEYWORDS:
                kind, word = "keyword", word.upper()
            tokens.append(_Token(kind, word.replace("``", "`"), at))
            at = match.end()
        return tokens

    def _either(self) -> None:
        self._both()
        while self._next_is("keyword", "OR"):
            self.tokens.popleft()
            self._both()
            self.out.append("OR")

    def _both(self) -> None:
        self._term()
        while self._next_is("keyword", "AND"):
            self.tokens.popleft()
            self._term()
            self.out.append("AND")

    def _next_is(self, kind: str, text: str) -> bool:
        return bool(self.tokens) and self.tokens[0][:2] == (kind, text)

    def _term(self) -> None:
        self.depth += 1
        if not self.tokens or self.depth > _MAX_DEPTH:
            self._fail(None)
        token = self.tokens.popleft()
        if token[:2] == ("keyword", "NOT"):
            self._term()
            self.out.append("NOT")
        elif token[:2] == ("sign", "("):
            self._either()
            if not self._next_is("sign", ")"):
                raise QueryError(f"query {self.text!r} has a '(' without its ')': close it")
            self.tokens.popleft()
        elif token.kind in ("word", "quoted"):
            self.out.append(self._predicate(token.text))
        else:
            self._fail(token)
        self.depth -= 1

    def _predicate(self, name: str) -> int:
        k = self.names.get(name, self.any_case.get(name.lower()))
        if k is None:
            raise QueryError(
                f"query {self.text!r} uses {name!r}, which is no predicate: "
                f"registered are {', '.join(self.names)}"
            )
        return k

    def _fail(self, token: _Token | None) -> None:
        if self.depth > _MAX_DEPTH:
            raise QueryError(f"query nests more than {_MAX_DEPTH} levels: write it flatter")
        where = "its end" if token is None else repr(self.text[token.at :].strip())
        raise QueryError(
            f"query {self.text!r} does not parse at {where}: write names with AND, OR, NOT "
            "and parentheses, such as 'airport AND NOT (long OR night)'"
        )
