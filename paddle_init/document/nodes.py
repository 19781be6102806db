"""A YAML document as C++ sees it: texts, lists and mappings that know where they stand.

Nodes are values and not to be changed. They are not frozen, since a frozen dataclass takes
four times as long to make, and a conf has a node for every word.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import TypeAlias

from paddle_init.errors import Source

__all__ = ["Mapping", "Node", "Scalar", "Sequence"]


@dataclass(slots=True)
class Scalar:
    """A text, with no type until it is read as one.

    Parameters
    ----------
    text : str
        As yaml-cpp's ``Scalar()`` has it; quoting makes no difference to its value.
    null : bool
        Written as nothing, ``~`` or ``null``, unquoted: no ``as<T>`` but that of a string
        takes it.
    file, line : str, int
        Where it starts; lines count from 1. Not part of equality.
    """

    text: str
    null: bool
    file: str = field(compare=False)
    line: int = field(compare=False)

    @property
    def kind(self) -> str:
        return "nothing" if self.null else "a text" if self.text else "an empty text"

    def source(self, key: str = "") -> Source:
        return Source(self.file, self.line, key)


@dataclass(slots=True)
class Sequence:
    """A list of nodes."""

    items: tuple[Node, ...]
    file: str = field(compare=False)
    line: int = field(compare=False)

    @property
    def kind(self) -> str:
        return "a list" if self.items else "an empty list"

    def source(self, key: str = "") -> Source:
        return Source(self.file, self.line, key)

    def __iter__(self) -> Iterator[Node]:
        return iter(self.items)

    def __len__(self) -> int:
        return len(self.items)


@dataclass(slots=True)
class Mapping:
    """Nodes by the text of their key; of a key that is written twice, the first.

    Parameters
    ----------
    entries : dict of str to node
        In the file's order.
    key_lines : dict of str to int
        Where each key is written. Not part of equality.
    """

    entries: dict[str, Node]
    key_lines: dict[str, int] = field(compare=False)
    file: str = field(compare=False)
    line: int = field(compare=False)

    @property
    def kind(self) -> str:
        return "a mapping" if self.entries else "an empty mapping"

    def source(self, key: str = "") -> Source:
        """Where `key` is written, or the mapping itself where it has no such key."""
        return Source(self.file, self.key_lines.get(key, self.line), key)

    def get(self, key: str) -> Node | None:
        """The value under `key`, or None."""
        return self.entries.get(key)

    def items(self) -> Iterator[tuple[str, Node]]:
        """Keys and values, in the file's order."""
        return iter(self.entries.items())

    def __contains__(self, key: object) -> bool:
        return key in self.entries

    def __iter__(self) -> Iterator[str]:
        return iter(self.entries)

    def __len__(self) -> int:
        return len(self.entries)


Node: TypeAlias = Scalar | Sequence | Mapping
