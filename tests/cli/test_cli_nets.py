"""SPEC as module:object on the command line: a Layer, a program, a function."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from subprocess import CompletedProcess

import pytest
from support.command_line import CONFIGS, paddle_init

from paddle_init.cli.main import main

RANK = CONFIGS / "abacus_rank.yaml"
NETS = """
import paddle
from paddle.nn.initializer import Normal

print("noise")


class Tower(paddle.nn.Layer):
    def __init__(self):
        super().__init__()
        first, second = Normal(0, 0.2 / 300**0.5), Normal(0, 0.2 / 129**0.5)
        self.embed = paddle.nn.Embedding(7, 300)
        self.fc1 = paddle.nn.Linear(300, 128, weight_attr=first, bias_attr=Normal(0, 0.2))
        self.fc2 = paddle.nn.Linear(128, 1, weight_attr=second, bias_attr=second)


def build():
    paddle.seed(7)
    return Tower()


class Nested:
    build = staticmethod(build)


def broken():
    return paddle.nn.Linear(2, 2, weight_attr=paddle.ParamAttr(initializer=0.1))


def static():
    paddle.enable_static()
    paddle.static.nn.fc(paddle.static.data("x", [None, 4]), 3)


tower = Tower()
number = 3
"""


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("nets")
    (folder / "nets.py").write_text(NETS)
    (folder / "failing.py").write_text("import paddle\n\nraise SystemExit('no arguments')\n")
    return folder


def test_a_conf_against_a_function_that_builds_a_net(folder: Path) -> None:
    against = ("--against", "nets:build")
    done = paddle_init("report", RANK, *against, "--format", "json", cwd=folder)
    assert (done.returncode, "noise" in done.stderr) == (0, True), done.stderr
    form = json.loads(done.stdout)
    assert form["right"] == "paddle: nets:build"
    assert [(item["name"], item["partner"], item["level"]) for item in form["parameters"]] == [
        ("fc1_w", "fc1.weight", "stream"),
        ("fc1_b", "fc1.bias", "stream"),
        ("fc2_w", "fc2.weight", "stream"),
        ("fc2_w.bias", "fc2.bias", "stream"),
    ]
    assert form["parameters"][0]["right"]["source"] == {"file": "nets.py", "line": 13}
    (embed,) = form["not_compared"]
    assert (embed["name"], embed["side"], embed["shape"]) == ("embed.weight", "right", [7, 300])
    assert embed["drawn"]["distribution"] == "uniform"
    assert "matched-by-order" in [warning["code"] for warning in form["warnings"]]


class Here:
    """The command line in this process, which imports paddle once, in the nets' folder."""

    def __init__(self, folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
        self.folder = folder
        self.capsys = capsys

    def __call__(self, *args: object) -> CompletedProcess[str]:
        code = main([*map(str, args)])
        return CompletedProcess([], code, *self.capsys.readouterr())


@pytest.fixture
def run(folder: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Here:
    monkeypatch.chdir(folder)
    return Here(folder, capsys)


def test_translate_writes_a_first_mapping_that_report_reads(run: Here) -> None:
    to = ("--to", "mapping", "--against", "nets:Nested.build", "-o", "names.yaml")
    assert run("translate", RANK, *to).returncode == 0
    assert (run.folder / "names.yaml").read_text() == (
        "paddle_init_mapping: 1\n"
        "pairs:\n"
        "  - {left: fc1_w, right: fc1.weight}\n"
        "  - {left: fc1_b, right: fc1.bias}\n"
        "  - {left: fc2_w, right: fc2.weight}\n"
        "  - {left: fc2_w.bias, right: fc2.bias}\n"
    )
    given = ("--against", "nets:Tower", "--mapping", "names.yaml", "--fail-on", "scale")
    done = run("report", RANK, *given)
    assert done.returncode == 0, done.stderr
    assert "fc1_w = fc1.weight (weight 300 x 128): stream" in done.stdout
    assert "Not compared: parameters of no fully connected layer" in done.stdout
    assert "matched-by-order" not in done.stdout


def test_weights_are_verified_against_a_net(run: Here) -> None:
    """The file is what Paddle saves; the net is named as module:object, and nothing else is."""
    code = "import paddle, nets; paddle.save(nets.build().state_dict(), 'net.pdparams')"
    made = subprocess.run(
        [sys.executable, "-c", code], cwd=run.folder, capture_output=True, check=False
    )
    assert made.returncode == 0, made.stderr
    done = run("verify", "net.pdparams", "nets:build")
    assert done.returncode == 0, done.stderr
    assert done.stdout.startswith("Yes, bit for bit: all 5 parameters.\n")
    assert "spec     paddle: nets:build\nstream   mt19937_64, seed 7\n" in done.stdout
    other = run("verify", "net.pdparams", "nets:build", "--seed", "8", "--format", "json")
    assert other.returncode == 1
    assert {each["code"] for each in json.loads(other.stdout)["findings"]} == {"seed"}
    tests = run("verify", "net.pdparams", "nets:Tower")
    assert tests.stdout.startswith("Yes, as far as tests tell: 5 parameters follow the spec.\n")
    built = run("verify", "net.pdparams", "nets:tower")
    assert built.returncode == 1
    assert built.stdout.startswith("Not known: none of the 5 parameters could be tested.\n")


def test_a_net_is_translated_to_a_spec(run: Here) -> None:
    done = run("translate", "nets:static")
    assert done.returncode == 0, done.stderr
    assert "{name: fc_0.w_0, shape: [4, 3], scheme: {kind: uniform, low: -0.92" in done.stdout


@pytest.mark.parametrize(
    ("spec", "said"),
    [
        ("nets:nothing", "nets:nothing: nets has no nothing; it has paddle, Normal, Tower"),
        ("nets:number", "nets:number: 3 is no net; read_net takes a paddle.nn.Layer"),
        ("nets:broken", "nets:broken: nets.py:27: broken() failed: TypeError: 'float' object"),
        ("none_such:build", "importing none_such failed: ModuleNotFoundError"),
        ("failing:build", "failing.py:3: importing failing failed: SystemExit: no arguments"),
    ],
)
def test_what_is_no_net_is_told_in_one_message(run: Here, spec: str, said: str) -> None:
    done = run("report", spec)
    assert done.returncode == 2
    assert f"error: {spec}: " in done.stderr
    assert said in done.stderr
    assert "Traceback" not in done.stderr
    assert done.stdout == ""


def test_a_built_layer_is_unknown_and_the_report_says_why(run: Here) -> None:
    done = run("report", RANK, "--against", "nets:tower")
    assert done.returncode == 0
    told = " ".join(done.stdout.split())
    assert "a dynamic graph does not keep its initializers" in told


def test_the_output_is_never_the_net_that_was_read(run: Here) -> None:
    done = run("translate", "nets:build", "-o", "nets.py")
    assert done.returncode == 2
    assert "this file is the input" in done.stderr
    assert (run.folder / "nets.py").read_text() == NETS


@pytest.mark.parametrize(
    ("args", "said"),
    [
        (["translate", RANK, "--against", RANK], "give --to mapping"),
        (["report", RANK, "--mapping", "none.yaml"], "none.yaml"),
    ],
)
def test_wrong_usage(run: Here, args: list[object], said: str) -> None:
    done = run(*args)
    assert done.returncode == 2
    assert said in done.stderr
