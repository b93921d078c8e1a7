"""The picture of how windows differ from earlier ones."""

from __future__ import annotations

from datetime import datetime
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from .bars import MANY, amounts, bar_panel, two_parts
from .look import COLOURS, axis_label, colours_of, legend, note, panels, say, set_title
from .table import (
    adds_up,
    long_table,
    nothing_in,
    of_one_statistic,
    of_one_window,
    ranked,
    subject,
    window_title,
)
from .timeline import Grid, date_axis, draw_size, lines, stack, without_strays

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_EFFECTS = ["composition_effect", "size_effect"]
_NEEDED = (
    *("window_start", "window_end", "statistic", "predicate", "n"),
    *("d_n", "d_value", "d_phi", *_EFFECTS),
)


def change(
    compared: Any,
    *,
    window: str | datetime | None = None,
    statistic: str | None = None,
    min_n: int = 1,
    series: int | None = None,
    value: str = "value",
    unit: str = "",
    tuples: str = "rows",
    title: str | None = None,
    ax: Axes | None = None,
) -> Axes:
    """Draw how an aggregate differs from an earlier window, and what each predicate adds to that.

    Over time there are three panels: ΔΦ, stacked where it adds up to the change of the aggregate
    and as lines elsewhere; how much of it comes from the window's size alone; and that size. Of
    one window, chosen or the only one, there are two bars a predicate: the effects of the
    composition and of the size.

    Parameters
    ----------
    compared : pandas.DataFrame or Spark DataFrame
        The table of `shapwin.compare`, with one key: filter it first if there are several.
    window : str or datetime, optional
        The start of the window to draw; by default all are drawn over time.
    statistic : str, optional
        The statistic; not needed if there is only one.
    min_n : int, default 1
        Over time, windows with fewer tuples, or compared with such, are in the panel of n only.
    series : int, optional
        How many predicates get a colour (7 by default) or bars (10) of their own, those with the
        largest Σ|ΔΦ| over all windows; the others are drawn as one.
    value, unit, tuples : str
        What the axes call the value, its unit and the tuples.
    title : str, optional
        By default it names the statistic, the value and the window.
    ax : Axes, optional
        Draw here, over time the panel of ΔΦ alone.

    Returns
    -------
    Axes
        The first panel. Windows without an earlier one, or with NaN or infinite differences,
        are gaps over time; a single one has no bars, and says so.

    Raises
    ------
    DependencyError
        If matplotlib is not installed.
    ColumnError
        If the table lacks a column of `shapwin.compare`.
    ArgumentError
        If window or statistic is not in the table, or has to be chosen; or if the table has rows
        of several keys.
    """
    table = long_table(compared, _NEEDED, "compare")
    table = of_one_statistic(table, statistic, "a picture of changes")
    look = {"value": value, "unit": unit}
    if window is not None or table["window_start"].nunique() == 1:
        rows = of_one_window(table, window)
        panel = _one(rows, ranked(table, "d_phi"), MANY if series is None else series, look, ax)
        what = window_title(rows, value)
    else:
        series = len(COLOURS) if series is None else series
        panel = _over_time(table, series, min_n, tuples, look, ax)
        what = subject(table, list(table["statistic"].unique()), value)
    set_title(panel, f"Change of {what}" if title is None else title)
    return panel


def _one(
    rows: pd.DataFrame, order: list[str], series: int, look: dict[str, str], ax: Axes | None
) -> Axes:
    nothing = nothing_in(rows, [])
    if nothing is None:
        alone = rows["d_n"].isna().all()
        nothing = "no earlier window" if alone else nothing_in(rows, ["d_phi"])
    if nothing:
        panel = bar_panel([], [], ax)
        say(panel, nothing)
        return panel
    # Players have no parts: a point each, and no bars.
    parts = amounts(rows, [*_EFFECTS, "d_phi"], order, series)
    panel = two_parts(parts, ["composition effect", "size effect", "ΔΦ, their sum"], ax)
    panel.set_xlabel(_label(rows, look).replace("\n", ", "))
    return panel


def _over_time(
    table: pd.DataFrame,
    series: int,
    min_n: int,
    tuples: str,
    look: dict[str, str],
    ax: Axes | None,
) -> Axes:
    drawn = panels([3.0, 1.5, 1.0]) if ax is None else [ax]
    if table.empty:
        say(drawn[0], "no windows")
        return drawn[0]
    table, notes = without_strays(table)
    grid = Grid(table)
    # Those without an earlier window stay: they are gaps.
    large = table[~(np.minimum(table["n"], table["n"] - table["d_n"]) < min_n)]
    complete = adds_up(large, "d_phi", "d_value")
    colours = colours_of(ranked(large, "d_phi"), series)
    total = grid.steps(large, "d_value")
    for panel, name in zip(drawn, ("d_phi", "size_effect"), strict=False):
        panel.axhline(0, color="black", linewidth=0.6)
        groups = grid.series(large, name)
        if complete:
            stack(panel, grid, groups, colours, total, complete=True)
        else:
            lines(panel, grid.edges, groups, colours)
    drawn[0].plot(grid.edges, total, color="black", linewidth=1.2, label="aggregate")
    drawn[0].set_ylabel(_label(table, look))
    if ax is None:
        drawn[1].set_ylabel("of which by\nthe size")
        draw_size(drawn[2], grid, table, tuples)
        if min_n > 1:
            notes.append(f"windows of fewer than {min_n} {tuples}, before or now, are below only")
    date_axis(drawn[-1], grid)
    legend(drawn[0], "ΔΦ", outside=ax is None)
    note(drawn[-1], notes)
    return drawn[0]


def _label(rows: pd.DataFrame, look: dict[str, str]) -> str:
    return "Δ " + axis_label(rows["statistic"].iloc[0], **look)
