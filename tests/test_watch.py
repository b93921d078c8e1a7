"""The command `watch`, run in this process with the tests' session."""

from __future__ import annotations

import signal

import pandas as pd
import pyarrow.parquet as pq
import pytest
from pyspark.sql import functions as F
from test_cli import refused

import shapwin
from shapwin.cli import main
from shapwin.spark.files import reason
from shapwin.usual import Usual

ASK = ["--value", "fare", "--time", "at", "--window", "1 hour", "--once"]
EU = ["--predicate", "eu=region = 'EU'"]


def arrivals(folder, hours, name):
    """A file with a trip every ten minutes, and 20 of them far dearer at 9 o'clock."""
    rows = [
        (f"2024-05-01 {hour:02}:{minute:02}", 10 + hour % 3 + 90 * (hour == 9 and minute > 10), r)
        for hour in hours
        for minute in range(0, 60, 10)
        for r in ("EU", "US")
    ]
    frame = pd.DataFrame(rows, columns=["at", "fare", "region"]).astype({"fare": object})
    frame.loc[1, "fare"] = "lost"
    frame.loc[2, "at"] = "soon"
    frame.to_csv(folder / name, index=False)


@pytest.fixture
def folder(tmp_path):
    path = tmp_path / "in"
    path.mkdir()
    arrivals(path, range(12), "0.csv")
    return path


def test_it_tells_of_the_newest_window_and_of_jumps_and_goes_on(spark, tmp_path, folder, capsys):
    out = tmp_path / "out"
    command = ["watch", str(folder), *ASK, *EU, "--output", str(out)]
    assert main(command) == 0
    told = capsys.readouterr().out
    assert told.count("A jump: avg(fare) from 2024-05-01 09:00 to 10:00") == 1
    assert told.count("A jump") == 1
    assert "Now: avg(fare) from 2024-05-01 10:00 to 11:00" in told
    assert "is usual" in told
    assert "Left out as unreadable: 2 rows, such as 'lost'." in told

    arrivals(folder, range(12, 15), "1.csv")
    assert main(command) == 0
    assert "Now: avg(fare) from 2024-05-01 13:00 to 14:00" in capsys.readouterr().out
    found = pd.concat(pq.read_table(path).to_pandas() for path in sorted(out.glob("*.parquet")))
    rows = spark.read.csv(str(folder), header=True)
    rows = rows.select(
        F.expr("try_cast(at AS TIMESTAMP_NTZ) at"),
        F.expr("try_cast(fare AS DOUBLE) fare"),
        "region",
    )
    expected = shapwin.explain(
        rows,
        value="fare",
        time="at",
        window="1 hour",
        every="1 hour",
        predicates={"eu": "region = 'EU'", "(none)": "region <> 'EU'"},
    ).toPandas()
    hours = found.groupby("predicate").window_start.agg(list)
    assert hours["eu"] == sorted(set(expected.window_start))[:-1] == hours["(none)"]
    both = found.merge(expected, on=["window_start", "predicate"])
    assert both.phi_x.to_numpy() == pytest.approx(both.phi_y.to_numpy(), rel=1e-12)


def test_jumps_are_told_of_by_what_earlier_calls_found(spark, tmp_path, capsys):
    path = tmp_path / "in"
    path.mkdir()
    command = ["watch", str(path), *ASK, *EU, "--output", str(tmp_path / "out")]
    for hours, jumps in ((range(9), 0), (range(9, 11), 1), (range(11, 13), 0)):
        arrivals(path, hours, f"{hours.start:02}.csv")
        assert main(command) == 0
        assert capsys.readouterr().out.count("A jump:") == jumps


@pytest.mark.parametrize("form", ["json", "parquet"])
def test_later_files_may_have_fractions_and_broken_rows(spark, tmp_path, form, capsys):
    frame = pd.DataFrame({"at": ["2024-05-01 10:00", "2024-05-01 12:00"], "fare": [1, 2]})
    later = frame.assign(at=["2024-05-01 13:00", "2024-05-01 15:00"], fare=[0.5, 3.0])
    path, out = tmp_path / "in", tmp_path / "out"
    path.mkdir()
    ask = [*ASK, "--predicate", "dear=fare > 1", "--output", str(out)]
    for name, rows in (("0", frame), ("1", later)):
        if form == "parquet":
            rows = rows.assign(at=pd.to_datetime(rows["at"]), fare=rows["fare"].astype(float))
            rows.to_parquet(path / f"{name}.parquet")
        else:
            lines = rows.to_json(orient="records", lines=True)
            (path / f"{name}.json").write_text(lines + '{"at": broken\n' * int(name), "utf-8")
        assert main(["watch", str(path), *ask]) == 0
    told = capsys.readouterr().out
    assert told.count("Left out as unreadable: 1 rows") == (form == "json")
    found = pd.concat(pq.read_table(part).to_pandas() for part in sorted(out.glob("*.parquet")))
    assert found.drop_duplicates("window_start").value.tolist() == [1.0, 2.0, 0.5]


