"""One call from a spec, widths or a Paddle net to prediction, measurement and verdict."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from paddle_init.activations.notation import Spec
from paddle_init.errors import PropagationError
from paddle_init.frameworks.paddle.nets.forward import numbers
from paddle_init.json_values import json_value
from paddle_init.languages import Sentence, listed
from paddle_init.schemes import Scheme
from paddle_init.signal.chain import read_layers
from paddle_init.signal.dense import Dense, Moments, from_spec, mlp
from paddle_init.signal.measurement import (
    Measured,
    MeasuredLayer,
    NoPredictionError,
    measure,
    measure_layers,
)
from paddle_init.signal.propagation import FLAT, Propagation, Signal, propagate_dense
from paddle_init.signal.verdict import (
    EXPLODING,
    SATURATING,
    VANISHING,
    LayerVerdict,
    Verdict,
    judge,
    judge_measured,
)
from paddle_init.specs import NetSpec

PREPARED = Sentence(
    "{name} reads what the net makes of its input; the prediction starts there",
    "{name} 读到的是网络对输入处理后的结果；预测从那里开始",
)
NOT_PREDICTED = Sentence(
    "measured, not predicted: {why}. Each layer's output is compared with that of the first layer "
    "that ran, its gradient with that of the last",
    "只有实测，没有预测：{why}。各层的输出与最先运行的层比较，梯度与最后运行的层比较",
)
NORMALIZED = Sentence(
    "not judged, because the net normalizes ({kinds}): the size of an output before a "
    "normalization does not reach what follows, and gradients scale with its inverse",
    "不作判断，因为网络会做归一化（{kinds}）：归一化之前输出的大小不影响后面的计算，梯度则与它成反比",
)
SILENT = Sentence(
    "not measured, because their forward was not seen to run: {names}",
    "未测量，因为没有看到它们的 forward 运行：{names}",
)
NO_GRADIENT = Sentence("no gradient reaches {names}", "梯度到不了 {names}")


@dataclass(frozen=True, eq=False)
class LayerStudy:
    """One layer: what is predicted, what was measured, what to think of it."""

    predicted: Signal | None
    measured: MeasuredLayer | None
    verdict: LayerVerdict

    @property
    def name(self) -> str:
        return self.verdict.name

    @property
    def shape(self) -> tuple[int, ...]:
        """The weight's: [fan_in, fan_out] of a fully connected layer."""
        if self.predicted is not None:
            return self.predicted.fan_in, self.predicted.fan_out
        return self.measured.shape if self.measured else ()

    @property
    def kind(self) -> str:
        """The activation behind the layer, or, where none is known, the layer's class."""
        if self.predicted is not None:
            return self.predicted.activation
        return self.measured.kind if self.measured else ""

    def to_dict(self) -> dict[str, Any]:
        signal, real = self.predicted, self.measured
        return {
            "name": self.name,
            "kind": real.kind if real else None,
            "shape": self.shape,
            "fan_in": signal.fan_in if signal else None,
            "fan_out": signal.fan_out if signal else None,
            "activation": signal.activation if signal else None,
            "predicted": _sizes(signal),
            "measured": _sizes(real),
            "spread": signal.spread if signal else None,
            "gradient_spread": signal.gradient_spread if signal else None,
            "saturated": self.verdict.saturated,
            "findings": self.verdict.findings,
        }


@dataclass(frozen=True, eq=False)
class Study:
    """The layers, what is predicted and measured for them, and what to think of it.

    `layers` is empty and `predicted` None where the net was measured but cannot be predicted; the
    notes say why. `origin` says in words what was studied, such as a conf's path; empty where
    nothing does.
    """

    layers: tuple[Dense, ...]
    predicted: Propagation | None
    measured: Measured | None
    verdict: Verdict
    origin: str = ""
    notes: tuple[str, ...] = ()

    @property
    def rows(self) -> tuple[LayerStudy, ...]:
        """The layers, from the input on or in the order in which they ran."""
        count = len(self.verdict.layers)
        predicted = self.predicted.signals if self.predicted else (None,) * count
        measured = self.measured.layers if self.measured else (None,) * count
        return tuple(
            LayerStudy(*each) for each in zip(predicted, measured, self.verdict.layers, strict=True)
        )

    def to_dict(self) -> dict[str, Any]:
        """Return a study as dicts, lists and plain values; what overflowed is null.

        So is everything predicted where the net was measured alone; its layers have no activation,
        but a `kind`, their class in Paddle. `shape` is the weight's.
        """
        predicted, measured, verdict = self.predicted, self.measured, self.verdict
        entering = measured.input if measured else None
        form = {
            "schema": 1,
            "input": _moments(predicted.input if predicted else entering),
            "output_gradient": _moments(predicted.output_gradient if predicted else None),
            "input_gradient": _moments(predicted.input_gradient if predicted else None),
            "batch": None if measured is None else measured.batch,
            "layers": [row.to_dict() for row in self.rows],
            "notes": self.notes,
            "verdict": {
                "judged": verdict.judged,
                "findings": verdict.findings,
                "signal_growth": verdict.signal_growth,
                "gradient_growth": verdict.gradient_growth,
                "fix": verdict.fix and verdict.fix.to_dict(self.layers),
                "thresholds": {
                    "vanishing": VANISHING,
                    "exploding": EXPLODING,
                    "saturating": SATURATING,
                    "flat_slope": FLAT,
                },
            },
        }
        plain: dict[str, Any] = json_value(form)
        return plain


