"""The hooks in Paddle through which the building of a net is observed."""

from __future__ import annotations

import functools
import sys
import threading
import types
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from typing import Any

import numpy as np

from paddle_init.frameworks.paddle.nets import sentences as say
from paddle_init.frameworks.paddle.nets.initializer_hooks import initializer_hooks, seed_hooks
from paddle_init.frameworks.paddle.nets.observing import Exaggeration, Observation
from paddle_init.frameworks.paddle.nets.parameters import is_tensor, shape_and_dtype
from paddle_init.frameworks.paddle.nets.provenance import Origin
from paddle_init.frameworks.paddle.nets.random_ops import DRAWING, HostGenerators, draws

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

Wrapped = Callable[..., Any]

# Those in whose functions a net is read once more, outermost first.
_observing: list[Observation] = []


@contextmanager
def observing(mask: int = 0, exaggeration: Exaggeration | None = None) -> Iterator[Observation]:
    """Watch every random op and every parameter that is made or filled inside."""
    around = tuple(_observing)
    for outer in around:
        outer.paused += 1
    # what NumPy's and Python's generators do is asked of the first call alone
    seen = Observation(mask, exaggeration, HostGenerators(watched=not mask))
    _observing.append(seen)
    replaced: list[tuple[Any, str, Any]] = []
    try:
        for owner, name, value in _hooks(seen):
            replaced.append((owner, name, owner.__dict__.get(name, replaced)))
            setattr(owner, name, value)
        yield seen
    finally:
        for owner, name, before in reversed(replaced):
            if before is replaced:
                delattr(owner, name)
            else:
                setattr(owner, name, before)
        _observing.remove(seen)
        for outer in around:
            outer.paused -= 1


def _hooks(seen: Observation) -> Iterator[tuple[Any, str, Any]]:
    yield from _op_hooks(seen)
    yield from _tensor_hooks(seen)
    yield from initializer_hooks(seen)
    yield from seed_hooks(seen)


# Ops


