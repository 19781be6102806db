"""State dicts within dicts and lists: every array with a name, its keys joined by dots."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import Any, TypeAlias

from paddle_init.weight_files.loading.weights import Loader, Weights

__all__ = ["Leaf", "Member", "NestingError", "gathered", "key_text"]

# A key, the value that it leads to, and the parameter's own name where a table says it.
Member: TypeAlias = tuple[str, Any, "str | None"]

DEEPEST, MOST, LONGEST = 64, 1 << 20, 1 << 26
ALONE = "parameter"


class NestingError(ValueError):
    """A tree that goes on without end, or that gives a name twice."""


@dataclass(frozen=True)
class Leaf:
    """What is no container: a loader, or why it cannot be read; and the parameter's own name."""

    content: Loader | str
    own_name: str | None = None


def gathered(
    source: str,
    saved: Any,
    members: Callable[[Any], Iterable[Member] | None],
    leaf: Callable[[Any], Leaf],
) -> Weights:
    """Return the arrays of a tree, in its order.

    Own names are aliases in the dict that holds the array and in those around it. Where arrays of
    several dicts have one own name, as those of a model and of its moving average, it is an alias
    only within each.

    Parameters
    ----------
    members
        Returns a container's members, None for what is no container.
    leaf
        Reads what is none.

    Raises
    ------
    NestingError
        Two places of the tree have one name; or it is too deep or too large to be walked.
    """
    loaders: dict[str, Loader] = {}
    unreadable: dict[str, str] = {}
    places: dict[str, tuple[str, ...]] = {}
    owned: dict[str, list[str]] = {}
    for keys, found in _Walk(members, leaf).leaves(saved, (), None):
        name = ".".join(keys) or ALONE
        if name in places:
            raise NestingError(
                f"the name {name!r} is given twice: by the keys {_shown(places[name])} and by "
                f"{_shown(keys)}"
            )
        places[name] = keys
        if isinstance(found.content, str):
            unreadable[name] = found.content
        else:
            loaders[name] = found.content
            if found.own_name:
                for depth in range(max(1, len(keys))):
                    owned.setdefault(".".join((*keys[:depth], found.own_name)), []).append(name)
    aliases = {
        own: tuple(names)
        for own, names in owned.items()
        if own not in places and len({places[name][:-1] for name in names}) == 1
    }
    return Weights(source, loaders, unreadable, aliases)


def key_text(key: Any) -> str:
    """Return a dict's key as a part of a name.

    Raises
    ------
    NestingError
        It is no text, number or tuple of these.
    """
    if isinstance(key, str):
        return key
    if key is None or isinstance(key, (bool, float, bytes)):
        return str(key)
    if isinstance(key, int) and abs(key) < 1 << 64:
        return str(key)
    if isinstance(key, tuple):
        return f"({', '.join(map(key_text, key))})"
    raise NestingError(f"a key of a dict is neither a text nor a number ({type(key).__name__})")


def _shown(keys: tuple[str, ...]) -> str:
    return "[" + ", ".join(map(repr, keys)) + "]"


class _Walk:
    """One walk through a tree, within bounds on what names add up to."""

    def __init__(
        self,
        members: Callable[[Any], Iterable[Member] | None],
        leaf: Callable[[Any], Leaf],
    ) -> None:
        self.members, self.leaf = members, leaf
        self.visited = self.letters = 0

    def leaves(
        self, value: Any, keys: tuple[str, ...], own_name: str | None
    ) -> Iterator[tuple[tuple[str, ...], Leaf]]:
        inner = self.members(value)
        self.visited += 1
        if self.visited > MOST:
            raise NestingError(f"it holds more than {MOST} values")
        if inner is None:
            found = self.leaf(value)
            own = own_name or found.own_name
            self.letters += sum(map(len, keys)) + len(own or "") * max(1, len(keys))
            if self.letters > LONGEST:
                raise NestingError(f"its names are longer than {LONGEST} characters together")
            yield keys, Leaf(found.content, own)
            return
        if len(keys) == DEEPEST:
            raise NestingError(f"dicts are nested more than {DEEPEST} deep")
        for key, each, own in inner:
            yield from self.leaves(each, (*keys, key), own)
