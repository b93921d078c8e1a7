"""Pictures of an explanation, from the long table as a Spark or pandas DataFrame.

Needs matplotlib, the extra ``plot``.
"""

from __future__ import annotations

from collections.abc import Sequence
from importlib import import_module
from textwrap import fill
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from .errors import ArgumentError, ColumnError, DependencyError

if TYPE_CHECKING:
    from matplotlib.axes import Axes

# Okabe & Ito's colours, told apart with every kind of colour vision; black is the aggregate's.
COLOURS = ("#0072B2", "#E69F00", "#009E73", "#D55E00", "#56B4E9", "#CC79A7", "#F0E442")
NONE, NONE_COLOUR = "(none)", "#C8C8C8"
OTHERS_COLOUR, REST_COLOUR, FAINT, SIZE_COLOUR = "#808080", "#E8E8E8", "#BBBBBB", "#4D4D4D"

_SMALL: dict[str, Any] = {"fontsize": "small", "color": "#555555"}
_NEEDED = ("window_start", "window_end", "statistic", "predicate", "n", "value", "m", "phi")


def decomposition(
    explained: Any,
    *,
    statistic: str | None = None,
    stacked: bool | None = None,
    min_n: int = 1,
    series: int = len(COLOURS),
    value: str = "value",
    unit: str = "",
    tuples: str = "rows",
    title: str | None = None,
    ax: Axes | None = None,
) -> Axes:
    """Draw an aggregate over time, what each predicate or atom contributes, and the window size.

    There is one panel for each statistic and one for n below them. Groups that partition every
    window (atoms do) add up to the aggregate: their Φ are stacked, the positive ones upwards and
    the negative ones downwards. Predicates that overlap or leave tuples out do not add up: each
    is a line of its own. A few windows far from all others, as a wrong date makes them, would leave
    most of the picture empty: a note tells how many are left out.

    Parameters
    ----------
    explained : pandas.DataFrame or Spark DataFrame
        The long table of `shapwin.explain`, with one key: filter it first if there are several.
    statistic : str, optional
        Draw this one only; by default all that the table has.
    stacked : bool, optional
        True stacks any groups, with what they leave or count twice as a series of its own;
        False draws lines. By default the data decide.
    min_n : int, default 1
        Windows with fewer tuples are left out of the panels above, and kept in the one of n.
    series : int, default 7
        How many groups get a colour, those with the largest Φ; the others are drawn as one.
    value, unit, tuples : str
        What the axes call the value, its unit and the tuples.
    title : str, optional
        The title of the first panel; by default it names the statistic, the value and the window.
    ax : Axes, optional
        Draw the panel of one statistic here, without the one of n.

    Returns
    -------
    Axes
        The first panel; ``.figure.axes`` has all of them in order.

    Raises
    ------
    DependencyError
        If matplotlib is not installed.
    ColumnError
        If the table lacks a column of the long table.
    ArgumentError
        If the table has no such statistic, or rows of several keys.
    """
    table = _long_table(explained)
    statistics = _statistics(table, statistic)
    if ax is not None and len(statistics) > 1:
        raise ArgumentError(f"ax takes one statistic: choose statistic= from {statistics}")
    panels = [ax] if ax is not None else _panels(max(len(statistics), 1))
    table, notes = _without_strays(table)
    colours = _colours(table, statistics, series)
    grid = _Grid(table)
    for panel, name in zip(panels, statistics, strict=False):
        groups = table[table["statistic"] == name]
        _draw(panel, grid, groups, colours, stacked=stacked, min_n=min_n)
        panel.set_ylabel(_axis_label(name, value, unit))
    if ax is None:
        _draw_size(panels[-1], grid, table, tuples)
    if table.empty:
        panels[0].text(0.5, 0.5, "no windows", ha="center", transform=panels[0].transAxes)
    else:
        _date_axis(panels[-1], grid)
        _legend(panels[0], outside=ax is None)
    if title is None:
        title = "What makes up " + subject(table, statistics, value)
    panels[0].set_title(fill(title, 110), loc="left", weight="bold", pad=12)
    if min_n > 1 and ax is None:
        notes.append(f"windows of fewer than {min_n} {tuples} are drawn below only")
    if notes:
        note = "; ".join(notes)
        panels[-1].text(1, 1.02, note, ha="right", transform=panels[-1].transAxes, **_SMALL)
    return panels[0]


def save(path: Any, explained: Any, **arguments: Any) -> None:
    """Draw `decomposition` into a file, without a window on the screen.

    Parameters
    ----------
    path : str or Path
        Where to; the suffix says the format.
    explained, **arguments
        As in `decomposition`.
    """
    plt: Any = _matplotlib("pyplot")
    before = plt.get_backend()
    plt.switch_backend("agg")
    figure: Any = decomposition(explained, **arguments).figure
    figure.savefig(path, dpi=150)
    plt.close(figure)
    plt.switch_backend(before)


