"""How far two initializations are apart, from not at all to not comparable."""

from __future__ import annotations

from enum import Enum
from functools import total_ordering

__all__ = ["Level"]


@total_ordering
class Level(Enum):
    """Ordered from none to worst; ``max`` of two levels is the worse one."""

    IDENTICAL = "identical"
    ROUNDING = "rounding"
    STREAM = "stream"
    SCALE = "scale"
    DISTRIBUTION = "distribution"
    STRUCTURE = "structure"

    @property
    def rank(self) -> int:
        return tuple(Level).index(self)

    def __lt__(self, other: Level) -> bool:
        return self.rank < other.rank if isinstance(other, Level) else NotImplemented

    def __str__(self) -> str:
        return self.value
