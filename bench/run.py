"""Run the paper's experiments and write the report: JSON, figures and a README of tables.

    python bench/run.py [--quick] [--output DIR] [--trips FILE] [names …]

Each experiment is a script of its own, and a process of its own: ``rq4b`` and, where there is a
second result, ``rq4b_…`` are made by ``bench/rq4b.py``.
"""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import report
from results import HERE, parsed, parser

NAMES = ["rq1", "rq2", "rq3", "rq4a", "rq4b", "rq5", "peers"]


def main() -> int:
    options = parsed(parser((__doc__ or "").splitlines()[0], NAMES), NAMES)
    arguments = ["--output", str(options.output)] + ["--quick"] * options.quick
    if options.trips:
        arguments += ["--trips", str(options.trips)]
    failed = [name for name in options.names if run(name, arguments)]
    print(report.write(options.output))
    if failed:
        print(f"failed: {', '.join(failed)}", file=sys.stderr)
    return bool(failed)


def run(name: str, arguments: list[str]) -> int:
    script = HERE / f"{name.partition('_')[0]}.py"
    return subprocess.call([sys.executable, str(script), name, *arguments], cwd=Path.cwd())


if __name__ == "__main__":
    sys.exit(main())
