"""Exact values in nets of both graphs: by name, by order, through ParamAttr."""

from __future__ import annotations

import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import numpy as np
import paddle
import pytest
from support.command_line import CONFIGS, environment
from support.paddle_graph import each_ir, fresh_names, static_graph

from abacus_compat import load_conf
from paddle_init import NetSpec, exact_initializers, initialize, param_attrs, sample
from paddle_init.errors import SpecError
from paddle_init.frameworks.base import CannotDrawError
from paddle_init.schemes import normal
from paddle_init.specs import Draw

RANK = load_conf(CONFIGS / "abacus_rank.yaml")
EXPECTED = sample(RANK, seed=42)
ORDER = ("0.weight", "0.bias", "2.weight", "2.bias")


def net() -> paddle.nn.Layer:
    with fresh_names():
        return paddle.nn.Sequential(
            paddle.nn.Linear(300, 128), paddle.nn.ReLU(), paddle.nn.Linear(128, 1)
        )


def values(layer: paddle.nn.Layer) -> list[np.ndarray]:
    return [parameter.numpy() for _, parameter in layer.named_parameters()]


def same(found, expected) -> bool:
    found = list(found)
    return len(found) == len(expected) and all(map(np.array_equal, found, expected.values()))


def test_by_order():
    layer = net()
    held = list(layer.parameters())
    initialize(layer, RANK, seed=42)
    assert same(values(layer), EXPECTED)
    assert all(new is old for new, old in zip(layer.parameters(), held, strict=True))
    assert not any(parameter.stop_gradient for parameter in held)


def test_a_lazy_net_is_not_drawn_again() -> None:
    with paddle.LazyGuard():
        layer = net()
    initialize(layer, RANK, seed=42)
    for parameter in layer.parameters():
        parameter.initialize()
    assert same(values(layer), EXPECTED)


def test_by_the_names_that_param_attrs_gave():
    with fresh_names():
        attrs = param_attrs(RANK, prefix="net.")
        # built from the last layer up, so that order would mislead
        second = paddle.nn.Linear(128, 1, **attrs.linear("fc2_w"))
        first = paddle.nn.Linear(300, 128, **attrs.linear("fc1_w"))
        norm = paddle.nn.LayerNorm(128)
    layer = paddle.nn.LayerList([second, norm, first])
    initialize(layer, RANK, seed=42, prefix="net.")
    assert same((p.numpy() for p in (*first.parameters(), *second.parameters())), EXPECTED)
    assert norm.weight.numpy().tolist() == [1] * 128


def test_by_a_mapping():
    layer = net()
    initialize(layer, RANK, seed=42, names=dict(zip(EXPECTED, ORDER, strict=True)))
    assert same(values(layer), EXPECTED)
    layer = net()
    initialize(layer, RANK, seed=42, names={
        "fc1_w": "linear_0.w_0", "fc1_b": "0.bias", "fc2_w": "linear_1.w_0", "fc2_w.bias": "2.bias"
    })  # fmt: skip
    assert same(values(layer), EXPECTED)


@pytest.mark.parametrize("dtype", ["float32", "float64", "float16", "bfloat16"])
def test_the_parameters_dtype_is_drawn(dtype):
    layer = net()
    layer.to(dtype=dtype)
    initialize(layer, RANK, framework="paddle", seed=42)
    assert same(values(layer), sample(RANK, framework="paddle", seed=42, dtype=dtype))


def test_paddles_own_start_is_reproduced():
    paddle.seed(7)
    with fresh_names():
        real = paddle.nn.Linear(30, 40, **param_attrs(spec := NetSpec(
            "paddle", (Draw("w", (30, 40), normal(0, 0.1)), Draw("b", (40,), normal(0, 0.2)))
        ), prefix=None).linear("w"))  # fmt: skip
        ours = paddle.nn.Linear(30, 40)
    initialize(ours, spec, seed=7)
    assert np.array_equal(ours.weight.numpy(), real.weight.numpy())
    assert np.array_equal(ours.bias.numpy(), real.bias.numpy())


