"""The SQL functions of ``sql/functions``, read, inlined into each other and created.

Files whose name begins with an underscore are parts that only other files use. Every public
function is created with those parts inlined, so that it stands alone, also in a plain Spark.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from importlib.resources import files
from importlib.resources.abc import Traversable
from pathlib import Path

from .splits import MOMENT_SPLITS, SPLITS, WHOLE_WINDOW

_STATEMENT = re.compile(
    r"CREATE OR REPLACE TEMPORARY FUNCTION (?P<name>\w+)\((?P<parameters>.*)\)\s*"
    r"RETURNS (?P<returns>\w+)\s+COMMENT '(?P<comment>[^']*)'\s+RETURN (?P<body>.*);\s*",
    re.DOTALL,
)
# A name: not the suffix of a literal such as 2D, not the field of a struct such as t.n.
_WORD = re.compile(r"(?<![\w.])[A-Za-z_]\w*")


@dataclass(frozen=True, slots=True)
class SqlFunction:
    """One file of ``sql/functions``.

    Parameters
    ----------
    name : str
        The function's name, which is the file's.
    parameters : tuple of str
        The parameters' names, in order.
    signature : str
        The parameters as the file declares them, with types and defaults.
    comment : str
        What it is, in one sentence.
    body : str
        The expression it returns.
    """

    name: str
    parameters: tuple[str, ...]
    signature: str
    comment: str
    body: str

    @property
    def is_public(self) -> bool:
        """Whether users call it; the others are parts."""
        return not self.name.startswith("_")


def sql_directory() -> Traversable:
    """Return the folder ``sql``: inside the installed package, or beside it in a checkout."""
    installed = files("shapwin") / "sql"
    return installed if installed.is_dir() else Path(__file__).parents[2] / "sql"


def load() -> dict[str, SqlFunction]:
    """Read every file of ``sql/functions``, by name."""
    folder = sql_directory() / "functions"
    texts = sorted(
        (f.name, f.read_text("utf-8")) for f in folder.iterdir() if f.name[-4:] == ".sql"
    )
    return {function.name: function for function in (_parse(*text) for text in texts)}


def expression(name: str, **arguments: str) -> str:
    """Return the SQL expression of one function, with every call of a part inlined.

    Parameters
    ----------
    name : str
        A function of ``sql/functions``, public or a part.
    **arguments : str
        SQL expressions to put in place of parameters; the others stay as they are named, so that
        the expression can be evaluated over columns of those names.
    """
    return inlined(_FUNCTIONS[name].body, **arguments)


def inlined(text: str, **arguments: str) -> str:
    """Return SQL text with names replaced by `arguments`, then calls of functions by bodies."""
    return _inline(_substitute(text, arguments), _FUNCTIONS)


def create_statements(*, temporary: bool = True) -> list[str]:
    """Return the statements that create every public function, each standing alone."""
    kind = "TEMPORARY FUNCTION" if temporary else "FUNCTION"
    return [
        f"CREATE OR REPLACE {kind} {f.name}({f.signature})\nRETURNS DOUBLE\n"
        f"COMMENT '{f.comment}'\nRETURN {expression(f.name)}"
        for f in _FUNCTIONS.values()
        if f.is_public
    ]


def script(*, temporary: bool = True) -> str:
    """Return all of `create_statements` as one file, for ``spark-sql -i`` in a plain Spark."""
    how = "spark-sql -i" if temporary else "spark-sql -f"
    kind = "" if temporary else " --persistent"
    head = (
        "-- The SQL functions of shapwin for any Spark, no Python needed: "
        f"{how} this file.\n-- Made from sql/functions by "
        f"`python -m shapwin.spark.sql_functions{kind}`.\n"
    )
    statements = create_statements(temporary=temporary)
    return head + "".join(f"\n{statement.rstrip()};\n" for statement in statements)


def _parse(file_name: str, text: str) -> SqlFunction:
    found = _STATEMENT.search(text)
    if found is None or found["name"] + ".sql" != file_name:
        raise ValueError(f"sql/functions/{file_name} does not have the form of its neighbours")
    declared = re.sub(r"COMMENT '[^']*'", "", found["parameters"]).split(",")
    parameters = tuple(parameter.split()[0] for parameter in declared)
    signature = found["parameters"]
    return SqlFunction(found["name"], parameters, signature, found["comment"], found["body"])


def _substitute(body: str, arguments: Mapping[str, str]) -> str:
    return _WORD.sub(lambda word: arguments.get(word.group(), word.group()), body)


def _inline(text: str, functions: Mapping[str, SqlFunction]) -> str:
    """Replace each call of a function by its body, innermost arguments first."""
    for word in _WORD.finditer(text):
        function = functions.get(word.group())
        if function is None:
            continue
        arguments, end = _arguments(text, word.end())
        arguments = [_inline(argument, functions) for argument in arguments]
        given = dict(zip(function.parameters, arguments, strict=True))
        body = _inline(_substitute(function.body, given), functions)
        return f"{text[: word.start()]}({body}){_inline(text[end:], functions)}"
    return text


def _arguments(text: str, start: int) -> tuple[list[str], int]:
    """The arguments of the call whose parenthesis opens at `start`, and where the call ends."""
    depth, arguments, at = 0, [], start + 1
    for i in range(start, len(text)):
        depth += (text[i] == "(") - (text[i] == ")")
        if depth == 0 or (depth == 1 and text[i] == ","):
            arguments.append(text[at:i].strip())
            at = i + 1
        if depth == 0:
            return arguments, at
    raise ValueError(f"no closing parenthesis in {text!r}")


_FUNCTIONS = load()

# ---- the closed forms over aggregates that Spark has computed ---------------------------------
#
# Java compiles no method of more than 8,000 bytes to machine code, and Spark makes one method of
# an expression: beyond that a row costs 20 times as much. So whatever is used twice is bound to a
# name, and the names are those of the parameters of sql/functions.


def _mean(total: str, count: str) -> str:
    return f"coalesce(try_divide({total}, {count}), 0D)"


# What the names stand for, each over those before it: sums about the window's mean, from the
# struct ``s`` of count, sum, var_pop … of the window and its groups; r = 1/N, for the code of a
# division asks for 0 and for NULL; k, k2, k3, x: harmonic numbers of N − 1 …
_OF_WINDOW = {
    "n": "s.n",
    "mean": _mean("s.total", "n"),
    "mean2": _mean("s.total2", "n"),
    "center": "mean + {center}",
    "b": "n * s.var",
    "ab": "n * s.cov",
    "h": "shapley_harmonic(n)",
    "h2": "shapley_harmonic2(n)",
    "r": "pow(n, -1D)",
    "k": "_harmonic_before(n, r)",
    "k2": "_harmonic2_before(n, r)",
    "k3": "_harmonic3_before(n, r)",
    "x": "3D * k - 2D * k2",
    "third": "_third(r, b, s.skewness)",
    "fourth": "_fourth(r, b, s.kurtosis)",
}
# … and those of a group, ``g``. A group without values has sums of 0. Sums about its own mean are
# own2 ….
_OF_GROUP = {
    "m": "g.m",
    "s_p": "g.sum",
    "d": "IF(m > 0D, " + _mean("g.total", "m") + " - mean, 0D)",
    "a_p": "m * d",
    "b_p": "m * (g.var + d * d)",
    "own2": "m * g.var",
    "own3": inlined("_third(pow(m, -1D), own2, g.skewness)"),
    "own4": inlined("_fourth(pow(m, -1D), own2, g.kurtosis)"),
    # M_2·(M_2,P − (m/N)·M_2) and M_3·M_1,P.
    "q": "b * (own2 + m * (d * d - r * b))",
    "t": inlined("a_p * _third(r, b, s.skewness)"),
    "d2": "IF(m > 0D, " + _mean("g.total2", "m") + " - mean2, 0D)",
    "a2_p": "m * d2",
    "ab_p": "m * (g.cov + d * d2)",
}
# The sums that each statistic takes.
NEEDS: dict[str, tuple[str, ...]] = {
    "sum": ("n", "m", "s", "s_p", "a", "a_p"),
    "count": ("n", "m"),
    "avg": ("n", "m", "center", "a", "a_p"),
    "var_pop": ("n", "m", "a", "a_p", "b", "b_p"),
    "var_samp": ("n", "m", "a", "a_p", "b", "b_p"),
    "covar_pop": ("n", "m", "a", "a_p", "a2", "a2_p", "ab", "ab_p"),
    "covar_samp": ("n", "m", "a", "a_p", "a2", "a2_p", "ab", "ab_p"),
    "central_moment(2)": ("n", "m", "b", "own2"),
    "central_moment(3)": ("n", "m", "a_p", "b", "own2", "own3"),
    "central_moment(4)": ("n", "m", "a_p", "b", "own2", "own3", "own4"),
}
_FORMS = SPLITS | MOMENT_SPLITS
# Aggregates that are NULL of equal values, and are not merged.
SHAPES = frozenset({"skewness", "kurtosis"})


def aggregates_of(statistics: Iterable[str]) -> list[str]:
    """Return which aggregates statistics take besides the count, by the names of their fields."""
    needed = {name for statistic in statistics for name in NEEDS[statistic]}
    asked = {
        "total": needed - {"n", "m", "s", "s_p"},
        "sum": needed & {"s"},
        "var": needed & {"b"},
        "skewness": needed & {"own3"},
        "kurtosis": needed & {"own4"},
        "total2": needed & {"ab"},
        "cov": needed & {"ab"},
    }
    return [name for name, sums in asked.items() if sums]


def phi_of_aggregates(statistic: str, center: float | None) -> str:
    """Return the SQL expression of Φ to the first group, over a struct ``s`` of aggregates.

    Parameters
    ----------
    statistic : str
        A key of `NEEDS`.
    center : float, optional
        What was subtracted from the values before they were aggregated.
    """
    return _of_window([statistic], center, f"{_of_groups([statistic], _phi(statistic))}[0]")


def phis_of_aggregates(
    statistics: Mapping[str, str], groups: Sequence[str], center: float | None
) -> str:
    """Return the expression of a struct: for each group's name, Φ of every statistic by name."""
    phis = _struct((name, _phi(statistic)) for name, statistic in statistics.items())
    games = [*dict.fromkeys(statistics.values())]
    each = _of_window(games, center, _of_groups(games, phis))
    return _let("each", each, _struct((name, f"each[{i}]") for i, name in enumerate(groups)))


