"""Measuring real Paddle nets, and telling a chain of layers from what is none."""

from __future__ import annotations

import numpy as np
import pytest

from paddle_init.errors import PropagationError
from paddle_init.frameworks.paddle.nets.operators import build
from paddle_init.schemes import he_normal, normal
from paddle_init.signal.chain import read_layers
from paddle_init.signal.dense import mlp
from paddle_init.signal.measurement import measure

paddle = pytest.importorskip("paddle")
nn = paddle.nn


def test_moments_are_those_of_the_tensors():
    net = build(mlp([5, 7, 3], "tanh", normal(0.1, 0.5), normal(0, 1)), seed=1)
    x = np.random.default_rng(0).standard_normal((11, 5)).astype(np.float32)
    found = measure(net, x, seed=4)
    w1, b1, w2, b2 = (p.numpy().astype(np.float64) for p in net.parameters())
    y1 = x @ w1 + b1
    y2 = np.tanh(y1) @ w2 + b2
    seeded = np.random.default_rng(4).standard_normal((11, 3), dtype=np.float32)
    d1 = (seeded @ w2.T) * (1 - np.tanh(y1) ** 2)
    for layer, pre, out, gradient in (
        (found.layers[0], y1, np.tanh(y1), d1),
        (found.layers[1], y2, y2, seeded),
    ):
        for got, values in (
            (layer.pre_activation, pre),
            (layer.output, out),
            (layer.gradient, gradient),
        ):
            assert got.mean == pytest.approx(values.mean(), rel=1e-5, abs=1e-6)
            assert got.second == pytest.approx((values**2).mean(), rel=1e-5)
        histogram = layer.histograms["pre_activation"]
        assert histogram.counts.sum() == pre.size
        assert histogram.edges.size == histogram.counts.size + 1
        assert abs(histogram.edges).max() == pytest.approx(abs(pre).max(), rel=1e-6)


def test_gradients_of_parameters_are_put_back():
    net = build(mlp([6, 6, 6], "relu", he_normal()), seed=1)
    first, second = net.sublayers()[0].weight, net.sublayers()[-1].weight
    (first.sum() * 3).backward()
    measure(net)
    assert (first.grad.numpy() == 3).all()
    assert second.grad is None


def test_measuring_leaves_no_trace():
    net = build(mlp([6, 6, 6], "relu", he_normal()), seed=1)
    paddle.seed(5)
    expected = paddle.randn([1]).item()
    paddle.seed(5)
    one = measure(net)
    build(mlp([6, 6], "relu", he_normal()), seed=2)
    assert paddle.randn([1]).item() == expected
    assert all(parameter.grad is None for parameter in net.parameters())
    assert not net.sublayers()[0]._forward_post_hooks
    assert measure(net).layers[0].gradient == one.layers[0].gradient


class Functional(nn.Layer):
    """An MLP whose activations are functions, with names to be read."""

    def __init__(self, between):
        super().__init__()
        self.first = nn.Linear(16, 16)
        self.second = nn.Linear(16, 16)
        self.between = between

    def forward(self, x):
        return self.second(self.between(x, self.first(x)))


@pytest.mark.parametrize(
    ("function", "text"),
    [
        (nn.functional.relu, "relu"),
        (nn.functional.gelu, "gelu"),
        (nn.functional.silu, "silu"),
        (lambda y: nn.functional.gelu(y, approximate=True), "gelu(approximate=true)"),
        (lambda y: y, "linear"),
        (paddle.tanh, "tanh"),
    ],
)
def test_functional_activations_are_recognized(function, text):
    layers, measured = read_layers(Functional(lambda x, y: function(y)))
    assert [layer.activation.text for layer in layers] == [text, "linear"]
    assert [layer.name for layer in measured.layers] == ["first", "second"]


