"""How much work a call is, counted: the same on every machine, however busy."""

from __future__ import annotations

import sys
from collections.abc import Callable
from types import FrameType
from typing import Any

__all__ = ["steps"]


def steps(call: Callable[[], object]) -> int:
    """Return the number of lines that `call` runs; each turn of a loop counts anew."""
    count = 0

    def trace(frame: FrameType, event: str, arg: Any) -> Any:
        nonlocal count
        count += 1
        return trace

    before = sys.gettrace()
    sys.settrace(trace)
    try:
        call()
    finally:
        sys.settrace(before)
    return count