def explanation_of_aggregates(statistic: str, center: float | None) -> str:
    """Return the expression of Φ with all its parts; parameters as in `phi_of_aggregates`."""
    share, weight, value = (_name(part, statistic) for part in ("share", "weight", "value"))
    result = {
        "statistic": _text(statistic),
        "n": "CAST(n AS BIGINT)",
        "value": value,
        "m": "CAST(m AS BIGINT)",
        "phi": _phi_of_lift(statistic, "lift"),
        "share": f"IF(m = 0D, 0D, {share})",
        "lift": "IF(m = 0D, 0D, lift)",
        "weight": "CAST(NULL AS DOUBLE)" if _FORMS[statistic].rest else weight,
    }
    each = _of_groups([statistic], _let("lift", _lift(statistic), _struct(result.items())))
    return f"IF(s.n > 0D, {_of_window([statistic], center, f'{each}[0]')}, NULL)"


def of_pieces(names: Sequence[str], groups: int) -> str:
    """Return the expression of the struct of the aggregates of two stretches of rows, merged.

    Parameters
    ----------
    names : sequence of str
        The aggregates, as of `aggregates_of`, without `SHAPES`.
    groups : int
        How many groups there are.

    Notes
    -----
    The text is one over ``pieces``, ``struct<first, last>`` of structs of the aggregates, with
    those of the groups in ``group0``, …; either may be NULL, and the last does not count if it
    has the ``block`` of the first. With two means x̄, ȳ of m and n values (Chan, Golub & LeVeque,
    1979)

        M_2 = M_2,x + M_2,y + (x̄ − ȳ)²·mn/(m + n).
    """
    part, whole = ["m", *names], ["n", *names]
    pairs = (f"struct(first.group{i} AS x, last.group{i} AS y)" for i in range(groups))
    merged = f"transform(array({', '.join(pairs)}), pair -> {_merged(part, 'pair.x', 'pair.y')})"
    parts = {f"group{i}": _zeros(part) for i in range(groups)}
    none = _zeros(whole, **parts, block="-1L")
    last = f"coalesce(IF(pieces.last.block = first.block, NULL, pieces.last), {none})"
    body = _let("last", last, _merged(whole, "first", "last", groups=merged))
    return _let("first", f"coalesce(pieces.first, {none})", body)