@pytest.mark.parametrize(
    ("layer", "text"),
    [
        (nn.LeakyReLU(0.2), "leaky_relu(negative_slope=0.2)"),
        (nn.ELU(0.5), "elu(alpha=0.5)"),
        (nn.Hardtanh(-2.0, 0.5), "hardtanh(min=-2, max=0.5)"),
        (nn.PReLU(1, 0.125), "prelu(weight=0.125)"),
        (nn.GELU(True), "gelu(approximate=true)"),
        (nn.ThresholdedReLU(0.5), "thresholded_relu(threshold=0.5)"),
    ],
)
def test_activation_layers_are_read_with_their_parameters(layer, text):
    net = nn.Sequential(nn.Linear(16, 16), layer, nn.Linear(16, 4))
    assert read_layers(net)[0][0].activation.text == text


@pytest.mark.parametrize(
    "between",
    [
        lambda x, y: x + paddle.tanh(y),
        lambda x, y: paddle.tanh(y) + y,
        lambda x, y: nn.functional.layer_norm(paddle.tanh(y), [16]),
        lambda x, y: nn.functional.dropout(paddle.tanh(y), 0.5),
        lambda x, y: paddle.tanh(y) * 2,
    ],
)
def test_what_is_no_activation_is_named(between):
    net = Functional(between)
    net.norm = nn.LayerNorm(16)
    with pytest.raises(PropagationError) as caught:
        read_layers(net)
    assert str(caught.value) == (
        "what follows first is no activation of its output alone: a residual connection, a "
        "normalization, a dropout or an unknown activation is not followed; the net holds LayerNorm"
    )
    assert len(measure(net).layers) == 2


def test_dropout_at_rest_is_no_obstacle():
    net = nn.Sequential(nn.Linear(16, 16), nn.Tanh(), nn.Dropout(0.5), nn.Linear(16, 4))
    net.eval()
    assert read_layers(net)[0][0].activation.text == "tanh"
    net.train()
    with pytest.raises(PropagationError, match="the net holds Dropout"):
        read_layers(net)


def test_nets_that_cannot_be_measured():
    shared = nn.Linear(4, 4)
    with pytest.raises(PropagationError, match=r"has no paddle\.nn\.Linear"):
        measure(nn.Sequential(nn.Tanh()))
    with pytest.raises(PropagationError, match="runs a linear layer more than once"):
        measure(nn.Sequential(shared, nn.Tanh(), shared))

    class Pair(nn.Layer):
        def __init__(self):
            super().__init__()
            self.used, self.unused = nn.Linear(4, 4), nn.Linear(4, 4)

        def forward(self, x):
            return self.used(x)

    with pytest.raises(PropagationError, match="has 2 linear layers, its forward ran 1"):
        measure(Pair())


def deep(activation, layers):
    paddle.seed(0)
    xavier = paddle.ParamAttr(initializer=nn.initializer.XavierNormal())
    blocks = [(nn.Linear(32, 32, weight_attr=xavier), activation()) for _ in range(layers)]
    return nn.Sequential(*(layer for block in blocks for layer in block))


@pytest.mark.parametrize(
    ("activation", "text"), [(nn.ReLU, "relu"), (nn.GELU, "gelu"), (nn.ELU, "elu")]
)
def test_an_activation_is_recognized_where_the_signal_has_vanished(activation, text):
    layers, measured = read_layers(deep(activation, 64))
    assert measured.layers[-1].pre_activation.rms < (0.1 if text == "elu" else 1e-8)
    assert {layer.activation.text for layer in layers} == {text}


def test_a_signal_of_zeros_takes_the_net_s_own_activation():
    net = nn.Sequential(nn.Linear(4, 5), nn.ReLU(), nn.Linear(5, 3))
    layers, _ = read_layers(net, np.zeros((8, 4), np.float32))
    assert [layer.activation.text for layer in layers] == ["relu", "linear"]


def test_an_activation_in_place_leaves_the_pre_activation():
    in_place = Functional(lambda x, y: nn.functional.relu_(y))
    plain = Functional(lambda x, y: nn.functional.relu(y))
    plain.set_state_dict(in_place.state_dict())
    found, expected = read_layers(in_place), read_layers(plain)
    assert found[0][0].activation.text == "relu"
    for one, other in zip(found[1].layers, expected[1].layers, strict=True):
        assert (one.pre_activation, one.gradient) == (other.pre_activation, other.gradient)


