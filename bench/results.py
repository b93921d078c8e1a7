"""What all experiments share: their command line, and results as JSON with what made them.

An experiment is a script that ends with ``experiment(name=measure, …)``: each ``measure`` takes
the options and returns a dict of figures, written to ``results/<name>.json`` in the output folder.
"""

from __future__ import annotations

import argparse
import importlib.metadata
import json
import os
import platform
import re
import sys
import tempfile
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path
from time import perf_counter
from typing import Any

import shapwin

HERE = Path(__file__).parent
PEERS = ("pyspark", "pandas", "pyarrow", "duckdb", "shapiq", "dowhy")

Figures = dict[str, Any]
Measure = Callable[[argparse.Namespace], Figures]


def parser(description: str, names: list[str]) -> argparse.ArgumentParser:
    """Return the command line of every script."""
    made = argparse.ArgumentParser(description=description)
    made.add_argument("--quick", action="store_true", help="small, in seconds, and elsewhere")
    made.add_argument("--output", type=Path, help="folder to write to (bench; temporary if quick)")
    made.add_argument("--trips", type=Path, help="TLC yellow 2024-01 as Parquet (else synthetic)")
    made.add_argument("names", nargs="*", metavar="name", help=f"of: {', '.join(names)} (all)")
    return made


def parsed(made: argparse.ArgumentParser, names: list[str]) -> argparse.Namespace:
    """Return the options; quick results never land on the full ones by themselves."""
    options = made.parse_args()
    unknown = sorted(set(options.names) - set(names))
    if unknown:
        made.error(f"no experiment is named {unknown[0]!r}: there are {', '.join(names)}")
    options.names = options.names or names
    if options.output is None:
        options.output = Path(tempfile.mkdtemp(prefix="bench-")) if options.quick else HERE
    return options


def experiment(**measures: Measure) -> None:
    """Run the experiments of one script and keep what they give."""
    script = sys.modules["__main__"]
    options = parsed(parser((script.__doc__ or "").splitlines()[0], [*measures]), [*measures])
    for name in options.names:
        start = perf_counter()
        figures = measures[name](options)
        command = f"python bench/{Path(sys.argv[0]).name}" + f" {name}" * (len(measures) > 1)
        command += " --quick" * options.quick + " --trips FILE" * (options.trips is not None)
        made_by = {
            "command": command,
            "date": datetime.now(UTC).date().isoformat(),
            "quick": options.quick,
            "seconds": round(perf_counter() - start, 1),
            "versions": versions(),
            "machine": machine(),
        }
        path = options.output / "results" / f"{name}.json"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(
            json.dumps(made_by | {"figures": tidy(figures)}, indent=1, allow_nan=False) + "\n"
        )
        print(f"{name}: {made_by['seconds']} s, {path}", flush=True)


def versions() -> dict[str, str]:
    """Return the versions of Python, of this package and of everything that it was run with."""
    used = ["numpy", *(name for name in PEERS if name in sys.modules)]
    found = {name: importlib.metadata.version(name) for name in used}
    return {"python": platform.python_version(), "shapwin": shapwin.__version__, **found}


def machine() -> dict[str, Any]:
    """Return what kind of machine this is, and nothing that names it."""
    cpu = platform.processor() or platform.machine()
    if Path("/proc/cpuinfo").exists():
        named = re.search(r"model name\s*:\s*(.+)", Path("/proc/cpuinfo").read_text())
        cpu = named.group(1).strip() if named else cpu
    memory = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    return {
        "cpu": cpu,
        "cores": os.cpu_count(),
        "memory_gb": round(memory / 2**30),
        "system": f"{platform.system()} {platform.machine()}",
    }


def tidy(figures: Any) -> Any:
    """Return the figures as plain Python, with six digits each."""
    if isinstance(figures, dict):
        return {str(name): tidy(figure) for name, figure in figures.items()}
    if isinstance(figures, list | tuple):
        return [tidy(figure) for figure in figures]
    if hasattr(figures, "tolist"):
        return tidy(figures.tolist())
    return float(f"{figures:.6g}") if isinstance(figures, float) else figures
