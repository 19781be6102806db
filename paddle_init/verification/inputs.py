"""Weights as they come: a file, a mapping of arrays or tensors, a Layer."""

from __future__ import annotations

import functools
import os
from collections.abc import Mapping
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from paddle_init.errors import SpecError
from paddle_init.weight_files.loading import Weights, load_weights

__all__ = ["WeightsLike", "as_weights"]

WeightsLike: TypeAlias = "str | os.PathLike[str] | Mapping[str, Any] | Any"


def as_weights(weights: WeightsLike) -> Weights:
    """Return weights by name.

    Parameters
    ----------
    weights
        A path; a mapping of arrays or Paddle tensors by name; or a Layer, whose state_dict is
        taken.

    Raises
    ------
    WeightFileError
        A file cannot be read.
    SpecError
        It is none of these.
    """
    if isinstance(weights, Weights):
        return weights
    if isinstance(weights, (str, os.PathLike)):
        return load_weights(weights)
    if not isinstance(weights, Mapping) and hasattr(weights, "state_dict"):
        weights = weights.state_dict()
    if not isinstance(weights, Mapping):
        raise SpecError(
            f"weights: found {type(weights).__name__}, allowed are a path, a mapping of arrays by "
            "name, and a Layer"
        )
    loaders = {
        str(name): functools.partial(_same, _array(str(name), value))
        for name, value in weights.items()
    }
    own = {value.name: str(name) for name, value in weights.items() if hasattr(value, "numpy")}
    return Weights("arrays", loaders, aliases=own)


def _same(array: NDArray[Any]) -> NDArray[Any]:
    return array


def _array(name: str, value: Any) -> NDArray[Any]:
    array = np.asarray(value.numpy() if hasattr(value, "numpy") else value)
    if array.dtype.kind not in "fiub":
        raise SpecError(f"weights[{name!r}]: found {type(value).__name__}, expected an array")
    return array.astype(array.dtype.newbyteorder("="), copy=False)
