"""A month of taxi trips: synthetic in the shape of TLC's yellow cabs, January 2024, or TLC's own.

The rows are made from a seed: the rhythm of days and weeks, airport pickups that are dear and far
and all but stop after midnight, and one thin night, the 10th, when half of the few trips start at
an airport. The figures behind the shape are the paper's (`paper_numbers.json`).

    python bench/trips.py trips.parquet [--rows 2926220]

writes it with TLC's column names, for Spark to read.
"""

from __future__ import annotations

import argparse
import json
from argparse import Namespace
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

PAPER = json.loads((Path(__file__).parent / "paper_numbers.json").read_text())
AIRPORTS, MANHATTAN = [1, 132, 138], PAPER["manhattan_zones"]
OTHERS = sorted(set(range(1, 264)) - {*AIRPORTS, *MANHATTAN})
ROWS = PAPER["rq4b"]["trips"]
LONG_TRIP = 10  # miles, more than
# The windows are (t − 1 h, t], t every 5 minutes.
START = np.datetime64("2024-01-01T00:00:00")
MOST_FARE = 500
DAYS, TICK, WINDOW = 31, 300, 3600
TICKS = DAYS * 86400 // TICK

# By hour of the day: trips of workdays and of weekends, and what part of them starts at an airport
# or in none of the two.
# fmt: off
WORKDAY = [45, 24, 13, 9, 12, 25, 70, 120, 145, 130, 125, 130, 140, 140, 150, 155, 160, 190, 205,
           180, 160, 150, 130, 85]
WEEKEND = [150, 125, 95, 62, 35, 18, 22, 35, 60, 95, 125, 140, 150, 155, 155, 155, 155, 160, 165,
           150, 130, 125, 125, 100]
AIRPORT = [70, 35, 14, 9, 20, 60, 60, 60, 70, 80, 80, 85, 90, 90, 95, 95, 95, 90, 85, 85, 90, 90,
           100, 100]
OTHER = [40, 50, 60, 90, 160, 150, 80, 40, 30, 25, 25, 25, 25, 25, 25, 25, 25, 25, 25, 25, 25, 25,
         30, 35]
# fmt: on
# The thin night: day, hours, trips a tick and how the groups share them.
NIGHT_DAY, NIGHT_HOURS, NIGHT_TRIPS, NIGHT_AIRPORT, NIGHT_OTHER = 9, (2, 6), 24, 0.44, 0.09


@dataclass(frozen=True)
class Trips:
    """Trips in the order of their time.

    Parameters
    ----------
    seconds : array of int
        Since the month began.
    fare, distance : array of float
        Dollars and miles.
    zone : array of int
        Where it started.
    source : str
        ``synthetic`` or ``TLC``.
    """

    seconds: Any
    fare: Any
    distance: Any
    zone: Any
    source: str

    def predicates(self) -> dict[str, Any]:
        """Which trips satisfy each of the paper's predicates."""
        airport, manhattan = np.isin(self.zone, AIRPORTS), np.isin(self.zone, MANHATTAN)
        return {"airport": airport, "manhattan": manhattan, "longtrip": self.distance > LONG_TRIP}

    def windows(self) -> tuple[Any, Any]:
        """Begin and end of the rows of every window."""
        ends = np.arange(1, TICKS + 1) * TICK
        return (
            np.searchsorted(self.seconds, ends - WINDOW, side="right"),
            np.searchsorted(self.seconds, ends, side="right"),
        )


def tick_time(tick: int) -> str:
    """Return the end of a window as text."""
    return str(START + np.timedelta64((int(tick) + 1) * TICK, "s")).replace("T", " ")[:16]


