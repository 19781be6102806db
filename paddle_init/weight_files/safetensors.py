""".safetensors: the length of a JSON header, the header, and the tensors back to back.

Source: the format's description in the README of huggingface/safetensors. Read and refused is what
its own library 0.8.0 reads and refuses; a name or field that stands twice is refused besides.
"""

from __future__ import annotations

import functools
import json
import math
from types import MappingProxyType
from typing import Any

import numpy as np

from paddle_init.weight_files.weights import (
    NO_NUMBERS,
    ContentError,
    Contents,
    Loader,
    Weights,
    as_array,
    unreadable_shape,
)

METADATA = "__metadata__"
LONGEST_HEADER = 100_000_000
DEEPEST = 127
WORD = 1 << 64
NUMBERS: MappingProxyType[str, np.dtype[Any]] = MappingProxyType(
    {
        name: np.dtype(f"<{code}")
        for name, code in {
            "F64": "f8", "F32": "f4", "F16": "f2", "BF16": "u2", "I64": "i8", "I32": "i4",
            "I16": "i2", "I8": "i1", "U64": "u8", "U32": "u4", "U16": "u2", "U8": "u1",
            "BOOL": "b1",
        }.items()
    }
)  # fmt: skip
# Bits of a value of the types that NumPy lacks, and of the complex one.
OTHER_BITS: MappingProxyType[str, int] = MappingProxyType(
    {
        "F4": 4, "F6_E2M3": 6, "F6_E3M2": 6, "F8_E5M2": 8, "F8_E4M3": 8, "F8_E8M0": 8,
        "F8_E4M3FNUZ": 8, "F8_E5M2FNUZ": 8, "C64": 64,
    }
)  # fmt: skip
BITS: MappingProxyType[str, int] = MappingProxyType(
    {name: 8 * dtype.itemsize for name, dtype in NUMBERS.items()} | OTHER_BITS
)


def safetensors_weights(path: str, data: Contents) -> Weights:
    """Return the tensors of a .safetensors file, mapped; types that NumPy lacks are unreadable.

    Raises
    ------
    ContentError
        The file is truncated, or its header does not fit it, byte for byte.
    """
    length, room = int.from_bytes(data[:8], "little"), max(0, len(data) - 8)
    if length > min(LONGEST_HEADER, room):
        raise ContentError(
            f"the file ends within its header, or is no .safetensors file: it says that "
            f"the header has {length} bytes, and {room} follow"
        )
    values = data[8 + length :]
    loaders: dict[str, Loader] = {}
    unreadable: dict[str, str] = {}
    spans: list[tuple[int, int, str]] = []
    for name, about in _header(bytes(data[8 : 8 + length])).items():
        code, shape, start, stop = _entry(name, about)
        if not start <= stop <= len(values):
            raise ContentError(
                f"the file is truncated: {name} is at bytes {start} to {stop} of the "
                f"data, which has {len(values)}"
            )
        spans.append((start, stop, name))
        if _bits(shape, code) != 8 * (stop - start):
            raise ContentError(
                f"{name} has the shape {list(shape)} and type {code}, and {stop - start} bytes"
            )
        if code not in NUMBERS:
            unreadable[name] = NO_NUMBERS(dtype=code)
        elif why := unreadable_shape(shape):
            unreadable[name] = why
        else:
            loaders[name] = functools.partial(as_array, values[start:stop], NUMBERS[code], shape)
    _refuse_gaps(sorted(spans), len(values))
    return Weights(path, loaders, unreadable)


def _entry(name: str, about: Any) -> tuple[str, tuple[Any, ...], int, int]:
    match about:
        case {"dtype": code, "shape": [*shape], "data_offsets": [start, stop]} | [
            code,
            [*shape],
            [start, stop],
        ]:
            pass
        case _:
            raise ContentError(f"the header says nothing that fits of {name!r}")
    if not isinstance(code, str) or code not in BITS:
        raise ContentError(f"{name} has the type {code!r}, which the format lacks")
    if not (_is_size(start) and _is_size(stop)):
        raise ContentError(f"the header says nothing that fits of {name!r}")
    return code, tuple(shape), start, stop


def _is_size(number: object) -> bool:
    return type(number) is int and 0 <= number < WORD


def _bits(shape: tuple[Any, ...], code: str) -> int | None:
    """Return how many bits a tensor takes; None where 64 bits do not hold that or a side."""
    count = 1
    for side in (*shape, BITS[code]):
        if not _is_size(side):
            return None
        count *= side
        if count >= WORD:
            return None
    return count


def _refuse_gaps(spans: list[tuple[int, int, str]], length: int) -> None:
    end = 0
    before: str | None = "the start"
    for start, stop, name in (*spans, (length, length, None)):
        if start < end:
            raise ContentError(f"{before} and {name} share bytes of the data")
        if start > end:
            where = f"between {before} and {name}" if name is not None else f"behind {before}"
            raise ContentError(
                f"no tensor has the bytes {end} to {start} of the data, {where}; "
                "a tensor's entry in the header is lost, or files were joined"
            )
        end, before = stop, name


def _header(content: bytes) -> dict[str, Any]:
    try:
        text = content.decode()
        header = json.loads(
            text,
            object_pairs_hook=_without_repetition,
            parse_int=_integer,
            parse_float=_number,
            parse_constant=_refused,
        )
        _refuse_excess(header)
    except (ValueError, RecursionError) as error:
        detail = f" ({error})" if isinstance(error, _HeaderError) else ""
        raise ContentError(f"the header is no JSON{detail}") from error
    if not isinstance(header, dict):
        raise ContentError("the header is no JSON object")
    metadata = header.pop(METADATA, None)
    if metadata is not None and not (
        isinstance(metadata, dict) and all(isinstance(each, str) for each in metadata.values())
    ):
        raise ContentError(f"the header's {METADATA} is no object of texts")
    return header


class _HeaderError(ValueError):
    """A JSON text that Python reads and the format does not allow."""


def _without_repetition(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    made = dict(pairs)
    if len(made) < len(pairs):
        seen: set[str] = set()
        again = next(key for key, _ in pairs if key in seen or seen.add(key))  # type: ignore[func-returns-value]
        raise _HeaderError(f"it names {again!r} twice")
    return made


def _integer(digits: str) -> int | float:
    """Read an integer; -0 and what 64 bits do not hold are floating point, as in the library."""
    return _number(digits) if digits == "-0" or len(digits) > 20 else int(digits)


def _number(digits: str) -> float:
    number = float(digits)
    if math.isinf(number):
        raise _HeaderError("a number is out of range")
    return number


def _refused(name: str) -> float:
    raise _HeaderError(f"{name} is no number of JSON's")


def _refuse_excess(value: Any, depth: int = 1) -> None:
    """Refuse what is nested too deep, and half of a surrogate pair, which an escape can give."""
    if isinstance(value, str):
        value.encode()
    elif isinstance(value, (dict, list)):
        if depth > DEEPEST:
            raise _HeaderError("it is nested too deep")
        for each in value:
            _refuse_excess(each, depth + 1)
        for each in value.values() if isinstance(value, dict) else ():
            _refuse_excess(each, depth + 1)
