"""The commands, run in this process with the tests' session unless they must not be."""

import json
import os
import subprocess
import sys
import zlib

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import shapwin
from shapwin import Summary, closed_form, java, report
from shapwin.cli import main
from shapwin.errors import DependencyError

ROWS = [
    # time, fare, region, distance
    ("2024-05-01 10:00:00", 2.0, "EU", 1),
    ("2024-05-01 10:20:00", 4.0, "US", 2),
    ("2024-05-01 10:40:00", None, "EU", 3),
    ("2024-05-01 10:59:59", 10.0, "EU", 20),
    ("2024-05-01 11:00:00", 7.0, "US", 30),
]
ASK = ["--value", "fare", "--time", "at", "--window", "1 hour"]
EU = ["--predicate", "eu=region = 'EU'"]


@pytest.fixture
def trips(tmp_path):
    path = tmp_path / "trips.csv"
    frame().to_csv(path, index=False)
    return path


def frame():
    return pd.DataFrame(ROWS, columns=["at", "fare", "region", "distance"])


def explained(tmp_path, path, *options):
    """Run explain into a folder, and read what it wrote."""
    out = tmp_path / "out"
    code = main(["explain", str(path), *ASK, *EU, "--output", str(out), "--no-plot", *options])
    assert code == 0
    return pd.read_csv(out / "explanation.csv")


def check(table):
    """The two hours of ROWS and their AVG, against the core."""
    expected = [
        closed_form("avg", Summary.of([2.0, 4.0, 10.0]), Summary.of([2.0, 10.0])),
        closed_form("avg", Summary.of([7.0]), Summary.of([])),
    ]
    assert table["window_start"].tolist() == ["2024-05-01 10:00:00", "2024-05-01 11:00:00"]
    assert table["window_end"].tolist() == ["2024-05-01 11:00:00", "2024-05-01 12:00:00"]
    assert table["n"].tolist() == [3, 1]
    assert table["m"].tolist() == [2, 0]
    for name in ("value", "phi", "share", "lift", "weight"):
        np.testing.assert_allclose(table[name], [getattr(e, name) for e in expected], rtol=1e-12)


# ---- explain: what comes out -----------------------------------------------------------------


def test_explain_writes_the_same_table_as_csv_and_parquet(spark, tmp_path, trips):
    table = explained(tmp_path, trips)
    check(table)
    parquet = pq.read_table(tmp_path / "out" / "explanation.parquet")
    assert parquet.schema.names == list(table.columns)
    assert parquet.schema.field("window_start").type == pa.timestamp("us")
    pd.testing.assert_frame_equal(
        parquet.to_pandas().drop(columns=["window_start", "window_end"]),
        table.drop(columns=["window_start", "window_end"]),
    )


def test_explain_is_shapwin_explain(spark, tmp_path, trips):
    long = ["--predicate", "long=distance >= 3", "--query", "both=eu AND long"]
    table = explained(tmp_path, trips, *long, "--every", "30 minutes", "--statistic", "var_pop,sum")
    df = spark.read.csv(str(trips), header=True, inferSchema=True)
    direct = shapwin.explain(
        df,
        value="fare",
        time="at",
        window="1 hour",
        every="30 minutes",
        predicates={"eu": "region = 'EU'", "long": "distance >= 3"},
        queries={"both": "eu AND long"},
        statistics=["var_pop", "sum"],
    ).toPandas()
    assert table["statistic"].tolist() == ["var_pop", "sum"] * 4
    order = ["window_start", "statistic"]
    table["window_start"] = pd.to_datetime(table["window_start"])
    table, direct = table.sort_values(order), direct.sort_values(order)
    assert table["predicate"].tolist() == direct["predicate"].tolist() == ["both"] * 8
    np.testing.assert_allclose(table["phi"], direct["phi"], rtol=1e-12)


