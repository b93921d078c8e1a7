"""Windows to the long table: the closed form for every window, statistic and query."""

from __future__ import annotations

import logging
from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import timedelta
from itertools import product
from math import gcd

from pyspark.sql import Column, DataFrame

from ..errors import ArgumentError, IntervalError, StatisticError
from ..games import game_of
from . import checks, streams, windows
from .asked import Asked
from .centers import Center, given_center
from .checks import quoted
from .intervals import microseconds
from .long_table import with_empty_windows
from .pane_table import (
    Grid,
    PaneTable,
    packed,
    packed_by_udaf,
    read_panes,
    streamed,
    summaries,
    summed,
)
from .rows import Names, Predicates, Rows, Values, by_name, read_rows
from .segments import segments
from .selection import check_selection, selected
from .splits import SPLITS

_log = logging.getLogger("shapwin")

# How many atoms a key may have: memory and time of a window grow with them.
MAX_ATOMS = 1 << 16
# How many windows a row may lie in: a stray row alone makes that many.
MAX_OVERLAP = 1_000_000
# From how many possible atoms on it costs less to move rows than to let Spark sum them: of three
# million rows in 8,928 panes, sums cost less with 8 atoms, and more with 64.
MANY_ATOMS = 32


def explain(
    df: DataFrame,
    *,
    value: Values,
    time: str | Column,
    window: str | timedelta,
    every: str | timedelta,
    predicates: Predicates | None = None,
    statistics: Names = ("avg",),
    queries: Mapping[str, str] | str | None = None,
    dimensions: Names = (),
    by: Names = (),
    other: str | Column | None = None,
    multiplicity: str | Column | None = None,
    center: Center = None,
    closed: str = "left",
    offset: str | timedelta = "0 seconds",
    empty: str = "skip",
    semantics: str = "members",
    min_support: float | None = None,
    top_k: int | None = None,
    max_atoms: int = MAX_ATOMS,
    engine: str = "native",
) -> DataFrame:
    r"""Explain every sliding window of an aggregate: how much of it each predicate accounts for.

    Parameters
    ----------
    df : DataFrame
        The rows, in any order. Of a stream, whose time has a watermark, each window is given out
        once the watermark has passed its end, in append mode.
    value : str, Column or sequence of str
        The column of numbers that is aggregated. Of several, named, each is explained on its own
        in one scan; the result's ``column``, after `by`, says which.
    time : str or Column
        The column of timestamps.
    window, every : str or timedelta
        The length of a window and the step between windows, as in ``1 hour`` and ``5 minutes``;
        of fixed length (1 day is 24 hours). Windows align to the epoch in UTC, as Spark's
        ``window()`` does.
    predicates : dict of str to str or Column
        Up to 64 named conditions on a row, as in ``{"eu": "region = 'EU'"}``.
    dimensions : str or sequence of str, optional
        Columns whose values become predicates, as in `panes`.
    statistics : str or sequence of str
        ``sum``, ``count``, ``avg``, ``var_pop``, ``var_samp``, ``covar_pop``, ``covar_samp``.
    queries : dict of str to str, or "atoms", optional
        Conditions over the predicates' names, as in ``{"both": "eu AND gold"}``. By default one
        a predicate; ``"atoms"`` gives each combination that occurs.
    by, other, multiplicity, closed, offset, engine
        As in `panes`.
    center : float or dict of key to float, optional
        As in `panes`, and checked as there; but nothing is kept here whose centre could matter,
        and each pane is measured from its own mean, which keeps all digits.
    empty : {"skip", "emit"}
        Whether a window without values, between the first and the last of its key, gets rows
        with n = m = 0 and NULL (for atoms one row a statistic, its predicate NULL). `"emit"` runs
        a job first, to refuse more than a million such windows.
    semantics : {"members", "players"}
        What is a player: each tuple, with Φ summed over the members of a query; or each
        predicate (up to 20), and the rows that none covers as ``(other)``. Φ of such players
        has no parts: share, lift and weight are NULL.
    min_support : float, optional
        Leave out rows where less than this share of the window are members, from 0 to 1.
    top_k : int, optional
        Keep these many rows of each window and statistic: those of the largest \|Φ\|, ties
        in order of their name. Not together with `min_support`.
    max_atoms : int
        How many different combinations of predicates (or of queries) the rows may have before
        the job stops with an error.

    Returns
    -------
    DataFrame
        ``*by, window_start, window_end, statistic, predicate, n, value, m, group_mean, phi,
        share, lift, weight``: ν of the window in `value`, Φ = share + weight · lift in `phi`.
        Rows come in no order. Columns that cannot be NULL here are declared so: all but keys and
        ``group_mean``, unless windows are empty, predicates play, or `df` is a stream.

    Raises
    ------
    ShapwinError
        For a wrong argument, before any job starts.

    Notes
    -----
    Φ_P = share + w(N)·lift, the closed form of Khani & Assent; over the atoms of a window the
    Φ add up to ν. NULL values are no players; NULL predicates are not satisfied.
    """
    width, step = microseconds("window", window), microseconds("every", every)
    shift = microseconds("offset", offset, signed=True)
    chosen = _statistics(statistics, other is not None)
    check_selection(min_support, top_k)
    checks.one_of("closed", closed, ("left", "right"))
    checks.one_of("engine", engine, ("native", "pandas"))
    if isinstance(df, DataFrame) and df.isStreaming:
        _refuse_on_streams(empty, semantics, top_k, engine)
    rows = read_rows(
        df,
        value=value,
        time=time,
        predicates=predicates,
        by=by,
        other=other,
        multiplicity=multiplicity,
        dimensions=dimensions,
    )
    groups = _groups(rows, queries, semantics)
    grid = Grid(gcd(width, step), shift, closed)
    if center is not None:
        given_center(rows.frame, center, rows.keys)
    table = _pane_table(rows, [*groups.values()], grid, engine, width, step)
    labels = None if queries == "atoms" else tuple(groups)
    asked = Asked(tuple(chosen), labels, tuple(rows.predicates), empty, semantics, max_atoms)
    result = selected(_attributed(table, window, every, asked), table.by, min_support, top_k)
    return streams.append_only(result) if df.isStreaming else result


