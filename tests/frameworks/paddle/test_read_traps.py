"""What Paddle takes without a word: read_net's notices, from inputs of real bug reports."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
import paddle
import pytest
from paddle import nn
from paddle.nn.initializer import Assign, Constant, KaimingUniform, Normal, Uniform, XavierNormal
from support.paddle_graph import static_graph
from support.read_cases import codes, f32, flat, gaussian, held, parameter, same

from paddle_init import NetSpec, read_net
from paddle_init.distributions import Unknown
from paddle_init.parity.building import report
from paddle_init.parity.records import Level
from paddle_init.specs import Seeding


def linear(**attrs: Any) -> Callable[[], nn.Layer]:
    return lambda: nn.Linear(64, 4096, **attrs)


def told(spec: NetSpec, code: str) -> list[str]:
    return [notice.message for notice in spec.notices if notice.code == code]


@pytest.mark.parametrize(
    ("settings", "bound", "ignored"),
    [
        ({}, 0.306186, False),
        ({"negative_slope": math.sqrt(5)}, 0.306186, True),
        ({"negative_slope": math.sqrt(5), "nonlinearity": "leaky_relu"}, 0.125, False),
    ],
    ids=["plain", "slope", "leaky_relu"],
)
def test_kaiming_minds_its_slope_for_leaky_relu_alone(
    settings: dict[str, Any], bound: float, ignored: bool
) -> None:
    build = linear(weight_attr=KaimingUniform(**settings), bias_attr=False)
    spec = read_net(build)
    gain = math.sqrt(2 / (1 + 5)) if bound == 0.125 else math.sqrt(2.0)
    exact = gain * math.sqrt(3.0 / 64)
    assert held(spec) == {"weight": flat(-exact, exact)}
    assert round(exact, 6) == bound
    assert codes(spec) == (["kaiming-slope-ignored"] if ignored else [])
    if ignored:
        (message,) = told(spec, "kaiming-slope-ignored")
        assert "draws with bound 0.306186, and with the slope it would be bound 0.125" in message
        assert message in [notice.message for notice in report(spec).warnings]


def test_kaiming_on_a_bias_takes_its_length_for_fan_in() -> None:
    spec = read_net(linear(bias_attr=KaimingUniform()))
    exact = math.sqrt(2.0) * math.sqrt(3.0 / 4096)
    assert held(spec)["bias"] == flat(-exact, exact)
    (message,) = told(spec, "kaiming-on-1d")
    assert "takes the length of a 1-D parameter, 4096, for its fan_in" in message
    assert codes(read_net(linear(bias_attr=KaimingUniform(fan_in=64)))) == []


def test_traps_are_told_in_static_graph_too() -> None:
    def build() -> None:
        paddle.enable_static()
        x = paddle.static.data("x", [None, 64])
        slope = KaimingUniform(negative_slope=2.0)
        paddle.static.nn.fc(x, 4096, weight_attr=slope, bias_attr=KaimingUniform())

    assert codes(read_net(build)) == ["kaiming-slope-ignored", "kaiming-on-1d"]


def test_a_class_in_place_of_an_initializer_fills_nothing() -> None:
    attr = paddle.ParamAttr(initializer=XavierNormal)
    spec = read_net(lambda: nn.Linear(3, 4, weight_attr=attr))
    assert held(spec)["weight"] == Unknown("the class XavierNormal, which fills nothing")
    (message,) = told(spec, "uninitialized")
    assert "Write XavierNormal()" in message
    assert told(read_net([attr], shapes=[(3, 4)]), "uninitialized")


@pytest.mark.parametrize(
    ("std", "said"),
    [(-1.0, "std must be 0 or more, got -1.0"), (math.nan, "std must be finite, got nan")],
)
@pytest.mark.parametrize("static", [False, True])
def test_impossible_stds_are_told(std: float, said: str, static: bool) -> None:
    if static:
        with static_graph() as graph:
            parameter(Normal(0, std), "w")
            spec = read_net(graph.startup)
    else:
        spec = read_net(lambda: nn.Linear(4, 5, weight_attr=Normal(0, std), bias_attr=False))
    (tensor,) = spec.tensors
    drawn = spec.distribution(tensor)
    assert isinstance(drawn, Unknown)
    assert said in drawn.description
    assert codes(spec) == ["impossible-numbers"]
    assert report(spec).worst is Level.DISTRIBUTION


@pytest.mark.parametrize(
    ("dtype", "value", "overflows"),
    [
        pytest.param("float16", 1e5, True, marks=pytest.mark.paddle_3),
        ("float16", 65504.0, False),
        pytest.param("float16", 65520.0, True, marks=pytest.mark.paddle_3),
        pytest.param("bfloat16", 1e5, False, marks=pytest.mark.paddle_3),
        ("float32", 1e39, True),
        ("float64", 1e39, False),
    ],
)
def test_a_constant_beyond_its_dtype_is_told(dtype: str, value: float, overflows: bool) -> None:
    with static_graph() as graph:
        parameter(Constant(value), "w", dtype)
        spec = read_net(graph.startup)
        assert bool(np.isinf(graph.initialized()["w"].astype("float64")).all()) == (
            overflows and dtype != "bfloat16"
        )
    assert held(spec) == {"w": same(value)}
    assert codes(spec) == (["overflow"] if overflows else [])


class Two(nn.Layer):
    def __init__(self) -> None:
        super().__init__()
        self.a = nn.Linear(4, 4, weight_attr=Normal(0, 0.5))
        self.b = nn.Linear(4, 4, weight_attr=Normal(0, 0.5))


def seeded_before() -> nn.Layer:
    paddle.seed(5)
    return Two()


def seeded_widely() -> nn.Layer:
    paddle.seed(2**32 + 5)
    return Two()


def seeded_after() -> nn.Layer:
    net = Two()
    paddle.seed(5)
    return net


def seeded_between() -> nn.Layer:
    paddle.seed(5)
    net = Two()
    paddle.seed(5)
    net.b = nn.Linear(4, 4, weight_attr=Normal(0, 0.5))
    return net


def drawn_between() -> nn.Layer:
    paddle.seed(5)
    paddle.randn([3])
    return Two()


def drawn_inside() -> nn.Layer:
    paddle.seed(5)
    net = Two()
    paddle.randn([3])
    net.c = nn.Linear(4, 4)
    return net


def numpy_alone() -> nn.Layer:
    np.random.seed(5)  # noqa: NPY002
    return Two()


@pytest.mark.parametrize(
    ("build", "seed", "said"),
    [
        (Two, None, []),
        (seeded_before, 5, []),
        (seeded_widely, 2**32 + 5, []),
        (seeded_after, None, [("seed-after-building", "has no effect on a.weight, b.weight")]),
        (seeded_between, 5, [("seeded-again", "called again before b.weight is drawn")]),
        (drawn_between, 5, [("other-draws", "between paddle.seed(5) and a.weight")]),
        (drawn_inside, 5, [("other-draws", "between b.weight and c.weight")]),
        (numpy_alone, None, [("numpy-seed-without-effect", "numpy.random.seed(5)")]),
    ],
)
def test_what_a_seed_had_an_effect_on(
    build: Callable[[], nn.Layer], seed: int | None, said: list[tuple[str, str]]
) -> None:
    spec = read_net(build)
    assert spec.stream == (None if seed is None else Seeding("mt19937_64", seed=seed))
    assert codes(spec) == [code for code, _ in said]
    for notice, (_, words) in zip(spec.notices, said, strict=True):
        assert words in notice.message


def test_the_seed_that_is_read_draws_the_same_values() -> None:
    kept: dict[str, np.ndarray] = {}

    def build() -> nn.Layer:
        net = seeded_before()
        kept.update({name: p.numpy() for name, p in net.named_parameters()})
        return net

    spec = read_net(build)
    assert spec.stream is not None
    paddle.seed(spec.stream.seed)
    for name, drawn in Two().named_parameters():
        assert np.array_equal(drawn.numpy(), kept[name])


def static_seeds(main: int, startup: int, seed: int | None = None) -> Callable[[], Any]:
    def build() -> Any:
        paddle.enable_static()
        programs = paddle.static.Program(), paddle.static.Program()
        programs[0].random_seed, programs[1].random_seed = main, startup
        with paddle.static.program_guard(*programs):
            parameter(Normal(0, 0.5), "w")
        if seed is not None:
            paddle.seed(seed)
        return programs

    return build


@pytest.mark.parametrize(
    ("main", "startup", "seed", "op_seed", "said"),
    [
        (5, 0, None, None, ["main-seed-without-effect"]),
        (0, 5, None, 5, []),
        (5, 5, None, 5, []),
        (0, 5, 3, 5, ["paddle-seed-without-effect"]),
    ],
)
def test_which_programs_seed_counts(
    main: int, startup: int, seed: int | None, op_seed: int | None, said: list[str]
) -> None:
    spec = read_net(static_seeds(main, startup, seed))
    assert spec.stream == (op_seed and Seeding("mt19937_64", op_seed=op_seed))
    assert codes(spec) == said


def test_the_old_main_programs_seed_counts_in_dynamic_graph() -> None:
    def build() -> nn.Layer:
        paddle.base.framework.default_main_program().random_seed = 9
        return Two()

    spec = read_net(build)
    assert spec.stream == Seeding("mt19937_64", op_seed=9)
    assert "Equal in every bit: a.weight, b.weight." in told(spec, "identical-layers")[0]


def test_an_initializer_with_a_seed_used_twice_is_told() -> None:
    own = nn.initializer.uniform.UniformInitializer(-0.5, 0.5, seed=3)

    def build() -> nn.Layer:
        return nn.Sequential(
            nn.Linear(4, 4, own, bias_attr=False),
            nn.Linear(4, 4, own, bias_attr=False),
            nn.Linear(4, 4, Normal(0, 1.0), bias_attr=False),
        )

    spec = read_net(build)
    assert [draw.op_seed for draw in spec.draws] == [3, 3, None]
    assert "Equal in every bit: 0.weight, 1.weight." in told(spec, "identical-layers")[0]


def test_numpy_seeds_matter_to_given_values_alone() -> None:
    def build() -> nn.Layer:
        np.random.seed(4)  # noqa: NPY002
        values = np.random.rand(3, 4).astype("float32")  # noqa: NPY002
        return nn.Linear(3, 4, weight_attr=Assign(values), bias_attr=False)

    spec = read_net(build)
    why = "given values, which NumPy's or Python's random numbers may have made"
    assert held(spec) == {"weight": Unknown(why)}
    assert codes(spec) == []


def test_the_towers_list_has_one_entry_too_many() -> None:
    """The document's towers build an attr per width, and the last is used by no layer."""
    widths = [300, 128, 1]
    attrs = [Normal(0, 0.2 / width**0.5) for width in widths]
    spec = read_net(attrs, shapes=[(300, 128), (128, 1)])
    assert held(spec) == {
        "attr 0": gaussian(0, 0.2 / 300**0.5),
        "attr 1": gaussian(0, 0.2 / 128**0.5),
    }
    assert told(spec, "unused-attrs") == [
        "attr 2: an attr without a shape, which makes no parameter."
    ]


def test_bounds_are_float32_for_float64_too() -> None:
    with static_graph() as graph:
        parameter(Uniform(-0.13, 0.13), "u", "float64")
        parameter(Normal(0, 0.13), "n", "float64")
        spec = read_net(graph.startup)
    assert held(spec) == {"u": flat(-0.13, 0.13), "n": gaussian(0, 0.13)}
    assert f32(0.13) != 0.13
