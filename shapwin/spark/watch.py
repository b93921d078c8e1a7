"""What ``shapwin watch`` does: explain what comes into a folder, for as long as it runs."""

from __future__ import annotations

import json
import os
import signal
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from threading import Event
from time import sleep
from typing import Any

import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F
from pyspark.sql import types as T
from pyspark.sql.streaming.query import StreamingQuery

from .. import report
from ..errors import ArgumentError, IntervalError
from ..progress import step
from ..usual import Usual
from .attribution import explain
from .checks import quoted
from .commands import in_words, queries_of, statistics_of
from .files import OBSERVED, SPARK_ERRORS, short, stream
from .intervals import microseconds
from .raw_files import ODD, Source, form_of, names_in
from .session import local_session, require_spark

# As many keys are told of at a time; all of them are in the files of --output.
MOST_KEYS = 5
# Spark skips what starts with _ where it reads the files of --output.
_CHECKPOINT, _QUESTION = "_checkpoint", "_question.json"


def watch(
    source: Source,
    arguments: Mapping[str, Any],
    *,
    late: str,
    jump: float,
    output: Path | None,
    once: bool,
) -> None:
    """Explain what comes into a folder: print the newest window, and any that jumps.

    Parameters
    ----------
    source : Source
        The folder.
    arguments : dict
        Those of `shapwin.explain`, with names of columns for `value` and `time`.
    late : str
        How late rows may come: windows are told of once no more are waited for.
    jump : float
        As in `Usual`.
    output : Path, optional
        The folder that gets the long table, one Parquet file a micro-batch. The next call with
        the same folder goes on where this one ended.
    once : bool
        Whether to end with the rows that are there.
    """
    delay = _delay(late)
    if not jump > 0:
        raise ArgumentError(f"--jump {jump}: give a number above 0")
    _check_folders(source.path, output)
    question = {"path": os.path.abspath(source.path), **arguments}
    if output is not None:
        _refuse_another(output, question)
    require_spark()
    try:
        _wait_for_a_file(source.path, once)
        form_of(source)
        with ExitStack() as stack, in_words():
            with step("starting Spark"):
                spark = stack.enter_context(local_session(short=True))
            stopped = stack.enter_context(_on_ctrl_c())
            with step(f"reading {source.path}", spark):
                explained, naive = _explained(spark, source, arguments, delay)
            teller = Teller(arguments, Usual(jump), output, naive)
            if output is not None:
                types = dict(explained.dtypes[: len(arguments["by"])])
                _note(output, {**question, "types of --by": types})
                teller.remember(output)
            place = output or Path(stack.enter_context(TemporaryDirectory(prefix="shapwin-")))
            writer = explained.writeStream.foreachBatch(teller)
            writer = writer.option("checkpointLocation", str(place.resolve() / _CHECKPOINT))
            query = (writer.trigger(availableNow=True) if once else writer).start()
            _follow(query, teller, stopped)
    except KeyboardInterrupt:
        print("\nStopped.")
        return
    if not teller.told:
        print(
            "No further window is complete: one is when a row comes later than its end by --late."
        )


def _delay(late: str) -> int:
    delay = microseconds("late", late, signed=True)
    if delay < 0:
        raise IntervalError(f"late={late!r} is negative: give '0 seconds' or more")
    return delay


def _check_folders(path: str, output: Path | None) -> None:
    """Refuse, before Spark starts, folders that cannot be watched or written to."""
    if "://" not in path and not os.path.isdir(path):
        raise ArgumentError(f"there is no folder {path}")
    folders = [path] if "://" not in path else []
    for folder in folders if output is None else [*folders, str(output)]:
        odd = ODD & set(os.path.abspath(folder))
        if odd:
            raise ArgumentError(
                f"{folder} has {min(odd)!r} in its name, which Spark takes for a pattern: rename it"
            )
    if output is not None and output.resolve().is_relative_to(Path(path).resolve()):
        raise ArgumentError(
            f"--output {output} is in the folder that is watched: give one outside of {path}"
        )


def _refuse_another(output: Path, question: Mapping[str, Any]) -> None:
    """Spark would go on with the sums of other windows and conditions, and not know it."""
    note = output / _QUESTION
    if not note.exists():
        return
    before = json.loads(note.read_text("utf-8"))
    for name, asked in question.items():
        if before.get(name, asked) != asked:
            raise ArgumentError(
                f"--output {output} goes on with {name} {before[name]!r}, and not {asked!r}: give "
                "another folder"
            )


def _note(output: Path, question: Mapping[str, Any]) -> None:
    _refuse_another(output, question)
    output.mkdir(parents=True, exist_ok=True)
    (output / _QUESTION).write_text(json.dumps(question, indent=2), "utf-8")


def _wait_for_a_file(path: str, once: bool) -> None:
    """The first file says which columns there are."""
    if "://" in path or names_in(path):
        return
    if once:
        raise ArgumentError(f"there is no file in {path}: without --once the command waits for one")
    print(f"Waiting for a first file in {path}.", flush=True)
    while not names_in(path):
        sleep(0.5)


def _explained(
    spark: SparkSession, source: Source, arguments: Mapping[str, Any], delay: int
) -> tuple[DataFrame, bool]:
    """The long table as a stream, and whether its times stand for those without a zone.

    Such times have no watermark; they are taken for UTC, the session's zone, for a while.
    """
    rows, time = stream(spark, source, arguments), arguments["time"]
    naive = isinstance(rows.schema[time].dataType, T.TimestampNTZType)
    rows = rows.withColumn(time, F.col(quoted(time)).cast("timestamp"))
    rows = rows.withWatermark(time, f"{delay} microseconds")
    return explain(rows, **{**arguments, "queries": queries_of(arguments)[0]}), naive