def test_explain_prints_the_most_striking_window(spark, trips, capsys):
    assert main(["explain", str(trips), *ASK, *EU]) == 0
    printed, errors = capsys.readouterr()
    assert "The most striking window of avg(fare) from 2024-05-01 10:00 to 11:00" in printed
    assert "avg(fare) is 5.33 over 3 rows" in printed
    assert "eu, 2 of 3 rows (67%), accounts for 4.56" in printed
    assert "(none)" in printed
    assert errors == ""
    assert not os.path.exists("explanation.png")


def test_explain_draws_and_writes_where_it_is_told(spark, tmp_path, trips, monkeypatch, capsys):
    out = tmp_path / "new" / "folder"
    assert main(["explain", str(trips), *ASK, *EU, "--output", str(out)]) == 0
    written = ["explanation.csv", "explanation.parquet", "explanation.png"]
    assert sorted(path.name for path in out.iterdir()) == written
    printed = capsys.readouterr().out
    assert all(str(out / name) in printed for name in written)
    monkeypatch.chdir(tmp_path)
    assert main(["explain", str(trips), *ASK, *EU, "--plot"]) == 0
    assert (tmp_path / "explanation.png").read_bytes().startswith(b"\x89PNG")
    assert not (tmp_path / "explanation.csv").exists()


def test_explain_by_keys(spark, tmp_path, trips, capsys):
    table = explained(tmp_path, trips, "--by", "region", "--plot")
    assert table["region"].tolist() == ["EU", "US", "US"]
    assert "region = " in capsys.readouterr().out


def test_explain_covariance_and_right_closed_windows(spark, tmp_path, trips):
    table = explained(
        tmp_path, trips, "--statistic", "covar_pop", "--other", "distance", "--closed", "right"
    )
    assert table["n"].tolist() == [1, 3]
    y, x = [4.0, 10.0, 7.0], [2.0, 20.0, 30.0]
    expected = closed_form("covar_pop", Summary.of(y, x), Summary.of(y[1:2], x[1:2]))
    assert table["phi"][1] == pytest.approx(expected.phi)


def test_explain_compares_windows_with_earlier_ones(spark, tmp_path, capsys):
    rows = frame()
    rows["region"] = ["US", "EU", "EU", "EU", "US"]
    later = rows.assign(at=rows["at"].str.replace("05-01", "05-02"), fare=rows["fare"] * 3)
    path, out = tmp_path / "two.csv", tmp_path / "out"
    pd.concat([rows, later]).to_csv(path, index=False)
    options = ["--statistic", "avg,sum", "--compare", "1 day", "--output", str(out)]
    assert main(["explain", str(path), *ASK, *EU, *options]) == 0
    printed = capsys.readouterr().out
    names = ["change_avg.png", "change_sum.png", "comparison.csv", "comparison.parquet"]
    assert sorted(file.name for file in out.iterdir())[:4] == names
    assert all(str(out / name) in printed for name in names)

    table = pd.read_csv(out / "comparison.csv")
    assert set(table["predicate"]) == {"eu"}
    explained = spark.read.parquet(str(out / "explanation.parquet"))
    direct = shapwin.compare(explained, lag="1 day").orderBy("window_start", "statistic").toPandas()
    assert list(table.columns) == list(direct.columns)
    assert table["statistic"].tolist() == direct["statistic"].tolist() == ["avg", "sum"] * 4
    np.testing.assert_allclose(table["d_phi"], direct["d_phi"], rtol=1e-12)
    now = closed_form("avg", Summary.of([6.0, 12.0, 30.0]), Summary.of([12.0, 30.0]))
    avg = table[table["statistic"] == "avg"].set_index("window_start")
    assert avg.loc["2024-05-02 10:00:00", "d_phi"] == pytest.approx(now.phi * 2 / 3)
    assert avg.loc["2024-05-01 10:00:00":"2024-05-01 11:00:00", "d_phi"].isna().all()

    title = "The largest change of avg(fare) within 1 day: 2024-05-02 11:00 to 12:00"
    assert title in printed
    assert "avg(fare) is 21.00 over 1 rows, 14.00 more than 1 day before over 1" in printed
    changes = printed[printed.index(title) :]
    assert [line.split()[0] for line in changes.splitlines()[3:6]] == ["avg(fare)", "eu", "(none)"]


