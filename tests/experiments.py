"""What the tests of bench/ share: a quick run of some experiments."""

import json
import os
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parent.parent
BENCH = ROOT / "bench"
EXACT = 1e-12


def run_quickly(folder, names):
    command = [sys.executable, str(BENCH / "run.py"), "--quick", "--output", str(folder), *names]
    # Spark's plans are many and small here: Java compiles them quickly rather than well.
    java = {"JDK_JAVA_OPTIONS": "-XX:TieredStopAtLevel=1"}
    done = subprocess.run(command, capture_output=True, text=True, cwd=ROOT, env=os.environ | java)
    assert done.returncode == 0, done.stderr
    return folder / "README.md"


def results_of(page):
    files = (page.parent / "results").glob("*.json")
    return {path.stem: json.loads(path.read_text()) for path in files}
