"""Mangled .safetensors files: what safetensors itself refuses is refused, what it reads is equal.

The files are random, from fixed seeds: right ones, and those with something changed in them.
"""

from __future__ import annotations

import contextlib
import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import safetensors
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from paddle_init.weight_files import WeightFileError
from paddle_init.weight_files.reading import load_weights

SIZES = {
    "F64": 8, "F32": 4, "F16": 2, "BF16": 2, "I64": 8, "I32": 4, "I16": 2, "I8": 1, "U64": 8,
    "U32": 4, "U16": 2, "U8": 1, "BOOL": 1, "F8_E4M3": 1, "F8_E5M2": 1, "F8_E8M0": 1,
    "F8_E4M3FNUZ": 1, "F8_E5M2FNUZ": 1, "C64": 8,
}  # fmt: skip
UNREADABLE = {"F4", "F6_E2M3", "F6_E3M2", "C64"} | {name for name in SIZES if "F8" in name}


def packed(header: bytes, data: bytes, length: int | None = None) -> bytes:
    return (len(header) if length is None else length).to_bytes(8, "little") + header + data


def agrees(content: bytes, folder: Path) -> bool:
    """Hold a file against the library's reading of it; tell whether it was read."""
    path = folder / "w.safetensors"
    path.write_bytes(content)
    try:
        theirs = dict(safetensors.deserialize(content))
    except safetensors.SafetensorError:
        if content:
            with pytest.raises(WeightFileError):
                load_weights(path)
        return False
    found = load_weights(path)
    assert set(found) | set(found.unreadable) == set(theirs)
    for name, about in theirs.items():
        if about["dtype"] in UNREADABLE or len(about["shape"]) > 32:
            assert name in found.unreadable
            continue
        if name in found.unreadable:  # NumPy has no such shape
            assert 0 in about["shape"]
            continue
        assert found[name].shape == tuple(about["shape"])
        assert found[name].tobytes() == bytes(about["data"])
        assert found[name].dtype.itemsize == SIZES[about["dtype"]]
    return True


@st.composite
def headers(draw: Any) -> tuple[dict[str, Any], bytes]:
    """A right header and its data."""
    header: dict[str, Any] = {}
    start = 0
    names = draw(st.lists(st.text(max_size=5), max_size=4, unique=True))
    for name in names:
        if name == "__metadata__":
            continue
        dtype = draw(st.sampled_from(sorted(SIZES)))
        shape = draw(st.lists(st.integers(0, 3), max_size=3))
        stop = start + int(np.prod(shape, dtype=int)) * SIZES[dtype]
        header[name] = {"dtype": dtype, "shape": shape, "data_offsets": [start, stop]}
        start = stop
    if draw(st.booleans()):
        header["__metadata__"] = draw(st.dictionaries(st.text(max_size=3), st.text(max_size=3)))
    items = list(header.items())
    header = dict(draw(st.permutations(items)))
    return header, draw(st.binary(min_size=start, max_size=start))


NUMBERS = st.one_of(
    st.integers(-2, 20),
    st.sampled_from([2**31, 2**62, 2**63, 2**64 - 1, 2**64, 10**30, 1.0, -0.0, True, None, "1"]),
)
VALUES = st.one_of(
    NUMBERS, st.just({}), st.just([]), st.lists(NUMBERS, max_size=3), st.sampled_from(sorted(SIZES))
)
MANGLED = settings(
    max_examples=200,
    derandomize=True,
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture],
)


@MANGLED
@given(headers(), st.booleans())
def test_right_files_are_read(tmp_path: Path, made: tuple[Any, bytes], escaped: bool) -> None:
    header, data = made
    text = json.dumps(header, ensure_ascii=escaped).encode()
    assert agrees(packed(text, data), tmp_path)


@MANGLED
@given(headers(), st.data())
def test_changed_entries(tmp_path: Path, made: tuple[Any, bytes], data: st.DataObject) -> None:
    header, values = made
    names = [name for name in header if name != "__metadata__"]
    if names:
        entry = header[data.draw(st.sampled_from(names))]
        key = data.draw(st.sampled_from([*entry, "more"]))
        if key in ("shape", "data_offsets") and data.draw(st.booleans()) and entry[key]:
            entry[key][data.draw(st.integers(0, len(entry[key]) - 1))] = data.draw(NUMBERS)
        elif data.draw(st.integers(0, 5)) == 0:
            entry.pop(key, None)
        else:
            entry[key] = data.draw(VALUES)
    else:
        header["__metadata__"] = data.draw(VALUES)
    agrees(packed(json.dumps(header).encode(), values), tmp_path)


def doubled(content: bytes) -> bool:
    """Tell whether a header has a name twice."""
    names: list[bool] = []
    length = int.from_bytes(content[:8], "little")
    with contextlib.suppress(ValueError):
        json.loads(
            content[8 : 8 + length].decode(),
            object_pairs_hook=lambda pairs: names.append(len(dict(pairs)) < len(pairs)),
        )
    return any(names)


@MANGLED
@given(headers(), st.data())
def test_changed_bytes(tmp_path: Path, made: tuple[Any, bytes], data: st.DataObject) -> None:
    """Bytes that are changed, put in, left out, or added at an end."""
    header, values = made
    content = bytearray(packed(json.dumps(header, ensure_ascii=False).encode(), values))
    for _ in range(data.draw(st.integers(1, 3))):
        at = data.draw(st.integers(0, len(content)))
        byte = data.draw(st.one_of(st.integers(0, 255), st.sampled_from(b'{}[]",:0123456789 -\\')))
        match data.draw(st.sampled_from(["change", "insert", "delete", "cut", "append"])):
            case "change" if at < len(content):
                content[at] = byte
            case "insert":
                content.insert(at, byte)
            case "delete":
                del content[at : at + 1]
            case "cut":
                del content[at:]
            case _:
                content.append(byte)
    if not doubled(bytes(content)):  # the library reads the last of two; here both are refused
        agrees(bytes(content), tmp_path)


