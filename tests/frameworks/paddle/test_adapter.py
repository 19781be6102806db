"""param_attr and param_attrs with the real Paddle: numbers, options, graphs."""

from __future__ import annotations

import subprocess
import sys

import numpy as np
import paddle
import pytest
from support.paddle_graph import each_ir, fresh_names, static_graph
from support.startup_ops import cutoffs

from paddle_init.distributions import (
    Block,
    Blocks,
    Constant,
    Distribution,
    Normal,
    TruncatedNormal,
    Uniform,
)
from paddle_init.errors import SpecError
from paddle_init.frameworks.paddle.nets.attrs import param_attr, param_attrs
from paddle_init.schemes import abacus, normal, paddle_fc, xavier_uniform
from paddle_init.specs import Draw, Input, Layer, NetSpec, RowBlock, Tensor

ABACUS = abacus(1, 0.2, True)
TOWER = NetSpec(
    "abacus",
    draws=(
        Draw("fc1_w", (30, 16), ABACUS),
        Draw("fc1_b", (1, 16), ABACUS),
        Draw("fc2_w", (17, 1), ABACUS),
        Draw("head_w", (16, 3), ABACUS),
    ),
    tensors=(
        Tensor("fc1_w", "weight", (30, 16), (RowBlock("fc1_w", 0, 30),)),
        Tensor("fc1_b", "bias", (16,), (RowBlock("fc1_b", 0, 1),)),
        Tensor("fc2_w", "weight", (16, 1), (RowBlock("fc2_w", 0, 16),)),
        Tensor("fc2_w.bias", "bias", (1,), (RowBlock("fc2_w", 16, 17),)),
        Tensor("head_w", "weight", (16, 3), (RowBlock("head_w", 0, 16),)),
    ),
    layers=(
        Layer("fc1", "fc1", (Input("x", 30),), "fc1_w", "fc1_b", "relu"),
        Layer("fc2", "fc2", (Input("fc1", 16),), "fc2_w", "fc2_w.bias", "linear"),
        Layer("head", "head", (Input("fc1", 16),), "head_w", None, "linear"),
    ),
)
HALVES = [pytest.param(dtype, marks=pytest.mark.paddle_3) for dtype in ("float16", "bfloat16")]
STACK = Blocks((Block(2, Normal(0, 0.13)), Block(1, Uniform(-0.3, 0.1)), Block(1, Constant(0.5))))


def f32(value: float) -> float:
    return float(np.float32(value))


def bits(array: np.ndarray) -> np.ndarray:
    return np.ascontiguousarray(array).view(f"u{array.dtype.itemsize}")


def eager(distribution: Distribution, dtype: str = "float32", seed: int = 11) -> np.ndarray:
    paddle.seed(seed)
    with fresh_names():
        attr = param_attr(distribution, [4, 5], dtype=dtype)
        parameter = paddle.create_parameter([4, 5], dtype, attr=attr)
    return np.asarray(parameter.numpy())


@each_ir
@pytest.mark.parametrize(
    ("distribution", "ops"),
    [
        (Normal(0, 0.13), [("gaussian", 4, {"mean": 0.0, "std": f32(0.13)})]),
        (Normal(0.1, 0), [("gaussian", 4, {"mean": f32(0.1), "std": 0.0})]),
        (Uniform(-0.3, 0.1), [("uniform", 4, {"low": f32(-0.3), "high": f32(0.1)})]),
        (Constant(0.1), [("full", 4, {"value": 0.1})]),
        (
            TruncatedNormal(0, 0.7, -1.4, 1.4),
            [("truncated_gaussian", 4, {"mean": 0.0, "std": f32(0.7)} | cutoffs(-1.4, 1.4))],
        ),
        pytest.param(
            TruncatedNormal(0, 0.7, -1.1, 1.3),
            [("truncated_gaussian", 4, {"mean": 0.0, "std": f32(0.7)} | cutoffs(-1.1, 1.3))],
            marks=pytest.mark.paddle_3,
        ),
        (
            STACK,
            [
                ("gaussian", 2, {"mean": 0.0, "std": f32(0.13)}),
                ("uniform", 1, {"low": f32(-0.3), "high": f32(0.1)}),
                ("full", 1, {"value": 0.5}),
            ],
        ),
    ],
    ids=["normal", "std-0", "uniform", "constant", "truncated", "cut-freely", "blocks"],
)
def test_startup_op_has_the_distributions_numbers(
    distribution: Distribution, ops: list[tuple[str, int, dict[str, float]]], old_ir: bool
) -> None:
    with static_graph(old_ir=old_ir) as graph:
        attr = param_attr(distribution, [4, 5], name="p")
        paddle.static.create_parameter([4, 5], "float32", attr=attr)
        found = graph.drawn()["p"]
    assert found == [{"op": op, "shape": [rows, 5], **numbers} for op, rows, numbers in ops]


