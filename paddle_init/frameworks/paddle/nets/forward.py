"""A net run forward and backward once: its arguments, its layers' calls, their gradients.

Imports paddle only when called.
"""

from __future__ import annotations

import inspect
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from paddle_init.activations.curves import Array
from paddle_init.errors import PropagationError

GIVE_INPUT = (
    "give the input it takes (--input: a .npy array, an .npz of arrays by argument name, or a "
    "function, module:function, that makes the batch)"
)


@dataclass(frozen=True, eq=False)
class Batch:
    """The arguments of a forward pass; tensors may stand inside of lists and dicts."""

    args: tuple[Any, ...]
    kwargs: Mapping[str, Any] = field(default_factory=dict)

    @property
    def tensors(self) -> list[Any]:
        """Every tensor of the arguments, in their order."""
        return list(tensors_in([*self.args, *self.kwargs.values()]))

    @property
    def size(self) -> int:
        """The first dimension of the first tensor that has one; 1 where none has."""
        return next((int(each.shape[0]) for each in self.tensors if each.shape), 1)

    @property
    def shapes(self) -> str:
        """The shapes, for messages."""
        shapes = [str(tuple(each.shape)) for each in self.tensors]
        return f"shape{'s' if len(shapes) > 1 else ''} {', '.join(shapes) or 'unknown'}"


def tensors_in(value: Any) -> Iterator[Any]:
    """Yield the tensors of nested lists, tuples and dicts."""
    import paddle

    if paddle.is_tensor(value):
        yield value
    elif isinstance(value, (Mapping, list, tuple)):
        for item in value.values() if isinstance(value, Mapping) else value:
            yield from tensors_in(item)


def values_of(tensor: Any) -> Array:
    """Return a tensor's values as float64; NumPy has no bfloat16 of its own."""
    values: Array = tensor.astype("float64").numpy()
    return values


def numbers(input: Any) -> npt.NDArray[Any]:
    """Return an array of real, finite numbers.

    Raises
    ------
    PropagationError
        It is not, or is empty.
    """
    values = np.asarray(input)
    if values.dtype.kind not in "biuf":
        raise PropagationError(f"an input holds real numbers, got dtype {values.dtype}")
    if not values.size:
        raise PropagationError(f"the input is empty: shape {values.shape}")
    if not np.isfinite(values).all():
        raise PropagationError("the input holds NaN or infinity")
    return values


def _takes(net: Any) -> tuple[list[str], list[str]]:
    """Return the names of the arguments of a net's forward: all, and those without a default."""
    every, needed = [], []
    for name, parameter in inspect.signature(net.forward).parameters.items():
        if parameter.kind in (parameter.VAR_POSITIONAL, parameter.VAR_KEYWORD):
            continue
        every.append(name)
        if parameter.default is parameter.empty:
            needed.append(name)
    return every, needed


def as_batch(input: Any, net: Any, dtype: Any) -> Batch:
    """Return what a net is called with.

    Parameters
    ----------
    input
        A tensor or an array (or nested lists of numbers): the only argument. A tuple or a list:
        the arguments in their order.
        A dict: the arguments by name where the forward has all of these names, else the one
        argument that it takes. A list is one argument where the forward needs just one. Tensors
        stay as they are; arrays of floats become tensors of `dtype`; arrays of integers int64,
        but a single one only for a net that embeds.

    Raises
    ------
    PropagationError
        An array holds no finite numbers, or the arguments are not those of the forward.
    """
    if not isinstance(input, (Mapping, list, tuple)) or _is_numbers(input):
        return Batch((_alone(input, net, dtype),))
    every, needed = _takes(net)
    held = _converted(input, dtype)
    if isinstance(input, Mapping):
        if input and all(name in every for name in input):
            return Batch((), held)
        if len(needed) > 1:
            raise PropagationError(
                f"the forward of {type(net).__name__} takes {', '.join(every)}; the input has "
                f"{', '.join(map(str, input))}"
            )
        return Batch((held,))
    if isinstance(input, list) and len(needed) <= 1 and len(input) != 1:
        return Batch((held,))
    return Batch(tuple(held))


def _is_numbers(input: Any) -> bool:
    """Tell nested lists of numbers, which are one array."""
    if isinstance(input, list) and input:
        return all(map(_is_numbers, input))
    return isinstance(input, (int, float, str))


