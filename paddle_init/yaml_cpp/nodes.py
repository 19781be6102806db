"""A YAML document as C++ sees it: texts, lists and mappings that know where they stand.

Nodes are values and not to be changed. They are not frozen, since a frozen dataclass takes
four times as long to make, and a conf has a node for every word."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import TypeAlias, TypeVar

from paddle_init.errors import Notice, PaddleInitError, Source, located


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


@dataclass(frozen=True)
class Problem:
    """One thing wrong in a file: what was found, what is allowed, and where."""

    message: str
    source: Source | None = None

    def __str__(self) -> str:
        return located(self.source, self.message)


Raised = TypeVar("Raised", bound="DocumentError")


class DocumentError(PaddleInitError, ValueError):
    """A file cannot be read as what it should be; says everything that is wrong with it.

    Parameters
    ----------
    problems : Problem or iterable of Problem
        At least one. They are kept file by file, in the order in which the files first
        appear, and within a file by line.

    Attributes
    ----------
    problems : tuple of Problem
    notices : tuple of Notice
        What was warned about until then.
    """

    problems: tuple[Problem, ...]
    notices: tuple[Notice, ...] = ()

    def __init__(self, problems: Problem | Iterable[Problem]) -> None:
        found = (problems,) if isinstance(problems, Problem) else tuple(problems)
        self.problems = _in_line_order(found)
        super().__init__(str(self))

    @classmethod
    def at(cls: type[Raised], file: str, line: int, message: str) -> Raised:
        """Make the error of one problem; line 0 stands for the whole file."""
        return cls(Problem(message, Source(file, line)))

    def __str__(self) -> str:
        return "\n".join(map(str, self.problems))


@contextmanager
def carrying(notices: tuple[Notice, ...]) -> Iterator[None]:
    """Give what is warned about already to an error on the way, before its own notices."""
    try:
        yield
    except DocumentError as error:
        error.notices = (*notices, *error.notices)
        raise


def _in_line_order(problems: tuple[Problem, ...]) -> tuple[Problem, ...]:
    files: dict[str, int] = {}
    for problem in problems:
        files.setdefault(problem.source.file if problem.source else "", len(files))

    def position(problem: Problem) -> tuple[int, int]:
        source = problem.source
        return (files[source.file], source.line) if source else (files[""], 0)

    return tuple(sorted(problems, key=position))


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
            message = f"no anchor &{name} stands before the alias *{name}"
        elif isinstance(node, list):
            message = f"the alias *{name} stands inside its own anchor"
        else:
            if name not in self.extents:
                self.extents[name] = _extent(node)
            size, height = self.extents[name]
            self.aliased += size
            if self.aliased <= MAX_ALIASED and depth + height <= MAX_DEPTH + 1:
                return node
            message = f"with the alias *{name} nested over {MAX_DEPTH} deep"
            if self.aliased > MAX_ALIASED:
                message = f"aliases stand for over {MAX_ALIASED:,} values"
        raise DocumentError.at(self.file, line, message)


def _extent(node: Node) -> tuple[int, int]:
    """Number of nodes in a tree, counted no further than `MAX_ALIASED`, and its height."""
    size, height = 0, 0
    level: list[Node] = [node]
    while level and size <= MAX_ALIASED:
        size += len(level)
        height += 1
        level = [child for parent in level for child in children(parent)]
    return size, height


def children(node: Node) -> Iterable[Node]:
    """What a list holds, or a mapping's values; nothing for a text."""
    if isinstance(node, Mapping):
        return node.entries.values()
    return node.items if isinstance(node, Sequence) else ()
