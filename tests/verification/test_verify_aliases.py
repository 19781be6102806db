"""One parameter under several names, buffers, and state dicts within others: nothing unexpected."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import paddle
import pytest
from paddle import nn

from paddle_init import load_spec, read_net, verify
from paddle_init.cli.main import main
from paddle_init.specs.yaml_form import dump_spec
from paddle_init.verification import Verdict
from paddle_init.verification.records import ParameterVerification, Verification


class Tied(nn.Layer):
    """A decoder that uses its embedding's weight, with buffers and normalization."""

    def __init__(self) -> None:
        super().__init__()
        self.emb, self.out = nn.Linear(4, 4), nn.Linear(4, 4)
        self.out.weight = self.emb.weight
        self.norm = nn.BatchNorm1D(4)
        self.register_buffer("places", paddle.arange(4))
        self.register_buffer("scratch", paddle.ones([2]), persistable=False)


def tied() -> nn.Layer:
    paddle.seed(7)
    return Tied()


def wrapped() -> nn.Layer:
    return paddle.DataParallel(tied())


def lstm() -> nn.Layer:
    paddle.seed(7)
    return nn.LSTM(3, 4, num_layers=2, direction="bidirect")


def gru() -> nn.Layer:
    paddle.seed(7)
    return nn.Sequential(nn.GRU(3, 4))


def twice() -> nn.Layer:
    paddle.seed(7)
    linear = nn.Linear(3, 3)
    return nn.Sequential(linear, nn.ReLU(), linear, nn.SyncBatchNorm(3))


NETS = [tied, wrapped, lstm, gru, twice]


def entries(made: Verification) -> dict[str, ParameterVerification]:
    return {each.name: each for each in made.parameters}


def codes(made: Verification) -> list[str]:
    return [each.code for each in made.findings]


@pytest.mark.parametrize("build", NETS)
@pytest.mark.parametrize("keys", [(), ("model",), ("runs", "model_state_dict")])
@pytest.mark.parametrize("any_seed", [False, True])
def test_a_nets_own_file_has_nothing_unexpected(
    tmp_path: Path, build: Callable[[], nn.Layer], keys: tuple[str, ...], any_seed: bool
) -> None:
    net = build()
    saved: Any = net.state_dict()
    for key in reversed(keys):
        saved = {key: saved, "epoch": 3}
    paddle.save(saved, str(tmp_path / "net.pdparams"))
    spec = read_net(build)
    made = verify(tmp_path / "net.pdparams", spec, any_seed=any_seed)
    assert not made.fails(Verdict.UNTESTED if any_seed else Verdict.FOLLOWS)
    assert not made.counts[Verdict.UNEXPECTED]
    assert made.known == len(spec.tensors)
    aliases = {alias: t.name for t in spec.tensors for alias in t.aliases}
    assert {p.name: p.alias_of for p in made.parameters if p.alias_of} == aliases
    assert aliases
    assert ("buffers" in codes(made)) == (build in (tied, wrapped))
    assert load_spec_of(spec, tmp_path) == spec


def load_spec_of(spec: Any, folder: Path) -> Any:
    (folder / "net.yaml").write_text(dump_spec(spec))
    return load_spec(folder / "net.yaml")


@pytest.mark.parametrize("build", NETS)
@pytest.mark.parametrize("any_seed", [False, True])
def test_a_copy_that_differs(build: Callable[[], nn.Layer], any_seed: bool) -> None:
    """Each copy alone, the first as well as the second."""
    spec = read_net(build)
    state = {name: value.numpy() for name, value in build().state_dict().items()}
    prefix = "_layers." if build is wrapped else ""
    tensor = next(t for t in spec.tensors if t.aliases)
    first, second = tensor.name, tensor.aliases[0]
    for changed in (first, second):
        place = changed.removeprefix(prefix)
        made = verify(state | {place: np.full_like(state[place], 0.05)}, spec, any_seed=any_seed)
        held = entries(made)
        assert held[second].alias_of == first
        assert held[second].verdict is Verdict.DIFFERS or changed == first
        if not any_seed:
            assert held[changed].verdict is Verdict.DIFFERS
            other = {first, second} - {changed}
            assert held[other.pop()].verdict is Verdict.IDENTICAL
        assert "untied" in codes(made)
        assert made.fails(Verdict.DIFFERS)
        assert made.known == len(spec.tensors)
        (told,) = [each for each in made.findings if each.code == "untied"]
        assert told.parameter == second
        assert f"the values of {second}" in told.message


def test_what_set_state_dict_keeps() -> None:
    """The values under the last name in the net's order, whatever the file's order."""
    net = tied()
    state = {name: value.clone() for name, value in net.state_dict().items()}
    state["emb.weight"], state["out.weight"] = paddle.zeros([4, 4]), paddle.ones([4, 4])
    for given in (state, dict(reversed(list(state.items())))):
        net.set_state_dict(given)
        assert net.emb.weight.numpy().tolist() == np.ones((4, 4)).tolist()


@pytest.mark.parametrize("build", NETS)
def test_a_file_with_the_second_name_alone(build: Callable[[], nn.Layer]) -> None:
    spec = read_net(build)
    prefix = "_layers." if build is wrapped else ""
    state = {name: value.numpy() for name, value in build().state_dict().items()}
    names = [t for t in spec.tensors if t.aliases]
    for tensor in names:
        del state[tensor.name.removeprefix(prefix)]
    made = verify({f"net.{name}": value for name, value in state.items()}, spec)
    assert made.worst is Verdict.IDENTICAL
    assert not any(each.alias_of for each in made.parameters)
    assert codes(made).count("alias") == len(names)
    place = names[0].aliases[0].removeprefix(prefix)
    made = verify(state | {place: state[place] + np.float32(1)}, spec)
    assert entries(made)[names[0].name].verdict is Verdict.DIFFERS