def trips(options: Namespace) -> Trips:
    """Return the user's own file, or the month that is made up; a tenth of it if quick."""
    if options.trips is not None:
        return read(options.trips)
    return month(ROWS // 10 if options.quick else ROWS)


def read(path: Path) -> Trips:
    """Read TLC's yellow trips: of January 2024, the fares in (0, 500]."""
    import pyarrow.parquet as pq

    names = ["tpep_pickup_datetime", "fare_amount", "trip_distance", "PULocationID"]
    table = pq.read_table(path, columns=names).drop_null()
    time, fare, distance, zone = (table[name].to_numpy() for name in names)
    seconds = (time.astype("datetime64[s]") - START).astype(np.int64)
    keep = (seconds >= 0) & (seconds < DAYS * 86400) & (fare > 0) & (fare <= MOST_FARE)
    order = np.flatnonzero(keep)[np.argsort(seconds[keep], kind="stable")]
    return Trips(seconds[order], fare[order], distance[order], zone[order], "TLC")


def month(rows: int = ROWS, seed: int = 2024) -> Trips:
    """Make the month up."""
    rng = np.random.default_rng(seed)
    rate, airport, other = rhythm(rows, rng)
    tick = np.repeat(np.arange(TICKS), rng.multinomial(rows, rate / rate.sum()))
    seconds = tick * TICK + rng.integers(0, TICK, rows)
    seconds.sort()
    tick = seconds // TICK
    u = rng.random(rows)
    group = np.where(u < airport[tick], 0, np.where(u < airport[tick] + other[tick], 2, 1))
    distance, fare = fares(group, tick, rng)
    zone = np.empty(rows, dtype=np.int64)
    for g, zones in enumerate((AIRPORTS, MANHATTAN, OTHERS)):
        zone[group == g] = rng.choice(zones, int((group == g).sum()))
    return Trips(seconds, fare, distance, zone, "synthetic")


def rhythm(rows: int, rng: Any) -> tuple[Any, Any, Any]:
    """Of every tick: how many trips, and which parts start at an airport and in neither group."""
    hour = np.arange(TICKS) * TICK / 3600
    day = (hour // 24).astype(int)
    weekend = np.isin(day % 7, (5, 6)) | (day == 0)  # the 1st is a Monday, and a holiday
    rate, rest = between(WORKDAY, hour), between(WEEKEND, hour)
    rate = np.where(weekend, rest, rate) * np.exp(rng.normal(0, 0.08, DAYS))[day]
    airport = between(AIRPORT, hour) / 1000 * np.exp(rng.normal(0, 0.15, DAYS))[day]
    other = between(OTHER, hour) / 1000
    night = night_ticks(np.arange(TICKS))
    rate[night] = NIGHT_TRIPS * rate.sum() / ROWS
    airport[night], other[night] = NIGHT_AIRPORT, NIGHT_OTHER
    return rate, airport, other


def between(by_hour: list[int], hour: Any) -> Any:
    """Interpolate between the middles of the hours."""
    return np.interp(hour % 24, np.arange(-1, 25) + 0.5, [by_hour[-1], *by_hour, by_hour[0]])


def night_ticks(tick: Any) -> Any:
    """Whether a tick lies in the thin night."""
    hour = tick * TICK // 3600
    first, last = (NIGHT_DAY * 24 + h for h in NIGHT_HOURS)
    return (hour >= first) & (hour < last)


def fares(group: Any, tick: Any, rng: Any) -> tuple[Any, Any]:
    """Miles and dollars: long from airports, short in Manhattan, some of each the other way."""
    rows = len(group)
    far = rng.random(rows) < np.array([0.85, 0.02, 0.25])[group]
    distance = np.where(far, 10 + rng.gamma(4, 1.6, rows), np.minimum(rng.gamma(2, 1.1, rows), 10))
    fare = 5 + 3 * distance + rng.gamma(2, 1.2, rows)
    fare *= np.where(night_ticks(tick), np.array([1.13, 1.85, 2.1])[group], 1)
    return distance.round(2), np.clip(fare, 1, MOST_FARE).round(2)


def write(made: Trips, path: Path) -> None:
    """Write trips as Parquet with TLC's column names."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    time = START.astype("datetime64[us]") + made.seconds.astype("timedelta64[s]")
    table = pa.table(
        {
            "tpep_pickup_datetime": time,
            "fare_amount": made.fare,
            "trip_distance": made.distance,
            "PULocationID": made.zone.astype(np.int32),
        }
    )
    pq.write_table(table, path, row_group_size=500_000)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("path", type=Path)
    parser.add_argument("--rows", type=int, default=ROWS)
    arguments = parser.parse_args()
    write(month(arguments.rows), arguments.path)


if __name__ == "__main__":
    main()
