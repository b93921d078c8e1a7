"""The SQL functions of shapwin, made known to a Spark session."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..errors import ArgumentError
from .shipping import shipped
from .sql_functions import create_statements, load
from .udafs import AGGREGATES, arrow_function, pandas_function

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

FLAVORS = {"arrow": arrow_function, "pandas": pandas_function}

# Name → what it is, of every function that `register` makes.
FUNCTIONS: dict[str, str] = {aggregate.name: aggregate.what for aggregate in AGGREGATES} | {
    function.name: function.comment for function in load().values() if function.is_public
}


def register(spark: SparkSession, flavor: str = "arrow") -> list[str]:
    """Make every SQL function of shapwin in a Spark session.

    Parameters
    ----------
    spark : SparkSession
        Classic or Connect. The functions live as long as the session; calling again replaces them.
    flavor : {"arrow", "pandas"}
        How the aggregates exchange rows with Python. Flavor pandas is slower, reads NaN as NULL
        and gives NULL for it, and has no ``shapley_explain``. Spark takes aggregates of one
        flavor over one window or group.

    Returns
    -------
    list of str
        The functions' names.

    Raises
    ------
    ArgumentError
        If there is no such flavor.

    Examples
    --------
    >>> import shapwin
    >>> shapwin.register(spark)  # doctest: +SKIP
    >>> spark.sql("SELECT shapley_avg(fare, region = 'EU') FROM trips")  # doctest: +SKIP
    """
    if flavor not in FLAVORS:
        raise ArgumentError(f"flavor {flavor!r} is not available: use 'arrow' or 'pandas'")
    with shipped():
        for aggregate in AGGREGATES:
            spark.sql(f"DROP TEMPORARY FUNCTION IF EXISTS {aggregate.name}")
            spark.udf.register(aggregate.name, FLAVORS[flavor](aggregate))
    for statement in create_statements():
        spark.sql(statement)
    return list(FUNCTIONS)