@each_ir
@pytest.mark.parametrize("named", [False, True])
def test_static_graph(named, old_ir):
    with static_graph(old_ir=old_ir) as graph:
        attrs = param_attrs(RANK)
        x = paddle.static.data("x", [None, 300])
        for weight, width in (("fc1_w", 128), ("fc2_w", 1)):
            x = paddle.static.nn.fc(x, width, **(attrs.linear(weight) if named else {}))
        scope = paddle.static.Scope()
        with paddle.static.scope_guard(scope):
            paddle.static.Executor(paddle.CPUPlace()).run(graph.startup)
        initialize(graph.main, RANK, seed=42, scope=scope)
        found = {
            tuple(parameter.shape): np.array(scope.find_var(parameter.name).get_tensor())
            for parameter in graph.main.global_block().all_parameters()
        }
    assert same((found[array.shape] for array in EXPECTED.values()), EXPECTED)


def test_a_copied_program_has_forgotten_the_order():
    """Its parameters are sorted by name, fc_10 before fc_2; all have one shape here."""
    count = 12
    spec = NetSpec("paddle", tuple(Draw(f"w{i}", (4, 4), normal(0, 1)) for i in range(count)))
    with static_graph(old_ir=True) as graph, paddle.static.scope_guard(paddle.static.Scope()):
        x = paddle.static.data("x", [None, 4])
        for _ in range(count):
            x = paddle.static.nn.fc(x, 4, bias_attr=False)
        paddle.static.Executor(paddle.CPUPlace()).run(graph.startup)
        created = [parameter.name for parameter in graph.parameters()]
        copy = graph.main.clone(for_test=True)
        with pytest.raises(
            SpecError, match="is a copy, which has forgotten their order; give names"
        ):
            initialize(copy, spec, seed=3)
        for net, names in (
            (graph.main, None),
            (copy, dict(zip(spec.draw_by_name, created, strict=True))),
        ):
            initialize(net, spec, seed=3, names=names)
            scope = paddle.static.global_scope()
            found = [np.array(scope.find_var(name).get_tensor()) for name in created]
            assert same(found, sample(spec, seed=3))


def test_static_graph_in_the_global_scope_and_half_precision():
    spec = NetSpec("paddle", (Draw("half", (30, 40), normal(0, 0.1)),))
    with static_graph() as graph, paddle.static.scope_guard(paddle.static.Scope()):
        paddle.static.create_parameter(
            [30, 40], "bfloat16", "half", default_initializer=paddle.nn.initializer.Constant(0.0)
        )
        with pytest.raises(SpecError, match="half has no value in the scope: run the startup"):
            initialize(graph.main, spec, seed=3)
        paddle.static.Executor(paddle.CPUPlace()).run(graph.startup)
        initialize(graph.main, spec, seed=3)
        held = np.array(paddle.static.global_scope().find_var("half").get_tensor())
    assert np.array_equal(held, sample(spec, seed=3, dtype="bfloat16")["half"])


def test_exact_initializers_share_a_stream_in_draw_order():
    exact = exact_initializers(RANK, seed=42)
    attrs = param_attrs(RANK, prefix=None, initializers=exact)
    for _ in range(2):
        with fresh_names():
            second = paddle.nn.Linear(128, 1, **attrs.linear("fc2_w"))
            first = paddle.nn.Linear(300, 128, **attrs.linear("fc1_w"))
        assert same((p.numpy() for p in (*first.parameters(), *second.parameters())), EXPECTED)


def test_exact_initializers_in_half_precision():
    exact = exact_initializers(RANK, framework="paddle", op_seed=3, dtype="bfloat16")
    made = paddle.create_parameter([128], "bfloat16", default_initializer=exact["fc1_b"])
    drawn = sample(RANK, framework="paddle", op_seed=3, dtype="bfloat16")
    assert np.array_equal(made.numpy(), drawn["fc1_b"])


@pytest.mark.parametrize(
    ("shape", "dtype", "said"),
    [
        ([300, 128], "float64", r"fc1_w is float32 \[300, 128\], the parameter float64"),
        ([128, 300], "float32", r"the parameter float32 \[128, 300\]"),
    ],
)
def test_exact_initializers_refuse_another_parameter(shape, dtype, said):
    exact = exact_initializers(RANK, seed=42)
    with pytest.raises(SpecError, match=said):
        paddle.create_parameter(shape, dtype, default_initializer=exact["fc1_w"])


