"""A net that is read and drawn by us has the bits that Paddle gave it."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import paddle
import pytest
from paddle import nn
from paddle.nn.initializer import Constant, KaimingUniform, Normal, Uniform
from paddle.nn.initializer.normal import NormalInitializer
from support.paddle_graph import each_ir, static_graph
from support.read_cases import Net, parameter

from paddle_init import read_net, sample


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
