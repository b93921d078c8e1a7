"""The core needs NumPy only, and travels to workers that do not have it."""

import ast
import subprocess
import sys
import textwrap
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]

BLOCKED = """
    import sys
    for name in ("pyspark", "pandas", "pyarrow", "scipy", "matplotlib"):
        sys.modules[name] = None
    sys.path.insert(0, {root!r})
    import shapwin
    assert shapwin.rolling([2.0, 4.0, 10.0], [False, False, True], size=3)[2] > 5
    assert shapwin.SlidingWindow(["a"], size=3).attribute("avg", "a").n == 0
    assert "shapwin.spark" not in sys.modules
"""

UNPICKLED = """
    import pickle, sys
    sys.modules["shapwin"] = None
    made = pickle.load(open({path!r}, "rb"))
    total, part = made["of"]([2.0, 4.0, 10.0]), made["of"]([10.0])
    assert abs(made["closed_form"]("avg", total, part).phi * 18 - 95) < 1e-12
    assert made["rolling"]([2.0, 4.0, 10.0], [False, False, True], size=3)[2] > 5
    assert made["cursor"]([2.0, 4.0, 10.0], [False, False, True], "avg").attribute(0, 3).m == 1
    assert made["frames"]([2.0, 4.0], [False, True]).answer([0], [2])[0].m.tolist() == [2]
"""


def run(script, **values):
    code = textwrap.dedent(script).format(**values)
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=False, cwd="/"
    )
    assert done.returncode == 0, done.stderr


def test_without_spark_and_pandas():
    run(BLOCKED, root=str(ROOT))


def test_by_value_to_a_worker_without_shapwin(tmp_path):
    cloudpickle = pytest.importorskip("pyspark.cloudpickle")
    import shapwin
    from shapwin.cursor import FrameCursor

    cloudpickle.register_pickle_by_value(shapwin)
    try:
        made = cloudpickle.dumps(
            {
                "of": shapwin.Summary.of,
                "closed_form": shapwin.closed_form,
                "rolling": shapwin.rolling,
                "frames": shapwin.Frames.of_rows,
                "cursor": FrameCursor,
            }
        )
    finally:
        cloudpickle.unregister_pickle_by_value(shapwin)
    path = tmp_path / "made.pickle"
    path.write_bytes(made)
    run(UNPICKLED, path=str(path))


def test_no_file_of_the_core_imports_more_than_numpy():
    allowed = {"numpy", "__future__", *sys.stdlib_module_names}
    core = (
        "arguments blocks cursor errors exact frames games harmonic moment_games players "
        "predicates roll running sliding summary"
    )
    for name in core.split():
        tree = ast.parse((ROOT / "shapwin" / f"{name}.py").read_text())
        for node in ast.walk(tree):
            if isinstance(node, ast.Import):
                assert {alias.name.split(".")[0] for alias in node.names} <= allowed
            elif isinstance(node, ast.ImportFrom) and not node.level:
                assert str(node.module).split(".")[0] in allowed
            # By-value pickling breaks on own modules imported inside functions.
            if isinstance(node, ast.FunctionDef):
                inner = [n for n in ast.walk(node) if isinstance(n, ast.Import | ast.ImportFrom)]
                assert not inner, f"{name}.{node.name}"