@pytest.mark.parametrize("dtype", ["float32", "float64", *HALVES])
@pytest.mark.parametrize(
    "distribution",
    [Normal(0, 0.13), Normal(0.5, 0), Uniform(-0.3, 0.1), Constant(0.1), STACK],
    ids=["normal", "std-0", "uniform", "constant", "blocks"],
)
def test_dynamic_and_static_graph_draw_the_same_bits(
    distribution: Distribution, dtype: str
) -> None:
    dynamic = eager(distribution, dtype)
    with static_graph() as graph:
        attr = param_attr(distribution, [4, 5], name="p", dtype=dtype)
        paddle.static.create_parameter([4, 5], dtype, attr=attr)
        paddle.seed(11)
        static = graph.initialized()["p"]
    np.testing.assert_array_equal(bits(static), bits(dynamic))


def test_old_static_graph_draws_the_same_bits() -> None:
    stack = Blocks((*STACK.parts[:2], Block(1, TruncatedNormal(0, 1, -2, 2))))
    with static_graph(old_ir=True) as graph:
        paddle.static.create_parameter([4, 5], "float32", attr=param_attr(STACK, [4, 5], name="p"))
        paddle.static.create_parameter([4, 5], "float32", attr=param_attr(stack, [4, 5], name="q"))
        paddle.seed(11)
        static = graph.initialized()
    np.testing.assert_array_equal(bits(static["p"]), bits(eager(STACK)))
    assert len(np.unique(static["q"])) == 20


def test_float64_draws_with_a_float32_std() -> None:
    unit, drawn = eager(Normal(0, 1), "float64"), eager(Normal(0, 0.13), "float64")
    np.testing.assert_array_equal(bits(drawn), bits(unit * f32(0.13)))
    assert np.any(drawn != unit * 0.13)


def test_blocks_draw_one_after_another() -> None:
    paddle.seed(11)
    with fresh_names():
        parts = [
            paddle.create_parameter(
                [part.rows, 5], "float32", attr=param_attr(part.distribution, [part.rows, 5])
            )
            for part in STACK.parts
        ]
    expected = np.concatenate([part.numpy() for part in parts])
    np.testing.assert_array_equal(bits(eager(STACK)), bits(expected))


def test_blocks_wait_under_a_lazy_guard() -> None:
    with fresh_names(), paddle.LazyGuard():
        layer = paddle.nn.Linear(4, 5, weight_attr=param_attr(STACK, [4, 5]), bias_attr=False)
    paddle.seed(11)
    layer.weight.initialize()
    np.testing.assert_array_equal(bits(layer.weight.numpy()), bits(eager(STACK)))


def test_blocks_train_like_any_parameter() -> None:
    with fresh_names():
        layer = paddle.nn.Linear(4, 5, weight_attr=param_attr(STACK, [4, 5]), bias_attr=False)
    layer(paddle.ones([2, 4])).sum().backward()
    assert layer.weight.is_leaf
    assert layer.weight.grad.numpy().tolist() == [[2.0] * 5] * 4


