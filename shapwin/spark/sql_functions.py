"""The SQL functions of ``sql/functions``, read, inlined into each other and created.

Files whose name begins with an underscore are parts that only other files use. Every public
function is created with those parts inlined, so that it stands alone, also in a plain Spark.
"""

from __future__ import annotations

import re
import sys
from dataclasses import dataclass
from importlib.resources import files
from importlib.resources.abc import Traversable
from pathlib import Path

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

if __name__ == "__main__":
    print(script(temporary="--persistent" not in sys.argv[1:]), end="")
