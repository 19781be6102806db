"""Whose bits are drawn where nothing says it: the installed Paddle's, which is not imported."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from importlib.metadata import PackageNotFoundError
from pathlib import Path

import pytest
from support.command_line import environment

from paddle_init import NetSpec, sample
from paddle_init.distributions import TruncatedNormal
from paddle_init.frameworks.base import CannotDrawError
from paddle_init.frameworks.paddle.draws import PaddleFramework
from paddle_init.frameworks.paddle.facts import installed_version
from paddle_init.frameworks.paddle.initializer_calls import initializer_call
from paddle_init.schemes import truncated_normal
from paddle_init.specs import Draw


@pytest.fixture(autouse=True)
def _asked_anew() -> Iterator[None]:
    installed_version.cache_clear()
    yield
    installed_version.cache_clear()


def pretend(monkeypatch: pytest.MonkeyPatch, versions: dict[str, str]) -> None:
    def version(package: str) -> str:
        if package not in versions:
            raise PackageNotFoundError(package)
        return versions[package]

    monkeypatch.setattr("importlib.metadata.version", version)


@pytest.mark.parametrize(
    ("versions", "expected"),
    [
        ({}, "3.3.1"),
        ({"paddlepaddle": "3.0.0"}, "3.3.1"),
        ({"paddlepaddle": "2.6.2"}, "2.6.2"),
        ({"paddlepaddle-gpu": "2.6.1"}, "2.6.2"),
    ],
)
def test_the_major_version_decides(
    monkeypatch: pytest.MonkeyPatch, versions: dict[str, str], expected: str
) -> None:
    pretend(monkeypatch, versions)
    assert installed_version() == expected


def test_sampling_follows_it_and_can_be_told_otherwise(monkeypatch: pytest.MonkeyPatch) -> None:
    cut = NetSpec("paddle", (Draw("w", (3, 4), truncated_normal(0, 0.1, -2, 2)),))
    pretend(monkeypatch, {"paddlepaddle": "2.6.2"})
    own = TruncatedNormal(0, 0.1, -0.2, 0.2)
    assert PaddleFramework().drawn_by(own) == "2.6.2"
    assert PaddleFramework("3.3.1").drawn_by(own) == "3.3.1"
    # What the installed one cannot draw has 3.3.1's bits, and is refused where 2.6.2 is asked for.
    newer = sample(cut, seed=1, paddle_version="3.3.1")["w"]
    assert (sample(cut, seed=1)["w"] == newer).all()
    with pytest.raises(CannotDrawError, match=r"Paddle 2\.6\.2 cuts at mean \+- 2 std"):
        sample(cut, seed=1, paddle_version="2.6.2")


def test_advice_is_code_that_it_takes(monkeypatch: pytest.MonkeyPatch) -> None:
    pretend(monkeypatch, {"paddlepaddle": "2.6.2"})
    drawn = truncated_normal(0, 0.1, -0.2, 0.2)((3, 4))
    assert initializer_call(drawn) == "paddle.nn.initializer.TruncatedNormal(mean=0.0, std=0.1)"


def test_the_command_takes_a_version(tmp_path: Path) -> None:
    """A process of its own: no Paddle is imported."""
    spec = tmp_path / "net.yaml"
    scheme = "{kind: truncated_normal, mean: 0, std: 0.1, low: -0.1, high: 0.3}"
    spec.write_text(
        "paddle_init: 1\nframework: paddle\nstream: {engine: mt19937_64, seed: 7}\n"
        f"draws:\n  - {{name: w, shape: [30, 40], scheme: {scheme}}}\n"
    )
    code = (
        "import sys; from paddle_init.cli.main import main; code = main(sys.argv[1:]); "
        "assert 'paddle' not in sys.modules; sys.exit(code)"
    )

    def run(*args: object) -> int:
        command = [sys.executable, "-c", code, *map(str, args)]
        return subprocess.run(command, env=environment(), check=False).returncode

    made = tmp_path / "made.npz"
    assert run("sample", spec, "--paddle-version", "3.3.1", "-o", made) == 0
    assert run("verify", made, spec, "--paddle-version", "3.3.1") == 0
    assert run("sample", spec, "--paddle-version", "2.6.2", "-o", made) == 2
    assert run("verify", made, spec, "--paddle-version", "2.6.2") == 2
