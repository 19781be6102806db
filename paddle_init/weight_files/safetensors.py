""".safetensors: the length of a JSON header, the header, and the tensors back to back."""

from __future__ import annotations

import json
from collections.abc import Sequence
from types import MappingProxyType
from typing import Any

from paddle_init.specs import Tensor
from paddle_init.weight_files.parts import Checksum, Parts, size

__all__ = ["safetensors_parts"]

ALIGNMENT = 8
NAMES: MappingProxyType[str, str] = MappingProxyType(
    {"float32": "F32", "float64": "F64", "float16": "F16", "bfloat16": "BF16"}
)


def safetensors_parts(tensors: Sequence[Tensor], checksum: Checksum) -> Parts:
    """Return the parts of a .safetensors file; it has no checksums."""
    header: dict[str, Any] = {}
    start = 0
    for tensor in tensors:
        end = start + size(tensor)
        header[tensor.name] = {
            "dtype": NAMES[tensor.dtype],
            "shape": tensor.shape,
            "data_offsets": [start, end],
        }
        start = end
    text = json.dumps(header, separators=(",", ":")).encode()
    text += b" " * (-len(text) % ALIGNMENT)
    return [len(text).to_bytes(8, "little") + text, *tensors]