def test_a_program_seed_repeats_itself_in_each_block_and_says_so() -> None:
    stack = Blocks((Block(2, Normal(0, 0.5)), Block(2, Normal(0, 0.25))))
    with static_graph(random_seed=7) as graph:
        with pytest.warns(UserWarning, match="random_seed starts every op anew"):
            paddle.static.create_parameter(
                [4, 5], "float32", attr=param_attr(stack, [4, 5], name="p")
            )
        rows = graph.initialized()["p"]
    np.testing.assert_array_equal(rows[:2], 2 * rows[2:])


def test_blocks_refuse_another_height() -> None:
    with fresh_names(), pytest.raises(ValueError, match=r"the blocks have 4 rows.*\[5, 5\]"):
        paddle.nn.Linear(5, 5, weight_attr=param_attr(STACK, [4, 5]))


OPTIONS = {
    "learning_rate": 0.5,
    "regularizer": paddle.regularizer.L2Decay(1e-4),
    "trainable": False,
    "do_model_average": False,
    "need_clip": False,
}


def test_options_reach_the_parameter() -> None:
    attr = param_attr(paddle_fc(0.2), [4, 5], name="w", **OPTIONS)
    with fresh_names():
        weight = paddle.nn.Linear(4, 5, weight_attr=attr).weight
    assert weight.name == "w"
    assert weight.optimize_attr == {"learning_rate": 0.5}
    assert weight.regularizer._coeff == 1e-4
    assert weight.stop_gradient
    assert not weight.need_clip
    assert not weight.do_model_average


def test_options_reach_every_attr_of_a_spec() -> None:
    for attr in param_attrs(TOWER, **OPTIONS).values():
        assert {name: getattr(attr, name) for name in OPTIONS} == OPTIONS


def test_a_global_initializer_does_not_win() -> None:
    paddle.nn.initializer.set_global_initializer(paddle.nn.initializer.Constant(9.0))
    try:
        with fresh_names():
            attr = param_attr(normal(0, 0), [4, 5])
            weight = paddle.nn.Linear(4, 5, weight_attr=attr).weight
    finally:
        paddle.nn.initializer.set_global_initializer(None)
    assert not weight.numpy().any()


def test_scheme_and_its_distribution_are_alike() -> None:
    scheme = xavier_uniform()
    by_scheme, by_value = param_attr(scheme, [4, 5]), param_attr(scheme((4, 5)), [4, 5])
    assert vars(by_scheme.initializer) == vars(by_value.initializer)
    assert type(by_scheme.initializer) is paddle.nn.initializer.Uniform


def expected_stds() -> dict[str, float]:
    return {tensor.name: f32(TOWER.distribution(tensor).std) for tensor in TOWER.tensors}


def test_spec_lands_in_a_static_net() -> None:
    attrs = param_attrs(TOWER, prefix="tower_")
    with static_graph() as graph:
        x = paddle.static.data("x", [None, 30])
        fc1 = paddle.static.nn.fc(x, 16, activation="relu", **attrs.linear("fc1_w"))
        paddle.static.nn.fc(fc1, 1, **attrs.linear("fc2_w"))
        paddle.static.nn.fc(fc1, 3, **attrs.linear("head_w"))
        drawn = graph.drawn()
    assert {name: [op["std"] for op in ops] for name, ops in drawn.items()} == {
        f"tower_{name}": [std] for name, std in expected_stds().items()
    }
    shapes = {tensor.name: list(tensor.shape) for tensor in TOWER.tensors}
    assert {name: drawn[f"tower_{name}"][0]["shape"] for name in shapes} == shapes


def test_spec_lands_in_a_dynamic_net() -> None:
    attrs = param_attrs(TOWER)
    paddle.seed(3)
    with fresh_names():
        fc1 = paddle.nn.Linear(30, 16, **attrs.linear("fc1_w"))
        fc2 = paddle.nn.Linear(16, 1, **attrs.linear("fc2_w"))
        head = paddle.nn.Linear(16, 3, **attrs.linear("head_w"))
    assert head.bias is None
    paddle.seed(3)
    for parameter in (fc1.weight, fc1.bias, fc2.weight, fc2.bias, head.weight):
        unit = paddle.create_parameter(
            parameter.shape, "float32", attr=param_attr(normal(0, 1), parameter.shape)
        )
        std = np.float32(expected_stds()[parameter.name])
        np.testing.assert_array_equal(bits(parameter.numpy()), bits(unit.numpy() * std))


