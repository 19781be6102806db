"""Weight files read back: what Paddle, NumPy, safetensors and sample write; bad files are told."""

from __future__ import annotations

import collections
import os
import pickle
import struct
import zipfile
from pathlib import Path
from typing import Any

import numpy as np
import paddle
import pytest
from numpy.typing import NDArray
from safetensors.numpy import save_file

from paddle_init.frameworks.sampling import sample
from paddle_init.schemes import normal
from paddle_init.specs import Draw, NetSpec, RowBlock, Seeding, Tensor
from paddle_init.weight_files import WeightFileError
from paddle_init.weight_files.reading import load_weights

ARRAYS: dict[str, NDArray[Any]] = {
    "w": np.arange(6, dtype=np.float32).reshape(2, 3),
    "columns": np.asfortranarray(np.arange(6, dtype=np.float64).reshape(2, 3)),
    "big": np.arange(4, dtype=">f4"),
    "half": np.array([1.5, -0.0], np.float16),
    "empty": np.zeros((0, 3), np.float32),
    "steps": np.array(7),
}


def same(found: Any, arrays: dict[str, NDArray[Any]]) -> None:
    assert list(found) == list(arrays)
    for name, array in arrays.items():
        read = found[name]
        assert read.shape == array.shape
        assert read.dtype == array.dtype.newbyteorder("=")
        assert read.tolist() == array.tolist()


@pytest.mark.parametrize("save", [np.savez, np.savez_compressed])
def test_npz(tmp_path: Path, save: Any) -> None:
    save(tmp_path / "w.npz", **ARRAYS)
    same(load_weights(tmp_path / "w.npz"), ARRAYS)


def test_safetensors(tmp_path: Path) -> None:
    arrays = {n: a for n, a in ARRAYS.items() if n not in ("columns", "big")}
    save_file(arrays, tmp_path / "w.safetensors", {"made": "here"})
    found = load_weights(tmp_path / "w.safetensors")
    same({name: found[name] for name in arrays}, arrays)
    assert set(found) == set(arrays)


@pytest.mark.parametrize("protocol", [2, 3, 4])
def test_paddle_save(tmp_path: Path, protocol: int) -> None:
    net = paddle.nn.Linear(5, 3, weight_attr=paddle.ParamAttr(name=f"fc_w_{protocol}"))
    path = str(tmp_path / "net.pdparams")
    paddle.save(net.state_dict(), path, protocol=protocol)
    found = load_weights(path)
    same(found, {name: p.numpy() for name, p in net.state_dict().items()})
    assert found.aliases[f"fc_w_{protocol}"] == ("weight",)


def test_paddle_save_of_other_things(tmp_path: Path) -> None:
    """Nested dicts, bfloat16, numbers, tensors that are no parameters, and a tensor alone."""
    path = str(tmp_path / "net.pdparams")
    half = paddle.ones([2], dtype="bfloat16")
    paddle.save({"net": {"half": half}, "epoch": 3, "lr": 0.5}, path)
    found = load_weights(path)
    assert dict(found) == {"net.half": pytest.approx([0x3F80, 0x3F80])}
    assert found["net.half"].dtype == np.uint16
    assert found.skipped == ("epoch", "lr")
    paddle.save(half, path)
    assert list(load_weights(path)) == ["parameter"]


def test_slices_of_long_arrays(tmp_path: Path) -> None:
    """What protocols 2 and 3 make of arrays over a GiB, in small."""
    parts = {"w@@.0": np.arange(4, dtype=np.float32), "w@@.1": np.arange(4, 6, dtype=np.float32)}
    table = {"w": {"OriginShape": (2, 3), "slices": ["w@@.0", "w@@.1"]}}
    path = tmp_path / "net.pdparams"
    path.write_bytes(pickle.dumps(parts | {"UnpackBigParamInfor@@": table}, protocol=2))
    same(load_weights(path), {"w": ARRAYS["w"]})


