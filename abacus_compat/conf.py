"""A plugin section or a flat conf, key by key, as typed records that know where they stand."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, field, replace

from paddle_init.document import (
    Mapping,
    Node,
    Problem,
    Scalar,
    ScalarError,
    Sequence,
    as_bool,
    as_double,
    as_float,
    as_int,
)
from paddle_init.document.fields import Fields
from paddle_init.errors import Source
from paddle_init.schemes import Arithmetic

__all__ = ["INT_MAX", "LayerEntry", "Param", "Section", "read_flat", "read_section"]

INT_MAX = 2**31 - 1
FULLY_CONNECTED = "NeuralLayer"

SECTION_KEYS = frozenset(("global_init_range", "param", "layer", "vec_input"))
FLAT_KEYS = frozenset(("init_range", "global_init_range", "scale_by_rown", "rown", "coln", "name"))
PARAM_KEYS = frozenset(("name", "rown", "coln", "init_range", "scale_by_rown"))
LAYER_KEYS = frozenset(("name", "output", "tag", "class", "a_input", "b_input", "act_func"))


@dataclass(frozen=True, slots=True)
class Param:
    """A parameter as the conf gives it: [rown, coln], and its half of the weight rule."""

    name: str
    rown: int
    coln: int
    init_range: float
    scale_by_rown: bool
    source: Source


@dataclass(frozen=True, slots=True)
class LayerEntry:
    """A layer as the conf gives it.

    `outputs` are the names by which later layers read it: its own, and that under ``output``.
    A layer of another class than NeuralLayer, or one with a refused value, has no inputs here;
    `mentions` are the names that stand in it.
    """

    name: str
    outputs: tuple[str, ...]
    kind: str
    source: Source
    a_inputs: tuple[str, ...] = ()
    b_inputs: tuple[str, ...] = ()
    activation: str = ""
    mentions: frozenset[str] = frozenset()
    node: Mapping | None = field(default=None, compare=False)

    @property
    def fully_connected(self) -> bool:
        return bool(self.a_inputs)

    def problem(self, message: str, key: str) -> Problem:
        """Say what is wrong with one of its keys."""
        source = self.node.source(key) if self.node is not None else self.source
        return Problem(f"layer {self.name}: {message}", source)


@dataclass(frozen=True)
class Section:
    """What a conf says of initialization.

    Parameters
    ----------
    source : Source
        Where it begins.
    flat : bool
        One parameter's values alone, without a name.
    global_init_range : float
    params : dict of str to Param or None
        In the conf's order; None where the parameter's values were refused.
    layers : tuple of LayerEntry
        In the conf's order, without those that were refused.
    widths : dict of str to int
        Widths that the conf itself declares for inputs from outside.
    other_keys : tuple of str
        Keys that play no part in initialization.
    """

    source: Source
    flat: bool
    global_init_range: float | None
    params: dict[str, Param | None]
    layers: tuple[LayerEntry, ...] = ()
    widths: dict[str, int] = field(default_factory=dict)
    other_keys: tuple[str, ...] = ()


def read_flat(root: Mapping, arithmetic: Arithmetic, problems: list[Problem]) -> Section:
    """Read one parameter's values; it is called ``weight``."""
    fields = Fields(root, "the parameter", problems)
    global_init_range = fields.required("global_init_range", _range(arithmetic))
    param = _param(fields, "weight", arithmetic, root.source("init_range"))
    other = tuple(key for key in root if key not in FLAT_KEYS)
    return Section(root.source(), True, global_init_range, {"weight": param}, other_keys=other)


def read_section(root: Mapping, arithmetic: Arithmetic, problems: list[Problem]) -> Section:
    """Read a plugin section: ``global_init_range``, ``param``, and ``layer`` where it is given."""
    fields = Fields(root, "the plugin section", problems)
    global_init_range = fields.required("global_init_range", _range(arithmetic))
    other = dict.fromkeys(key for key in root if key not in SECTION_KEYS)

    params: dict[str, Param | None] = {}
    lines: dict[str, int] = {}
    for index, item in enumerate(fields.required("param", _items) or ()):
        entry = Fields(item, f"param[{index}]", problems)
        name = entry.required("name", name_text) if entry.sound else None
        if name is None:
            continue
        if name in params:
            entry.refuse(f"the parameter on line {lines[name]} is named {name!r} too", "name")
            continue
        lines[name] = item.line
        entry.owner = f"parameter {name}"
        params[name] = _param(entry, name, arithmetic, item.source(f"param[{index}]"))
        if isinstance(item, Mapping):
            other |= dict.fromkeys(f"param.{key}" for key in item.entries.keys() - PARAM_KEYS)
    if not params and "param" in root and fields.sound:
        fields.refuse("there is no parameter", "param")

    layers = []
    for index, item in enumerate(fields.optional("layer", _items) or ()):
        layer = _layer(Fields(item, f"layer[{index}]", problems), f"layer[{index}]")
        if layer is None:
            continue
        layers.append(layer)
        if layer.kind == FULLY_CONNECTED and isinstance(item, Mapping):
            other |= dict.fromkeys(f"layer.{key}" for key in item.entries.keys() - LAYER_KEYS)
    widths = _declared_widths(root.get("vec_input"))
    return Section(
        root.source(), False, global_init_range, params, tuple(layers), widths, tuple(other)
    )