def test_explain_without_earlier_windows_says_so(spark, trips, capsys):
    assert main(["explain", str(trips), *ASK, *EU, "--compare", "1 day"]) == 0
    assert "No window of avg has another one 1 day earlier" in capsys.readouterr().out


def test_explain_without_values_says_so(spark, tmp_path, capsys):
    path = tmp_path / "empty.csv"
    frame().assign(fare=None).to_csv(path, index=False)
    table = explained(tmp_path, path, "--time-format", "yyyy-MM-dd HH:mm:ss")
    assert table.empty
    assert "No window holds a value." in capsys.readouterr().out


# ---- explain: what goes in -------------------------------------------------------------------


def json_lines(path):
    frame().to_json(path, orient="records", lines=True)


def json_array(path):
    path.write_text(
        json.dumps(frame().astype(object).where(frame().notna(), None).to_dict("records"), indent=2)
    )


def naive_parquet(path):
    frame().assign(at=pd.to_datetime(frame()["at"]).astype("datetime64[us]")).to_parquet(path)


def nanosecond_parquet(path):
    frame().assign(at=pd.to_datetime(frame()["at"]).astype("datetime64[ns]")).to_parquet(path)


def utc_parquet(path):
    at = pd.to_datetime(frame()["at"], utc=True).astype("datetime64[us, UTC]")
    frame().assign(at=at).to_parquet(path)


def folder_of_csv(path):
    path.mkdir()
    frame()[:2].to_csv(path / "1.csv", index=False)
    frame()[2:].to_csv(path / "2.csv", index=False)
    (path / "_SUCCESS").touch()


def compressed(path):
    frame().to_csv(path, index=False)


def tabs(path):
    frame().to_csv(path, index=False, sep="\t")


@pytest.mark.parametrize(
    ("name", "make"),
    [
        ("trips.json", json_lines),
        ("array.json", json_array),
        ("trips.ndjson", json_lines),
        ("trips.parquet", naive_parquet),
        ("nano.parquet", nanosecond_parquet),
        ("utc.pq", utc_parquet),
        ("folder", folder_of_csv),
        ("trips.csv.gz", compressed),
        ("trips.tsv", tabs),
        ("it's [1]: `odd` name.csv", compressed),
    ],
)
def test_every_form_of_file_gives_the_same(spark, tmp_path, name, make):
    make(tmp_path / name)
    check(explained(tmp_path, tmp_path / name))


def test_form_and_delimiter_can_be_told(spark, tmp_path):
    path = tmp_path / "trips.data"
    frame().to_csv(path, index=False, sep=";")
    check(explained(tmp_path, path, "--format", "csv", "--delimiter", ";"))


@pytest.mark.parametrize(
    ("write", "options"),
    [
        ("%m/%d/%Y %I:%M:%S %p", ["--time-format", "MM/dd/yyyy hh:mm:ss a"]),
        ("%Y%m%d%H%M%S", ["--time-format", "yyyyMMddHHmmss"]),
        ("%s", ["--time-format", "seconds"]),
        ("%s000", ["--time-format", "milliseconds"]),
        ("%Y-%m-%dT%H:%M:%SZ", []),
        ("%Y-%m-%dT%H:%M:%S", []),
    ],
)
def test_times_that_are_text_or_numbers(spark, tmp_path, monkeypatch, write, options):
    monkeypatch.setenv("TZ", "UTC")
    path = tmp_path / "trips.csv"
    at = pd.to_datetime(frame()["at"])
    seconds = at.astype("datetime64[s]").astype("int64").astype(str)
    text = seconds + write[2:] if write.startswith("%s") else at.dt.strftime(write)
    frame().assign(at=text).to_csv(path, index=False)
    check(explained(tmp_path, path, *options))