ENTRY = '{"dtype":"F32","shape":[1],"data_offsets":[0,4]}'


@pytest.mark.parametrize(
    "header",
    [
        '{"w":{"dtype":"F32","dtype":"F32","shape":[1],"data_offsets":[0,4]}}',
        '{"w":{"dtype":"F32","shape":[1],"data_offsets":[-0,4]}}',
        '{"w":{"dtype":"F32","shape":[true],"data_offsets":[0,4]}}',
        '{"w":{"dtype":"F32","shape":[1.0],"data_offsets":[0,4]}}',
        '{"w":{"dtype":"F32","shape":[1],"data_offsets":[false,4]}}',
        '{"w":{"dtype":"F32","x":NaN,"shape":[1],"data_offsets":[0,4]}}',
        '{"w":{"dtype":"F32","x":1e999,"shape":[1],"data_offsets":[0,4]}}',
        '{"w":{"dtype":"F32","x":' + "9" * 400 + ',"shape":[1],"data_offsets":[0,4]}}',
        '{"w":{"dtype":"F32","x":' + "9" * 30 + ',"shape":[1],"data_offsets":[0,4]}}',
        '{"w":{"dtype":"F32","x":' + "[" * 125 + "]" * 125 + ',"shape":[1],"data_offsets":[0,4]}}',
        '{"w":{"dtype":"F32","x":' + "[" * 126 + "]" * 126 + ',"shape":[1],"data_offsets":[0,4]}}',
        '{"w":["F32",[1],[0,4]]}',
        '{"\\ud800":' + ENTRY + "}",
        '{"\\u0000":' + ENTRY + "}",
        '{"w":{"dtype":"F32","x":"\\udc00","shape":[1],"data_offsets":[0,4]}}',
        '{"__metadata__":null,"w":' + ENTRY + "}",
        '{"__metadata__":[],"w":' + ENTRY + "}",
        '{"__metadata__":{"a":1},"w":' + ENTRY + "}",
        ' {"w":' + ENTRY + "}",
        '{"w":' + ENTRY + "} \n\t\r",
        '{"w":' + ENTRY + "}\0",
        '{"w":' + ENTRY + ",}",
        '\ufeff{"w":' + ENTRY + "}",
        '{"w":' + ENTRY + ',"v":null}',
        '{"w":' + ENTRY + ',"v":{"dtype":"F32","shape":[0],"data_offsets":[2,2]}}',
        '{"w":' + ENTRY + ',"v":{"dtype":"F4","shape":[3],"data_offsets":[4,4]}}',
        f'{{"w":{ENTRY},"v":{{"dtype":"F32","shape":[{2**63},4,0],"data_offsets":[4,4]}}}}',
        f'{{"w":{ENTRY},"v":{{"dtype":"F32","shape":[0,{2**63},4],"data_offsets":[4,4]}}}}',
        f'{{"w":{{"dtype":"F32","shape":{[1] * 70},"data_offsets":[0,4]}}}}',
    ],
)
def test_what_json_allows_and_the_format_does_not(tmp_path: Path, header: str) -> None:
    agrees(packed(header.encode(), b"\0\0\x80?"), tmp_path)


@pytest.mark.parametrize(
    ("spans", "size", "said"),
    [
        ([(0, 8)], 10, "bytes 8 to 10 of the data, behind t0"),
        ([(4, 8)], 8, "bytes 0 to 4 of the data, between the start and t0"),
        ([(0, 4), (8, 12)], 12, "bytes 4 to 8 of the data, between t0 and t1"),
        ([], 4, "bytes 0 to 4 of the data, behind the start"),
        ([(0, 8), (4, 12)], 12, "t0 and t1 share bytes"),
    ],
)
def test_bytes_that_no_tensor_has(
    tmp_path: Path, spans: list[tuple[int, int]], size: int, said: str
) -> None:
    header = {
        f"t{i}": {"dtype": "F32", "shape": [(stop - start) // 4], "data_offsets": [start, stop]}
        for i, (start, stop) in enumerate(spans)
    }
    content = packed(json.dumps(header).encode(), b"\0" * size)
    assert not agrees(content, tmp_path)
    with pytest.raises(WeightFileError, match=said):
        load_weights(tmp_path / "w.safetensors")


def test_types_that_numpy_lacks_are_named(tmp_path: Path) -> None:
    bits = {
        "F4": 4,
        "F6_E2M3": 6,
        "F6_E3M2": 6,
        "F8_E5M2": 8,
        "F8_E4M3": 8,
        "F8_E8M0": 8,
        "C64": 64,
    }
    header, start = {}, 0
    for dtype, width in {**bits, "F32": 32}.items():
        stop = start + width
        header[dtype] = {"dtype": dtype, "shape": [8], "data_offsets": [start, stop]}
        start = stop
    assert agrees(packed(json.dumps(header).encode(), bytes(start)), tmp_path)
    found = load_weights(tmp_path / "w.safetensors")
    assert list(found) == ["F32"]
    assert all(f"its values are {dtype};" in found.unreadable[dtype] for dtype in bits)


def test_uint16_is_bfloat16s_bits(tmp_path: Path) -> None:
    from safetensors.numpy import save_file

    bits = np.array([0x3F80, 0x4000], np.uint16)
    save_file({"w": bits}, tmp_path / "w.safetensors")
    assert load_weights(tmp_path / "w.safetensors")["w"].tolist() == bits.tolist()
