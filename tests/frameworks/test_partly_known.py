"""Nets of which a part is not known: what is drawn, filled and verified of them."""

from __future__ import annotations

import json
import pickle
import warnings
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import paddle
import pytest
from numpy.typing import NDArray
from paddle import nn

from paddle_init import (
    NetSpec,
    Seeding,
    dump_spec,
    exact_initializers,
    initialize,
    param_attrs,
    report,
    sample,
    verify,
)
from paddle_init.cli.main import main
from paddle_init.errors import NoticeWarning, PropagationError, SpecError
from paddle_init.frameworks.knowledge import NotKnownError, identical_layers, unknown_tensors
from paddle_init.frameworks.paddle.module import python_module
from paddle_init.parity.records import Level
from paddle_init.schemes import constant, normal, uniform
from paddle_init.schemes.fixed import given as given_values
from paddle_init.schemes.fixed import unknown
from paddle_init.signal.dense import from_spec
from paddle_init.specs import Draw, Overwrite, RowBlock, Tensor
from paddle_init.verification import Verdict

SHAPES = {"w1": (30, 20), "b1": (20,), "own": (20, 20), "w2": (20, 10), "b2": (10,)}


def net_spec(takes: int | None, seed: int | None = 7, **draws: Any) -> NetSpec:
    """Two layers with an initializer of a user's own between them."""
    schemes = {
        "w1": normal(0, 0.1),
        "b1": constant(0),
        "own": unknown("Orthogonal", takes),
        "w2": uniform(-0.2, 0.2),
        "b2": constant(0.5),
    }
    made = tuple(
        replace(Draw(name, SHAPES[name], scheme), **draws.get(name, {}))
        for name, scheme in schemes.items()
    )
    stream = None if seed is None else Seeding("mt19937_64", seed=seed)
    return NetSpec("paddle", made, stream=stream)


class Net(nn.Layer):
    def __init__(self, attrs: Any = None) -> None:
        super().__init__()
        for name, shape in SHAPES.items():
            attr = None if attrs is None else paddle.ParamAttr(initializer=attrs.get(name))
            self.add_parameter(name, self.create_parameter(list(shape), attr=attr))


def by_paddle(takes: int) -> dict[str, NDArray[np.float32]]:
    """What a net has whose own initializer takes so many values."""
    paddle.seed(7)
    return {
        "w1": paddle.normal(0, 0.1, [30, 20]).numpy(),
        "b1": np.zeros(20, np.float32),
        "own": np.float32(paddle.rand([takes])[0].item()) * np.eye(20, dtype=np.float32),
        "w2": paddle.uniform([20, 10], min=-0.2, max=0.2).numpy(),
        "b2": np.full(10, 0.5, np.float32),
    }


def verdicts(arrays: dict[str, Any], spec: NetSpec, **settings: Any) -> dict[str, str]:
    return {p.name: str(p.verdict) for p in verify(arrays, spec, **settings).parameters}


# --- sample ---


def test_why_tensors_are_not_known() -> None:
    found = unknown_tensors(net_spec(None))
    assert {name: reason.code for name, reason in found.items()} == {
        "own": "initializer",
        "w2": "position",
    }
    assert found["w2"].draw == "own"
    assert set(unknown_tensors(net_spec(400))) == {"own"}
    unseeded = unknown_tensors(net_spec(400, None))
    assert {name: reason.code for name, reason in unseeded.items()} == {
        "w1": "seed",
        "own": "initializer",
        "w2": "seed",
    }
    again = unknown_tensors(net_spec(None, None, w2={"seed": 3}))
    assert set(again) == {"w1", "own"}
    assert set(unknown_tensors(net_spec(None, w2={"after": "b1"}))) == {"own"}
    assert set(unknown_tensors(net_spec(None, w2={"after": "own"}))) == {"own", "w2"}
    assert set(unknown_tensors(net_spec(None, w2={"op_seed": 3}))) == {"own"}
    assert set(unknown_tensors(net_spec(None, own={"op_seed": 3}))) == {"own"}
    by_op = replace(net_spec(None), stream=Seeding("mt19937_64", op_seed=3))
    assert set(unknown_tensors(by_op)) == {"own"}


