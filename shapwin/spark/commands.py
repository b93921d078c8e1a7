"""What ``shapwin demo`` and ``shapwin explain`` do, once their arguments are read."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pandas as pd
import pyarrow as pa
import pyarrow.compute as pc
from pyspark.sql import DataFrame
from pyspark.sql import functions as F

from .. import demo as story
from .. import plot, report
from ..errors import ArgumentError, DependencyError
from ..games import game_of
from ..progress import step
from .attribution import explain as explain_rows
from .checks import quoted
from .compare import compare
from .files import SPARK_ERRORS, reason, rows
from .intervals import microseconds
from .raw_files import Source, form_of, size
from .session import local_session, require_spark

# Up to this many predicates their combinations make a readable picture, which adds up.
MOST_IN_ATOMS = 6
# Bytes of input that Spark is done with before it would be worth optimising code for them.
SHORT = 50_000_000


def demo(*, output: Path, picture: bool) -> None:
    """Explain the sample, and tell what is to be seen.

    Parameters
    ----------
    output : Path
        The folder that gets the files.
    picture : bool
        Whether to draw one.
    """
    require_spark()
    print(story.INTRODUCTION, flush=True)
    explain(
        Source(story.PATH),
        story.ARGUMENTS,
        output=output,
        picture=output if picture else None,
        tuples="flights",
        drawing=story.DRAWING,
        focus=story.FOCUS,
        lines=True,
    )
    print(f"\n{story.CONCLUSION}")


def explain(
    source: Source,
    arguments: Mapping[str, Any],
    *,
    output: Path | None,
    picture: Path | None,
    tuples: str = "rows",
    lag: str | None = None,
    drawing: Mapping[str, Any] | None = None,
    focus: tuple[str, str] | None = None,
    lines: bool = False,
) -> None:
    """Explain a file: print the most striking windows, write the long table, draw it.

    Parameters
    ----------
    source : Source
        The file.
    arguments : dict
        Those of `shapwin.explain`, with names of columns for `value` and `time`.
    output, picture : Path, optional
        The folders that get the tables and the picture.
    tuples : str
        What a row is called.
    lag : str, optional
        How much earlier the windows begin that each is compared with; by default none is.
    drawing : dict, optional
        Arguments of `plot.decomposition`.
    focus : tuple of str, optional
        The first and last start of the windows in the picture; by default all are drawn.
    lines : bool
        Whether to write what is being done even where stderr is no terminal.
    """
    form_of(source)
    if lag is not None:
        microseconds("lag", lag)
    _refuse_endless(arguments, stretches=1)
    require_spark()
    if picture is not None:
        _require_matplotlib()
    for folder in (output, picture):
        if folder is not None:
            folder.mkdir(parents=True, exist_ok=True)
    with ExitStack() as stack, in_words():
        with step("starting Spark", lines=lines):
            spark = stack.enter_context(local_session(short=size(source.path) < SHORT))
        parts = stack.enter_context(TemporaryDirectory(prefix="shapwin-"))
        with step(f"reading {source.path}", spark, lines=lines):
            given = stack.enter_context(rows(spark, source, arguments))
            df = given.df
            _refuse_endless(arguments, stretches=given.stretches)
        with step("explaining every window", spark, lines=lines):
            queries, added = queries_of(arguments)
            explained = explain_rows(df, **{**arguments, "queries": queries})
            result = _collect(explained, f"{parts}/explained", arguments, queries)
        table = result.to_pandas()
        written = _write(result, added, output, "explanation")
        if picture is not None and not table.empty:
            with step("drawing", spark, lines=lines):
                drawn = _to_draw(df, arguments, table, added)
                words = {"value": arguments["value"], **(drawing or {})}
                written.append(_draw(drawn, picture, focus, words))
        if lag is not None:
            with step("comparing windows", spark, lines=lines):
                compared = compare(spark.read.parquet(f"{parts}/explained"), lag=lag)
                changes = _collect(compared, f"{parts}/compared", arguments, queries)
            written += _write(changes, added, output, "comparison")
            if picture is not None:
                written += _draw_changes(changes.to_pandas(), picture, arguments, tuples, lag)
    if given.dropped:
        print(f"Left out as unreadable: {given.dropped:,} of {given.all:,} {tuples}.")
    _tell(table, arguments, tuples)
    if lag is not None:
        _tell_changes(changes.to_pandas(), arguments, tuples, lag)
    if written:
        print("\nWritten:", *written, sep="\n  ")


def _refuse_endless(arguments: Mapping[str, Any], *, stretches: int) -> None:
    """Refuse a result of too many rows before it is computed.

    A row is in window / every windows, and rows of every second stretch as long as a window share
    none. The number of stretches is an estimate, so a tenth is allowed for.
    """
    window, every = (microseconds(name, arguments[name]) for name in ("window", "every"))
    windows = max(1, int(0.9 * stretches / 2)) * (window // every)
    series = len(arguments["queries"] or arguments["predicates"]) + 1
    count = windows * series * len(statistics_of(arguments))
    if count > report.MOST_ROWS:
        raise ArgumentError(
            f"a --window of {arguments['window']!r} --every {arguments['every']!r} makes "
            f"{windows:,} windows or more, and {count:,} rows of result; at most "
            f"{report.MOST_ROWS:,} are possible: take a longer --every"
        )


def _require_matplotlib() -> None:
    try:
        plot.require_matplotlib()
    except DependencyError as error:
        raise DependencyError(f"{error}, or add --no-plot") from None


def queries_of(arguments: Mapping[str, Any]) -> tuple[dict[str, str], str | None]:
    """The queries, and the name of the one that was not asked for.

    That one has the tuples in no predicate, which make an explanation complete.
    """
    names = list(arguments["predicates"])
    queries = arguments["queries"] or {name: quoted(name) for name in names}
    if report.NONE in queries:
        return queries, None
    nothing = f"NOT ({' OR '.join(map(quoted, names))})"
    return {**queries, report.NONE: nothing}, report.NONE


def _collect(
    df: DataFrame, folder: str, arguments: Mapping[str, Any], queries: Mapping[str, str]
) -> pa.Table:
    """Compute a table, in order.

    It comes by files: it may exceed the memory of Spark's driver.
    """
    df.write.mode("overwrite").parquet(folder)
    return report.read(folder, statistics_of(arguments), list(queries))


def _write(rows: pa.Table, added: str | None, folder: Path | None, name: str) -> list[Path]:
    """Write what was asked for."""
    if folder is None:
        return []
    asked = rows if added is None else rows.filter(pc.field("predicate") != added)
    return report.write(asked, folder, name)


def statistics_of(arguments: Mapping[str, Any]) -> list[str]:
    """Their names in the long table, each once."""
    return list(dict.fromkeys(game_of(name).name for name in arguments["statistics"]))


def _to_draw(
    df: DataFrame, arguments: Mapping[str, Any], table: pd.DataFrame, added: str | None
) -> pd.DataFrame:
    """The rows of the picture: combinations of few predicates, which add up; else the table's.

    Of several keys, the one with the most striking window.
    """
    first = report.striking(table, statistics_of(arguments)[0]).iloc[0]
    keys = {name: first[name] for name in report.keys_of(table.columns)}
    if arguments["queries"] or len(arguments["predicates"]) > MOST_IN_ATOMS:
        return report.same(table[table["predicate"] != added], keys)
    for name, key in keys.items():
        key = None if pd.isna(key) else key
        df = df.where(F.col(quoted(name)).eqNullSafe(F.lit(key)))
    atoms = explain_rows(df, **{**arguments, "queries": "atoms"}).toPandas()
    # An atom of one name is that predicate without the others.
    alone = {name: f"{name} only" for name in arguments["predicates"]}
    return atoms.replace({"predicate": alone} if len(alone) > 1 else {})


def _draw(
    drawn: pd.DataFrame, folder: Path, focus: tuple[str, str] | None, drawing: Mapping[str, Any]
) -> Path:
    if focus is not None:
        first, last = map(pd.Timestamp, focus)
        drawn = drawn[drawn["window_start"].between(first, last)]
    statistics = list(dict.fromkeys(drawn["statistic"]))
    about = plot.subject(drawn, statistics, drawing["value"])
    title = ", ".join([f"What makes up {about}", *_keys(drawn)])
    path = folder / "explanation.png"
    plot.save(path, drawn, **{"title": title, **drawing})
    return path


def _keys(rows: pd.DataFrame) -> list[str]:
    return [f"{name} = {rows[name].iloc[0]}" for name in report.keys_of(rows.columns)]


def _tell(table: pd.DataFrame, arguments: Mapping[str, Any], tuples: str) -> None:
    if table.empty:
        print("No window holds a value.")
    for statistic in statistics_of(arguments):
        window = report.striking(table, statistic)
        if not window.empty:
            print("", report.describe(window, value=arguments["value"], tuples=tuples), sep="\n")


def _draw_changes(
    changes: pd.DataFrame, folder: Path, arguments: Mapping[str, Any], tuples: str, lag: str
) -> list[Path]:
    """Draw the changes of each statistic; of several keys, of the one that changed most."""
    drawn = []
    for statistic in statistics_of(arguments):
        most = report.most_changed(changes, statistic)
        if not most.empty:
            keys = {name: most.iloc[0][name] for name in report.keys_of(most.columns)}
            rows = report.same(changes[changes["statistic"] == statistic], keys)
            path = folder / f"change_{statistic}.png"
            about = plot.subject(rows, [statistic], arguments["value"])
            title = ", ".join([f"Change within {lag} of {about}", *_keys(rows)])
            words = {"value": arguments["value"], "tuples": tuples, "title": title}
            plot.save(path, rows, picture=plot.change, **words)
            drawn.append(path)
    return drawn


def _tell_changes(
    changes: pd.DataFrame, arguments: Mapping[str, Any], tuples: str, lag: str
) -> None:
    for statistic in statistics_of(arguments):
        window = report.most_changed(changes, statistic)
        if window.empty:
            print(f"\nNo window of {statistic} has another one {lag} earlier to compare with.")
        else:
            words = {"value": arguments["value"], "tuples": tuples}
            print("", report.describe_change(window, lag, **words), sep="\n")


@contextmanager
def in_words() -> Iterator[None]:
    """Tell in one line what stopped Spark: a condition that divides by zero, a broken file."""
    try:
        yield
    except SPARK_ERRORS as error:
        raise ArgumentError(f"Spark stopped: {reason(error)}") from None
