"""Our activations as Paddle's own operators. Imports paddle only when called."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from paddle_init.activations.builtin import Activation
from paddle_init.activations.curves import Array
from paddle_init.activations.notation import Spec, activation
from paddle_init.distributions import Distribution, Normal
from paddle_init.frameworks.paddle.nets.attrs import initializer
from paddle_init.signal.dense import Dense, Moments


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


def build(layers: Sequence[Dense], seed: int = 0) -> Any:
    """Return a paddle.nn.Sequential of linear layers and activations, drawn with `seed`.

    Paddle's global generator is put back as it was.

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


def _initializer(distribution: Distribution | Moments) -> Any:
    if isinstance(distribution, Moments):
        distribution = Normal(distribution.mean, distribution.std)
    return initializer(distribution)
