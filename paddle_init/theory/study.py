"""One call from a spec, widths or a Paddle net to prediction, measurement and verdict."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from paddle_init.schemes import Scheme
from paddle_init.specs import NetSpec
from paddle_init.theory import sentences as say
from paddle_init.theory.arrays import numbers
from paddle_init.theory.chain import read_layers
from paddle_init.theory.dense import Dense, Moments, PropagationError, mlp
from paddle_init.theory.measurement import Measured, measure
from paddle_init.theory.network import build
from paddle_init.theory.notation import Spec
from paddle_init.theory.propagation import Propagation, propagate_dense
from paddle_init.theory.reading import from_spec
from paddle_init.theory.verdict import Verdict, judge

__all__ = ["Study", "propagate"]


@dataclass(frozen=True, eq=False)
class Study:
    """The layers, what is predicted and measured for them, and what to think of it.

    `origin` says in words what was studied, such as a conf's path; empty where nothing does.
    """

    layers: tuple[Dense, ...]
    predicted: Propagation
    measured: Measured | None
    verdict: Verdict
    origin: str = ""


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
        prediction starts from the mean and second moment of what the first layer reads.
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
    elif _is_dense(source):
        layers = tuple(source)
    elif activations is None or scheme is None:
        raise PropagationError("widths need the hidden layers' activation and a scheme")
    else:
        layers = mlp(source, activations, scheme, bias, first=first)
    if found is None:
        _check_input(input, layers[0])
        if measured:
            found = measure(build(layers, seed), input, batch=batch, seed=seed)
    predicted = propagate_dense(layers, _entering(input, found))
    if found is not None and found.prepared:
        note = say.PREPARED(name=layers[0].name)
        predicted = replace(predicted, notes=(note, *predicted.notes))
    origin = source.origin or "" if isinstance(source, NetSpec) else ""
    return Study(layers, predicted, found, judge(layers, predicted), origin)


def _is_dense(source: Any) -> bool:
    if isinstance(source, str) or not hasattr(source, "__len__") or not len(source):
        raise PropagationError(
            "what to follow is a list of widths or of layers, a NetSpec or a paddle.nn.Layer, got "
            f"{source!r}"
        )
    return all(isinstance(item, Dense) for item in source)


def _check_input(input: Any | None, layer: Dense) -> None:
    shape = None if input is None else np.shape(input)
    if shape is not None and (len(shape) != 2 or shape[1] != layer.fan_in):
        raise PropagationError(
            f"an input of shape {shape} does not fit {layer.name}, which takes "
            f"(batch, {layer.fan_in})"
        )


def _entering(input: Any, found: Measured | None) -> Moments:
    if found is not None and (found.prepared or input is not None):
        return found.input
    if input is None:
        return Moments(0.0, 1.0)
    values = numbers(input).astype(np.float64)
    return Moments(float(values.mean()), float(np.square(values).mean()))
