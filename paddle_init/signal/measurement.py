"""What is measured on a real Paddle net: the moments that are predicted, and histograms."""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from paddle_init.activations.curves import Array
from paddle_init.errors import PropagationError
from paddle_init.frameworks.paddle.nets.forward import (
    Batch,
    as_batch,
    forward_takes,
    tensors_in,
    values_of,
)
from paddle_init.signal.dense import Moments

__all__ = [
    "Histogram",
    "Measured",
    "MeasuredLayer",
    "NoPredictionError",
    "Tensors",
    "measure",
    "measure_layers",
]

BINS = 101
UNKNOWN = Moments(math.nan, math.nan)
GIVE_INPUT = (
    "give the input it takes (--input: a .npy array, an .npz of arrays by argument name, or a "
    "function, module:function, that makes the batch)"
)


class NoPredictionError(PropagationError):
    """A net that can be run, but not predicted: no chain of linear layers and activations."""


@dataclass(frozen=True, eq=False)
class Histogram:
    """Counts of shape (bins,) between ascending edges of shape (bins + 1,)."""

    edges: Array
    counts: npt.NDArray[np.int64]


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


class _Call(NamedTuple):
    """A layer that ran: what it read, what it returned, and the copy that went on from there."""

    layer: Any
    given: Any
    result: Any
    passed: Any


