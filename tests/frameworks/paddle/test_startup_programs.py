"""Startup programs against what Paddle runs: draws that nothing takes, optimizers, clones."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import paddle
import pytest
from paddle import nn
from paddle.nn.initializer import Constant, Normal, Orthogonal, Uniform
from support import startup_programs
from support.paddle_graph import PADDLE_3, each_ir, static_graph
from support.read_cases import codes, gaussian, held, same
from support.startup_programs import wrong

from paddle_init import dump_spec, parse_spec, read_net, report
from paddle_init.distributions import Unknown
from paddle_init.frameworks.sampling import sample
from paddle_init.specs import NetSpec, Overwrite

PROGRAMS = 60


def parameter(initializer: Any, name: str, dtype: str = "float32", shape: Any = (4, 5)) -> None:
    attr = paddle.ParamAttr(name=name, initializer=initializer)
    paddle.static.create_parameter(list(shape), dtype, attr=attr)


@pytest.mark.parametrize("first", range(0, PROGRAMS, 10))
def test_random_programs_are_right_to_the_bit_or_not_known(first: int) -> None:
    with static_graph():
        found = [line for number in range(first, first + 10) for line in wrong(number)]
    assert found == []


@pytest.mark.paddle_3
@pytest.mark.parametrize("count", [20, pytest.param(PROGRAMS, marks=pytest.mark.slow)])
def test_random_programs_of_the_older_kind(count: int) -> None:
    """In a process of its own, for the environment decides which kind Paddle runs."""
    file = Path(startup_programs.__file__)
    done = subprocess.run(
        [sys.executable, str(file), "0", str(count)],
        env={**os.environ, "FLAGS_enable_pir_api": "0"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert (done.returncode, done.stdout) == (0, ""), done.stderr[-2000:]


@pytest.mark.paddle_3
def test_a_name_twice_draws_twice_and_keeps_one() -> None:
    with static_graph() as graph:
        parameter(Normal(0, 0.1), "w")
        parameter(Normal(0, 0.1), "w")
        parameter(Normal(0, 0.3), "behind")
        spec = read_net(graph.startup)
        paddle.seed(3)
        values = graph.initialized()
    assert [draw.shape for draw in spec.draws] == [(4, 5)] * 3
    assert list(held(spec)) == ["w", "behind"]
    (notice,) = spec.notices
    assert notice.code == "other-draws"
    assert "random ops that fill no parameter: gaussian (op " in notice.message
    drawn = sample(spec, seed=3)
    assert {name: drawn[name].tobytes() for name in drawn} == {
        name: values[name].tobytes() for name in drawn
    }
    assert parse_spec(dump_spec(spec)) == spec


@pytest.mark.paddle_3
def test_what_races_leaves_nothing_known() -> None:
    with static_graph() as graph:
        parameter(Normal(0, 0.1), "before")
        with paddle.static.program_guard(graph.startup):
            nn.functional.dropout(paddle.full([9], 1.0), 0.5)
        parameter(Constant(0.5), "constant")
        spec = read_net(graph.startup)
    assert list(sample(spec, seed=3, partial=True)) == ["constant"]
    (notice,) = spec.notices
    assert "pd_op.dropout (op " in notice.message
    assert "no fixed order" in notice.message


@each_ir
def test_an_orthogonal_takes_one_gaussian(old_ir: bool) -> None:
    with static_graph(old_ir=old_ir) as graph:
        parameter(Orthogonal(), "o", shape=(3, 7))
        parameter(Normal(0, 0.3), "behind")
        spec = read_net(graph.startup)
    assert spec.notices == ()
    assert [(draw.name.split(" ")[0], draw.shape) for draw in spec.draws] == [
        ("gaussian", (7, 3)),
        ("o", (3, 7)),
        ("behind", (4, 5)),
    ]
    assert isinstance(spec.drawn("o"), Unknown)
    assert list(sample(spec, seed=3, partial=True)) == ["behind"]


def test_the_diagonal_of_a_uniform_is_overwritten_in_older_programs_alone() -> None:
    initializer = nn.initializer.uniform.UniformInitializer
    found = []
    for old_ir in [False, True] if PADDLE_3 else [True]:
        with static_graph(old_ir=old_ir) as graph:
            parameter(initializer(-1.0, 1.0, diag_num=4, diag_step=5, diag_val=2.0), "w")
            found.append(read_net(graph.startup).tensors[0].overwritten)
    assert found[-1] == (Overwrite(0, 4, 6, 2.0),)
    assert found[:-1] in ([], [()])


@pytest.mark.paddle_3
def test_a_table_with_a_padding_row_is_drawn_whole() -> None:
    """A static graph reads zeros for the padding row, and leaves the table as it was drawn."""
    with static_graph() as graph:
        nn.Embedding(7, 3, padding_idx=2)
        spec = read_net(graph.startup)
        paddle.seed(3)
        (values,) = graph.initialized().values()
    (tensor,) = spec.tensors
    assert tensor.overwritten == ()
    assert values[2].any()
    assert sample(spec, seed=3)[tensor.name].tobytes() == values.tobytes()


# Of Paddle's own clips each kind of program takes another one.
CLIPS = {True: nn.ClipGradByGlobalNorm(1.0), False: nn.ClipGradByValue(1.0)}
OPTIMIZERS: dict[str, Callable[[], Any]] = {
    "sgd": lambda: paddle.optimizer.SGD(0.1),
    "adam": lambda: paddle.optimizer.Adam(paddle.optimizer.lr.StepDecay(0.1, 3)),
    "adamw": lambda: paddle.optimizer.AdamW(0.1, weight_decay=0.01),
    "momentum": lambda: paddle.optimizer.Momentum(0.1, weight_decay=0.01),
    "adagrad": lambda: paddle.optimizer.Adagrad(0.1, weight_decay=paddle.regularizer.L2Decay(1e-4)),
    "rmsprop": lambda: paddle.optimizer.RMSProp(0.1),
    "clipped": lambda: paddle.optimizer.Adam(0.1, grad_clip=CLIPS[paddle.framework.in_pir_mode()]),
}


def trained(graph: Any, optimizer: Any) -> NetSpec:
    x = paddle.static.data("x", [None, 6], "float32")

    def attr(name: str, initializer: Any) -> Any:
        return paddle.ParamAttr(name=name, initializer=initializer)

    first = paddle.static.nn.fc(
        x,
        5,
        activation="relu",
        weight_attr=attr("first", Normal(0, 0.25)),
        bias_attr=attr("bias", Normal(0, 0.25)),
    )
    second = attr("second", Uniform(-0.5, 0.5))
    loss = paddle.mean(paddle.static.nn.fc(first, 1, weight_attr=second, bias_attr=False))
    if optimizer is not None:
        optimizer.minimize(loss)
    return read_net((graph.main, graph.startup))


@each_ir
@pytest.mark.parametrize("optimizer", OPTIMIZERS)
def test_an_optimizer_changes_no_word_of_the_spec(optimizer: str, old_ir: bool) -> None:
    with static_graph(old_ir=old_ir) as graph:
        plain = trained(graph, None)
    with static_graph(old_ir=old_ir) as graph:
        spec = trained(graph, OPTIMIZERS[optimizer]())
        without_main = read_net(graph.startup)
        copy = graph.main.clone(for_test=True) if old_ir else graph.main.clone()
        clone = read_net((copy, graph.startup))
    assert [(tensor.name, tensor.role) for tensor in plain.tensors] == [
        ("first", "weight"),
        ("bias", "bias"),
        ("second", "weight"),
    ]
    for found in (spec, clone):
        assert (found.draws, found.tensors, found.notices) == (
            plain.draws,
            plain.tensors,
            plain.notices,
        )
    assert list(without_main.tensor_by_name) == list(plain.tensor_by_name)
    assert any(name.startswith("learning_rate_") for name in spec.buffers)
    assert set(spec.buffers).isdisjoint(spec.tensor_by_name)
    assert str(report(plain, spec)) == str(report(plain, plain))


@pytest.mark.paddle_3
def test_casts_of_mixed_precision_are_looked_through() -> None:
    with static_graph() as graph, paddle.amp.auto_cast(level="O1", dtype="bfloat16"):
        spec = trained(graph, None)
    assert [tensor.role for tensor in spec.tensors] == ["weight", "bias", "weight"]


@pytest.mark.paddle_3
def test_roles_inside_a_condition_are_found() -> None:
    with static_graph() as graph:
        x = paddle.static.data("x", [None, 5], "float32")
        weight = paddle.static.create_parameter([5, 5], "float32", name="w")
        paddle.static.nn.cond(paddle.mean(x) > 0, lambda: paddle.matmul(x, weight), lambda: x)
        spec = read_net((graph.main, graph.startup))
    assert [tensor.role for tensor in spec.tensors] == ["weight"]


@each_ir
def test_programs_of_several_nets(old_ir: bool) -> None:
    with static_graph(old_ir=old_ir) as graph:
        trained(graph, paddle.optimizer.SGD(0.1))
        other = paddle.static.Program()
        with paddle.static.program_guard(other, graph.startup):
            x = paddle.static.data("x", [None, 6], "float32")
            attr = paddle.ParamAttr(name="other", initializer=Normal(0, 0.5))
            paddle.static.nn.fc(x, 2, weight_attr=attr, bias_attr=False)
        spec = read_net((other, graph.startup))
    assert list(held(spec)) == ["first", "bias", "second", "other"]
    assert spec.tensors[-1].role == "weight"


@each_ir
def test_what_no_distribution_has_still_takes_its_place(old_ir: bool) -> None:
    with static_graph(old_ir=old_ir) as graph:
        parameter(Normal(0, -1.0), "impossible")
        parameter(Constant(float("nan")), "nan")
        parameter(Normal(0, 0.3), "behind")
        spec = read_net(graph.startup)
        paddle.seed(3)
        values = graph.initialized() if not old_ir else {}
    assert codes(spec) == ["impossible-numbers"] * 2
    drawn = sample(spec, seed=3, partial=True)
    assert list(drawn) == ["behind"]
    if values:
        assert drawn["behind"].tobytes() == values["behind"].tobytes()


@pytest.mark.paddle_3
def test_two_parameters_of_one_draw() -> None:
    class Same(nn.initializer.Initializer):
        made: Any = None

        def forward(self, param: Any, block: Any = None) -> Any:
            Same.made = paddle.normal(0.0, 0.3, [4, 5]) if Same.made is None else Same.made
            return paddle.assign(Same.made)

    with static_graph() as graph:
        parameter(Same(), "a")
        parameter(Same(), "b")
        parameter(Normal(0, 0.5), "c")
        spec = read_net(graph.startup)
        paddle.seed(3)
        values = graph.initialized()
    assert held(spec) == {
        "a": gaussian(0, 0.3),
        "b": gaussian(0, 0.3),
        "c": gaussian(0, 0.5),
    }
    assert len(spec.draws) == 2
    drawn = sample(spec, seed=3)
    assert all(np.array_equal(drawn[name], values[name]) for name in ("a", "b", "c"))


@each_ir
def test_what_a_loop_keeps_is_no_tensor(old_ir: bool) -> None:
    with static_graph(old_ir=old_ir) as graph:
        with paddle.static.program_guard(graph.startup):
            start = paddle.full([1], 0, "int64")
            paddle.static.nn.while_loop(lambda i: i < 3, lambda i: [i + 1], [start])
        parameter(Constant(0.5), "constant")
        parameter(Normal(0, 0.3), "behind")
        spec = read_net(graph.startup)
    assert list(sample(spec, seed=3, partial=True)) == ["constant"]


@each_ir
@pytest.mark.parametrize("dtype", ["float16", "bfloat16"])
def test_half_types_are_right_to_the_bit_or_not_known(dtype: str, old_ir: bool) -> None:
    """Paddle 2 casts to them in its own way; what needs no rounding is known there too."""
    with static_graph(old_ir=old_ir) as graph:
        parameter(Uniform(-1.0, 1.0), "drawn", dtype)
        parameter(Constant(0.1), "rounded", dtype)
        parameter(Constant(0.5), "exact", dtype)
        parameter(Normal(0, 0.3), "behind")
        spec = read_net(graph.startup)
        paddle.seed(3)
        values = graph.initialized()
    drawn = sample(spec, seed=3, partial=True)
    assert set(drawn) == ({*values} if PADDLE_3 else {"exact", "behind"})
    assert {name: array.tobytes() for name, array in drawn.items()} == {
        name: values[name].tobytes() for name in drawn
    }
    assert parse_spec(dump_spec(spec)) == spec


def test_layers_cast_to_half_types_are_right_to_the_bit_or_not_known() -> None:
    for dtype in ("float16", "bfloat16"):

        def build(dtype: str = dtype) -> nn.Layer:
            net = nn.Sequential(nn.Linear(5, 4), nn.Linear(4, 3))
            net[0].to(dtype=dtype)
            return net

        spec = read_net(build)
        paddle.seed(3)
        values = {name: held.numpy() for name, held in build().state_dict().items()}
        drawn = sample(spec, seed=3, partial=True)
        assert set(drawn) == {*values} - (set() if PADDLE_3 else {"0.weight"})
        assert all(drawn[name].tobytes() == values[name].tobytes() for name in drawn)


@each_ir
def test_halves_of_a_cast_are_not_rounded_twice(old_ir: bool) -> None:
    with static_graph(old_ir=old_ir) as graph:
        parameter(Constant(0.1), "c", "float16" if PADDLE_3 else "float32")
        spec = read_net(graph.startup)
    assert held(spec) == {"c": same(0.1)}
