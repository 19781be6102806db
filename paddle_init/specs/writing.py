"""A net spec's YAML form, written: one line a draw, one line a tensor."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Mapping
from typing import Any

from paddle_init.document import quoted
from paddle_init.schemes import scheme_fields
from paddle_init.specs.net import NetSpec, plain_tensor
from paddle_init.specs.pairing import by_position
from paddle_init.specs.parts import Draw, Tensor
from paddle_init.specs.seeding import Seeding, default_engine

__all__ = ["FORMAT", "dump_spec", "plain"]

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
        lines.append(f"stream: {_flow(_stream(spec.stream, spec.framework))}")
    if spec.framework == "abacus":
        lines += [f"arithmetic: {spec.arithmetic}", f"storage_order: {spec.storage_order}"]
    lines += _listed("draws", map(_draw, spec.draws))
    told = _told_owners(spec)
    if told or spec.tensors != tuple(map(plain_tensor, spec.draws)):
        lines += _listed("tensors", (_tensor(tensor, told) for tensor in spec.tensors))
    if spec.buffers:
        lines.append(f"buffers: {_flow(spec.buffers)}")
    return "\n".join(lines) + "\n"


def plain(text: str) -> str:
    """Write a text as a YAML scalar, quoted where it must be."""
    if PLAIN.fullmatch(text) and text.lower() not in RESERVED:
        return text
    return quoted(text)


def _stream(stream: Seeding, framework: str) -> dict[str, Any]:
    seed = {
        name: getattr(stream, name)
        for name in ("seed", "seed_seq", "op_seed")
        if getattr(stream, name) is not None
    }
    if stream.engine == default_engine(framework) and framework == "paddle":
        return seed
    return {"engine": stream.engine, **seed}


def _draw(draw: Draw) -> dict[str, Any]:
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


def _tensor(tensor: Tensor, told: set[str]) -> dict[str, Any]:
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
