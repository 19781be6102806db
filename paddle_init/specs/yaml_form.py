"""A net spec's YAML form, written and read; all that is wrong with a file is told together."""

from __future__ import annotations

import math
import os
import re
from collections.abc import Callable, Iterable, Mapping
from typing import Any, TypeAlias, TypeVar

import numpy as np

from paddle_init.schemes import KINDS, Scheme, scheme_fields
from paddle_init.schemes.base import ARITHMETICS
from paddle_init.specs.frameworks import default_engine, framework_facts, framework_names
from paddle_init.specs.net import STORAGE_ORDERS, NetSpec, by_position, plain_tensor
from paddle_init.specs.parts import (
    DTYPES,
    ENGINES,
    ROLES,
    Draw,
    Overwrite,
    RowBlock,
    Seeding,
    Tensor,
)
from paddle_init.texts import did_you_mean
from paddle_init.yaml_cpp import (
    Document,
    DocumentError,
    Node,
    Problem,
    Scalar,
    ScalarError,
    Sequence,
    parse_document,
    quoted,
    read_document,
)
from paddle_init.yaml_cpp import Mapping as Tree
from paddle_init.yaml_cpp.fields import (
    Fields,
    big_integer,
    big_integers,
    boolean,
    double,
    doubles,
    integer,
    integers,
    text,
)
from paddle_init.yaml_cpp.nodes import carrying

FORMAT = 1

# Texts that every YAML reader takes for the same text without quotes.
PLAIN = re.compile(r"[A-Za-z_][A-Za-z0-9_./-]*")
RESERVED = frozenset(["y", "n", "yes", "no", "true", "false", "on", "off", "null"])


def dump_spec(spec: NetSpec) -> str:
    """Return the YAML form of a net spec.

    Numbers are written so that they read back to the same double; `load_spec` of the result is
    equal to `spec`. Sources, layers and notices are not kept.

    Raises
    ------
    SchemeError
        A draw's scheme has no YAML form, such as more than 10,000 given values.
    """
    lines = [f"paddle_init: {FORMAT}", f"framework: {spec.framework}"]
    if spec.stream is not None:
        lines.append(f"stream: {_flow(_stream_form(spec.stream, spec.framework))}")
    options = framework_facts(spec.framework).options
    lines += [f"{option}: {getattr(spec, option)}" for option in options]
    lines += _listed("draws", (_form(draw, DRAW) for draw in spec.draws))
    told = _told_owners(spec)
    if told or spec.tensors != tuple(map(plain_tensor, spec.draws)):
        lines += _listed("tensors", (_tensor_form(tensor, told) for tensor in spec.tensors))
    if spec.buffers:
        lines.append(f"buffers: {_flow(spec.buffers)}")
    return "\n".join(lines) + "\n"


def plain(text: str) -> str:
    """Write a text as a YAML scalar, quoted where it must be."""
    if PLAIN.fullmatch(text) and text.lower() not in RESERVED:
        return text
    return quoted(text)


def _stream_form(stream: Seeding, framework: str) -> dict[str, Any]:
    form = _form(stream, STREAM)
    if framework_facts(framework).engines == (stream.engine,):
        del form["engine"]
    return form


def _told_owners(spec: NetSpec) -> set[str]:
    """The biases whose place does not say their weights."""
    return {
        bias.name
        for before, bias in zip((None, *spec.tensors), spec.tensors, strict=False)
        if bias.role == "bias" and bias.bias_of != by_position(before, bias)
    }


def _tensor_form(tensor: Tensor, told: set[str]) -> dict[str, Any]:
    form = _form(tensor, TENSOR)
    if tensor.name not in told:
        form.pop("bias_of", None)
    return form


def _form(item: Any, keys: Keys) -> dict[str, Any]:
    values = {key: getattr(item, key) for key in keys}
    return {key: value for key, value in values.items() if value != keys[key][1]}


def _listed(key: str, items: Iterable[Mapping[str, Any]]) -> list[str]:
    lines = [f"  - {_flow(item)}" for item in items]
    return [f"{key}:", *lines] if lines else [f"{key}: []"]


def _flow(value: Any) -> str:
    if isinstance(value, Mapping):
        return "{" + ", ".join(f"{key}: {_flow(item)}" for key, item in value.items()) + "}"
    if isinstance(value, (list, tuple)):
        return "[" + ", ".join(map(_flow, value)) + "]"
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, float):
        return _double(value)
    if isinstance(value, RowBlock):
        return _flow({"draw": value.draw, "rows": (value.start, value.stop)})
    if isinstance(value, Overwrite):
        return _flow(vars(value))
    if isinstance(value, Scheme):
        return _flow(scheme_fields(value))
    return plain(value) if isinstance(value, str) else str(value)


