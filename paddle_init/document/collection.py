"""The cyclic garbage collector, which a tree without cycles does not need."""

from __future__ import annotations

import gc
from collections.abc import Iterator
from contextlib import contextmanager

__all__ = ["uncollected"]


@contextmanager
def uncollected() -> Iterator[None]:
    """Build a tree without the collector's going through all of it again and again.

    It makes the time to read a conf grow faster than the conf. Afterwards, and where anything
    raises, the collector is as it was.
    """
    if not gc.isenabled():
        yield
        return
    gc.disable()
    try:
        yield
    finally:
        gc.enable()
