"""Φ of the cells of RQ1's grid by every route of Spark, many cells a job.

A cell is as in `rq1.py`: columns y, x, member, and the windows' length. All cells have as many
windows, so that Φ of a route and statistic is one array, a cell a row.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from functools import reduce
from typing import Any

import numpy as np
import pandas as pd
from common import session
from pyspark.sql import DataFrame, Window
from pyspark.sql import functions as F

import shapwin
from shapwin import functions as S

# Native sums about c and c2, of all rows and of the members.
SUMS = {
    "n": "count(y)",
    "a": "sum(y - c)",
    "b": "sum((y - c) * (y - c))",
    "a2": "sum(x - c2)",
    "ab": "sum((y - c) * (x - c2))",
    "m": "count(if(p, y, NULL))",
    "a_p": "sum(if(p, y - c, 0))",
    "b_p": "sum(if(p, (y - c) * (y - c), 0))",
    "a2_p": "sum(if(p, x - c2, 0))",
    "ab_p": "sum(if(p, (y - c) * (x - c2), 0))",
}
OF_SQUARES, OF_PRODUCTS = "n, a, b, m, a_p, b_p", "n, a, a2, ab, m, a_p, a2_p, ab_p"
FROM_SUMS = {
    "avg": "shapley_avg_from_sums(n, a, m, a_p, c)",
    "var_pop": f"shapley_var_pop_from_sums({OF_SQUARES})",
    "var_samp": f"shapley_var_samp_from_sums({OF_SQUARES})",
    "covar_pop": f"shapley_covar_pop_from_sums({OF_PRODUCTS})",
    "covar_samp": f"shapley_covar_samp_from_sums({OF_PRODUCTS})",
}
ABOUT_ZERO = "sums about zero"
KEYS = ["cell", "number"]
# What a frame gives of a cell's row `at`: of the full windows, and which of them it is.
FRAME = "WINDOW w AS (PARTITION BY cell ORDER BY at ROWS BETWEEN {} PRECEDING AND CURRENT ROW)"


def phi_by_route(cells: Sequence[Any]) -> dict[str, dict[str, Any]]:
    """Return Φ of every window by statistic and route; a route gives what statistics it has."""
    # Many small plans: replanning them while they run would only slow them.
    spark = session(2, **{"spark.sql.adaptive.enabled": "false"})
    shapwin.register(spark)
    sizes = sorted({cell.size for cell in cells})
    rows = spark.createDataFrame(pd.concat(map(rows_of, range(len(cells)), cells))).cache()
    windows = spark.createDataFrame(pd.concat(map(windows_of, range(len(cells)), cells))).cache()

    def of_frames(route: Callable[[DataFrame, int], DataFrame]) -> DataFrame:
        return united(full(route(rows.where(f"size = {size}"), size), size) for size in sizes)

    frames = {
        "`shapley_…` OVER": of_frames(over),
        "Column functions": of_frames(columns),
        "`…_from_sums`": from_sums(windows),
        ABOUT_ZERO: of_frames(from_sums_over),
        "`explain`, a pane a window": explain(windows),
        "`explain`, a pane a row": united(
            explain_sliding(rows.where(f"size = {size}"), size) for size in sizes
        ),
    }
    found: dict[str, dict[str, Any]] = {}
    for route, frame in frames.items():
        for statistic, phi in arrays(frame, len(cells)).items():
            found.setdefault(statistic, {})[route] = phi
    spark.stop()
    return found


def rows_of(number: int, cell: Any) -> pd.DataFrame:
    at = np.arange(len(cell.y))
    columns = {"y": cell.y, "x": cell.x, "p": cell.member}
    return pd.DataFrame({"cell": number, "size": cell.size, "at": at} | columns)


def windows_of(number: int, cell: Any) -> pd.DataFrame:
    """Every window's rows, each with its window's first values."""
    y, x, p = (cell.windows(column) for column in (cell.y, cell.x, cell.member))

    def of_each(values: Any) -> Any:
        return np.repeat(values, cell.size)

    columns = {"y": y.ravel(), "x": x.ravel(), "p": p.ravel()}
    firsts = {"c": of_each(y[:, 0]), "c2": of_each(x[:, 0])}
    return pd.DataFrame({"cell": number, "number": of_each(np.arange(len(y)))} | columns | firsts)


def united(frames: Iterable[DataFrame]) -> DataFrame:
    return reduce(DataFrame.unionByName, frames)


def full(frame: DataFrame, size: int) -> DataFrame:
    """The rows whose frame is a full window, numbered."""
    return frame.withColumn("number", F.col("at") - (size - 1)).where("number >= 0").drop("at")


def arrays(frame: DataFrame, cells: int) -> dict[str, Any]:
    """Collect a column a statistic as arrays, a cell a row."""
    found = frame.toPandas().sort_values(KEYS).set_index(KEYS)
    return {statistic: found[statistic].to_numpy().reshape(cells, -1) for statistic in found}


# ---- the routes ------------------------------------------------------------------------------


def over(rows: DataFrame, size: int) -> DataFrame:
    """The SQL aggregates over frames."""
    calls = {name: f"shapley_{name}(y, p)" for name in ("avg", "var_pop", "var_samp")}
    calls |= {name: f"shapley_{name}(y, x, p)" for name in ("covar_pop", "covar_samp")}
    calls |= {
        f"central_moment({order})": f"shapley_central_moment(y, p, {order})" for order in (3, 4)
    }
    named = ", ".join(f"{call} OVER w AS `{name}`" for name, call in calls.items())
    query = f"SELECT cell, at, {named} FROM {{rows}} {FRAME.format(size - 1)}"
    return rows.sparkSession.sql(query, rows=rows)


def columns(rows: DataFrame, size: int) -> DataFrame:
    """The Column functions over the same frames."""
    window = Window.partitionBy("cell").orderBy("at").rowsBetween(1 - size, 0)
    one = {name: getattr(S, f"shapley_{name}") for name in ("avg", "var_pop", "var_samp")}
    two = {name: getattr(S, f"shapley_{name}") for name in ("covar_pop", "covar_samp")}
    return rows.select(
        "cell",
        "at",
        *(make("y", "p", window).alias(name) for name, make in one.items()),
        *(make("y", "x", "p", window).alias(name) for name, make in two.items()),
    )


def from_sums(windows: DataFrame) -> DataFrame:
    """The scalar functions of native sums about each window's first value."""
    sums = [F.expr(call).alias(name) for name, call in SUMS.items()]
    grouped = windows.groupBy(*KEYS).agg(*sums, F.first("c").alias("c"))
    return grouped.select(*KEYS, *scalars())