def test_exact_initializers_refuse_static_graph():
    with static_graph(), pytest.raises(SpecError, match="after the startup program has run"):
        paddle.static.create_parameter(
            [128], "float32", default_initializer=exact_initializers(RANK, seed=42)["fc1_b"]
        )


TWO = NetSpec("abacus", (Draw("a", (300, 128), normal()), Draw("b", (300, 128), normal())))


@pytest.mark.parametrize(
    ("spec", "settings", "said"),
    [
        (RANK, {}, "no seed is known"),
        (
            RANK,
            {"seed": 1, "names": {"fc1_w": "9.weight"}},
            "no parameter of the net is named '9.weight', for the tensor fc1_w",
        ),
        (RANK, {"seed": 1, "names": {"no": "0.weight"}}, "names: the spec has no tensor 'no'"),
        (
            replace(RANK, tensors=RANK.tensors[:3], layers=()),
            {"seed": 1},
            r"is named 'fc1_w'.*parameters: 0.weight \[300, 128\], .*; tensors: fc1_w",
        ),
        (
            replace(RANK, tensors=RANK.tensors[::-1], layers=()),
            {"seed": 1},
            r"tensor fc2_w.bias has the shape \[1\], the parameter 0.weight \[300, 128\]",
        ),
        (
            TWO,
            {"seed": 1, "names": {"a": "0.weight", "b": "0.weight"}},
            "tensors a and b are both the parameter 0.weight",
        ),
    ],
)
def test_refused(spec, settings, said):
    layer = net()
    before = values(layer)
    with pytest.raises(SpecError, match=said):
        initialize(layer, spec, **settings)
    assert all(map(np.array_equal, before, values(layer)))


def test_abacus_has_no_half_precision():
    layer = net()
    layer.to(dtype="bfloat16")
    with pytest.raises(CannotDrawError, match="abacus has float32 alone, not bfloat16"):
        initialize(layer, RANK, seed=1)


def test_neither_a_layer_nor_a_program():
    with pytest.raises(SpecError, match=r"expected a paddle.nn.Layer or a main .*Program, got 3"):
        initialize(3, RANK, seed=1)


def test_param_attrs_refuse_initializers_of_no_tensor():
    with pytest.raises(SpecError, match="initializers: the spec has no tensor 'x'"):
        param_attrs(RANK, initializers={"x": paddle.nn.initializer.Constant(0.0)})


MEMORY = """
from pathlib import Path

import paddle
from paddle_init import NetSpec, initialize
from paddle_init.schemes import normal
from paddle_init.specs import Draw

def status(field):
    text = Path("/proc/self/status").read_text()
    return int(text.split(field + ":")[1].split()[0]) * 1024

def filled(rows, width):
    main, startup = paddle.static.Program(), paddle.static.Program()
    with paddle.static.program_guard(main, startup):
        paddle.static.nn.fc(paddle.static.data("x", [None, rows]), width, bias_attr=False)
    scope = paddle.static.Scope()
    with paddle.static.scope_guard(scope):
        paddle.static.Executor(paddle.CPUPlace()).run(startup)
        before = status("VmRSS")
        spec = NetSpec("abacus", (Draw("w", (rows, width), normal(0, 0.1)),))
        initialize(main, spec, seed_seq=(0, 1, 2, 3), scope=scope)
    return status("VmHWM") - before

paddle.enable_static()
filled(5, 4)  # what is loaded and compiled once
print(filled(1025, 1024))
"""


@pytest.mark.skipif(not Path("/proc/self/status").exists(), reason="Linux tells a peak there")
def test_the_peak_of_a_static_net_is_a_small_multiple_of_its_array():
    """The draws, and the array that they are put together in; never a program of constants."""
    command = [sys.executable, "-c", MEMORY]
    ran = subprocess.run(command, env=environment(), capture_output=True, text=True, check=False)
    assert ran.returncode == 0, ran.stderr
    array = 1025 * 1024 * 4
    print(f"{int(ran.stdout.split()[-1]) / array:.2f} times the array")
    assert int(ran.stdout.split()[-1]) < 4 * array