def test_sample_refuses_what_is_not_known_and_names_it() -> None:
    with pytest.raises(NotKnownError) as caught:
        sample(net_spec(None))
    assert set(caught.value.reasons) == {"own", "w2"}
    assert str(caught.value) == (
        "the initial values of 2 of 5 tensors are not known: own (draw own: it is not known how to "
        "draw this: Orthogonal); w2 (how many values the draw own before takes from the random "
        "stream is not known (Orthogonal)). Give partial=True for the 3 that are known"
    )


@pytest.mark.parametrize(("takes", "missing"), [(None, {"own", "w2"}), (400, {"own"})])
def test_partial_draws_what_is_known(takes: int | None, missing: set[str]) -> None:
    with pytest.warns(NoticeWarning, match="not known") as caught:
        drawn = sample(net_spec(takes), partial=True)
    assert [each.message.code for each in caught] == ["not-known"]
    assert set(drawn) == set(SHAPES) - missing
    expected = by_paddle(400)
    assert all(np.array_equal(drawn[name], expected[name]) for name in drawn)


def test_nothing_known_is_refused_even_so() -> None:
    spec = NetSpec("paddle", (Draw("own", (3,), unknown("mine")),))
    with pytest.raises(NotKnownError, match="1 of 1 tensors are not known"):
        sample(spec, seed=1, partial=True)


def test_without_a_seed_partial_draws_what_needs_none() -> None:
    with pytest.raises(SpecError, match="no seed is known"):
        sample(net_spec(400, None))
    with pytest.warns(NoticeWarning, match=r"w1, w2 \(no seed is known\)"):
        drawn = sample(net_spec(400, None), partial=True)
    assert set(drawn) == {"b1", "b2"}


def test_a_tensor_with_some_unknown_rows_is_not_known() -> None:
    draws = (Draw("a", (2, 3), normal(0, 1)), Draw("own", (1, 3), unknown("mine", 3)))
    blocks = (RowBlock("a", 0, 2), RowBlock("own", 0, 1))
    mixed = Tensor("w", "weight", (3, 3), blocks)
    part = Tensor("v", "weight", (2, 3), blocks[:1])
    spec = NetSpec("paddle", draws, (mixed, part), Seeding("mt19937_64", seed=1))
    assert set(unknown_tensors(spec)) == {"w"}
    values = np.random.default_rng(0).normal(size=(3, 3)).astype(np.float32)
    found = verdicts({"w": values, "v": sample(spec, partial=True)["v"]}, spec)
    assert found == {"w": "untested", "v": "identical"}


# --- on the command line ---


def written(tmp_path: Path, spec: NetSpec) -> str:
    path = tmp_path / "net.yaml"
    path.write_text(dump_spec(spec))
    return str(path)


def test_the_command_refuses_and_leaves_no_file(tmp_path: Path, capsys: Any) -> None:
    out = tmp_path / "start.npz"
    assert main(["sample", written(tmp_path, net_spec(None)), "-o", str(out)]) == 2
    said = capsys.readouterr().err
    assert "error: the initial values of 2 of 5 tensors are not known: own (" in said
    assert "Give --partial for the 3 that are known" in said
    assert not out.exists()


@pytest.mark.parametrize("suffix", ["npz", "safetensors", "pdparams"])
def test_the_command_writes_a_part(tmp_path: Path, capsys: Any, suffix: str) -> None:
    out = tmp_path / f"start.{suffix}"
    spec = written(tmp_path, net_spec(None))
    assert main(["sample", spec, "--partial", "-o", str(out), "--format", "json"]) == 0
    said = capsys.readouterr()
    assert "warning [not-known]: 2 of 5 tensors are left out" in said.err
    told = json.loads(said.out)
    assert [each["name"] for each in told["tensors"]] == ["w1", "b1", "b2"]
    assert told["values"] == 630
    assert [(each["name"], each["code"]) for each in told["not_known"]] == [
        ("own", "initializer"),
        ("w2", "position"),
    ]
    assert main(["verify", str(out), spec, "--fail-on", "missing", "--format", "json"]) == 1
    parameters = json.loads(capsys.readouterr().out)["parameters"]
    assert {each["name"]: each["verdict"] for each in parameters} == {
        "w1": "identical",
        "b1": "identical",
        "own": "missing",
        "w2": "missing",
        "b2": "identical",
    }


