"""A driver that is killed again and again loses no window and gives out none twice."""

from __future__ import annotations

import datetime as dt
import os
import random
import signal
import subprocess
import sys
import time
from pathlib import Path

import pandas as pd
import pytest
from stream_driver import explain
from test_streams import EPOCH, SCHEMA, by_window, rows, write

FILES, KILLS = 20, 5


def start(folder):
    with (folder / "log").open("ab") as log:
        driver = [sys.executable, str(Path(__file__).with_name("stream_driver.py")), str(folder)]
        # A process group of its own, by whose id the JVM dies together with Python.
        return subprocess.Popen(driver, stdout=log, stderr=log, start_new_session=True)


def committed(folder):
    """How many micro-batches are done."""
    return len([p for p in folder.glob("checkpoint/commits/*") if p.name.isdigit()])


def wait_for(process, done):
    deadline = time.monotonic() + 300
    while not done() and process.poll() is None and time.monotonic() < deadline:
        time.sleep(0.05)


def told(folder):
    return (folder / "log").read_text("utf-8")[-3000:]


@pytest.mark.slow
def test_five_kills(spark, tmp_path):
    frame = rows(4000)
    write(frame, tmp_path / "in", FILES - 1)
    write(frame.iloc[:1].assign(t=EPOCH + dt.timedelta(days=1)), tmp_path / "in", 1)
    moments = random.Random(6)
    for kill in range(KILLS):
        process = start(tmp_path)
        # Past some more commits, and then at any point of the next micro-batch.
        goal = 1 + kill * (FILES - 2) // KILLS + moments.randrange(2)
        wait_for(process, lambda goal=goal: committed(tmp_path) >= goal)
        time.sleep(moments.random())
        assert process.poll() is None, told(tmp_path)
        os.killpg(process.pid, signal.SIGKILL)
        process.wait()
        assert goal <= committed(tmp_path) < FILES
    assert start(tmp_path).wait() == 0, told(tmp_path)
    assert committed(tmp_path) >= FILES

    found = by_window(spark.read.parquet(str(tmp_path / "out")).toPandas(), "key")
    batch = explain(spark.read.schema(SCHEMA).parquet(str(tmp_path / "in"))).toPandas()
    # The last row, far ahead, opens windows that nothing closes.
    batch = by_window(batch[batch.window_start < EPOCH + dt.timedelta(hours=3)], "key")
    assert not found.duplicated(["key", "window_start", "statistic", "predicate"]).any()
    pd.testing.assert_frame_equal(found, batch, rtol=1e-12, atol=1e-11)
