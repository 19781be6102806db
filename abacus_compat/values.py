"""A conf's values by their meaning: names, sizes, ranges, flags, lists."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable

from paddle_init.document import (
    Mapping,
    Node,
    Scalar,
    ScalarError,
    Sequence,
    as_bool,
    as_double,
    as_float,
    as_int,
)
from paddle_init.document.fields import text
from paddle_init.schemes import Arithmetic

__all__ = ["flag", "items", "name", "names", "output_name", "range_reader", "size", "texts"]


def name(node: Node | None) -> str:
    """A text that is not empty."""
    return text(node, "a name")


def names(node: Node) -> tuple[str, ...]:
    """A name, or a list of at least one."""
    if not isinstance(node, Sequence):
        return (name(node),)
    if not node.items:
        raise ScalarError("expected a name or a list of names, found an empty list")
    return tuple(map(name, node.items))


def output_name(node: Node) -> str:
    """A layer's output: its name, or a mapping that has one."""
    return name(node.get("name") if isinstance(node, Mapping) else node)


def items(node: Node) -> tuple[Node, ...]:
    """A list; nothing is an empty one, as to yaml-cpp's ``size()``."""
    if isinstance(node, Scalar) and node.null:
        return ()
    if not isinstance(node, Sequence):
        raise ScalarError(f"expected a list, found {node.kind}")
    return node.items


def size(node: Node | None) -> int:
    """A C++ int of at least 1."""
    value = as_int(text(node, "an integer"))
    if value < 1:
        raise ScalarError(f"expected an integer of at least 1, found {value}")
    return value


def flag(node: Node) -> bool:
    """A C++ bool."""
    return as_bool(text(node, "true or false"))


def range_reader(arithmetic: Arithmetic) -> Callable[[Node], float]:
    """Return a reader of finite numbers of 0 or more: doubles, or floats for float32."""
    number = as_float if arithmetic == "float32" else as_double

    def read(node: Node) -> float:
        written = text(node, "a number")
        value = number(written)
        if not 0 <= value < math.inf:
            raise ScalarError(f"expected a finite number of 0 or more, found {written}")
        return value

    return read


def texts(nodes: Iterable[Node]) -> frozenset[str]:
    """Every text in the nodes, at any depth."""
    found = set()
    left = list(nodes)
    while left:
        node = left.pop()
        if isinstance(node, Scalar):
            found.add(node.text)
        else:
            left += node.entries.values() if isinstance(node, Mapping) else node.items
    return frozenset(found)
