"""The command line: ``shapwin demo``, ``explain``, ``watch``, ``spark-sql``, ``thriftserver``."""

from __future__ import annotations

import argparse
import os
import re
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any, NoReturn

from . import __version__
from .errors import ArgumentError, ShapwinError

_SHELLS = {
    "spark-sql": "Spark's own spark-sql shell, with every shapwin function registered",
    "thriftserver": "Spark's own Thrift server (JDBC, beeline), with the same functions",
}

_EXPLAIN = """\
Explain every sliding window of an aggregate over a CSV, JSON or Parquet file: how much of it each
predicate accounts for, exactly (Shapley values of the rows, added up over those that satisfy it).
"""

_EXPLAIN_MORE = """\
example:
  shapwin explain trips.csv --value fare --time pickup --window '1 hour' --every '5 minutes' \\
      --predicate "airport=zone IN ('JFK', 'LGA')" --predicate 'long=distance > 10' \\
      --statistic avg,var_pop --output result

Without --output and --plot it prints the most striking window of each statistic: the one whose
aggregate is farthest from its median over all windows, among those of at least half the median
size. Times without a zone are taken and written as they read; others are shown in UTC.
"""

_WATCH = """\
Explain what comes into a folder of CSV, JSON or Parquet files, for as long as the command runs:
print the newest window, and any whose aggregate jumps. End it with Ctrl-C.
"""

_WATCH_MORE = """\
example:
  shapwin watch incoming --value fare --time pickup --window '1 hour' --every '5 minutes' \\
      --predicate "airport=zone IN ('JFK', 'LGA')" --late '10 minutes' --output explained

A window is told of once no more of its rows are waited for: when a row has come that is later than
its end by --late. Each file is read once, so move it into the folder when it is whole; all have the
columns of the first. Rows that are broken, or whose time or value is unreadable, are left out and
counted. With --output the next call goes on where this one ended.
"""


def main(argv: Sequence[str] | None = None) -> int:
    """Run a command and return its exit code.

    Parameters
    ----------
    argv : sequence of str, optional
        The arguments; by default those of the process.

    Returns
    -------
    int
        0, or 2 for bad input, which one or two lines on stderr explain; 130 if interrupted.
    """
    args = list(sys.argv[1:] if argv is None else argv)
    try:
        if args and args[0] in _SHELLS:
            return _shell(args[0], args[1:])
        return _run(_parser().parse_args(args))
    except SystemExit as end:  # argparse, after --help or a wrong argument
        return end.code if isinstance(end.code, int) else 2
    except ShapwinError as error:
        return _refuse(_in_options(str(error)))
    except OSError as error:
        return _refuse(f"{error.filename}: {error.strerror}" if error.filename else str(error))
    except (ValueError, OverflowError) as error:
        # Arrow's and pandas' errors among them, for values that their types do not hold.
        return _refuse(f"{type(error).__name__}: {error}")
    except KeyboardInterrupt:
        print("shapwin: interrupted", file=sys.stderr)
        return 130


def _shell(name: str, args: list[str]) -> int:
    """Hand all arguments to a shell untouched, --help among them."""
    from .spark import shell

    return {"spark-sql": shell.spark_sql, "thriftserver": shell.thriftserver}[name](args)


def _run(options: argparse.Namespace) -> int:
    arguments = {} if options.command == "demo" else _arguments(options)  # refused before Spark
    from .spark import commands, raw_files

    if options.command == "demo":
        commands.demo(output=options.output, picture=options.plot)
        return 0
    source = raw_files.Source(
        options.path,
        format=options.format,
        delimiter=options.delimiter,
        null_value=options.null_value,
        time_format=options.time_format,
        skip_bad=options.command == "watch" or options.skip_bad,
        encoding=options.encoding,
    )
    if options.command == "watch":
        from .spark import watch

        how = {name: getattr(options, name) for name in ("late", "jump", "output", "once")}
        watch.watch(source, arguments, **how)
        return 0
    draws = options.output is not None if options.plot is None else options.plot
    picture = (options.output or Path()) if draws else None
    commands.explain(source, arguments, output=options.output, picture=picture, lag=options.compare)
    return 0


def _arguments(options: argparse.Namespace) -> dict[str, Any]:
    """The arguments of `shapwin.explain`."""
    return {
        "value": options.value,
        "time": options.time,
        "window": options.window,
        "every": options.every or options.window,
        "predicates": _named(options.predicate, "--predicate"),
        "queries": _named(options.query, "--query") or None,
        "statistics": _listed(options.statistic) or ["avg"],
        "by": _listed(options.by),
        "other": options.other,
        "closed": options.closed,
    }