def _sizes(layer: Signal | MeasuredLayer | None) -> dict[str, Any] | None:
    if layer is None:
        return None
    names = ("pre_activation", "output", "gradient")
    found: dict[str, Any] = {name: _moments(getattr(layer, name)) for name in names}
    return found | {"gradient_norm": layer.gradient_norm}


def _moments(found: Moments | None) -> dict[str, float] | None:
    return None if found is None else {"mean": found.mean, "second_moment": found.second}


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
    """Say what becomes of the signal and of the gradient in a net.

    Parameters
    ----------
    source
        Widths, with `activations` and a `scheme` (and a `bias` scheme, a `first` layer's scheme);
        a NetSpec, with `activations` where it does not say them; layers; or a paddle.nn.Layer. A
        Layer that is no chain of linear layers and activations is measured layer by layer,
        without a prediction.
    activations
        One for all hidden layers, or one for each.
    measured
        Whether to build the net in Paddle, with `seed`, and measure it. A paddle.nn.Layer always
        is: it has to be run to be read.
    input
        What the net is run on, of shape (batch, fan_in); standard normal unless given. Of a
        Layer anything that its forward takes: an array, a tuple of them, or a dict by the names of
        its arguments (or as its one argument). The prediction starts from the mean and second
        moment of what the first layer reads.
    batch, seed
        Rows of the standard normal input; for weights, input and the output's gradient.

    Raises
    ------
    PropagationError
        The source is no MLP, something is missing, or the net fails on the input.
    ActivationError
        An activation is unknown.
    """
    found: Measured | None = None
    if isinstance(source, NetSpec):
        layers = from_spec(source, activations)
    elif hasattr(source, "named_sublayers"):
        try:
            layers, found = read_layers(source, input, batch=batch, seed=seed)
        except NoPredictionError as error:
            return _measured_alone(source, input, batch, seed, str(error))
    elif _is_dense(source):
        layers = tuple(source)
    elif activations is None or scheme is None:
        raise PropagationError("widths need the hidden layers' activation and a scheme")
    else:
        layers = mlp(source, activations, scheme, bias, first=first)
    if found is None:
        _check_input(input, layers[0])
        if measured:
            from paddle_init.frameworks.registry import home_nets

            found = measure(home_nets().build(layers, seed), input, batch=batch, seed=seed)
    predicted = propagate_dense(layers, _entering(input, found))
    if found is not None and found.prepared:
        note = PREPARED(name=layers[0].name)
        predicted = replace(predicted, notes=(note, *predicted.notes))
    origin = source.origin or "" if isinstance(source, NetSpec) else ""
    return Study(layers, predicted, found, judge(layers, predicted), origin, predicted.notes)


def _measured_alone(net: Any, input: Any, batch: int, seed: int, why: str) -> Study:
    found = measure_layers(net, input, batch=batch, seed=seed)
    notes: list[str] = [NOT_PREDICTED(why=why)]
    if found.normalizations:
        notes.append(NORMALIZED(kinds=", ".join(found.normalizations)))
    if found.silent:
        notes.append(SILENT(names=listed(found.silent, 5)))
    if lost := [layer.name for layer in found.layers if math.isnan(layer.gradient.second)]:
        notes.append(NO_GRADIENT(names=listed(lost, 5)))
    return Study((), None, found, judge_measured(found), notes=tuple(notes))


def _is_dense(source: Any) -> bool:
    if isinstance(source, str) or not hasattr(source, "__len__") or not len(source):
        raise PropagationError(
            "what to follow is a list of widths or of layers, a NetSpec or a paddle.nn.Layer, got "
            f"{source!r}"
        )
    return all(isinstance(item, Dense) for item in source)


def _check_input(input: Any | None, layer: Dense) -> None:
    if isinstance(input, (Mapping, tuple)):
        raise PropagationError(
            f"a chain of fully connected layers takes one array of shape (batch, {layer.fan_in}), "
            f"got a {type(input).__name__}; several inputs are for a net: module:object"
        )
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
