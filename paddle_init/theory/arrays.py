"""Between arrays and Paddle's tensors, for nets that are run. Imports paddle only when called."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from paddle_init.theory.curves import Array
from paddle_init.theory.dense import PropagationError

__all__ = ["as_tensor", "numbers", "values_of"]


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


def as_tensor(input: Any, net: Any, dtype: Any) -> Any:
    """Return a net's input as a tensor: one that is given as it is, an array with `dtype`.

    Raises
    ------
    PropagationError
        As `numbers` does.
    """
    import paddle

    given = paddle.is_tensor(input)
    values = numbers(values_of(input) if given else input)
    if given:
        return input
    embeds = any(isinstance(layer, paddle.nn.Embedding) for layer in net.sublayers())
    if embeds and values.dtype.kind in "iu":
        return paddle.to_tensor(values.astype(np.int64))
    return paddle.to_tensor(values.astype(np.float64)).astype(dtype)
