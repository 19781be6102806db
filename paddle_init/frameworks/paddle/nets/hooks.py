"""The hooks in Paddle, NumPy and Python through which the building of a net is observed."""

from __future__ import annotations

import copy
import functools
import os
import random
import sys
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from typing import Any

import numpy as np

from paddle_init.frameworks.paddle.nets import sentences as say
from paddle_init.frameworks.paddle.nets.observing import (
    COPIED,
    Exaggeration,
    Observation,
    is_integer,
    is_slice,
)
from paddle_init.frameworks.paddle.nets.op_hooks import Hook, Wrapped, hooked, op_hooks, tensors_in
from paddle_init.frameworks.paddle.nets.parameters import is_tensor, shape_and_dtype
from paddle_init.frameworks.paddle.nets.provenance import Origin
from paddle_init.frameworks.paddle.nets.random_ops import HostGenerators

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


def _hooks(seen: Observation) -> Iterator[Hook]:
    yield from op_hooks(seen)
    yield from _tensor_hooks(seen)
    yield from _initializer_hooks(seen)
    yield from _seed_hooks(seen)


# Tensors: each method's hook takes the observation, the method and its arguments.


def _moved(source: int, seen: Observation, method: Wrapped, /, *args: Any, **settings: Any) -> Any:
    """Give one argument's memory or values to another."""
    if len(args) < 2:
        return method(*args, **settings)
    given, target = args[source], args[1 - source]
    origin = seen.provenance.origin(given) if is_tensor(given) else None
    result = method(*args, **settings)
    if is_tensor(target):
        if origin is not None:
            origin = origin.cast(shape_and_dtype(target)[1])
        (seen.overwrote if source else seen.note)(target, origin)
    return result


def _passed(seen: Observation, method: Wrapped, /, tensor: Any, *args: Any, **settings: Any) -> Any:
    """Return a tensor of the same values."""
    origin = seen.provenance.origin(tensor)
    result = method(tensor, *args, **settings)
    if origin is not None and result is not tensor and is_tensor(result):
        _, dtype = shape_and_dtype(result)
        if dtype == origin.dtypes[-1]:
            seen.note(result, origin)
    return result


def _erased(seen: Observation, method: Wrapped, /, tensor: Any, *args: Any, **settings: Any) -> Any:
    result = method(tensor, *args, **settings)
    with seen.quiet():
        seen.note(tensor, None)
    return result


def _lent(seen: Observation, method: Wrapped, /, tensor: Any, *args: Any, **settings: Any) -> Any:
    """Hand out a tensor's memory; Paddle's own code does with it what is seen."""
    if method.__name__ != "get_tensor" or not _called_by_paddle() or _called_by_paddle("dlpack.py"):
        with seen.quiet():
            seen.overwrote(tensor)
            seen.lent.add(tensor.data_ptr() if tensor._is_initialized() else 0)
    return method(tensor, *args, **settings)


def _called_by_paddle(file: str = "") -> bool:
    """Tell whether the hook around the function that asks stands in Paddle's code."""
    path = sys._getframe(3).f_code.co_filename.replace("\\", "/")
    return "/paddle/" in path and "site-packages" in path and path.endswith(file)


def _looked(seen: Observation, method: Wrapped, /, tensor: Any, *args: Any, **settings: Any) -> Any:
    exaggerate = seen.read(tensor)
    values = method(tensor, *args, **settings)
    return seen.exaggeration(values) if exaggerate and seen.exaggeration else values


def _copied(seen: Observation, method: Wrapped, /, *args: Any, **settings: Any) -> Any:
    """Copy numbers out of lent memory."""
    values = method(*args, **settings)
    exaggerate = seen.look(np.asarray(values))
    return seen.exaggeration(values) if exaggerate and seen.exaggeration else values


def _set(
    seen: Observation, method: Wrapped, /, tensor: Any, value: Any, *args: Any, **settings: Any
) -> Any:
    if tensor is value:
        return method(tensor, value, *args, **settings)
    with seen.quiet():
        origin = seen.provenance.origin(value) if is_tensor(value) else None
        result = method(tensor, value, *args, **settings)
        if isinstance(value, np.ndarray):
            origin = seen.written_to(tensor, None, value)
        seen.overwrote(tensor, origin)
    return result


def _set_item(seen: Observation, method: Wrapped, /, tensor: Any, index: Any, value: Any) -> Any:
    return seen.set_item(tensor, index, value, lambda: method(tensor, index, value))


def _sliced(seen: Observation, method: Wrapped, /, tensor: Any, index: Any) -> Any:
    for each in index if isinstance(index, tuple) else (index,):
        if is_tensor(each) and shape_and_dtype(each)[1] == "bool":
            seen.read(each, shown=False)
        elif isinstance(each, slice):
            for bound in tensors_in((each.start, each.stop, each.step)):
                seen.read(bound, shown=False)
    with seen.quiet():
        origin = seen.provenance.origin(tensor)
        result = method(tensor, index)
        part = None if origin is None else _leading(origin, tuple(tensor.shape), index)
        if part is not None and int(result.size) == sum(piece.size for piece in part.pieces):
            seen.note(result, part)
    return result