# How the arguments of Python read as options.
_WORDS = (
    (r"\b(value|time|window|every|other|by|closed|late)=('[^']*')", r"--\1 \2"),
    (r"\blag=('[^']*')", r"--compare \1"),
    (r"\bby column ('[^']*')", r"--by \1"),
    (r": rename it first, as in df\.withColumnRenamed\(.*\)", ": rename it in the file"),
    (r": give other='its name'", ": add --other COLUMN"),
    (r", as in df\.withColumn\(.*\)", ""),
    (r" such as a field of it, or cast it to STRING", " of text, numbers or times"),
    (r", or cast it first", ""),
)


def _in_options(message: str) -> str:
    for python, option in _WORDS:
        message = re.sub(python, option, message)
    return message


def _refuse(message: str) -> int:
    lines = [line.strip() for line in message.strip().splitlines()]
    print("shapwin:", *lines[:1], file=sys.stderr)
    return 2


def _named(given: Sequence[str], option: str) -> dict[str, str]:
    """Read name=SQL pairs; the SQL may hold further equals signs."""
    named: dict[str, str] = {}
    for pair in given:
        name, equals, sql = pair.partition("=")
        name = name.strip()
        if not (name and equals and sql.strip()):
            raise ArgumentError(
                f"{option} {pair!r}: write name=condition, as in {option} \"eu=region = 'EU'\""
            )
        if name in named:
            raise ArgumentError(f"{option} {name!r} is given twice: use each name once")
        named[name] = sql.strip()
    return named


def _listed(given: Sequence[str]) -> list[str]:
    """Read names that are given one by one, with commas between them, or both."""
    return [name.strip() for names in given for name in names.split(",") if name.strip()]


class _Parser(argparse.ArgumentParser):
    def error(self, message: str) -> NoReturn:
        """Refuse in one line, and name the help in a second."""
        self.exit(2, f"{self.prog}: {message}\nTry '{self.prog} --help'.\n")


def _parser() -> _Parser:
    parser = _Parser(
        prog="shapwin",
        description="Why a sliding-window aggregate has its value: exact Shapley attribution.",
    )
    parser.add_argument("--version", action="version", version=f"shapwin {__version__}")
    commands = parser.add_subparsers(
        dest="command", required=True, metavar="COMMAND", parser_class=_Parser
    )
    _add_demo(commands)
    _add_explain(commands)
    _add_watch(commands)
    for name, text in _SHELLS.items():
        commands.add_parser(name, help=text, add_help=False)
    return parser


def _add_demo(commands: argparse._SubParsersAction[_Parser]) -> None:
    text = "Explain the flight delays of New York in February 2013, real data that shapwin ships."
    demo = commands.add_parser("demo", help="explain real flight delays", description=text)
    demo.add_argument(
        "--output",
        metavar="DIR",
        type=Path,
        default=Path("shapwin-demo"),
        help="where explanation.csv, .parquet and .png go (default: shapwin-demo)",
    )
    _add_plot(demo, default=True)


def _add_explain(commands: argparse._SubParsersAction[_Parser]) -> None:
    explain = commands.add_parser(
        "explain",
        help="explain a CSV, JSON or Parquet file of yours",
        description=_EXPLAIN,
        epilog=_EXPLAIN_MORE,
        formatter_class=argparse.RawDescriptionHelpFormatter,
        usage="shapwin explain PATH --value COLUMN --time COLUMN --window LENGTH "
        "[--every LENGTH]\n                       --predicate NAME=SQL ... [options]",
    )
    explain.add_argument("path", metavar="PATH", help="a file, or a folder of files")

    _add_what(explain).add_argument(
        "--compare",
        metavar="LENGTH",
        help="also say how each window differs from the one that began this much earlier, such as "
        "'1 day'",
    )

    where = explain.add_argument_group("where the result goes")
    where.add_argument(
        "--output",
        metavar="DIR",
        type=Path,
        help="write explanation.csv, explanation.parquet and explanation.png there; with "
        "--compare also comparison.csv, comparison.parquet and change_STATISTIC.png",
    )
    _add_plot(where, default=None)
    _add_how(explain).add_argument(
        "--skip-bad",
        action="store_true",
        help="leave out rows that are broken, or whose time or value is unreadable",
    )


