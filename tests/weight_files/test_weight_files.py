"""Weight files: read back by their own libraries, whole or not there, and written in blocks."""

from __future__ import annotations

import os
import pickle
import resource
import signal
import subprocess
import sys
import warnings
import zipfile
from pathlib import Path

import numpy as np
import paddle
import pytest
from safetensors import safe_open
from safetensors.numpy import load_file
from support.command_line import CONFIGS, environment, started

from abacus_compat import load_conf
from paddle_init import NetSpec, sample
from paddle_init.output_files import OutputError
from paddle_init.schemes import normal
from paddle_init.specs import Draw, RowBlock, Tensor
from paddle_init.weight_files import WeightFileError, writing

RANK = load_conf(CONFIGS / "abacus_rank.yaml")
FORMATS = (".npz", ".safetensors", ".pdparams")


def tensor(name: str, shape: tuple[int, ...], dtype: str = "float32") -> Tensor:
    return Tensor(name, "weight", shape, (RowBlock(name, 0, shape[0]),), dtype)


def read(path: Path) -> dict[str, np.ndarray]:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        if path.suffix == ".npz":
            with np.load(path) as file:
                return {name: file[name] for name in file.files}
        if path.suffix == ".safetensors":
            return load_file(path)
        return pickle.loads(path.read_bytes())


@pytest.mark.parametrize("dtype", ["float32", "float64", "float16"])
@pytest.mark.parametrize("suffix", FORMATS)
def test_files_hold_the_arrays(tmp_path, suffix, dtype):
    path = tmp_path / f"start{suffix}"
    settings = {"framework": "paddle", "seed": 5, "dtype": dtype}
    assert sample(RANK, path=path, **settings) == {}
    held, expected = read(path), sample(RANK, **settings)
    assert list(held) == list(expected)
    for name, array in expected.items():
        assert held[name].dtype == array.dtype
        assert held[name].flags.c_contiguous
        assert np.array_equal(held[name], array)
    assert os.listdir(tmp_path) == [path.name]


@pytest.mark.parametrize("suffix", FORMATS)
def test_abacuss_columns_and_folded_rows(tmp_path, suffix):
    path = tmp_path / f"start{suffix}"
    sample(RANK, path=path, seed=5)
    held, expected = read(path), sample(RANK, seed=5)
    assert all(np.array_equal(held[name], array) for name, array in expected.items())


@pytest.mark.parametrize("dtype", ["float32", "float64", "float16", "bfloat16"])
def test_paddle_loads_pdparams_into_a_net(tmp_path, dtype):
    path = tmp_path / "start.pdparams"
    settings = {"framework": "paddle", "seed": 5, "dtype": dtype}
    sample(RANK, path=path, **settings)
    held, expected = paddle.load(str(path)), sample(RANK, **settings)
    for name, array in expected.items():
        assert str(held[name].dtype) == f"paddle.{dtype}"
        assert np.array_equal(held[name].numpy(), array)
    layer = paddle.nn.Linear(300, 128)
    layer.to(dtype=dtype)
    layer.set_state_dict({"weight": held["fc1_w"], "bias": held["fc1_b"]})
    assert np.array_equal(layer.weight.numpy(), expected["fc1_w"])


def test_pdparams_are_what_paddle_saves(tmp_path):
    """The same values as paddle.static's save of the same arrays, but for NumPy's module name."""
    path, own = tmp_path / "start.pdparams", tmp_path / "own.pdparams"
    sample(RANK, path=path, seed=5)
    with own.open("wb") as file:
        pickle.dump(sample(RANK, seed=5), file, protocol=4)
    held, expected = paddle.load(str(path)), paddle.load(str(own))
    assert list(held) == list(expected)
    assert all(np.array_equal(held[name].numpy(), expected[name].numpy()) for name in held)


@pytest.mark.paddle_3  # for Paddle 2, safetensors goes through NumPy
def test_bfloat16_in_safetensors(tmp_path):
    path = tmp_path / "start.safetensors"
    settings = {"framework": "paddle", "seed": 5, "dtype": "bfloat16"}
    sample(RANK, path=path, **settings)
    expected = sample(RANK, **settings)
    with safe_open(path, framework="paddle") as file:
        for name, array in expected.items():
            held = file.get_tensor(name)
            assert held.dtype == paddle.bfloat16
            assert np.array_equal(held.numpy(), array)


def test_a_zip_that_others_can_read(tmp_path):
    path = tmp_path / "start.npz"
    sample(RANK, path=path, seed=5)
    with zipfile.ZipFile(path) as file:
        assert file.testzip() is None
        assert file.namelist() == [f"{tensor.name}.npy" for tensor in RANK.tensors]
        assert {info.date_time for info in file.infolist()} == {(1980, 1, 1, 0, 0, 0)}
        assert {info.external_attr >> 16 for info in file.infolist()} == {0o100644}