def test_a_net_that_seeds_itself_takes_no_fresh_seed(tmp_path: Path, capsys: Any) -> None:
    draws = (Draw("w", (3, 2), normal(0, 1), seed=5), Draw("v", (3, 2), normal(0, 1)))
    spec = written(tmp_path, NetSpec("paddle", draws))
    out = tmp_path / "start.npz"
    assert main(["sample", spec, "-o", str(out)]) == 0
    said = capsys.readouterr()
    assert said.out == f"{out}: 2 tensors, 12 values, drawn as paddle (mt19937_64)\n"
    assert said.err == ""
    assert main(["sample", spec, "--seed", "9", "-o", str(out)]) == 0
    told = "warning [seed-within]: the given seed has no effect on the values: paddle.seed(5)"
    assert told in capsys.readouterr().err
    paddle.seed(5)
    with np.load(out) as file:
        assert np.array_equal(file["w"], paddle.normal(0, 1, [3, 2]).numpy())


# --- seeds and notices ---


@pytest.mark.parametrize("seed", [2**32 + 5, 2**40, 2**64 - 1])
def test_the_effective_seed_is_told(tmp_path: Path, capsys: Any, seed: int) -> None:
    spec = NetSpec("paddle", (Draw("w", (3, 2), normal(0, 1)),))
    said = f"paddle.seed keeps 32 bits: {seed} and {seed % 2**32} give the same stream"
    with pytest.warns(NoticeWarning, match=said) as caught:
        drawn = sample(spec, seed=seed)
    assert [each.message.code for each in caught] == ["seed-32-bits"]
    assert np.array_equal(drawn["w"], sample(spec, seed=seed % 2**32)["w"])
    out = str(tmp_path / "start.npz")
    assert main(["sample", written(tmp_path, spec), "--seed", str(seed), "-o", out]) == 0
    assert f"warning [seed-32-bits]: {said}" in capsys.readouterr().err
    left = replace(spec, stream=Seeding("mt19937_64", seed=seed))
    right = replace(spec, stream=Seeding("mt19937_64", seed=seed % 2**32))
    made = report(left, right)
    assert made.worst is Level.IDENTICAL
    assert [notice.message for notice in made.warnings if notice.code == "seed-32-bits"] == [said]


def test_seeds_that_are_what_they_say_are_not_told_of() -> None:
    spec = NetSpec("paddle", (Draw("w", (3, 2), normal(0, 1)),))
    abacus = NetSpec("abacus", (Draw("w", (3, 2), normal(0, 1)),))
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        sample(spec, seed=2**32 - 1)
        sample(abacus, seed=2**40, engine="mt19937_64")
    assert verify(sample(abacus, seed=2**40, engine="mt19937_64"), abacus, seed=2**40,
                  engine="mt19937_64").findings == ()  # fmt: skip


def test_sample_warns_of_what_the_command_tells_of() -> None:
    draws = (
        Draw("a", (3, 2), normal(0, 1), op_seed=3),
        Draw("b", (3, 2), normal(0, 1), op_seed=3),
        Draw("c", (3, 2), normal(0, 0)),
        Draw("d", (3, 2), normal(0, 1e-46)),
    )
    with pytest.warns(NoticeWarning) as caught:
        sample(NetSpec("paddle", draws), seed=1)
    codes = [each.message.code for each in caught]
    assert codes == ["identical-layers", "zero-scale", "underflow"]
    assert [each.message.notice.parameter for each in caught] == ["a", "c", "d"]


def test_draws_from_one_state_are_identical_layers() -> None:
    def told(*draws: Draw) -> list[str]:
        return [notice.message for notice in identical_layers(NetSpec("paddle", draws))]

    one, other = Draw("a", (3, 2), normal(0, 1)), Draw("b", (3, 2), normal(0, 2))
    same = "the same state of the generator and have the same z: a, b"
    assert not told(one, other)
    assert same in told(replace(one, seed=4), replace(other, seed=2**32 + 4))[0]
    assert same in told(one, replace(other, after=""))[0]
    assert not told(one, replace(other, after="a"))
    middle = Draw("m", (5,), normal(0, 1))
    assert same in told(replace(middle, seed=1), one, replace(middle, name="n", seed=1), other)[1]
    skipped = Draw("m", (1,), unknown("rand", 5))
    assert not told(replace(middle, seed=1), one, replace(skipped, name="n", seed=1), other)


# --- initialize and exact_initializers ---