def _param(fields: Fields, name: str, arithmetic: Arithmetic, source: Source) -> Param | None:
    rown = fields.required("rown", _size)
    coln = fields.required("coln", _size)
    init_range = fields.required("init_range", _range(arithmetic))
    scale_by_rown = fields.required("scale_by_rown", _flag)
    if rown is not None and coln is not None and rown * coln > INT_MAX:
        fields.refuse(
            f"rown {rown} * coln {coln} = {rown * coln} is over {INT_MAX}, the largest int of "
            "C++, where abacus's count of the weights is undefined",
            "rown",
        )
    if rown is None or coln is None or init_range is None or scale_by_rown is None:
        return None
    return Param(name, rown, coln, init_range, scale_by_rown, source) if fields.sound else None


def _layer(fields: Fields, place: str) -> LayerEntry | None:
    kind = fields.required("class", name_text) if fields.sound else None
    node = fields.node
    if kind is None or not isinstance(node, Mapping):
        return None
    if kind != FULLY_CONNECTED:
        names = [_name_or_none(node.get(key)) for key in ("name", "output")]
        outputs = tuple(dict.fromkeys(name for name in names if name))
        shown = outputs[0] if outputs else place
        return LayerEntry(shown, outputs, kind, node.source(place), mentions=_mentions(node))
    output = fields.optional("output", _output)
    needs_name = fields.optional if output else fields.required
    name = needs_name("name", name_text) or output
    fields.owner = f"layer {name or place}"
    a_inputs = fields.required("a_input", _names)
    b_inputs = fields.required("b_input", _names)
    activation = fields.required("act_func", name_text)
    outputs = tuple(dict.fromkeys(text for text in (name, output) if text))
    entry = LayerEntry(name or place, outputs, kind, node.source(place), node=node)
    if not fields.sound or not a_inputs or not b_inputs or not activation:
        return entry
    return replace(entry, a_inputs=a_inputs, b_inputs=b_inputs, activation=activation)


def _declared_widths(node: Node | None) -> dict[str, int]:
    """Inputs declared in ``vec_input`` as {name, dim}; what does not read so is passed over."""
    widths: dict[str, int] = {}
    for item in node if isinstance(node, Sequence) else ():
        if not isinstance(item, Mapping):
            continue
        try:
            name, dim = name_text(item.get("name")), _size(item.get("dim"))
        except ScalarError:
            continue
        widths.setdefault(name, dim)
    return widths


def _scalar(node: Node | None, expected: str) -> str:
    if not isinstance(node, Scalar) or node.null:
        raise ScalarError(f"expected {expected}, found {node.kind if node else 'nothing'}")
    return node.text


def name_text(node: Node | None) -> str:
    """A name: a text that is not empty."""
    text = _scalar(node, "a name")
    if not text:
        raise ScalarError("expected a name, found an empty text")
    return text


def _name_or_none(node: Node | None) -> str | None:
    if isinstance(node, Mapping):
        node = node.get("name")
    return node.text if isinstance(node, Scalar) and not node.null else None


def _output(node: Node) -> str:
    return name_text(node.get("name") if isinstance(node, Mapping) else node)


def _names(node: Node) -> tuple[str, ...]:
    if not isinstance(node, Sequence):
        return (name_text(node),)
    if not node.items:
        raise ScalarError("expected a name or a list of names, found an empty list")
    return tuple(map(name_text, node.items))


def _items(node: Node) -> tuple[Node, ...]:
    if isinstance(node, Scalar) and node.null:
        return ()
    if not isinstance(node, Sequence):
        raise ScalarError(f"expected a list, found {node.kind}")
    return node.items


def _size(node: Node | None) -> int:
    value = as_int(_scalar(node, "an integer"))
    if value < 1:
        raise ScalarError(f"expected an integer of at least 1, found {value}")
    return value


def _flag(node: Node) -> bool:
    return as_bool(_scalar(node, "true or false"))


def _double_range(node: Node) -> float:
    return _finite(node, as_double(_scalar(node, "a number")))


def _float_range(node: Node) -> float:
    return _finite(node, as_float(_scalar(node, "a number")))


def _range(arithmetic: Arithmetic) -> Callable[[Node], float]:
    return _float_range if arithmetic == "float32" else _double_range


def _finite(node: Node, value: float) -> float:
    if not (math.isfinite(value) and value >= 0):
        found = node.text if isinstance(node, Scalar) else value
        raise ScalarError(f"expected a finite number of 0 or more, found {found}")
    return value


def _mentions(node: Mapping) -> frozenset[str]:
    found = set()
    for entry in node.entries.values():
        value = entry.value
        for item in value if isinstance(value, Sequence) else (value,):
            if isinstance(item, Scalar):
                found.add(item.text)
    return frozenset(found)
