"""The long table as files, and its most striking windows in words."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from textwrap import fill
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.dataset as ds
import pyarrow.parquet as pq

from .errors import ArgumentError

# The rows of tuples that satisfy no predicate; atoms call them so as well.
NONE = "(none)"
# What one CSV file and the memory of a laptop hold with ease.
MOST_ROWS = 5_000_000
_SPREAD = ("var_pop", "var_samp", "covar_pop", "covar_samp")


def read(parts: str, statistics: Sequence[str], predicates: Sequence[str]) -> pa.Table:
    """Read the long table from a folder of Parquet files, and put it in order.

    Parameters
    ----------
    parts : str
        The folder.
    statistics, predicates : sequence of str
        Their order within a window; windows are in order of key and time.

    Raises
    ------
    ArgumentError
        If it has more than `MOST_ROWS` rows.
    """
    files = ds.dataset(parts)
    count = files.count_rows()
    if count > MOST_ROWS:
        raise ArgumentError(
            f"the result has {count:,} rows, more than {MOST_ROWS:,}: take fewer keys or a longer "
            "--every, or call shapwin.explain from Python and write the result with Spark"
        )
    return ordered(files.to_table().replace_schema_metadata(None), statistics, predicates)


def ordered(rows: pa.Table, statistics: Sequence[str], predicates: Sequence[str]) -> pa.Table:
    """Put the long table in the order that `read` gives it."""
    columns = [rows[name] for name in [*keys_of(rows.schema.names), "window_start"]]
    columns.append(pc.index_in(rows["statistic"], pa.array(statistics)))
    columns.append(pc.index_in(rows["predicate"], pa.array(predicates)))
    names = [str(i) for i in range(len(columns))]
    ranks = pa.table(columns, names=names)
    return rows.take(pc.sort_indices(ranks, [(name, "ascending") for name in names]))


def write(rows: pa.Table, folder: Path, name: str) -> list[Path]:
    """Write a table under a name, as a CSV and as a Parquet file.

    In the CSV file times are as the clock shows them, NULL is nothing, NaN is nan.
    """
    csv, parquet = folder / f"{name}.csv", folder / f"{name}.parquet"
    frame = rows.to_pandas(types_mapper=pd.ArrowDtype)
    for field in rows.schema:
        if pa.types.is_timestamp(field.type) and field.type.tz:
            frame[field.name] = frame[field.name].dt.tz_convert("UTC").dt.tz_localize(None)
    frame.to_csv(csv, index=False)
    pq.write_table(rows, parquet)
    return [csv, parquet]


def striking(explained: pd.DataFrame, statistic: str) -> pd.DataFrame:
    """Return the rows of the window whose aggregate is farthest from what is usual.

    Usual is the median over the windows of the same key. Windows of less than half the median
    size are left out of all this: a mean of two tuples strikes nobody. Of equals the first counts.

    Parameters
    ----------
    explained : DataFrame
        The long table, in order.
    statistic : str
        The aggregate to look at.

    Returns
    -------
    DataFrame
        One row a predicate, with the column `usual` added; empty if there are no windows.
    """
    keys = keys_of(explained.columns)
    rows = explained[explained["statistic"] == statistic]
    windows = rows.drop_duplicates([*keys, "window_start"])
    windows = windows[windows["n"] > 0]
    if windows.empty:
        return windows.assign(usual=[])
    windows = windows[windows["n"] >= windows["n"].median() / 2]
    values = windows["value"]
    of_key = windows.groupby(keys, dropna=False)["value"].transform("median") if keys else None
    usual = values.median() if of_key is None else of_key
    distance = (values - usual).abs().fillna(-1.0)
    # Rounding must not decide between equals.
    place = int(np.argmax(distance >= distance.max() * (1 - 1e-9)))
    found = windows.assign(usual=usual).iloc[place]
    where = {name: found[name] for name in [*keys, "window_start"]}
    return same(rows, where).assign(usual=found["usual"])


def most_changed(compared: pd.DataFrame, statistic: str) -> pd.DataFrame:
    """Return the rows of the window whose aggregate changed most.

    Windows of less than half the median size, or compared with such, are left out. Of equals the
    first counts.

    Parameters
    ----------
    compared : DataFrame
        The table of `shapwin.compare`, in order.
    statistic : str
        The aggregate to look at.

    Returns
    -------
    DataFrame
        One row a predicate; empty if there are no two windows to compare.
    """
    rows = compared[(compared["statistic"] == statistic) & compared["d_value"].notna()]
    large = compared["n"].median() / 2
    windows = rows[(rows["n"] >= large) & (rows["n"] - rows["d_n"] >= large)]
    if windows.empty:
        return windows
    found = windows.iloc[int(np.argmax(windows["d_value"].abs()))]
    return same(rows, {name: found[name] for name in [*keys_of(rows.columns), "window_start"]})


def keys_of(columns: Iterable[str]) -> list[str]:
    """Return the names of the key columns: those before ``window_start``."""
    names = list(columns)
    return names[: names.index("window_start")]


def same(rows: pd.DataFrame, where: Mapping[str, Any]) -> pd.DataFrame:
    """Return the rows with these values in these columns; NULL is equal to NULL."""
    for name, wanted in where.items():
        rows = rows[rows[name].isna() if pd.isna(wanted) else rows[name] == wanted]
    return rows


def describe(
    window: pd.DataFrame,
    *,
    value: str = "value",
    tuples: str = "rows",
    title: str = "The most striking window of",
) -> str:
    """Put one window in words: the aggregate, a table of its predicates, and a sentence.

    Parameters
    ----------
    window : DataFrame
        The rows of one window and statistic, as `striking` returns them.
    value, tuples : str
        What the value and the tuples are called.
    title : str
        What the first line begins with.
    """
    first = window.iloc[0]
    name = f"{first['statistic']}({value})"
    where = [f"{key} = {first[key]}" for key in keys_of(window.columns)]
    return "\n".join(
        [
            ", ".join([f"{title} {name} from {span(first)}", *where]),
            "",
            *_lines(window, name),
            "",
            *(fill(said, 100) for said in _sentences(window, name, tuples)),
        ]
    )


def describe_change(
    window: pd.DataFrame, lag: str, *, value: str = "value", tuples: str = "rows"
) -> str:
    """Put in words how one window differs from the one that began `lag` earlier.

    Parameters
    ----------
    window : DataFrame
        The rows of one window and statistic, as `most_changed` returns them.
    lag, value, tuples : str
        The lag, and what the value and the tuples are called.
    """
    first = window.iloc[0]
    name = f"{first['statistic']}({value})"
    where = [f"{key} = {first[key]}" for key in keys_of(window.columns)]
    cells = [["", "ΔΦ", "composition", "size"], [name, number(first["d_value"]), "", ""]]
    for row in window.to_dict("records"):
        parts = (row["d_phi"], row["composition_effect"], row["size_effect"])
        cells.append([str(row["predicate"]), *map(number, parts)])
    more = "more" if first["d_value"] >= 0 else "less"
    said = [
        f"{name} is {number(first['value'])} over {first['n']:,} {tuples}, "
        f"{number(abs(first['d_value']))} {more} than {lag} before over "
        f"{first['n'] - first['d_n']:,.0f}.",
        "ΔΦ = composition (other rows, at the earlier size) + size (of the window).",
    ]
    title = ", ".join([f"{name} within {lag}: {span(first)}", *where])
    return "\n".join([f"The largest change of {title}", "", *_aligned(cells), "", *said])


def _lines(window: pd.DataFrame, name: str) -> list[str]:
    first = window.iloc[0]
    cells = [["", "Φ", "share", "lift", "members", "mean"]]
    cells.append([name, number(first["value"]), "", "", f"{first['n']:,}", ""])
    for row in window.to_dict("records"):
        lift = row["lift"] if row["weight"] else None  # without weight it is no part of Φ
        parts = [number(x) for x in (row["phi"], row["share"], lift)]
        cells.append([str(row["predicate"]), *parts, f"{row['m']:,}", number(row["group_mean"])])
    return _aligned(cells)


def _aligned(cells: Sequence[Sequence[str]]) -> list[str]:
    """Lines of cells, the first to the left and the others to the right."""
    widths = [max(len(line[i]) for line in cells) for i in range(len(cells[0]))]
    return [
        "  ".join(
            cell.ljust(width) if i == 0 else cell.rjust(width)
            for i, (cell, width) in enumerate(zip(line, widths, strict=True))
        ).rstrip()
        for line in cells
    ]


def _sentences(window: pd.DataFrame, name: str, tuples: str) -> list[str]:
    first = window.iloc[0]
    usual = f", where {number(first['usual'])} is usual (the median window)"
    said = [
        f"{name} is {number(first['value'])} over {first['n']:,} {tuples}"
        f"{usual if pd.notna(first['usual']) else ''}.",
        _strongest(window, tuples),
    ]
    if first["weight"] and pd.notna(first["weight"]):
        said.append(f"Φ = share + {first['weight']:.3f} · lift, for {first['n']:,} {tuples}.")
    if window["m"].sum() > first["n"]:
        said.append("The groups overlap, so their Φ need not add up to the aggregate.")
    return said


def _strongest(window: pd.DataFrame, tuples: str) -> str:
    """Say what the group with the largest |Φ| does, and by which of its parts."""
    if window["phi"].isna().all():
        return "The window holds NaN or an infinite value, so there is nothing to tell."
    row = window.iloc[int(np.argmax(window["phi"].abs().fillna(-1.0)))]
    members = f"{row['m']:,} of {row['n']:,} {tuples} ({row['m'] / row['n']:.0%})"
    if row["predicate"] == NONE:
        text = f"The {members} that satisfy no predicate account for {number(row['phi'])}"
    else:
        text = f"{row['predicate']}, {members}, accounts for {number(row['phi'])}"
    extra = row["weight"] * row["lift"] if row["weight"] else 0.0
    if pd.isna(extra) or extra == 0:
        return f"{text}."
    if max(abs(row["phi"]), abs(row["share"])) < 1e9 and abs(extra) >= 0.01:
        # Rounded so that the parts add up as they are written.
        extra = round(row["phi"], 2) - round(row["share"], 2)
    return f"{text}: {number(row['share'])} is the share, {number(extra)} is due to {_why(row)}."


def _why(row: Any) -> str:
    if row["statistic"] in _SPREAD:
        return f"spreading {'more' if row['lift'] > 0 else 'less'} than the window as a whole"
    above = "above" if row["lift"] > 0 else "below"
    return f"a mean ({number(row['group_mean'])}) {above} the window's"


def number(x: Any) -> str:
    """Return a number as people read it: two decimals, or four digits where those say nothing.

    Examples
    --------
    >>> number(12345.678), number(0.00012345), number(None)
    ('12,345.68', '0.0001234', '–')
    """
    if x is None or pd.isna(x):
        return "–"
    return f"{x:,.2f}" if x == 0 or 0.01 <= abs(x) < 1e9 else f"{x:.4g}"


def span(row: Any) -> str:
    """From when to when, without repeating the day or seconds that are zero."""
    start, end = pd.Timestamp(row["window_start"]), pd.Timestamp(row["window_end"])
    whole = all(t == t.floor("min") for t in (start, end))
    clock = "%H:%M" if whole else "%H:%M:%S.%f"
    same_day = start.date() == end.date()
    return f"{start:%Y-%m-%d {clock}} to {end.strftime(clock if same_day else f'%Y-%m-%d {clock}')}"
