"""How far two initializations are apart, from not at all to not comparable."""

from __future__ import annotations

from enum import Enum
from functools import total_ordering
from typing import NoReturn

from paddle_init.spelling import did_you_mean

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

    @classmethod
    def _missing_(cls, value: object) -> NoReturn:
        levels = [level.value for level in cls]
        meant = did_you_mean(value, levels)
        raise ValueError(f"{value!r} is no level of parity; allowed: {', '.join(levels)}{meant}")

    @property
    def rank(self) -> int:
        return tuple(Level).index(self)

    def __lt__(self, other: Level) -> bool:
        return self.rank < other.rank if isinstance(other, Level) else NotImplemented

    def __str__(self) -> str:
        return self.value
