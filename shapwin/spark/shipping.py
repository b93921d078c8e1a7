"""Send shapwin's own code along with functions: workers need not have it installed."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager

from pyspark import cloudpickle


@contextmanager
def shipped() -> Iterator[None]:
    """Pickle by value, within the context, whatever functions use of shapwin."""
    package = sys.modules[__package__.partition(".")[0]]
    cloudpickle.register_pickle_by_value(package)  # type: ignore[no-untyped-call]
    try:
        yield
    finally:
        cloudpickle.unregister_pickle_by_value(package)  # type: ignore[no-untyped-call]
