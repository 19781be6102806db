"""Functions that build nets: they can neither end the program nor leave it changed."""

from __future__ import annotations

import json
import os
import random
import signal
import sys
import warnings
from pathlib import Path
from subprocess import CompletedProcess
from typing import Any

import numpy as np
import paddle
import pytest
from paddle import nn
from paddle.nn.initializer import Constant, Normal, set_global_initializer
from paddle.nn.initializer.lazy_init import lazy_init_helper
from support.command_line import paddle_init
from support.paddle_graph import PADDLE_3

from paddle_init import read_net
from paddle_init.cli.main import main
from paddle_init.errors import SpecError

NETS = """
import ctypes
import os
import sys

import paddle
from paddle import nn


def zero():
    sys.exit(0)


def none():
    sys.exit()


def text():
    sys.exit("no data")


def quits():
    raise SystemExit(3)


class Stop(BaseException):
    pass


def stops():
    raise Stop("enough")


def interrupted():
    raise KeyboardInterrupt


def moves():
    os.makedirs("elsewhere", exist_ok=True)
    os.chdir("elsewhere")
    sys.path.clear()
    return nn.Linear(3, 2)


def prints():
    print("a Python print")
    print("past the redirection", file=sys.__stdout__)
    os.write(1, b"a write to the descriptor\\n")
    ctypes.CDLL(None).puts(b"a C print")
    return nn.Linear(3, 2)


def arguments():
    if sys.argv[1:]:
        raise ValueError(f"saw {sys.argv}")
    return nn.Linear(3, 2)


def leaks():
    paddle.enable_static()
    paddle.static.nn.fc(paddle.static.data("x", [None, 3]), 2)


class Property:
    @property
    def net(self):
        sys.exit(0)


holder = Property()


class Shown:
    def __repr__(self):
        sys.exit(0)

    def __call__(self):
        sys.exit(0)


shown = Shown()


class Forward(nn.Layer):
    def __init__(self):
        super().__init__()
        self.fc = nn.Linear(3, 3)

    def forward(self, x):
        print("in forward")
        return self.fc(x)


class Leaves(Forward):
    def forward(self, x):
        sys.exit(0)
"""
PARSING = """
import argparse
import os

from paddle import nn

parser = argparse.ArgumentParser()
parser.add_argument("--width", type=int, default=4)
given = parser.parse_args()
os.chdir("/")


def build():
    return nn.Linear(given.width, 2)
"""
STATIC = """
import paddle

paddle.enable_static()


def build():
    paddle.static.nn.fc(paddle.static.data("x", [None, 3]), 2)


def other():
    paddle.static.nn.fc(paddle.static.data("x", [None, 3]), 2)
"""


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("user_code")
    (folder / "evil.py").write_text(NETS)
    (folder / "parsing.py").write_text(PARSING)
    (folder / "always_static.py").write_text(STATIC)
    (folder / "leaving.py").write_text("import sys\n\nsys.exit(0)\n")
    (folder / "weights.npz").write_bytes(b"")
    np.savez(folder / "weights.npz", weight=np.zeros((3, 2), np.float32))
    return folder


class Here:
    """The command line in this process, which imports Paddle once, in the nets' folder."""

    def __init__(self, folder: Path, capfd: pytest.CaptureFixture[str]) -> None:
        self.folder = folder
        self.capfd = capfd

    def __call__(self, *args: object) -> CompletedProcess[str]:
        code = main([*map(str, args)])
        return CompletedProcess([], code, *self.capfd.readouterr())


@pytest.fixture
def run(folder: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]) -> Here:
    monkeypatch.chdir(folder)
    return Here(folder, capfd)


@pytest.mark.parametrize(
    ("name", "line", "said"),
    [
        ("zero", 11, "zero() failed: SystemExit: 0"),
        ("none", 15, "none() failed: SystemExit: None"),
        ("text", 19, "text() failed: SystemExit: no data"),
        ("quits", 23, "quits() failed: SystemExit: 3"),
        ("stops", 31, "stops() failed: Stop: enough"),
    ],
)
def test_a_function_that_ends_is_an_error(run: Here, name: str, line: int, said: str) -> None:
    done = run("translate", f"evil:{name}")
    assert (done.returncode, done.stdout) == (2, "")
    assert f"error: evil:{name}: evil.py:{line}: {said}\n" in done.stderr


@pytest.mark.parametrize(
    "args",
    [
        ("report", "evil:zero"),
        ("report", "evil:moves", "--against", "evil:zero", "--fail-on", "identical"),
        ("verify", "weights.npz", "evil:zero"),
        ("sample", "evil:zero", "--seed", "1", "-o", "out.npz"),
        ("propagate", "evil:zero"),
        ("propagate", "evil:Leaves"),
        ("propagate", "evil:shown"),
        ("report", "evil:shown"),
        ("report", "evil:holder.net"),
        ("report", "leaving:build"),
        ("gain", "leaving:build"),
    ],
    ids=" ".join,
)
def test_no_command_ends_well_by_an_exit(run: Here, args: tuple[str, ...]) -> None:
    done = run(*args)
    assert (done.returncode, done.stdout) == (2, ""), done.stderr
    assert "SystemExit: 0" in done.stderr
    assert "Traceback" not in done.stderr
    assert not (run.folder / "out.npz").exists()