def _op_hooks(seen: Observation) -> Iterator[tuple[Any, str, Any]]:

    wrapped = {
        name: _wrapped_op(seen, name, op) for name, op in _ops().items() if not name.startswith("_")
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


def _wrapped_op(seen: Observation, name: str, op: Wrapped) -> Wrapped:
    if name in DRAWING or draws(name.removesuffix("_"), ()):
        return _random_op(seen, name, op)
    if name in PASSING or name in CASTING:
        return _noted_op(seen, op, _passed, name)
    if name in FILLING or name in NUMBERED:
        return _noted_op(seen, op, _filled, name)
    if name == "assign_out_":
        return _noted_op(seen, op, _passed, name)
    if name in ("assign_value", "assign_value_"):
        return _noted_op(seen, op, _assigned, name)
    if name in CREATING:
        return _reading_op(seen, _noted_op(seen, op, _created, name), ())
    if name == "concat":
        return _noted_op(seen, op, _concatenated, name)
    if name in SHAPES:
        return _noted_op(seen, op, _shape, name)
    if name in SHAPED_BY_VALUES:
        return _reading_op(seen, op, SHAPED_BY_VALUES[name])
    return _changing_op(seen, name, op)


def _random_op(seen: Observation, name: str, op: Wrapped) -> Wrapped:
    def hooked(*args: Any, **settings: Any) -> Any:
        if threading.get_ident() != seen.thread:
            seen.end(say.OTHER_THREAD)
        if seen.idle:
            return op(*args, **settings)
        return seen.drawing(name, op, args, settings)

    return hooked


def _noted_op(
    seen: Observation, op: Wrapped, origin_of: Callable[..., Origin | None], name: str
) -> Wrapped:
    """Hook an op whose result's origin `origin_of` tells from its arguments."""

    def hooked(*args: Any, **settings: Any) -> Any:
        if seen.idle:
            return op(*args, **settings)
        with seen.quiet():
            before = _source_origin(seen, name, args)
            result = op(*args, **settings)
            if not hasattr(result, "inplace_version"):
                return result
            origin = origin_of(seen, name, args, settings, result, before)
            if name.endswith("_") or settings.get("out") is not None:
                seen.overwrote(result, origin)
            elif origin is not None:
                seen.note(result, origin)
        return result

    return hooked


def _source_origin(seen: Observation, name: str, args: tuple[Any, ...]) -> Origin | None:
    if name in PASSING or name in CASTING or name == "assign_out_":
        return seen.provenance.origin(args[0]) if args and is_tensor(args[0]) else None
    return None


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
    return seen.written_to(result, None, result.numpy())


def _created(
    seen: Observation, name: str, args: Any, settings: Any, result: Any, before: Origin | None
) -> Origin | None:
    for each in (*args, *settings.values()):
        if is_tensor(each):
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


def _reading_op(seen: Observation, op: Wrapped, deciding: tuple[int, ...]) -> Wrapped:
    def hooked(*args: Any, **settings: Any) -> Any:
        if not seen.idle:
            given = [args[at] for at in deciding if at < len(args)] if deciding else args
            for each in (*given, *settings.values()):
                for tensor in each if isinstance(each, (list, tuple)) else [each]:
                    if is_tensor(tensor):
                        seen.read(tensor, shown=False)
        return op(*args, **settings)

    return hooked


def _changing_op(seen: Observation, name: str, op: Wrapped) -> Wrapped:
    """Hook an op that may write to its arguments without Paddle's counting it."""
    everything = any(part in name for part in OPTIMIZING)
    in_place = name.endswith("_") or everything

    def hooked(*args: Any, **settings: Any) -> Any:
        out = settings.get("out")
        if not (in_place or out is not None) or seen.idle:
            return op(*args, **settings)
        result = op(*args, **settings)
        changed: tuple[Any, ...]
        if "batch_norm" in name:
            changed = args[1:3]  # the running mean and variance
        elif in_place:
            changed = (out, *(args if everything else args[:1]))
        else:
            changed = (out,)
        for each in changed:
            for tensor in each if isinstance(each, (list, tuple)) else [each]:
                if is_tensor(tensor):
                    with seen.quiet():
                        seen.overwrote(tensor)
        return result

    return hooked


# Tensors


def _tensor_hooks(seen: Observation) -> Iterator[tuple[Any, str, Any]]:
    import paddle
    from paddle.base import core

    kind: Any = core.eager.Tensor

    def hooked(name: str, make: Callable[[Wrapped], Wrapped]) -> Iterator[tuple[Any, str, Any]]:
        method = getattr(kind, name, None)
        if method is not None:
            yield kind, name, functools.wraps(method)(make(method))

    def writing(takes: int, gives: int) -> Callable[[Wrapped], Wrapped]:
        """Hook a method that gives one argument's memory or values to another."""

        def make(method: Wrapped) -> Wrapped:
            def written(*args: Any, **settings: Any) -> Any:
                if seen.idle or len(args) <= max(takes, gives):
                    return method(*args, **settings)
                with seen.quiet():
                    source, target = args[gives], args[takes]
                    origin = seen.provenance.origin(source) if is_tensor(source) else None
                    result = method(*args, **settings)
                    if is_tensor(target):
                        if origin is not None:
                            _, dtype = shape_and_dtype(target)
                            origin = origin.cast(dtype)
                        if takes == 0:
                            seen.overwrote(target, origin)
                        else:
                            seen.note(target, origin)
                return result

            return written

        return make

    for name in ("copy_", "set_tensor", "_set_impl", "reconstruct_from_", "_inplace_assign"):
        yield from hooked(name, writing(0, 1))
    for name in ("_share_underline_tensor_to", "_share_buffer_to", "_unsafe_share_buffer_to"):
        yield from hooked(name, writing(1, 0))

    def passing(method: Wrapped) -> Wrapped:
        def passed(tensor: Any, *args: Any, **settings: Any) -> Any:
            if seen.idle:
                return method(tensor, *args, **settings)
            with seen.quiet():
                origin = seen.provenance.origin(tensor)
                result = method(tensor, *args, **settings)
                if origin is not None and result is not tensor and is_tensor(result):
                    _, dtype = shape_and_dtype(result)
                    if dtype == origin.dtypes[-1]:
                        seen.note(result, origin)
            return result

        return passed

    for name in ("clone", "detach", "contiguous", "_copy_to", "_to"):
        yield from hooked(name, passing)

    def erasing(method: Wrapped) -> Wrapped:
        def erased(tensor: Any, *args: Any, **settings: Any) -> Any:
            result = method(tensor, *args, **settings)
            if not seen.idle:
                with seen.quiet():
                    seen.note(tensor, None)
            return result

        return erased

    for name in ("_clear", "_clear_dataptr", "_clear_to_zero_allocation", "_apply_"):
        yield from hooked(name, erasing)

    def lending(method: Wrapped) -> Wrapped:
        """Hook what hands out a tensor's memory; Paddle's own code does with it what is seen."""
        always = method.__name__ != "get_tensor"

        def lent(tensor: Any, *args: Any, **settings: Any) -> Any:
            if not seen.idle and (
                always or not _called_by_paddle() or _called_by_paddle("dlpack.py")
            ):
                with seen.quiet():
                    seen.overwrote(tensor)
                    seen.lent.add(tensor.data_ptr() if tensor._is_initialized() else 0)
            return method(tensor, *args, **settings)

        return lent

    for name in ("get_tensor", "_slice", "__dlpack__"):
        yield from hooked(name, lending)

    def looking(method: Wrapped) -> Wrapped:
        def looked(tensor: Any, *args: Any, **settings: Any) -> Any:
            if seen.idle:
                return method(tensor, *args, **settings)
            exaggerate = seen.read(tensor)
            with seen.quiet():
                values = method(tensor, *args, **settings)
            return seen.exaggeration(values) if exaggerate and seen.exaggeration else values

        return looked

    for name in ("numpy", "_getitem_from_offset"):
        yield from hooked(name, looking)

    def copying(method: Wrapped) -> Wrapped:
        """Hook a method that copies numbers out of lent memory."""

        @functools.wraps(method)
        def copied(*args: Any, **settings: Any) -> Any:
            values = method(*args, **settings)
            if seen.idle:
                return values
            exaggerate = seen.look(np.asarray(values))
            return seen.exaggeration(values) if exaggerate and seen.exaggeration else values

        return copied

    dense = getattr(core, "DenseTensor", None) or core.LoDTensor  # Paddle 2's name of it
    for name in ("__array__", "_get_float_element", "_get_double_element"):
        yield dense, name, copying(getattr(dense, name))

    from_dlpack = np.from_dlpack

    def taken(values: Any, *args: Any, **settings: Any) -> Any:
        if is_tensor(values) and not seen.idle:
            seen.read(values, shown=False)
        return from_dlpack(values, *args, **settings)

    yield np, "from_dlpack", taken

    def setting(method: Wrapped) -> Wrapped:
        def set_(tensor: Any, value: Any, *args: Any, **settings: Any) -> Any:
            if seen.idle or tensor is value:
                return method(tensor, value, *args, **settings)
            with seen.quiet():
                origin = seen.provenance.origin(value) if is_tensor(value) else None
                result = method(tensor, value, *args, **settings)
                if isinstance(value, np.ndarray):
                    origin = seen.written_to(tensor, None, value)
                seen.overwrote(tensor, origin)
            return result

        return set_

    yield from hooked("set_value", setting)

    def item(method: Wrapped) -> Wrapped:
        def set_(tensor: Any, index: Any, value: Any) -> Any:
            if seen.idle:
                return method(tensor, index, value)
            return seen.set_item(tensor, index, value, lambda: method(tensor, index, value))

        return set_

    yield from hooked("__setitem__", item)

    def slicing(method: Wrapped) -> Wrapped:
        def sliced(tensor: Any, index: Any) -> Any:
            if seen.idle:
                return method(tensor, index)
            for each in index if isinstance(index, tuple) else (index,):
                if is_tensor(each) and shape_and_dtype(each)[1] == "bool":
                    seen.read(each, shown=False)
                elif isinstance(each, slice):
                    for bound in filter(is_tensor, (each.start, each.stop, each.step)):
                        seen.read(bound, shown=False)
            with seen.quiet():
                origin = seen.provenance.origin(tensor)
                result = method(tensor, index)
                part = None if origin is None else _leading(origin, tuple(tensor.shape), index)
                if part is not None and int(result.size) == sum(
                    p.stop - p.start for p in part.pieces
                ):
                    seen.note(result, part)
            return result

        return sliced

    yield from hooked("__getitem__", slicing)

    data = kind.__dict__["data"]

    def set_data(tensor: Any, value: Any) -> None:
        if seen.idle:
            data.__set__(tensor, value)
            return
        with seen.quiet():
            origin = seen.provenance.origin(value)
            data.__set__(tensor, value)
            seen.overwrote(tensor, origin)

    yield kind, "data", property(lambda tensor: data.__get__(tensor), set_data)

    to_tensor = paddle.to_tensor

    def made(value: Any, *args: Any, **settings: Any) -> Any:
        if seen.idle:
            return to_tensor(value, *args, **settings)
        if not isinstance(value, (np.ndarray, int, float)) and not _holds_numbers(value):
            return to_tensor(value, *args, **settings)
        with seen.quiet():
            result = to_tensor(value, *args, **settings)
            seen.note(result, seen.written_to(result, None, result.numpy()))
        return result

    for owner in (paddle, paddle.tensor, paddle.tensor.creation):
        if getattr(owner, "to_tensor", None) is to_tensor:
            yield owner, "to_tensor", made


def _leading(origin: Origin, shape: tuple[int, ...], index: Any) -> Origin | None:
    """Return the origin of consecutive rows of a tensor, where the index takes such."""
    if not shape or isinstance(index, bool):
        return None
    width = int(np.prod(shape[1:], dtype=np.int64))
    if isinstance(index, (int, np.integer)):
        at = int(index) % shape[0] if shape[0] else 0
        return origin.part(at * width, (at + 1) * width)
    if isinstance(index, slice) and all(
        n is None or isinstance(n, (int, np.integer)) for n in (index.start, index.stop, index.step)
    ):
        start, stop, step = index.indices(shape[0])
        if step == 1:
            return origin.part(start * width, max(start, stop) * width)
    return None


def _holds_numbers(value: Any) -> bool:
    """Tell a list of numbers, or of such lists."""
    return isinstance(value, (list, tuple)) and all(
        isinstance(each, (int, float, np.number)) or _holds_numbers(each) for each in value
    )


def _called_by_paddle(file: str = "") -> bool:
    path = sys._getframe(2).f_code.co_filename.replace("\\", "/")
    return "/paddle/" in path and "site-packages" in path and path.endswith(file)