def test_initialize_fills_what_is_known_and_leaves_the_rest() -> None:
    net = Net()
    before = {name: array.numpy().copy() for name, array in net.state_dict().items()}
    with pytest.raises(NotKnownError):
        initialize(net, net_spec(None))
    assert all(np.array_equal(before[name], net.state_dict()[name].numpy()) for name in before)
    with pytest.warns(NoticeWarning, match="own") as caught:
        initialize(net, net_spec(None), partial=True)
    assert [each.message.code for each in caught] == ["not-known"]
    expected = by_paddle(400)
    after = {name: array.numpy() for name, array in net.state_dict().items()}
    for name in ("w1", "b1", "b2"):
        assert np.array_equal(after[name], expected[name])
    for name in ("own", "w2"):
        assert np.array_equal(after[name], before[name])


def test_exact_initializers_of_what_is_known() -> None:
    with pytest.raises(NotKnownError):
        exact_initializers(net_spec(None))
    with pytest.warns(NoticeWarning, match="own"):
        attrs = exact_initializers(net_spec(400), partial=True)
    assert set(attrs) == {"w1", "b1", "w2", "b2"}
    net, expected = Net(attrs), by_paddle(400)
    for name in attrs:
        assert np.array_equal(net.state_dict()[name].numpy(), expected[name])


# --- verify ---


def test_one_unknown_parameter_makes_nothing_else_unknown() -> None:
    right = by_paddle(400)
    known = {"w1": "identical", "b1": "identical", "own": "untested", "b2": "identical"}
    assert verdicts(right, net_spec(400)) == known | {"w2": "identical"}
    made = verify(right, net_spec(None))
    assert {p.name: str(p.verdict) for p in made.parameters} == known | {"w2": "follows"}
    untested, told = made.findings
    assert (untested.code, untested.parameter) == ("not-known", "own")
    assert untested.message.startswith("not tested, because it is not known how it is drawn: ")
    assert (told.code, told.parameter) == ("not-known", "w2")
    assert "its distribution alone is tested" in told.message
    assert made.tests == 6
    wrong = right | {"w2": right["w2"] * np.float32(1.5)}
    assert verdicts(wrong, net_spec(None))["w2"] == "differs"
    wrong = right | {"w1": right["w1"] * np.float32(1.5)}
    assert verdicts(wrong, net_spec(None))["w1"] == "differs"
    assert verdicts(right | {"w2": right["w2"][::-1].copy()}, net_spec(400))["w2"] == "differs"


def test_exit_codes_of_partly_known_nets(tmp_path: Path, capsys: Any) -> None:
    weights = tmp_path / "w.npz"
    np.savez(weights, **by_paddle(400))
    assert main(["verify", str(weights), written(tmp_path, net_spec(400))]) == 1
    assert capsys.readouterr().out.startswith("Not known: 1 of 5 parameters could not be tested")
    positions = net_spec(None)
    kept = tuple(tensor for tensor in positions.tensors if tensor.name != "own")
    arrays = {name: array for name, array in by_paddle(400).items() if name != "own"}
    np.savez(weights, **arrays)
    assert main(["verify", str(weights), written(tmp_path, replace(positions, tensors=kept))]) == 0
    assert capsys.readouterr().out.startswith(
        "Yes: 3 of 4 parameters bit for bit, 1 as far as tests tell."
    )


def test_behind_a_seed_within_the_net_is_exact_without_a_seed() -> None:
    spec = net_spec(None, None, w2={"seed": 3})
    arrays = by_paddle(400)
    paddle.seed(3)
    arrays["w2"] = paddle.uniform([20, 10], min=-0.2, max=0.2).numpy()
    made = verify(arrays, spec)
    assert {p.name: str(p.verdict) for p in made.parameters} == {
        "w1": "follows",
        "b1": "identical",
        "own": "untested",
        "w2": "identical",
        "b2": "identical",
    }
    assert made.stream == "seeds within the net"
    assert verdicts(arrays, spec, any_seed=True)["w2"] == "follows"
    (told,) = (n for n in verify(arrays, spec, seed=7).findings if n.code == "seed-within")
    assert told.message == (
        "the given seed reaches only the draws before w2, at which paddle.seed(3) is called within "
        "the net"
    )
    arrays["w2"] = arrays["w2"][::-1].copy()
    assert verdicts(arrays, spec)["w2"] == "differs"
    assert verdicts(arrays, spec, any_seed=True)["w2"] == "follows"


