"""Series over time: the axis of windows, stacks and lines."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from .look import FAINT, OTHERS_COLOUR, REST, REST_COLOUR, SIZE_COLOUR, matplotlib

if TYPE_CHECKING:
    from matplotlib.axes import Axes


class Grid:
    """The time axis: a step for each window, from its end to the next one's; gaps stay gaps."""

    def __init__(self, table: pd.DataFrame) -> None:
        ends = pd.Index(sorted(table["window_end"].unique()))
        steps = ends.to_series().diff().dropna()
        width = table["window_end"] - table["window_start"]
        self.step = steps.min() if len(steps) else width.min()
        # After the last window of each run of windows stands a cell without one.
        self.cells = ends.union(ends + self.step) if len(ends) else ends
        numbers = matplotlib("dates").date2num(self.cells.to_numpy())
        self.edges = np.repeat(numbers, 2)[1:-1]

    def steps(self, rows: pd.DataFrame, name: str) -> Any:
        """The column's value at both edges of each window's cell, NaN in the gaps."""
        by_end = rows.drop_duplicates("window_end").set_index("window_end")[name]
        values = by_end.reindex(self.cells).to_numpy(dtype=float)
        # Nothing infinite can be drawn.
        return np.repeat(np.where(np.isfinite(values), values, np.nan), 2)[:-2]

    def series(self, rows: pd.DataFrame, name: str) -> dict[str, Any]:
        """The steps of a column for each predicate."""
        return {str(label): self.steps(part, name) for label, part in rows.groupby("predicate")}


def without_strays(table: pd.DataFrame) -> tuple[pd.DataFrame, list[str]]:
    """Leave out a few windows on the far side of a gap of most of the axis, and say so.

    Few are one in twenty; the gap is a fifth of the axis or more.
    """
    ends = np.sort(table["window_end"].unique())
    low, high = 0, len(ends)
    while high - low > 2:
        gaps = np.diff(ends[low:high])
        place = int(np.argmax(gaps))
        before, after = place + 1, high - low - place - 1
        if gaps[place] * 5 < ends[high - 1] - ends[low]:
            break
        if before * 19 <= after:
            low += before
        elif after * 19 <= before:
            high -= after
        else:
            break
    strays = [*ends[:low], *ends[high:]]
    if not strays:
        return table, []
    last = f"{pd.Timestamp(strays[-1]):%Y-%m-%d}"
    note = (
        f"one window far away, on {last}, is not drawn"
        if len(strays) == 1
        else f"{len(strays):,} windows far away, the last on {last}, are not drawn"
    )
    return table[~table["window_end"].isin(strays)], [note]


def stack(
    panel: Axes,
    grid: Grid,
    groups: dict[str, Any],
    colours: dict[str, str],
    total: Any,
    *,
    complete: bool,
) -> None:
    """Stack what is positive upwards from 0 and what is negative downwards.

    Parameters
    ----------
    panel, grid : Axes, Grid
        Where.
    groups : dict of str to array
        The steps of each group; those without a colour become one.
    colours : dict of str to str
        In the order of the stack.
    total : array
        The steps of what they make up; where it is NaN, nothing is drawn.
    complete : bool
        Whether they make up all of it; else what is missing is a series of its own.
    """
    drawn = {name: np.nan_to_num(values) for name, values in groups.items()}
    series = [(name, colours[name], drawn[name]) for name in colours if name in drawn]
    others = [values for name, values in drawn.items() if name not in colours]
    if others:
        series.append((f"{len(others)} others", OTHERS_COLOUR, sum(others)))
    if not complete:
        series.append((REST, REST_COLOUR, np.nan_to_num(total) - sum(drawn.values())))
    above, below = np.zeros_like(total), np.zeros_like(total)
    for label, colour, amount in series:
        base = np.where(amount >= 0, above, below)
        _fill(panel, grid, base, base + amount, ~np.isnan(total), color=colour, label=label)
        above, below = above + np.maximum(amount, 0), below + np.minimum(amount, 0)


def lines(panel: Axes, x: Any, groups: dict[str, Any], colours: dict[str, str]) -> None:
    """Draw a line for each group, those without a colour thin and grey."""
    others = [name for name in groups if name not in colours]
    for i, name in enumerate(others):
        label = f"{len(others)} others" if i == 0 else None
        panel.plot(x, groups[name], color=FAINT, linewidth=0.6, label=label)
    for name, colour in colours.items():
        if name in groups:
            panel.plot(x, groups[name], color=colour, linewidth=1.4, label=name)


def draw_size(panel: Axes, grid: Grid, table: pd.DataFrame, tuples: str) -> None:
    """Draw how many tuples each window has."""
    if not table.empty:
        n = grid.steps(table, "n")
        _fill(panel, grid, 0, n, ~np.isnan(n), color=SIZE_COLOUR)
    panel.set_ylim(bottom=0)
    panel.set_ylabel(f"{tuples} in\nthe window")


def _fill(panel: Axes, grid: Grid, base: Any, top: Any, where: Any, **look: Any) -> None:
    # Snapping moves short polygons to whole pixels and leaves holes.
    panel.fill_between(grid.edges, base, top, where=where, linewidth=0, snap=False, **look)


def date_axis(panel: Axes, grid: Grid) -> None:
    """Label the time axis so that its labels neither collide nor repeat the date."""
    dates = matplotlib("dates")
    locator = dates.AutoDateLocator(maxticks=12)
    days_drawn = grid.edges[-1] - grid.edges[0]
    if 8 <= days_drawn <= 90:  # AutoDateLocator starts anew on the first of a month, and collides
        locator = dates.DayLocator(interval=int(np.ceil(days_drawn / 11)))
    days, hours = ["%Y", "%b %Y", "%a %d %b"], ["%H:%M", "%H:%M", "%H:%M:%S"]
    one_day = "%a %d %b %Y" if days_drawn < 1 else "%Y"
    panel.xaxis.set_major_locator(locator)
    panel.xaxis.set_major_formatter(
        dates.ConciseDateFormatter(
            locator,
            formats=[*days, *hours],
            zero_formats=[*days, "%a %d %b", "%H:%M", "%H:%M"],
            offset_formats=["", "", "%Y", one_day, one_day, one_day],
        )
    )
    panel.set_xlim(grid.edges[0], grid.edges[-1])
    panel.set_xlabel("end of the window")
