"""The recursion in closed form, its verdicts, and what is refused."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest

from paddle_init.activations.builtin import ActivationError
from paddle_init.activations.notation import activation
from paddle_init.activations.quadrature import means
from paddle_init.distributions import (
    Block,
    Blocks,
    Constant,
    Normal,
    TruncatedNormal,
    Uniform,
    Unknown,
)
from paddle_init.errors import PropagationError
from paddle_init.frameworks.paddle.nets.operators import build
from paddle_init.parity.records import Side
from paddle_init.schemes import (
    TRUNCATED_STD,
    constant_variance,
    he_normal,
    lecun_normal,
    normal,
    uniform,
    xavier_normal,
)
from paddle_init.signal.dense import Dense, Moments, from_spec, mlp, moments
from paddle_init.signal.measurement import measure
from paddle_init.signal.propagation import propagate_dense, saturated_share
from paddle_init.signal.verdict import judge
from paddle_init.specs import Draw, Input, Layer, NetSpec
from paddle_init.statistics import moments as statistics
from paddle_init.statistics.laws import law


def test_relu_in_closed_form():
    """var(y_L) = var(y_1) prod m_l var(w_l) / 2, and n_l var(w_l) / 2 backward."""
    widths = [30, 50, 20, 70]
    found = propagate_dense(mlp(widths, "relu", normal(0, 0.2)))
    second, expected = 1.0, []
    for index, m in enumerate(widths[:-1]):
        second *= m * 0.04 * (0.5 if index else 1)
        expected.append(second)
    assert [s.pre_activation.second for s in found.signals] == pytest.approx(expected, rel=1e-13)
    assert [s.output.second for s in found.signals[:-1]] == pytest.approx(
        [second / 2 for second in expected[:-1]], rel=1e-13
    )
    assert [s.output.mean for s in found.signals[:-1]] == pytest.approx(
        [math.sqrt(second / (2 * math.pi)) for second in expected[:-1]], rel=1e-13
    )
    gradient, backward = 1.0, [1.0]
    for n in reversed(widths[2:]):
        gradient *= n * 0.04 / 2
        backward.insert(0, gradient)
    assert [s.gradient.second for s in found.signals] == pytest.approx(backward, rel=1e-13)
    assert found.input_gradient.second == pytest.approx(gradient * 50 * 0.04, rel=1e-13)


def test_linear_with_biases_and_means():
    """A linear net's moments over samples and units, exactly, from the definition."""
    weight, bias = Normal(0.03, 0.1), Normal(0.5, 0.2)
    layers = [Dense(40, 30, weight, bias, name="a"), Dense(30, 20, weight, bias, name="b")]
    found = propagate_dense(layers, Moments(0.7, 1.3)).signals
    mean = 40 * 0.03 * 0.7 + 0.5
    shared = 0.03**2 * 40 * (1.3 - 0.49)
    own = 40 * 0.01 * 1.3 + 0.04
    assert found[0].pre_activation.mean == pytest.approx(mean)
    assert found[0].pre_activation.variance == pytest.approx(own + shared)
    # sum over 30 units that share `shared`
    second_shared = 0.03**2 * (30 * own + 30**2 * shared)
    second_own = 30 * 0.01 * (own + shared + mean**2) + 0.04
    assert found[1].pre_activation.mean == pytest.approx(30 * 0.03 * mean + 0.5)
    assert found[1].pre_activation.variance == pytest.approx(second_own + second_shared)


def test_constant_variance_keeps_every_std():
    for name in ("tanh", "gelu", "sigmoid", "selu", "tanh8"):
        for std in (1.0, 0.5):
            layers = mlp(
                [64, 32, 100, 10],
                name,
                constant_variance(name, std),
                first=constant_variance("linear", std),
            )
            found = propagate_dense(layers, Moments(0, std * std)).signals
            assert [s.pre_activation.std for s in found] == pytest.approx([std] * 3, rel=1e-12)


def test_unstable_fixed_point_leaves_it_without_the_first_layer_s_own_gain():
    """gelu's E[a(s z)^2] grows faster than s^2: 1.53 at the start becomes ever more."""
    widths = [1024] * 33
    drifting = propagate_dense(mlp(widths, "gelu", constant_variance("gelu"))).signals
    assert drifting[0].pre_activation.std == pytest.approx(1.5335, abs=1e-4)
    assert drifting[-1].pre_activation.std > 10


@pytest.mark.parametrize("name", ["relu", "tanh", "softplus", "hardshrink", "tanhshrink", "elu"])
@pytest.mark.parametrize(("mean", "std"), [(0.0, 1.0), (0.4, 2.5), (-3.0, 0.2), (0.0, 0.01)])
def test_quick_means_and_their_derivative(name, mean, std):
    from paddle_init.activations.quadrature import expectations

    found = activation(name)

    def square(x):
        return (found(x) ** 2,)

    def value(s):
        return expectations(square, mean, s, found.kinks, found.scale, True)[0].value

    (quick,), (change,) = means(square, mean, std, found.kinks, found.scale, True)
    assert quick == pytest.approx(value(std), rel=1e-12)
    step = 1e-3
    rise = (value(std * math.exp(step / 2)) - value(std * math.exp(-step / 2))) / (2 * step)
    assert change == pytest.approx(rise, rel=4e-3, abs=1e-9 * quick)


