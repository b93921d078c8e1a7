"""Panes to windows: the sums of every window and of each query in it, about the window's mean."""

from __future__ import annotations

from collections.abc import Mapping

from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as F
from pyspark.sql import types as T

from .checks import quoted
from .kernel import WindowKernel
from .panes import PaneTable, signature
from .shipping import shipped

# The names that the closed form of sql/functions gives to sums of the window and of the group;
# s and s_p are the plain sums Σ y.
_SUMS = ("n", "s", "a", "b", "center", "m", "s_p", "a_p", "b_p")
_SUMS_OF_TWO = (*_SUMS, "a2", "ab", "center2", "a2_p", "ab_p")


def query_sums(table: PaneTable, queries: Mapping[str, str], window: int, every: int) -> DataFrame:
    """Return the sums of every non-empty window, one row for each query.

    Returns
    -------
    DataFrame
        The keys, ``_start``, ``predicate``, and the sums by the names of sql/functions: of the
        window and of the query's members, all about the window's mean.
    """
    conditions = [F.expr(text).alias(f"_q{i}") for i, text in enumerate(queries.values())]
    return _sums(table, conditions, tuple(queries), window, every)


def atom_sums(table: PaneTable, window: int, every: int) -> DataFrame:
    """Return the same as `query_sums`, one row for each atom that occurs in a window."""
    atom = signature([quoted(name) for name in table.predicates])
    found = _sums(table, [F.expr(atom).alias("_atom")], None, window, every)
    satisfied = (
        F.when(F.getbit("predicate", F.lit(k)) == 1, F.lit(name))
        for k, name in enumerate(table.predicates)
    )
    label = F.concat_ws(" AND ", *satisfied)
    return found.withColumn("predicate", F.when(label == "", "(none)").otherwise(label))


def _sums(
    table: PaneTable, groups: list[Column], queries: tuple[str, ...] | None, window: int, every: int
) -> DataFrame:
    """Bring each key's pane rows together in time order and let the kernel slide over them.

    Rows of one pane are ordered too, so that the same rows always merge in the same order.
    """
    kernel = WindowKernel(window, every, table.length, len(table.keys), queries, table.sums)
    # There is one row for each atom where sums are exact, and may be many in a written table.
    ties = ["_signature"] if table.sums.exact else table.sums.columns
    rows = table.frame.select(
        *table.keys, "_pane", *groups, *dict.fromkeys([*ties, *table.sums.columns])
    )
    together = rows.repartition(*table.keys) if table.keys else rows.repartition(1)
    ordered = together.sortWithinPartitions(*table.keys, "_pane", *ties).drop("_signature")
    schema = T.StructType(
        [ordered.schema[name] for name in table.keys]
        + [T.StructField("_start", ordered.schema["_pane"].dataType)]
        + [T.StructField("predicate", T.LongType() if queries is None else T.StringType())]
        + [
            T.StructField(name, T.DoubleType())
            for name in (_SUMS_OF_TWO if table.sums.two_columns else _SUMS)
        ]
    )
    with shipped():
        return ordered.mapInArrow(kernel, schema)
