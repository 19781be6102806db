"""Between theory's layers and a real Paddle net: build one, or read one and say what it is."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from paddle_init.adapter.initializers import initializer
from paddle_init.distributions import Distribution, Normal
from paddle_init.theory.activations import ACTIVATIONS, Activation
from paddle_init.theory.dense import Dense, Moments, PropagationError
from paddle_init.theory.measurement import Measured, measure
from paddle_init.theory.notation import activation
from paddle_init.theory.paddle_ops import on_paddle

__all__ = ["build", "read_layers"]


def build(layers: Sequence[Dense], seed: int = 0) -> Any:
    """Return a paddle.nn.Sequential of linear layers and activations, drawn with `seed`.

    Paddle's global generator is put back as it was.

    Raises
    ------
    SchemeError
        A weight has a distribution that Paddle does not draw.
    """
    import paddle

    class Elementwise(paddle.nn.Layer):  # type: ignore[misc]
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


def read_layers(
    net: Any, input: Any | None = None, *, batch: int = 256, seed: int = 0
) -> tuple[tuple[Dense, ...], Measured]:
    """Return the layers of a Paddle net that is a chain, and what was measured on the way.

    The net is run once. Between two linear layers must stand one activation and nothing else: the
    second one's input must be a(the first one's output), for one of Paddle's activations with its
    default parameters, or one that is a sublayer of the net. Weights and biases are read as the
    mean and second moment of their present values.

    Raises
    ------
    PropagationError
        Something else stands there: a residual connection, a layer_norm, a dropout at work.
    """
    found = measure(net, input, batch=batch, seed=seed)
    sublayers = dict(net.named_sublayers(include_self=True))
    offered = _offered(net)
    dense = []
    for layer, (result, follow) in zip(found.layers, found.tensors, strict=True):
        linear = sublayers[layer.name if layer.name != "linear" else ""]
        between = _activation_between(layer.name, result.numpy(), follow.numpy(), offered, net)
        dense.append(
            Dense(
                fan_in=layer.fan_in,
                fan_out=layer.fan_out,
                weight=_present(linear.weight),
                bias=None if linear.bias is None else _present(linear.bias),
                activation=between,
                name=layer.name,
            )
        )
    return tuple(dense), found


def _activation_between(
    name: str, y: Any, x: Any, offered: Sequence[Activation], net: Any
) -> Activation:
    if y.shape == x.shape:
        for candidate in offered:
            if np.allclose(candidate(y.astype(np.float64)), x, rtol=2e-5, atol=2e-6):
                return candidate
    suspects = sorted(
        {
            type(layer).__name__
            for layer in net.sublayers()
            if any(word in type(layer).__name__ for word in ("Norm", "Dropout"))
        }
    )
    hint = f"; the net holds {', '.join(suspects)}" if suspects else ""
    raise PropagationError(
        f"what follows {name} is no activation of its output alone: a residual connection, a "
        f"normalization, a dropout or an unknown activation is not followed{hint}"
    )


def _offered(net: Any) -> list[Activation]:
    """Activations to try: linear, the net's own sublayers with their parameters, then all."""
    own = [item for layer in net.sublayers() if (item := _of_sublayer(layer)) is not None]
    every = [*ACTIVATIONS, "gelu(approximate=true)"]
    return [activation("linear"), *own, *map(activation, every)]


def _of_sublayer(layer: Any) -> Activation | None:
    name = type(layer).__name__
    if name == "Elementwise":
        return activation(layer.text)
    if name == "PReLU":
        weight = layer._weight.numpy()
        return activation(f"prelu({float(weight[0])!r})") if weight.size == 1 else None
    known = {key.replace("_", ""): key for key in ACTIVATIONS}
    key = known.get(name.lower())
    if key is None:
        return None
    given = {
        parameter: getattr(layer, f"_{parameter}")
        for parameter in ACTIVATIONS[key].defaults
        if hasattr(layer, f"_{parameter}")
    }
    inside = ", ".join(f"{parameter}={value}" for parameter, value in given.items())
    return activation(f"{key}({inside})")


def _present(parameter: Any) -> Moments:
    """Moments of the values; a mean within 5 standard errors of 0 is 0."""
    values = parameter.numpy().astype(np.float64)
    mean, second = float(values.mean()), float(np.square(values).mean())
    if mean * mean * values.size < 25 * second:
        mean = 0.0
    return Moments(mean, second)


def _initializer(distribution: Distribution | Moments) -> Any:
    if isinstance(distribution, Moments):
        distribution = Normal(distribution.mean, distribution.std)
    return initializer(distribution)