def test_an_interrupt_ends_as_ever(run: Here) -> None:
    assert run("report", "evil:interrupted").returncode == 130


def test_a_function_cannot_move_the_output(run: Here) -> None:
    done = run("sample", "evil:moves", "--seed", "1", "-o", "here.npz")
    assert done.returncode == 0, done.stderr
    assert (run.folder / "here.npz").exists()
    done = run("report", "evil:moves", "--against", "evil:moves")
    assert done.returncode == 0, done.stderr
    assert "evil.py:" in done.stdout
    assert str(run.folder) not in done.stdout


def test_prints_of_every_kind_go_to_stderr(run: Here) -> None:
    """In a process of its own, whose streams are what a shell gives."""
    done = paddle_init("report", "evil:prints", "--format", "json", cwd=run.folder)
    assert done.returncode == 0
    assert json.loads(done.stdout)["schema"] == 1
    for said in ("a Python print", "past the redir", "a write to the desc", "a C print"):
        assert said in done.stderr
    done = run("propagate", "evil:Forward", "--format", "json")
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout)
    assert "in forward" in done.stderr


def test_a_module_sees_no_arguments_of_ours(run: Here) -> None:
    done = run("report", "evil:arguments", "--against", "parsing:build")
    assert done.returncode == 0, done.stderr
    assert "right  paddle: parsing:build" in done.stdout


def test_a_module_in_static_graph_leaves_the_next_one_alone(run: Here) -> None:
    names = ("always_static:build", "--against", "evil:arguments")
    done = run("report", *names, "--format", "json")
    assert done.returncode == 0, done.stderr
    assert [item["partner"] for item in json.loads(done.stdout)["parameters"]] == [
        "weight",
        "bias",
    ]
    names = ("always_static:build", "--against", "always_static:other")
    done = run("report", *names)
    assert done.returncode == 0, done.stderr


def state() -> dict[str, Any]:
    return {
        "folder": os.getcwd(),
        "argv": list(sys.argv),
        "path": list(sys.path),
        "environment": dict(os.environ),
        "filters": list(warnings.filters),
        "handler": signal.getsignal(signal.SIGUSR1),
        "timer": signal.getitimer(signal.ITIMER_REAL),
        "numpy": (np.geterr(), np.random.get_state()[1].tobytes()),  # type: ignore[index,union-attr] # noqa: NPY002
        "random": random.getstate(),
        "streams": (sys.stdin, sys.stdout, sys.stderr),
        "limit": sys.getrecursionlimit(),
        "dynamic": paddle.in_dynamic_mode(),
        "lazy": lazy_init_helper().state,
        "dtype": paddle.get_default_dtype(),
        "grad": paddle.is_grad_enabled(),
        "flag": paddle.get_flags("FLAGS_check_nan_inf"),
        "generator": str(paddle.get_rng_state()[0]).split()[-313:],
        "initializers": paddle.base.initializer._global_weight_initializer(),
    }


def disturb(folder: Path) -> None:
    os.chdir(folder)
    sys.argv = ["other"]
    sys.path.insert(0, "nowhere")
    os.environ["PADDLE_INIT_TEST"] = "1"
    warnings.simplefilter("error")
    signal.signal(signal.SIGUSR1, signal.SIG_IGN)
    signal.setitimer(signal.ITIMER_REAL, 3600)
    np.seterr(all="raise")
    np.random.seed(3)  # noqa: NPY002
    random.seed(3)
    sys.stdout = sys.stderr
    sys.setrecursionlimit(2345)
    paddle.set_default_dtype("float64")
    paddle.set_grad_enabled(False).__enter__()
    paddle.set_flags({"FLAGS_check_nan_inf": True})
    paddle.seed(11)
    set_global_initializer(Normal(), Constant(0.5))
    paddle.LazyGuard().__enter__()
    paddle.enable_static()


@pytest.mark.parametrize("fails", [False, True])
def test_whatever_a_function_changes_is_put_back(tmp_path: Path, fails: bool) -> None:
    def build() -> Any:
        net = nn.Linear(3, 2)
        disturb(tmp_path)
        if fails:
            raise ValueError("late")
        return net

    before = state()
    if fails:
        with pytest.raises(SpecError, match=r"test_user_code.py:\d+: build\(\) failed: ValueError"):
            read_net(build)
    else:
        assert list(read_net(build).tensor_by_name) == ["weight", "bias"]
    assert state() == before
    assert nn.Linear(3, 2).weight.dtype == paddle.float32


@pytest.mark.paddle_3
def test_a_function_cannot_change_the_kind_of_program() -> None:
    def build() -> Any:
        paddle.set_flags({"FLAGS_enable_pir_api": False})
        return nn.Linear(3, 2)

    assert PADDLE_3
    before = paddle.get_flags("FLAGS_enable_pir_api")
    read_net(build)
    assert paddle.get_flags("FLAGS_enable_pir_api") == before


@pytest.mark.parametrize("code", [0, None, 3, "text"])
def test_read_net_in_python_is_not_ended_either(code: Any) -> None:
    def leaves() -> None:
        sys.exit(code)

    with pytest.raises(SpecError, match=r"leaves\(\) failed: SystemExit") as caught:
        read_net(leaves)
    assert isinstance(caught.value.__cause__, SystemExit)
    with pytest.raises(KeyboardInterrupt):
        read_net(interrupts)


def interrupts() -> None:
    raise KeyboardInterrupt
