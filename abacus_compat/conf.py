"""A plugin section or a flat conf, key by key, as typed records that know where they stand."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field, replace

from paddle_init.errors import Source
from paddle_init.schemes import Arithmetic
from paddle_init.texts import nearest
from paddle_init.yaml_cpp import (
    Mapping,
    Node,
    Problem,
    Scalar,
    ScalarError,
    Sequence,
    as_double,
    as_float,
    as_int,
)
from paddle_init.yaml_cpp.fields import Fields, boolean, text
from paddle_init.yaml_cpp.nodes import children


def one_name(node: Node | None) -> str:
    return text(node, "a name")


def names(node: Node) -> tuple[str, ...]:
    """A name, or a list of at least one."""
    if not isinstance(node, Sequence):
        return (one_name(node),)
    if not node.items:
        raise ScalarError("expected a name or a list of names, found an empty list")
    return tuple(map(one_name, node.items))


def output_name(node: Node) -> str:
    """A layer's output: its name, or a mapping that has one."""
    return one_name(node.get("name") if isinstance(node, Mapping) else node)


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
        left += children(node)
    return frozenset(found)


INT_MAX = 2**31 - 1
FULLY_CONNECTED = "NeuralLayer"

# Keys that a section or a layer can do without, so that a misspelled one is not missed.
OPTIONAL_KEYS = frozenset(("layer", "vec_input", "name", "output"))

FLAT_KEYS = frozenset(("init_range", "global_init_range", "scale_by_rown", "rown", "coln"))
SECTION_KEYS = frozenset(("global_init_range", "param", "layer", "vec_input"))
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

    `name` is its place in the conf where it has none, `kind` its class. By `outputs` later
    layers read it: its own name, and the one under ``output``. `a_inputs` and `b_inputs` are
    empty for other classes than NeuralLayer, and where a value was refused; `mentions` are the
    texts in a layer of another class, the names of its parameters among them.
    """

    name: str
    kind: str
    outputs: tuple[str, ...]
    node: Mapping
    source: Source
    a_inputs: tuple[str, ...] = ()
    b_inputs: tuple[str, ...] = ()
    activation: str = ""
    mentions: frozenset[str] = frozenset()

    def problem(self, message: str, key: str) -> Problem:
        return Problem(f"layer {self.name}: {message}", self.node.source(key))


@dataclass(frozen=True)
class Section:
    """What a conf says of initialization, in the conf's order.

    Parameters
    ----------
    flat
        One parameter's values alone, without a name.
    global_init_range, params
        None where a value was refused.
    layered
        It has a list of layers, be it an empty one.
    widths
        Of inputs from outside, where the conf declares them.
    other_keys
        Keys that play no part in initialization.
    misspelled_keys
        Those of them that look like a known key that is not there: key, known key, place.
    mentions
        The texts under the section's other keys.
    """

    source: Source
    flat: bool
    global_init_range: float | None
    params: dict[str, Param | None]
    layers: tuple[LayerEntry, ...] = ()
    layered: bool = False
    widths: dict[str, int] = field(default_factory=dict)
    other_keys: tuple[str, ...] = ()
    misspelled_keys: tuple[tuple[str, str, Source], ...] = ()
    mentions: frozenset[str] = frozenset()


def read_flat(root: Mapping, arithmetic: Arithmetic, problems: list[Problem]) -> Section:
    """Read one parameter's values; it is called ``weight``."""
    fields = Fields(root, "the parameter", problems)
    read_range = range_reader(arithmetic)
    factor = fields.required("global_init_range", read_range)
    param = _param(fields, "weight", root.source("init_range"), read_range)
    fields.misspelled(FLAT_KEYS)
    return Section(
        root.source(),
        True,
        factor,
        {"weight": param},
        other_keys=tuple(key for key in root if key not in FLAT_KEYS),
    )


def read_section(root: Mapping, arithmetic: Arithmetic, problems: list[Problem]) -> Section:
    """Read a plugin section: ``global_init_range``, ``param``, and ``layer`` where it is given."""
    fields = Fields(root, "the plugin section", problems)
    read_range = range_reader(arithmetic)
    factor = fields.required("global_init_range", read_range)
    param_nodes = fields.required("param", items)
    if param_nodes == ():
        fields.refuse("there is no parameter", "param")
    params = _params(param_nodes or (), read_range, problems)
    found = [
        _layer(node, f"layer[{index}]", problems)
        for index, node in enumerate(fields.optional("layer", items) or ())
    ]
    layers = tuple(layer for layer in found if layer is not None)
    fields.misspelled(SECTION_KEYS)
    return Section(
        root.source(),
        False,
        factor,
        params,
        layers,
        layered=isinstance(root.get("layer"), Sequence),
        widths=_declared_widths(root.get("vec_input")),
        other_keys=_other_keys(root, param_nodes or (), layers),
        misspelled_keys=tuple(_misspelled_keys(root, layers)),
        mentions=texts(value for key, value in root.items() if key not in SECTION_KEYS),
    )