@pytest.mark.parametrize(
    ("suffix", "dtype"),
    [
        (suffix, dtype)
        for suffix in (".npz", ".safetensors", ".pdparams")
        for dtype in ("float32", "float64", "float16", "bfloat16")
        if (suffix, dtype) != (".npz", "bfloat16")
    ],
)
def test_what_sample_writes(tmp_path: Path, suffix: str, dtype: str) -> None:
    shape = (7, 5)
    draw = Draw("一.w", shape, normal(0, 0.1))
    tensor = Tensor("一.w", "weight", shape, (RowBlock("一.w", 0, 7),), dtype)
    spec = NetSpec("paddle", (draw,), (tensor,), Seeding("mt19937_64", seed=1))
    sample(spec, path=tmp_path / f"w{suffix}")
    found, expected = load_weights(tmp_path / f"w{suffix}"), sample(spec)
    assert found["一.w"].dtype == expected["一.w"].dtype
    assert found["一.w"].tobytes() == expected["一.w"].tobytes()


class Hostile:
    """A pickle that would run a command."""

    def __init__(self, function: Any, *arguments: Any) -> None:
        self.call = function, arguments

    def __reduce__(self) -> Any:
        return self.call


def array_pickle(shape: tuple[Any, ...], dtype: Any, data: bytes) -> bytes:
    """The pickle of an array whose parts do not fit each other."""
    form = pickle.dumps({"w": np.zeros(1, np.float32)}, protocol=2)
    assert form.count(b"K\x01\x85") == 1
    sides = b"".join(b"J" + struct.pack("<i", side) for side in shape)
    form = form.replace(b"K\x01\x85", b"(" + sides + b"t")
    return form.replace(b"f4", dtype)


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (pickle.dumps({"w": Hostile(os.system, "touch /tmp/x")}), "posix.system"),
        (pickle.dumps({"w": Hostile(eval, "1 + 1")}), "evaluated"),
        (pickle.dumps({"w": Hostile(eval, "data", {"data": Hostile(exec, "1")})}), "exec"),
        (pickle.dumps({"w": Hostile(getattr, "", "join")}), "getattr"),
        (pickle.dumps({"w": np.array([os.system, 1], object)}), "posix.system"),
        (b"\x80\x02cos\nsystem\nq\x00.", "os.system"),
        (array_pickle((1 << 30, 1 << 30), b"f4", b""), "has 4 bytes"),
        (array_pickle((-1,), b"f4", b""), "has 4 bytes"),
        (b"\x80\x04}\x94(\x8c\x01wr\xff\xff\xff\x7f\x8c\x01vu.", None),
        (b"\x80\x04\x8e\xff\xff\xff\xff\xff\xff\xff\x7f", "ends within"),
        (b"\x80\x04" + b"}" * 9, "ends within"),
        (b"\x80\x04R.", "makes no sense"),
        (b"\x80\x04.", "makes no sense"),
        (b"\x80\x04(((.", "makes no sense"),
        (b"\x80\x04}\x94\x8c\x01wh\x00s.", "nested"),
        (b"\x80\x05\x96.", "opcode 0x96"),
        (b"\x80\x02\x8a\x0al\xfc\x9cF\xf9 j\xa8P\x19.", "no dict of arrays"),
    ],
)
def test_pickles_that_are_no_weights(tmp_path: Path, content: bytes, said: str | None) -> None:
    path = tmp_path / "net.pdparams"
    path.write_bytes(content)
    if said is None:
        assert not load_weights(path)
        return
    with pytest.raises(WeightFileError, match=said) as told:
        load_weights(path)
    assert str(told.value).startswith(f"{path}: ")


def test_ordered_dicts_and_numpy_scalars(tmp_path: Path) -> None:
    path = tmp_path / "net.pdparams"
    saved = collections.OrderedDict(w=ARRAYS["w"], step=np.float64(3))
    path.write_bytes(pickle.dumps(saved, protocol=4))
    found = load_weights(path)
    same(found, {"w": ARRAYS["w"]})
    assert found.skipped == ("step",)