def attribute(
    panes: DataFrame,
    *,
    window: str | timedelta,
    every: str | timedelta | None = None,
    statistics: Names = ("avg",),
    queries: Mapping[str, str] | str | None = None,
    offset: str | timedelta | None = None,
    empty: str = "skip",
    semantics: str = "members",
    min_support: float | None = None,
    top_k: int | None = None,
    max_atoms: int = MAX_ATOMS,
) -> DataFrame:
    """Explain every sliding window from a pane table.

    Parameters
    ----------
    panes : DataFrame
        A table made by `panes`, perhaps written, appended to and read back.
    window, every : str or timedelta
        Whole multiples of the pane's length; `every` is the pane's length by default.
    offset : str or timedelta, optional
        How much later than the epoch windows begin; by default as the panes were made, which a
        comment beside their column says. Give it where a table has lost that, as in CSV.
    statistics, queries, empty, semantics, min_support, top_k, max_atoms
        As in `explain`. Queries are plain SQL over the BOOLEAN columns.

    Returns
    -------
    DataFrame
        The long table of `explain`.

    Raises
    ------
    ShapwinError
        For a wrong argument. A row where a predicate's column is NULL, being older than the
        predicate, stops the job with a message that names it.
    """
    check_selection(min_support, top_k)
    rows, grid = read_panes(panes)
    if offset is not None:
        grid = _moved(grid, offset)
    groups = _groups(rows, queries, semantics)
    table = summaries(rows, [*groups.values()], grid)
    chosen = _statistics(statistics, table.layout.sums.two_columns)
    step = timedelta(microseconds=grid.length) if every is None else every
    labels = None if queries == "atoms" else tuple(groups)
    asked = Asked(tuple(chosen), labels, tuple(rows.predicates), empty, semantics, max_atoms)
    result = _attributed(table, window, step, asked)
    return selected(result, table.by, min_support, top_k)


