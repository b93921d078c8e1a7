"""The picture of an explanation over time."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pandas as pd

from .look import COLOURS, axis_label, colours_of, legend, note, panels, say, set_title
from .table import long_table, of_one_statistic, ranked, statistics_of, subject
from .timeline import Grid, date_axis, draw_size, lines, stack, without_strays

if TYPE_CHECKING:
    from matplotlib.axes import Axes


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
    table = long_table(explained)
    statistics = statistics_of(table, statistic)
    if ax is not None:
        of_one_statistic(table, statistic, "ax")
    drawn = [ax] if ax is not None else panels([3.0] * max(len(statistics), 1) + [1.0])
    table, notes = without_strays(table)
    colours = colours_of(ranked(table[table["statistic"].isin(statistics[:1])]), series)
    grid = Grid(table)
    for panel, name in zip(drawn, statistics, strict=False):
        rows = table[table["statistic"] == name]
        _draw(panel, grid, rows, colours, stacked=stacked, min_n=min_n)
        panel.set_ylabel(axis_label(name, value, unit))
    if ax is None:
        draw_size(drawn[-1], grid, table, tuples)
    if table.empty:
        say(drawn[0], "no windows")
    else:
        date_axis(drawn[-1], grid)
        legend(drawn[0], "Φ", outside=ax is None)
    if title is None:
        title = "What makes up " + subject(table, statistics, value)
    set_title(drawn[0], title)
    if min_n > 1 and ax is None:
        notes.append(f"windows of fewer than {min_n} {tuples} are drawn below only")
    note(drawn[-1], notes)
    return drawn[0]


def _draw(
    panel: Axes,
    grid: Grid,
    rows: pd.DataFrame,
    colours: dict[str, str],
    *,
    stacked: bool | None,
    min_n: int,
) -> None:
    partition = _partition(rows)
    rows = rows[rows["n"] >= min_n]
    panel.axhline(0, color="black", linewidth=0.6)
    if rows.empty:
        return
    total, groups = grid.steps(rows, "value"), grid.series(rows, "phi")
    if partition if stacked is None else stacked:
        stack(panel, grid, groups, colours, total, complete=partition)
    else:
        lines(panel, grid.edges, groups, colours)
    panel.plot(grid.edges, total, color="black", linewidth=1.2, label="aggregate")


def _partition(rows: pd.DataFrame) -> bool:
    """Whether the groups of every window hold each of its tuples once."""
    windows = rows.groupby("window_end")
    return bool((windows["m"].sum() == windows["n"].first()).all())
