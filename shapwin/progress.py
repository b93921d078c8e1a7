"""What a command is doing, on stderr: whole lines, and on a terminal Spark's count of tasks."""

from __future__ import annotations

import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any


@contextmanager
def step(text: str, spark: Any = None) -> Iterator[None]:
    """Show one step while it runs, and how long it took.

    Parameters
    ----------
    text : str
        What is being done, such as ``reading trips.csv``.
    spark : SparkSession, optional
        Whose running tasks to count.
    """
    started = time.monotonic()
    live = sys.stderr.isatty()
    stop = threading.Event()
    ticker = threading.Thread(target=_tick, args=(text, spark, started, stop, live), daemon=True)
    print(f"{text} …", end="" if live else "\n", file=sys.stderr, flush=True)
    ticker.start()
    try:
        yield
    finally:
        stop.set()
        ticker.join()
        if live:
            seconds = time.monotonic() - started
            print(f"\r\033[K{text} … {seconds:.1f} s", file=sys.stderr, flush=True)


def _tick(text: str, spark: Any, started: float, stop: threading.Event, live: bool) -> None:
    """Refresh the line twice a second; where there is no terminal, add one every ten seconds."""
    while not stop.wait(0.5 if live else 10.0):
        said = f"{text} … {time.monotonic() - started:.0f} s{_tasks(spark)}"
        print(f"\r\033[K{said}" if live else said, end="" if live else "\n", file=sys.stderr)
        sys.stderr.flush()


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