def require_matplotlib() -> None:
    """Raise `DependencyError` if matplotlib is not installed."""
    _matplotlib("figure")


def subject(table: pd.DataFrame, statistics: Sequence[str], value: str) -> str:
    """What is drawn, as in ``avg(fare), windows of 1 hour every 5 minutes``."""
    what = ", ".join(_axis_label(name, value, "") for name in statistics) or "the aggregate"
    if table.empty:
        return what
    width = (table["window_end"] - table["window_start"]).iloc[0]
    steps = np.diff(np.sort(table["window_end"].unique()))
    every = f" every {_length(pd.Timedelta(steps.min()))}" if len(steps) else ""
    return f"{what}, windows of {_length(width)}{every}"


def _length(length: pd.Timedelta) -> str:
    """A length in words, as in ``1 hour 30 minutes``."""
    parts = length.components
    units = ("days", "hours", "minutes", "seconds", "milliseconds", "microseconds")
    counts = [(getattr(parts, unit), unit) for unit in units]
    return " ".join(f"{n:,} {unit if n != 1 else unit[:-1]}" for n, unit in counts if n)


def _without_strays(table: pd.DataFrame) -> tuple[pd.DataFrame, list[str]]:
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


class _Grid:
    """The time axis: a step for each window, from its end to the next one's; gaps stay gaps."""

    def __init__(self, table: pd.DataFrame) -> None:
        ends = pd.Index(sorted(table["window_end"].unique()))
        steps = ends.to_series().diff().dropna()
        width = table["window_end"] - table["window_start"]
        self.step = steps.min() if len(steps) else width.min()
        # After the last window of each run of windows stands a cell without one.
        self.cells = ends.union(ends + self.step) if len(ends) else ends
        numbers = _matplotlib("dates").date2num(self.cells.to_numpy())
        self.edges = np.repeat(numbers, 2)[1:-1]

    def steps(self, rows: pd.DataFrame, name: str) -> Any:
        """The column's value at both edges of each window's cell, NaN in the gaps."""
        by_end = rows.drop_duplicates("window_end").set_index("window_end")[name]
        values = by_end.reindex(self.cells).to_numpy(dtype=float)
        # Nothing infinite can be drawn.
        return np.repeat(np.where(np.isfinite(values), values, np.nan), 2)[:-2]


def _long_table(explained: Any) -> pd.DataFrame:
    table = explained.toPandas() if hasattr(explained, "toPandas") else explained
    missing = [name for name in _NEEDED if name not in table.columns]
    if missing:
        raise ColumnError(
            f"the table has no column {', '.join(missing)}: give the long table of explain()"
        )
    table = table.assign(**{name: _naive(table[name]) for name in ("window_start", "window_end")})
    keys = list(table.columns[: list(table.columns).index("window_start")])
    if table.duplicated(["window_start", "window_end", "statistic", "predicate"]).any():
        raise ArgumentError(
            "the table has several rows for one window and predicate: filter it to one "
            f"{' and '.join(keys) or 'explanation'}"
        )
    return pd.DataFrame(table)


def _naive(times: pd.Series[Any]) -> pd.Series[Any]:
    """The times as the clock shows them, without a zone."""
    times = pd.to_datetime(times)
    return times.dt.tz_localize(None) if times.dt.tz is not None else times


def _statistics(table: pd.DataFrame, statistic: str | None) -> list[str]:
    found = [str(name) for name in table["statistic"].unique()]
    if statistic is None:
        return found
    if statistic not in found and not table.empty:
        raise ArgumentError(f"statistic {statistic!r} is not in the table: it has {found}")
    return [statistic]


def _colours(table: pd.DataFrame, statistics: list[str], series: int) -> dict[str, str]:
    """A colour for each of the groups with the largest Φ, largest first, the same in all panels."""
    rows = table[table["statistic"].isin(statistics[:1])]
    size = rows["phi"].abs().groupby(rows["predicate"]).sum()
    ranked = sorted((name for name in size.index if name != NONE), key=lambda p: (-size[p], p))
    colours = {
        str(name): COLOURS[i % len(COLOURS)] for i, name in enumerate(ranked[: max(series, 0)])
    }
    return colours | {NONE: NONE_COLOUR} if NONE in size.index else colours


def _partition(rows: pd.DataFrame) -> bool:
    """Whether the groups of every window hold each of its tuples once."""
    windows = rows.groupby("window_end")
    return bool((windows["m"].sum() == windows["n"].first()).all())


