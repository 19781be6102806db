"""Paddle's ops, each with a hook through which the building of a net is observed."""

from __future__ import annotations

import functools
import sys
import threading
import types
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any, TypeAlias

import numpy as np

from paddle_init.frameworks.paddle.nets import sentences as say
from paddle_init.frameworks.paddle.nets.observing import Observation
from paddle_init.frameworks.paddle.nets.parameters import is_tensor, shape_and_dtype
from paddle_init.frameworks.paddle.nets.provenance import Origin
from paddle_init.frameworks.paddle.nets.random_ops import DRAWING, draws

Wrapped: TypeAlias = Callable[..., Any]
Hook: TypeAlias = tuple[Any, str, Any]  # owner, attribute, what stands there while observed

# Ops whose result has the values of their first argument, in the same row-major order.
PASSING = (
    "assign",
    "flatten",
    "flatten_",
    "reshape",
    "reshape_",
    "squeeze",
    "squeeze_",
    "unsqueeze",
    "unsqueeze_",
    "view_shape",
)
CASTING = ("cast", "cast_")
# Ops that fill with one number, and which argument it is.
FILLING = {"full": 1, "full_": 2, "full_like": 1, "fill": 1, "fill_": 1}
NUMBERED = {"ones": 1.0, "ones_like": 1.0, "zeros": 0.0, "zeros_like": 0.0}
# Ops that make a tensor of numbers.
CREATING = ("arange", "eye", "linspace", "logspace", "tril_indices", "triu_indices")
# Ops whose result is decided by their argument's shape.
SHAPES = ("numel", "shape", "shape64", "size")
# Ops whose result has a shape that values of arguments decide, and which arguments; () is all.
SHAPED_BY_VALUES: Mapping[str, tuple[int, ...]] = {
    "bincount": (),
    "class_center_sample": (),
    "collect_fpn_proposals": (),
    "crop": (1, 2),
    "ctc_align": (),
    "distribute_fpn_proposals": (),
    "empty": (0,),
    "expand": (1,),
    "full_with_tensor": (1,),
    "generate_proposals": (),
    "graph_khop_sampler": (),
    "graph_sample_neighbors": (),
    "masked_select": (),
    "matrix_nms": (),
    "multiclass_nms3": (),
    "nms": (),
    "nonzero": (),
    "one_hot": (1,),
    "pad": (1,),
    "pad3d": (1,),
    "reindex_graph": (),
    "repeat_interleave_with_tensor_index": (),
    "segment_pool": (1,),
    "send_u_recv": (4,),
    "send_ue_recv": (6,),
    "sequence_mask": (),
    "slice": (2, 3),
    "split": (1,),
    "strided_slice": (2, 3, 4),
    "tile": (1,),
    "topk": (1,),
    "unique": (),
    "unique_consecutive": (),
    "weighted_sample_neighbors": (),
}
# Ops that change all of their arguments.
OPTIMIZING = ("ada", "sgd", "momentum", "lamb", "rprop", "rmsprop", "ftrl", "average_accumulates")


def hooked(
    seen: Observation, function: Wrapped, observe: Wrapped, *, quiet: bool = True
) -> Wrapped:
    """Return an observed function: `observe` takes `seen`, the function and its arguments.

    `quiet` is whether what the function does inside is not observed.
    """

    @functools.wraps(function)
    def call(*args: Any, **settings: Any) -> Any:
        if seen.idle:
            return function(*args, **settings)
        if not quiet:
            return observe(seen, function, *args, **settings)
        with seen.quiet():
            return observe(seen, function, *args, **settings)

    return call


def op_hooks(seen: Observation) -> Iterator[Hook]:
    wrapped = {
        name: _hooked_op(seen, name, op) for name, op in _ops().items() if not name.startswith("_")
    }
    for module, attribute, name in _references():
        if name in wrapped:
            yield module, attribute, wrapped[name]


@functools.cache
def _ops() -> dict[str, Wrapped]:
    """Return Paddle's ops by their names, without any hooks."""
    import paddle

    return {
        name: op
        for name, op in vars(paddle._C_ops).items()
        if isinstance(op, types.BuiltinFunctionType)
    }


@functools.cache
def _references() -> tuple[tuple[Any, str, str], ...]:
    """Return (module, attribute, op's name) wherever Paddle's own modules refer to an op."""
    names = {id(op): name for name, op in _ops().items()}
    return tuple(
        (module, attribute, names[id(value)])
        for path, module in sorted(sys.modules.items())
        if path.split(".")[0] == "paddle" and ".libpaddle" not in path and module is not None
        for attribute, value in list(vars(module).items())
        if id(value) in names and isinstance(value, types.BuiltinFunctionType)
    )


