"""Every error that shapwin raises for a user's mistake.

Each message names the argument, shows its value and says how to mend it.
"""

from __future__ import annotations


class ShapwinError(Exception):
    """The base of all shapwin errors: catch this to catch them all."""


class ArgumentError(ShapwinError, ValueError):
    """An argument has a value that cannot work."""


class ArgumentTypeError(ShapwinError, TypeError):
    """An argument or a column has a type that cannot work."""


class StatisticError(ArgumentError):
    """The statistic is unknown, or has no closed form to attribute it by."""


class PredicateError(ArgumentError):
    """A predicate does not parse, is no condition, or has an unusable name."""


class QueryError(ArgumentError):
    """A query does not parse, or uses a name that is no predicate."""


class IntervalError(ArgumentError):
    """An interval is not a positive length of fixed duration."""


class ColumnError(ArgumentError):
    """A column is missing, ambiguous, or collides with a result column."""


class DependencyError(ShapwinError, RuntimeError):
    """Something outside Python packages of shapwin itself is not installed."""
