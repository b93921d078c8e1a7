"""What the pictures read: the long table, its statistics, one of its windows."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import Any

import numpy as np
import pandas as pd

from ..errors import ArgumentError, ColumnError
from ..report import keys_of, span
from .look import axis_label

NEEDED = ("window_start", "window_end", "statistic", "predicate", "n", "value", "m", "phi")


def long_table(
    explained: Any, needed: Sequence[str] = NEEDED, source: str = "explain"
) -> pd.DataFrame:
    """Return the table in pandas, of one key, its times without a zone.

    Parameters
    ----------
    explained : pandas.DataFrame or Spark DataFrame
        The table.
    needed : sequence of str
        The columns that it must have.
    source : str
        The function that makes such tables, for the error.
    """
    table = explained.toPandas() if hasattr(explained, "toPandas") else explained
    missing = [name for name in needed if name not in table.columns]
    if missing:
        raise ColumnError(
            f"the table has no column {', '.join(missing)}: give the long table of {source}()"
        )
    table = table.assign(**{name: _naive(table[name]) for name in ("window_start", "window_end")})
    if table.duplicated(["window_start", "window_end", "statistic", "predicate"]).any():
        raise ArgumentError(
            "the table has several rows for one window and predicate: filter it to one "
            f"{' and '.join(keys_of(table.columns)) or 'explanation'}"
        )
    return pd.DataFrame(table)


def _naive(times: pd.Series[Any]) -> pd.Series[Any]:
    """The times as the clock shows them, without a zone."""
    times = pd.to_datetime(times)
    return times.dt.tz_localize(None) if times.dt.tz is not None else times


def statistics_of(table: pd.DataFrame, statistic: str | None) -> list[str]:
    """Return the statistics of the table, or the one that is asked for."""
    found = [str(name) for name in table["statistic"].unique()]
    if statistic is None:
        return found
    if statistic not in found and not table.empty:
        raise ArgumentError(f"statistic {statistic!r} is not in the table: it has {found}")
    return [statistic]


def of_one_statistic(table: pd.DataFrame, statistic: str | None, asks: str) -> pd.DataFrame:
    """Return the rows of the only statistic, or of the one that is asked for."""
    found = statistics_of(table, statistic)
    if len(found) > 1:
        raise ArgumentError(f"{asks} takes one statistic: choose statistic= from {found}")
    return table[table["statistic"].isin(found)]


def of_one_window(table: pd.DataFrame, window: str | datetime | None) -> pd.DataFrame:
    """Return the rows of the only window, or of the one that begins at that time."""
    starts = table["window_start"].drop_duplicates().sort_values()
    if window is None:
        if len(starts) > 1:
            raise ArgumentError(
                f"the table has {len(starts):,} windows: choose one by its start, as in "
                f"window='{starts.iloc[-1]}'"
            )
        return _of_one_length(table)
    try:
        start = pd.Timestamp(window).tz_localize(None)
    except (TypeError, ValueError):
        raise ArgumentError(f"window={window!r} is no time: give the start of a window") from None
    if start not in set(starts) and len(starts):
        raise ArgumentError(
            f"window={str(window)!r} is not in the table: its windows start from "
            f"{starts.iloc[0]} to {starts.iloc[-1]}"
        )
    return _of_one_length(table[table["window_start"] == start])


def _of_one_length(rows: pd.DataFrame) -> pd.DataFrame:
    ends = rows["window_end"].drop_duplicates()
    if len(ends) > 1:
        raise ArgumentError(
            f"windows of {len(ends)} lengths begin at {rows['window_start'].iloc[0]}: filter the "
            "table to one length"
        )
    return rows


def nothing_in(rows: pd.DataFrame, amounts: Sequence[str]) -> str | None:
    """Say why a window cannot be drawn; None if it can."""
    if rows.empty:
        return "no windows"
    if (rows["n"] <= 0).any():
        return "the window is empty"
    if not np.isfinite(rows[list(amounts)].to_numpy(dtype=float)).all():
        return "the window holds NaN, NULL or infinite numbers"
    return None


def refuse_players(rows: pd.DataFrame) -> None:
    """Refuse Φ without parts."""
    if (rows["weight"].isna() & rows["phi"].notna()).any():
        raise ArgumentError(
            "predicates as players have no share and lift: explain with semantics='members'"
        )


def window_title(rows: pd.DataFrame, value: str) -> str:
    """Name a window, as in ``avg(fare), 2024-01-09 01:30 to 02:30``."""
    if rows.empty:
        return value
    first = rows.iloc[0]
    return f"{axis_label(first['statistic'], value, '')}, {span(first)}"


def ranked(table: pd.DataFrame, amount: str = "phi") -> list[str]:
    """Return the predicates, those of the largest amounts over all windows first, ties by name."""
    size = table[amount].abs().groupby(table["predicate"]).sum()
    return sorted((str(name) for name in size.index), key=lambda name: (-size[name], name))


def adds_up(table: pd.DataFrame, amount: str = "phi", total: str = "value") -> bool:
    """Whether the amounts of every window add up to its total; of what is NaN nobody can tell."""
    windows = table.groupby(["window_start", "window_end", "statistic"])
    off = (windows[amount].sum() - windows[total].first()).abs()
    size = table[amount].abs().groupby([table[name] for name in windows.keys]).sum()
    known = np.isfinite(off) & np.isfinite(size)
    return bool((off[known] <= 1e-9 * np.maximum(size[known], 1e-300)).all())


def subject(table: pd.DataFrame, statistics: Sequence[str], value: str) -> str:
    """What is drawn, as in ``avg(fare), windows of 1 hour every 5 minutes``."""
    what = ", ".join(axis_label(name, value, "") for name in statistics) or "the aggregate"
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
