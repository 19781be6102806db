"""Activations as Paddle's operators, Paddle's operators as activations, nets of them.

Imports paddle only when called. `activations` finds this module by its name.
"""

from __future__ import annotations

import math
import sys
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from paddle_init.activations.builtin import Activation, ActivationError
from paddle_init.activations.curves import Array
from paddle_init.activations.gains import DEFAULT_TABLE
from paddle_init.activations.notation import Spec, activation
from paddle_init.distributions import Distribution, Normal
from paddle_init.frameworks.paddle.nets.attrs import initializer


def on_paddle(spec: Spec) -> Callable[[Any], Any]:
    """Return the activation as a function of tensors, with gradient.

    A name becomes Paddle's operator. A callable is called on the tensor; where it takes arrays
    only, it is called on the tensor's values, and its gradient is that of the differences by which
    its slope is computed.
    """
    found = activation(spec)
    function = _operator(found) if found.call is None else _called(found, found.call)
    if found.width == 1:
        return function
    return lambda x: function(x * (1 / found.width)) * found.width


def _operator(found: Activation) -> Callable[[Any], Any]:
    import paddle
    from paddle.nn import functional

    parameters = dict(found.parameters)
    match found.name:
        case "linear":
            return lambda x: x
        case "stanh":
            return lambda x: paddle.stanh(x, **parameters)
        case "prelu":
            weight = parameters["weight"]
            return lambda x: functional.prelu(x, paddle.to_tensor([weight], dtype=x.dtype))
        case "logsigmoid":
            return functional.log_sigmoid  # type: ignore[no-any-return]
        case "thresholded_relu":  # Paddle 2's takes no value
            threshold, value = parameters["threshold"], parameters["value"]
            if value:
                return lambda x: paddle.where(x > threshold, x, paddle.full_like(x, value))
            return lambda x: functional.thresholded_relu(x, threshold)
        case name:
            function = getattr(functional, str(name))
            return lambda x: function(x, **parameters)


def _called(found: Activation, call: Callable[[Any], Any]) -> Callable[[Any], Any]:
    import paddle

    base = activation(call) if found.width != 1 else found

    class OnValues(paddle.autograd.PyLayer):
        @staticmethod
        def forward(ctx: Any, x: Any) -> Any:
            ctx.save_for_backward(x)
            return paddle.to_tensor(base.function(_values(x)), dtype=x.dtype)

        @staticmethod
        def backward(ctx: Any, gradient: Any) -> Any:
            (x,) = ctx.saved_tensor()
            return gradient * paddle.to_tensor(base.slope(_values(x)), dtype=x.dtype)

    def either(x: Any) -> Any:
        try:
            result = call(x)
        except Exception:
            result = None
        return result if paddle.is_tensor(result) else OnValues.apply(x)

    return either


def _values(x: Any) -> Array:
    values: Array = x.numpy().astype(np.float64)
    return values


def is_operator(function: Callable[[Any], Any]) -> bool:
    """Whether it is a function, or an object of a class, of Paddle or derived from Paddle's."""
    modules = [base.__module__ for base in type(function).__mro__]
    modules.append(getattr(function, "__module__", None) or "")
    return any(module.startswith("paddle.") for module in modules)


def is_imported() -> bool:
    """Whether Paddle is: else a user's function cannot be one of tensors."""
    return "paddle" in sys.modules


def of_values(function: Callable[[Any], Any], x: Array) -> Any:
    """Call a function on values as a tensor of float64."""
    import paddle

    with paddle.no_grad():
        return function(paddle.to_tensor(x, dtype="float64"))