def test_times_of_mixed_zones_are_shown_in_utc(spark, tmp_path):
    path = tmp_path / "trips.csv"
    times = ["2024-05-01T12:00:00+02:00", "2024-05-01T10:20:00Z", "2024-05-01T05:40:00-05:00"]
    frame()[:3].assign(at=times).to_csv(path, index=False)
    assert explained(tmp_path, path)["window_start"].tolist() == ["2024-05-01 10:00:00"]


def test_markers_of_null_and_unreadable_rows(spark, tmp_path, capsys):
    path = tmp_path / "trips.csv"
    frame().to_csv(path, index=False, na_rep="NA")
    check(explained(tmp_path, path, "--null-value", "NA"))
    check(explained(tmp_path, path, "--skip-bad"))
    refused(
        capsys,
        ["explain", str(path), *ASK, *EU],
        "'fare' has no number in 1 of 5 rows",
        "'NA'",
        "--null-value",
    )
    times = frame()["at"].where(frame().index > 0, "Total")
    frame().assign(at=times).to_csv(path, index=False)
    refused(
        capsys,
        ["explain", str(path), *ASK, *EU],
        "'at' has no timestamp in 1 of 5 rows",
        "'Total'",
        "--time-format",
    )


# ---- wrong calls -----------------------------------------------------------------------------


def refused(capsys, arguments, *words):
    """Exit code 2, and one or two lines on stderr with these words."""
    capsys.readouterr()
    assert main(arguments) == 2
    error = capsys.readouterr().err
    assert error.startswith("shapwin: ")
    assert len(error.splitlines()) <= 2
    for word in words:
        assert word in error


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (["--predicate", "x=region ="], ["predicate 'x' does not parse", "region ="]),
        (["--predicate", "x=nowhere = 1"], ["predicate 'x'", "nowhere"]),
        (["--predicate", "x=region"], ["STRING, not BOOLEAN"]),
        (["--predicate", "region"], ["write name=condition"]),
        (["--predicate", "eu=fare > 1"], ["'eu' is given twice"]),
        (["--predicate", "x=1 / (distance - 1) > 0"], ["Spark stopped", "zero"]),
        (["--query", "q=eu AND nothing"], ["query 'q'", "nothing"]),
        (["--value", "fair"], ["no such column", "did you mean 'fare'"]),
        (["--value", "region"], ["'region' has no number"]),
        (["--time", "when"], ["no such column"]),
        (["--time", "region"], ["'region' has no timestamp"]),
        (["--time", "distance"], ["--time-format"]),
        (["--time", "region", "--time-format", "YYYY"], ["'region' cannot be read"]),
        (["--window", "1 month"], ["no fixed length"]),
        (["--window", "-1 hour"], ["not positive"]),
        (["--compare", "1 month"], ["--compare '1 month' has no fixed length"]),
        (["--every", "often"], ["'often' is no interval"]),
        (["--statistic", "median"], ["median"]),
        (["--statistic", "covar_pop"], ["covar_pop"]),
        (["--by", "nowhere"], ["no such column"]),
        (["--by", "at,at"], ["twice"]),
        (["--format", "json"], ["as json"]),
        (["--format", "parquet"], ["cannot read", "as parquet"]),
    ],
)
def test_wrong_arguments_are_refused_in_words(spark, trips, capsys, change, words):
    refused(capsys, ["explain", str(trips), *ASK, *EU, *change], *words)


