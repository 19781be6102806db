"""Weights as they come: a file, a mapping of arrays or tensors, a Layer."""

from __future__ import annotations

import functools
import os
import shlex
from collections.abc import Iterable, Mapping
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from paddle_init.errors import SpecError
from paddle_init.file_kinds import weight_format_of
from paddle_init.parity.resolving import names_object
from paddle_init.weight_files.loading import Weights, load_weights
from paddle_init.weight_files.loading import sentences as say
from paddle_init.weight_files.loading.nested import (
    Leaf,
    Member,
    NestingError,
    gathered,
    key_text,
)
from paddle_init.weight_files.loading.weights import unreadable_dtype

__all__ = ["WeightsLike", "as_weights", "refuse_exchanged"]

WeightsLike: TypeAlias = "str | os.PathLike[str] | Mapping[str, Any] | Any"


def as_weights(weights: WeightsLike) -> Weights:
    """Return weights by name.

    Parameters
    ----------
    weights
        A path; a mapping of arrays or Paddle tensors by name, which may hold others; or a Layer,
        whose state_dict is taken.

    Raises
    ------
    WeightFileError
        A file cannot be read.
    SpecError
        It is none of these, or holds no array.
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
    try:
        made = gathered("arrays", weights, _members, _leaf)
    except NestingError as error:
        raise SpecError(f"weights: {error}") from None
    if made.unreadable and not made:
        name, why = next(iter(made.unreadable.items()))
        raise SpecError(f"weights[{name!r}]: expected an array, but {why}")
    return made


def refuse_exchanged(weights: object, spec: object) -> None:
    """Tell a weight file that stands in the spec's place, and a spec in the weights'.

    Raises
    ------
    SpecError
        The two are exchanged.
    """
    if not isinstance(weights, (str, os.PathLike)) or not isinstance(spec, (str, os.PathLike)):
        return
    first, second = os.fspath(weights), os.fspath(spec)
    form = weight_format_of(second)
    if form is None or weight_format_of(first) is not None:
        return
    if os.path.exists(first) or names_object(first):
        raise SpecError(
            f"weights and spec are exchanged: {second} is a weight file ({form}), {first} is none; "
            f"`paddle-init verify {shlex.quote(second)} {shlex.quote(first)}`"
        )


def _members(value: Any) -> Iterable[Member] | None:
    if isinstance(value, Mapping):
        return ((key_text(key), each, None) for key, each in value.items())
    if isinstance(value, (list, tuple)) and not _is_numbers(value):
        return ((str(index), each, None) for index, each in enumerate(value))
    return None


def _is_numbers(value: Any) -> bool:
    """Tell a number, or lists of lists of numbers, from a list of arrays."""
    if isinstance(value, (list, tuple)):
        return all(map(_is_numbers, value))
    return isinstance(value, (int, float, complex))


def _leaf(value: Any) -> Leaf:
    is_tensor = hasattr(value, "numpy")
    if not is_tensor and not isinstance(value, (np.ndarray, np.generic, list, tuple)):
        return Leaf(say.NO_ARRAY(kind=type(value).__name__))
    try:
        array = np.asarray(value.numpy() if is_tensor else value)
    except (ValueError, OverflowError):  # lists of lists of other lengths
        return Leaf(say.NO_ARRAY(kind=type(value).__name__))
    if why := unreadable_dtype(array.dtype):
        return Leaf(why)
    native = array.astype(array.dtype.newbyteorder("="), copy=False)
    own_name = getattr(value, "name", None) if is_tensor else None
    return Leaf(functools.partial(_same, native), own_name if isinstance(own_name, str) else None)


def _same(array: NDArray[Any]) -> NDArray[Any]:
    return array
