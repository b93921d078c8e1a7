"""Pictures as files."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from .decomposition import decomposition
from .look import matplotlib

if TYPE_CHECKING:
    from matplotlib.axes import Axes


def save(
    path: Any, table: Any, *, picture: Callable[..., Axes] = decomposition, **arguments: Any
) -> None:
    """Draw a picture into a file, without a window on the screen.

    Parameters
    ----------
    path : str or Path
        Where to; the suffix says the format.
    table : pandas.DataFrame or Spark DataFrame
        What the picture takes.
    picture : callable
        Which one: by default `decomposition`.
    **arguments
        Further arguments of the picture.
    """
    plt: Any = matplotlib("pyplot")
    before = plt.get_backend()
    plt.switch_backend("agg")
    figure: Any = picture(table, **arguments).figure
    figure.savefig(path, dpi=150)
    plt.close(figure)
    plt.switch_backend(before)