_received = functools.partial(_moved, 1)
_given = functools.partial(_moved, 0)
# By method: its hook, and whether what it does inside is not observed.
METHODS: Mapping[str, tuple[Wrapped, bool]] = {
    **dict.fromkeys(
        ("copy_", "set_tensor", "_set_impl", "reconstruct_from_", "_inplace_assign"),
        (_received, True),
    ),
    **dict.fromkeys(
        ("_share_underline_tensor_to", "_share_buffer_to", "_unsafe_share_buffer_to"),
        (_given, True),
    ),
    **dict.fromkeys(("clone", "detach", "contiguous", "_copy_to", "_to"), (_passed, True)),
    **dict.fromkeys(
        ("_clear", "_clear_dataptr", "_clear_to_zero_allocation", "_apply_"), (_erased, False)
    ),
    **dict.fromkeys(("get_tensor", "_slice", "__dlpack__"), (_lent, False)),
    **dict.fromkeys(("numpy", "_getitem_from_offset"), (_looked, True)),
    "set_value": (_set, False),
    "__setitem__": (_set_item, False),
    "__getitem__": (_sliced, False),
}


def _tensor_hooks(seen: Observation) -> Iterator[Hook]:
    import paddle
    from paddle.base import core

    kind: Any = core.eager.Tensor
    for name, (observe, quiet) in METHODS.items():
        if hasattr(kind, name):
            yield kind, name, hooked(seen, getattr(kind, name), observe, quiet=quiet)
    dense = getattr(core, "DenseTensor", None) or core.LoDTensor  # Paddle 2's name of it
    for name in ("__array__", "_get_float_element", "_get_double_element"):
        yield dense, name, hooked(seen, getattr(dense, name), _copied, quiet=False)

    def from_dlpack(
        seen: Observation, method: Wrapped, /, values: Any, *args: Any, **settings: Any
    ) -> Any:
        if is_tensor(values):
            seen.read(values, shown=False)
        return method(values, *args, **settings)

    yield np, "from_dlpack", hooked(seen, np.from_dlpack, from_dlpack, quiet=False)
    data: Any = kind.__dict__["data"]

    def set_data(seen: Observation, method: Wrapped, /, tensor: Any, value: Any) -> None:
        origin = seen.provenance.origin(value)
        method(tensor, value)
        seen.overwrote(tensor, origin)

    yield kind, "data", property(data.__get__, hooked(seen, data.__set__, set_data))

    def to_tensor(seen: Observation, method: Wrapped, /, *args: Any, **settings: Any) -> Any:
        value = args[0] if args else settings.get("data")
        if not isinstance(value, (np.ndarray, int, float)) and not _holds_numbers(value):
            return method(*args, **settings)
        with seen.quiet():
            result = method(*args, **settings)
            seen.note(result, seen.written_to(result, None, result.numpy()))
        return result

    original: Wrapped = paddle.to_tensor
    for owner in (paddle, paddle.tensor, paddle.tensor.creation):
        if getattr(owner, "to_tensor", None) is original:
            yield owner, "to_tensor", hooked(seen, original, to_tensor, quiet=False)


def _leading(origin: Origin, shape: tuple[int, ...], index: Any) -> Origin | None:
    """Return the origin of consecutive rows of a tensor, where the index takes such."""
    if not shape:
        return None
    width = int(np.prod(shape[1:], dtype=np.int64))
    if is_integer(index):
        at = int(index) % shape[0] if shape[0] else 0
        return origin.part(at * width, (at + 1) * width)
    if is_slice(index):
        start, stop, step = index.indices(shape[0])
        if step == 1:
            return origin.part(start * width, max(start, stop) * width)
    return None


def _holds_numbers(value: Any) -> bool:
    return isinstance(value, (list, tuple)) and all(
        isinstance(each, (int, float, np.number)) or _holds_numbers(each) for each in value
    )


# What makes, fills and moves parameters


