"""The story of ``shapwin demo``: what it asks of the sample, and what the answer shows."""

from __future__ import annotations

from typing import Any

from .data import flights_path

PATH = flights_path()

ARGUMENTS: dict[str, Any] = {
    "value": "dep_delay",
    "time": "sched_dep",
    "window": "1 hour",
    "every": "5 minutes",
    "queries": None,
    "statistics": ["avg", "var_pop"],
    "predicates": {
        "kennedy": "origin = 'JFK'",
        "florida": "dest IN ('FLL', 'JAX', 'MCO', 'MIA', 'PBI', 'RSW', 'SRQ', 'TPA')",
        "regional": "carrier IN ('9E', 'EV', 'MQ', 'YV')",  # the feeders of the large carriers
    },
}

# From the storm to the fog after it. The mean of a handful of flights is noise: the picture leaves
# it out and shows by the size of the window why.
FOCUS = ("2013-02-08", "2013-02-11 23:59")
DRAWING: dict[str, Any] = {
    "value": "delay",
    "unit": "minutes",
    "tuples": "flights",
    "min_n": 10,
    "title": "Departures from New York, 8 to 11 February 2013: the delay of one hour, every 5 "
    "minutes, and what makes it up",
}

INTRODUCTION = """\
All 24,951 departures scheduled from New York in February 2013: the delay of the last hour, every 5
minutes, explained by kennedy (from JFK), florida (to a Florida airport) and regional (with a
regional carrier), which overlap."""

CONCLUSION = """\
The snow storm of 8 and 9 February hardly shows in the delays: 865 of 1,614 flights were cancelled,
a cancelled flight has no delay, and a NULL is no player. It shows in the size of the windows, below
in the picture. The worst hours came with the fog of 11 February."""
