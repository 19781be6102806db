"""What a net is run on: arrays and tensors as the arguments of its forward.

Imports paddle only when called.
"""

from __future__ import annotations

import inspect
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import numpy.typing as npt

from paddle_init.activations.curves import Array
from paddle_init.errors import PropagationError

__all__ = ["Batch", "as_batch", "forward_takes", "numbers", "tensors_in", "values_of"]


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


def forward_takes(net: Any) -> tuple[list[str], list[str]]:
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
    every, needed = forward_takes(net)
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
