"""Fan averages and the schemes that stand on theory."""

from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from paddle_init.activations.gains import gain
from paddle_init.distributions import Normal, Uniform
from paddle_init.errors import SchemeError
from paddle_init.frameworks.paddle.nets.attrs import param_attr
from paddle_init.schemes import (
    KINDS,
    VarianceScaling,
    constant_variance,
    geometric_normal,
    geometric_uniform,
    quadratic_normal,
    quadratic_uniform,
    scheme_fields,
)
from paddle_init.signal.averages import compare_averages, cost, stack
from paddle_init.specs.yaml_form import dump_spec, parse_spec
from paddle_init.yaml_cpp import DocumentError

WIDTHS = st.integers(1, 100_000)


@given(WIDTHS, WIDTHS)
def test_averages(m, n):
    arithmetic, geometric, quadratic = compare_averages(m, n)
    slack = 1 + 1e-12
    assert quadratic.fan * slack >= arithmetic.fan
    assert arithmetic.fan * slack >= geometric.fan
    for t in (0.9, 0.999, 1.001, 1.1):
        assert quadratic.cost <= cost(m, n, t * quadratic.variance) * slack
    assert geometric.round_trip == pytest.approx(1, rel=1e-12)
    assert arithmetic.round_trip <= slack
    if m == n:
        assert {a.fan for a in (arithmetic, geometric, quadratic)} == {float(m)}


def test_known_values():
    arithmetic, geometric, quadratic = compare_averages(768, 3072)
    assert (arithmetic.fan, geometric.fan, quadratic.fan) == (1920, 1536, 2611.2)
    assert (arithmetic.forward, arithmetic.backward) == pytest.approx((-0.6, 0.6))
    assert quadratic.cost == pytest.approx(9 / 17)


def test_stack_of_geometric_average_comes_back():
    arithmetic, geometric, quadratic = stack(100, 400, 64)
    assert geometric.forward[::2] == pytest.approx([1.0] * 33)
    assert geometric.backward[::2] == pytest.approx([1.0] * 33)
    assert arithmetic.forward[-1] == pytest.approx(0.64**32)
    assert quadratic.forward[-1] < arithmetic.forward[-1]
    assert len(geometric.forward) == 65


@pytest.mark.parametrize("bad", [0, -1, 1.5, True])
def test_bad_fans(bad):
    with pytest.raises(SchemeError, match="averages: m must be an integer of at least 1"):
        compare_averages(bad, 3)


@pytest.mark.parametrize(
    ("scheme", "expected"),
    [
        (geometric_normal(), Normal(0, 1 * math.sqrt(1 / math.sqrt(50 * 200)))),
        (geometric_uniform(2.0), Uniform(-2 * math.sqrt(3 / 100), 2 * math.sqrt(3 / 100))),
        (quadratic_normal(), Normal(0, math.sqrt(1 / 170))),
        (quadratic_uniform(), Uniform(-math.sqrt(3 / 170), math.sqrt(3 / 170))),
    ],
)
def test_named_averages(scheme, expected):
    assert scheme((50, 200)) == expected


@pytest.mark.parametrize("form", ["normal", "uniform"])
@pytest.mark.parametrize("name", ["gelu", "leaky_relu(0.2)", "tanh8", "selu"])
def test_constant_variance_is_variance_scaling_with_the_gain(name, form):
    for std in (1.0, 0.5):
        scheme = constant_variance(name, std, form)
        c = gain(name, std=std).gain
        assert scheme((784, 100)) == VarianceScaling(c, "fan_in", form)((784, 100))
        assert constant_variance(name, std, form, 784)((1, 100)) == scheme((784, 100))


def test_constant_variance_round_trips_through_its_fields():
    scheme = constant_variance("LeakyReLU(0.20)", 0.5, "uniform", 30)
    fields = scheme_fields(scheme)
    assert fields == {
        "kind": "constant_variance",
        "activation": "leaky_relu(negative_slope=0.2)",
        "std": 0.5,
        "distribution": "uniform",
        "fan_in": 30,
    }
    kind = KINDS[fields.pop("kind")]
    assert kind.make(**fields) == scheme
    assert set(fields) == {*kind.required, *kind.optional}


def test_constant_variance_formula():
    assert constant_variance("linear", 0.5)((64, 3)).std == pytest.approx(1 / 8, rel=1e-15)
    text = constant_variance("relu", 0.5).formula((64, 3))
    assert text.startswith("std = gain(relu, std 0.5) / sqrt(fan_in) = 1.41421356")
    assert " / sqrt(64) = 0.17677669529663" in text
    assert (
        constant_variance("relu", 1, "uniform")
        .formula((64, 3))
        .startswith("bound = gain(relu) * sqrt(3 / fan_in) = ")
    )


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ((math.tanh,), "constant_variance: activation must be a name"),
        (("gelo",), "constant_variance: unknown activation 'gelo'; did you mean gelu"),
        (("relu", 0), "constant_variance: std must be in (0, inf), got 0"),
        (("relu", -1), "constant_variance: std must be finite and 0 or more, got -1"),
        (("relu", 1, "beta"), "constant_variance: distribution must be one of"),
    ],
)
def test_constant_variance_errors(arguments, message):
    with pytest.raises(SchemeError) as caught:
        constant_variance(*arguments)
    assert str(caught.value).startswith(message)


SPEC = """\
paddle_init: 1
framework: paddle
draws:
  - {name: w, shape: [784, 100], scheme: {kind: constant_variance, activation: gelu}}
  - {name: v, shape: [100, 50], scheme: {kind: constant_variance, activation: "hardtanh(-2, 0.5)",
     std: 0.5, distribution: uniform}}
  - {name: u, shape: [50, 20], scheme: {kind: quadratic_normal}}
"""


def test_net_spec_round_trip():
    spec = parse_spec(SPEC)
    assert spec.draws[0].scheme == constant_variance("gelu")
    assert spec.draws[1].scheme == constant_variance("hardtanh(min=-2, max=0.5)", 0.5, "uniform")
    assert spec.draws[2].scheme == quadratic_normal()
    assert parse_spec(dump_spec(spec)) == spec


def test_net_spec_names_the_line_of_an_unknown_activation():
    with pytest.raises(DocumentError, match=r"net.yaml:4.*unknown activation 'gelo'; did you mean"):
        parse_spec(SPEC.replace("gelu", "gelo"), "net.yaml")


def test_constant_variance_is_a_paddle_initializer():
    import paddle

    scheme = constant_variance("gelu")
    state = paddle.get_rng_state()
    weights = []
    for attr in (
        param_attr(scheme, (784, 100)),
        paddle.ParamAttr(initializer=paddle.nn.initializer.Normal(0.0, scheme((784, 100)).std)),
    ):
        paddle.seed(7)
        weights.append(paddle.nn.Linear(784, 100, weight_attr=attr).weight.numpy())
    paddle.set_rng_state(state)
    assert (weights[0].view("u4") == weights[1].view("u4")).all()


def test_a_bias_s_shape_needs_its_fan_in():
    with pytest.raises(SchemeError, match="does not say its fan_in"):
        constant_variance("relu")((100,))
