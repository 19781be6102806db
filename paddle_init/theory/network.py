"""A real Paddle net of theory's layers."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from paddle_init.adapter.initializers import initializer
from paddle_init.distributions import Distribution, Normal
from paddle_init.theory.activations import Activation
from paddle_init.theory.dense import Dense, Moments
from paddle_init.theory.paddle_ops import on_paddle

__all__ = ["build"]


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


def _initializer(distribution: Distribution | Moments) -> Any:
    if isinstance(distribution, Moments):
        distribution = Normal(distribution.mean, distribution.std)
    return initializer(distribution)