def _double(value: float) -> str:
    """Shortest digits, with the point that YAML 1.1 readers want before an exponent."""
    if math.isinf(value):
        return ".inf" if value > 0 else "-.inf"
    text = repr(value)
    return text if "." in text else text.replace("e", ".0e")


# the keys by which an abacus conf is told from a net spec
CONF_KEYS = ("plugins", "param", "layer", "global_init_range", "init_range", "rown", "coln")
Read: TypeAlias = Callable[[Node], Any]
Keys: TypeAlias = Mapping[str, tuple[Read, Any]]
T = TypeVar("T")
READERS: Mapping[type, Read] = {
    float: double,
    int: integer,
    bool: boolean,
    str: text,
    np.uint64: big_integer,
    tuple: doubles,
}


def load_spec(path: str | os.PathLike[str], *, encoding: str | None = None) -> NetSpec:
    """Read a net spec file.

    Raises
    ------
    DocumentError
        The file is not a net spec; the message lists everything wrong, by line.
    OSError
        The file cannot be read.
    """
    return spec_of(read_document(path, encoding=encoding))


def parse_spec(source: str, file: str = "<text>") -> NetSpec:
    """Read a net spec from its text; `file` names it in messages."""
    return spec_of(parse_document(source, file))


def parse_scheme(source: str, file: str = "<text>") -> Scheme:
    """Read a scheme as a net spec writes it: ``{kind: normal, std: 0.02}``.

    Raises
    ------
    DocumentError
        The text is no scheme; `file` names it in messages.
    """
    problems: list[Problem] = []
    scheme = _scheme(parse_document(source, file).root, "", problems)
    if scheme is None or problems:
        raise DocumentError(problems)
    return scheme


def is_spec(document: Document) -> bool:
    """Tell whether a document is marked as a net spec."""
    return isinstance(document.root, Tree) and "paddle_init" in document.root


def spec_of(document: Document) -> NetSpec:
    """Build the net spec that a document holds."""
    root = document.root
    with carrying(document.notices):
        if isinstance(root, Tree) and not is_spec(document) and any(k in root for k in CONF_KEYS):
            said = "this looks like an abacus conf, which abacus_compat.load_conf reads"
            raise DocumentError(Problem(said, root.source()))
        return _spec_of(document)


def _spec_of(document: Document) -> NetSpec:
    problems: list[Problem] = []
    fields = Fields(document.root, "net spec", problems)
    check_format(fields, "paddle_init")
    framework = fields.required("framework", _one_of(framework_names()))
    settings: dict[str, Any] = {"framework": framework}
    for key, allowed in (("arithmetic", ARITHMETICS), ("storage_order", STORAGE_ORDERS)):
        if (setting := fields.optional(key, _one_of(allowed))) is not None:
            settings[key] = setting
    stream = fields.node_of("stream")
    settings["stream"] = None if stream is None else _stream(stream, framework, problems)
    for key, read_one, read in (
        ("draws", _draw, fields.required),
        ("tensors", _tensor, fields.optional),
    ):
        settings[key] = [read_one(node, problems) for node in read(key, a_list) or ()]
    settings["buffers"] = fields.optional("buffers", _names) or ()
    fields.close()
    if problems:
        raise DocumentError(problems)
    spec = fields.build(lambda: NetSpec(**settings, notices=document.notices, origin=document.file))
    if spec is None:
        raise DocumentError(problems)
    return spec


def check_format(fields: Fields, key: str) -> None:
    """Refuse a version of a file's form, under `key`, that is not known."""
    version = fields.required(key, integer)
    if version not in (None, FORMAT):
        fields.refuse(f"format {version} is not known; this version reads {FORMAT}", key)


def a_list(node: Node) -> Sequence:
    if not isinstance(node, Sequence):
        raise ScalarError(f"expected a list, found {node.kind}")
    return node


def _names(node: Node) -> tuple[str, ...]:
    return tuple(map(text, a_list(node)))


def _text_or_empty(node: Node) -> str:
    if isinstance(node, Scalar) and not node.null and not node.text:
        return ""
    return text(node)


def _two(node: Node) -> tuple[int, ...]:
    found = integers(node)
    if len(found) != 2:
        raise ScalarError(f"expected two row numbers, [start, stop], found {len(found)}")
    return found


