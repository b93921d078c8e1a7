"""The picture of the two parts of Φ in one window."""

from __future__ import annotations

from datetime import datetime
from typing import TYPE_CHECKING, Any

from ..report import number
from .bars import MANY, amounts, bar_panel, two_parts
from .look import axis_label, say, set_title
from .table import (
    NEEDED,
    long_table,
    nothing_in,
    of_one_statistic,
    of_one_window,
    ranked,
    refuse_players,
    window_title,
)

if TYPE_CHECKING:
    from matplotlib.axes import Axes

PARTS = ("share", "lift", "weight")


def share_lift(
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
    """Draw the parts of each predicate's Φ in one window: its share, and weight · lift.

    The share is what its members make up; the rest of Φ is how far they exceed their part by head
    count, at the weight of the window's size. A point marks Φ, their sum.

    Parameters
    ----------
    explained, window, statistic, series, value, unit, title, ax
        As in `waterfall`, and in the same order of predicates.

    Returns
    -------
    Axes
        Two bars and a point a predicate, from the top. A window without values, or with NaN or
        infinite ones, has none, and says so.

    Raises
    ------
    DependencyError, ColumnError
        As in `waterfall`.
    ArgumentError
        As in `waterfall`, and if predicates are players, whose Φ has no parts.
    """
    table = long_table(explained, (*NEEDED, *PARTS))
    table = of_one_statistic(table, statistic, "a picture of share and lift")
    rows = of_one_window(table, window)
    refuse_players(rows)
    nothing = nothing_in(rows, ["phi", *PARTS])
    if nothing:
        panel = bar_panel([], [], ax)
        say(panel, nothing)
    else:
        weight, n = rows["weight"].iloc[0], rows["n"].iloc[0]
        rows = rows.assign(extra=rows["phi"] - rows["share"])
        parts = amounts(rows, ["share", "extra", "phi"], ranked(table), series)
        extra = f"weight · lift, at weight {number(weight)} for N = {n:,}"
        panel = two_parts(parts, ["share", extra, "Φ, their sum"], ax)
        panel.set_xlabel(axis_label(rows["statistic"].iloc[0], value, unit).replace("\n", ", "))
    set_title(panel, f"Share and lift in {window_title(rows, value)}" if title is None else title)
    return panel
