"""A net spec's YAML form, read: all that is wrong with a file is told together."""

from __future__ import annotations

import math
import os
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any

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
    lines += _listed("draws", map(_draw_form, spec.draws))
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
    seed = {
        name: getattr(stream, name)
        for name in ("seed", "seed_seq", "op_seed")
        if getattr(stream, name) is not None
    }
    if framework_facts(framework).engines == (stream.engine,):
        return seed
    return {"engine": stream.engine, **seed}


def _draw_form(draw: Draw) -> dict[str, Any]:
    own = {"name": draw.name, "shape": draw.shape, "scheme": scheme_fields(draw.scheme)}
    further = {name: getattr(draw, name) for name in ("op_seed", "dtype", "seed", "after")}
    return own | {name: value for name, value in further.items() if value is not None}


def _told_owners(spec: NetSpec) -> set[str]:
    """The biases whose place does not say their weights."""
    return {
        bias.name
        for before, bias in zip((None, *spec.tensors), spec.tensors, strict=False)
        if bias.role == "bias" and bias.bias_of != by_position(before, bias)
    }


def _tensor_form(tensor: Tensor, told: set[str]) -> dict[str, Any]:
    blocks = [{"draw": block.draw, "rows": (block.start, block.stop)} for block in tensor.blocks]
    own: dict[str, Any] = {"name": tensor.name, "role": tensor.role, "shape": tensor.shape}
    if tensor.dtype != "float32":
        own["dtype"] = tensor.dtype
    if tensor.name in told:
        own["bias_of"] = tensor.bias_of
    own["blocks"] = blocks
    if tensor.overwritten:
        own["overwritten"] = [vars(each) for each in tensor.overwritten]
    if tensor.aliases:
        own["aliases"] = tensor.aliases
    return own


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
    return plain(value) if isinstance(value, str) else str(value)


def _double(value: float) -> str:
    """Shortest digits, with the point that YAML 1.1 readers want before an exponent."""
    if math.isinf(value):
        return ".inf" if value > 0 else "-.inf"
    text = repr(value)
    return text if "." in text else text.replace("e", ".0e")


