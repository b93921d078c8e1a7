"""The aggregates as native Column expressions, by the names that they have in SQL.

Everything is made in `shapwin.spark.functions`; this is its public address.
"""

from .spark.functions import *  # noqa: F403 (its public names are these)
from .spark.functions import __all__ as __all__
