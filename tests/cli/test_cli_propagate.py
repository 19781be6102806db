"""`paddle-init propagate`: nets from widths and specs, every form of output, bad input."""

from __future__ import annotations

import json
import re
from pathlib import Path

import numpy as np
import pytest
from support import theory_objects
from support.command_line import CONFIGS, paddle_init

from paddle_init.cli.main import main
from paddle_init.schemes import constant_variance, he_normal, normal, xavier_uniform
from paddle_init.signal.study import propagate

RANK = str(CONFIGS / "abacus_rank.yaml")
SMALL = ["propagate", "30,20,20,10", "-a", "tanh"]


def _json(capsys: pytest.CaptureFixture[str], *args: str) -> dict[str, object]:
    assert main(["propagate", *args, "--format", "json"]) == 0
    form = json.loads(capsys.readouterr().out)
    assert isinstance(form, dict)
    return form


@pytest.mark.parametrize(
    ("args", "study"),
    [
        (["30,20,10", "-a", "gelu"], lambda: propagate([30, 20, 10], "gelu", xavier_uniform())),
        (["20", "--layers", "3", "-a", "relu"],
         lambda: propagate([20] * 4, "relu", xavier_uniform())),
        (["30,20,10,5", "-a", "gelu", "-a", "tanh8"],
         lambda: propagate([30, 20, 10, 5], ["gelu", "tanh8"], xavier_uniform())),
        (["30,20", "--scheme", "he_normal"],
         lambda: propagate([30, 20], [], he_normal())),
        (["30,20,10", "-a", "silu", "--scheme", "constant_variance"],
         lambda: propagate([30, 20, 10], "silu", constant_variance("silu"),
                           first=constant_variance("linear"))),
        (["30,20,10", "-a", "silu", "--scheme", "{kind: constant_variance, activation: relu}"],
         lambda: propagate([30, 20, 10], "silu", constant_variance("relu"))),
        (["30,20,10", "-a", "silu", "--scheme", "normal, std: 2e-2",
          "--bias", "{kind: normal, std: 0.5}"],
         lambda: propagate([30, 20, 10], "silu", normal(0, 0.02), bias=normal(0, 0.5))),
    ],
    ids=lambda value: value[-1] if isinstance(value, list) else "",
)  # fmt: skip
def test_widths(args: list[str], study: object, capsys: pytest.CaptureFixture[str]) -> None:
    form = _json(capsys, *args, "--no-measure")
    expected = json.loads(json.dumps(study().to_dict()))  # type: ignore[operator]
    assert form["layers"] == expected["layers"]
    assert form["batch"] is None


