""".pdparams, as paddle.save and paddle.static.save write it: a pickled dict of arrays.

Source: paddle/framework/io.py and io_utils.py: tensors are reduced to ``tuple((name, array))`` or
``eval('data', {'data': array})``; under protocols 2 and 3 long ones are cut into slices.
"""

from __future__ import annotations

import functools
import math
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from paddle_init.weight_files.pickles import Call, Global, PickleError, read_pickle, refuse_key
from paddle_init.weight_files.weights import (
    NO_ARRAY,
    Array,
    ContentError,
    Contents,
    Leaf,
    Loader,
    Member,
    Weights,
    as_array,
    fits,
    gathered,
    key_text,
    unreadable_dtype,
    unreadable_shape,
)

# numpy.core became numpy._core in NumPy 2.
NUMPY_CORES = ("numpy.core.multiarray", "numpy._core.multiarray")
RECONSTRUCT = frozenset(Global(core, "_reconstruct") for core in NUMPY_CORES)
SCALAR = frozenset(Global(core, "scalar") for core in NUMPY_CORES)
NDARRAY, DTYPE = Global("numpy", "ndarray"), Global("numpy", "dtype")
ENCODE = Global("_codecs", "encode")
TUPLE, EVAL, BYTES = (
    frozenset({Global("builtins", name), Global("__builtin__", name)})
    for name in ("tuple", "eval", "bytes")
)
DICTS = frozenset(Global("collections", name) for name in ("OrderedDict", "defaultdict", "Counter"))
# Types of plain data that stand beside weights in a checkpoint; they are named, and none is made.
BUILTINS = "set frozenset complex bytearray range xrange slice object list dict int float str bool"
PLAIN = frozenset(
    Global(module, name)
    for modules, names in (
        ("builtins __builtin__", BUILTINS),
        ("collections", "deque"),
        ("datetime", "datetime date time timedelta timezone"),
        ("argparse", "Namespace"),
        ("types", "SimpleNamespace"),
        ("decimal", "Decimal"),
        ("fractions", "Fraction"),
        ("uuid", "UUID"),
        ("pathlib pathlib._local", "Path PosixPath WindowsPath PurePosixPath PureWindowsPath"),
        ("copyreg copy_reg", "_reconstructor"),
    )
    for module in modules.split()
    for name in names.split()
)
ALLOWED = RECONSTRUCT | SCALAR | TUPLE | EVAL | BYTES | DICTS | PLAIN | {NDARRAY, DTYPE, ENCODE}

NOT_PADDLES = "no .pdparams file of Paddle's"
NAMES, SLICES = "StructuredToParameterName@@", "UnpackBigParamInfor@@"
CODE = re.compile("[biufcSUV][0-9]{1,9}|O8?|[mM]8")


@dataclass(frozen=True)
class Sliced:
    """An array that was cut into slices."""

    slices: tuple[Loader, ...]
    shape: tuple[int, ...]

    def load(self) -> Array:
        return np.concatenate([load() for load in self.slices]).reshape(self.shape)


def pdparams_weights(path: str, data: Contents) -> Weights:
    """Return the arrays of a .pdparams file.

    Those of dicts and lists within it have their keys joined by dots.

    Raises
    ------
    ContentError
        The pickle is broken, holds what Paddle's own would not, or gives a name twice.
    """
    try:
        saved = read_pickle(data, ALLOWED.__contains__)
        if _members(saved) is None and isinstance(_leaf(saved).content, str):
            raise PickleError("it holds no dict of arrays")
        return gathered(path, saved, _members, _leaf)
    except RecursionError:
        raise ContentError(f"{NOT_PADDLES}: it is nested too deep") from None
    except PickleError as error:
        raise ContentError(f"{NOT_PADDLES}: {error}") from error


def _members(value: Any) -> Iterable[Member] | None:
    if isinstance(value, Call) and value.function in DICTS:
        value = _items(value)
    if isinstance(value, dict):
        return _of_dict(value)
    if isinstance(value, (list, tuple)) and _named_array(value) is None:
        return ((str(index), each, None) for index, each in enumerate(value))
    return None


def _items(call: Call) -> dict[Any, Any]:
    """Return what a dict of another class holds: what it was made of, and what was put in."""
    given: dict[Any, Any] = {}
    for each in call.arguments:
        match each:
            case None | Global():  # a defaultdict's factory
                continue
            case dict():
                given.update(each)
            case list() if all(isinstance(pair, (list, tuple)) and len(pair) == 2 for pair in each):
                for key, value in each:
                    refuse_key(key)
                    given[key] = value
            case _:
                raise PickleError(f"{call.function} is made of what is no dict")
    return given | call.items