def test_a_spread_beyond_first_order_stays_and_is_noted():
    layers = mlp([256] * 65, "hardshrink", xavier_normal(), normal(0, 0.1), first=lecun_normal())
    found = propagate_dense(layers)
    spreads = [signal.spread for signal in found.signals]
    start = next(index for index, spread in enumerate(spreads) if spread > 1)
    assert min(spreads[start:]) > 1
    assert found.notes == (
        f"from fc{start + 1} on, draws of the weights differ from each other and from the "
        "prediction by factors, at these widths",
    )


def test_callables_propagate_like_the_named():
    named = propagate_dense(mlp([64] * 6, "tanh", xavier_normal())).signals
    called = propagate_dense(mlp([64] * 6, np.tanh, xavier_normal())).signals
    for one, other in zip(named, called, strict=True):
        assert one.pre_activation.second == pytest.approx(other.pre_activation.second, rel=1e-11)
        assert one.gradient.second == pytest.approx(other.gradient.second, rel=1e-8)


@pytest.mark.parametrize(
    ("distribution", "mean", "second"),
    [
        (Normal(0.5, 2), 0.5, 4.25),
        (Uniform(-1, 2), 0.5, 1.0),
        (Constant(3), 3, 9),
        (TruncatedNormal(0, 1, -2, 2), 0, 0.87962566103423978**2),
        (TruncatedNormal(1, 0, -2, 2), 1, 1),
        (Blocks((Block(1, Constant(2.0)), Block(3, Normal(0, 1)))), 0.5, 1.75),
    ],
)
def test_moments(distribution, mean, second):
    found = moments(distribution)
    assert found.mean == pytest.approx(mean, abs=1e-15)
    assert found.second == pytest.approx(second, rel=1e-14)


def test_truncated_normal_moments_against_quadrature():
    cut = TruncatedNormal(0.3, 0.8, -0.5, 2.0)
    x = np.linspace(-0.5, 2.0, 200_001)
    density = np.exp(-0.5 * ((x - 0.3) / 0.8) ** 2)
    found = moments(cut)
    assert found.mean == pytest.approx(np.average(x, weights=density), abs=1e-5)
    assert found.second == pytest.approx(np.average(x * x, weights=density), abs=1e-5)


def test_what_a_cut_leaves_of_a_normal_has_one_answer():
    cut = TruncatedNormal(0, 1, 0.5, 3)
    mean, std = 1.1316649249513442, 0.49909822110991087  # far from its mean, 0
    mass = 0.5 * (math.erfc(0.5 / math.sqrt(2)) - math.erfc(3 / math.sqrt(2)))
    low, high = (math.exp(-0.5 * z * z) / math.sqrt(2 * math.pi) for z in (0.5, 3))
    assert mean == pytest.approx((low - high) / mass, rel=1e-13)
    assert std**2 == pytest.approx(1 + (0.5 * low - 3 * high) / mass - mean**2, rel=1e-12)
    side = Side("truncated_normal", 0.0, 1.0, 0.5, 3.0, None, "", None, None)
    tested = law(cut)
    assert statistics.moments(cut) == side.moments == pytest.approx((mean, std), rel=1e-13)
    assert (tested.mean, tested.std) == pytest.approx((mean, std), rel=1e-13)
    assert (moments(cut).mean, moments(cut).std) == pytest.approx((mean, std), rel=1e-13)
    assert pytest.approx(statistics.moments(TruncatedNormal(0, 1, -2, 2))[1]) == TRUNCATED_STD
    chain = [Dense(4, 3, cut), Dense(3, 2, cut)]
    assert propagate_dense(chain).signals[0].pre_activation.std == pytest.approx(
        2 * math.hypot(mean, std), rel=1e-13
    )


def test_saturated_share():
    edge = math.atanh(math.sqrt(0.9))
    exact = math.erfc(edge / math.sqrt(2))
    assert saturated_share(activation("tanh"), 0, 1) == pytest.approx(exact, abs=1e-9)
    assert saturated_share(activation("hardtanh"), 0, 1) == pytest.approx(
        math.erfc(1 / math.sqrt(2)), abs=1e-9
    )
    assert saturated_share(activation("relu"), 0, 1) is None
    assert saturated_share(activation("tanh8"), 0, 8) == pytest.approx(exact, abs=1e-9)


@pytest.mark.parametrize(
    ("activation", "scheme", "findings"),
    [
        ("relu", he_normal(), ()),
        ("relu", lecun_normal(), ("vanishing signal", "vanishing gradient")),
        ("relu", normal(0, 0.1), ("exploding signal", "exploding gradient")),
        ("tanh", normal(0, 0.5), ("exploding gradient", "saturating")),
        ("tanh", xavier_normal(), ()),
        ("sigmoid", xavier_normal(), ("vanishing gradient",)),
    ],
)
def test_verdicts(activation, scheme, findings):
    layers = mlp([512] * 17, activation, scheme)
    found = judge(layers, propagate_dense(layers))
    assert set(found.findings) == set(findings)
    assert (found.fix is None) >= (not findings)
    if "vanishing signal" in findings:
        assert found.fix.name == "constant_variance"
        assert found.fix.remaining == ()
        assert found.fix.schemes[0] == constant_variance("linear")
        assert found.fix.schemes[1] == constant_variance("relu")


