"""Panes to the long table: every window and each group in it, explained in Python workers."""

from __future__ import annotations

from dataclasses import replace

from pyspark.sql import DataFrame

from .asked import Asked
from .exact_sums import Sums
from .kernel import WindowKernel
from .long_rows import LongRows
from .long_table import schema_of
from .pane_table import PaneTable, packed_schema
from .player_rows import PlayerRows
from .segments import SegmentPacker, segments
from .shipping import shipped


def member_rows(table: PaneTable, asked: Asked, window: int, every: int) -> DataFrame:
    """Return the long table of every non-empty window, where tuples are players.

    Parameters
    ----------
    table : PaneTable
        With one group a query; for atoms one a predicate, 64 at most.
    asked : Asked
        The statistics, and the queries or None.
    window, every : int
        In microseconds.
    """
    queries = None if asked.queries is None else len(asked.queries)
    packed = _packed(table, window, every)
    kernel = _kernel(packed, window, every, asked.max_atoms, queries)
    rows = LongRows(kernel, asked.statistics, asked.labels, window)
    return _explained(packed, rows, {"group_mean"})


def player_rows(table: PaneTable, asked: Asked, window: int, every: int) -> DataFrame:
    """Return the same where predicates are players; the parts of their Φ are NULL."""
    packed = _packed(table, window, every)
    kernel = _kernel(packed, window, every, asked.max_atoms, None)
    rows = PlayerRows(kernel, asked.statistics, asked.predicates, window)
    return _explained(packed, rows, {"group_mean", "share", "lift", "weight"})


def _explained(packed: PaneTable, rows: LongRows | PlayerRows, unknown: set[str]) -> DataFrame:
    """Bring each key's pane rows together in time order and let the kernel slide over them."""
    with shipped():
        return _ordered(packed).mapInArrow(rows, schema_of(packed, unknown=unknown))


def _kernel(
    packed: PaneTable, window: int, every: int, max_atoms: int, queries: int | None
) -> WindowKernel:
    grid = packed.grid
    stretch = segments(window, every, grid.length, grid.offset).stretch
    return WindowKernel(
        *(window, every, grid.length, packed.layout, queries),
        *(grid.offset, max_atoms, stretch, packed.by),
    )


def _packed(table: PaneTable, window: int, every: int) -> PaneTable:
    """Pack pane rows by segments, unless they were packed as they were made."""
    layout, grid = table.layout, table.grid
    if layout.packed:
        return table
    kept = [*layout.key_names, "_pane", *layout.word_names]
    rows = table.frame.selectExpr(*kept, layout.sums.stacked)
    schema = packed_schema(table.keys, table.time, segmented=True)
    packer = SegmentPacker(layout, segments(window, every, grid.length, grid.offset))
    with shipped():
        frame = rows.mapInArrow(packer, schema)
    sums = Sums(layout.sums.two_columns)
    return replace(
        table, frame=frame, layout=replace(layout, sums=sums, packed=True, segmented=True)
    )


def _ordered(packed: PaneTable) -> DataFrame:
    """Packed pane rows by key and segment, in order of time."""
    keys = packed.layout.together
    together = packed.frame.repartition(*keys) if keys else packed.frame.repartition(1)
    return together.sortWithinPartitions(*keys, "_pane")