def test_a_second_way_of_the_gradient_is_named():
    class Bypass(Functional):
        def forward(self, x):
            h = nn.functional.relu(self.first(x))
            return self.second(h) + (h - h.detach())

    with pytest.raises(PropagationError, match="first does not come through second alone"):
        read_layers(Bypass(None))


def test_a_shared_weight_is_named():
    net = Functional(lambda x, y: paddle.tanh(y))
    net.second.weight = net.first.weight
    with pytest.raises(PropagationError, match="first and second share a weight"):
        read_layers(net)


def test_the_net_s_dtype_is_the_input_s():
    net = nn.Sequential(nn.Linear(16, 16), nn.Tanh(), nn.Linear(16, 4))
    net.to(dtype="float64")
    assert read_layers(net)[0][0].activation.text == "tanh"
    assert read_layers(net, np.ones((4, 16)))[1].batch == 4


def test_a_net_that_embeds_takes_integers():
    net = nn.Sequential(nn.Embedding(50, 16), nn.Linear(16, 8), nn.ReLU(), nn.Linear(8, 4))
    rows = np.arange(48) % 50
    layers, measured = read_layers(net, rows)
    assert [layer.activation.text for layer in layers] == ["relu", "linear"]
    assert measured.prepared
    assert measured.input.second == pytest.approx(float((net[0].weight[:48] ** 2).mean()), rel=1e-5)
    with pytest.raises(PropagationError, match="standard normal; give the input it takes"):
        measure(net)


@pytest.mark.parametrize(
    ("input", "message"),
    [
        (np.full((2, 4), np.nan), "the input holds NaN or infinity"),
        (np.full((2, 4), np.inf), "the input holds NaN or infinity"),
        (np.zeros((0, 4)), "the input is empty: shape (0, 4)"),
        ([["a"] * 4], "an input holds real numbers, got dtype <U1"),
        (np.ones((2, 4), complex), "an input holds real numbers, got dtype complex128"),
    ],
)
def test_inputs_that_are_none(input, message):
    with pytest.raises(PropagationError) as caught:
        measure(nn.Linear(4, 3), input)
    assert str(caught.value) == message


def test_nets_that_let_no_gradient_through():
    frozen = nn.Sequential(nn.Linear(4, 4), nn.Tanh(), nn.Linear(4, 3))
    for parameter in frozen.parameters():
        parameter.stop_gradient = True
    with pytest.raises(PropagationError, match="its parameters are frozen"):
        measure(frozen)
    with paddle.no_grad():
        assert len(measure(nn.Linear(4, 3)).layers) == 1
    with pytest.raises(PropagationError, match="first: the gradient that reaches the first"):
        measure(Functional(lambda x, y: y.detach()))


def test_weights_and_signals_that_are_no_numbers():
    net = nn.Sequential(nn.Linear(4, 4), nn.Tanh(), nn.Linear(4, 3))
    net[2].weight.set_value(np.full((4, 3), 3e38, np.float32))
    with pytest.raises(PropagationError, match="2: the signal overflows"):
        read_layers(net)
    net[2].weight.set_value(np.full((4, 3), np.nan, np.float32))
    with pytest.raises(PropagationError, match=r"2\.weight holds NaN or infinity"):
        read_layers(net)


def test_a_reshaped_output_is_no_obstacle():
    net = nn.Sequential(nn.Linear(4, 4), nn.Tanh(), nn.Linear(4, 1), nn.Flatten(0))
    assert read_layers(net)[0][1].activation.text == "linear"
    between = nn.Sequential(nn.Linear(4, 6), nn.Tanh(), nn.Flatten(), nn.Linear(12, 1))
    with pytest.raises(PropagationError, match="0 has 6 outputs, 3 12 inputs"):
        read_layers(between, np.ones((5, 2, 4)))


def test_a_softmax_at_the_end_is_named():
    net = nn.Sequential(nn.Linear(4, 4), nn.Tanh(), nn.Linear(4, 3), nn.Softmax())
    with pytest.raises(PropagationError, match="the net holds Softmax; of a net that ends in a"):
        read_layers(net)