def test_growth_is_the_factor_per_layer():
    layers = mlp([512] * 11, "relu", normal(0, math.sqrt(2 * 4 / 512)))
    found = judge(layers, propagate_dense(layers), advise=False)
    assert found.signal_growth == pytest.approx(2, rel=0.04)  # the last layer's gradient has no a'
    assert found.layers[-1].signal == pytest.approx(2**9, rel=1e-12)


def test_errors():
    with pytest.raises(PropagationError, match="a has 3 outputs, b 4 inputs"):
        propagate_dense([Dense(2, 3, Normal(), name="a"), Dense(4, 2, Normal(), name="b")])
    with pytest.raises(PropagationError, match="at least one layer"):
        propagate_dense([])
    with pytest.raises(PropagationError, match="what is not known has no moments: mystery"):
        propagate_dense([Dense(2, 3, Unknown("mystery"), name="a")])
    with pytest.raises(PropagationError, match=r"fc\d+: the signal overflows"):
        propagate_dense(mlp([100] * 50, "relu", normal(0, 1e6)))
    with pytest.raises(PropagationError, match="two widths or more"):
        mlp([3], "relu", he_normal())
    with pytest.raises(PropagationError, match="2 hidden layers need as many activations, got 1"):
        mlp([3, 3, 3, 3], ["relu"], he_normal())
    with pytest.raises(ActivationError, match="did you mean relu"):
        mlp([3, 3, 3], "rellu", he_normal())


def _spec(layers=()):
    draws = (
        Draw("w1", (4, 8), uniform(-1, 1)),
        Draw("b1", (8,), normal(0, 0.5)),
        Draw("w2", (8, 2), normal(0, 1)),
    )
    from paddle_init.specs import RowBlock, Tensor

    tensors = tuple(
        Tensor(
            d.name,
            "bias" if d.name[0] == "b" else "weight",
            d.shape,
            (RowBlock(d.name, 0, d.shape[0]),),
        )
        for d in draws
    )
    return NetSpec("paddle", draws, tensors, layers=layers)


def test_from_spec():
    first, second = from_spec(_spec(), "relu")
    assert (first.fan_in, first.fan_out, first.weight, first.bias) == (
        4, 8, Uniform(-1, 1), Normal(0, 0.5),
    )  # fmt: skip
    assert (first.activation.text, second.activation.text) == ("relu", "linear")
    assert second.bias is None
    layers = (
        Layer("one", "h", (Input("x", 4),), "w1", "b1", "tanh"),
        Layer("two", "y", (Input("h", 8),), "w2", None, "linear"),
    )
    assert [layer.activation.text for layer in from_spec(_spec(layers))] == ["tanh", "linear"]


def test_from_spec_refuses_what_is_no_chain():
    one = Layer("one", "h", (Input("x", 4),), "w1", "b1", "tanh")
    with pytest.raises(PropagationError, match=r"two reads 2 inputs \(h, x\)"):
        from_spec(
            _spec((one, Layer("two", "y", (Input("h", 4), Input("x", 4)), "w2", None, "linear")))
        )
    with pytest.raises(PropagationError, match="two reads x, not h of the layer before it, one"):
        from_spec(_spec((one, Layer("two", "y", (Input("x", 4),), "w2", None, "linear"))))
    with pytest.raises(PropagationError, match="does not say the activations"):
        from_spec(_spec())


@pytest.mark.parametrize(
    ("activation", "entering", "bias", "name"),
    [
        ("hardtanh", 1.0, None, "constant_variance, std 0.5"),
        ("tanh", 7.0, None, "constant_variance"),
        ("tanh", 0.01, normal(0, 9), "constant_variance, without biases"),
    ],
)
def test_the_scheme_that_is_proposed_puts_it_right(activation, entering, bias, name):
    """On the real net too: what is measured keeps its std from the first layer on."""
    layers = mlp([256] * 9, activation, he_normal(), bias)
    start = Moments(0.0, entering**2)
    verdict = judge(layers, propagate_dense(layers, start))
    assert verdict.findings
    assert (verdict.fix.name, verdict.fix.remaining) == (name, ())
    better = [
        replace(layer, weight=scheme((layer.fan_in, layer.fan_out)), bias=None)
        for layer, scheme in zip(layers, verdict.fix.schemes, strict=True)
    ]
    rows = entering * np.random.default_rng(2).normal(size=(256, 256))
    kept = 0.5 if "0.5" in name else 1.0
    for layer in measure(build(better, seed=1), rows, seed=2, bins=0).layers:
        assert layer.pre_activation.rms == pytest.approx(kept, rel=0.25)
