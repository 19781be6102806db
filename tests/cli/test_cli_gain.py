"""`paddle-init gain` and `paddle-init averages`: tables, JSON, pictures, bad input."""

from __future__ import annotations

import json
import math
import subprocess
import sys
from pathlib import Path

import pytest
from support import theory_objects
from support.command_line import environment

import paddle_init
from paddle_init.activations.gains import DEFAULT_TABLE
from paddle_init.cli.main import main
from paddle_init.signal.averages import compare_averages, stack


def _json(capsys: pytest.CaptureFixture[str], *args: str) -> object:
    assert main([*args, "--format", "json"]) == 0
    return json.loads(capsys.readouterr().out)


def test_all_activations_are_listed_without_a_name(capsys: pytest.CaptureFixture[str]) -> None:
    rows = _json(capsys, "gain")
    assert [row["activation"] for row in rows] == list(DEFAULT_TABLE)
    assert main(["gain"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert [line.split("  ")[0] for line in lines[1 : len(rows) + 1]] == list(DEFAULT_TABLE)
    assert max(map(len, lines)) <= 80


def test_json_is_what_the_call_finds(capsys: pytest.CaptureFixture[str]) -> None:
    (row,) = _json(capsys, "gain", "sigmoid")
    found = paddle_init.gain("sigmoid")
    assert row == {
        "activation": "sigmoid",
        "gain": found.gain,
        "error": found.error,
        "error_kind": "bound",
        "uniform_bound": found.gain * math.sqrt(3),
        "std_gain": found.std_gain,
        "paddle_table": 1.0,
        "torch_table": 1.0,
        "paddle_difference": 1.0 - found.gain,
        "torch_difference": 1.0 - found.gain,
        "std": 1.0,
    }


def test_another_std(capsys: pytest.CaptureFixture[str]) -> None:
    (row,) = _json(capsys, "gain", "tanh", "--std", "0.5")
    assert row["gain"] == paddle_init.gain("tanh", std=0.5).gain
    assert main(["gain", "tanh", "--std", "0.5"]) == 0
    assert "0.5 / sqrt(E[a(0.5 z)^2])" in capsys.readouterr().out


def test_the_experiment_stands_beside_the_definition(capsys: pytest.CaptureFixture[str]) -> None:
    args = ("gain", "relu", "tanh", "--experiment", "--nodes", "64", "--repetitions", "50")
    rows = _json(capsys, *args, "--seed", "3")
    for row in rows:
        found = row["experiment"]
        assert (found["nodes"], found["repetitions"], found["seed"]) == (64, 50, 3)
        assert abs(found["gain"] - row["gain"]) < 5 * found["standard_error"] + 2 / 64
    assert rows == _json(capsys, *args, "--seed", "3")
    (half,) = _json(capsys, *args[:1], "relu", *args[3:], "--seed", "3", "--std", "0.5")
    assert half["experiment"]["gain"] == pytest.approx(rows[0]["experiment"]["gain"], rel=1e-6)
    assert main([*args, "--seed", "3"]) == 0
    text = capsys.readouterr().out
    assert "two layers of 64 nodes on Paddle, 50 times, seed 3" in text
    assert text.count(" std errors") == 2


@pytest.mark.parametrize(
    ("args", "said"),
    [
        (["gain", "rellu"], ["unknown activation 'rellu'", "did you mean relu"]),
        (["gain", "softmax"], ["softmax", "couples the elements of a row"]),
        (["gain", "leaky_relu(1,2)"], ["leaky_relu takes negative_slope"]),
        (["gain", "thresholded_relu(50)"], ["E[a(x)^2]", "no weight restores the signal"]),
        (["gain", "relu", "--std", "0"], ["std must be in (0, inf)"]),
        (["gain", "relu", "--std", "1_0"], ["--std", "'1_0'"]),
        (["gain", "relu", "--seed", "1"], ["--seed", "--experiment"]),
        (["gain", "relu", "--experiment", "--repetitions", "1"], ["--repetitions", "x>=2"]),
        (["gain", "hardshrink(30)", "--experiment", "--nodes", "8"], ["every output", "is 0"]),
        (["averages", "300"], ["Missing argument 'N'"]),
        (["averages", "300", "0"], ["'N'", "x>=1"]),
        (["averages", "300", "128", "--layers", "0"], ["--layers"]),
        (["averages", "3", "4", "-o", "no/folder/a.png"], ["there is no folder"]),
    ],
)
def test_bad_input(args: list[str], said: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    assert main(args) == 2
    captured = capsys.readouterr()
    assert captured.out == ""
    for text in said:
        assert text in captured.err


def test_the_table_needs_no_paddle() -> None:
    code = (
        "import sys\n"
        "from paddle_init.cli.main import main\n"
        "main(['gain']), main(['averages', '3', '4'])\n"
        "found = {'paddle', 'scipy', 'matplotlib', 'yaml', 'rich'} & set(sys.modules)\n"
        "sys.exit(str(found) if found else 0)\n"
    )
    ran = subprocess.run(
        [sys.executable, "-c", code], env=environment(), capture_output=True, text=True, check=False
    )
    assert ran.returncode == 0, ran.stderr


def test_averages(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    form = _json(capsys, "averages", "300", "128", "--layers", "4")
    found, stacks = compare_averages(300, 128), stack(300, 128, 4)
    assert (form["m"], form["n"]) == (300, 128)
    assert [item["name"] for item in form["averages"]] == ["arithmetic", "geometric", "quadratic"]
    for row, item, each in zip(form["averages"], found, stacks, strict=True):
        assert row["cost"] == item.cost
        assert tuple(row["stack"]["backward"]) == each.backward
    assert main(["averages", "300", "128"]) == 0
    table = capsys.readouterr().out.splitlines()
    assert table[4].split() == ["geometric", "195.959", "+0.5309", "-0.3468", "0.4022", "1", "1"]
    for name, start in (("a.png", b"\x89PNG"), ("a.SVG", b"<?xml")):
        assert main(["averages", "300", "128", "-o", str(tmp_path / name)]) == 0
        assert (tmp_path / name).read_bytes().startswith(start)


@pytest.fixture
def _objects(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(Path(theory_objects.__file__).parent)


@pytest.mark.usefixtures("_objects")
def test_functions_of_ones_own(capsys: pytest.CaptureFixture[str]) -> None:
    rows = _json(capsys, "gain", "theory_objects:square", "paddle.nn.functional:relu", "relu")
    assert rows[0]["gain"] == pytest.approx((2 / 3) ** 0.5, abs=1e-12)
    assert [row["error_kind"] for row in rows] == ["estimate", "estimate", "bound"]
    assert rows[1]["gain"] == pytest.approx(rows[2]["gain"], abs=1e-12)


@pytest.mark.usefixtures("_objects")
@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("holed", "holed: returns nan at x = "),
        ("flat", "flat: must return an array of the shape it gets"),
        ("zero", "zero: E[a(x)^2] for x ~ N(0, 1^2) is 0"),
        ("infinite", "infinite: "),
        ("failing", "RuntimeError: not today"),
        ("number", "an activation is a function on arrays, got 3"),
        ("nothing", "theory_objects has no nothing; it has "),
    ],
)
def test_bad_functions(name: str, said: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["gain", f"theory_objects:{name}"]) == 2
    assert said in capsys.readouterr().err
