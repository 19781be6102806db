"""Prefixes that all names of one side have, and the other side's have not."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

__all__ = ["Prefixes", "prefixes"]

WRAPPER = "_layers."
"""What Paddle's DataParallel puts before the names of the net that it wraps."""


@dataclass(frozen=True)
class Prefixes:
    """What stands before every name of the left and of the right; empty where nothing does."""

    left: str = ""
    right: str = ""

    def left_bare(self, name: str) -> str:
        return name.removeprefix(self.left)

    def right_bare(self, name: str) -> str:
        return name.removeprefix(self.right)


def prefixes(left: Sequence[str], right: Sequence[str]) -> Prefixes:
    """Return the prefixes without which the names of two sides are compared.

    DataParallel's is one. Another is one where no names are equal otherwise, and one side alone has
    it: all names of the other side follow it there.
    """
    ours, theirs = _wrapper(left), _wrapper(right)
    if ours == theirs:
        ours = theirs = ""
    bare = [name.removeprefix(ours) for name in left], [name.removeprefix(theirs) for name in right]
    if set(bare[0]).isdisjoint(bare[1]):
        ours += _before(bare[1], bare[0])
        theirs += _before(bare[0], bare[1])
    return Prefixes(ours, theirs)


def _wrapper(names: Sequence[str]) -> str:
    found = ""
    while names and all(name.startswith(found + WRAPPER) for name in names):
        found += WRAPPER
    return found


def _before(names: Sequence[str], longer: Sequence[str]) -> str:
    """Return the one text that stands before all of `names` in `longer`, or none."""
    if not names:
        return ""
    first, known = names[0], set(longer)
    found = {name.removesuffix(first) for name in longer if name.endswith("." + first)}
    fitting = [each for each in found if all(each + name in known for name in names)]
    return fitting[0] if len(fitting) == 1 else ""