@pytest.mark.parametrize("suffix", FORMATS)
def test_names_of_any_script(tmp_path, suffix):
    spec = NetSpec(
        "paddle", (Draw('层/权重 "1"', (2, 3), normal()), Draw("b" * 300, (3,), normal()))
    )
    path = tmp_path / f"start{suffix}"
    sample(spec, path=path, seed=1)
    assert list(read(path)) == [tensor.name for tensor in spec.tensors]


@pytest.mark.parametrize("suffix", FORMATS)
def test_the_same_seed_writes_the_same_bytes(tmp_path, suffix):
    one, other = tmp_path / f"one{suffix}", tmp_path / f"other{suffix}"
    sample(RANK, path=one, seed=5)
    sample(RANK, path=other, seed=5)
    assert one.read_bytes() == other.read_bytes()


@pytest.mark.parametrize("suffix", FORMATS)
def test_pieces_in_any_order(tmp_path, suffix):
    path = tmp_path / f"start{suffix}"
    tensors = [tensor("a", (4, 5)), tensor("b", (7,), "float64")]
    a, b = np.arange(20, dtype=np.float32), np.arange(7, dtype=np.float64)
    with writing(path, tensors) as file:
        file.put(tensors[1], 3, b[3:])
        file.put(tensors[0], 11, a[11:])
        file.put(tensors[0], 0, a[:11])
        file.put(tensors[1], 0, b[:3])
    held = read(path)
    assert np.array_equal(held["a"], a.reshape(4, 5))
    assert np.array_equal(held["b"], b)


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("start.bin", r"the name says no format; let it end in \.npz, \.safetensors, \.pdparams"),
        ("start.npz", r"tensor fc1_w is bfloat16, which \.npz does not have"),
    ],
)
def test_refused(tmp_path, name, said):
    with pytest.raises(WeightFileError, match=said):
        sample(RANK, framework="paddle", dtype="bfloat16", seed=1, path=tmp_path / name)
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize(
    ("suffix", "draw", "said"),
    [
        (".safetensors", Draw("__metadata__", (2,), normal(0, 1)), "keeps for itself"),
        (".npz", Draw("a\0b", (2,), normal(0, 1)), "has a NUL in its name"),
        (".npz", Draw("a" * 65532, (2,), normal(0, 1)), "has too long a name"),
        *((suffix, Draw("\ud800", (2,), normal(0, 1)), "is no UTF-8") for suffix in FORMATS),
        *((suffix, Draw("a", (2**60, 2**9), normal(0, 1)), "no file can") for suffix in FORMATS),
    ],
)  # fmt: skip
def test_what_would_not_be_found_again_is_refused(tmp_path, suffix, draw, said):
    with pytest.raises(WeightFileError, match=said):
        sample(NetSpec("paddle", (draw,)), seed=1, path=tmp_path / f"start{suffix}")
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize("suffix", FORMATS)
def test_unusual_names_are_found_again(tmp_path, suffix):
    names = ["../x", "a\nb", "é" * 400, "w.npy", " "]
    names += ["a\0b"] * (suffix != ".npz") + ["__metadata__"] * (suffix != ".safetensors")
    spec = NetSpec("paddle", tuple(Draw(name, (2,), normal(0, 1)) for name in names))
    path = tmp_path / f"start{suffix}"
    sample(spec, seed=1, path=path)
    held = read(path)
    assert held.keys() == set(names)
    assert all(np.array_equal(held[name], array) for name, array in sample(spec, seed=1).items())


def test_a_missing_folder(tmp_path):
    with pytest.raises(OutputError, match="there is no folder"):
        sample(RANK, seed=1, path=tmp_path / "none" / "start.npz")


def test_a_pipe_is_refused(tmp_path):
    pipe = tmp_path / "start.npz"
    os.mkfifo(pipe)
    reader = os.open(pipe, os.O_RDONLY | os.O_NONBLOCK)
    try:
        with pytest.raises(WeightFileError, match="cannot be written to a pipe"):
            sample(RANK, seed=1, path=pipe)
    finally:
        os.close(reader)


@pytest.mark.parametrize("suffix", FORMATS)
def test_a_file_over_the_limit_leaves_nothing(tmp_path, suffix):
    path = tmp_path / f"start{suffix}"
    path.write_bytes(b"old")
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (100_000, hard))
    try:
        with pytest.raises(OutputError, match="File too large"):
            sample(RANK, seed=1, path=path)
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))
    assert path.read_bytes() == b"old"
    assert os.listdir(tmp_path) == [path.name]