def of_no_rows(names: Sequence[str], groups: int) -> str:
    """Return the struct of the aggregates of no rows; parameters as in `of_pieces`."""
    return _zeros(["n", *names], groups=f"array_repeat({_zeros(['m', *names])}, {groups})")


def _zeros(names: Sequence[str], **more: str) -> str:
    return _struct([*((name, "0D") for name in names), *more.items()])


def _merged(names: Sequence[str], x: str, y: str, **more: str) -> str:
    """The struct of the aggregates of two, the first of which is the count."""
    m, n = f"{x}.{names[0]}", f"{y}.{names[0]}"

    def pooled(field: str, *totals: str) -> str:
        # Of means and not of sums, whose squares are infinite much sooner.
        apart = " * ".join(
            f"({x}.{total} * pow({m}, -1D) - {y}.{total} * pow({n}, -1D))" for total in totals
        )
        return (
            f"CASE WHEN {m} = 0D THEN {y}.{field} WHEN {n} = 0D THEN {x}.{field} ELSE "
            f"({m} * {x}.{field} + {n} * {y}.{field} + {apart} * ({m} * {n} * pow({m} + {n}, -1D)))"
            f" * pow({m} + {n}, -1D) END"
        )

    pools = {"var": pooled("var", "total", "total"), "cov": pooled("cov", "total", "total2")}
    fields = {name: pools.get(name, f"{x}.{name} + {y}.{name}") for name in names}
    return _struct((fields | more).items())