def test_a_copy_of_another_shape_or_dtype() -> None:
    spec = read_net(tied)
    state = {name: value.numpy() for name, value in tied().state_dict().items()}
    for copy, code in (
        (np.zeros((4, 5), np.float32), "shape"),
        (state["out.weight"].astype(np.float64), "dtype"),
    ):
        made = verify(state | {"out.weight": copy}, spec)
        assert entries(made)["out.weight"].verdict is Verdict.DIFFERS
        assert {"untied", code} <= set(codes(made))
    made = verify(state | {"out.weight": np.array(["a"])}, spec)
    assert entries(made)["out.weight"].verdict is Verdict.MISSING
    assert "unreadable" in codes(made)


def test_copies_of_what_is_not_known() -> None:
    """An own initializer's values are not known; that the copies are equal is."""

    class Own(nn.initializer.Initializer):  # type: ignore[misc]
        def forward(self, parameter: Any, block: Any = None) -> Any:
            parameter.set_value(np.random.default_rng().random(parameter.shape, np.float32))

        __call__ = forward

    def build() -> nn.Layer:
        paddle.seed(7)
        first = nn.Linear(3, 3, weight_attr=Own())
        second = nn.Linear(3, 3)
        second.weight = first.weight
        return nn.Sequential(first, second)

    spec = read_net(build)
    state = {name: value.numpy() for name, value in build().state_dict().items()}
    held = entries(verify(state, spec))
    assert held["0.weight"].verdict is held["1.weight"].verdict is Verdict.UNTESTED
    held = entries(verify(state | {"1.weight": state["1.weight"] * 2}, spec))
    assert held["0.weight"].verdict is Verdict.UNTESTED
    assert held["1.weight"].verdict is Verdict.DIFFERS


def test_copies_that_a_mapping_names() -> None:
    spec = read_net(tied)
    state = {f"x_{name}": value.numpy() for name, value in tied().state_dict().items()}
    pairs = {name.removeprefix("x_"): name for name in state if "places" not in name}
    made = verify(state, spec, mapping=pairs)
    assert entries(made)["out.weight"].alias_of == "emb.weight"
    assert {p.name for p in made.parameters if p.verdict is not Verdict.IDENTICAL} == {"x_places"}
    made = verify(state | {"x_out.weight": np.ones((4, 4), np.float32)}, spec, mapping=pairs)
    assert entries(made)["out.weight"].verdict is Verdict.DIFFERS
    del pairs["emb.weight"]
    made = verify(state, spec, mapping=pairs)
    assert entries(made)["emb.weight"].verdict is Verdict.IDENTICAL


def test_own_names_that_a_file_gives_twice(tmp_path: Path) -> None:
    """A spec that knows a parameter by Paddle's name of it has both copies compared."""
    weight = tied().emb.weight
    spec = read_net(tied)
    named = [
        type(t)(weight.name, t.role, t.shape, t.blocks, t.dtype)
        for t in spec.tensors
        if t.name == "emb.weight"
    ]
    alone = type(spec)("paddle", spec.draws, tuple(named), spec.stream)
    path = str(tmp_path / "w.pdparams")
    paddle.save({"model": {"a": weight, "b": weight}}, path)
    made = verify(path, alone)
    assert {p.name: p.verdict for p in made.parameters} == {
        weight.name: Verdict.IDENTICAL,
        "model.b": Verdict.IDENTICAL,
    }
    other = paddle.ones([4, 4])
    other.name = weight.name
    paddle.save({"model": {"a": weight, "b": other}}, path)
    assert entries(verify(path, alone))["model.b"].verdict is Verdict.DIFFERS


def test_two_state_dicts_are_not_chosen_from(tmp_path: Path) -> None:
    spec, state = read_net(tied), tied().state_dict()
    paddle.save({"model": state, "ema": state}, str(tmp_path / "w.pdparams"))
    made = verify(tmp_path / "w.pdparams", spec)
    assert made.counts[Verdict.MISSING] == len(spec.tensors)
    (told,) = [each for each in made.findings if each.code == "names"]
    assert "(model., ema.)" in told.message


def test_the_command_lists_aliases(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    spec = tmp_path / "net.yaml"
    spec.write_text(dump_spec(read_net(tied)))
    state = dict(tied().state_dict())
    paddle.save(state, str(tmp_path / "w.pdparams"))
    strict = ["--fail-on", "unexpected"]
    assert main(["verify", str(tmp_path / "w.pdparams"), str(spec), *strict]) == 0
    assert capsys.readouterr().out.startswith("Yes, bit for bit: all 7 parameters.")
    state["out.weight"] = paddle.ones([4, 4])
    paddle.save(state, str(tmp_path / "w.pdparams"))
    arguments = ["verify", str(tmp_path / "w.pdparams"), str(spec)]
    assert main([*arguments, "--format", "json"]) == 1
    form = json.loads(capsys.readouterr().out)
    held = {each["name"]: each for each in form["parameters"]}
    assert held["out.weight"]["alias_of"] == "emb.weight"
    assert held["out.weight"]["verdict"] == "differs"
    assert held["out.weight"]["bits"]["differing"] == 16
    assert held["emb.weight"] | {"alias_of": None} == held["emb.weight"]
    for form in ("text", "markdown", "html", "junit", "github"):
        for language in ("en", "zh") if form in ("text", "markdown", "html") else (None,):
            chosen = ["--format", form, *(["--lang", language] if language else [])]
            assert main([*arguments, *chosen]) == 1
            told = capsys.readouterr().out.replace("\\_", "_")
            assert "out.weight" in told
            assert "set_state_dict" in told
            assert "1 of 7" in told or "7 个参数中有 1 个" in told