def test_wrong_files_are_refused_in_words(spark, tmp_path, capsys):
    (tmp_path / "empty.csv").touch()
    (tmp_path / "broken.parquet").write_bytes(b"PAR1 not really PAR1")
    (tmp_path / "broken.json").write_text("{nothing")
    (tmp_path / "broken.csv.gz").write_bytes(b"not gzip")
    (tmp_path / "unknown.xyz").touch()
    (tmp_path / "folder").mkdir()
    (tmp_path / "latin.csv").write_text("at;fare;region\n2024-05-01;1;EU\n")
    for name, word in [
        ("missing.csv", "there is no file"),
        ("empty.csv", "cannot read"),
        ("broken.parquet", "cannot read"),
        ("broken.json", "cannot read"),
        ("broken.csv.gz", "cannot read"),
        ("unknown.xyz", "--format"),
        ("folder", "--format"),
        ("latin.csv", "no such column"),
    ]:
        refused(capsys, ["explain", str(tmp_path / name), *ASK, *EU], word)


def test_output_that_cannot_be_written(spark, tmp_path, trips, capsys):
    refused(capsys, ["explain", str(trips), *ASK, *EU, "--output", str(trips)], "trips.csv")


def test_arguments_that_are_missing(capsys):
    for arguments in ([], ["explain"], ["explain", "x.csv", "--value", "y"], ["explode"]):
        assert main(arguments) == 2
        lines = capsys.readouterr().err.splitlines()
        assert len(lines) == 2
        assert "--help" in lines[1]


def test_picture_without_matplotlib(tmp_path, trips, monkeypatch, capsys):
    for name in ("matplotlib", "matplotlib.pyplot", "matplotlib.figure"):
        monkeypatch.setitem(sys.modules, name, None)
    out = tmp_path / "out"
    arguments = ["explain", str(trips), *ASK, *EU, "--output", str(out)]
    refused(capsys, arguments, "pip install 'shapwin[plot]'", "--no-plot")
    assert not out.exists()


# ---- what needs no Spark ---------------------------------------------------------------------


def test_help_and_version(capsys):
    for command in ([], ["explain"], ["watch"], ["demo"]):
        assert main([*command, "--help"]) == 0
    assert main(["--version"]) == 0
    printed = capsys.readouterr().out
    assert "shapwin explain trips.csv" in printed
    assert "shapwin watch incoming" in printed
    assert f"shapwin {shapwin.__version__}" in printed


def test_the_command_line_loads_no_spark():
    code = "import sys, shapwin.cli as c; c.main(['--help']); assert 'pyspark' not in sys.modules"
    assert subprocess.run([sys.executable, "-c", code], capture_output=True).returncode == 0


def test_shells_get_their_arguments_untouched(monkeypatch):
    from shapwin.spark import shell

    for command, name in (("spark-sql", "spark_sql"), ("thriftserver", "thriftserver")):
        monkeypatch.setattr(shell, name, lambda args: 7 if args == ["--help", "-e", "x"] else 1)
        assert main([command, "--help", "-e", "x"]) == 7


def test_without_java_the_mend_is_named(tmp_path):
    env = {**os.environ, "PATH": str(tmp_path)}
    env.pop("JAVA_HOME", None)
    command = [sys.executable, "-m", "shapwin.cli", "demo", "--output", str(tmp_path / "out")]
    ended = subprocess.run(command, env=env, capture_output=True, text=True)
    assert ended.returncode == 2
    assert ended.stderr.startswith("shapwin: Spark needs Java")
    assert "install Java 17 or later" in ended.stderr
    assert len(ended.stderr.splitlines()) == 1
    assert ended.stdout == ""


@pytest.mark.parametrize(
    ("told", "refusal"),
    [
        ('openjdk version "17.0.15" 2025-04-15', None),
        ('openjdk version "21" 2023-09-19', None),
        ('java version "1.8.0_381"', "is Java 8"),
        ('openjdk version "11.0.2" 2019-01-15', "is Java 11"),
    ],
)
def test_the_version_of_java_is_asked(tmp_path, monkeypatch, told, refusal):
    (tmp_path / "bin").mkdir()
    program = tmp_path / "bin" / "java"
    program.write_text(f"#!/bin/sh\necho '{told}' >&2\n")
    program.chmod(0o755)
    monkeypatch.setenv("JAVA_HOME", str(tmp_path))
    if refusal is None:
        java.require_java()
    else:
        with pytest.raises(DependencyError, match=refusal):
            java.require_java()