def measure(
    net: Any,
    input: Any | None = None,
    *,
    width: int | None = None,
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
    width
        The standard normal input's second dimension; the first linear layer's fan_in unless given.
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
    import paddle

    linears = [s for s in net.sublayers(include_self=True) if isinstance(s, paddle.nn.Linear)]
    if not linears:
        raise NoPredictionError(f"{type(net).__name__} has no paddle.nn.Linear to measure")
    others = {
        type(layer).__name__
        for layer in net.sublayers(include_self=True)
        if _weights(layer) and not isinstance(layer, paddle.nn.Linear)
    }
    if others:
        raise NoPredictionError(
            f"{type(net).__name__} holds weights of {', '.join(sorted(others))} beside its linear "
            "layers"
        )
    random = np.random.default_rng(seed)
    given = _batch(net, input, linears[0].weight, width, batch, random)
    calls, output = _run(net, given, linears, made=input is None)
    if not paddle.is_tensor(output):
        raise NoPredictionError(f"the net must return one tensor, got {type(output).__name__}")
    _check_once(net, calls, len(linears))
    pre = [call.result for call in calls]
    if output.stop_gradient or any(tensor.stop_gradient for tensor in pre):
        raise NoPredictionError(
            f"{type(net).__name__} lets no gradient through: its parameters are frozen "
            "(stop_gradient), or its forward runs under no_grad"
        )
    gradients = _gradients(net, [output], pre, random)
    names = _names(net)
    follows = [call.given for call in calls[1:]] + [output]
    layers = []
    for call, follow, gradient in zip(calls, follows, gradients, strict=True):
        name = names[id(call.layer)]
        if gradient is None:
            raise NoPredictionError(
                f"{name}: the gradient that reaches the first linear layer does not pass it; only "
                "a chain is followed"
            )
        units = int(call.layer.weight.shape[1])
        layers.append(_layer(name, call, units, follow, gradient, bins))
    return Measured(
        tuple(layers),
        batch=given.size,
        input=_moments(values_of(calls[0].given)),
        prepared=not any(calls[0].given is tensor for tensor in given.tensors),
        tensors=tuple(
            Tensors(
                call.result,
                follow,
                gradient,
                follow is call.passed and call.passed.inplace_version == 0,
            )
            for call, follow, gradient in zip(calls, follows, gradients, strict=True)
        ),
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
    import paddle

    every = net.sublayers(include_self=True)
    layers = [layer for layer in every if _weights(layer) and not any(layer.children())]
    if not layers:
        raise PropagationError(
            f"{type(net).__name__} has no layer with a weight of two dimensions or more, such as "
            "paddle.nn.Linear or paddle.nn.Conv2D: there is nothing to measure"
        )
    random = np.random.default_rng(seed)
    given = _batch(net, input, _weights(layers[0])[0], None, batch, random)
    calls, output = _run(net, given, layers, made=input is None)
    if not calls:
        raise PropagationError(f"no layer with a weight ran in the forward of {type(net).__name__}")
    outputs = [each for each in tensors_in(output) if each.is_floating_point()]
    gradients = _gradients(net, outputs, [call.result for call in calls], random)
    names, times = _names(net), Counter[str]()
    measured = []
    for call, gradient in zip(calls, gradients, strict=True):
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
        input=_moments(values_of(first)) if paddle.is_tensor(first) else UNKNOWN,
        prepared=not any(first is tensor for tensor in given.tensors),
        silent=tuple(
            name
            for name, layer in net.named_sublayers(include_self=True)
            if _weights(layer) and id(layer) not in ran
        ),
        normalizations=tuple(
            sorted({n for n in (type(s).__name__ for s in net.sublayers()) if _normalizes(n)})
        ),
    )


def _normalizes(kind: str) -> bool:
    """Tell a class that normalizes a signal from others, and from those that normalize weights."""
    return "Norm" in kind and not kind.startswith(("Spectral", "Weight"))


def _weights(layer: Any) -> list[Any]:
    """Return a layer's own weights; an embedding is measured by none."""
    import paddle

    if isinstance(layer, paddle.nn.Embedding):
        return []
    own = [parameter for parameter in layer._parameters.values() if parameter is not None]
    return [parameter for parameter in own if len(parameter.shape) >= 2]


def _names(net: Any) -> dict[int, str]:
    named = net.named_sublayers(include_self=True)
    return {id(layer): name or "linear" for name, layer in named}


def _batch(
    net: Any, input: Any, weight: Any, width: int | None, batch: int, random: np.random.Generator
) -> Batch:
    """Return what is given as the arguments of the forward, a standard normal by default."""
    if input is not None:
        return as_batch(input, net, weight.dtype)
    _, needed = forward_takes(net)
    if len(needed) > 1 or len(weight.shape) != 2:
        takes = ", ".join(forward_takes(net)[0])
        raise PropagationError(
            f"{type(net).__name__} is no net of fully connected layers on one input, and a batch "
            f"cannot be made up for it; its forward takes ({takes}); {GIVE_INPUT}"
        )
    shape = (batch, width or int(weight.shape[0]))
    return as_batch(random.standard_normal(shape, dtype=np.float32), net, weight.dtype)


def _run(net: Any, given: Batch, layers: Sequence[Any], made: bool) -> tuple[list[_Call], Any]:
    """Run a net's forward; return the calls of `layers` in order, and what came out."""
    import paddle

    calls: list[_Call] = []

    def seen(called: Any, read: Any, result: Any) -> Any:
        if not paddle.is_tensor(result):
            return result
        passed = result.clone()  # an activation in place would overwrite the result
        calls.append(_Call(called, read[0] if read else None, result, passed))
        return passed

    hooks = [layer.register_forward_post_hook(seen) for layer in layers]
    running = [each for each in net.parameters() if each.stop_gradient]  # as a BatchNorm's mean
    kept = [(each, each.clone()) for each in (*net.buffers(), *running) if each._is_initialized()]
    state = paddle.get_rng_state()
    try:
        with paddle.enable_grad():
            output = net(*given.args, **given.kwargs)
    except Exception as error:
        takes = ", ".join(forward_takes(net)[0])
        takes = f"; its forward takes ({takes})" if takes else ""
        instead = f", standard normal; {GIVE_INPUT}" if made else ""
        raise PropagationError(
            f"{type(net).__name__} fails on an input of {given.shapes}{instead}: "
            f"{_short(error)}{takes}"
        ) from error
    finally:
        for hook in hooks:
            hook.remove()
        paddle.set_rng_state(state)
        for tensor, before in kept:
            tensor.set_value(before)
    return calls, output


def _short(error: Exception) -> str:
    """Return what an error says in one line; of Paddle's, without its C++ stack and places."""
    told = str(error).split("Error Message Summary:")[-1]
    told = re.sub(r"\[Hint:.*\]|\(at [^()]*:\d+\)|\[operator <[^>]*> error\]|-{4,}", " ", told)
    told = " ".join(told.split())
    return f"{type(error).__name__}: {told}" if told else type(error).__name__


def _check_once(net: Any, calls: Sequence[_Call], linears: int) -> None:
    called = [id(call.layer) for call in calls]
    if len(set(called)) != len(called):
        raise NoPredictionError(f"{type(net).__name__} runs a linear layer more than once")
    if len(called) < linears:
        raise NoPredictionError(
            f"{type(net).__name__} has {linears} linear layers, its forward ran {len(called)}"
        )


def _gradients(
    net: Any, outputs: Sequence[Any], pre: Sequence[Any], random: np.random.Generator
) -> list[Any]:
    """Gradients of sum(output * normal) with respect to every tensor of `pre`, None if unreached.

    The gradients of parameters are put back as they were.
    """
    import paddle

    caught: dict[int, Any] = {}
    removable = [
        tensor.register_hook(lambda gradient, index=index: caught.__setitem__(index, gradient))
        for index, tensor in enumerate(pre)
        if not tensor.stop_gradient
    ]
    seeds = [
        paddle.to_tensor(random.standard_normal(each.shape, dtype=np.float32)).astype(each.dtype)
        for each in outputs
    ]
    reached = [(o, s) for o, s in zip(outputs, seeds, strict=True) if not o.stop_gradient]
    parameters = [p for p in net.parameters() if not p.stop_gradient]
    before = [None if p.grad is None else p.grad.clone() for p in parameters]
    try:
        if reached:
            paddle.autograd.backward([o for o, _ in reached], [s for _, s in reached])
    finally:
        for hook in removable:
            hook.remove()
        for parameter, gradient in zip(parameters, before, strict=True):
            parameter.clear_gradient(False)  # to None, which Paddle 2 does not take
            if gradient is not None:
                parameter.grad = gradient
    return [caught.get(index) for index in range(len(pre))]


def _layer(
    name: str, call: _Call, units: int, follow: Any, gradient: Any, bins: int
) -> MeasuredLayer:
    tensors = {"pre_activation": call.result, "output": follow, "gradient": gradient}
    arrays = {key: values_of(tensor) for key, tensor in tensors.items() if tensor is not None}
    found = {key: _moments(values) for key, values in arrays.items()}
    return MeasuredLayer(
        name=name,
        kind=type(call.layer).__name__,
        shape=tuple(int(size) for size in _weights(call.layer)[0].shape),
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
