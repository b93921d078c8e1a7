"""What the report's sections are made of: rows against bars, tables, and how numbers read."""

from __future__ import annotations

import json
from typing import Any, NamedTuple

from results import HERE

Here = dict[str, Any]
EXACT = 1e-12


class Row(NamedTuple):
    """One figure, the paper's, what was asked for, and whether it was met."""

    what: str
    paper: str = ""
    here: str = ""
    bar: str = ""
    met: bool | None = None
    speed: bool = False  # whether it says nothing on small sizes


class Section(NamedTuple):
    """A heading, what was compared, and tables of plain facts."""

    title: str
    rows: list[Row]
    more: list[str]


class Paper:
    """The paper's numbers, and which of them the report has not shown."""

    def __init__(self) -> None:
        self.numbers = json.loads((HERE / "paper_numbers.json").read_text())
        self.shown: set[tuple[str, ...]] = set()

    def __call__(self, *path: str) -> Any:
        self.shown.add(path)
        found = self.numbers
        for name in path:
            found = found[name]
        return found

    def missing(self, experiment: str) -> list[str]:
        """Return the figures of an experiment that were never asked for."""
        return [
            ".".join(path)
            for path in leaves(self.numbers[experiment], (experiment,))
            if not any(path[: len(shown)] == shown for shown in self.shown)
        ]


def leaves(numbers: Any, path: tuple[str, ...]) -> list[tuple[str, ...]]:
    if not isinstance(numbers, dict):
        return [path]
    return [leaf for name, part in numbers.items() for leaf in leaves(part, (*path, name))]


def num(x: float) -> str:
    """Return 0.0123, 1.23, 1,230, 1.2e-15: three digits, or whole numbers."""
    if isinstance(x, int) or (float(x).is_integer() and abs(x) < 1e7):
        return f"{int(x):,}"
    if abs(x) < 1e-3:
        return f"{x:.1e}"
    return f"{x:,.0f}" if abs(x) >= 1000 else f"{x:.3g}"


def percent(x: float) -> str:
    return f"{100 * x:.1f} %"


def to(low: float, high: float, unit: str = "") -> str:
    return f"{num(low)} to {num(high)}{unit}"


def table(header: list[str], rows: list[list[str]]) -> str:
    lines = [header, ["---"] * len(header), *rows]
    escaped = [[cell.replace("|", "\\|") for cell in line] for line in lines]
    return "\n".join(f"| {' | '.join(line)} |" for line in escaped)


def at_most(what: str, paper: float | str, here: float, bar: float) -> Row:
    said = paper if isinstance(paper, str) else num(paper)
    return Row(what, said, num(here), f"≤ {num(bar)}", here <= bar)


def at_least(what: str, paper: float | str, here: float, bar: float) -> Row:
    said = paper if isinstance(paper, str) else f"{num(paper)}×"
    return Row(what, said, f"{num(here)}×", f"≥ {num(bar)}×", here >= bar, speed=True)


def flat(route: str, paper: str, times: list[list[float]]) -> Row:
    """How much the times over N differ, of the statistic whose times differ most."""
    apart = max(max(of) / min(of) for of in times)
    what = f"{route} is flat: slowest N over fastest"
    return at_most(what, paper, apart, 2)._replace(speed=True)