def test_java_home_that_holds_no_java(tmp_path, monkeypatch):
    monkeypatch.setenv("JAVA_HOME", str(tmp_path))
    with pytest.raises(DependencyError, match="has no bin/java"):
        java.require_java()


# ---- files that are not all of one piece -----------------------------------------------------


@pytest.mark.parametrize("hidden", ["address", "compressed"])
def test_headers_that_cannot_be_seen_beforehand_are_held_to_the_names(
    spark, tmp_path, capsys, hidden
):
    folder = tmp_path / "folder"
    folder.mkdir()

    def write(name, table):
        text = table.to_csv(index=False).encode()
        if hidden == "compressed":
            (folder / f"{name}.csv.deflate").write_bytes(zlib.compress(text))
        else:
            (folder / f"{name}.csv").write_bytes(text)

    path = folder.as_uri() if hidden == "address" else str(folder)
    write("1", frame()[:2])
    write("2", frame()[2:])
    check(explained(tmp_path, path, "--format", "csv"))
    ask = ["explain", path, *ASK, *EU, "--format", "csv"]
    write("2", frame()[2:][["at", "distance", "region", "fare"]])
    refused(capsys, ask, "CSV header does not conform to the schema")
    write("2", frame()[2:].assign(tip=1.5))
    refused(capsys, ask, "CSV header")


def test_a_folder_of_csv_is_read_by_name(spark, tmp_path, capsys):
    folder = tmp_path / "folder"
    folder.mkdir()
    frame()[:2].to_csv(folder / "1.csv", index=False)
    frame()[2:].assign(tip=1.5)[["tip", "region", "distance", "fare", "at"]].to_csv(
        folder / "2.csv", index=False
    )
    check(explained(tmp_path, folder))
    frame()[2:].assign(fare=["x", "y", "7"])[["fare", "at", "region"]].to_csv(
        folder / "2.csv", index=False
    )
    ask = ["explain", str(folder), *ASK, *EU]
    refused(capsys, ask, "'fare' has no number in 2 of 5 rows", "'x'")
    frame()[2:].to_csv(folder / "2.csv", index=False, header=False)
    refused(capsys, ask, "2.csv has no column 'at'")


TIMES = "at,fare,region\n2024-05-01 10:00,1,EU\n{time},2,US\n"


@pytest.mark.parametrize("time", ["0001-01-01 00:00", "9999-12-31 23:59:59", "+55991-01-01"])
def test_times_at_the_ends_of_the_calendar_are_refused(spark, tmp_path, capsys, time):
    path = tmp_path / "trips.csv"
    path.write_text(TIMES.format(time=time))
    ask = ["explain", str(path), *ASK, *EU]
    refused(capsys, ask, "'at' has 1 of 2 times too far", time[:5], "--skip-bad")
    assert main([*ask, "--skip-bad"]) == 0
    assert "Left out as unreadable: 1 of 2 rows." in capsys.readouterr().out


def test_milliseconds_read_as_seconds_are_recognised(spark, tmp_path, capsys):
    path = tmp_path / "trips.csv"
    path.write_text("at,fare,region\n1704762000000,14,EU\n1704762600000,11,US\n")
    ask = ["explain", str(path), *ASK, *EU, "--time-format", "seconds"]
    refused(capsys, ask, "from '+55991-", "--time-format milliseconds")


HEAD = "at,fare,region,note\n2024-05-01 10:00,2,EU,ok\n"


