"""One call from a spec, widths or a Paddle net to prediction, measurement and verdict."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from paddle_init.schemes import Scheme
from paddle_init.specs import NetSpec
from paddle_init.theory.dense import Dense, Moments, PropagationError, mlp
from paddle_init.theory.measurement import Measured, measure
from paddle_init.theory.network import build, read_layers
from paddle_init.theory.notation import Spec
from paddle_init.theory.propagation import Propagation, propagate_dense
from paddle_init.theory.reading import from_spec
from paddle_init.theory.verdict import Verdict, judge

__all__ = ["Study", "propagate", "study_rows"]


@dataclass(frozen=True, eq=False)
class Study:
    """The layers, what is predicted and measured for them, and what to think of it."""

    layers: tuple[Dense, ...]
    predicted: Propagation
    measured: Measured | None
    verdict: Verdict


def propagate(
    source: Any,
    activations: Spec | Sequence[Spec] | None = None,
    scheme: Scheme | None = None,
    *,
    bias: Scheme | None = None,
    first: Scheme | None = None,
    measured: bool = False,
    input: Any | None = None,
    batch: int = 256,
    seed: int = 0,
) -> Study:
    """Say what becomes of the signal and of the gradient in an MLP.

    Parameters
    ----------
    source
        Widths, with `activations` and a `scheme` (and a `bias` scheme, a `first` layer's scheme);
        a NetSpec, with `activations` where it does not say them; layers; or a paddle.nn.Layer.
    activations
        One for all hidden layers, or one for each.
    measured
        Whether to build the net in Paddle, with `seed`, and measure it. A paddle.nn.Layer always
        is: it has to be run to be read.
    input
        What the net is run on, of shape (batch, fan_in); standard normal unless given. The
        prediction starts from its mean and second moment.
    batch, seed
        Rows of the standard normal input; for weights, input and the output's gradient.

    Raises
    ------
    PropagationError
        The source is no MLP, or something is missing.
    ActivationError
        An activation is unknown.
    """
    found: Measured | None = None
    if isinstance(source, NetSpec):
        layers = from_spec(source, activations)
    elif hasattr(source, "named_sublayers"):
        layers, found = read_layers(source, input, batch=batch, seed=seed)
    elif source and all(isinstance(item, Dense) for item in source):
        layers = tuple(source)
    elif activations is None or scheme is None:
        raise PropagationError("widths need the hidden layers' activation and a scheme")
    else:
        layers = mlp(source, activations, scheme, bias, first=first)
    if measured and found is None:
        found = measure(build(layers, seed), input, batch=batch, seed=seed)
    entering = found.input if found is not None and input is not None else Moments(0.0, 1.0)
    predicted = propagate_dense(layers, entering)
    return Study(layers, predicted, found, judge(layers, predicted))


def study_rows(study: Study) -> list[dict[str, Any]]:
    """Return one JSON object for each layer; what overflowed is null, as what was not measured."""
    measured = study.measured.layers if study.measured else (None,) * len(study.layers)
    return [
        {
            "name": signal.name,
            "fan_in": signal.fan_in,
            "fan_out": signal.fan_out,
            "activation": signal.activation,
            "predicted": _three(signal),
            "measured": None if real is None else _three(real),
            "spread": _finite(signal.spread),
            "gradient_spread": _finite(signal.gradient_spread),
            "saturated": signal.saturated,
            "findings": list(verdict.findings),
        }
        for signal, real, verdict in zip(
            study.predicted.signals, measured, study.verdict.layers, strict=True
        )
    ]


def _three(layer: Any) -> dict[str, dict[str, float | None]]:
    return {
        name: {"mean": _finite(found.mean), "second_moment": _finite(found.second)}
        for name in ("pre_activation", "output", "gradient")
        for found in (getattr(layer, name),)
    }


def _finite(value: float) -> float | None:
    return value if math.isfinite(value) else None