@pytest.mark.parametrize("seeded", [True, False])
def test_overwritten_elements_are_compared_exactly(seeded: bool) -> None:
    table = Draw("table", (50, 8), normal(0, 1))
    tensor = Tensor(
        "table", "weight", (50, 8), (RowBlock("table", 0, 50),), overwritten=(Overwrite(24, 8),)
    )
    spec = NetSpec("paddle", (table,), (tensor,), Seeding("mt19937_64", seed=3))
    right = sample(spec)["table"]
    unseeded = {} if seeded else {"any_seed": True}
    passing = "identical" if seeded else "follows"
    assert verdicts({"table": right}, spec, **unseeded) == {"table": passing}
    for index, value in (((3, 0), 1.0), ((3, 7), -0.0), ((3, 4), np.nan)):
        wrong = right.copy()
        wrong[index] = value
        assert verdicts({"table": wrong}, spec, **unseeded) == {"table": "differs"}
    drawn = sample(replace(spec, tensors=(replace(tensor, overwritten=()),)))
    made = verify(drawn, spec, **unseeded)
    assert made.worst is Verdict.DIFFERS
    if not seeded:
        assert [notice.code for notice in made.findings] == ["set-after-draw"]


def test_many_overwritten_elements_do_not_spoil_the_tests_of_the_rest() -> None:
    table = Draw("table", (64, 64), normal(0, 1))
    edits = (Overwrite(0, 1024, 4), Overwrite(1, 64, 1, 100.0))
    tensor = Tensor("table", "weight", (64, 64), (RowBlock("table", 0, 64),), overwritten=edits)
    spec = NetSpec("paddle", (table,), (tensor,), Seeding("mt19937_64", seed=3))
    right = sample(spec)
    assert verdicts(right, spec, any_seed=True) == {"table": "follows"}
    plain = replace(spec, tensors=(replace(tensor, overwritten=()),))
    assert verdicts(right, plain, any_seed=True) == {"table": "differs"}


@pytest.mark.parametrize("dtype", ["float32", "float64", "float16", "bfloat16"])
@pytest.mark.parametrize("any_seed", [True, False])
def test_given_values_are_compared_exactly(dtype: str, any_seed: bool) -> None:
    values = np.linspace(-1, 1, 12)
    draw = Draw("table", (4, 3), given_values(values))
    tensor = Tensor("table", "other", (4, 3), (RowBlock("table", 0, 4),), dtype)
    spec = NetSpec("paddle", (draw,), (tensor,))
    right = sample(spec)["table"]
    passing = "follows" if any_seed else "identical"
    assert verdicts({"table": right}, spec, any_seed=any_seed) == {"table": passing}
    wrong = right.copy()
    patterns = wrong.view(f"u{wrong.dtype.itemsize}")
    patterns[2, 1] ^= patterns.dtype.type(1)
    assert verdicts({"table": wrong}, spec, any_seed=any_seed) == {"table": "differs"}


@pytest.mark.parametrize("seed", [None, 3])
def test_copies_and_draws_of_one_state_are_no_repetition(seed: int | None) -> None:
    draws = (
        Draw("a", (30, 20), normal(0, 1)),
        Draw("b", (30, 20), normal(0, 1), after=""),
        Draw("c", (30, 20), normal(0, 1)),
    )
    blocks = {draw.name: (RowBlock(draw.name, 0, 30),) for draw in draws}
    tensors = (
        *(Tensor(name, "weight", (30, 20), rows) for name, rows in blocks.items()),
        Tensor("copy", "weight", (30, 20), blocks["a"]),
    )
    spec = NetSpec("paddle", draws, tensors)
    with pytest.warns(NoticeWarning, match="identical-layers"):
        right = sample(spec, seed=3)
    passing = "follows" if seed is None else "identical"
    assert set(verdicts(right, spec, seed=seed).values()) == {passing}
    wrong = right | {"c": right["a"]}
    assert verdicts(wrong, spec, seed=seed)["c"] == "differs"


def test_padding_rows_are_no_repetition() -> None:
    draws = tuple(Draw(name, (9, 40), normal(0, 1)) for name in "ab")
    edits = (Overwrite(0, 40),)
    tensors = tuple(
        Tensor(d.name, "weight", d.shape, (RowBlock(d.name, 0, 9),), overwritten=edits)
        for d in draws
    )
    spec = NetSpec("paddle", draws, tensors)
    assert verdicts(sample(spec, seed=5), spec) == {"a": "follows", "b": "follows"}