def test_specs(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    form = _json(capsys, RANK, "--no-measure")
    assert [layer["name"] for layer in form["layers"]] == ["fc1", "fc2"]
    assert [layer["activation"] for layer in form["layers"]] == ["relu", "linear"]
    spec = tmp_path / "spec.yaml"
    assert main(["translate", RANK, "-o", str(spec)]) == 0
    capsys.readouterr()
    again = _json(capsys, str(spec), "-a", "relu", "--no-measure")
    assert [layer["predicted"] for layer in again["layers"]] == [
        layer["predicted"] for layer in form["layers"]
    ]


def test_measured_on_paddle(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    form = _json(capsys, "300,200,200", "-a", "tanh", "--batch", "64", "--seed", "5")
    assert form["batch"] == 64
    for layer in form["layers"]:
        real, expected = (
            layer[side]["pre_activation"]["second_moment"] for side in ("measured", "predicted")
        )
        assert real == pytest.approx(expected, rel=5 * layer["spread"])
    assert form == _json(capsys, "300,200,200", "-a", "tanh", "--batch", "64", "--seed", "5")
    given = tmp_path / "x.npy"
    np.save(given, np.random.default_rng(0).normal(3, 1, (50, 300)))
    shifted = _json(capsys, "300,200", "--input", str(given))
    assert shifted["batch"] == 50
    assert shifted["input"]["mean"] == pytest.approx(3, abs=0.05)
    predicted = _json(capsys, "300,200", "--input", str(given), "--no-measure")
    assert predicted["input"]["mean"] == pytest.approx(shifted["input"]["mean"], rel=1e-6)


def test_text(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["propagate", "64", "--layers", "8", "-a", "tanh",
                 "--scheme", "{kind: normal, std: 0.02}", "--no-measure"]) == 0  # fmt: skip
    text = capsys.readouterr().out
    assert text.startswith("Vanishing gradient, vanishing signal: 8 layers.")
    assert re.search(r"^vanishing signal +fc3 to fc8 \(rms below 0.1 of fc1's\)$", text, re.M)
    assert "fc2 to fc8: std = gain(tanh) / sqrt(fan_in)" in text
    assert "measured" not in text
    assert max(map(len, text.splitlines())) <= 80
    assert main([*SMALL, "--no-measure"]) == 0
    assert capsys.readouterr().out.startswith("Nothing is wrong: 3 layers.")


@pytest.mark.parametrize(
    ("name", "extra", "start"),
    [
        ("a.png", [], b"\x89PNG"),
        ("a.svg", [], b"<?xml"),
        ("a.html", ["--format", "html"], b"<!doctype html>"),
        ("a.md", ["--format", "markdown"], b"# Nothing is wrong: 3 layers."),
        ("a.txt", ["--lang", "zh"], "没有问题：3 层。".encode()),
        ("a.txt", [], b"Nothing is wrong: 3 layers."),
        ("a.json", ["--format", "json"], b'{\n  "schema": 1,'),
    ],
)
def test_files(
    name: str, extra: list[str], start: bytes, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    written = []
    for folder in ("one", "two"):
        (tmp_path / folder).mkdir()
        monkeypatch.chdir(tmp_path / folder)
        assert main([*SMALL, "--no-measure", *extra, "-o", name]) == 0
        written.append(Path(name).read_bytes())
    assert written[0].startswith(start)
    assert written[0] == written[1]


@pytest.mark.parametrize(
    ("findings", "code"),
    [([], 0), (["exploding"], 0), (["vanishing"], 1), (["exploding", "vanishing"], 1)],
)
def test_a_finding_fails_where_that_is_asked_for(
    findings: list[str], code: int, capsys: pytest.CaptureFixture[str]
) -> None:
    vanishing = ["64", "--layers", "8", "-a", "tanh", "--scheme", "normal, std: 0.02"]
    options = [word for finding in findings for word in ("--fail-on", finding)]
    assert main(["propagate", *vanishing, "--no-measure", *options]) == code
    assert capsys.readouterr().out.startswith("Vanishing gradient, vanishing signal: 8 layers.")


BLOCKS = str(CONFIGS / "blockwise.yaml")


@pytest.mark.parametrize(
    ("args", "said"),
    [
        (["30,20,10"], ["give --activation"]),
        (["30"], ["two widths or more", "--layers"]),
        (["30,0", "-a", "relu"], ["integers of at least 1", "30,0"]),
        (["30,20", "--layers", "3"], ["--layers repeats a single width"]),
        (["30,20,10", "-a", "rellu"], ["unknown activation 'rellu'", "relu"]),
        (["30,20,10", "-a", "relu", "-a", "relu", "-a", "relu"], ["1 hidden layers", "got 3"]),
        (["30,20,10", "-a", "relu", "--scheme", "he"], ["--scheme:1", "he_normal", "'he'"]),
        (["30,20,10", "-a", "relu", "--scheme", "normal"], ["--scheme:1", "std is missing"]),
        (["30,20,10", "-a", "relu", "--scheme", "{kind: normal, std: -1}"], ["--scheme:1", "std"]),
        (["30,20,10", "-a", "relu", "--bias", "{"], ["--bias:"]),
        (["9,9,9", "-a", "thresholded_relu(50)", "--scheme", "constant_variance"], ["E[a(x)^2]"]),
        ([RANK, "--scheme", "he_normal"], ["--scheme is for widths"]),
        ([RANK, "-a", "relu", "-a", "relu", "-a", "relu"], ["2 layers need as many activations"]),
        (["no.yaml"], ["no.yaml", "no such file"]),
        ([BLOCKS, "--input", "theory_objects:pair"], ["one array of shape (batch, 316)", "tuple"]),
        ([str(CONFIGS / "flat.yaml")], ["does not say the activations"]),
        (["30,20,10", "-a", "relu", "--input", "no.npy"], ["no.npy", "No such file"]),
        (["30,20,10", "-a", "relu", "--input", RANK], ["abacus_rank.yaml", "no .npy or .npz file"]),
        (["30,20,10", "-a", "relu", "-o", "no/folder/a.png"], ["there is no folder"]),
        (["30,20,10", "-a", "relu", "--batch", "0"], ["--batch"]),
        (["9,9", "--no-measure", "--scheme", "normal, std: 1e300"], ["fc1: the signal overflows"]),
    ],
    ids=lambda value: " ".join(value)[-40:],
)  # fmt: skip
def test_bad_input(args: list[str], said: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["propagate", *args]) == 2
    captured = capsys.readouterr()
    assert captured.out == ""
    for text in said:
        assert text in captured.err


@pytest.mark.parametrize(
    ("array", "said"),
    [
        (np.zeros((4, 31)), "an input of shape (4, 31) does not fit fc1, which takes (batch, 30)"),
        (np.zeros(30), "an input of shape (30,) does not fit fc1, which takes (batch, 30)"),
        (np.full((4, 30), np.nan), "NaN"),
        (np.array([["a"]]), "expected numbers"),
        (np.array([[object()]]), "no .npy or .npz file of numbers"),
    ],
)
def test_bad_arrays(
    array: object, said: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "x.npy"
    np.save(path, array, allow_pickle=True)
    assert main([*SMALL, "--input", str(path)]) == 2
    assert said in capsys.readouterr().err


def test_the_input_is_never_overwritten(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    path = tmp_path / "x.npy"
    np.save(path, np.zeros((4, 30)))
    before = path.read_bytes()
    assert main([*SMALL, "--input", str(path), "--format", "text", "-o", str(path)]) == 2
    assert "this file is the input" in capsys.readouterr().err
    assert path.read_bytes() == before


def test_layers_that_share_a_weight_are_refused(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    conf = tmp_path / "shared.yaml"
    conf.write_text(
        "global_init_range: 1\nparam:\n"
        "  - {name: w, rown: 8, coln: 8, init_range: 1, scale_by_rown: true}\n"
        "layer:\n"
        "  - {name: a, class: NeuralLayer, a_input: show, b_input: w, act_func: relu}\n"
        "  - {name: b, class: NeuralLayer, a_input: a, b_input: w, act_func: relu}\n"
    )
    assert main(["propagate", str(conf)]) == 2
    assert "a and b share the weight w" in capsys.readouterr().err


def test_stderr_is_quiet() -> None:
    ran = paddle_init(*SMALL)
    assert (ran.returncode, ran.stderr) == (0, "")


@pytest.fixture
def _objects(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(Path(theory_objects.__file__).parent)


@pytest.mark.usefixtures("_objects")
@pytest.mark.parametrize("name", ["tower", "built", "Tower"])
def test_a_net_of_paddle(name: str, capsys: pytest.CaptureFixture[str]) -> None:
    form = _json(capsys, f"theory_objects:{name}", "--batch", "64")
    assert [layer["activation"] for layer in form["layers"]] == ["tanh", "linear"]
    for layer in form["layers"]:
        real, expected = (
            layer[side]["gradient"]["second_moment"] for side in ("measured", "predicted")
        )
        assert real == pytest.approx(expected, rel=5 * layer["gradient_spread"] + 0.3)
    if name != "built":
        assert form == _json(capsys, f"theory_objects:{name}", "--batch", "64")


@pytest.mark.usefixtures("_objects")
def test_an_activation_of_ones_own(capsys: pytest.CaptureFixture[str]) -> None:
    args = ["30,20,20", "-a", "theory_objects:square", "--scheme", "constant_variance"]
    form = _json(capsys, *args)
    assert form["layers"][0]["activation"] == "square"
    second = form["layers"][1]["predicted"]["pre_activation"]["second_moment"]
    assert second == pytest.approx(1, rel=1e-9)


@pytest.mark.usefixtures("_objects")
@pytest.mark.parametrize(
    ("args", "said"),
    [
        (["theory_objects:broken"], ["broken() failed", "no net today"]),
        (["theory_objects:tower", "-a", "relu"], ["--activation is for specs and widths"]),
        (["theory_objects:tower", "--no-measure"], ["--no-measure is for specs and widths"]),
        (["theory_objects:square"], ["theory_objects:square"]),
        (["theory_objects:number"], ["theory_objects:number"]),
        (["30,20,10", "-a", "theory_objects:holed"], ["holed: returns nan"]),
        (["30,20,10", "-a", "theory_objects:Refusing"], ["Refusing() failed", "today"]),
    ],
    ids=lambda value: " ".join(value)[-40:],
)
def test_nets_that_are_refused(
    args: list[str], said: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["propagate", *args]) == 2
    captured = capsys.readouterr()
    assert captured.out == ""
    for text in said:
        assert text in captured.err


def test_constant_variance_goes_with_each_layer_s_own_activation() -> None:
    args = ["9,300,40,200,9", "-a", "tanh", "-a", "relu", "-a", "gelu", "--no-measure"]
    done = paddle_init("propagate", *args, "--scheme", "constant_variance", "--format", "json")
    assert done.returncode == 0
    for layer in json.loads(done.stdout)["layers"]:
        second = layer["predicted"]["pre_activation"]["second_moment"]
        assert second == pytest.approx(1, abs=1e-12)
