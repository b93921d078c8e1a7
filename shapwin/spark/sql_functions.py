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

from .splits import SPLITS, WHOLE_WINDOW

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
    return _inline(_substitute(text, arguments))


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


def _substitute(body: str, arguments: dict[str, str]) -> str:
    return _WORD.sub(lambda word: arguments.get(word.group(), word.group()), body)


def _inline(text: str) -> str:
    """Replace each call of another file by that file's body, innermost arguments first."""
    for word in _WORD.finditer(text):
        function = _FUNCTIONS.get(word.group())
        if function is None:
            continue
        arguments, end = _arguments(text, word.end())
        given = dict(zip(function.parameters, map(_inline, arguments), strict=True))
        body = _inline(_substitute(function.body, given))
        return f"{text[: word.start()]}({body}){_inline(text[end:])}"
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

# The sums of a statistic, about the window's mean, from the struct ``s`` of count, avg, var_pop …
# of the window and of its k-th group. A group without values has sums of 0.
_SUMS = {
    "n": "s.n",
    "m": "s.m{k}",
    "center": "(s.mean + {center})",
    "s": "s.sum",
    "a": "0D",
    "b": "(s.n * s.var)",
    "a2": "0D",
    "ab": "(s.n * s.cov)",
    "s_p": "coalesce(s.sum{k}, 0D)",
    "a_p": "coalesce(s.m{k} * (s.mean{k} - s.mean), 0D)",
    "b_p": "coalesce(s.m{k} * (s.var{k} + (s.mean{k} - s.mean) * (s.mean{k} - s.mean)), 0D)",
    "a2_p": "coalesce(s.m{k} * (s.mean2_{k} - s.mean2_), 0D)",
    "ab_p": "coalesce(s.m{k} * (s.cov{k} + (s.mean{k} - s.mean) * (s.mean2_{k} - s.mean2_)), 0D)",
}
# Those that each statistic takes.
NEEDS: dict[str, tuple[str, ...]] = {
    "sum": ("n", "m", "s", "s_p", "a", "a_p"),
    "count": ("n", "m"),
    "avg": ("n", "m", "center", "a", "a_p"),
    "var_pop": ("n", "m", "a", "a_p", "b", "b_p"),
    "var_samp": ("n", "m", "a", "a_p", "b", "b_p"),
    "covar_pop": ("n", "m", "a", "a_p", "a2", "a2_p", "ab", "ab_p"),
    "covar_samp": ("n", "m", "a", "a_p", "a2", "a2_p", "ab", "ab_p"),
}


def phi_of_aggregates(statistic: str, k: str, center: float | None) -> str:
    """Return the SQL expression of Φ to group `k`, over a struct ``s`` of aggregates.

    Parameters
    ----------
    statistic : str
        A key of `NEEDS`.
    k : str
        The group's suffix in the names of the struct's fields.
    center : float, optional
        What was subtracted from the values before they were aggregated.
    """
    return _with_weights([statistic], center, _with_sums([statistic], k, center, _phi(statistic)))


def phis_of_aggregates(
    statistics: Sequence[str], groups: Mapping[str, str], center: float | None
) -> str:
    """Return the expression of a struct: for each group's name, Φ of every statistic."""
    phis = _struct((statistic, _phi(statistic)) for statistic in statistics)
    each = _struct((g, _with_sums(statistics, k, center, phis)) for g, k in groups.items())
    return _with_weights(statistics, center, each)


def explanation_of_aggregates(statistic: str, k: str, center: float | None) -> str:
    """Return the expression of Φ with all its parts; parameters as in `phi_of_aggregates`."""
    split = SPLITS[statistic]
    parts = {
        "share": f"IF(t.m = 0D, 0D, {_of(statistic, split.share)})",
        "lift": f"CAST(IF(t.m = 0D, 0D, {_of(statistic, split.lift)}) AS DOUBLE)",
    }
    result = {
        "statistic": _text(statistic),
        "n": "CAST(s.n AS BIGINT)",
        "value": f"CAST(w.{statistic}_value AS DOUBLE)",
        "m": "CAST(t.m AS BIGINT)",
        "phi": inlined(
            "_phi(s.n, t.m, share, lift, weight)",
            share="u.share",
            lift="u.lift",
            weight=f"w.{statistic}",
        ),
        "share": "CAST(u.share AS DOUBLE)",
        "lift": "u.lift",
        "weight": f"CAST(w.{statistic} AS DOUBLE)",
    }
    body = _let("u", _struct(parts.items()), _struct(result.items()))
    body = _with_weights([statistic], center, _with_sums([statistic], k, center, body))
    return f"IF(s.n > 0D, {body}, NULL)"


def _phi(statistic: str) -> str:
    """Φ of a group over the structs that `_with_weights` and `_with_sums` bind."""
    return _of(statistic, "_phi(n, m, share, lift, weight)")


def _of(statistic: str, text: str) -> str:
    """The text over the sums of a statistic, with its parts in the place of their names."""
    split = SPLITS[statistic]
    bound = {name: _bound(name) for name in NEEDS[statistic]}
    bound |= {"weight": f"w.{statistic}", "value": f"w.{statistic}_value"}
    bound["share"] = f"({inlined(split.share, **bound)})"
    bound["lift"] = f"({inlined(split.lift, **bound)})"
    return inlined(text, **bound)


def _bound(name: str) -> str:
    """Where `_with_sums` leaves a sum; constants stay constants."""
    return _SUMS[name] if "{" not in _SUMS[name] or name == "n" else f"t.{name}"


def _with_weights(statistics: Sequence[str], center: float | None, body: str) -> str:
    """Evaluate `body` where ``w`` has the weight of every statistic, and ν(W) if it is asked for.

    They are the same for every group, and their harmonic numbers the longest part of the form.
    """
    window: dict[str, str] = {}
    for statistic in statistics:
        split, sums = SPLITS[statistic], NEEDS[statistic]
        whole = {name: _SUMS[name].format(k="", center=_added(center)) for name in sums}
        whole |= {p: whole[w] for p, w in WHOLE_WINDOW.items() if w in sums}
        window[statistic] = inlined(split.weight, **whole)
        if f"w.{statistic}_value" in body:
            value = inlined(split.share, **whole)
            window[f"{statistic}_value"] = f"IF(s.n > 0D, {value}, NULL)"
    return _let("w", _struct(window.items()), body)


def _with_sums(statistics: Sequence[str], k: str, center: float | None, body: str) -> str:
    """Evaluate `body` where ``t`` has the sums of group `k`."""
    needed = dict.fromkeys(name for statistic in statistics for name in NEEDS[statistic])
    sums = {n: _SUMS[n].format(k=k, center=_added(center)) for n in needed if _bound(n)[:2] == "t."}
    return _let("t", _struct(sums.items()), body)


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