@pytest.mark.parametrize(
    ("name", "text", "example"),
    [
        ("few.csv", HEAD + "2024-05-01 10:01,9\n", "'2024-05-01 10:01,9'"),
        ("many.csv", HEAD + "2024-05-01 10:01,9,EU,ok,more\n", "more'"),
        (
            "line.jsonl",
            '{"at": "2024-05-01 10:00", "fare": 2, "region": "EU"}\n{oops\n',
            "'{oops'",
        ),
    ],
)
def test_broken_rows_are_bad_rows(spark, tmp_path, capsys, name, text, example):
    path = tmp_path / name
    path.write_text(text)
    ask = ["explain", str(path), *ASK, *EU]
    refused(capsys, ask, "1 of 2 rows of", "are broken", example, "--skip-bad")
    table = explained(tmp_path, path, "--skip-bad")
    assert (table["n"].tolist(), table["value"].tolist()) == ([1], [2])
    assert "Left out as unreadable: 1 of 2 rows." in capsys.readouterr().out


@pytest.mark.parametrize("encoding", ["utf-8", "utf-16", "latin1", "cp1252"])
def test_quoted_newlines_and_encodings(spark, tmp_path, encoding):
    path = tmp_path / "trips.csv"
    path.write_text(HEAD + '2024-05-01 10:01,4,Mü,"one\ntwo, 3"\n', encoding=encoding)
    ask = ["--encoding", encoding, "--predicate", "de=region = 'Mü'"]
    table = explained(tmp_path, path, *ask)
    assert table[["n", "value", "m"]].to_numpy().tolist() == [[2, 3, 1], [2, 3, 1]]


def test_wrong_headers_and_encodings(spark, tmp_path, capsys):
    path = tmp_path / "trips.csv"
    ask = ["explain", str(path), *ASK, *EU]
    path.write_text("at,fare,Fare,region\n2024-05-01 10:00,2,3,EU\n")
    refused(capsys, ask, "has two columns 'fare' and 'Fare'")
    path.write_text(HEAD + "2024-05-01 10:01,4,Mü,\n", "latin1")
    refused(capsys, ask, "is not utf-8", "--encoding latin1")
    refused(capsys, [*ask, "--encoding", "klingon"], "--encoding 'klingon' is unknown")
    path.write_text("")
    refused(capsys, ask, "it is empty")
    path.write_text(HEAD)
    refused(capsys, [*ask, "--delimiter", "\\"], "--delimiter")
    refused(capsys, [*ask, "--predicate", "x=region RLIKE '('"], "Spark stopped: Unclosed group")
    refused(capsys, ["explain", "s3a://a/b.csv", *ASK, *EU], "S3AFileSystem not found")
    refused(capsys, [*ask, "--value", "fair"], "--value 'fair': there is no such column")


def test_the_second_column_is_read_like_the_first(spark, tmp_path, capsys):
    path = tmp_path / "trips.csv"
    frame().assign(distance=["1", "2", "3", "NA", "30"]).to_csv(path, index=False)
    ask = ["--statistic", "covar_pop", "--other", "distance"]
    refused(
        capsys,
        ["explain", str(path), *ASK, *EU, *ask],
        "'distance' has no number in 1 of 5 rows",
        "--null-value",
    )
    assert explained(tmp_path, path, *ask, "--null-value", "NA")["n"].tolist() == [2, 1]


def test_endless_results_are_refused_before_they_are_computed(trips, capsys):
    ask = ["explain", str(trips), "--value", "fare", "--time", "at", *EU]
    endless = ["--window", "30000 days", "--every", "1 minute"]
    refused(capsys, [*ask, *endless], "'30000 days'", "'1 minute'", "rows of result")
    refused(capsys, [*ask, "--window", "10000000 days", "--every", "1 day"], "--window", "longer")


def test_many_stretches_of_time_are_counted(spark, tmp_path, capsys):
    path = tmp_path / "trips.csv"
    times = pd.date_range("2024-01-01", periods=40, freq="D")
    pd.DataFrame({"at": times, "fare": 1.0, "region": "EU"}).to_csv(path, index=False)
    ask = ["--value", "fare", "--time", "at", "--window", "1 day", "--every", "500 milliseconds"]
    refused(capsys, ["explain", str(path), *ask, *EU], "rows of result", "--every")