def build(layers: Sequence[Any], seed: int = 0) -> Any:
    """Return a paddle.nn.Sequential of linear layers and activations, drawn with `seed`.

    Layers are those of `signal.dense`; of a weight or a bias whose moments alone are known, a
    normal is drawn. Paddle's global generator is put back as it was.

    Raises
    ------
    SchemeError
        A weight has a distribution that Paddle does not draw.
    """
    import paddle

    class Elementwise(paddle.nn.Layer):
        def __init__(self, function: Activation) -> None:
            super().__init__()
            self.text = function.text
            self.call = on_paddle(function)

        def forward(self, x: Any) -> Any:
            return self.call(x)

    state = paddle.get_rng_state()
    paddle.seed(seed)
    try:
        net = paddle.nn.Sequential()
        for index, layer in enumerate(layers, start=1):
            linear = paddle.nn.Linear(
                layer.fan_in,
                layer.fan_out,
                weight_attr=paddle.ParamAttr(initializer=_initializer(layer.weight)),
                bias_attr=False
                if layer.bias is None
                else paddle.ParamAttr(initializer=_initializer(layer.bias)),
            )
            net.add_sublayer(layer.name or f"fc{index}", linear)
            if layer.activation.text != "linear":
                net.add_sublayer(f"{layer.name or f'fc{index}'}_act", Elementwise(layer.activation))
    finally:
        paddle.set_rng_state(state)
    return net


def _initializer(drawn: Any) -> Any:
    known = isinstance(drawn, Distribution)
    return initializer(drawn if known else Normal(drawn.mean, drawn.std))


@dataclass(frozen=True)
class Experiment:
    """An estimated gain and its standard error, from `repetitions` nets of two layers.

    The paper's own way to a coefficient: standard normal input v, weights N(0, 1 / nodes), output
    o = W2 a(W1 v). The mean of o^2 estimates E[a(z)^2]. Averaging 1 / std(o) instead, as the
    paper's text suggests, is biased: for ReLU with 64 nodes by seven standard errors of a thousand
    repetitions.

    Source: "Constant Variance Weight Initialisation".
    """

    activation: str
    gain: float
    standard_error: float
    nodes: int
    repetitions: int
    seed: int


def experiments(
    specs: Iterable[Spec] = DEFAULT_TABLE,
    *,
    nodes: int = 512,
    repetitions: int = 128,
    seed: int = 0,
    std: float = 1.0,
) -> list[Experiment]:
    """Estimate the gain of each activation; all see the same inputs and weights.

    The std of W1 v is |v| / sqrt(j), not 1, so that the estimate is off by O(1 / nodes): with 512
    nodes less than one standard error of 128 repetitions. The same seed gives the same numbers
    again; Paddle's global generator is put back as it was.

    Parameters
    ----------
    nodes, repetitions
        In [1, inf) and [2, inf).
    seed
        For paddle.seed, in [0, 2**64 - 1].
    std
        Of the input and of the signal to keep, in (0, inf).
    """
    if nodes < 1 or repetitions < 2:
        raise ActivationError(
            f"the experiment needs nodes >= 1 and repetitions >= 2, got {nodes} and {repetitions}"
        )
    import paddle

    specs = list(specs)
    names = [activation(spec).text for spec in specs]
    functions = [on_paddle(spec) for spec in specs]
    squares = np.empty((len(functions), repetitions))
    state = paddle.get_rng_state()
    paddle.seed(seed)
    try:
        with paddle.no_grad():
            for repetition in range(repetitions):
                v = std * paddle.randn([1, nodes])
                first, second = (paddle.randn([nodes, nodes]) / math.sqrt(nodes) for _ in range(2))
                hidden = paddle.matmul(v, first)
                outputs = paddle.concat([function(hidden) for function in functions])
                o = paddle.matmul(outputs, second).numpy().astype(np.float64)
                squares[:, repetition] = (o * o).mean(axis=1)
    finally:
        paddle.set_rng_state(state)
    return [
        _estimate(name, row, std, nodes, repetitions, seed)
        for name, row in zip(names, squares, strict=True)
    ]


def _estimate(
    name: str, squares: Array, std: float, nodes: int, repetitions: int, seed: int
) -> Experiment:
    second = float(squares.mean())
    if second == 0:
        raise ActivationError(f"{name}: every output of the experiment is 0")
    spread = float(squares.std(ddof=1)) / math.sqrt(repetitions)
    gain = std / math.sqrt(second)
    return Experiment(name, gain, 0.5 * gain / second * spread, nodes, repetitions, seed)
