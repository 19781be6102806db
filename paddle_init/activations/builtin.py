"""Every activation that Paddle has: its function, slope, kinks and Paddle's default parameters."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from functools import partial
from types import MappingProxyType
from typing import Any, TypeAlias

import numpy as np

from paddle_init.activations import curves
from paddle_init.activations.curves import Array
from paddle_init.errors import PaddleInitError
from paddle_init.texts import did_you_mean, number

Parameter: TypeAlias = float | bool
Function: TypeAlias = Callable[[Array], Array]


class ActivationError(PaddleInitError, ValueError):
    """An activation is unknown, takes other parameters, or has no coefficient."""


@dataclass(frozen=True, eq=False)
class Activation:
    """An elementwise function a(x) with what a quadrature needs to know about it.

    Parameters
    ----------
    text
        How it is written, e.g. ``leaky_relu(negative_slope=0.2)``; reads back to itself.
    function, slope
        a and a', from a float64 array to one of its shape.
    kinks
        Where a or one of its derivatives jumps, ascending.
    scale
        The length over which a bends at 0 and at its kinks; in (0, inf).
    s_shaped
        Bounded and monotone, so that it saturates on both sides.
    exact
        The kinks and the scale are known. False for an arbitrary callable.
    name, parameters, width
        What Paddle calls it, with which arguments, and k in k * f(x / k).
    call
        The callable that was given, where it is one, before widening.
    """

    text: str
    function: Function
    slope: Function
    kinks: tuple[float, ...] = ()
    scale: float = 1.0
    s_shaped: bool = False
    exact: bool = True
    name: str | None = None
    parameters: Mapping[str, Parameter] = field(default_factory=dict)
    width: float = 1.0
    call: Callable[[Any], Any] | None = None

    def __call__(self, x: Array) -> Array:
        return self.function(x)


@dataclass(frozen=True)
class _Family:
    """One name: two formulas and the parameters that Paddle gives them."""

    function: Callable[..., Array]
    slope: Callable[..., Array]
    defaults: Mapping[str, Parameter] = field(default_factory=dict)
    kinks: Callable[..., tuple[float, ...]] = lambda **_: ()
    scale: Callable[..., float] = lambda **_: 1.0
    s_shaped: bool = False
    valid: Callable[..., bool] = lambda **_: True
    domain: str = ""


def _at_zero(**_: Parameter) -> tuple[float, ...]:
    return (0.0,)


# Defaults: paddle/nn/functional/activation.py; prelu's is that of the layer PReLU.
ACTIVATIONS: Mapping[str, _Family] = MappingProxyType(
    {
        "linear": _Family(curves.linear, np.ones_like),
        "sigmoid": _Family(curves.sigmoid, curves.sigmoid_slope, s_shaped=True),
        "hardsigmoid": _Family(
            curves.hardsigmoid,
            curves.hardsigmoid_slope,
            {"slope": 0.1666667, "offset": 0.5},
            lambda slope, offset: (-offset / slope, (1 - offset) / slope),
            s_shaped=True,
            valid=lambda slope, offset: slope > 0,
            domain="slope > 0",
        ),
        "logsigmoid": _Family(curves.logsigmoid, curves.logsigmoid_slope),
        "tanh": _Family(np.tanh, curves.tanh_slope, s_shaped=True),
        "stanh": _Family(
            curves.stanh,
            curves.stanh_slope,
            {"scale_a": 0.67, "scale_b": 1.7159},
            scale=lambda scale_a, scale_b: 1 / scale_a,
            s_shaped=True,
            valid=lambda scale_a, scale_b: scale_a > 0 and scale_b > 0,
            domain="scale_a > 0 and scale_b > 0",
        ),
        "hardtanh": _Family(
            curves.hardtanh,
            curves.hardtanh_slope,
            {"min": -1.0, "max": 1.0},
            lambda min, max: (min, max),
            s_shaped=True,
            valid=lambda min, max: min < max,
            domain="min < max",
        ),
        "tanhshrink": _Family(curves.tanhshrink, curves.tanhshrink_slope),
        "softsign": _Family(curves.softsign, curves.softsign_slope, kinks=_at_zero, s_shaped=True),
        "relu": _Family(curves.relu, curves.relu_slope, kinks=_at_zero),
        "relu6": _Family(curves.relu6, curves.relu6_slope, kinks=lambda: (0.0, 6.0), s_shaped=True),
        "leaky_relu": _Family(
            curves.leaky_relu, curves.leaky_relu_slope, {"negative_slope": 0.01}, _at_zero
        ),
        "prelu": _Family(
            lambda x, weight: curves.leaky_relu(x, weight),
            lambda x, weight: curves.leaky_relu_slope(x, weight),
            {"weight": 0.25},
            _at_zero,
        ),
        "thresholded_relu": _Family(
            curves.thresholded_relu,
            curves.thresholded_relu_slope,
            {"threshold": 1.0, "value": 0.0},
            lambda threshold, value: (threshold,),
        ),
        "elu": _Family(curves.elu, curves.elu_slope, {"alpha": 1.0}, _at_zero),
        "celu": _Family(
            curves.celu,
            curves.celu_slope,
            {"alpha": 1.0},
            _at_zero,
            lambda alpha: alpha,
            valid=lambda alpha: alpha > 0,
            domain="alpha > 0",
        ),
        "selu": _Family(
            curves.selu,
            curves.selu_slope,
            {
                "scale": 1.0507009873554804934193349852946,
                "alpha": 1.6732632423543772848170429916717,
            },
            _at_zero,
            valid=lambda scale, alpha: scale > 1 and alpha >= 0,
            domain="scale > 1 and alpha >= 0",
        ),
        "softplus": _Family(
            curves.softplus,
            curves.softplus_slope,
            {"beta": 1.0, "threshold": 20.0},
            lambda beta, threshold: (threshold / beta,),
            lambda beta, threshold: 1 / beta,
            valid=lambda beta, threshold: beta > 0,
            domain="beta > 0",
        ),
        "silu": _Family(curves.silu, curves.silu_slope),
        "hardswish": _Family(curves.hardswish, curves.hardswish_slope, kinks=lambda: (-3.0, 3.0)),
        "mish": _Family(curves.mish, curves.mish_slope),
        "gelu": _Family(curves.gelu, curves.gelu_slope, {"approximate": False}),
        "hardshrink": _Family(
            curves.hardshrink,
            curves.hardshrink_slope,
            {"threshold": 0.5},
            lambda threshold: (-threshold, threshold),
            valid=lambda threshold: threshold >= 0,
            domain="threshold >= 0",
        ),
        "softshrink": _Family(
            curves.softshrink,
            curves.softshrink_slope,
            {"threshold": 0.5},
            lambda threshold: (-threshold, threshold),
            valid=lambda threshold: threshold >= 0,
            domain="threshold >= 0",
        ),
    }
)


def built_in(name: str, parameters: Mapping[str, Parameter] | None = None) -> Activation:
    """Return one of `ACTIVATIONS` with the parameters given, Paddle's defaults for the others.

    Raises
    ------
    ActivationError
        The name has no such parameter, or a value lies outside its domain.
    """
    family, given = ACTIVATIONS[name], parameters or {}
    for key, value in given.items():
        if key not in family.defaults:
            allowed = ", ".join(family.defaults) or "none"
            allowed += did_you_mean(key, family.defaults)
            raise ActivationError(f"{name}: no parameter is named {key!r}; parameters: {allowed}")
        if not math.isfinite(value):
            raise ActivationError(f"{name}: {key} must be finite, got {value}")
    arguments = {
        key: bool(given.get(key, default)) if isinstance(default, bool) else given.get(key, default)
        for key, default in family.defaults.items()
    }
    if not family.valid(**arguments):
        found = ", ".join(f"{key} = {_written(value)}" for key, value in arguments.items())
        raise ActivationError(f"{name}: must have {family.domain}, got {found}")
    changed = [
        f"{key}={_written(value)}"
        for key, value in arguments.items()
        if value != family.defaults[key]
    ]
    return Activation(
        text=f"{name}({', '.join(changed)})" if changed else name,
        function=partial(family.function, **arguments),
        slope=partial(family.slope, **arguments),
        kinks=tuple(sorted(set(family.kinks(**arguments)))),
        scale=family.scale(**arguments),
        s_shaped=family.s_shaped,
        name=name,
        parameters=MappingProxyType(arguments),
    )


def widened(activation: Activation, k: float) -> Activation:
    """Return k * a(x / k): the same slope at 0, a linear region k times as wide; k in (0, inf)."""
    if not (math.isfinite(k) and k > 0):
        raise ActivationError(f"{activation.text}: the width k must be in (0, inf), got {k}")
    if k == 1:
        return activation
    stem, bracket, rest = activation.text.partition("(")
    return replace(
        activation,
        text=f"{stem}{number(k)}{bracket}{rest}",
        function=lambda x: k * activation.function(x / k),
        slope=lambda x: activation.slope(x / k),
        kinks=tuple(k * kink for kink in activation.kinks),
        scale=k * activation.scale,
        width=k * activation.width,
    )


def _written(value: Parameter) -> str:
    return str(value).lower() if isinstance(value, bool) else number(value)
