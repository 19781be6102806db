"""How many values lie where."""

from __future__ import annotations

from dataclasses import dataclass

__all__ = ["Histogram"]


@dataclass(frozen=True)
class Histogram:
    """Counts of the bins between ascending edges, of which there is one more."""

    edges: tuple[float, ...]
    counts: tuple[int, ...]
