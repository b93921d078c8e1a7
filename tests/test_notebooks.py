"""The notebooks: run from top to bottom, they give what they show."""

from __future__ import annotations

import json
import re
import sys
from pathlib import Path

import nbformat
import pytest
from nbclient import NotebookClient

NOTEBOOKS = Path(__file__).parents[1] / "notebooks"
ALL = sorted(path.stem for path in NOTEBOOKS.glob("*.ipynb"))


def shown(notebook):
    """What each cell shows, pictures by their size alone; what programs log is not shown."""
    for cell in notebook.cells:
        if cell.cell_type == "code":
            yield [
                output.text if output.output_type == "stream" else output.data["text/plain"]
                for output in cell.outputs
                if output.get("name") != "stderr"
            ]


@pytest.fixture
def kernel(tmp_path, monkeypatch):
    """This interpreter as a kernel, whatever others are installed."""
    folder = tmp_path / "jupyter" / "kernels" / "python3"
    folder.mkdir(parents=True)
    command = [sys.executable, "-m", "ipykernel_launcher", "-f", "{connection_file}"]
    spec = {"argv": command, "display_name": "Python 3", "language": "python"}
    (folder / "kernel.json").write_text(json.dumps(spec))
    monkeypatch.setenv("JUPYTER_PATH", str(tmp_path / "jupyter"))


def gives_what_it_shows(name, folder):
    kept = nbformat.read(NOTEBOOKS / f"{name}.ipynb", as_version=4)
    again = nbformat.read(NOTEBOOKS / f"{name}.ipynb", as_version=4)
    where = {"metadata": {"path": str(folder)}}
    NotebookClient(again, timeout=300, kernel_name="python3", resources=where).execute()
    assert list(shown(again)) == list(shown(kept))


@pytest.mark.parametrize("name", [name for name in ALL if name != "dbt"])  # which test_dbt runs
def test_it_gives_what_it_shows(name, kernel, tmp_path, monkeypatch):
    monkeypatch.delenv("SHAPWIN_TLC", raising=False)
    gives_what_it_shows(name, tmp_path)


@pytest.mark.parametrize("name", ALL)
def test_it_is_small_and_of_no_machine(name):
    text = (NOTEBOOKS / f"{name}.ipynb").read_text("utf-8")
    assert len(text) < 300_000
    text = re.sub(r'"image/png": "[^"]*"', "", text)
    assert not re.search(r"/tmp/|/root|/home/|\b\d+\.\d+\.\d+\.\d+\b|Traceback|WARN", text)