@pytest.mark.parametrize("suffix", FORMATS)
def test_a_full_disk(tmp_path, suffix):
    path = tmp_path / f"full{suffix}"
    path.symlink_to("/dev/full")
    with pytest.raises(OutputError, match="the disk is full"):
        sample(RANK, seed=1, path=path)


LONG = """
import sys
from paddle_init import NetSpec, sample
from paddle_init.schemes import normal
from paddle_init.specs import Draw
spec = NetSpec("paddle", (Draw("w", (20_000, 5_000), normal()),))
sample(spec, seed=1, path=sys.argv[1], progress=lambda count: print(count, flush=True))
"""


@pytest.mark.parametrize("name", ["SIGINT", "SIGTERM"])
def test_interrupted_it_leaves_no_file(tmp_path, name):
    """SIGTERM unwinds only where something turns it into an exception, as the command does."""
    path = tmp_path / "start.npz"
    code = LONG
    if name == "SIGTERM":
        code = "import signal, sys\nsignal.signal(signal.SIGTERM, lambda *_: sys.exit(1))\n" + LONG
    process = started(
        path,
        command=[sys.executable, "-c", code],
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
    )
    process.stdout.readline()
    assert os.listdir(tmp_path) != []
    process.send_signal(getattr(signal, name))
    assert process.wait(60) != 0
    process.stdout.close()
    assert os.listdir(tmp_path) == []


MEMORY = """
import sys
from pathlib import Path
from paddle_init import NetSpec, sample
from paddle_init.schemes import constant, normal
from paddle_init.specs import Draw, RowBlock, Tensor
import paddle_init.weight_files

def peak():
    status = Path("/proc/self/status").read_text()
    return int(status.split("VmHWM:")[1].split()[0]) * 1024

n, path, framework, compiled = 4096, *sys.argv[1:]
if compiled == "True":
    from numba.core.registry import cpu_target

    cpu_target.typing_context.refresh()
    cpu_target.target_context.refresh()
else:
    sys.modules["numba"] = None
scheme = normal() if compiled == "True" else constant(0.5)
draws, tensors = [], []
for name in "abc":
    rows = n + (framework == "abacus")
    draws.append(Draw(name, (rows, n), scheme))
    tensors.append(Tensor(name, "weight", (n, n), (RowBlock(name, 0, n),)))
    if framework == "abacus":
        tensors.append(Tensor(name + ".bias", "bias", (n,), (RowBlock(name, n, n + 1),)))
draws.append(Draw("d", (100, n), normal()))
tensors.append(Tensor("d", "weight", (100, n), (RowBlock("d", 0, 100),)))
before = peak()
sample(NetSpec(framework, draws, tensors), seed=1, path=path)
print(peak() - before - 4 * n * n)
"""


@pytest.mark.skipif(not Path("/proc/self/status").exists(), reason="Linux tells a peak there")
@pytest.mark.parametrize("framework", ["abacus", "paddle"])
@pytest.mark.parametrize(
    ("suffix", "compiled"), [*((suffix, False) for suffix in FORMATS), (".npz", True)]
)
def test_peak_memory_is_the_largest_tensor_and_64_mib(tmp_path, suffix, compiled, framework):
    """Above the imports; numba's are those that it puts off until a kernel is loaded, too."""
    if compiled:
        pytest.importorskip("numba")
    command = [sys.executable, "-c", MEMORY, tmp_path / f"s{suffix}", framework, str(compiled)]
    ran = subprocess.run(command, env=environment(), capture_output=True, text=True, check=False)
    assert not ran.stderr
    print(f"largest tensor and {int(ran.stdout) / 2**20:.1f} MiB")
    assert int(ran.stdout) < 64 * 2**20


@pytest.mark.slow
def test_an_archive_over_4_gib(tmp_path):
    """zip64: a tensor over 4 GiB, one behind it, and more members than would fit in 16 bits."""
    path = tmp_path / "large.npz"
    big = tensor("big", (2**20 + 1, 1024))
    small = [tensor(f"s{i}", (1,)) for i in range(2**16)]
    with writing(path, [big, *small]) as file:
        file.put(big, 2**30, np.full(1024, 7, np.float32))
        for i, one in enumerate(small):
            file.put(one, 0, np.array([i], np.float32))
    with zipfile.ZipFile(path) as archive:
        assert len(archive.namelist()) == 2**16 + 1
        assert archive.getinfo("big.npy").file_size > 2**32
        with archive.open("big.npy") as data:
            while data.read(1 << 24):
                pass  # the CRC is checked at the end
    with np.load(path) as held:
        assert held["s65535"] == 65535