def _one_of(allowed: tuple[str, ...]) -> Read:
    def read(node: Node) -> str:
        value = text(node)
        if value not in allowed:
            meant = did_you_mean(value, allowed)
            raise ScalarError(f"expected one of {', '.join(allowed)}, found {value!r}{meant}")
        return value

    return read


def _scheme(node: Node, owner: str, problems: list[Problem]) -> Scheme | None:
    fields = Fields(node, f"{owner}: scheme" if owner else "scheme", problems)
    kind = fields.required("kind", _one_of(tuple(KINDS)))
    if kind is None:
        return None
    rule = KINDS[kind]
    keys = {key: (READERS[type_], REQUIRED) for key, type_ in rule.required.items()}
    keys |= {key: (READERS[type_], None) for key, type_ in rule.optional.items()}
    given = _values(fields, keys)
    return fields.build(lambda: rule.make(**given))


def _values(fields: Fields, keys: Keys) -> dict[str, Any]:
    """Read the keys of a mapping; what is missing and not required is left out."""
    kind, found = fields.owner, {}
    for key, (read, default) in keys.items():
        value = (fields.required if default is REQUIRED else fields.optional)(key, read)
        if value is not None:
            found[key] = value
        if key == "name" and value is not None:
            fields.owner = f"{kind} {value}"
    fields.close()
    return found


def _parts(fields: Fields, nodes: Iterable[Node], read: Callable[..., T | None]) -> tuple[T, ...]:
    """Read the mappings within one; of an unsound one nothing is built, nor of what has it."""
    found = [read(node, fields.owner, fields.problems) for node in nodes]
    fields.sound &= None not in found
    return tuple(part for part in found if part is not None)


def _stream(node: Node, framework: str | None, problems: list[Problem]) -> Seeding | None:
    fields = Fields(node, "stream", problems)
    # Where the framework itself is wrong, any engine does.
    usual = default_engine(framework) if framework else ENGINES[0]
    values = {"engine": usual, **_values(fields, STREAM)}
    return fields.build(lambda: Seeding(**values))


def _draw(node: Node, problems: list[Problem]) -> Draw | None:
    fields = Fields(node, "draw", problems)
    values = _values(fields, DRAW)
    if "scheme" in values:
        values["scheme"] = next(iter(_parts(fields, [values["scheme"]], _scheme)), None)
    return fields.build(lambda: Draw(**values, source=node.source()))


def _tensor(node: Node, problems: list[Problem]) -> Tensor | None:
    fields = Fields(node, "tensor", problems)
    values = _values(fields, TENSOR)
    values["blocks"] = _parts(fields, values.get("blocks", ()), _block)
    values["overwritten"] = _parts(fields, values.get("overwritten", ()), _overwrite)
    return fields.build(lambda: Tensor(**values, source=node.source()))


def _overwrite(node: Node, owner: str, problems: list[Problem]) -> Overwrite | None:
    fields = Fields(node, f"{owner}: overwritten", problems)
    values = _values(fields, OVERWRITE)
    return fields.build(lambda: Overwrite(**values))


def _block(node: Node, owner: str, problems: list[Problem]) -> RowBlock | None:
    fields = Fields(node, f"{owner}: block", problems)
    values = _values(fields, BLOCK)
    return fields.build(lambda: RowBlock(values["draw"], *values["rows"]))


REQUIRED = object()
# Each key of a mapping, in the order in which it is written: how it is read, and its default,
# which is not written.
STREAM: Keys = {
    "engine": (_one_of(ENGINES), None),
    "seed": (big_integer, None),
    "seed_seq": (big_integers, None),
    "op_seed": (integer, None),
}
DRAW: Keys = {
    "name": (text, REQUIRED),
    "shape": (integers, REQUIRED),
    "scheme": (lambda node: node, REQUIRED),
    "op_seed": (integer, None),
    "dtype": (_one_of(DTYPES), None),
    "seed": (big_integer, None),
    "after": (_text_or_empty, None),
}
TENSOR: Keys = {
    "name": (text, REQUIRED),
    "role": (_one_of(ROLES), REQUIRED),
    "shape": (integers, REQUIRED),
    "dtype": (_one_of(DTYPES), "float32"),
    "bias_of": (_names, None),
    "blocks": (a_list, REQUIRED),
    "overwritten": (a_list, ()),
    "aliases": (_names, ()),
}
OVERWRITE: Keys = {
    "start": (big_integer, REQUIRED),
    "count": (big_integer, REQUIRED),
    "step": (big_integer, 1),
    "value": (double, 0.0),
}
BLOCK: Keys = {"draw": (text, REQUIRED), "rows": (_two, REQUIRED)}
