"""What is measured on a real Paddle net: the same moments that are predicted, and histograms."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from paddle_init.errors import in_words
from paddle_init.theory.curves import Array
from paddle_init.theory.dense import Moments, PropagationError

__all__ = ["Histogram", "Measured", "MeasuredLayer", "measure"]

BINS = 101


@dataclass(frozen=True, eq=False)
class Histogram:
    """Counts of shape (bins,) between ascending edges of shape (bins + 1,)."""

    edges: Array
    counts: npt.NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class MeasuredLayer:
    """One linear layer: its pre-activation, what leaves the activation after it, its gradient.

    `output` is what the next linear layer reads (the net's output for the last). It is the
    activation of `pre_activation` only where nothing else stands between the two, which `reading`
    a net checks.
    """

    name: str
    fan_in: int
    fan_out: int
    pre_activation: Moments
    output: Moments
    gradient: Moments
    histograms: dict[str, Histogram]


@dataclass(frozen=True, eq=False)
class Measured:
    """The linear layers in the order in which the forward pass met them."""

    layers: tuple[MeasuredLayer, ...]
    batch: int
    input: Moments
    tensors: tuple[tuple[Any, Any], ...]


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
        Of shape (batch, fan_in), a tensor or an array; standard normal unless given.
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
    PropagationError
        The net has no linear layer, runs one of them twice, fails, or does not return one tensor.
    """
    import paddle

    calls: list[tuple[Any, Any, Any]] = []
    hooks = [
        layer.register_forward_post_hook(
            lambda called, given, result: calls.append((called, given[0], result))
        )
        for layer in net.sublayers(include_self=True)
        if isinstance(layer, paddle.nn.Linear)
    ]
    if not hooks:
        raise PropagationError(f"{type(net).__name__} has no paddle.nn.Linear to measure")
    random = np.random.default_rng(seed)
    if input is None:
        first = next(s for s in net.sublayers(include_self=True) if isinstance(s, paddle.nn.Linear))
        shape = (batch, width or int(first.weight.shape[0]))
        input = random.standard_normal(shape, dtype=np.float32)
    x: Any = input if paddle.is_tensor(input) else paddle.to_tensor(np.asarray(input, np.float32))
    state = paddle.get_rng_state()
    try:
        output = net(x)
    except Exception as error:
        raise PropagationError(
            f"{type(net).__name__} fails on an input of shape {tuple(x.shape)}: {in_words(error)}"
        ) from error
    finally:
        for hook in hooks:
            hook.remove()
        paddle.set_rng_state(state)
    if not paddle.is_tensor(output):
        raise PropagationError(f"the net must return one tensor, got {type(output).__name__}")
    _check_once(net, calls, len(hooks))
    pre = [result for _, _, result in calls]
    seeded = random.standard_normal(output.shape, dtype=np.float32)
    gradients = _gradients(output, pre, paddle.to_tensor(seeded).astype(output.dtype))
    names = {id(layer): name for name, layer in net.named_sublayers(include_self=True)}
    follows = [given for _, given, _ in calls[1:]] + [output]
    layers = [
        _layer(names[id(layer)] or "linear", layer, result, follow, gradient, bins)
        for (layer, _, result), follow, gradient in zip(calls, follows, gradients, strict=True)
    ]
    return Measured(
        tuple(layers),
        batch=int(x.shape[0]),
        input=_moments(x.numpy()),
        tensors=tuple((result, follow) for result, follow in zip(pre, follows, strict=True)),
    )


def _check_once(net: Any, calls: Sequence[tuple[Any, Any, Any]], linears: int) -> None:
    called = [id(layer) for layer, _, _ in calls]
    if len(set(called)) != len(called):
        raise PropagationError(f"{type(net).__name__} runs a linear layer more than once")
    if len(called) < linears:
        raise PropagationError(
            f"{type(net).__name__} has {linears} linear layers, its forward ran {len(called)}"
        )


def _gradients(output: Any, pre: Sequence[Any], seeded: Any) -> list[Any]:
    """Gradients of sum(output * seeded) with respect to every tensor of `pre`, None if unreached.

    paddle.grad with all of `pre` as inputs stops at the last of them, so the others are caught by
    tensor hooks on the way to the first; no parameter's gradient is touched.
    """
    import paddle

    caught: dict[int, Any] = {}
    removable = [
        tensor.register_hook(lambda gradient, index=index: caught.__setitem__(index, gradient))
        for index, tensor in enumerate(pre)
    ]
    (first,) = paddle.grad([output], [pre[0]], [seeded], allow_unused=True)
    for hook in removable:
        hook.remove()
    return [first, *(caught.get(index) for index in range(1, len(pre)))]


def _layer(
    name: str, layer: Any, result: Any, follow: Any, gradient: Any, bins: int
) -> MeasuredLayer:
    if gradient is None:
        raise PropagationError(f"{name}: no gradient reaches it from the net's output")
    arrays = {
        "pre_activation": result.numpy(),
        "output": follow.numpy(),
        "gradient": gradient.numpy(),
    }
    found = {key: _moments(values) for key, values in arrays.items()}
    return MeasuredLayer(
        name=name,
        fan_in=int(layer.weight.shape[0]),
        fan_out=int(layer.weight.shape[1]),
        **found,
        histograms={key: _histogram(values, bins) for key, values in arrays.items() if bins},
    )


def _moments(values: npt.NDArray[Any]) -> Moments:
    wide = values.astype(np.float64)
    with np.errstate(over="ignore", invalid="ignore"):  # a signal may have overflowed
        return Moments(float(wide.mean()), float(np.square(wide).mean()))


def _histogram(values: npt.NDArray[Any], bins: int) -> Histogram:
    finite = values[np.isfinite(values)].astype(np.float64)
    reach = float(np.abs(finite).max(initial=0.0)) or 1.0
    counts, edges = np.histogram(finite, bins, (-reach, reach))
    return Histogram(edges, counts.astype(np.int64))