def _pane_table(
    rows: Rows,
    groups: Sequence[str],
    grid: Grid,
    engine: str,
    window: int,
    every: int,
) -> PaneTable:
    """Choose the cheaper way from rows to panes, and say which."""
    pane = timedelta(microseconds=grid.length)
    if rows.frame.isStreaming:
        _log.info("rows are summed by Spark, a stream's panes of %s before its windows", pane)
        return streamed(rows, groups, grid)
    if engine == "pandas":
        _log.info("rows are summed by a pandas UDF, called for each pane of %s", pane)
        return packed_by_udaf(rows, groups, grid)
    if "_k" in rows.frame.columns:
        _log.info("rows are summed by Spark: equal ones are netted first, by their multiplicity")
        return summed(rows, groups, grid)
    if len(rows.by) > rows.several:
        _log.info("rows are summed in Python workers: with keys, panes of %s may be thin", pane)
        return packed(rows, groups, grid)
    atoms = min(rows.combinations, 1 << len(groups))
    if atoms >= MANY_ATOMS:
        _log.info("rows are summed in Python workers: panes of %s may have %d atoms", pane, atoms)
        return packed(rows, groups, grid, segments(window, every, grid.length, grid.offset))
    _log.info("rows are summed by Spark: panes of %s hold many, of %d atoms at most", pane, atoms)
    return summed(rows, groups, grid)


def _refuse_on_streams(empty: str, semantics: str, top_k: int | None, engine: str) -> None:
    """Refuse what needs more than one look at a window."""
    mends = {
        "empty='emit'": (empty == "emit", "add the windows that are missing where it is read"),
        "semantics='players'": (
            semantics == "players",
            "keep the panes, and use shapwin.attribute",
        ),
        "top_k": (top_k is not None, "use min_support, or select where the result is read"),
        "engine='pandas'": (engine == "pandas", "use engine='native'"),
    }
    for what, (asked, mend) in mends.items():
        if asked:
            raise ArgumentError(f"{what} is not possible on a stream: {mend}")


def _groups(rows: Rows, queries: Mapping[str, str] | str | None, semantics: str) -> dict[str, str]:
    """What rows are grouped by: the queries, or every predicate."""
    if semantics == "players" and queries is not None:
        raise ArgumentError(
            f"queries={queries!r} goes with semantics='members': players are the predicates"
        )
    if isinstance(queries, str) and queries == "atoms":
        return by_name(rows.predicates)
    booleans = rows.frame.select(*(quoted(name) for name in rows.predicates))
    asked = checks.queries(booleans, queries, tuple(rows.predicates))
    if not asked:
        raise ArgumentError("predicates is empty: give at least one, or queries='atoms'")
    return asked


def _attributed(
    table: PaneTable, window: str | timedelta, every: str | timedelta, asked: Asked
) -> DataFrame:
    """The long table of what is asked."""
    width = _multiple("window", window, table.grid.length)
    step = _multiple("every", every, table.grid.length)
    if width > MAX_OVERLAP * step:
        raise IntervalError(
            f"window={str(window)!r} has {width // step:,} steps of every={str(every)!r}, more "
            f"than {MAX_OVERLAP:,}: take longer steps or a shorter window"
        )
    way = streams if table.frame.isStreaming else windows
    if asked.semantics == "players":
        result = windows.player_rows(table, asked, width, step)
    else:
        result = way.member_rows(table, asked, width, step)
    if asked.empty == "skip":
        return result
    series = list(product(asked.statistics, asked.series))
    return with_empty_windows(result, table.by, width, step, series)


def _statistics(given: Names, two_columns: bool) -> list[str]:
    available = f"use one of {', '.join(SPLITS)}"
    chosen = [game_of(name, available) for name in checks.names("statistics", given)]
    if not chosen:
        raise StatisticError(f"statistics is empty: use some of {', '.join(SPLITS)}")
    for game in chosen:
        if game.name not in SPLITS:
            raise StatisticError(
                f"statistic {game.name!r} is not available on DataFrames: {available}; or "
                "shapwin.functions.shapley_central_moment in groupBy(F.window(…))"
            )
        if game.columns == 2 and not two_columns:
            raise ArgumentError(
                f"statistic {game.name!r} needs a second column: give explain or panes "
                "other='its name'"
            )
    return list(dict.fromkeys(game.name for game in chosen))


def _moved(grid: Grid, offset: str | timedelta) -> Grid:
    later = microseconds("offset", offset, signed=True)
    if (later - grid.offset) % grid.length:
        raise IntervalError(
            f"offset={str(offset)!r} is no whole number of panes, which are "
            f"{timedelta(microseconds=grid.length)} long, from where panes begin"
        )
    return replace(grid, offset=later)


def _multiple(name: str, interval: str | timedelta, pane: int) -> int:
    length = microseconds(name, interval)
    if length % pane:
        raise IntervalError(
            f"{name}={str(interval)!r} is no whole number of panes, which are "
            f"{timedelta(microseconds=pane)} long"
        )
    return length