def test_rows_too_late_are_told_of(spark, tmp_path, folder, capsys):
    command = ["watch", str(folder), *ASK, *EU, "--output", str(tmp_path / "out")]
    assert main(command) == 0
    assert "too late" not in capsys.readouterr().out
    arrivals(folder, [2], "late.csv")
    assert main(command) == 0
    told = capsys.readouterr().out
    assert "Some rows came too late and are left out: wait longer with --late." in told
    assert "No further window is complete" in told


def test_it_ends_with_ctrl_c(spark, folder, monkeypatch, capsys):
    def interrupt(query, after):
        signal.raise_signal(signal.SIGINT)
        return after

    monkeypatch.setattr("shapwin.spark.watch._tell_of_lost_rows", interrupt)
    assert main(["watch", str(folder), *ASK[:-1], *EU]) == 0
    assert capsys.readouterr().out.endswith("Stopped.\n")
    assert not spark.streams.active


def test_it_refuses_in_words(spark, tmp_path, folder, capsys):
    out = str(tmp_path / "out")
    command = ["watch", str(folder), *ASK, *EU]
    refused(capsys, ["watch", "nowhere", *ASK, *EU], "there is no folder nowhere")
    refused(capsys, [*command, "--late", "soon"], "--late 'soon' is no interval")
    refused(capsys, [*command, "--late", "-1 hour"], "--late '-1 hour' is negative")
    refused(capsys, [*command, "--jump", "-1"], "--jump -1.0")
    refused(capsys, [*command, "--output", str(folder / "out")], "in the folder that is watched")
    refused(capsys, ["watch", str(folder), *ASK, "--predicate", "eu=regoin = 'EU'"], "'eu' cannot")
    refused(capsys, [*command, "--value", "fair"], "--value 'fair': there is no such column")
    zero = ["--predicate", "x=1 / (fare - 10) > 0"]
    refused(capsys, [*command, *zero], "Spark stopped: Division by zero")
    assert main([*command, "--output", out]) == 0
    refused(
        capsys,
        [*command, "--output", out, "--every", "30 minutes"],
        "goes on with every '1 hour', and not '30 minutes': give another folder",
    )
    for name, word in (("empty", "there is no file in"), ("odd[1]", "'[' in its name")):
        (tmp_path / name).mkdir()
        refused(capsys, ["watch", str(tmp_path / name), *ASK, *EU], word)
    (folder / "2.csv").write_text("fare,at\n1,2024-05-01\n", "utf-8")
    refused(capsys, command, "have different columns: watch a folder for each kind")


def test_a_key_of_another_type_is_refused(spark, tmp_path, capsys):
    ask = [*ASK, "--predicate", "dear=fare > 1", "--by", "key", "--output", str(tmp_path / "out")]
    (tmp_path / "in").mkdir()
    for key, code in (("1", 0), ("b", 2)):
        rows = f"at,fare,key\n2024-05-01 10:00,1,{key}\n"
        (tmp_path / "in" / f"{key}.csv").write_text(rows, "utf-8")
        assert main(["watch", str(tmp_path / "in"), *ask]) == code
    assert "goes on with types of --by {'key': 'int'}" in capsys.readouterr().err


def test_the_words_of_a_query_that_failed():
    told = "[STREAM_FAILED] Query [id = 1, runId = 2] terminated with exception: [NO_KEY] No key."
    assert reason(ValueError(told)) == "No key"


def test_usual_is_the_median_of_what_was_before():
    usual = Usual(3.0, least=3)
    found = [usual.add("a", value) for value in [1.0, 2.0, 3.0, 9.0, 8.0, 2.0, 9.0, float("nan")]]
    assert [jumps for _, jumps in found] == [False] * 3 + [True] + [False] * 2 + [True, False]
    assert found[3] == (2.0, True)
    assert usual.add("b", 100.0)[1] is False
    for value in range(2 * Usual.SIZE):
        middle, _ = usual.add("c", float(value))
    assert middle == 1.5 * Usual.SIZE - 1.5
