"""Which parameters of two sides belong together: a mapping, and its file."""

from __future__ import annotations

import os
from collections.abc import Iterable
from collections.abc import Mapping as Names
from dataclasses import dataclass, field
from typing import Any, TypeAlias

from paddle_init.errors import Source, SpecError
from paddle_init.specs.yaml_form import FORMAT, a_list, check_format, plain
from paddle_init.texts import printable
from paddle_init.yaml_cpp import (
    Document,
    DocumentError,
    Node,
    Problem,
    Sequence,
    parse_document,
    read_document,
)
from paddle_init.yaml_cpp.fields import Fields, boolean, text

__all__ = ["MappingLike", "Pairing", "dump_mapping", "load_mapping", "parse_mapping"]


@dataclass(frozen=True)
class Pairing:
    """Parameters that belong together, by name.

    Parameters
    ----------
    left, right
        One name each; or one on one side and several on the other, which hold its rows from the
        first down (a stacked weight; a weight with its bias row).
    transposed
        True where one of the two is [out, in]; False where it is known that neither is. None says
        nothing: both are taken as Paddle's [in, out].
    """

    left: tuple[str, ...]
    right: tuple[str, ...]
    transposed: bool | None = None
    source: Source | None = field(default=None, compare=False)

    def __post_init__(self) -> None:
        if not self.left or not self.right:
            raise SpecError("a pairing names at least one parameter on either side", self.source)
        if min(len(self.left), len(self.right)) > 1:
            raise SpecError("a pairing has several names on one side at most", self.source)
        if self.transposed and len(self.left) + len(self.right) > 2:
            raise SpecError("only one parameter against one can be transposed", self.source)


MappingLike: TypeAlias = "str | os.PathLike[str] | Names[str, str] | Iterable[Pairing]"


def load_mapping(mapping: MappingLike) -> tuple[Pairing, ...]:
    """Return the pairings that `mapping` holds: a file's path, a dict of names, or pairings.

    A mapping file is YAML::

        paddle_init_mapping: 1
        pairs:
          - {left: fc1_w, right: fcs.0.weight}
          - {left: [user_w, item_w], right: merge.weight}
          - {left: fc2_w, right: [head.weight, head.bias]}
          - {left: torch_w, right: fc.weight, transposed: true}

    Raises
    ------
    DocumentError
        A file is no mapping; the message lists everything wrong, by line.
    SpecError
        A pairing has several names on both sides.
    """
    if isinstance(mapping, (str, os.PathLike)):
        return _mapping_of(read_document(mapping))
    if isinstance(mapping, Names):
        return tuple(Pairing((left,), (right,)) for left, right in mapping.items())
    return tuple(mapping)


def parse_mapping(source: str, file: str = "<text>") -> tuple[Pairing, ...]:
    """Read a mapping from its text; `file` names it in messages."""
    return _mapping_of(parse_document(source, file))


def dump_mapping(pairings: Iterable[Pairing], comments: Iterable[str] = ()) -> str:
    """Return the YAML form of pairings, one line each; `load_mapping` gives them back.

    Comments follow, a line each.
    """
    lines = [f"paddle_init_mapping: {FORMAT}", "pairs:"]
    for each in pairings:
        fields = [f"left: {_names(each.left)}", f"right: {_names(each.right)}"]
        if each.transposed is not None:
            fields.append(f"transposed: {str(each.transposed).lower()}")
        lines.append(f"  - {{{', '.join(fields)}}}")
    if len(lines) == 2:
        lines[-1] += " []"
    lines += [f"# {printable(comment)}" for comment in comments]
    return "\n".join(lines) + "\n"


def _mapping_of(document: Document) -> tuple[Pairing, ...]:
    problems: list[Problem] = []
    fields = Fields(document.root, "mapping", problems)
    check_format(fields, "paddle_init_mapping")
    pairings = [_pairing(node, problems) for node in fields.required("pairs", a_list) or ()]
    fields.close()
    if problems:
        raise DocumentError(problems)
    return tuple(pairing for pairing in pairings if pairing)


def _pairing(node: Node, problems: list[Problem]) -> Pairing | None:
    fields = Fields(node, "pair", problems)
    left, right = fields.required("left", _texts), fields.required("right", _texts)
    transposed = fields.optional("transposed", boolean)
    fields.close()
    return fields.build(lambda: Pairing(left or (), right or (), transposed, fields.node.source()))


def _texts(node: Node) -> tuple[str, ...]:
    return tuple(map(text, node)) if isinstance(node, Sequence) else (text(node),)


def _names(names: tuple[str, ...]) -> Any:
    shown = [plain(name) for name in names]
    return shown[0] if len(shown) == 1 else f"[{', '.join(shown)}]"
