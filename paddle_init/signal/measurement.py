"""What is measured on a real Paddle net: the moments that are predicted, and histograms."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from paddle_init.activations.curves import Array
from paddle_init.errors import PropagationError
from paddle_init.frameworks.paddle.nets.forward import (
    Call,
    gradients,
    is_linear,
    is_tensor,
    run,
    tensors_in,
    values_of,
    weights,
)
from paddle_init.signal.dense import Moments
from paddle_init.statistics import histograms

BINS = 101
UNKNOWN = Moments(math.nan, math.nan)


class NoPredictionError(PropagationError):
    """A net that can be run, but not predicted: no chain of linear layers and activations."""


@dataclass(frozen=True, eq=False)
class Histogram:
    """Counts of shape (bins,) between ascending edges of shape (bins + 1,)."""

    edges: Array
    counts: npt.NDArray[np.int64]

    @property
    def record(self) -> histograms.Histogram:
        """The same as a record of plain numbers."""
        return histograms.Histogram(tuple(self.edges.tolist()), tuple(self.counts.tolist()))


@dataclass(frozen=True, eq=False)
class MeasuredLayer:
    """One layer: its pre-activation, what leaves the activation after it, its gradient.

    `output` is what the next linear layer reads (the net's output for the last). It is the
    activation of `pre_activation` only where nothing else stands between the two, which `reading`
    a net checks; None where only the layers' own outputs were measured. `kind` is the layer's
    class, `shape` its weight's. The gradient's moments are NaN where it does not come by; its norm
    is that over the `units` of one sample.
    """

    name: str
    kind: str
    shape: tuple[int, ...]
    units: int
    pre_activation: Moments
    output: Moments | None
    gradient: Moments
    histograms: dict[str, Histogram]

    @property
    def gradient_norm(self) -> float:
        """The gradient's norm over a sample's units, the root of its mean square."""
        return math.sqrt(self.units) * self.gradient.rms


class Tensors(NamedTuple):
    """A layer's pre-activation, what the next one reads, and the gradient of the former.

    `alone` where what the next one reads is the pre-activation itself.
    """

    pre_activation: Any
    follow: Any
    gradient: Any
    alone: bool


@dataclass(frozen=True, eq=False)
class Measured:
    """The layers in the order in which the forward pass met them.

    `input` is what the first of them reads, the net's own input unless `prepared`. `silent` names
    layers with weights that were not seen to run, `normalizations` the classes of layers that bring
    a signal to a size of their own. `tensors` are those of a chain.
    """

    layers: tuple[MeasuredLayer, ...]
    batch: int
    input: Moments
    prepared: bool
    tensors: tuple[Tensors, ...] = ()
    silent: tuple[str, ...] = ()
    normalizations: tuple[str, ...] = ()


def measure(
    net: Any,
    input: Any | None = None,
    *,
    batch: int = 256,
    seed: int = 0,
    bins: int = BINS,
) -> Measured:
    """Run a net forward and backward once and take the moments at every linear layer.

    The gradient starts as a standard normal tensor at the net's output. The net, its gradients
    and Paddle's global generator are left as they were.

    Parameters
    ----------
    net
        A paddle.nn.Layer whose forward takes one tensor and returns one.
    input
        Of shape (batch, fan_in), a tensor or an array; standard normal unless given. An array
        becomes a tensor of the weights' dtype, integers stay integers for a net that embeds.
    batch
        Rows of the standard normal input, in [1, inf).
    seed
        For the input and for the gradient at the output.
    bins
        Of each histogram; 0 for none.

    Raises
    ------
    NoPredictionError
        The net has no linear layer, or other layers with weights beside them (embeddings and
        normalizations aside), runs one twice, or does not return one tensor.
    PropagationError
        It fails; the input is empty, or holds NaN or infinity.
    """
    every, kind = net.sublayers(include_self=True), type(net).__name__
    linears = [layer for layer in every if is_linear(layer)]
    if not linears:
        raise NoPredictionError(f"{kind} has no paddle.nn.Linear to measure")
    others = {type(layer).__name__ for layer in every if weights(layer) and not is_linear(layer)}
    if others:
        raise NoPredictionError(
            f"{kind} holds weights of {', '.join(sorted(others))} beside its linear layers"
        )
    random = np.random.default_rng(seed)
    given, calls, output = run(net, input, linears, batch, random)
    if not is_tensor(output):
        raise NoPredictionError(f"the net must return one tensor, got {type(output).__name__}")
    _check_once(net, calls, len(linears))
    pre = [call.result for call in calls]
    if output.stop_gradient or any(tensor.stop_gradient for tensor in pre):
        raise NoPredictionError(
            f"{kind} lets no gradient through: its parameters are frozen "
            "(stop_gradient), or its forward runs under no_grad"
        )
    names = _names(net)
    follows = [call.given for call in calls[1:]] + [output]
    arrived = gradients(net, [output], pre, random)
    layers, tensors = [], []
    for call, follow, gradient in zip(calls, follows, arrived, strict=True):
        name = names[id(call.layer)]
        if gradient is None:
            raise NoPredictionError(
                f"{name}: the gradient that reaches the first linear layer does not pass it; only "
                "a chain is followed"
            )
        units = int(call.layer.weight.shape[1])
        layers.append(_layer(name, call, units, follow, gradient, bins))
        alone = follow is call.passed and call.passed.inplace_version == 0
        tensors.append(Tensors(call.result, follow, gradient, alone))
    return Measured(
        tuple(layers),
        batch=given.size,
        input=_moments(values_of(calls[0].given)),
        prepared=not any(calls[0].given is tensor for tensor in given.tensors),
        tensors=tuple(tensors),
    )


def measure_layers(
    net: Any, input: Any | None = None, *, batch: int = 256, seed: int = 0, bins: int = BINS
) -> Measured:
    """Run any net forward and backward once and take the moments at every layer with a weight.

    A layer is one without sublayers that has a parameter of two dimensions or more, embeddings
    aside: Linear, the convolutions, a user's own. One that runs more than once is measured each
    time. The gradient starts as a standard normal at every floating-point output. What `measure`
    says of traces and of the parameters holds here too; `input` may be anything that `as_batch`
    takes.

    Raises
    ------
    PropagationError
        No such layer runs, or the forward pass fails.
    """
    every = net.sublayers(include_self=True)
    layers = [layer for layer in every if weights(layer) and not any(layer.children())]
    if not layers:
        raise PropagationError(
            f"{type(net).__name__} has no layer with a weight of two dimensions or more, such as "
            "paddle.nn.Linear or paddle.nn.Conv2D: there is nothing to measure"
        )
    random = np.random.default_rng(seed)
    given, calls, output = run(net, input, layers, batch, random)
    if not calls:
        raise PropagationError(f"no layer with a weight ran in the forward of {type(net).__name__}")
    outputs = [each for each in tensors_in(output) if each.is_floating_point()]
    arrived = gradients(net, outputs, [call.result for call in calls], random)
    names, times = _names(net), Counter[str]()
    measured = []
    for call, gradient in zip(calls, arrived, strict=True):
        name = names[id(call.layer)]
        times[name] += 1
        label = name if times[name] == 1 else f"{name} #{times[name]}"
        units = max(1, math.prod(call.result.shape) // given.size)
        measured.append(_layer(label, call, units, None, gradient, bins))
    ran = {id(call.layer) for call in calls}
    first = calls[0].given
    return Measured(
        tuple(measured),
        batch=given.size,
        input=_moments(values_of(first)) if is_tensor(first) else UNKNOWN,
        prepared=not any(first is tensor for tensor in given.tensors),
        silent=tuple(
            name
            for name, layer in net.named_sublayers(include_self=True)
            if weights(layer) and id(layer) not in ran
        ),
        normalizations=tuple(
            sorted({n for n in (type(s).__name__ for s in net.sublayers()) if _normalizes(n)})
        ),
    )


def _normalizes(kind: str) -> bool:
    """Tell a class that normalizes a signal from others, and from those that normalize weights."""
    return "Norm" in kind and not kind.startswith(("Spectral", "Weight"))


def _names(net: Any) -> dict[int, str]:
    named = net.named_sublayers(include_self=True)
    return {id(layer): name or "linear" for name, layer in named}


def _check_once(net: Any, calls: Sequence[Call], linears: int) -> None:
    called = [id(call.layer) for call in calls]
    if len(set(called)) != len(called):
        raise NoPredictionError(f"{type(net).__name__} runs a linear layer more than once")
    if len(called) < linears:
        raise NoPredictionError(
            f"{type(net).__name__} has {linears} linear layers, its forward ran {len(called)}"
        )


def _layer(
    name: str, call: Call, units: int, follow: Any, gradient: Any, bins: int
) -> MeasuredLayer:
    tensors = {"pre_activation": call.result, "output": follow, "gradient": gradient}
    arrays = {key: values_of(tensor) for key, tensor in tensors.items() if tensor is not None}
    found = {key: _moments(values) for key, values in arrays.items()}
    return MeasuredLayer(
        name=name,
        kind=type(call.layer).__name__,
        shape=tuple(int(size) for size in weights(call.layer)[0].shape),
        units=units,
        pre_activation=found["pre_activation"],
        output=found.get("output"),
        gradient=found.get("gradient", UNKNOWN),
        histograms={key: _histogram(values, bins) for key, values in arrays.items() if bins},
    )


def _moments(values: Array) -> Moments:
    with np.errstate(over="ignore", invalid="ignore"):  # a signal may have overflowed
        return Moments(float(values.mean()), float(np.square(values).mean()))


def _histogram(values: Array, bins: int) -> Histogram:
    finite = values[np.isfinite(values)]
    reach = float(np.abs(finite).max(initial=0.0)) or 1.0
    counts, edges = np.histogram(finite, bins, (-reach, reach))
    return Histogram(edges, counts.astype(np.int64))
