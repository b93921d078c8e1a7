"""Bars of one window: one row for each predicate, in an order that stays put across windows."""

from __future__ import annotations

from collections.abc import Sequence
from textwrap import fill
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from ..report import number
from .look import COLOURS, panels

if TYPE_CHECKING:
    from matplotlib.axes import Axes

MANY = 10


def amounts(
    rows: pd.DataFrame, columns: Sequence[str], order: Sequence[str], series: int
) -> pd.DataFrame:
    """Return a window's amounts of the first few predicates, and of all others as one.

    Parameters
    ----------
    rows : DataFrame
        The window.
    columns : sequence of str
        The amounts: columns of the result.
    order : sequence of str
        The predicates of all windows; one that this window lacks has amounts of 0.
    series : int
        How many are rows of their own.
    """
    of_window = rows.set_index("predicate")[list(columns)].astype(float)
    of_window = of_window.reindex(list(order), fill_value=0.0)
    named, others = of_window.iloc[:series], of_window.iloc[series:]
    if others.empty:
        return named
    label = "1 other" if len(others) == 1 else f"{len(others)} others"
    return pd.concat([named, others.sum(skipna=False).to_frame(label).T])


def bar_panel(labels: Sequence[str], numbers: Sequence[str], ax: Axes | None) -> Axes:
    """Return Axes with a labelled row for each bar from the top, and its number at the right."""
    texts = [fill(label, 34) for label in labels]
    height = max(0.36, 0.19 * max((text.count("\n") + 1 for text in texts), default=1))
    panel = panels([height / 0.9 * max(len(texts), 4)], width=9)[0] if ax is None else ax
    places = range(len(texts))
    panel.grid(visible=False, axis="y")
    panel.grid(axis="x", color="#DDDDDD", linewidth=0.6)
    panel.set_axisbelow(True)
    panel.spines[["top", "right"]].set_visible(False)
    # Bars end at a distance from the frame.
    panel.use_sticky_edges = False
    panel.margins(x=0.03)
    panel.axvline(0, color="black", linewidth=0.6)
    panel.set_ylim(max(len(texts), 1) - 0.5, -0.5)
    panel.set_yticks(places, texts)
    panel.tick_params(axis="y", length=0)
    panel.xaxis.set_major_formatter("{x:,g}")
    right = panel.secondary_yaxis("right")
    right.set_yticks(places, numbers)
    right.tick_params(length=0)
    right.spines["right"].set_visible(False)
    return panel


def signed(x: float) -> str:
    """Return a number with its sign.

    Examples
    --------
    >>> signed(37.6), signed(-9.43), signed(0.0)
    ('+37.60', '−9.43', '0.00')
    """
    return ("+" if x > 0 else "") + number(x).replace("-", "−")


def two_parts(parts: pd.DataFrame, names: Sequence[str], ax: Axes | None) -> Axes:
    """Draw two amounts of each predicate side by side, and their sum as a point.

    Parameters
    ----------
    parts : DataFrame
        A row for each predicate: the two amounts and their sum, in columns in this order.
    names : sequence of str
        What the legend calls the three.
    ax : Axes, optional
        Where.
    """
    first, second, whole = (parts[name].to_numpy() for name in parts)
    panel = bar_panel(list(parts.index), [*map(signed, whole)], ax)
    places = np.arange(len(parts))
    point: dict[str, Any] = {"color": "black", "marker": "D", "linestyle": "", "markersize": 5}
    drawn: list[Any] = [
        panel.barh(places - 0.19, first, 0.36, color=COLOURS[0], label=names[0]),
        panel.barh(places + 0.19, second, 0.36, color=COLOURS[1], label=names[1]),
        *panel.plot(whole, places, markeredgecolor="white", label=names[2], **point),
    ]
    # Four lines of text below the panel, however high that is: under the label of its axis.
    below: dict[str, Any] = {"loc": "upper center", "bbox_to_anchor": (0.5, 0), "borderaxespad": 4}
    panel.legend(handles=drawn, ncols=3, frameon=False, **below)
    return panel
