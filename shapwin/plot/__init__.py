"""Pictures of an explanation, from the long table as a Spark or pandas DataFrame.

Needs matplotlib, the extra ``plot``.
"""

from .change import change
from .decomposition import decomposition
from .files import save
from .look import COLOURS, NONE, NONE_COLOUR, require_matplotlib
from .scale import scale
from .share_lift import share_lift
from .table import subject
from .waterfall import waterfall

__all__ = [
    "COLOURS",
    "NONE",
    "NONE_COLOUR",
    "change",
    "decomposition",
    "require_matplotlib",
    "save",
    "scale",
    "share_lift",
    "subject",
    "waterfall",
]
