""".safetensors: the length of a JSON header, the header, and the tensors back to back.

Source: the format's description in the README of huggingface/safetensors.
"""

from __future__ import annotations

import functools
import json
from itertools import pairwise
from types import MappingProxyType
from typing import Any

import numpy as np

from paddle_init.weight_files.loading.weights import Contents, Loader, Weights, as_array, fits
from paddle_init.weight_files.writing import WeightFileError

__all__ = ["safetensors_weights"]

METADATA = "__metadata__"
LONGEST_HEADER = 100_000_000
DTYPES: MappingProxyType[str, np.dtype[Any]] = MappingProxyType(
    {
        name: np.dtype(f"<{code}")
        for name, code in {
            "F64": "f8", "F32": "f4", "F16": "f2", "BF16": "u2", "I64": "i8", "I32": "i4",
            "I16": "i2", "I8": "i1", "U64": "u8", "U32": "u4", "U8": "u1", "BOOL": "b1",
        }.items()
    }
)  # fmt: skip


def safetensors_weights(path: str, data: Contents) -> Weights:
    """Return the tensors of a .safetensors file, mapped; types that NumPy lacks are skipped.

    Raises
    ------
    WeightFileError
        The file is truncated, or its header does not fit it.
    """
    loaders: dict[str, Loader] = {}
    skipped = []
    length, room = int.from_bytes(data[:8], "little"), max(0, len(data) - 8)
    if length > min(LONGEST_HEADER, room):
        raise WeightFileError(
            f"{path}: the file ends within its header, or is no .safetensors file: it says that "
            f"the header has {length} bytes, and {room} follow"
        )
    values = data[8 + length :]
    spans: list[tuple[int, int, str]] = []
    for name, about in _header(path, bytes(data[8 : 8 + length])).items():
        if name == METADATA:
            continue
        match about:
            case {"dtype": str(code), "shape": [*shape], "data_offsets": [int(start), int(stop)]}:
                pass
            case _:
                raise WeightFileError(f"{path}: the header says nothing that fits of {name!r}")
        if not 0 <= start <= stop <= len(values):
            raise WeightFileError(
                f"{path}: the file is truncated: {name} is at bytes {start} to {stop} of the "
                f"data, which has {len(values)}"
            )
        spans.append((start, stop, name))
        if code not in DTYPES:
            skipped.append(name)
            continue
        dtype, sides = DTYPES[code], tuple(shape)
        if not all(type(side) is int for side in sides) or not fits(sides, dtype, stop - start):
            raise WeightFileError(
                f"{path}: {name} has the shape {shape} and type {code}, and {stop - start} bytes"
            )
        loaders[name] = functools.partial(as_array, values[start:stop], dtype, sides)
    for (_, end, one), (begin, _, other) in pairwise(sorted(spans)):
        if begin < end:
            raise WeightFileError(f"{path}: {one} and {other} share bytes of the data")
    return Weights(path, loaders, tuple(skipped))


def _header(path: str, text: bytes) -> dict[str, Any]:
    try:
        header = json.loads(text, object_pairs_hook=_without_repetition)
    except (ValueError, RecursionError) as error:
        told = f" ({error})" if isinstance(error, _RepeatedKeyError) else ""
        raise WeightFileError(f"{path}: the header is no JSON{told}") from error
    if not isinstance(header, dict):
        raise WeightFileError(f"{path}: the header is no JSON object")
    return header


class _RepeatedKeyError(ValueError):
    """A JSON object that has a key twice."""


def _without_repetition(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    made = dict(pairs)
    if len(made) < len(pairs):
        seen: set[str] = set()
        again = next(key for key, _ in pairs if key in seen or seen.add(key))  # type: ignore[func-returns-value]
        raise _RepeatedKeyError(f"it names {again!r} twice")
    return made
