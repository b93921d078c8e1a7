"""Every block of the README runs, and prints what stands below it."""

from __future__ import annotations

import re
import shlex
from pathlib import Path

import pytest

import shapwin
from shapwin import cli

README = Path(__file__).parents[1] / "README.md"
BLOCKS = re.findall(r"^```(\w+)\n(.*?)^```$", README.read_text("utf-8"), re.DOTALL | re.MULTILINE)


def test_sql_and_python_blocks_print_what_stands_below_them(spark, capsys):
    spark.catalog.dropTempView("trips")  # another file's
    shapwin.register(spark)
    namespace = {"spark": spark}
    printed = ""
    for language, text in BLOCKS:
        if language == "sql":
            spark.sql(text).show()
            printed = capsys.readouterr().out
        elif language == "python":
            exec(compile(text, str(README), "exec"), namespace)
            printed = capsys.readouterr().out
        elif language == "jinja":
            printed = None  # test_dbt builds it
        elif language == "text" and printed is not None:
            assert printed.strip() == text.strip()
    spark.catalog.dropTempView("trips")


def commands():
    lines = "\n".join(text for language, text in BLOCKS if language == "bash")
    return [line for line in lines.replace("\\\n", " ").splitlines() if line.startswith("shapwin ")]


@pytest.mark.parametrize("command", commands(), ids=lambda c: " ".join(c.split()[:2]))
def test_commands_run(command, spark, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    Path("incoming").mkdir()
    for path in ("trips.csv", "incoming/trips.csv"):
        Path(path).write_text(
            "pickup,region,fare\n"
            "2024-01-09 01:00,EU,14\n2024-01-09 01:10,US,11\n2024-01-09 02:00,EU,58\n",
            "utf-8",
        )
    words = shlex.split(command)
    if words[1] == "watch":  # which has no end
        words.append("--once")
    if words[:3] == ["shapwin", "spark-sql", "-e"]:  # test_shell starts that shell
        shapwin.register(spark)
        assert spark.sql(words[3]).first() == (32.5,)
    else:
        assert cli.main(words[1:]) == 0


def test_the_two_commands_come_first_and_set_everything_up():
    first, second = [text for language, text in BLOCKS if language == "bash"][:2]
    assert first.strip().endswith("shapwin demo")
    assert second.strip().endswith("pytest -n 2 --dist loadfile")
    assert all("python3 -m venv" in text and "pip install" in text for text in (first, second))