class Teller:
    """Prints, and writes, the windows of each micro-batch.

    Parameters
    ----------
    arguments : dict
        Those of `shapwin.explain`.
    usual : Usual
        What is usual so far.
    output : Path, optional
        The folder that gets the files.
    naive : bool
        Whether times are written without a zone, as they were read.
    """

    def __init__(
        self, arguments: Mapping[str, Any], usual: Usual, output: Path | None, naive: bool
    ) -> None:
        self._value = arguments["value"]
        self._statistics = statistics_of(arguments)
        self._queries = list(queries_of(arguments)[0])
        self._usual = usual
        self._output = output
        self._naive = naive
        self.told = False
        self.error: Exception | None = None

    def remember(self, folder: Path) -> None:
        """Learn what is usual from the files of earlier calls."""
        for path in sorted(folder.glob("explanation-*.parquet"))[-Usual.SIZE :]:
            self._sorted_out(pq.read_table(path).to_pandas())

    def __call__(self, explained: DataFrame, micro_batch: int) -> None:
        """Tell of one micro-batch."""
        try:
            self._tell(explained, micro_batch)
        except Exception as error:
            self.error = error
            raise

    def _tell(self, explained: DataFrame, micro_batch: int) -> None:
        rows = explained.toArrow()
        if rows.num_rows == 0:
            return
        rows = report.ordered(rows, self._statistics, self._queries)
        if self._naive:
            rows = _without_zone(rows)
        self._print(*self._sorted_out(rows.to_pandas()))
        # Last, so that a micro-batch which is repeated for want of its file is told of.
        if self._output is not None:
            _write(rows, self._output, micro_batch)
        self.told = True

    def _sorted_out(self, table: pd.DataFrame) -> tuple[list[pd.DataFrame], list[pd.DataFrame]]:
        """The windows that jump, in order of time, and the newest of each key that does not."""
        series = [*report.keys_of(table.columns), "statistic"]
        jumps: list[pd.DataFrame] = []
        newest: dict[str, pd.DataFrame] = {}
        windows = table.groupby(["window_start", *series], sort=False, dropna=False)
        for _, window in sorted(windows, key=lambda found: found[1]["window_start"].iloc[0]):
            of = str(window[series].iloc[0].tolist())  # as text NULL is equal to NULL
            usual, jumps_out = self._usual.add(of, float(window["value"].iloc[0]))
            window = window.assign(usual=usual)
            newest.pop(of, None)
            if jumps_out:
                jumps.append(window)
            else:
                newest[of] = window
        return jumps, list(newest.values())

    def _print(self, jumps: list[pd.DataFrame], newest: list[pd.DataFrame]) -> None:
        most = MOST_KEYS * len(self._statistics)
        for title, windows in (("A jump:", jumps), ("Now:", newest[:most])):
            for window in windows:
                text = report.describe(window, value=self._value, title=title)
                print(f"{text}\n", flush=True)
        if len(newest) > most:
            print(f"{len(newest) - most:,} more are in the files of --output.\n", flush=True)


def _without_zone(rows: pa.Table) -> pa.Table:
    for name in ("window_start", "window_end"):
        i = rows.schema.get_field_index(name)
        rows = rows.set_column(i, name, rows.column(i).cast(pa.timestamp("us")))
    return rows


def _write(rows: pa.Table, folder: Path, micro_batch: int) -> None:
    """Write a file as a whole or not at all; a micro-batch that is repeated replaces its own."""
    path = folder / f"explanation-{micro_batch:06}.parquet"
    unfinished = folder / f".{path.name}"
    pq.write_table(rows.replace_schema_metadata(None), unfinished)
    unfinished.replace(path)


def _follow(query: StreamingQuery, teller: Teller, stopped: Event) -> None:
    """Wait for the end, and tell of rows that are left out."""
    told = ""
    try:
        while not (stopped.is_set() or query.awaitTermination(1)):
            told = _tell_of_lost_rows(query, told)
        _tell_of_lost_rows(query, told)
    except SPARK_ERRORS as error:  # around the teller's own stand Java and Python
        raise (teller.error or error) from None
    finally:
        query.stop()
    if stopped.is_set():
        raise KeyboardInterrupt


@contextmanager
def _on_ctrl_c() -> Iterator[Event]:
    """An event that Ctrl-C sets: as an exception it would break into a call of Java.

    The second time it is what it was.
    """
    stopped = Event()

    def stop(*_: Any) -> None:
        stopped.set()
        signal.signal(signal.SIGINT, before)

    before = signal.signal(signal.SIGINT, stop)
    try:
        yield stopped
    finally:
        signal.signal(signal.SIGINT, before)


def _tell_of_lost_rows(query: StreamingQuery, after: str) -> str:
    """Tell of the micro-batches that began later, and return when the last one did."""
    for progress in query.recentProgress:
        if progress.timestamp <= after:
            continue
        after = progress.timestamp
        observed = progress.observedMetrics.get(OBSERVED)
        if observed is not None and observed["bad"]:
            count, example = f"{observed['bad']:,}", short(observed["example"])
            print(f"Left out as unreadable: {count} rows, such as {example}.", flush=True)
        if any(state.numRowsDroppedByWatermark for state in progress.stateOperators):
            print("Some rows came too late and are left out: wait longer with --late.", flush=True)
    return after
