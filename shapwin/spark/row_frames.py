"""Long frames of ROWS from pieces: their cost does not depend on their length.

Spark computes the aggregates of every frame that slides from all of its rows. Here the rows of a
partition are cut into blocks as long as the frame. A frame then is the end of one block and the
beginning of the next, and these grow row by row, backwards and forwards. Nothing is subtracted,
so what is not in a frame leaves no trace in it.

    block 1         | block 2             | block 3
    1 2 3 4 5 6 7 8 | 9 10 11 12 … 15 16  | 17 18 …
          └ first ┘   └ last ┘              row 11, ROWS BETWEEN 7 PRECEDING AND CURRENT ROW
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from py4j.protocol import Py4JError
from pyspark.sql import Column, SparkSession, Window, WindowSpec
from pyspark.sql import functions as F
from pyspark.sql.utils import is_remote

# Sorting blocks costs what Spark's aggregates of a frame cost that has this many rows.
_LONG = 40
_LONGEST = 2**31 - 1


@dataclass(frozen=True, slots=True)
class RowFrame:
    """ROWS BETWEEN −`low` PRECEDING AND `high` FOLLOWING, with low <= 0 and low <= high.

    Parameters
    ----------
    partition : list of Column
        What the window is partitioned by.
    number : Column
        The number of a row in its partition, from 1.
    low, high : int
        The first and the last row of the frame, counted from the current one.
    """

    partition: list[Column]
    number: Column
    low: int
    high: int

    def pieces(self, aggregates: Callable[[WindowSpec], list[Column]]) -> Column:
        """Return ``struct<first, last>`` of aggregates; NULL where a frame has no such piece.

        Parameters
        ----------
        aggregates : callable
            Makes the aggregates over a window. Each piece is a struct of these and of the
            number of its block. If both are of one block, the first alone is the frame.

        Notes
        -----
        What a step needs of the one before, a window of that step hands on. Were a step asked for
        twice, Spark might sort for it twice, and rows that tie could change places in between.
        """
        backwards = self._growing(self.number, self.number.desc())
        number = F.min(self.number).over(backwards)
        first = F.struct(*aggregates(backwards), self._block(number).alias("block"))

        forwards = self._growing(number, number)
        first, number = F.last(first).over(forwards), F.max(number).over(forwards)
        last = F.struct(*aggregates(forwards), self._block(number).alias("block"))

        rows = Window.partitionBy(*self.partition).orderBy(number)
        frame_first = F.lag(first, -self.low).over(rows)
        frame_last = F.lag(last, -self.high).over(rows)
        if self.high > 0:  # at the end of a partition, the frame ends with its last row
            everything = rows.rowsBetween(Window.unboundedPreceding, Window.unboundedFollowing)
            frame_last = F.coalesce(frame_last, F.last(last).over(everything))
        return F.struct(frame_first.alias("first"), frame_last.alias("last"))

    def apart(self, column: Column) -> Column:
        """Return the column, computed in a step of its own: two short ones, not a long one.

        Java compiles no method of more than 8,000 bytes to machine code, and Spark makes one
        method of the expressions of a step. A window of this row alone ends one.
        """
        row = Window.partitionBy(*self.partition).rowsBetween(0, 0)
        return F.first(column).over(row)

    def _growing(self, number: Column, order: Column) -> WindowSpec:
        window = Window.partitionBy(*self.partition, self._block(number)).orderBy(order)
        return window.rowsBetween(Window.unboundedPreceding, Window.currentRow)

    def _block(self, number: Column) -> Column:
        return F.floor((number - 1) / F.lit(self.high - self.low + 1))


def long_row_frame(window: WindowSpec) -> RowFrame | None:
    """Return the frame of a window if it pays to make it from pieces.

    That is, ROWS between two numbers, in an order. Spark's classes of windows have no public
    attributes: if a version of Spark has others, this is None, and costs time alone.
    """
    try:
        found = _of_connect(window) if is_remote() else _of_java(window)
    except (AttributeError, TypeError, Py4JError):
        return None
    if found is None:
        return None
    partition, low, high = found
    if low > 0 or high - low + 1 < _LONG or max(-low, abs(high)) > _LONGEST:
        return None
    growing = window.rowsBetween(Window.unboundedPreceding, Window.currentRow)
    return RowFrame(partition, F.count(F.lit(1)).over(growing), low, high)


def _of_connect(window: Any) -> tuple[list[Column], int, int] | None:
    from pyspark.sql.connect.column import Column as ConnectColumn

    to_column: Any = ConnectColumn
    frame = window._frame
    if frame is None or not frame._isRowFrame or not window._orderSpec:
        return None
    unbounded = {Window.unboundedPreceding, Window.unboundedFollowing}
    if unbounded & {frame._start, frame._end}:
        return None
    return [to_column(part) for part in window._partitionSpec], frame._start, frame._end


def _of_java(window: WindowSpec) -> tuple[list[Column], int, int] | None:
    from pyspark.sql.classic.column import Column as ClassicColumn

    to_column: Any = ClassicColumn
    # Only a Column over the window shows what it is.
    column: Any = F.count(F.lit(1)).over(window)
    spec = column._jc.node().windowSpec()
    if spec.frame().isEmpty() or spec.sortColumns().isEmpty():
        return None
    frame = spec.frame().get()
    low, high = _bound(frame.lower()), _bound(frame.upper())
    if _name(frame.frameType()) != "Row$" or low is None or high is None:
        return None
    jvm: Any = SparkSession.active()._jvm
    columns = spec.partitionColumns()
    of_node = jvm.org.apache.spark.sql.Column
    found = [to_column(of_node(columns.apply(i))) for i in range(columns.length())]
    return found, low, high


def _bound(bound: Any) -> int | None:
    """How far a bound is from the current row, if it is not unbounded."""
    if _name(bound) == "CurrentRow$":
        return 0
    return int(bound.value().value()) if _name(bound) == "Value" else None


def _name(of_java: Any) -> str:
    return str(of_java.getClass().getSimpleName())