def test_param_attrs_is_a_mapping_in_the_specs_order() -> None:
    attrs = param_attrs(TOWER, learning_rate=0.1, overrides={"fc1_b": {"learning_rate": 2.0}})
    assert list(attrs) == [tensor.name for tensor in TOWER.tensors]
    assert len(attrs) == 5
    rates = {name: attr.learning_rate for name, attr in attrs.items()}
    assert rates.pop("fc1_b") == 2.0
    assert set(rates.values()) == {0.1}


def test_attrs_name_any_number_of_parameters() -> None:
    attrs, others = param_attrs(TOWER), param_attrs(TOWER)
    with fresh_names():
        layers = [paddle.nn.Linear(30, 16, **attrs.linear("fc1_w")) for _ in range(2)]
        layers.append(paddle.nn.Linear(30, 16, **others.linear("fc1_w")))
        single = paddle.create_parameter([30, 16], "float32", attr=attrs["fc1_w"])
    names = [[layer.weight.name, layer.bias.name] for layer in layers]
    assert names == [["fc1_w", "fc1_b"], ["fc1_w@1", "fc1_b@1"], ["fc1_w@2", "fc1_b@2"]]
    assert single.name == "fc1_w@3"
    assert attrs["fc1_w"].name == "fc1_w"


def test_attrs_share_by_name_in_a_static_graph() -> None:
    attrs = param_attrs(TOWER)
    for _ in range(2):
        with static_graph() as graph:
            x = paddle.static.data("x", [None, 30])
            paddle.static.nn.fc(x, 16, **attrs.linear("fc1_w"))
            assert set(graph.drawn()) == {"fc1_w", "fc1_b"}


def test_prefix_none_leaves_the_names_to_paddle() -> None:
    attrs = param_attrs(TOWER, prefix=None)
    assert all(attr.name is None for attr in attrs.values())
    assert [attr.name for attr in param_attrs(TOWER).values()] == list(attrs)


def test_linear_of_a_spec_without_layers_pairs_by_width() -> None:
    plain = NetSpec(
        "paddle",
        draws=(
            Draw("w1", (4, 5), paddle_fc(0.2)),
            Draw("b1", (5,), paddle_fc(0.2, fan_in=4)),
            Draw("w2", (5, 3), paddle_fc(0.2)),
        ),
    )
    attrs = param_attrs(plain)
    assert attrs.linear("w1") == {"weight_attr": attrs["w1"], "bias_attr": attrs["b1"]}
    assert attrs.linear("w2") == {"weight_attr": attrs["w2"], "bias_attr": False}


def test_linear_refuses_what_is_no_weight() -> None:
    with pytest.raises(SpecError, match="no weight 'fc1_b'; weights: fc1_w, fc2_w, head_w"):
        param_attrs(TOWER).linear("fc1_b")


def test_linear_refuses_a_shared_weight_with_two_biases() -> None:
    shared = NetSpec(
        "abacus",
        draws=(Draw("w", (4, 4), ABACUS), Draw("b", (1, 4), ABACUS)),
        tensors=(
            Tensor("w", "weight", (4, 4), (RowBlock("w", 0, 4),)),
            Tensor("b", "bias", (4,), (RowBlock("b", 0, 1),)),
        ),
        layers=(
            Layer("one", "one", (Input("x", 4),), "w", "b", "relu"),
            Layer("two", "two", (Input("one", 4),), "w", None, "linear"),
        ),
    )
    with pytest.raises(SpecError, match=r"different biases \(b, no bias\)"):
        param_attrs(shared).linear("w")


def test_importing_the_adapter_does_not_import_paddle() -> None:
    code = "import sys, paddle_init.frameworks.paddle; sys.exit('paddle' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0
