"""Which parameters of two sides belong together: a mapping, its file, and tensors taken apart."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import pairwise
from typing import Any, TypeAlias

from paddle_init.distributions import Distribution, Given
from paddle_init.errors import Source, SpecError
from paddle_init.schemes import Arithmetic, Scheme, Shape
from paddle_init.specs import NetSpec, Overwrite, RowBlock, Tensor
from paddle_init.specs.yaml_form import FORMAT, a_list, check_format, plain
from paddle_init.texts import printable
from paddle_init.yaml_cpp import (
    Document,
    DocumentError,
    Node,
    Problem,
    parse_document,
    read_document,
)
from paddle_init.yaml_cpp import Sequence as NodeList
from paddle_init.yaml_cpp.fields import Fields, boolean, text


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


MappingLike: TypeAlias = "str | os.PathLike[str] | Mapping[str, str] | Iterable[Pairing]"


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
    if isinstance(mapping, Mapping):
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
    return tuple(map(text, node)) if isinstance(node, NodeList) else (text(node),)


def _names(names: tuple[str, ...]) -> Any:
    shown = [plain(name) for name in names]
    return shown[0] if len(shown) == 1 else f"[{', '.join(shown)}]"


@dataclass(frozen=True)
class _Transposed:
    """A scheme for the shape as it is on its own side, [out, in], of a draw shown as [in, out]."""

    turned: Scheme
    kind: str = "transposed"

    def __call__(self, shape: Shape, arithmetic: Arithmetic = "float64") -> Distribution:
        drawn = self.turned(shape[::-1], arithmetic)
        if isinstance(drawn, Given):
            return Given(drawn.values.reshape(shape[::-1]).T)
        return drawn

    def formula(self, shape: Shape, arithmetic: Arithmetic = "float64") -> str:
        return self.turned.formula(shape[::-1], arithmetic)


def width_of(tensor: Tensor) -> int | None:
    """Return how many values a tensor's rows have in a stack; None where it fits in none."""
    return tensor.shape[-1] if len(tensor.shape) in (1, 2) else None


def rows_of(tensor: Tensor, width: int | None) -> int | None:
    """Return how many rows of `width` values a tensor makes in a stack; None where it cannot."""
    if width_of(tensor) != width or width is None:
        return None
    return 1 if len(tensor.shape) == 1 else tensor.shape[0]


def split(tensor: Tensor, parts: Sequence[Tensor]) -> list[Tensor]:
    """Deal a 2-D tensor's rows to tensors shaped like `parts`, from the first down.

    A 1-D part takes one row. The new tensors have the names and roles of the parts.

    Raises
    ------
    SpecError
        The rows do not come out even, or a part has another width.
    """
    width = tensor.shape[1] if len(tensor.shape) == 2 else None
    counts = [rows_of(part, width) for part in parts]
    if None in counts or sum(filter(None, counts)) != tensor.shape[0]:
        shapes = " and ".join(f"{part.name} {list(part.shape)}" for part in parts)
        raise SpecError(f"{tensor.name} {list(tensor.shape)} is not {shapes} under each other")
    tensors, start = [], 0
    for part, count in zip(parts, counts, strict=True):
        stop = start + (count or 0)
        blocks = tuple(_between(tensor.blocks, start, stop))
        size = width or 0
        tensors.append(
            Tensor(
                part.name,
                part.role,
                part.shape,
                blocks,
                tensor.dtype,
                tensor.source,
                overwritten=tensor.overwritten_within(start * size, stop * size),
            )
        )
        start = stop
    return tensors


def transposed(spec: NetSpec, tensor: Tensor) -> tuple[NetSpec, Tensor]:
    """Return `spec` with a 2-D tensor of one whole draw turned from [out, in] to [in, out].

    Raises
    ------
    SpecError
        The tensor is not 2-D, or not one whole draw alone.
    """
    (block, *more) = tensor.blocks
    draw = spec.draw_by_name[block.draw]
    if len(tensor.shape) != 2 or more or tensor.shape != draw.shape:
        raise SpecError(f"{tensor.name} {list(tensor.shape)} is not one whole 2-D draw")
    turned = replace(draw, shape=draw.shape[::-1], scheme=_Transposed(draw.scheme))
    rows = RowBlock(draw.name, 0, turned.shape[0])
    set_after = (new for each in tensor.overwritten for new in _turned(each, tensor.shape))
    view = replace(tensor, shape=turned.shape, blocks=(rows,), overwritten=tuple(set_after))
    draws = tuple(turned if each is draw else each for each in spec.draws)
    tensors = (view if each is tensor else _unpaired(each, tensor) for each in spec.tensors)
    return replace(spec, draws=draws, tensors=tuple(tensors)), view


def _turned(each: Overwrite, shape: Shape) -> Iterator[Overwrite]:
    """Yield what sets the same elements of a 2-D tensor of `shape` when it is transposed."""
    rows, columns = shape
    places = [i % columns * rows + i // columns for i in range(each.start, each.stop, each.step)]
    steps = {after - before for before, after in pairwise(places)}
    if len(steps) <= 1 and min(steps, default=1) > 0:
        yield Overwrite(places[0], len(places), steps.pop() if steps else 1, each.value)
    else:
        yield from (Overwrite(place, 1, 1, each.value) for place in places)


def _unpaired(bias: Tensor, turned: Tensor) -> Tensor:
    """Let a bias whose weight was found by its width be paired anew: the width is another now."""
    again = bias.role == "bias" and (not bias.bias_of or turned.name in bias.bias_of)
    return replace(bias, bias_of=None) if again else bias


def _between(blocks: Sequence[RowBlock], start: int, stop: int) -> Iterator[RowBlock]:
    """Yield what lies in rows [start, stop) of a stack of blocks."""
    top = 0
    for block in blocks:
        first, last = max(start, top), min(stop, top + block.rows)
        if first < last:
            offset = block.start - top
            yield RowBlock(block.draw, first + offset, last + offset)
        top += block.rows


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
