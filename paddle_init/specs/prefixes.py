"""Prefixes that all names of one side have, and the other side's have not."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

__all__ = ["WRAPPER", "Prefixes", "before", "prefixes"]

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
        ours += _only(bare[1], bare[0])
        theirs += _only(bare[0], bare[1])
    return Prefixes(ours, theirs)


def _wrapper(names: Sequence[str]) -> str:
    found = ""
    while names and all(name.startswith(found + WRAPPER) for name in names):
        found += WRAPPER
    return found


def before(owners: Mapping[str, str], longer: Iterable[str]) -> tuple[str, ...]:
    """Return the texts, ending in a dot, that stand in `longer` before a name of every owner.

    Parameters
    ----------
    owners
        What each name belongs to; one of several names of an owner is enough.
    """
    found: dict[str, set[str]] = {}
    for name in longer:
        at = name.find(".")
        while at >= 0:
            if owner := owners.get(name[at + 1 :]):
                found.setdefault(name[: at + 1], set()).add(owner)
            at = name.find(".", at + 1)
    every = set(owners.values())
    return tuple(text for text, known in found.items() if known == every)


def _only(names: Sequence[str], longer: Sequence[str]) -> str:
    """Return the one text that stands before all of `names` in `longer`, or none."""
    texts = before({name: name for name in names}, longer)
    return texts[0] if len(texts) == 1 else ""
