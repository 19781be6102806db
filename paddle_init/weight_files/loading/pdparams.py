""".pdparams, as paddle.save and paddle.static.save write it: a pickled dict of arrays.

Source: paddle/framework/io.py and io_utils.py: tensors are reduced to ``tuple((name, array))`` or
``eval('data', {'data': array})``; under protocols 2 and 3 long ones are cut into slices.
"""

from __future__ import annotations

import functools
from collections.abc import Iterator
from typing import Any

import numpy as np

from paddle_init.weight_files.loading.pickles import Call, Global, PickleError, read_pickle
from paddle_init.weight_files.loading.weights import (
    Array,
    Contents,
    Loader,
    Weights,
    as_array,
    fits,
)
from paddle_init.weight_files.writing import WeightFileError

__all__ = ["pdparams_weights"]

# numpy.core became numpy._core in NumPy 2.
NUMPY_CORES = ("numpy.core.multiarray", "numpy._core.multiarray")
RECONSTRUCT = frozenset(Global(core, "_reconstruct") for core in NUMPY_CORES)
SCALAR = frozenset(Global(core, "scalar") for core in NUMPY_CORES)
NDARRAY, DTYPE = Global("numpy", "ndarray"), Global("numpy", "dtype")
ENCODE = Global("_codecs", "encode")
TUPLE = frozenset({Global("builtins", "tuple"), Global("__builtin__", "tuple")})
EVAL = frozenset({Global("builtins", "eval"), Global("__builtin__", "eval")})
ORDERED = Global("collections", "OrderedDict")
ALLOWED = RECONSTRUCT | SCALAR | TUPLE | EVAL | {NDARRAY, DTYPE, ENCODE, ORDERED}

NAMES, SLICES = "StructuredToParameterName@@", "UnpackBigParamInfor@@"
CODES = frozenset({"b1", "i1", "u1", "i2", "u2", "i4", "u4", "i8", "u8", "f2", "f4", "f8"})
DEEPEST, MOST = 16, 1 << 20


def pdparams_weights(path: str, data: Contents) -> Weights:
    """Return the arrays of a .pdparams file.

    Those of nested dicts have their keys joined by dots.

    Raises
    ------
    WeightFileError
        The pickle is broken, or holds what Paddle's own would not.
    """
    loaders: dict[str, Loader] = {}
    skipped: list[str] = []
    try:
        saved = read_pickle(data, ALLOWED.__contains__)
        for name, loader in _leaves(saved, ()):
            if len(loaders) + len(skipped) == MOST:
                raise PickleError(f"it holds more than {MOST} values")
            if loader is None:
                skipped.append(name)
            else:
                loaders[name] = loader
    except PickleError as error:
        raise WeightFileError(f"{path}: no .pdparams file of Paddle's: {error}") from error
    table = saved.get(NAMES) if isinstance(saved, dict) else None
    pairs = table.items() if isinstance(table, dict) else ()
    aliases = {alias: name for name, alias in pairs if name in loaders and isinstance(alias, str)}
    return Weights(path, loaders, tuple(skipped), aliases)


def _leaves(value: Any, keys: tuple[str, ...]) -> Iterator[tuple[str, Loader | None]]:
    """Yield names and loaders of arrays, None for other values."""
    items = _items(value)
    if items is None:
        loader = _loader(value)
        if loader is None and not keys:
            raise PickleError("it holds no dict of arrays")
        yield ".".join(keys) or "parameter", loader
        return
    if len(keys) == DEEPEST:
        raise PickleError(f"dicts are nested more than {DEEPEST} deep")
    cut = items.get(SLICES)
    joined = _joined(items, cut) if isinstance(cut, dict) else {}
    parts = {part for _, names in joined.values() for part in names}
    for key, inner in items.items():
        if key not in parts and key not in (NAMES, SLICES):
            yield from _leaves(inner, (*keys, str(key)))
    for key, (loader, _) in joined.items():
        yield ".".join((*keys, key)), loader


def _items(value: Any) -> dict[Any, Any] | None:
    if isinstance(value, dict):
        return value
    if isinstance(value, Call) and value.function == ORDERED:
        return value.items
    return None


def _joined(items: dict[Any, Any], cut: dict[Any, Any]) -> dict[str, tuple[Loader, list[str]]]:
    """Return what protocols 2 and 3 cut into slices: a loader and the slices' names, by name."""
    found: dict[str, tuple[Loader, list[str]]] = {}
    for key, about in cut.items():
        try:
            names, shape = list(about["slices"]), tuple(about["OriginShape"])
            loaders = [_loader(items[name]) for name in names]
        except (KeyError, TypeError) as error:
            raise PickleError(f"the slices of {key} are not there") from error
        slices = [loader for loader in loaders if loader]
        if not slices or len(slices) < len(loaders):
            raise PickleError(f"the slices of {key} are no arrays")
        found[str(key)] = (functools.partial(_concatenated, slices, shape), names)
    return found


def _concatenated(slices: list[Loader], shape: tuple[int, ...]) -> Array:
    return np.concatenate([load() for load in slices]).reshape(shape)


def _loader(value: Any) -> Loader | None:
    match value:
        case Call(function, ((str(), inner),)) if function in TUPLE:
            return _loader(inner)
        case Call(function, ("data", {"data": inner})) if function in EVAL:
            return _loader(inner)
        case Call(function) if function in EVAL:
            raise PickleError("it wants a text evaluated; nothing of it was run")
        case Call(function, (Global("numpy", "ndarray"), (0,), _)) if function in RECONSTRUCT:
            return _array(value.state)
    return None


def _array(state: Any) -> Loader:
    match state:
        case (1, tuple(shape), Call() as described, bool(fortran), data):
            dtype, held = _dtype(described), _bytes(data)
            if not all(type(side) is int for side in shape) or not fits(shape, dtype, len(held)):
                raise PickleError(
                    f"an array of shape {list(shape)} and type {dtype} has {len(held)} bytes"
                )
            return functools.partial(as_array, held, dtype, shape, fortran=fortran)
    raise PickleError("an array has no values")


def _dtype(call: Call) -> np.dtype[Any]:
    code = call.arguments[0] if call.function == DTYPE and call.arguments else None
    order = call.state[1] if isinstance(call.state, tuple) and len(call.state) > 1 else None
    if code not in CODES or order not in ("<", ">", "|"):
        raise PickleError(f"an array has values of the type {code!r}, which are no numbers")
    return np.dtype(f"{order}{code}")


def _bytes(data: Any) -> Contents | bytes:
    match data:
        case memoryview():
            return data
        case Call(function, (str(text), "latin1")) if function == ENCODE:
            return text.encode("latin1")
    raise PickleError("an array's values are no bytes")
