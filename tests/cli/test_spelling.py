"""Wherever one of a few words is expected, a misspelled one is answered with the likely one."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from support.command_line import CONFIGS

from paddle_init import load_spec, parse_spec, report, sample
from paddle_init.cli.main import main
from paddle_init.errors import PaddleInitError
from paddle_init.parity.records import Level
from paddle_init.schemes import normal, variance_scaling
from paddle_init.schemes.base import fan
from paddle_init.specs import Draw, NetSpec, RowBlock, Seeding, Tensor
from paddle_init.streams import Stream
from paddle_init.texts import did_you_mean, nearest

SPEC = """\
paddle_init: 1
framework: abacus
draws:
  - {name: w, shape: [2, 2], scheme: {kind: normal, std: 1}}
tensors:
  - {name: w, role: weight, shape: [2, 2], dtype: float32, blocks: [{draw: w, rows: [0, 2]}]}
"""

# what is written in place of what; the end of the message
IN_A_SPEC = {
    "framework:": ("framwork:", "s.yaml:2: framwork: net spec: the key framework is missing"),
    "abacus": ("abcus", "did you mean abacus?"),
    "kind: normal": ("kind: nromal", "did you mean normal?"),
    "std:": ("sdt:", "s.yaml:4: sdt: draw w: scheme: the key std is missing, and sdt is not known"),
    "role: weight": ("role: wieght", "did you mean weight?"),
    "float32": ("flaot32", "did you mean float32?"),
    "draw: w,": ("drw: w,", "did you mean draw?"),
    "dtype:": ("dytpe:", "unknown key; did you mean dtype?"),
}


@pytest.mark.parametrize("old", IN_A_SPEC)
def test_in_a_net_spec(old: str) -> None:
    new, message = IN_A_SPEC[old]
    with pytest.raises(PaddleInitError) as error:
        parse_spec(SPEC.replace(old, new, 1), "s.yaml")
    assert message in str(error.value)
    assert str(error.value).count("\n") == 0


def spec() -> NetSpec:
    return parse_spec(SPEC)


DRAW = Draw("fc1_w", (2, 2), normal(0, 1))
CALLS: dict[str, tuple[Callable[[], Any], str]] = {
    "a draw": (
        lambda: NetSpec(
            "abacus", (DRAW,), (Tensor("t", "weight", (2, 2), (RowBlock("fc_w", 0, 2),)),)
        ),
        "fc1_w",
    ),
    "a role": (lambda: Tensor("t", "wieght", (2,), (RowBlock("a", 0, 1),)), "weight"),
    "an engine of a spec": (lambda: Seeding("mt19937_46", seed=1), "mt19937_64"),
    "an engine of a stream": (lambda: Stream("minstd_rnd0", 1), "minstd_rand0"),
    "a framework": (lambda: sample(spec(), framework="padle", seed=1), "paddle"),
    "a dtype": (lambda: sample(spec(), dtype="float23", seed=1), "float32"),
    "a fan": (lambda: fan("fan_inn", 2, 3), "fan_in"),
    "a mode": (lambda: variance_scaling(1, "fan_ni", "normal"), "fan_in"),
    "a form": (lambda: variance_scaling(1, "fan_in", "unifrom"), "uniform"),
    "a parameter of a mapping": (
        lambda: report(
            NetSpec("abacus", (DRAW,)), NetSpec("abacus", (DRAW,)), mapping={"fc1_w": "fc1w"}
        ),
        "fc1_w",
    ),
    "an encoding": (lambda: load_spec(CONFIGS / "gbk.yaml", encoding="gkb"), "gbk"),
}


@pytest.mark.parametrize("call", CALLS)
def test_from_python(call: str) -> None:
    run, meant = CALLS[call]
    with pytest.raises(PaddleInitError) as error:
        run()
    assert f"did you mean {meant}?" in str(error.value)


def test_a_level() -> None:
    with pytest.raises(ValueError, match=r"did you mean scale\?"):
        Level("scael")


COMMANDS = {
    "reprot x.yaml": "report",
    "report x.yaml --format jsn": "json",
    "report x.yaml --fail-on scal": "scale",
    "report x.yaml --lang zhh": "zh",
    "translate x.yaml --to pyhton": "python",
    "sample x.yaml -o x.npz --framework padle": "paddle",
    "sample x.yaml -o x.npz --engine mt19937_46": "mt19937_64",
    "verify x.npz x.yaml --fail-on untestd": "untested",
    f"report {CONFIGS}/blockwise.yaml --width show_inputs=3": "show_input",
}


@pytest.mark.parametrize("command", COMMANDS)
def test_on_the_command_line(command: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(command.split()) == 2
    assert capsys.readouterr().err.splitlines()[-1].endswith(f"did you mean {COMMANDS[command]}?")


def test_words_that_are_like_none() -> None:
    assert did_you_mean("xyzzy", ("report", "sample")) == ""
    assert nearest("w" * 5000, ["w" * 4999]) is None
    assert nearest("RELU", ["relu"]) == "relu"
    assert nearest(3, ["a"]) is None
