"""The real spark-sql and Thrift server: run as a user runs them, in a folder of their own."""

from __future__ import annotations

import os
import socket
import subprocess
import sys
from pathlib import Path

import pytest
from pyhive import hive

from shapwin.errors import ArgumentError
from shapwin.spark.shell import _spark, split_arguments, thriftserver

ROOT = Path(__file__).parents[1]
PANES = ROOT / "sql" / "examples" / "panes.sql"


# A file with a mistake in its midst, and what is typed at a prompt after a file of its own.
FILE = PANES.read_text("utf-8") + "SELECT shapley_avg(1, 'EU');\nSELECT 'not reached';\n"
VIEWS = "CREATE TEMPORARY VIEW v AS SELECT * FROM VALUES (2D), (4D), (10D) AS t(y);"
TYPED = "SELEKT 1;\nSELECT shapley_avg(y, y > 5) FROM v;\nexit;\n"


def start(folder, function, *args, **streams):
    """Run a shell as a command line does, on one core."""
    code = f"import sys; from shapwin.spark.shell import {function} as f; sys.exit(f(sys.argv[1:]))"
    # Java compiles quickly rather than well, as each of these does little.
    quick = "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC"
    return subprocess.Popen(
        [sys.executable, "-c", code, "--master", "local[1]", *args],
        cwd=folder,
        env=dict(os.environ, PYTHONPATH=str(ROOT), SPARK_SUBMIT_OPTS=quick),
        text=True,
        stdout=subprocess.PIPE,
        **streams,
    )


@pytest.fixture(scope="module")
def sources(tmp_path_factory):
    folder = tmp_path_factory.mktemp("sources")
    (folder / "file.sql").write_text(FILE, "utf-8")
    (folder / "views.sql").write_text(VIEWS, "utf-8")
    return folder


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """Where all of them run, and none leaves anything."""
    return tmp_path_factory.mktemp("folder")


@pytest.fixture(scope="module")
def shells(folder, sources):
    """Both shells at once: most of their time is Java's start."""
    piped = dict(stdin=subprocess.PIPE, stderr=subprocess.PIPE)
    by_file = start(folder, "spark_sql", "-f", str(sources / "file.sql"), **piped)
    prompt = start(folder, "spark_sql", "-i", str(sources / "views.sql"), **piped)
    prompt.stdin.write(TYPED)
    prompt.stdin.flush()
    return {"file": by_file, "prompt": prompt}


def test_a_file_runs_until_a_mistake_which_takes_one_line(folder, shells):
    stdout, stderr = shells["file"].communicate(timeout=300)
    assert shells["file"].returncode == 1
    rows = [line.split("\t") for line in stdout.splitlines() if line]
    assert [row[0] for row in rows] == ["Oslo"] * 3 + ["Seoul"] * 3
    message = [line for line in stderr.splitlines() if "shapwin" in line]
    assert len(message) == 1
    assert message[0].endswith("write a condition, such as region = 'EU'")
    assert "\tat " not in stderr
    assert "Traceback" not in stderr + stdout


def test_the_prompt_goes_on_after_a_mistake(folder, shells):
    stdout, stderr = shells["prompt"].communicate(timeout=300)
    assert shells["prompt"].returncode == 0, stderr
    assert "PARSE_SYNTAX_ERROR" in stderr
    assert "5.277777777777778" in stdout.splitlines()
    assert list(folder.iterdir()) == []


# ---- the server ------------------------------------------------------------------------------

QUERY = "SELECT shapley_avg(y, y > 5) AS phi FROM VALUES (2D), (4D), (10D) AS t(y)"


@pytest.fixture(scope="module")
def port(folder):
    """The port that a Thrift server listens on; it leaves nothing behind either."""
    free = free_port()
    server = start(folder, "thriftserver", "--hiveconf", f"hive.server2.thrift.port={free}")
    try:
        assert server.stdout.readline() == f"Listening on jdbc:hive2://127.0.0.1:{free}\n"
        yield free
    finally:
        server.terminate()
        server.wait(60)
        server.stdout.close()
    assert list(folder.iterdir()) == []


def test_the_server_answers_beeline(port, tmp_path):
    url = f"jdbc:hive2://127.0.0.1:{port}"
    answer = subprocess.run(
        [_spark("beeline"), "-u", url, "--silent=true", "--outputformat=csv2", "-e", QUERY + ";"],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        timeout=300,
    )
    assert answer.stdout == "phi\n5.277777777777778\n", answer.stderr


def test_the_server_answers_a_python_client_and_words_its_mistakes(port):
    with hive.connect("127.0.0.1", port) as connection, connection.cursor() as cursor:
        cursor.execute(QUERY)
        assert [column[:2] for column in cursor.description] == [("phi", "DOUBLE_TYPE")]
        assert cursor.fetchall() == [(95 / 18,)]
        with pytest.raises(hive.OperationalError) as caught:
            cursor.execute("SELECT shapley_avg(1, 'EU')")
        told = caught.value.args[0].status.errorMessage
    assert "write a condition, such as region = 'EU'" in told.splitlines()[0]
    assert len(told.splitlines()) == 2


def test_a_port_in_use_is_told(port):
    with pytest.raises(ArgumentError, match=f"cannot listen on 127.0.0.1:{port}"):
        thriftserver(["--hiveconf", f"hive.server2.thrift.port={port}"])


def free_port():
    with socket.create_server(("127.0.0.1", 0)) as server:
        return server.getsockname()[1]


def test_a_port_that_is_no_port():
    with pytest.raises(ArgumentError) as caught:
        thriftserver(["--hiveconf=hive.server2.thrift.port=high"])
    assert str(caught.value) == (
        "hive.server2.thrift.port is 'high': give a port number, "
        "as in hive.server2.thrift.port=10000"
    )


def test_options_of_the_shell_and_of_spark_submit():
    args = ["--conf", "a=b", "-e", "-1", "--hivevar=x=1", "-S", "--hiveconf", "c=d", "--verbose"]
    assert split_arguments(args) == (
        ["--conf", "a=b"],
        ["-e", "-1", "--hivevar=x=1", "-S", "--hiveconf", "c=d", "--verbose"],
    )