# the keys by which an abacus conf is told from a net spec
CONF_KEYS = ("plugins", "param", "layer", "global_init_range", "init_range", "rown", "coln")
READERS: Mapping[type, Callable[[Node], Any]] = {
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
    scheme = _scheme(parse_document(source, file).root, "scheme", problems)
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
    version = fields.required("paddle_init", integer)
    if version is not None and version != FORMAT:
        fields.refuse(f"format {version} is not known; this version reads {FORMAT}", "paddle_init")
    settings: dict[str, Any] = {
        "framework": fields.required("framework", _one_of(framework_names()))
    }
    for key, allowed in (("arithmetic", ARITHMETICS), ("storage_order", STORAGE_ORDERS)):
        if (setting := fields.optional(key, _one_of(allowed))) is not None:
            settings[key] = setting
    settings["stream"] = _stream(fields.node_of("stream"), settings["framework"], problems)
    settings["draws"] = [_draw(node, problems) for node in _items(fields, "draws", required=True)]
    settings["tensors"] = [_tensor(node, problems) for node in _items(fields, "tensors")]
    settings["buffers"] = fields.optional("buffers", _names) or ()
    fields.close()
    if problems:
        raise DocumentError(problems)
    spec = fields.build(lambda: NetSpec(**settings, notices=document.notices, origin=document.file))
    if spec is None:
        raise DocumentError(problems)
    return spec


def _items(fields: Fields, key: str, required: bool = False) -> Iterator[Node]:
    nodes = (fields.required if required else fields.optional)(key, _list)
    return iter(nodes or ())


def _list(node: Node) -> Sequence:
    if not isinstance(node, Sequence):
        raise ScalarError(f"expected a list, found {node.kind}")
    return node


def _names(node: Node) -> tuple[str, ...]:
    return tuple(map(text, _list(node)))


def _text_or_empty(node: Node) -> str:
    if isinstance(node, Scalar) and not node.null and not node.text:
        return ""
    return text(node)


def _one_of(allowed: tuple[str, ...]) -> Callable[[Node], str]:
    def read(node: Node) -> str:
        value = text(node)
        if value not in allowed:
            meant = did_you_mean(value, allowed)
            raise ScalarError(f"expected one of {', '.join(allowed)}, found {value!r}{meant}")
        return value

    return read


def _stream(node: Node | None, framework: str | None, problems: list[Problem]) -> Seeding | None:
    if node is None:
        return None
    fields = Fields(node, "stream", problems)
    # Where the framework itself is wrong, any engine does.
    usual = default_engine(framework) if framework else ENGINES[0]
    engine = fields.optional("engine", _one_of(ENGINES)) or usual
    seed = fields.optional("seed", big_integer)
    seed_seq = fields.optional("seed_seq", big_integers)
    op_seed = fields.optional("op_seed", integer)
    fields.close()
    return fields.build(lambda: Seeding(engine, seed, seed_seq, op_seed))


def _draw(node: Node, problems: list[Problem]) -> Draw | None:
    fields = Fields(node, "draw", problems)
    name = fields.required("name", text)
    if name is not None:
        fields.owner = f"draw {name}"
    shape = fields.required("shape", integers)
    scheme_node = fields.required("scheme", lambda node: node)
    op_seed = fields.optional("op_seed", integer)
    dtype = fields.optional("dtype", _one_of(DTYPES))
    seed = fields.optional("seed", big_integer)
    after = fields.optional("after", _text_or_empty)
    fields.close()
    scheme = (
        None if scheme_node is None else _scheme(scheme_node, f"{fields.owner}: scheme", problems)
    )
    if name is None or shape is None or scheme is None:
        return None
    source = fields.node.source()
    return fields.build(lambda: Draw(name, shape, scheme, source, op_seed, dtype, seed, after))


def _scheme(node: Node, owner: str, problems: list[Problem]) -> Scheme | None:
    fields = Fields(node, owner, problems)
    kind = fields.required("kind", _one_of(tuple(KINDS)))
    if kind is None:
        return None
    rule = KINDS[kind]
    given = {key: fields.required(key, READERS[type_]) for key, type_ in rule.required.items()}
    for key, type_ in rule.optional.items():
        if (value := fields.optional(key, READERS[type_])) is not None:
            given[key] = value
    fields.close()
    return fields.build(lambda: rule.make(**given))


def _tensor(node: Node, problems: list[Problem]) -> Tensor | None:
    fields = Fields(node, "tensor", problems)
    name = fields.required("name", text)
    if name is not None:
        fields.owner = f"tensor {name}"
    role = fields.required("role", _one_of(ROLES))
    shape = fields.required("shape", integers)
    dtype = fields.optional("dtype", _one_of(DTYPES)) or "float32"
    bias_of = fields.optional("bias_of", _names)
    blocks = [_block(item, fields.owner, problems) for item in _items(fields, "blocks", True)]
    edits = [_overwrite(item, fields.owner, problems) for item in _items(fields, "overwritten")]
    aliases = fields.optional("aliases", _names) or ()
    fields.close()
    if name is None or role is None or shape is None or None in blocks or None in edits:
        return None
    rows, overwritten = tuple(filter(None, blocks)), tuple(filter(None, edits))
    source = fields.node.source()
    return fields.build(
        lambda: Tensor(name, role, shape, rows, dtype, source, bias_of, overwritten, aliases)
    )


def _overwrite(node: Node, owner: str, problems: list[Problem]) -> Overwrite | None:
    fields = Fields(node, f"{owner}: overwritten", problems)
    start = fields.required("start", big_integer)
    count = fields.required("count", big_integer)
    step = fields.optional("step", big_integer)
    value = fields.optional("value", double)
    fields.close()
    if start is None or count is None:
        return None
    return fields.build(
        lambda: Overwrite(
            start, count, 1 if step is None else step, 0.0 if value is None else value
        )
    )


def _block(node: Node, owner: str, problems: list[Problem]) -> RowBlock | None:
    fields = Fields(node, f"{owner}: block", problems)
    draw = fields.required("draw", text)
    rows = fields.required("rows", integers)
    fields.close()
    if rows is not None and len(rows) != 2:
        fields.refuse(f"expected two row numbers, [start, stop], found {len(rows)}", "rows")
    if not fields.sound or draw is None or rows is None:
        return None
    return RowBlock(draw, *rows)
