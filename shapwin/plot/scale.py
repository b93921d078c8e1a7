"""The picture of how Φ grows with the size of a window."""

from __future__ import annotations

from datetime import datetime
from typing import TYPE_CHECKING, Any

import numpy as np

from ..games import GAMES
from .look import COLOURS, FAINT, axis_label, colours_of, legend, panels, say, set_title
from .share_lift import PARTS
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
from .timeline import lines

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.axes import Axes


def scale(
    explained: Any,
    *,
    window: str | datetime | None = None,
    statistic: str | None = None,
    series: int = len(COLOURS),
    value: str = "value",
    unit: str = "",
    title: str | None = None,
    ax: Axes | None = None,
) -> Axes:
    """Draw what Φ would be in windows of other sizes, with the share and the lift of this one.

    Φ = share + w(N) · lift, and w(N) grows like ln N for averages and variances: over a
    logarithmic axis the lines are nearly straight, as steep as the lift, while the aggregate stays
    where it is. A point marks the size that the window has. This is why only windows of like
    size have comparable Φ.

    Parameters
    ----------
    explained, window, statistic, value, unit, title, ax
        As in `waterfall`.
    series : int, default 7
        How many predicates get a colour, those with the largest |Φ|.

    Returns
    -------
    Axes
        A line and a point a predicate, and the aggregate in black. A window without values, or
        with NaN or infinite ones, has none, and says so.

    Raises
    ------
    DependencyError, ColumnError, ArgumentError
        As in `share_lift`.
    """
    table = long_table(explained, (*NEEDED, *PARTS))
    table = of_one_statistic(table, statistic, "a picture of the scale")
    rows = of_one_window(table, window)
    refuse_players(rows)
    panel = panels([4.5], width=11)[0] if ax is None else ax
    nothing = nothing_in(rows, ["phi", *PARTS])
    if nothing:
        say(panel, nothing)
    else:
        _draw(panel, rows, colours_of(ranked(rows), series))
        panel.set_ylabel("Φ of " + axis_label(rows["statistic"].iloc[0], value, unit))
        legend(panel, "Φ", outside=ax is None)
    if title is None:
        title = f"Φ in windows of other sizes: {window_title(rows, value)}"
    set_title(panel, title)
    return panel


def _draw(panel: Axes, rows: pd.DataFrame, colours: dict[str, str]) -> None:
    n, name = int(rows["n"].iloc[0]), str(rows["statistic"].iloc[0])
    most = 10 ** np.ceil(np.log10(max(10 * n, 1000)))
    sizes = np.unique(np.append(np.geomspace(2, most, 200).round(), n))
    weight = np.broadcast_to(GAMES[name].weight(sizes), sizes.shape)
    groups = {
        str(row.predicate): row.share + np.where(weight == 0, 0.0, weight * row.lift)
        for row in rows.itertuples()
    }
    panel.set_xscale("log")
    panel.axhline(0, color="black", linewidth=0.6)
    panel.axvline(n, color=FAINT, linewidth=1, linestyle="--")
    lines(panel, sizes, groups, colours)
    panel.axhline(rows["value"].iloc[0], color="black", linewidth=1.2, label="aggregate")
    edges = [colours.get(label, FAINT) for label in rows["predicate"]]
    panel.scatter([n] * len(rows), rows["phi"], s=22, color=edges, zorder=3)
    panel.set_xlim(sizes[0], sizes[-1])
    panel.xaxis.set_major_formatter("{x:,g}")
    panel.set_xlabel(f"N, the size of the window, which is {n:,}")
