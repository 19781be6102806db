"""Our activations against Paddle's own kernels, and their slopes against finite differences."""

from __future__ import annotations

import math

import numpy as np
import paddle
import pytest

from paddle_init.activations.builtin import ACTIVATIONS, ActivationError
from paddle_init.activations.notation import activation
from paddle_init.frameworks.paddle.nets.operators import on_paddle
from paddle_init.schemes import he_normal
from paddle_init.signal.study import propagate

COUPLED = "no function of one element: it couples the elements of an array, or is random"

GRID = np.concatenate(
    [np.linspace(-25, 25, 2001), [-0.5, -1.0, -3.0, 0.0, 0.5, 1.0, 3.0, 6.0, 1e-6, -1e-6, 300.0]]
)

SPECS = [
    *ACTIVATIONS,
    "gelu(approximate=true)",
    "leaky_relu(0.2)",
    "leaky_relu(1.5)",
    "prelu(0.1)",
    "elu(0.7)",
    "celu(0.7)",
    "selu(1.2, 1.1)",
    "hardsigmoid(0.2, 0.4)",
    "hardtanh(-2, 0.5)",
    "hardshrink(1.25)",
    "softshrink(0.75)",
    "thresholded_relu(0.5, 0.25)",
    "stanh(0.5, 2)",
    "softplus(2, 15)",
    "hardsigmoid(0.25)",
]
# The kernels keep these as doubles; every other parameter reaches them as a float32.
DOUBLES = {"leaky_relu", "softplus", "prelu"}


def narrowed(spec):
    found = activation(spec)
    numbers = dict(found.parameters)
    if found.name in DOUBLES or isinstance(next(iter(numbers.values()), True), bool):
        return found
    return activation(
        f"{found.name}({', '.join(f'{k}={float(np.float32(v))!r}' for k, v in numbers.items())})"
    )


# Paddle 2 keeps their numbers in float32, or takes a kink to the other side.
OTHERWISE = ("leaky_relu", "hardshrink", "thresholded_relu")


@pytest.mark.parametrize(
    "spec",
    [
        pytest.param(spec, marks=pytest.mark.paddle_3 if spec.startswith(OTHERWISE) else ())
        for spec in SPECS
    ],
)
def test_function_and_slope_are_paddle_s(spec):
    import paddle
    import paddle.nn.functional as F  # noqa: N812

    found = narrowed(spec)
    given = activation(spec)
    function = {
        "linear": lambda x: x * 1.0,
        "logsigmoid": F.log_sigmoid,
        "stanh": paddle.stanh,
        "prelu": lambda x, weight: F.prelu(x, paddle.to_tensor([weight], dtype="float64")),
    }.get(found.name) or getattr(F, found.name)
    arguments = given.parameters
    if spec in ACTIVATIONS and spec != "prelu":
        arguments = {}  # Paddle's own defaults
    x = paddle.to_tensor(GRID, dtype="float64", stop_gradient=False)
    y = function(x, **arguments)
    (dy,) = paddle.grad(y.sum(), x)
    # Paddle's kernels cancel where ours do not: x - tanh x near 0, log(1 + e^x) and 1 + tanh x
    # far left, and selu's slope there, alpha * scale + y, whose product is a float32
    slope_atol = 3e-8 if found.name == "selu" else 4e-15
    np.testing.assert_allclose(found(GRID), y.numpy(), rtol=4e-15, atol=4e-15)
    smooth = np.isin(GRID, found.kinks, invert=True)
    np.testing.assert_allclose(
        found.slope(GRID)[smooth], dy.numpy()[smooth], rtol=4e-15, atol=slope_atol
    )


def test_prelu_starts_where_paddle_s_layer_does():
    assert activation("prelu").parameters["weight"] == paddle.nn.PReLU()._weight.item()


@pytest.mark.parametrize("spec", [*SPECS, "tanh8", "hardtanh2.5", "softsign0.5"])
def test_slope_is_the_derivative_between_the_kinks(spec):
    found = activation(spec)
    x = np.linspace(-8, 8, 1603)
    step = 1e-5
    away = np.all([np.abs(x - kink) > 2 * step for kink in found.kinks] or [x == x], axis=0)
    difference = (found(x + step) - found(x - step)) / (2 * step)
    np.testing.assert_allclose(found.slope(x)[away], difference[away], atol=3e-9, rtol=0)


@pytest.mark.parametrize("spec", [*SPECS, "tanh8"])
def test_kinks_are_complete(spec):
    """Neighbouring fourth differences explode only at a listed kink."""
    found = activation(spec)
    step = 0.01
    x = np.arange(-800, 801) * step
    rough = np.abs(np.diff(found(x), 4)) / step**4
    for index in np.flatnonzero(rough > 100 / found.scale**3):
        low, high = x[index], x[index + 4]
        assert any(low - 1e-9 <= kink <= high + 1e-9 for kink in found.kinks), (low, high)