def from_sums_over(rows: DataFrame, size: int) -> DataFrame:
    """The scalar functions of native sums about zero, over the same frames."""
    named = ", ".join(f"{call} OVER w AS {name}" for name, call in SUMS.items())
    about_zero = rows.selectExpr("*", "0D AS c", "0D AS c2")
    query = f"SELECT cell, at, c, {named} FROM {{rows}} {FRAME.format(size - 1)}"
    summed = rows.sparkSession.sql(query, rows=about_zero)
    return summed.select("cell", "at", *scalars())


def scalars() -> list[Any]:
    return [F.expr(call).alias(name) for name, call in FROM_SUMS.items()]


def explain(windows: DataFrame) -> DataFrame:
    """`explain`, each window in an hour of its own."""
    timed = windows.withColumn("t", F.timestamp_seconds(F.col("number") * 3600))
    return numbered(explained(timed, "1 hour", "1 hour"), 3600)


def explain_sliding(rows: DataFrame, size: int) -> DataFrame:
    """`explain`, a row a minute: windows slide by a row, and are merged of panes of one."""
    timed = rows.withColumn("t", F.timestamp_seconds(F.col("at") * 60))
    found = explained(timed, f"{size} minutes", "1 minute")
    return numbered(found.where(f"n = {size}"), 60)


def explained(rows: DataFrame, window: str, every: str) -> DataFrame:
    return shapwin.explain(
        rows,
        value="y",
        time="t",
        window=window,
        every=every,
        predicates={"p": "p"},
        statistics=list(FROM_SUMS),
        by="cell",
        other="x",
    )


def numbered(long: DataFrame, seconds: int) -> DataFrame:
    """The long table's Φ as a column a statistic, its windows numbered from the epoch."""
    number = (F.unix_seconds("window_start") / seconds).cast("long").alias("number")
    return long.groupBy("cell", number).pivot("statistic", list(FROM_SUMS)).agg(F.first("phi"))
