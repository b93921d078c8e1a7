"""How all pictures look: colours, axes, labels and the legend."""

from __future__ import annotations

from collections.abc import Sequence
from importlib import import_module
from textwrap import fill
from typing import TYPE_CHECKING, Any

from ..errors import DependencyError

if TYPE_CHECKING:
    from matplotlib.axes import Axes

# Okabe & Ito's colours, told apart with every kind of colour vision; black is the aggregate's.
COLOURS = ("#0072B2", "#E69F00", "#009E73", "#D55E00", "#56B4E9", "#CC79A7", "#F0E442")
NONE, NONE_COLOUR = "(none)", "#C8C8C8"
OTHERS_COLOUR, REST_COLOUR, FAINT, SIZE_COLOUR = "#808080", "#E8E8E8", "#BBBBBB", "#4D4D4D"
REST = "rest: in no group, or in several"

_SMALL: dict[str, Any] = {"fontsize": "small", "color": "#555555"}


def matplotlib(module: str) -> Any:
    """Return a module of matplotlib, or say how to install it."""
    try:
        return import_module(f"matplotlib.{module}")
    except ImportError:
        raise DependencyError("pictures need matplotlib: run pip install 'shapwin[plot]'") from None


def require_matplotlib() -> None:
    """Raise `DependencyError` if matplotlib is not installed."""
    matplotlib("figure")


def panels(heights: Sequence[float], width: float = 13) -> list[Axes]:
    """Return Axes of these heights, one below the other, in a new figure."""
    plt: Any = matplotlib("pyplot")
    _, axes = plt.subplots(
        len(heights),
        1,
        sharex=True,
        squeeze=False,
        figsize=(width, 1.6 + 0.9 * sum(heights)),
        height_ratios=heights,
        layout="constrained",
    )
    for panel in axes[:, 0]:
        panel.spines[["top", "right"]].set_visible(False)
        panel.grid(axis="y", color="#DDDDDD", linewidth=0.6)
        panel.set_axisbelow(True)
        panel.yaxis.set_major_formatter("{x:,g}")
    return list(axes[:, 0])


def set_title(panel: Axes, title: str) -> None:
    """Write the title above a panel, in as many lines as it takes."""
    inches = panel.get_window_extent().width / panel.figure.dpi
    panel.set_title(fill(title, max(30, int(11 * inches))), loc="left", weight="bold", pad=12)


def note(panel: Axes, notes: Sequence[str]) -> None:
    """Write what is not drawn above the right end of a panel."""
    if notes:
        text = "; ".join(notes)
        panel.text(1, 1.02, text, ha="right", transform=panel.transAxes, **_SMALL)


def say(panel: Axes, text: str) -> None:
    """Write into a panel why it is empty."""
    panel.text(0.5, 0.5, text, ha="center", transform=panel.transAxes)


def legend(panel: Axes, quantity: str, *, outside: bool) -> None:
    """Name the series of a quantity, from the last drawn to the first, which is how stacks lie."""
    handles, labels = panel.get_legend_handles_labels()
    stacked = any(getattr(handle, "get_fill", bool)() for handle in handles)
    place: dict[str, Any] = {"loc": "upper left"}
    if outside:
        place["bbox_to_anchor"] = (1.01, 1.0)
    panel.legend(
        handles[::-1],
        [fill(label, 30, subsequent_indent="  ") for label in labels[::-1]],
        title=f"{quantity}, {'stacked' if stacked else 'each by itself'}",
        alignment="left",
        frameon=False,
        **place,
    )


def axis_label(statistic: str, value: str, unit: str) -> str:
    """The aggregate and its unit, as in ``avg(fare)``."""
    if statistic == "count":
        return "count"
    squared = statistic.startswith(("var", "covar")) and unit
    return f"{statistic}({value})" + (f"\n{unit}{'²' if squared else ''}" if unit else "")


def colours_of(ranked: Sequence[str], series: int) -> dict[str, str]:
    """A colour for each of the first few groups; those of no predicate are grey in addition."""
    first = [name for name in ranked if name != NONE][: max(series, 0)]
    colours = {name: COLOURS[i % len(COLOURS)] for i, name in enumerate(first)}
    return colours | {NONE: NONE_COLOUR} if NONE in ranked else colours