def _initializer_hooks(seen: Observation) -> Iterator[Hook]:
    import paddle
    from paddle.base.framework import Block, EagerParamBase
    from paddle.nn import initializer as initializers
    from paddle.nn.initializer import Initializer

    create, create_pir = Block.create_parameter, paddle.pir.core.create_parameter

    def created(block: Any, *args: Any, **settings: Any) -> Any:
        initializer = settings.get("initializer")
        if not paddle.in_dynamic_mode():
            if initializer is not None:
                seen.static.setdefault(str(settings.get("name")), copy.copy(initializer))
            return create(block, *args, **settings)
        parameter = create(block, *args, **settings)
        seen.create(parameter, initializer)
        return parameter

    def created_pir(*args: Any, **settings: Any) -> Any:
        value = create_pir(*args, **settings)
        seen.static.setdefault(value.name, copy.copy(settings.get("initializer")))
        return value

    yield Block, "create_parameter", created
    yield paddle.pir.core, "create_parameter", created_pir
    for kind in (Initializer, initializers.Orthogonal, initializers.Dirac, initializers.Bilinear):
        if "__call__" in vars(kind):
            yield kind, "__call__", hooked(seen, kind.__call__, _called, quiet=False)
    initialize = EagerParamBase.initialize

    def initialized(parameter: Any) -> Any:
        waiting = parameter._init_func
        if waiting is None:
            return initialize(parameter)
        parameter._init_func = None
        initializer = getattr(getattr(waiting, "func", waiting), "__self__", waiting)
        return seen.initializing(initializer, parameter, lambda: waiting(parameter, None))

    yield EagerParamBase, "initialize", initialized
    assign, layer = initializers.Assign, paddle.nn.Layer
    yield assign, "__init__", hooked(seen, assign.__init__, _assigning)
    yield layer, "_transform", hooked(seen, layer._transform, _transformed)


def _called(
    seen: Observation,
    call: Wrapped,
    /,
    initializer: Any,
    parameter: Any,
    *args: Any,
    **settings: Any,
) -> Any:
    act = functools.partial(call, initializer, parameter, *args, **settings)
    return seen.initializing(initializer, parameter, act) if is_tensor(parameter) else act()


def _assigning(
    seen: Observation, init: Wrapped, /, initializer: Any, value: Any, *args: Any, **settings: Any
) -> None:
    origin = seen.provenance.origin(value) if is_tensor(value) else None
    init(initializer, value, *args, **settings)
    if is_tensor(value):
        setattr(initializer, COPIED, origin or Origin((), ("",)))


def _transformed(
    seen: Observation, transform: Wrapped, /, layer: Any, tensor: Any, *args: Any, **settings: Any
) -> Any:
    origin = seen.provenance.origin(tensor)
    result = transform(layer, tensor, *args, **settings)
    if origin is not None:
        origin = origin.cast(shape_and_dtype(tensor)[1])
    seen.overwrote(tensor, origin)
    return result


# What seeds generators, or tells what no seed decides


def _seed_hooks(seen: Observation) -> Iterator[Hook]:
    from paddle.base import core

    def noted(function: Wrapped, note: Callable[..., None]) -> Wrapped:
        @functools.wraps(function)
        def call(*args: Any, **settings: Any) -> Any:
            note(*args, **settings)
            return function(*args, **settings)

        return call

    def look_at_generator(*_: Any) -> None:
        if not seen.paused:
            seen.end(say.LOOKED_AT_GENERATOR)

    def use_host(*args: Any, **settings: Any) -> None:
        """Note what no seed decides: entropy, and a generator that is given no seed."""
        if not seen.paused and not _seeds(args, settings):
            seen.host_used()

    def read_clock(*_: Any) -> None:
        seen.clock_read = True

    for owner, names in (
        (core.Generator, ("initial_seed", "random", "seed")),
        (core.GeneratorState, ("current_seed", "__str__", "__repr__")),
    ):
        for name in names:
            if hasattr(owner, name):
                yield owner, name, noted(getattr(owner, name), look_at_generator)
    for clock in ("time", "monotonic", "perf_counter", "process_time", "thread_time"):
        for name in (clock, clock + "_ns"):
            if hasattr(time, name):
                yield time, name, noted(getattr(time, name), read_clock)
    yield np.random, "default_rng", noted(np.random.default_rng, use_host)
    # what NumPy's generators without a seed and the module secrets take their bits from
    for module, name in ((random, "_urandom"), (os, "urandom")):
        yield module, name, noted(getattr(module, name), lambda *_: use_host())
    reseed = noted(random.Random.seed, lambda _, *args, **settings: use_host(*args, **settings))
    yield random.Random, "seed", reseed

    def seeding(function: Wrapped) -> Wrapped:
        @functools.wraps(function)
        def call(*args: Any, **settings: Any) -> Any:
            if function is numpy_seed:
                seen.numpy_seeds.append(args[0] if args else settings.get("seed"))
            result = function(*args, **settings)
            if _seeds(args, settings):
                seen.host_seeded()
            return result

        return call

    numpy_seed = np.random.seed
    yield np.random, "seed", seeding(numpy_seed)
    yield random, "seed", seeding(random.seed)
    if seen.mask:
        manual_seed = core.Generator.manual_seed

        def masked(generator: Any, seed: int) -> Any:
            return manual_seed(generator, seed if seen.paused else seed ^ seen.mask)

        yield core.Generator, "manual_seed", masked


def _seeds(args: tuple[Any, ...], settings: Mapping[str, Any]) -> bool:
    return any(value is not None for value in (*args, *settings.values()))
