"""A weight file where a spec belongs, and a spec where weights do, are told as that."""

from __future__ import annotations

import gzip
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from support.command_line import CONFIGS, environment

from abacus_compat import load_conf
from paddle_init import identify, load_spec, report, sample, verify
from paddle_init.cli.main import main
from paddle_init.errors import SpecError
from paddle_init.weight_files import WeightFileError
from paddle_init.yaml_cpp import DocumentError

CONF = str(CONFIGS / "abacus_rank.yaml")
SUFFIXES = (".npz", ".safetensors", ".pdparams")


@pytest.fixture(params=SUFFIXES)
def weights(request: Any, tmp_path: Path) -> str:
    path = tmp_path / f"start{request.param}"
    sample(load_conf(CONF), seed_seq=(0, 1, 2, 3), path=path)
    return str(path)


def failed(arguments: list[str], capsys: pytest.CaptureFixture[str]) -> str:
    assert main(arguments) == 2
    return capsys.readouterr().err


def test_weights_in_a_specs_place(weights: str, capsys: pytest.CaptureFixture[str]) -> None:
    suffix = os.path.splitext(weights)[1]
    commands = (
        ["report", weights, "--against", CONF],
        ["report", CONF, "--against", weights],
        ["translate", weights, "--to", "spec"],
        ["sample", weights, "--seed", "1", "-o", f"{weights}.npz"],
        ["propagate", weights],
        ["verify", weights, weights],
        ["verify", weights, CONF, "--mapping", weights],
    )
    for arguments in commands:
        told = failed(arguments, capsys)
        assert f"this is a weight file ({suffix})" in told, arguments
        assert f"`paddle-init verify {weights} SPEC`" in told
    for read in (load_conf, load_spec):
        with pytest.raises(DocumentError, match="this is a weight file"):
            read(weights)
    with pytest.raises(DocumentError, match="this is a weight file"):
        report(weights, CONF)


def test_weights_on_standard_input(weights: str) -> None:
    with open(weights, "rb") as file:
        done = subprocess.run(
            [sys.executable, "-m", "paddle_init", "report", "-"],
            env=environment(),
            stdin=file,
            capture_output=True,
            text=True,
            check=False,
        )
    assert done.returncode == 2
    assert "`paddle-init verify WEIGHTS SPEC`" in done.stderr


def test_exchanged_arguments(weights: str, capsys: pytest.CaptureFixture[str]) -> None:
    told = failed(["verify", CONF, weights], capsys)
    assert f"`paddle-init verify {weights} {CONF}`" in told
    with pytest.raises(SpecError, match="weights and spec are exchanged"):
        verify(CONF, weights)
    assert "are exchanged" in failed(["verify", "nets.tower:build", weights], capsys)
    assert "are exchanged" not in failed(["verify", "none.npz", weights], capsys)


def test_specs_in_the_weights_place(capsys: pytest.CaptureFixture[str]) -> None:
    for arguments in (["verify", CONF, CONF], ["identify", CONF]):
        told = failed(arguments, capsys)
        assert "no weight file that is known" in told
        assert "it is a text" in told
        assert "paddle-init verify WEIGHTS SPEC" in told


@pytest.mark.parametrize("start", ["PK: 1\n", "PKI: {a: 1}\n", "\u20ac: 1\n", "{a: 1}\n"])
def test_texts_that_begin_as_weights_might(tmp_path: Path, start: str) -> None:
    path = tmp_path / "net.yaml"
    path.write_text(start)
    with pytest.raises(Exception) as told:  # noqa: PT011 - whatever it lacks as a conf
        load_conf(path)
    assert "weight file" not in str(told.value)
    with pytest.raises(WeightFileError, match="it is a text"):
        identify(path)


@pytest.mark.parametrize("command", [["verify"], ["identify"], ["propagate", "3,3", "--input"]])
def test_pipes_and_devices_are_refused_at_once(tmp_path: Path, command: list[str]) -> None:
    pipe = tmp_path / "start.npz"
    os.mkfifo(pipe)
    for path in ("/dev/zero", str(pipe), "/dev/stdin"):
        arguments = [*command, path, *([CONF] if command == ["verify"] else [])]
        done = subprocess.run(
            [sys.executable, "-m", "paddle_init", *arguments],
            env=environment(),
            input="",
            capture_output=True,
            text=True,
            timeout=60,
            check=False,
        )
        assert done.returncode == 2
        assert "this is a pipe, a socket or a device; name a file" in done.stderr


def test_standard_input_from_a_file(tmp_path: Path) -> None:
    path = tmp_path / "w.npz"
    np.savez(path, w=np.ones(3, np.float32))
    with path.open("rb") as file:
        done = subprocess.run(
            [sys.executable, "-m", "paddle_init", "identify", "/dev/stdin"],
            env=environment(),
            stdin=file,
            capture_output=True,
            text=True,
            check=False,
        )
    assert done.returncode == 0
    assert "constant 1" in done.stdout


def test_compressed_weights_are_told(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "w.npz.gz"
    path.write_bytes(gzip.compress(b"PK"))
    assert "gzip-compressed" in failed(["identify", str(path)], capsys)