def _params(
    nodes: Iterable[Node], read_range: Callable[[Node], float], problems: list[Problem]
) -> dict[str, Param | None]:
    params: dict[str, Param | None] = {}
    lines: dict[str, int] = {}
    for index, node in enumerate(nodes):
        place = f"param[{index}]"
        fields = Fields(node, place, problems)
        if not fields.sound:
            continue
        name = fields.required("name", one_name)
        if name in lines:
            fields.refuse(f"the parameter on line {lines[name]} is named {name!r} too", "name")
        fields.owner = f"parameter {name}" if name else place
        param = _param(fields, name or place, node.source(place), read_range)
        fields.misspelled(PARAM_KEYS)
        if name and name not in lines:
            lines[name] = node.line
            params[name] = param
    return params


def _param(
    fields: Fields, name: str, source: Source, read_range: Callable[[Node], float]
) -> Param | None:
    rown = fields.required("rown", size)
    coln = fields.required("coln", size)
    init_range = fields.required("init_range", read_range)
    scale_by_rown = fields.required("scale_by_rown", boolean)
    if rown and coln and rown * coln > INT_MAX:
        message = f"rown {rown} * coln {coln} = {rown * coln} is over {INT_MAX}"
        fields.refuse(f"{message}: C++ leaves undefined what abacus does then", "rown")
        return None
    if rown is None or coln is None or init_range is None or scale_by_rown is None:
        return None
    return Param(name, rown, coln, init_range, scale_by_rown, source)


def _layer(node: Node, place: str, problems: list[Problem]) -> LayerEntry | None:
    fields = Fields(node, place, problems)
    kind = fields.required("class", one_name) if fields.sound else None
    fields.misspelled(LAYER_KEYS)
    if kind is None or not isinstance(node, Mapping):
        return None
    if kind != FULLY_CONNECTED:
        outputs = tuple(_names_if_any(node))
        name = outputs[0] if outputs else place
        return LayerEntry(name, kind, outputs, node, node.source(place), mentions=texts([node]))
    output = fields.optional("output", output_name)
    own = (fields.optional if output else fields.required)("name", one_name)
    outputs = tuple(dict.fromkeys(name for name in (own, output) if name))
    if outputs:
        fields.owner = f"layer {outputs[0]}"
    entry = LayerEntry(outputs[0] if outputs else place, kind, outputs, node, node.source(place))
    a_inputs = fields.required("a_input", names)
    b_inputs = fields.required("b_input", names)
    activation = fields.required("act_func", one_name)
    fields.misspelled(LAYER_KEYS)
    if not fields.sound or a_inputs is None or b_inputs is None or activation is None:
        return entry
    return replace(entry, a_inputs=a_inputs, b_inputs=b_inputs, activation=activation)


def _misspelled_keys(
    root: Mapping, layers: Iterable[LayerEntry]
) -> Iterable[tuple[str, str, Source]]:
    nodes = ((root, SECTION_KEYS), *((e.node, LAYER_KEYS) for e in layers if e.a_inputs))
    for node, known in nodes:
        absent = [key for key in OPTIONAL_KEYS & known if key not in node]
        for key in node if absent and not known.issuperset(node) else ():
            if key not in known and (meant := nearest(key, absent, 0.8)):
                yield key, meant, node.source(key)


def _names_if_any(node: Mapping) -> Iterable[str]:
    for key in ("name", "output"):
        value = node.get(key)
        if isinstance(value, Mapping):
            value = value.get("name")
        if isinstance(value, Scalar) and value.text and not value.null:
            yield value.text


def _declared_widths(node: Node | None) -> dict[str, int]:
    """Inputs declared as {name, dim}, as the derived system does; others are passed over."""
    widths: dict[str, int] = {}
    for item in node.items if isinstance(node, Sequence) else ():
        if isinstance(item, Mapping):
            try:
                widths.setdefault(one_name(item.get("name")), size(item.get("dim")))
            except ScalarError:
                continue
    return widths


def _other_keys(
    root: Mapping, params: Iterable[Node], layers: Iterable[LayerEntry]
) -> tuple[str, ...]:
    places = [(root, "", SECTION_KEYS)]
    places += [(node, "param.", PARAM_KEYS) for node in params if isinstance(node, Mapping)]
    connected = (layer for layer in layers if layer.kind == FULLY_CONNECTED)
    places += [(layer.node, "layer.", LAYER_KEYS) for layer in connected]
    others = (f"{at}{key}" for node, at, known in places for key in node if key not in known)
    return tuple(dict.fromkeys(others))
