"""Anchors and aliases: an alias is its anchor's node, within bounds on what aliases add up to."""

from __future__ import annotations

from collections.abc import Iterator

from paddle_init.document.nodes import Mapping, Node, Sequence
from paddle_init.document.problems import DocumentError, Problem
from paddle_init.errors import Source

__all__ = ["MAX_ALIASED", "MAX_DEPTH", "Anchors"]

MAX_DEPTH = 498
MAX_ALIASED = 1_000_000


class Anchors:
    """The anchors of one document, of which a name's last is the one that counts."""

    def __init__(self, file: str) -> None:
        self.file = file
        self.targets: dict[str, Node | list[Node]] = {}
        self.extents: dict[str, tuple[int, int]] = {}
        self.aliased = 0

    def define(self, name: str, target: Node | list[Node]) -> None:
        """Let `name` stand for a node, or for the parts so far of one that is still open."""
        self.targets[name] = target
        self.extents.pop(name, None)

    def close(self, name: str, parts: list[Node], node: Node) -> None:
        """Let `name` stand for the finished node, unless it was given away meanwhile."""
        if self.targets[name] is parts:
            self.targets[name] = node

    def resolve(self, name: str, line: int, depth: int) -> Node:
        """The node that an alias inside of `depth` lists and mappings stands for.

        Raises
        ------
        DocumentError
            No such anchor before the alias; an alias inside its own anchor; aliases that
            stand for more than `MAX_ALIASED` nodes in all; nesting over `MAX_DEPTH`.
        """
        node = self.targets.get(name)
        if node is None:
            raise self._refused(line, f"no anchor &{name} stands before the alias *{name}")
        if isinstance(node, list):
            raise self._refused(line, f"the alias *{name} stands inside its own anchor")
        if name not in self.extents:
            self.extents[name] = _extent(node)
        size, height = self.extents[name]
        self.aliased += size
        if self.aliased > MAX_ALIASED:
            raise self._refused(line, f"aliases stand for over {MAX_ALIASED:,} values")
        if depth + height > MAX_DEPTH + 1:
            raise self._refused(line, f"with the alias *{name} nested over {MAX_DEPTH} deep")
        return node

    def _refused(self, line: int, message: str) -> DocumentError:
        return DocumentError(Problem(message, Source(self.file, line)))


def _extent(node: Node) -> tuple[int, int]:
    """Number of nodes in a tree, counted no further than `MAX_ALIASED`, and its height."""
    size, height = 0, 0
    level = [node]
    while level and size <= MAX_ALIASED:
        size += len(level)
        height += 1
        level = [child for parent in level for child in _children(parent)]
    return size, height


def _children(node: Node) -> Iterator[Node]:
    if isinstance(node, Sequence):
        yield from node.items
    elif isinstance(node, Mapping):
        yield from node.entries.values()
