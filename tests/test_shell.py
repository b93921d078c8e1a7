"""The real spark-sql and Thrift server: run as a user runs them, in a folder of their own."""

from __future__ import annotations

import os
import socket
import subprocess
import sys
from pathlib import Path

import pytest

from shapwin.errors import ArgumentError
from shapwin.spark.shell import _spark, split_arguments, thriftserver

ROOT = Path(__file__).parents[1]
PANES = ROOT / "sql" / "examples" / "panes.sql"


def command(function, *args):
    code = f"import sys; from shapwin.spark.shell import {function} as f; sys.exit(f(sys.argv[1:]))"
    return [sys.executable, "-c", code, *args]


def environment():
    # Java compiles quickly rather than well, as each of these shells does little.
    quick = "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC"
    return dict(os.environ, PYTHONPATH=str(ROOT), SPARK_SUBMIT_OPTS=quick)


def shell(folder, *args, stdin=""):
    """Run spark-sql on one core."""
    return subprocess.run(
        command("spark_sql", "--master", "local[1]", *args),
        cwd=folder,
        env=environment(),
        input=stdin,
        capture_output=True,
        text=True,
        timeout=600,
    )


def test_a_file_runs_and_leaves_nothing_behind(tmp_path):
    done = shell(tmp_path, "-f", str(PANES))
    assert done.returncode == 0, done.stderr
    rows = [line.split("\t") for line in done.stdout.splitlines() if line]
    assert [row[0] for row in rows] == ["Oslo"] * 3 + ["Seoul"] * 3
    assert list(tmp_path.iterdir()) == []


def test_a_mistake_gives_two_lines_and_the_exit_code_of_spark_sql(tmp_path):
    done = shell(tmp_path, "-e", "SELECT shapley_avg(1, 'EU'); SELECT 'not reached'")
    assert done.returncode == 1
    assert "not reached" not in done.stdout
    message = [line for line in done.stderr.splitlines() if "shapwin" in line]
    assert len(message) == 1
    assert message[0].endswith("write a condition, such as region = 'EU'")
    assert "\tat " not in done.stderr
    assert "Traceback" not in done.stderr + done.stdout


def test_the_prompt_goes_on_after_a_mistake(tmp_path):
    views = tmp_path / "views.sql"
    views.write_text("CREATE TEMPORARY VIEW v AS SELECT * FROM VALUES (2D), (4D), (10D) AS t(y);")
    typed = "SELEKT 1;\nSELECT shapley_avg(y, y > 5) FROM v;\nexit;\n"
    done = shell(tmp_path, "-i", str(views), stdin=typed)
    assert done.returncode == 0, done.stderr
    assert "PARSE_SYNTAX_ERROR" in done.stderr
    assert "5.277777777777778" in done.stdout.splitlines()
    assert list(tmp_path.iterdir()) == [views]


def test_the_thrift_server_answers_beeline_on_this_machine_only(tmp_path):
    port = free_port()
    server = subprocess.Popen(
        command("thriftserver", "--hiveconf", f"hive.server2.thrift.port={port}"),
        cwd=tmp_path,
        env=environment(),
        stdout=subprocess.PIPE,
        text=True,
    )
    try:
        assert server.stdout.readline() == f"Listening on jdbc:hive2://127.0.0.1:{port}\n"
        query = "SELECT shapley_avg(y, y > 5) AS phi FROM VALUES (2D), (4D), (10D) AS t(y);"
        url = f"jdbc:hive2://127.0.0.1:{port}"
        answer = subprocess.run(
            [_spark("beeline"), "-u", url, "--silent=true", "--outputformat=csv2", "-e", query],
            cwd=tmp_path,
            capture_output=True,
            text=True,
            timeout=300,
        )
        assert "phi\n5.277777777777778\n" in answer.stdout, answer.stderr
        with pytest.raises(ArgumentError, match=f"cannot listen on 127.0.0.1:{port}"):
            thriftserver(["--hiveconf", f"hive.server2.thrift.port={port}"])
    finally:
        server.terminate()
        server.wait(60)
        server.stdout.close()
    assert list(tmp_path.iterdir()) == []


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