def written(tmp_path: Path, suffix: str) -> Path:
    path = tmp_path / f"w{suffix}"
    arrays = {"w": np.arange(4096, dtype=np.float32)}
    if suffix == ".npz":
        np.savez(path, **arrays)
    elif suffix == ".safetensors":
        save_file(arrays, path)
    else:
        paddle.save({"w": paddle.to_tensor(arrays["w"])}, str(path))
    return path


@pytest.mark.parametrize("suffix", [".npz", ".safetensors", ".pdparams"])
@pytest.mark.parametrize("kept", [2, 9, 100, 5000, 16000])
def test_truncated_files(tmp_path: Path, suffix: str, kept: int) -> None:
    path = written(tmp_path, suffix)
    path.write_bytes(path.read_bytes()[:kept])
    with pytest.raises(WeightFileError, match=r"truncated|ends within|broken|no weight file"):
        load_weights(path)


def test_a_byte_that_changed_in_an_archive(tmp_path: Path) -> None:
    path = written(tmp_path, ".npz")
    data = bytearray(path.read_bytes())
    data[5000] ^= 1
    path.write_bytes(data)
    with pytest.raises(WeightFileError, match="checksum"):
        load_weights(path)["w"]


@pytest.mark.parametrize(
    ("header", "said"),
    [
        (b"[1]", "no JSON object"),
        (b"{,}", "no JSON"),
        (b'{"w":{"dtype":"F32","shape":[2],"data_offsets":[0,4]}}', "4 bytes"),
        (b'{"w":{"dtype":"F32","shape":[1],"data_offsets":[8,12]}}', "truncated"),
        (b'{"w":{"dtype":"F32","shape":[-1],"data_offsets":[0,4]}}', "4 bytes"),
        (b'{"w":{"dtype":"F32","shape":["1"],"data_offsets":[0,4]}}', "4 bytes"),
        (b'{"w":{"dtype":"F32","shape":[1]}}', "nothing that fits"),
        (b'{"w":5}', "nothing that fits"),
        (b'{"w":{"dtype":"F32","shape":[1],"data_offsets":[0,4]},"w":5}', "names 'w' twice"),
        (
            b'{"w":{"dtype":"F32","shape":[1],"data_offsets":[0,4]},'
            b'"v":{"dtype":"U8","shape":[1],"data_offsets":[3,4]}}',
            "w and v share bytes",
        ),
    ],
)
def test_bad_headers(tmp_path: Path, header: bytes, said: str) -> None:
    path = tmp_path / "w.safetensors"
    path.write_bytes(len(header).to_bytes(8, "little") + header + b"\0\0\0\0")
    with pytest.raises(WeightFileError, match=said):
        load_weights(path)


def test_members_that_are_no_numbers(tmp_path: Path) -> None:
    path = tmp_path / "w.npz"
    np.savez(path, w=np.array([1, "a"], object))
    assert load_weights(path).skipped == ("w",)
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("w.npy", b"no array")
        archive.writestr("note.txt", b"text")
    found = load_weights(path)
    assert found.skipped == ("w", "note.txt")
    assert set(found.unreadable.values()) == {"it is no .npy file"}
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("archive/data.pkl", b"")
    with pytest.raises(WeightFileError, match="PyTorch"):
        load_weights(path)


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (b"", "empty"),
        (b"\x93NUMPY\x01\x00", "single .npy"),
        (b"\x89HDF\r\n", "HDF5"),
        (b"\x1f\x8b\x08", "gzip"),
        (b"init_range: 1\n", "no weight file"),
    ],
)
def test_other_formats(tmp_path: Path, content: bytes, said: str) -> None:
    path = tmp_path / "w"
    path.write_bytes(content)
    with pytest.raises(WeightFileError, match=said):
        load_weights(path)


def test_no_file(tmp_path: Path) -> None:
    with pytest.raises(WeightFileError, match="no such file"):
        load_weights(tmp_path / "none.npz")
    with pytest.raises(WeightFileError, match="folder"):
        load_weights(tmp_path)
