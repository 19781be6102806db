"""Our activations as Paddle's own operators. Imports paddle only when called."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from paddle_init.theory.activations import Activation
from paddle_init.theory.notation import Spec, activation

__all__ = ["on_paddle"]


def on_paddle(spec: Spec) -> Callable[[Any], Any]:
    """Return the activation as a function of tensors.

    A name becomes Paddle's operator, with gradient. A callable is called on the tensor; where it
    takes arrays only, it is called on the tensor's values, and no gradient passes through it.
    """
    if callable(spec) and not isinstance(spec, Activation):
        return _either(spec)
    found = activation(spec)
    if found.name is None:
        return _either(found.function)
    function = _operator(found)
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
        case name:
            function = getattr(functional, str(name))
            return lambda x: function(x, **parameters)


def _either(function: Callable[[Any], Any]) -> Callable[[Any], Any]:
    import paddle

    def call(x: Any) -> Any:
        try:
            result = function(x)
        except Exception:
            result = function(x.numpy())
        return result if paddle.is_tensor(result) else paddle.to_tensor(result, dtype=x.dtype)

    return call