def _phi(statistic: str) -> str:
    """Φ of a group over the names that `_of_window` and `_of_groups` bind."""
    lift = _lift(statistic)
    if not _FORMS[statistic].rest:
        return _phi_of_lift(statistic, lift)
    return _lets({"lift": lift}, f"CASE WHEN n > 0D THEN {_phi_of_lift(statistic, 'lift')} END")


def _phi_of_lift(statistic: str, lift: str) -> str:
    share, rest = _name("share", statistic), _FORMS[statistic].rest
    if rest:  # which uses the lift often, by name
        return inlined(f"IF(m = 0D, 0D, {share} + {rest})")
    return inlined(f"_phi(n, m, {share}, {lift}, {_name('weight', statistic)})")


def _lift(statistic: str) -> str:
    parts = {part: _name(part, statistic) for part in ("share", "value")}
    return _about_mean(_substitute(_FORMS[statistic].lift, parts))


def _about_mean(text: str) -> str:
    """The text of a part where Σ(y−c) of the window is 0, and so is its mean Σ(y−c)/n."""
    return inlined(text, a="0D", a2="0D").replace("0D / n", "0D")


def _name(part: str, statistic: str) -> str:
    """What a part of a statistic is bound to; a constant or a sum is not bound once more."""
    text = _part(part, statistic)
    return text if re.fullmatch(r"\w+", text) else _bound(part, statistic)


def _bound(part: str, statistic: str) -> str:
    return re.sub(r"\W", "", f"{part}_{statistic}")


def _part(part: str, statistic: str) -> str:
    """The text of a part over the names of sums."""
    split = _FORMS[statistic]
    if part == "weight":
        # All statistics share the harmonic numbers, the longest part of the form.
        parts = {name: f for name, f in _FUNCTIONS.items() if not f.is_public}
        text = _inline(split.weight, parts)
        return text.replace("shapley_harmonic(n)", "h").replace("shapley_harmonic2(n)", "h2")
    if part == "value" and split.value:
        return split.value
    whole = WHOLE_WINDOW | {"s_p": "s.sum"} if part == "value" else {}
    return _about_mean(_substitute(split.share, whole))


def _of_window(statistics: Sequence[str], center: float | None, body: str) -> str:
    """Evaluate `body` where the sums of the window, and weights and ν(W), have their names."""
    values = {
        name: inlined(text.format(center=_added(center))) for name, text in _OF_WINDOW.items()
    }
    for part in ("weight", "value"):
        values |= {_bound(part, statistic): _part(part, statistic) for statistic in statistics}
    return _lets(values, body)


def _of_groups(statistics: Sequence[str], body: str) -> str:
    """Evaluate `body` for each group, where its sums and shares have their names: an array."""
    shares = {_bound("share", statistic): _share(statistic) for statistic in statistics}
    return f"transform(s.groups, g -> {_lets(_OF_GROUP | shares, body)})"


def _share(statistic: str) -> str:
    """What is bound is worked out in empty windows too, where ANSI mode does not divide by n."""
    share = _part("share", statistic)
    return share if _FORMS[statistic].rest else f"CASE WHEN n > 0D THEN {share} END"


def _lets(values: Mapping[str, str], body: str) -> str:
    """Evaluate `body` with names for values.

    To bind a value costs as much as some ten words of it; one that is used less is written out.
    """
    for name, value in reversed([*values.items()]):
        # Not the field of a struct, as in g.m, and not its name, as in named_struct('m', …).
        place = re.compile(rf"(?<![\w.']){name}\b")
        uses, words = len(place.findall(body)), len(re.findall(r"[\w.]+", value))
        bound = (uses - 1) * words > 10
        body = _let(name, value, body) if bound else place.sub(f"({value})", body)
    return body


def _added(center: float | None) -> str:
    return repr(float(center or 0.0)) + "D"


def _let(name: str, value: str, body: str) -> str:
    """Evaluate `body` where `name` is a value that is computed once."""
    return f"transform(array({value}), {name} -> {body})[0]"


def _struct(fields: Iterable[tuple[str, str]]) -> str:
    return f"named_struct({', '.join(f'{_text(name)}, {text}' for name, text in fields)})"


def _text(name: str) -> str:
    return "'" + str(name).replace("\\", "\\\\").replace("'", "\\'") + "'"


if __name__ == "__main__":
    print(script(temporary="--persistent" not in sys.argv[1:]), end="")