def _alone(input: Any, net: Any, dtype: Any) -> Any:
    import paddle

    given = paddle.is_tensor(input)
    values = numbers(values_of(input) if given else input)
    if given:
        return input
    embeds = any(isinstance(layer, paddle.nn.Embedding) for layer in net.sublayers())
    if embeds and values.dtype.kind in "iu":
        return paddle.to_tensor(values.astype(np.int64))
    return paddle.to_tensor(values.astype(np.float64)).astype(dtype)


def _converted(value: Any, dtype: Any) -> Any:
    """Turn the arrays of nested arguments into tensors."""
    import paddle

    if isinstance(value, Mapping):
        return {name: _converted(item, dtype) for name, item in value.items()}
    if isinstance(value, (list, tuple)):
        return type(value)(_converted(item, dtype) for item in value)
    if isinstance(value, (np.ndarray, np.generic)):
        found = numbers(value)
        if found.dtype.kind == "f":
            return paddle.to_tensor(found.astype(np.float64)).astype(dtype)
        return paddle.to_tensor(found if found.dtype.kind == "b" else found.astype(np.int64))
    return value


class Call(NamedTuple):
    """A layer that ran: what it read, what it returned, and the copy that went on from there."""

    layer: Any
    given: Any
    result: Any
    passed: Any


class Run(NamedTuple):
    """A forward pass: its arguments, the calls of the layers in order, and what came out."""

    given: Batch
    calls: list[Call]
    output: Any


def is_tensor(value: Any) -> bool:
    import paddle

    return bool(paddle.is_tensor(value))


def is_linear(layer: Any) -> bool:
    import paddle

    return isinstance(layer, paddle.nn.Linear)


def weights(layer: Any) -> list[Any]:
    """Return a layer's own weights; an embedding is measured by none."""
    import paddle

    if isinstance(layer, paddle.nn.Embedding):
        return []
    own = [parameter for parameter in layer._parameters.values() if parameter is not None]
    return [parameter for parameter in own if len(parameter.shape) >= 2]


def run(
    net: Any, input: Any, layers: Sequence[Any], batch: int, random: np.random.Generator
) -> Run:
    """Run a net's forward, by default on `batch` rows of standard normals, and watch `layers`."""
    import paddle

    given = _batch(net, input, weights(layers[0])[0], batch, random)
    calls: list[Call] = []

    def seen(called: Any, read: Any, result: Any) -> Any:
        if not paddle.is_tensor(result):
            return result
        passed = result.clone()  # an activation in place would overwrite the result
        calls.append(Call(called, read[0] if read else None, result, passed))
        return passed

    hooks = [layer.register_forward_post_hook(seen) for layer in layers]
    running = [each for each in net.parameters() if each.stop_gradient]  # as a BatchNorm's mean
    kept = [(each, each.clone()) for each in (*net.buffers(), *running) if each._is_initialized()]
    state = paddle.get_rng_state()
    try:
        with paddle.enable_grad():
            output = net(*given.args, **given.kwargs)
    except Exception as error:
        takes = ", ".join(_takes(net)[0])
        takes = f"; its forward takes ({takes})" if takes else ""
        instead = f", standard normal; {GIVE_INPUT}" if input is None else ""
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
    return Run(given, calls, output)


def _batch(net: Any, input: Any, weight: Any, batch: int, random: np.random.Generator) -> Batch:
    if input is not None:
        return as_batch(input, net, weight.dtype)
    every, needed = _takes(net)
    if len(needed) > 1 or len(weight.shape) != 2:
        raise PropagationError(
            f"{type(net).__name__} is no net of fully connected layers on one input, and a batch "
            f"cannot be made up for it; its forward takes ({', '.join(every)}); {GIVE_INPUT}"
        )
    rows = random.standard_normal((batch, int(weight.shape[0])), dtype=np.float32)
    return as_batch(rows, net, weight.dtype)


def _short(error: Exception) -> str:
    """Return what an error says in one line; of Paddle's, without its C++ stack and places."""
    told = str(error).split("Error Message Summary:")[-1]
    told = re.sub(r"\[Hint:.*\]|\(at [^()]*:\d+\)|\[operator <[^>]*> error\]|-{4,}", " ", told)
    told = " ".join(told.split())
    return f"{type(error).__name__}: {told}" if told else type(error).__name__


def gradients(
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
