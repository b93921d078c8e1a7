"""What a command is doing, on stderr: a line that renews itself on a terminal, else whole lines."""

from __future__ import annotations

import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any


@contextmanager
def step(text: str, spark: Any = None, *, lines: bool = False) -> Iterator[None]:
    """Show one step while it runs.

    Parameters
    ----------
    text : str
        What is being done, such as ``reading trips.csv``.
    spark : SparkSession, optional
        Whose running tasks to count.
    lines : bool
        Where there is no terminal, whether to write lines; without them stderr holds errors only.
    """
    live = sys.stderr.isatty()
    if not (live or lines):
        yield
        return
    stop = threading.Event()
    ticker = threading.Thread(target=_tick, args=(text, spark, stop, live), daemon=True)
    ticker.start()
    try:
        yield
    finally:
        stop.set()
        ticker.join()
        if live:
            print("\r\033[K", end="", file=sys.stderr, flush=True)


def _tick(text: str, spark: Any, stop: threading.Event, live: bool) -> None:
    """Renew the line twice a second; where there is no terminal, add one every ten seconds."""
    started, said = time.monotonic(), f"{text} …"
    while True:
        start, end = ("\r\033[K", "") if live else ("", "\n")
        print(f"{start}{said}", end=end, file=sys.stderr, flush=True)
        if stop.wait(0.5 if live else 10.0):
            return
        said = f"{text} … {time.monotonic() - started:.0f} s{_tasks(spark)}"


def _tasks(spark: Any) -> str:
    """How many tasks of the running stages are done; nothing where Spark does not tell."""
    try:
        tracker = spark.sparkContext.statusTracker()
        stages = [tracker.getStageInfo(stage) for stage in tracker.getActiveStageIds()]
    except Exception:  # progress is never a reason to fail
        return ""
    known = [stage for stage in stages if stage is not None]
    total = sum(stage.numTasks for stage in known)
    return f", {sum(s.numCompletedTasks for s in known)} of {total} tasks" if total else ""
