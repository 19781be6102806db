"""A real Paddle net read as a chain of layers: it is run, and its tensors say what it is."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import Any

import numpy as np

from paddle_init.activations.builtin import ACTIVATIONS, Activation
from paddle_init.activations.notation import activation
from paddle_init.errors import PropagationError
from paddle_init.frameworks.paddle.nets.forward import values_of
from paddle_init.signal.dense import Dense, Moments
from paddle_init.signal.measurement import Measured, NoPredictionError, Tensors, measure

CLOSE, CANCELLED = 2e-5, 2e-6  # Paddle's float32 against our float64: relative, and of exp(y) - 1
SAMPLE = 10_000  # numbers on which the candidates are compared


def read_layers(
    net: Any, input: Any | None = None, *, batch: int = 256, seed: int = 0
) -> tuple[tuple[Dense, ...], Measured]:
    """Return the layers of a Paddle net that is a chain, and what was measured on the way.

    The net is run once. Between two linear layers must stand one activation and nothing else: the
    second one's input must be a(the first one's output), for one of Paddle's activations with its
    default parameters, or one that is a sublayer of the net; and the gradient must come back by
    that way alone. Weights and biases are read as the mean and second moment of their present
    values.

    Raises
    ------
    NoPredictionError
        Something else stands there: a residual connection, a layer_norm, a dropout at work; two
        layers share a weight; the signal overflows.
    PropagationError
        The net cannot be run, or its weights hold NaN or infinity.
    """
    found = measure(net, input, batch=batch, seed=seed)
    sublayers = dict(net.named_sublayers(include_self=True))
    linears = [sublayers[layer.name if layer.name != "linear" else ""] for layer in found.layers]
    offered = _offered(net)
    dense = []
    for layer, linear, seen in zip(found.layers, linears, found.tensors, strict=True):
        weight = _present(f"{layer.name}.weight", linear.weight)
        bias = None if linear.bias is None else _present(f"{layer.name}.bias", linear.bias)
        if not np.isfinite(layer.pre_activation.second):
            raise NoPredictionError(
                f"{layer.name}: the signal overflows, so that what follows cannot be seen"
            )
        between = _activation_between(seen, offered)
        if between is None:
            raise NoPredictionError(_unknown(layer.name, net, layer is found.layers[-1]))
        fan_in, fan_out = layer.shape
        dense.append(Dense(fan_in, fan_out, weight, bias, between, layer.name))
    _check_chain(dense, linears, found)
    return tuple(dense), found


def _activation_between(seen: Tensors, offered: Sequence[Activation]) -> Activation | None:
    """Return the first of `offered` that is as close as the closest, None if none is close.

    What differs by a millionth of y is the same to the signal: gelu and silu where it has vanished.
    """
    if seen.alone:
        return activation("linear")
    y, x = values_of(seen.pre_activation).ravel(), values_of(seen.follow).ravel()
    if x.size != y.size:
        return None
    some = slice(None, None, 1 + y.size // SAMPLE)
    off = [float(np.abs(candidate(y[some]) - x[some]).max()) for candidate in offered]
    near = 2 * min(off) + 1e-6 * float(np.abs(y[some]).max())
    chosen = next(a for a, distance in zip(offered, off, strict=True) if distance <= near)
    close = np.abs(chosen(y) - x) <= CLOSE * np.abs(x) + CANCELLED
    return chosen if close.all() else None


def _unknown(name: str, net: Any, last: bool) -> str:
    suspects = sorted(
        {
            type(layer).__name__
            for layer in net.sublayers()
            if any(word in type(layer).__name__ for word in ("Norm", "Dropout", "Softmax"))
        }
    )
    hint = f"; the net holds {', '.join(suspects)}" if suspects else ""
    if last:
        hint += "; of a net that ends in a softmax or a loss, give the part before it"
    return (
        f"what follows {name} is no activation of its output alone: a residual connection, a "
        f"normalization, a dropout or an unknown activation is not followed{hint}"
    )


def _offered(net: Any) -> list[Activation]:
    """Activations to try: the net's own sublayers with their parameters, then all.

    The own come first, since a signal that is 0 or stays on one side does not tell them apart.
    """
    own = [item for layer in net.sublayers() if (item := _of_sublayer(layer)) is not None]
    return [*own, *map(activation, [*ACTIVATIONS, "gelu(approximate=true)"])]


def _of_sublayer(layer: Any) -> Activation | None:
    name = type(layer).__name__
    if name == "Elementwise":
        return activation(layer.text)
    if name == "PReLU":
        weight = layer._weight.numpy()
        return activation(f"prelu({float(weight[0])!r})") if weight.size == 1 else None
    known = {key.replace("_", ""): key for key in ACTIVATIONS if key != "linear"}
    key = "linear" if name == "Identity" else known.get(name.lower())
    if key is None:
        return None
    given = {
        parameter: getattr(layer, f"_{parameter}")
        for parameter in ACTIVATIONS[key].defaults
        if hasattr(layer, f"_{parameter}")
    }
    inside = ", ".join(f"{parameter}={value}" for parameter, value in given.items())
    return activation(f"{key}({inside})")


def _check_chain(dense: Sequence[Dense], linears: Sequence[Any], found: Measured) -> None:
    users: dict[int, str] = {}
    for layer, linear in zip(dense, linears, strict=True):
        if id(linear.weight) in users:
            raise NoPredictionError(
                f"{users[id(linear.weight)]} and {layer.name} share a weight; only independent "
                "weights are followed"
            )
        users[id(linear.weight)] = layer.name
    steps = zip(dense, linears, found.tensors, strict=True)
    for (layer, _, seen), (after, linear, later) in pairwise(steps):
        if layer.fan_out != after.fan_in:
            raise NoPredictionError(
                f"{layer.name} has {layer.fan_out} outputs, {after.name} {after.fan_in} inputs: "
                "no chain of fully connected layers"
            )
        y, real = values_of(seen.pre_activation), values_of(seen.gradient)
        passed = (values_of(later.gradient) @ values_of(linear.weight).T).reshape(y.shape)
        expected = passed * layer.activation.slope(y)
        off, size, most = (float(np.linalg.norm(g)) for g in (real - expected, real, passed))
        # float32's slopes are off by 1e-7 where they vanish, its gradients by more below 1e-30
        if off > 1e-3 * size + 1e-6 * most + 1e-30 * real.size:
            raise NoPredictionError(
                f"the gradient of {layer.name} does not come through {after.name} alone; only a "
                "chain is followed"
            )


def _present(name: str, parameter: Any) -> Moments:
    """Moments of the values; a mean within 5 standard errors of 0 is 0."""
    values = values_of(parameter)
    if not np.isfinite(values).all():
        raise PropagationError(f"{name} holds NaN or infinity")
    mean, second = float(values.mean()), float(np.square(values).mean())
    if mean * mean * values.size < 25 * second:
        mean = 0.0
    return Moments(mean, second)
