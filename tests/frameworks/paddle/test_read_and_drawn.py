"""A net that is read and drawn by us has the bits that Paddle gave it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import paddle
import pytest
from paddle import nn
from paddle.nn.initializer import Constant, KaimingUniform, Normal, Uniform
from paddle.nn.initializer.normal import NormalInitializer
from support.exact_nets import not_known
from support.paddle_graph import PADDLE_3, each_ir, static_graph
from support.read_cases import Net, codes, parameter

from paddle_init import dump_spec, parse_spec, read_net, sample


def bits(array: np.ndarray) -> bytes:
    return np.ascontiguousarray(array).tobytes()


def plain() -> nn.Layer:
    paddle.seed(2**32 + 7)
    return Net()


def with_own_seeds() -> nn.Layer:
    paddle.seed(5)
    return nn.Sequential(
        nn.Linear(40, 30, Normal(0, 0.2), KaimingUniform(fan_in=40)),
        nn.Linear(30, 20, NormalInitializer(0.0, 0.5, seed=9), Uniform(-0.1, 0.1)),
        nn.Linear(20, 10, Uniform(-0.3, 0.3)),
    )


def filled_again() -> nn.Layer:
    net = with_own_seeds()
    Normal(0, 0.7)(net[0].weight)
    net.add_sublayer("last", nn.Linear(10, 3))
    return net


@pytest.mark.parametrize("build", [plain, with_own_seeds, filled_again])
def test_a_dynamic_net(build: Callable[[], nn.Layer]) -> None:
    kept: dict[str, bytes] = {}

    def watched() -> nn.Layer:
        net = build()
        kept.update({name: bits(p.numpy()) for name, p in net.named_parameters()})
        return net

    drawn = sample(read_net(watched))
    assert {name: bits(values) for name, values in drawn.items()} == kept


@pytest.mark.parametrize("random_seed", [0, 11, -3])
def test_a_startup_program(random_seed: int) -> None:
    with static_graph(random_seed) as graph:
        parameter(Normal(0.1, 0.13), "a", shape=(30, 20))
        parameter(NormalInitializer(0.0, 0.5, seed=9), "b", shape=(30, 20))
        parameter(Uniform(-0.3, 0.1), "c", shape=(30, 20))
        spec = read_net(graph.startup)
        paddle.seed(4)
        values = graph.initialized()
    drawn = sample(spec, seed=None if spec.stream else 4)
    assert {name: bits(array) for name, array in drawn.items()} == {
        name: bits(array) for name, array in values.items()
    }


NEWER = pytest.mark.paddle_3  # the half types of Paddle 2 are refused


@each_ir
@pytest.mark.parametrize(
    ("dtype", "value"),
    [
        pytest.param("float16", 65519.99, marks=NEWER),  # rounds to the largest, 65504
        pytest.param("float16", 1 + 2**-11 + 2**-30, marks=NEWER),  # through float32
        pytest.param("bfloat16", 3.39e38, marks=NEWER),
        pytest.param("bfloat16", 1 + 2**-8 + 2**-30, marks=NEWER),
        ("float32", 3.4028235677973362e38),
        ("float32", 1e-46),
        ("float64", -0.0),
    ],
)
def test_constants_that_a_dtype_rounds(dtype: str, value: float, old_ir: bool) -> None:
    with static_graph(old_ir=old_ir) as graph:
        made = Constant(value)
        paddle.static.create_parameter([3, 2], dtype, "c", default_initializer=made)
        (held,) = graph.initialized().values()
        drawn = sample(read_net(graph.startup), seed=1)
    assert bits(drawn["c"]) == bits(held)


def with_weight(make: Callable[[], Any]) -> Callable[[], nn.Layer]:
    """Return a builder that sets made values into a weight, and draws another behind it."""

    def build() -> nn.Layer:
        values = make()
        layer = nn.Linear(*values.shape, bias_attr=False)
        layer.weight.set_value(values)
        return nn.Sequential(layer, nn.Linear(3, 2))

    return build


@pytest.mark.parametrize(
    ("make", "known"),
    [
        (lambda: paddle.uniform([10, 3])[1:3], True),
        (lambda: paddle.uniform([10, 3])[2:4].reshape([3, 2]), True),
        # from the element 3, in the midst of a row of 2
        (lambda: paddle.uniform([10, 3])[1:3].reshape([3, 2]), False),
    ],
    ids=["rows", "rows of another width", "off a row"],
)
def test_a_part_of_a_draw_is_exact_or_not_known(make: Callable[[], Any], known: bool) -> None:
    unknown = not_known(with_weight(make))
    assert unknown <= {"0.weight"}
    if PADDLE_3:
        assert unknown == (set() if known else {"0.weight"})


@pytest.mark.paddle_3
@pytest.mark.parametrize(
    "make",
    [
        lambda: paddle.uniform([10, 3])[2:2],
        lambda: paddle.uniform([10, 3])[0:0].reshape([0, 3]),
        lambda: paddle.concat([paddle.uniform([0, 3]), paddle.uniform([2, 3])]),
    ],
)
def test_no_values_of_a_draw(make: Callable[[], Any]) -> None:
    build = with_weight(make)
    assert not_known(build) == set()
    spec = read_net(build)
    assert parse_spec(dump_spec(spec)) == spec


@pytest.mark.parametrize(
    "make",
    [
        lambda: paddle.to_tensor(data=[[1.0, 2.0], [3.0, 4.0]]),
        lambda: paddle.to_tensor(dtype="float32", data=np.arange(6).reshape(3, 2)),
        lambda: paddle.to_tensor(data=paddle.randn([3, 2])),
    ],
    ids=["list", "array", "tensor"],
)
def test_a_tensor_is_made_of_data_by_keyword(make: Callable[[], Any]) -> None:
    assert not_known(with_weight(make)) == set()


def set_in_integers() -> Any:
    values = paddle.zeros([3, 2], "int64")
    values[0, 1] = 2.7
    return values.astype("float32")


@pytest.mark.parametrize(
    "make",
    [
        lambda: paddle.full([3, 2], 3, "int64").astype("float32"),
        lambda: paddle.full([3, 2], 3.7).astype("int64").astype("float32"),
        lambda: paddle.ones([3, 2], "bool").astype("float32"),
        lambda: paddle.arange(6).reshape([3, 2]).astype("float32"),
        set_in_integers,
    ],
    ids=["number", "cut off", "bool", "array", "set"],
)
def test_fixed_values_that_went_through_integers(make: Callable[[], Any]) -> None:
    assert not_known(with_weight(make)) == set()


def test_a_parameter_of_integers_is_left_out() -> None:
    def build() -> nn.Layer:
        layer = nn.Linear(3, 2)
        layer.count = layer.create_parameter(
            [3], dtype="int8", default_initializer=nn.initializer.Assign(np.ones(3, "int8"))
        )
        layer.number = layer.create_parameter([3], dtype="int64", default_initializer=Constant(1))
        return layer

    assert not_known(build) == set()
    assert codes(read_net(build)) == ["parameter-left-out"] * 2
