"""shapwin says why a sliding-window aggregate has its value: exact Shapley values in closed form.

The core (this level) needs NumPy only. `register`, `explain`, `panes`, `attribute`,
`compare`, `PaneSink` and `functions` need Spark and load it on first use.
"""

from __future__ import annotations

from importlib import import_module
from importlib.metadata import PackageNotFoundError, version
from typing import TYPE_CHECKING, Any

from .errors import ShapwinError
from .exact import enumerate_shapley, sample_shapley
from .frames import Frames
from .games import Attribution, closed_form, tuple_values
from .harmonic import harmonic, harmonic2
from .moment_games import MomentGame, Term, central_moment
from .players import player_values
from .predicates import Query
from .roll import rolling
from .sliding import SlidingWindow
from .summary import Summary

if TYPE_CHECKING:
    from . import functions as functions
    from .spark.attribution import attribute as attribute
    from .spark.attribution import explain as explain
    from .spark.compare import compare as compare
    from .spark.panes import panes as panes
    from .spark.registry import register as register
    from .spark.sinks import PaneSink as PaneSink

try:
    __version__ = version("shapwin")
except PackageNotFoundError:  # a checkout that is on the path but not installed
    __version__ = "0+unknown"

# Name → where it lives; loaded on first use so that `import shapwin` needs no Spark.
_SPARK_NAMES = {
    "register": "shapwin.spark.registry",
    "panes": "shapwin.spark.panes",
    "attribute": "shapwin.spark.attribution",
    "explain": "shapwin.spark.attribution",
    "compare": "shapwin.spark.compare",
    "PaneSink": "shapwin.spark.sinks",
}

__all__ = [
    "Attribution",
    "Frames",
    "MomentGame",
    "PaneSink",
    "Query",
    "ShapwinError",
    "SlidingWindow",
    "Summary",
    "Term",
    "attribute",
    "central_moment",
    "closed_form",
    "compare",
    "enumerate_shapley",
    "explain",
    "functions",
    "harmonic",
    "harmonic2",
    "panes",
    "player_values",
    "register",
    "rolling",
    "sample_shapley",
    "tuple_values",
]


def __getattr__(name: str) -> Any:
    if name == "functions":
        return import_module("shapwin.functions")
    if name in _SPARK_NAMES:
        return getattr(import_module(_SPARK_NAMES[name]), name)
    raise AttributeError(f"module 'shapwin' has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted(set(globals()) | set(__all__))