def _add_watch(commands: argparse._SubParsersAction[_Parser]) -> None:
    watch = commands.add_parser(
        "watch",
        help="explain what comes into a folder, and go on",
        description=_WATCH,
        epilog=_WATCH_MORE,
        formatter_class=argparse.RawDescriptionHelpFormatter,
        usage="shapwin watch DIRECTORY --value COLUMN --time COLUMN --window LENGTH "
        "[--every LENGTH]\n                     --predicate NAME=SQL ... [options]",
    )
    watch.add_argument("path", metavar="DIRECTORY", help="the folder that files come into")
    _add_what(watch)
    when = watch.add_argument_group("when to tell")
    when.add_argument(
        "--late",
        metavar="LENGTH",
        default="10 minutes",
        help="how late rows may come; later ones are left out (default: '10 minutes')",
    )
    when.add_argument(
        "--jump",
        metavar="TIMES",
        type=float,
        default=5.0,
        help="a window jumps that is this many times farther from the median of the last 100 than "
        "they typically are (default: 5)",
    )
    when.add_argument("--once", action="store_true", help="end when all that is there is explained")
    where = watch.add_argument_group("where the result goes")
    where.add_argument(
        "--output",
        metavar="DIR",
        type=Path,
        help="write the long table there as well, a Parquet file for each lot of windows",
    )
    _add_how(watch)


def _add_what(parser: _Parser) -> argparse._ArgumentGroup:
    what = parser.add_argument_group("what to explain")
    what.add_argument("--value", metavar="COLUMN", required=True, help="the numbers to aggregate")
    what.add_argument("--time", metavar="COLUMN", required=True, help="when each row happened")
    what.add_argument(
        "--window", metavar="LENGTH", required=True, help="length of a window, such as '1 hour'"
    )
    what.add_argument(
        "--every", metavar="LENGTH", help="step from window to window (default: the length)"
    )
    what.add_argument(
        "--predicate",
        metavar="NAME=SQL",
        action="append",
        default=[],
        required=True,
        help="a condition on a row, under a name; repeat it for more",
    )
    what.add_argument(
        "--query",
        metavar="NAME=SQL",
        action="append",
        default=[],
        help="a combination of predicates, such as 'both=airport AND long', to explain in place "
        "of each predicate by itself; repeatable",
    )
    what.add_argument(
        "--statistic",
        metavar="NAME",
        action="append",
        default=[],
        help="avg (default), sum, count, var_pop, var_samp, covar_pop, covar_samp; repeatable, "
        "or with commas",
    )
    what.add_argument(
        "--by",
        metavar="COLUMN",
        action="append",
        default=[],
        help="explain each value of a column by itself; repeatable, or with commas",
    )
    what.add_argument("--other", metavar="COLUMN", help="the second column of a covariance")
    what.add_argument(
        "--closed",
        choices=("left", "right"),
        default="left",
        help="a window is [start, end), or (start, end] (default: left)",
    )
    return what


def _add_how(parser: _Parser) -> argparse._ArgumentGroup:
    how = parser.add_argument_group("how to read the file")
    how.add_argument(
        "--format", choices=("csv", "json", "parquet"), help="by default what the suffix says"
    )
    how.add_argument("--delimiter", metavar="CHAR", help="of a CSV file (default: a comma)")
    how.add_argument(
        "--encoding", metavar="NAME", default="utf-8", help="of a CSV file (default: utf-8)"
    )
    how.add_argument(
        "--null-value",
        metavar="TEXT",
        default="",
        help="what means NULL in a CSV file, such as NA, besides an empty field",
    )
    how.add_argument(
        "--time-format",
        metavar="FORMAT",
        help="of times that are text or numbers: a pattern such as 'MM/dd/yyyy HH:mm', or "
        "seconds, milliseconds, microseconds since 1970 (default: as SQL reads a timestamp)",
    )
    return how


def _add_plot(group: argparse._ActionsContainer, *, default: bool | None) -> None:
    group.add_argument(
        "--plot",
        action=argparse.BooleanOptionalAction,
        default=default,
        help="draw explanation.png (default: with --output; elsewhere it goes to this folder)"
        if default is None
        else "draw explanation.png (the default)",
    )


if __name__ == "__main__":
    # A closed pipe, as in `shapwin demo | head`, is no error of ours.
    try:
        sys.exit(main())
    except BrokenPipeError:
        os._exit(1)
