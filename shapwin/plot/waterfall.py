"""The picture of one window: from zero to the aggregate, predicate by predicate."""

from __future__ import annotations

from datetime import datetime
from typing import TYPE_CHECKING, Any

import pandas as pd

from ..report import number
from .bars import MANY, amounts, bar_panel, signed
from .look import COLOURS, FAINT, OTHERS_COLOUR, REST, axis_label, say, set_title
from .table import (
    adds_up,
    long_table,
    nothing_in,
    of_one_statistic,
    of_one_window,
    ranked,
    window_title,
)

if TYPE_CHECKING:
    from matplotlib.axes import Axes

UP, DOWN, TOTAL = COLOURS[0], COLOURS[3], "black"


def waterfall(
    explained: Any,
    *,
    window: str | datetime | None = None,
    statistic: str | None = None,
    series: int = MANY,
    value: str = "value",
    unit: str = "",
    title: str | None = None,
    ax: Axes | None = None,
) -> Axes:
    """Draw one window as a waterfall: bar by bar, the Φ of its predicates lead to the aggregate.

    The bars have the same order in every window of a table: by Σ|Φ| over all of them, so that
    pictures of two windows can be laid side by side. Blue raises the aggregate, vermilion lowers
    it. What predicates leave out, or count twice, is a bar of its own.

    Parameters
    ----------
    explained : pandas.DataFrame or Spark DataFrame
        The long table of `shapwin.explain`, with one key: filter it first if there are several.
    window : str or datetime, optional
        The start of the window; not needed if there is only one.
    statistic : str, optional
        The statistic; not needed if there is only one.
    series : int, default 10
        How many predicates get a bar of their own; the others are one bar.
    value, unit : str
        What the axis calls the value and its unit.
    title : str, optional
        By default it names the statistic, the value and the window.
    ax : Axes, optional
        Where to draw; by default a new figure, as high as the bars need.

    Returns
    -------
    Axes
        A bar a predicate from the top, and last the aggregate. A window without values, or with
        NaN or infinite ones, has no bars, and says so.

    Raises
    ------
    DependencyError
        If matplotlib is not installed.
    ColumnError
        If the table lacks a column of the long table.
    ArgumentError
        If window or statistic is not in the table, or has to be chosen; or if the table has rows
        of several keys.
    """
    table = of_one_statistic(long_table(explained), statistic, "a waterfall")
    rows = of_one_window(table, window)
    nothing = nothing_in(rows, ["phi", "value"])
    if nothing:
        panel = bar_panel([], [], ax)
        say(panel, nothing)
    else:
        total = float(rows["value"].iloc[0])
        phi = amounts(rows, ["phi"], ranked(table), series)["phi"]
        if not adds_up(table):
            phi[REST] = total - phi.sum()
        name = axis_label(rows["statistic"].iloc[0], value, "")
        panel = bar_panel([*phi.index, name], [*map(signed, phi), number(total)], ax)
        _draw(panel, phi, total)
        panel.set_xlabel(axis_label(rows["statistic"].iloc[0], value, unit).replace("\n", ", "))
    set_title(panel, f"What makes up {window_title(rows, value)}" if title is None else title)
    return panel


def _draw(panel: Axes, phi: pd.Series[float], total: float) -> None:
    ends = phi.cumsum().to_numpy()
    places = range(len(phi))
    colours = [
        OTHERS_COLOUR if name == REST else UP if amount >= 0 else DOWN
        for name, amount in phi.items()
    ]
    panel.barh(places, phi, 0.7, left=ends - phi.to_numpy(), color=colours)
    panel.barh(len(phi), total, 0.7, color=TOTAL)
    # Each bar begins where the one above it ends.
    panel.vlines(ends, places, [place + 1 for place in places], color=FAINT, linewidth=0.8)
