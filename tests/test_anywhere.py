"""The same answers wherever Spark runs: a cluster without shapwin, Connect, plain spark-sql."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from shapwin.errors import DependencyError
from shapwin.spark.shell import _spark, spark_sql

pytestmark = pytest.mark.oldest
TESTS = Path(__file__).parent
ROOT = TESTS.parent
QUICK = "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC"  # Java compiles quickly rather than well

# A Python that finds no shapwin, however it is installed, and is this one otherwise.
WITHOUT_SHAPWIN = f"""#!{sys.executable}
import runpy, sys
class Missing:
    def find_spec(name, path=None, target=None):
        if name.partition(".")[0] == "shapwin":
            raise ModuleNotFoundError(name)
sys.meta_path.insert(0, Missing)
sys.argv = sys.argv[2:]  # after -m
runpy.run_module(sys.argv[0], run_name="__main__", alter_sys=True)
"""


def answers(folder, kind, place, **environment):
    """What `anywhere.py` prints, run in a folder of its own."""
    env = dict(os.environ, PYTHONPATH=str(ROOT), SPARK_SUBMIT_OPTS=QUICK)
    env |= {"PYSPARK_PYTHON": sys.executable} | environment
    done = subprocess.run(
        [sys.executable, str(TESTS / "anywhere.py"), kind, place],
        cwd=folder,
        env=env,
        capture_output=True,
        text=True,
        timeout=300,
    )
    assert done.returncode == 0, done.stderr[-3000:]
    return json.loads(done.stdout.splitlines()[-1])


def check(told):
    """All routes tell Φ of the window 2, 4, 10 to its last, and mistakes in shapwin's words."""
    mistakes = {
        "a UDAF's mistake": "shapley_avg: predicate is STRING, not BOOLEAN: write a condition",
        "a Column's mistake": "shapley_avg: value is STRING, not a number: write double(value)",
        "the pipeline's mistake": "there is no such column; did you mean 'fare'?",
    }
    for name, words in mistakes.items():
        assert words in told.pop(name)
    assert told.pop("made of pieces") is True
    assert len(told) == 10
    assert told == pytest.approx(dict.fromkeys(told, 95 / 18))


def test_a_cluster_whose_workers_have_no_shapwin(tmp_path):
    worker = tmp_path / "python-without-shapwin"
    worker.write_text(WITHOUT_SHAPWIN, "utf-8")
    worker.chmod(0o755)
    told = answers(tmp_path, "master", "local-cluster[2,1,1500]", PYSPARK_PYTHON=str(worker))
    assert told.pop("workers") is False
    check(told)


def test_spark_connect(tmp_path):
    told = answers(tmp_path, "remote", "local[2]")
    assert told.pop("workers") is True
    check(told)


def test_what_needs_java_here_says_so_where_connect_is_asked_for(monkeypatch):
    monkeypatch.setenv("SPARK_REMOTE", "sc://localhost")
    with pytest.raises(DependencyError) as caught:
        spark_sql(["-e", "SELECT 1"])
    assert str(caught.value) == (
        "SPARK_REMOTE=sc://localhost asks for Spark Connect, but this command runs Spark on this "
        "machine: unset SPARK_REMOTE, or call shapwin.register(spark) in a session of yours"
    )


def test_plain_spark_sql_without_any_python_function(tmp_path):
    done = subprocess.run(
        [
            _spark("spark-sql"),
            *("--master", "local[1]", "--conf", "spark.sql.catalogImplementation=in-memory"),
            *("-i", str(ROOT / "sql" / "functions.sql"), "-e"),
            "SELECT shapley_avg_from_sums(3, 16, 1, 10), shapley_harmonic(3)",
        ],
        cwd=tmp_path,
        env=dict(os.environ, SPARK_SUBMIT_OPTS=QUICK, PYSPARK_PYTHON="/there/is/none"),
        capture_output=True,
        text=True,
        timeout=300,
    )
    assert done.returncode == 0, done.stderr
    assert done.stdout.split() == ["5.277777777777778", "1.8333333333333333"]