def _draw(
    panel: Axes,
    grid: _Grid,
    rows: pd.DataFrame,
    colours: dict[str, str],
    *,
    stacked: bool | None,
    min_n: int,
) -> None:
    partition = _partition(rows)
    rows = rows[rows["n"] >= min_n]
    if stacked is None:
        stacked = partition
    panel.axhline(0, color="black", linewidth=0.6)
    if rows.empty:
        return
    total = grid.steps(rows, "value")
    groups = {str(name): grid.steps(part, "phi") for name, part in rows.groupby("predicate")}
    if stacked:
        _stack(panel, grid, _stack_series(groups, colours, total, partition), total)
    else:
        _lines(panel, grid, groups, colours)
    panel.plot(grid.edges, total, color="black", linewidth=1.2, label="aggregate")


def _stack_series(
    groups: dict[str, Any], colours: dict[str, str], total: Any, partition: bool
) -> list[tuple[str, str, Any]]:
    """(label, colour, Φ) of what is stacked: the coloured groups, the others, the rest."""
    phi = {name: np.nan_to_num(values) for name, values in groups.items()}
    drawn = [(name, colours[name], phi[name]) for name in colours if name in phi]
    others = [values for name, values in phi.items() if name not in colours]
    if others:
        drawn.append((f"{len(others)} others", OTHERS_COLOUR, sum(others)))
    if not partition:
        rest = np.nan_to_num(total) - sum(phi.values())
        drawn.append(("rest: in no group, or in several", REST_COLOUR, rest))
    return drawn


def _stack(panel: Axes, grid: _Grid, drawn: list[tuple[str, str, Any]], total: Any) -> None:
    """Stack what is positive upwards from 0 and what is negative downwards."""
    above, below = np.zeros_like(total), np.zeros_like(total)
    gap = np.isnan(total)
    for label, colour, phi in drawn:
        base = np.where(phi >= 0, above, below)
        panel.fill_between(
            grid.edges,
            base,
            base + phi,
            where=~gap,
            color=colour,
            linewidth=0,
            label=label,
            snap=False,  # else short polygons move to whole pixels and leave holes
        )
        above, below = above + np.maximum(phi, 0), below + np.minimum(phi, 0)


def _lines(panel: Axes, grid: _Grid, groups: dict[str, Any], colours: dict[str, str]) -> None:
    others = [name for name in groups if name not in colours]
    for i, name in enumerate(others):
        label = f"{len(others)} others" if i == 0 else None
        panel.plot(grid.edges, groups[name], color=FAINT, linewidth=0.6, label=label)
    for name, colour in colours.items():
        if name in groups:
            panel.plot(grid.edges, groups[name], color=colour, linewidth=1.4, label=name)


def _draw_size(panel: Axes, grid: _Grid, table: pd.DataFrame, tuples: str) -> None:
    n = grid.steps(table, "n") if not table.empty else np.array([])
    if n.size:
        panel.fill_between(
            grid.edges, 0, n, where=~np.isnan(n), color=SIZE_COLOUR, linewidth=0, snap=False
        )
    panel.set_ylim(bottom=0)
    panel.set_ylabel(f"{tuples} in\nthe window")


def _panels(statistics: int) -> list[Axes]:
    plt: Any = _matplotlib("pyplot")
    heights = [3.0] * statistics + [1.0]
    _, axes = plt.subplots(
        len(heights),
        1,
        sharex=True,
        squeeze=False,
        figsize=(13, 1.6 + 0.9 * sum(heights)),
        height_ratios=heights,
        layout="constrained",
    )
    for panel in axes[:, 0]:
        panel.spines[["top", "right"]].set_visible(False)
        panel.grid(axis="y", color="#DDDDDD", linewidth=0.6)
        panel.set_axisbelow(True)
        panel.yaxis.set_major_formatter("{x:,g}")
    return list(axes[:, 0])


def _date_axis(panel: Axes, grid: _Grid) -> None:
    dates = _matplotlib("dates")
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


def _legend(panel: Axes, *, outside: bool) -> None:
    handles, labels = panel.get_legend_handles_labels()
    stacked = any(getattr(handle, "get_fill", bool)() for handle in handles)
    place: dict[str, Any] = {"loc": "upper left"}
    if outside:
        place["bbox_to_anchor"] = (1.01, 1.0)
    panel.legend(
        handles[::-1],
        [fill(label, 30, subsequent_indent="  ") for label in labels[::-1]],
        title="Φ, stacked" if stacked else "Φ, each by itself",
        alignment="left",
        frameon=False,
        **place,
    )


def _axis_label(statistic: str, value: str, unit: str) -> str:
    if statistic == "count":
        return "count"
    squared = statistic.startswith(("var", "covar")) and unit
    return f"{statistic}({value})" + (f"\n{unit}{'²' if squared else ''}" if unit else "")


def _matplotlib(module: str) -> Any:
    try:
        return import_module(f"matplotlib.{module}")
    except ImportError:
        raise DependencyError("pictures need matplotlib: run pip install 'shapwin[plot]'") from None
