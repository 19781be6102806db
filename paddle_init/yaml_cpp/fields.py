"""A mapping read key by key, with all that is wrong gathered instead of raised."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import TypeVar

from paddle_init.errors import PaddleInitError, SpecError
from paddle_init.texts import did_you_mean, nearest
from paddle_init.yaml_cpp.nodes import Mapping, Node, Problem, Scalar, Sequence
from paddle_init.yaml_cpp.scalars import ScalarError, as_bool, as_double, as_int, as_integer

T = TypeVar("T")


class Fields:
    """The keys of one mapping, each read once and by its own rule; all that is wrong is added.

    `node` is what stands where the mapping belongs, `owner` what it describes, for messages:
    ``draw fc1_w``.
    """

    def __init__(self, node: Node, owner: str, problems: list[Problem]) -> None:
        self.node = node
        self.owner = owner
        self.problems = problems
        self.taken: list[str] = []
        self.missing: dict[str, int] = {}
        self.sound = isinstance(node, Mapping)
        if not self.sound:
            self.refuse(f"expected a mapping, found {node.kind}")

    def refuse(self, message: str, key: str = "") -> None:
        """Add what is wrong with `key`, or with the mapping as a whole."""
        source = self.node.source(key)
        self.problems.append(Problem(f"{self.owner}: {message}", source))
        self.sound = False

    def node_of(self, key: str) -> Node | None:
        """The node under `key`, which counts as read."""
        self.taken.append(key)
        return self.node.get(key) if isinstance(self.node, Mapping) else None

    def optional(self, key: str, read: Callable[[Node], T]) -> T | None:
        """Read `key`; None where it is missing or, with a problem added, unreadable."""
        value = self.node_of(key)
        if value is None:
            return None
        try:
            return read(value)
        except ScalarError as error:
            self.refuse(str(error), key)
            return None

    def required(self, key: str, read: Callable[[Node], T]) -> T | None:
        """Read `key`; None, with a problem added, where it is missing or unreadable."""
        if isinstance(self.node, Mapping) and key not in self.node:
            self.taken.append(key)
            self.missing[key] = len(self.problems)
            self.refuse(f"the key {key} is missing")
            return None
        return self.optional(key, read)

    def build(self, make: Callable[[], T]) -> T | None:
        """Return ``make()``; None where a key was refused, or, with a problem added, it raises."""
        if not self.sound:
            return None
        try:
            return make()
        except SpecError as error:
            source = error.source or self.node.source()
            message = error.message.removeprefix(f"{self.owner}: ")
            self.problems.append(Problem(f"{self.owner}: {message}", source))
        except PaddleInitError as error:
            self.refuse(str(error))
        return None

    def close(self, allowed: Iterable[str] = ()) -> None:
        """Refuse every key that nothing has read."""
        known = [*self.taken, *allowed]
        misspelled = self.misspelled(known)
        for key in self.node if isinstance(self.node, Mapping) else ():
            if key not in known and key not in misspelled:
                meant = did_you_mean(key, known)
                self.refuse(f"unknown key{meant} (known: {', '.join(known)})", key)

    def misspelled(self, known: Iterable[str]) -> tuple[str, ...]:
        """Say of each missing key which unknown one may be meant for it; return the latter."""
        if not self.missing or not isinstance(self.node, Mapping):
            return ()
        found = []
        for key in self.node:
            if key not in known and (meant := nearest(key, self.missing)):
                message = f"{self.owner}: the key {meant} is missing, and {key} is not known"
                problem = Problem(f"{message}; did you mean {meant}?", self.node.source(key))
                self.problems[self.missing.pop(meant)] = problem
                found.append(key)
        return tuple(found)


def text(node: Node | None, expected: str = "a text") -> str:
    """A text that is not empty; `expected` says for messages what it should be."""
    if not isinstance(node, Scalar) or node.null or not node.text:
        raise ScalarError(f"expected {expected}, found {node.kind if node else 'nothing'}")
    return node.text


def double(node: Node) -> float:
    """A number, as yaml-cpp reads a double."""
    return as_double(text(node, "a number"))


def doubles(node: Node) -> tuple[float, ...]:
    return tuple(map(double, _list(node, "numbers")))


def integer(node: Node) -> int:
    """An integer, as yaml-cpp reads an int."""
    return as_int(text(node, "an integer"))


def integers(node: Node) -> tuple[int, ...]:
    return tuple(map(integer, _list(node, "integers")))


def big_integer(node: Node) -> int:
    """An integer of any size, in C++'s notation."""
    return as_integer(text(node, "an integer"))


def big_integers(node: Node) -> tuple[int, ...]:
    return tuple(map(big_integer, _list(node, "integers")))


def boolean(node: Node) -> bool:
    """A truth value, as yaml-cpp reads a bool."""
    return as_bool(text(node, "true or false"))


def _list(node: Node, of: str) -> Sequence:
    if not isinstance(node, Sequence):
        raise ScalarError(f"expected a list of {of}, found {node.kind}")
    return node