def _of_dict(items: dict[Any, Any]) -> Iterator[Member]:
    cut, table = items.get(SLICES), items.get(NAMES)
    joined = _joined(items, cut) if isinstance(cut, dict) else {}
    own = table if isinstance(table, dict) else {}
    parts = {part for _, names in joined.values() for part in names}
    for key, inner in items.items():
        if key not in parts and key not in (NAMES, SLICES):
            yield key_text(key), inner, _text(own.get(key))
    for key, (whole, _) in joined.items():
        yield key_text(key), whole, _text(own.get(key))


def _text(value: Any) -> str | None:
    return value if isinstance(value, str) else None


def _joined(items: dict[Any, Any], cut: dict[Any, Any]) -> dict[Any, tuple[Sliced, list[Any]]]:
    """Return what protocols 2 and 3 cut into slices, and the slices' names, by name."""
    found: dict[Any, tuple[Sliced, list[Any]]] = {}
    for key, about in cut.items():
        name = key_text(key)
        try:
            names, shape = list(about["slices"]), tuple(about["OriginShape"])
            contents = [_leaf(items[part]).content for part in names]
        except (KeyError, TypeError) as error:
            raise PickleError(f"the slices of {name} are not there") from error
        slices = tuple(each for each in contents if not isinstance(each, str))
        if not slices or len(slices) < len(contents):
            raise PickleError(f"the slices of {name} are no arrays")
        arrays = [load() for load in slices]
        if not _is_shape(shape) or (
            sum(array.size for array in arrays) != math.prod(shape)
            or len({(array.dtype, array.ndim) for array in arrays}) > 1
            or arrays[0].ndim != 1
        ):
            raise PickleError(f"the slices of {name} do not add up to its shape")
        found[key] = Sliced(slices, shape), names
    return found


def _named_array(value: Any) -> tuple[str, Any] | None:
    match value:
        case Call(function, ((str(name), Call() as inner),)) if function in TUPLE:
            return name, inner
        case (str(name), Call() as inner) if isinstance(value, tuple) and (
            inner.function in RECONSTRUCT
        ):
            return name, inner
    return None


def _leaf(value: Any) -> Leaf:
    if isinstance(value, Sliced):
        return Leaf(value.load)
    if named := _named_array(value):
        name, inner = named
        return replace(_leaf(inner), own_name=name)
    match value:
        case Call(function, ("data", {"data": inner})) if function in EVAL:
            return _leaf(inner)
        case Call(function) if function in EVAL:
            raise PickleError("it wants a text evaluated; nothing of it was run")
        case Call(function, (Global("numpy", "ndarray"), (0,), _)) if function in RECONSTRUCT:
            return Leaf(_array(value.state))
        case Call(function):
            return Leaf(NO_ARRAY(kind=str(function)))
    return Leaf(NO_ARRAY(kind=type(value).__name__))


def _array(state: Any) -> Loader | str:
    match state:
        case (1, tuple(shape), Call() as described, bool(fortran), data):
            dtype = _dtype(described)
            if why := unreadable_dtype(dtype):
                return why
            held = _bytes(data)
            if not _is_shape(shape):
                raise PickleError(f"an array of no possible shape has {len(held)} bytes")
            if not fits(shape, dtype, len(held)):
                raise PickleError(
                    f"an array of shape {list(shape)} and type {dtype} has {len(held)} bytes"
                )
            if why := unreadable_shape(shape):
                return why
            return functools.partial(as_array, held, dtype, shape, fortran=fortran)
    raise PickleError("an array has no values")


def _is_shape(sides: tuple[Any, ...]) -> bool:
    return all(type(side) is int and 0 <= side < 1 << 63 for side in sides)


def _dtype(call: Call) -> np.dtype[Any]:
    code = call.arguments[0] if call.function == DTYPE and call.arguments else None
    order = call.state[1] if isinstance(call.state, tuple) and len(call.state) > 1 else None
    if isinstance(code, str) and CODE.fullmatch(code) and order in ("<", ">", "|", "="):
        try:
            found: np.dtype[Any] = np.dtype(code).newbyteorder(order)
            return found
        except TypeError:
            pass
    told = repr(code) if isinstance(code, str) else "that it names"
    raise PickleError(f"an array has values of the type {told}, which NumPy does not have")


def _bytes(data: Any) -> Contents | bytes:
    match data:
        case memoryview():
            return data
        case Call(function, (str(text), "latin1")) if function == ENCODE:
            return text.encode("latin1")
        case Call(function, ()) if function in BYTES:
            return b""
    raise PickleError("an array's values are no bytes")
