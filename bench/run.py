"""Run the paper's experiments and write the report: JSON, figures and a README of tables.

    python bench/run.py [--quick] [--output DIR] [--trips FILE] [names …]

Names are those of result files, and of sections of the report; each is made in a process of its
own. A script may make several: ``rq4b`` and any ``rq4b_…`` come from ``bench/rq4b.py``, which ends
with ``experiment(rq4b=…, rq4b_…=…)``.
"""

from __future__ import annotations

import os
import subprocess
import sys

import report
from results import HERE, parsed, parser

NAMES = [*report.SECTIONS]


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
    # One thread, as in the paper: CPU time adds up what the threads of a BLAS take.
    single = dict.fromkeys(("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS"), "1")
    command = [sys.executable, str(script), name, *arguments]
    return subprocess.call(command, env=os.environ | single)


if __name__ == "__main__":
    sys.exit(main())