def _hooked_op(seen: Observation, name: str, op: Wrapped) -> Wrapped:
    if name in DRAWING or draws(name.removesuffix("_"), ()):
        return _random_op(seen, name, op)
    if name in ORIGINS:
        op = hooked(seen, op, functools.partial(_noted, name))
    reading = () if name in CREATING else SHAPED_BY_VALUES.get(name)
    if reading is not None:
        return hooked(seen, op, functools.partial(_reading, reading), quiet=False)
    everything = any(part in name for part in OPTIMIZING)
    if name in ORIGINS:
        return op
    return hooked(seen, op, functools.partial(_changing, name, everything), quiet=False)


def _random_op(seen: Observation, name: str, op: Wrapped) -> Wrapped:
    def call(*args: Any, **settings: Any) -> Any:
        if threading.get_ident() != seen.thread:
            seen.end(say.OTHER_THREAD)
        if seen.idle:
            return op(*args, **settings)
        return seen.drawing(name, op, args, settings)

    return call


def _noted(name: str, seen: Observation, op: Wrapped, /, *args: Any, **settings: Any) -> Any:
    """Call an op of whose result the origin is told by its arguments."""
    passed = ORIGINS[name] is _passed and args and is_tensor(args[0])
    before = seen.provenance.origin(args[0]) if passed else None
    result = op(*args, **settings)
    if is_tensor(result):
        origin = ORIGINS[name](seen, name, args, settings, result, before)
        if name.endswith("_") or settings.get("out") is not None:
            seen.overwrote(result, origin)
        elif origin is not None:
            seen.note(result, origin)
    return result


def _passed(
    seen: Observation, name: str, args: Any, settings: Any, result: Any, before: Origin | None
) -> Origin | None:
    if before is None:
        return None
    _, dtype = shape_and_dtype(result)
    if name in CASTING:
        return before.cast(dtype)
    return before if dtype == before.dtypes[-1] else None


def _filled(
    seen: Observation, name: str, args: Any, settings: Any, result: Any, before: Origin | None
) -> Origin | None:
    if name in NUMBERED:
        return seen.written_to(result, NUMBERED[name])
    at = FILLING[name]
    value = args[at] if len(args) > at else None
    try:
        number = float(value) if isinstance(value, (str, int, float, np.number)) else None
    except ValueError:
        return None
    return None if number is None else seen.written_to(result, number)


def _assigned(
    seen: Observation, name: str, args: Any, settings: Any, result: Any, before: Origin | None
) -> Origin | None:
    for each in filter(is_tensor, (*args, *settings.values()) if name in CREATING else ()):
        origin = seen.provenance.origin(each)
        if origin is None or not origin.written:
            return None
    return seen.written_to(result, None, result.numpy())


def _shape(
    seen: Observation, name: str, args: Any, settings: Any, result: Any, before: Origin | None
) -> Origin | None:
    return seen.written_to(result, None)


def _concatenated(
    seen: Observation, name: str, args: Any, settings: Any, result: Any, before: Origin | None
) -> Origin | None:
    parts, axis = args[0], args[1] if len(args) > 1 else settings.get("axis", 0)
    if axis != 0 or not isinstance(parts, (list, tuple)):
        return None
    origins = [seen.provenance.origin(part) for part in parts]
    if any(o is None or o.overwritten or o.dtypes != origins[0].dtypes for o in origins):  # type: ignore[union-attr]
        return None
    pieces = tuple(piece for o in origins for piece in o.pieces)  # type: ignore[union-attr]
    return Origin(pieces, origins[0].dtypes)  # type: ignore[union-attr]


# What tells the origin of an op's result.
ORIGINS: Mapping[str, Callable[..., Origin | None]] = {
    **dict.fromkeys((*PASSING, *CASTING, "assign_out_"), _passed),
    **dict.fromkeys((*FILLING, *NUMBERED), _filled),
    **dict.fromkeys(("assign_value", "assign_value_", *CREATING), _assigned),
    **dict.fromkeys(SHAPES, _shape),
    "concat": _concatenated,
}


def _reading(
    deciding: tuple[int, ...], seen: Observation, op: Wrapped, /, *args: Any, **settings: Any
) -> Any:
    """Call an op that makes a shape of its arguments' values, those at `deciding` or all."""
    given = [args[at] for at in deciding if at < len(args)] if deciding else args
    for tensor in tensors_in((*given, *settings.values())):
        seen.read(tensor, shown=False)
    return op(*args, **settings)


def _changing(
    name: str, everything: bool, seen: Observation, op: Wrapped, /, *args: Any, **settings: Any
) -> Any:
    """Call an op that may write to its arguments without Paddle's counting it."""
    result = op(*args, **settings)
    changed: tuple[Any, ...] = (settings.get("out"),)
    if "batch_norm" in name and (name.endswith("_") or changed[0] is not None):
        changed = args[1:3]  # the running mean and variance
    elif everything or name.endswith("_"):
        changed += args if everything else args[:1]
    for tensor in tensors_in(changed):
        with seen.quiet():
            seen.overwrote(tensor)
    return result


def tensors_in(arguments: Iterable[Any]) -> Iterator[Any]:
    for each in arguments:
        yield from filter(is_tensor, each if isinstance(each, (list, tuple)) else [each])