@pytest.mark.parametrize(
    ("text", "canonical"),
    [
        ("ReLU", "relu"),
        ("LeakyReLU(0.2)", "leaky_relu(negative_slope=0.2)"),
        ("leaky_relu(negative_slope=0.01)", "leaky_relu"),
        ("swish", "silu"),
        ("log_sigmoid", "logsigmoid"),
        ("relu6", "relu6"),
        ("tanh8", "tanh8"),
        ("tanh1", "tanh"),
        ("stanh8(0.5)", "stanh8(scale_a=0.5)"),
        ("softsign2.5", "softsign2.5"),
        ("gelu(True)", "gelu(approximate=true)"),
        ("gelu(approximate='tanh')", "gelu(approximate=true)"),
        ("gelu(none)", "gelu"),
        (" elu ( alpha = 1e-3 ) ", "elu(alpha=0.001)"),
    ],
)
def test_notation(text, canonical):
    assert activation(text).text == canonical
    assert activation(canonical).text == canonical
    assert activation(text) is activation(canonical) or activation(text).width != 1


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("gelo", "unknown activation 'gelo'; did you mean gelu or elu or selu?"),
        ("zzzzz", "unknown activation 'zzzzz'; known: linear, sigmoid"),
        ("tanh(8", "cannot read the activation 'tanh(8'"),
        ("relu(3)", "relu takes no parameters; got 1: (3)"),
        ("elu(a=1)", "elu: no parameter is named 'a'; parameters: alpha"),
        ("elu(one)", "elu: alpha must be a number, got 'one'"),
        ("elu(nan)", "elu: alpha must be finite, got nan"),
        ("elu(1, alpha=2)", "elu takes alpha; got 2"),
        ("selu(1.5, scale=2)", "selu: scale is given twice"),
        ("celu(0)", "celu: must have alpha > 0, got alpha = 0"),
        ("hardtanh(1, -1)", "hardtanh: must have min < max, got min = 1, max = -1"),
        ("gelu(2)", "gelu: approximate must be true or false, got '2'"),
        ("softmax", "softmax: no function of one element"),
        ("relu8", "relu8: only an S-shaped curve is widened"),
        ("tanh0", "tanh: the width k must be in (0, inf), got 0.0"),
    ],
)
def test_notation_errors(text, message):
    with pytest.raises(ActivationError) as caught:
        activation(text)
    assert str(caught.value).startswith(message)


@pytest.mark.parametrize(
    ("function", "message"),
    [
        (lambda x: x[1:], "<lambda>: must return an array of the shape it gets, (3,), got (2,)"),
        (lambda x: np.sqrt(x), "<lambda>: returns nan at x = -1.0"),
        (lambda x: x + 1j, "<lambda>: must return real numbers, got dtype complex128"),
        (lambda x: x / 0.0, "<lambda>: returns -inf at x = -1.0"),
        (lambda x: x.astype(object), "<lambda>: must return real numbers, got dtype object"),
        (lambda x: x - x.mean(), f"<lambda>: {COUPLED}"),
        (lambda x: np.random.default_rng().normal(size=x.shape), f"<lambda>: {COUPLED}"),
        (paddle.nn.functional.softmax, f"softmax: {COUPLED}"),
        (paddle.nn.Dropout(0.5), f"Dropout: {COUPLED}"),
    ],
)
@pytest.mark.filterwarnings("ignore:.*encountered:RuntimeWarning")
def test_callables_that_misbehave(function, message):
    with pytest.raises(ActivationError) as caught:
        activation(function)(np.array([-1.0, 0.0, 1.0]))
    assert str(caught.value) == message


def test_a_function_of_one_number_and_a_class_are_refused():
    with pytest.raises(ActivationError, match=r"numpy\.vectorize makes one of arrays"):
        activation(math.sin)(np.ones(3))
    with pytest.raises(ActivationError, match=r"is a class; give an object of it, as GELU\(\)"):
        activation(paddle.nn.GELU)


def test_integers_flags_and_lists_are_numbers():
    x = np.array([-1.0, 0.5, 2.0])
    for function in (np.sign, lambda x: np.sign(x).astype(int), lambda x: np.sign(x).tolist()):
        assert activation(function)(x).dtype == np.float64
        assert activation(function)(x).tolist() == [-1.0, 1.0, 1.0]
    assert activation(lambda x: x > 0)(x).tolist() == [0.0, 1.0, 1.0]


def test_a_callable_may_write_on_its_argument_and_return_the_same_array():
    kept = np.empty(10**6)
    for function in (
        lambda x: np.maximum(x, 0, out=x),
        lambda x: np.maximum(x, 0, out=kept[: x.size].reshape(x.shape)),
    ):
        found = propagate([20, 30, 10], function, he_normal()).predicted
        expected = propagate([20, 30, 10], "relu", he_normal()).predicted
        for one, other in zip(found.signals, expected.signals, strict=True):
            assert one.pre_activation.second == pytest.approx(other.pre_activation.second)
            assert one.gradient.second == pytest.approx(other.gradient.second, rel=1e-3)


def test_paddle_functions_and_layers_are_activations():
    x = np.linspace(-3, 3, 7)
    for function in (
        paddle.nn.functional.gelu,
        paddle.nn.GELU(),
        lambda t: paddle.nn.functional.gelu(t) * 1.0,
    ):
        found = activation(function)
        assert not found.exact
        np.testing.assert_allclose(found(x), activation("gelu")(x), atol=1e-15)
        np.testing.assert_allclose(found.slope(x), activation("gelu").slope(x), atol=1e-10)


def test_widened_curve_keeps_its_slope_and_limits():
    wide, plain = activation("tanh8"), activation("tanh")
    x = np.linspace(-30, 30, 101)
    assert (wide(x) == 8 * plain(x / 8)).all()
    assert wide.slope(np.zeros(1)) == 1
    assert wide(np.array([math.inf])) == 8
    assert (wide.scale, wide.width) == (8, 8)


@pytest.mark.parametrize("spec", [*SPECS, "thresholded_relu(0.5)"])
def test_every_activation_runs_on_the_installed_paddle(spec):
    x = np.array([[-1.5, -0.25, 0.75, 2.5]])
    found = on_paddle(spec)(paddle.to_tensor(x)).numpy()
    np.testing.assert_allclose(found, activation(spec)(x), rtol=2e-6)