def test_no_error_of_a_conversion_is_a_traceback(trips, monkeypatch, capsys):
    from shapwin.spark import commands

    for error in (pa.ArrowInvalid("too large"), OverflowError("too large")):
        monkeypatch.setattr(commands, "explain", lambda *_, e=error, **__: (_ for _ in ()).throw(e))
        refused(capsys, ["explain", str(trips), *ASK, *EU], "too large")


# ---- the report ------------------------------------------------------------------------------


def windows(values, sizes):
    return pd.DataFrame(
        {
            "window_start": pd.date_range("2024-05-01", periods=len(values), freq="h"),
            "statistic": "avg",
            "predicate": "p",
            "n": sizes,
            "value": values,
        }
    )


@pytest.mark.parametrize(
    ("values", "sizes", "chosen"),
    [
        ([1.0, 2.0, 9.0, 2.0], [8, 8, 8, 8], 2),
        ([1.0, 2.0, 9.0, 99.0], [8, 8, 8, 2], 2),
        ([1.0, 2.0, -9.0, 2.0], [8, 8, 8, 8], 2),
        ([5.0, 1.0, 3.0, 3.0], [8, 8, 8, 8], 0),
        ([1.0, np.nan, 9.0, 2.0], [8, 8, 8, 8], 2),
        ([np.inf, 1.0, 2.0], [8, 8, 8], 0),
    ],
    ids=["farthest", "large enough", "below", "first of equals", "no NaN", "infinite"],
)
def test_the_most_striking_window(values, sizes, chosen):
    table = windows(values, sizes)
    found = report.striking(table, "avg")
    assert found["window_start"].tolist() == [table["window_start"][chosen]]


# ---- demo ------------------------------------------------------------------------------------


def test_demo(spark, tmp_path, capsys):
    out = tmp_path / "demo"
    assert main(["demo", "--output", str(out)]) == 0
    printed, progress = capsys.readouterr()
    assert "explaining every window …" in progress.splitlines()
    assert "avg(dep_delay) is 95.61 over 28 flights" in printed
    assert (
        "florida, 5 of 28 flights (18%), accounts for 64.34: 28.79 is the share, 35.55" in printed
    )
    assert "865 of 1,614 flights were cancelled" in printed
    assert (out / "explanation.png").read_bytes().startswith(b"\x89PNG")
    table = pd.read_csv(out / "explanation.csv", parse_dates=["window_start"])
    assert len(pd.read_parquet(out / "explanation.parquet")) == len(table)
    assert set(table["predicate"]) == {"kennedy", "florida", "regional"}

    flights = pd.read_parquet(shapwin.demo.PATH)
    start = pd.Timestamp("2013-02-11 21:00")
    hour = flights[flights["sched_dep"].between(start, start + pd.Timedelta("59min 59s"))]
    hour = hour[hour["dep_delay"].notna()]
    jfk = hour[hour["origin"] == "JFK"]
    for statistic in ("avg", "var_pop"):
        expected = closed_form(
            statistic, Summary.of(hour["dep_delay"]), Summary.of(jfk["dep_delay"])
        )
        row = table[(table["window_start"] == start) & (table["statistic"] == statistic)]
        row = row[row["predicate"] == "kennedy"].iloc[0]
        assert row["phi"] == pytest.approx(expected.phi, rel=1e-12)
        assert row["value"] == pytest.approx(expected.value, rel=1e-12)


def test_the_story_of_the_demo_is_in_the_data():
    flights = pd.read_parquet(shapwin.demo.PATH)
    storm = flights[flights["sched_dep"].dt.day.isin([8, 9])]
    assert (storm["dep_delay"].isna().sum(), len(storm)) == (865, 1_614)
    feeders = {"9E", "EV", "MQ", "YV"}
    assert feeders <= set(flights["carrier"])