@pytest.mark.parametrize("held", ["float32", "float64", "bfloat16"])
def test_the_tests_know_what_a_cast_has_rounded(held: str) -> None:
    """Values on the coarse grid of a half type, held in a finer one."""
    draw = Draw("w", (400, 100), normal(0, 1), dtype="bfloat16")
    tensor = Tensor("w", "weight", (400, 100), (RowBlock("w", 0, 400),), held)
    spec = NetSpec("paddle", (draw,), (tensor,))
    assert verdicts(sample(spec, seed=5), spec) == {"w": "follows"}


# --- report ---


def test_a_report_does_not_count_unknown_places_as_other_bits() -> None:
    left, right = net_spec(400), net_spec(None)
    made = report(left, right)
    levels = {each.name: each.level for each in made.parameters}
    assert levels["w1"] is Level.IDENTICAL
    assert levels["w2"] is Level.STREAM
    (w2,) = (each for each in made.parameters if each.name == "w2")
    assert w2.differing is None
    (told,) = (notice for notice in made.warnings if notice.code == "not-drawn")
    assert "the values of these were not compared" in told.message
    same = report(left, replace(left))
    assert {each.name: each.level for each in same.parameters}["w2"] is Level.IDENTICAL


def test_a_report_draws_what_is_seeded_within() -> None:
    spec = net_spec(None, None, w2={"seed": 3})
    levels = {each.name: each.level for each in report(spec, replace(spec)).parameters}
    assert (levels["w1"], levels["w2"]) == (Level.STREAM, Level.IDENTICAL)


# --- what cannot be mirrored is refused ---


def test_what_no_other_form_can_hold_is_refused() -> None:
    table = Tensor("t", "weight", (3, 2), (RowBlock("t", 0, 3),), overwritten=(Overwrite(0, 2),))
    padded = NetSpec("paddle", (Draw("t", (3, 2), normal(0, 1)),), (table,))
    given = NetSpec("paddle", (Draw("t", (3, 2), given_values(np.arange(6.0))),))
    with pytest.raises(SpecError, match="tensor t: overwritten is Paddle's"):
        sample(padded, framework="abacus", seed=1)
    with pytest.raises(
        SpecError, match="abacus draws normals of mean 0 and constants, not 6 given"
    ):
        sample(given, framework="abacus", seed=1)
    with pytest.raises(SpecError, match="elements of it are set after the draw"):
        param_attrs(padded)
    for spec, what in ((padded, "elements that are set"), (given, "given values")):
        with pytest.raises(SpecError, match=f"tensor t: {what}.* are not written into a module"):
            python_module(spec)
    with pytest.raises(PropagationError, match="t: elements of it are set after the draw"):
        from_spec(padded, ["linear"])
    with pytest.raises(SpecError, match="an initializer that is not known cannot be built"):
        param_attrs(net_spec(400))


def test_abacus_draws_what_tensors_take_alone() -> None:
    spec = NetSpec(
        "paddle",
        (
            Draw("noise", (5,), normal(0, 1)),
            Draw("skip", (1,), unknown("rand", 5)),
            Draw("w", (3, 2), normal(0, 1), seed=3),
        ),
        (Tensor("w", "weight", (3, 2), (RowBlock("w", 0, 3),)),),
    )
    alone = NetSpec("abacus", (Draw("w", (3, 2), normal(0, 1)),))
    drawn = sample(spec, framework="abacus", seed=9)
    assert np.array_equal(drawn["w"], sample(alone, seed=9)["w"])


def test_given_values_as_a_param_attr() -> None:
    values = np.float32([[0.1, -0.0], [3, 4], [5, 6]])
    spec = NetSpec("paddle", (Draw("t", (3, 2), given_values(values)),))
    attr = param_attrs(spec, prefix=None)["t"]
    parameter = paddle.create_parameter([3, 2], "float32", attr=attr)
    assert np.array_equal(parameter.numpy().view(np.uint32), values.view(np.uint32))


def test_warnings_travel_between_processes() -> None:
    """As test runners and process pools send them: made again of their arguments."""
    from paddle_init.errors import Notice, Source
    from paddle_init.frameworks.paddle.nets.attrs import InitializerWarning

    notice = Notice("not-known", "w is left out", "w", Source("net.py", 3))
    for warning in (NoticeWarning(notice), InitializerWarning("underflow", "Normal(0, 1e-50)")):
        again = pickle.loads(pickle.dumps(warning))
        assert (str(again), again.code) == (str(warning), warning.code)
        assert type(warning)(*warning.args).code == warning.code
    assert str(NoticeWarning(notice)) == "net.py:3: [not-known] w is left out"
