"""Panes to windows: the sums of every window and of each group in it, about the window's mean."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from pyspark.sql import DataFrame
from pyspark.sql import functions as F
from pyspark.sql import types as T

from .exact_sums import Sums
from .kernel import WindowKernel, side_by_side
from .pane_table import PaneTable
from .player_kernel import PlayerKernel
from .segments import SegmentPacker, Segments
from .shipping import shipped

# The fewest windows in a segment: a few for each core in a month of windows every five minutes.
SEGMENT = 1024

# The names that the closed form of sql/functions gives to sums of the window and of the group;
# s and s_p are the plain sums Σ y.
_WINDOW, _WINDOW_OF_TWO = ("n", "s", "a", "b", "center"), ("a2", "ab", "center2")
_GROUP, _GROUP_OF_TWO = ("m", "s_p", "a_p", "b_p"), ("a2_p", "ab_p")


def window_names(sums: Sums) -> tuple[str, ...]:
    """Return the names of a window's sums."""
    return _WINDOW + _WINDOW_OF_TWO * sums.two_columns


def group_names(sums: Sums) -> tuple[str, ...]:
    """Return the names of a group's sums."""
    return _GROUP + _GROUP_OF_TWO * sums.two_columns


def query_sums(
    table: PaneTable, queries: Sequence[str], window: int, every: int, max_atoms: int
) -> DataFrame:
    """Return the sums of every non-empty window, with some queries side by side.

    Parameters
    ----------
    table : PaneTable
        With one group a query.
    queries : sequence of str
        Their names.
    window, every : int
        In microseconds.
    max_atoms : int
        How many combinations of groups a key may have.

    Returns
    -------
    DataFrame
        The keys, ``_start``, ``_first``, the number of the first of these queries, and the sums by
        the names of sql/functions, those of the queries' members numbered, as in ``m_0``: all
        about the window's mean. See `by_query`.
    """
    return _sums(table, len(queries), window, every, max_atoms)


def by_query(rows: DataFrame, table: PaneTable, queries: Sequence[str]) -> DataFrame:
    """Give each query a row of its own, named in ``predicate``, out of those of `query_sums`."""
    together, names = side_by_side(len(queries)), group_names(table.layout.sums)
    width = len(together[0])
    columns = (", ".join(f"'{name}', {name}_{i}" for name in names) for i in range(width))
    groups = (f"named_struct('_query', _first + {i}, {c})" for i, c in enumerate(columns))
    numbered = {f"{name}_{i}" for name in names for i in range(width)}
    kept = [name for name in rows.columns if name not in numbered]
    rows = rows.selectExpr(*kept, f"inline(array({', '.join(groups)}))")
    if together[-1].stop > len(queries):
        rows = rows.where(f"_query < {len(queries)}")
    labels = F.array(*map(F.lit, queries))
    return rows.withColumn("predicate", F.get(labels, F.col("_query")))


def atom_sums(
    table: PaneTable, predicates: Sequence[str], window: int, every: int, max_atoms: int
) -> DataFrame:
    """Return the sums of every atom in every window, named in ``predicate``.

    Parameters
    ----------
    table : PaneTable
        With one group a predicate, 64 at most.
    predicates : sequence of str
        Their names.
    """
    return _sums(table, None, window, every, max_atoms, tuple(predicates))


def schema_of(
    keys: list[T.StructField], time: T.DataType, sums: Sums, queries: int | None
) -> T.StructType:
    """Return the columns that `query_sums` gives for some queries, and `atom_sums` for None."""
    schema = T.StructType([*keys]).add("_start", time)
    groups = group_names(sums)
    if queries is None:
        schema.add("predicate", T.StringType())
    else:
        schema.add("_first", T.IntegerType())
        numbers = range(len(side_by_side(queries)[0]))
        groups = tuple(f"{name}_{i}" for i in numbers for name in groups)
    for name in (*window_names(sums), *groups):
        schema.add(name, T.DoubleType())
    return schema


def player_rows(
    table: PaneTable,
    predicates: Sequence[str],
    statistics: Sequence[str],
    window: int,
    every: int,
    max_atoms: int,
) -> DataFrame:
    """Return the long table's columns for predicates as players, down to ``phi``."""
    packed = _packed(table, window, every)
    kernel = _kernel(packed, window, every, max_atoms)
    schema = T.StructType(table.keys).add("_start", table.time)
    schema.add("statistic", T.StringType()).add("predicate", T.StringType())
    for name in ("n", "value", "m", "group_mean", "phi"):
        schema.add(name, T.DoubleType())
    with shipped():
        players = PlayerKernel(kernel, tuple(statistics), tuple(predicates))
        return _ordered(packed).mapInArrow(players, schema)


def _kernel(
    packed: PaneTable,
    window: int,
    every: int,
    max_atoms: int,
    queries: int | None = None,
    predicates: tuple[str, ...] | None = None,
) -> WindowKernel:
    grid, stretch = packed.grid, _stretch(window, every)
    return WindowKernel(
        *(window, every, grid.length, packed.layout, queries, predicates),
        *(grid.offset, max_atoms, stretch),
    )


def _stretch(window: int, every: int) -> int:
    """How many windows a segment has: so many that few pane rows go to two of them."""
    return max(SEGMENT, 4 * -(-window // every))


def _packed(table: PaneTable, window: int, every: int) -> PaneTable:
    """Pack pane rows by segments, unless they were packed as they were made."""
    layout, grid = table.layout, table.grid
    if layout.packed:
        return table
    kept = [*layout.key_names, "_pane", *layout.word_names]
    rows = table.frame.selectExpr(*kept, layout.sums.stacked)
    schema = T.StructType(table.keys).add("_segment", T.LongType()).add("_pane", table.time)
    schema.add("_records", T.BinaryType())
    segments = Segments(window, every, grid.length, grid.offset, _stretch(window, every))
    with shipped():
        frame = rows.mapInArrow(SegmentPacker(layout, segments), schema)
    sums = Sums(layout.sums.two_columns)
    return replace(
        table, frame=frame, layout=replace(layout, sums=sums, packed=True, segmented=True)
    )


def _sums(
    table: PaneTable,
    queries: int | None,
    window: int,
    every: int,
    max_atoms: int,
    predicates: tuple[str, ...] | None = None,
) -> DataFrame:
    """Bring each key's pane rows together in time order and let the kernel slide over them."""
    packed = _packed(table, window, every)
    layout = packed.layout
    kernel = _kernel(packed, window, every, max_atoms, queries, predicates)
    schema = schema_of(table.keys, table.time, layout.sums, queries)
    with shipped():
        return _ordered(packed).mapInArrow(kernel, schema)


def _ordered(packed: PaneTable) -> DataFrame:
    """Packed pane rows by key and segment, in order of time."""
    keys = packed.layout.together
    together = packed.frame.repartition(*keys) if keys else packed.frame.repartition(1)
    return together.sortWithinPartitions(*keys, "_pane")
