"""The hooks on parameters, initializers and seeds while the building of a net is observed."""

from __future__ import annotations

import copy
import functools
import os
import random
import time
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from paddle_init.frameworks.paddle.nets import sentences as say
from paddle_init.frameworks.paddle.nets.observing import COPIED, Observation
from paddle_init.frameworks.paddle.nets.parameters import is_tensor, shape_and_dtype
from paddle_init.frameworks.paddle.nets.provenance import Origin

Wrapped = Callable[..., Any]


def initializer_hooks(seen: Observation) -> Iterator[tuple[Any, str, Any]]:
    """Yield (owner, name, hook) of what makes, fills and moves parameters."""
    import paddle
    from paddle.base.framework import Block, EagerParamBase
    from paddle.nn import initializer as initializers
    from paddle.nn.initializer import Initializer

    create, create_pir = Block.create_parameter, paddle.pir.core.create_parameter

    def made(block: Any, *args: Any, **settings: Any) -> Any:
        initializer = settings.get("initializer")
        if not paddle.in_dynamic_mode():
            if initializer is not None:
                seen.static.setdefault(str(settings.get("name")), copy.copy(initializer))
            return create(block, *args, **settings)
        parameter = create(block, *args, **settings)
        seen.create(parameter, initializer)
        return parameter

    def made_pir(*args: Any, **settings: Any) -> Any:
        value = create_pir(*args, **settings)
        seen.static.setdefault(value.name, copy.copy(settings.get("initializer")))
        return value

    yield Block, "create_parameter", made
    yield paddle.pir.core, "create_parameter", made_pir

    def called(call: Wrapped) -> Wrapped:
        def calling(initializer: Any, parameter: Any, *args: Any, **settings: Any) -> Any:
            if seen.idle or not is_tensor(parameter):
                return call(initializer, parameter, *args, **settings)
            return seen.initializing(
                initializer, parameter, lambda: call(initializer, parameter, *args, **settings)
            )

        return calling

    for kind in (Initializer, initializers.Orthogonal, initializers.Dirac, initializers.Bilinear):
        if "__call__" in vars(kind):
            yield kind, "__call__", called(kind.__call__)

    initialize = EagerParamBase.initialize

    def initialized(parameter: Any) -> Any:
        waiting = parameter._init_func
        if waiting is None:
            return initialize(parameter)
        parameter._init_func = None

        def act() -> Any:
            return waiting(parameter, None)

        initializer = getattr(getattr(waiting, "func", waiting), "__self__", waiting)
        return seen.initializing(initializer, parameter, act)

    yield EagerParamBase, "initialize", initialized

    assign = initializers.Assign
    init = assign.__init__

    def assigning(initializer: Any, value: Any, *args: Any, **settings: Any) -> None:
        if seen.idle:
            init(initializer, value, *args, **settings)
            return
        with seen.quiet():
            origin = seen.provenance.origin(value) if is_tensor(value) else None
            init(initializer, value, *args, **settings)
            if is_tensor(value):
                setattr(initializer, COPIED, origin or Origin((), ("",)))

    yield assign, "__init__", assigning

    transform = paddle.nn.Layer._transform

    def transformed(layer: Any, tensor: Any, *args: Any, **settings: Any) -> Any:
        if seen.idle:
            return transform(layer, tensor, *args, **settings)
        with seen.quiet():
            origin = seen.provenance.origin(tensor)
            result = transform(layer, tensor, *args, **settings)
            if origin is not None:
                origin = origin.cast(shape_and_dtype(tensor)[1])
            seen.overwrote(tensor, origin)
        return result

    yield paddle.nn.Layer, "_transform", transformed


def seed_hooks(seen: Observation) -> Iterator[tuple[Any, str, Any]]:
    """Yield (owner, name, hook) of what seeds generators, or tells what no seed decides."""
    from paddle.base import core

    def looking(method: Wrapped) -> Wrapped:
        def looked(*args: Any) -> Any:
            if not seen.paused:
                seen.end(say.LOOKED_AT_GENERATOR)
            return method(*args)

        return looked

    for owner, name in (
        (core.Generator, "initial_seed"),
        (core.Generator, "random"),
        (core.Generator, "seed"),
        (core.GeneratorState, "current_seed"),
        (core.GeneratorState, "__str__"),
        (core.GeneratorState, "__repr__"),
    ):
        if hasattr(owner, name):
            yield owner, name, looking(getattr(owner, name))

    numpy_seed, python_seed = np.random.seed, random.seed

    def seeded(*args: Any, **settings: Any) -> Any:
        seen.numpy_seeds.append(args[0] if args else settings.get("seed"))
        result = numpy_seed(*args, **settings)
        if any(value is not None for value in (*args, *settings.values())):
            seen.host_seeded()
        return result

    def python_seeded(*args: Any, **settings: Any) -> Any:
        result = python_seed(*args, **settings)
        if any(value is not None for value in (*args, *settings.values())):
            seen.host_seeded()
        return result

    def unseeded(make: Wrapped) -> Wrapped:
        """Hook what makes a generator, which without a seed is another every time."""

        @functools.wraps(make)
        def made(*args: Any, **settings: Any) -> Any:
            if not seen.paused and all(each is None for each in (*args, *settings.values())):
                seen.host_used()
            return make(*args, **settings)

        return made

    yield np.random, "default_rng", unseeded(np.random.default_rng)

    def differing(make: Wrapped) -> Wrapped:
        @functools.wraps(make)
        def made(*args: Any) -> Any:
            seen.clock_read = True
            return make(*args)

        return made

    for clock in ("time", "monotonic", "perf_counter", "process_time", "thread_time"):
        for name in (clock, clock + "_ns"):
            if hasattr(time, name):
                yield time, name, differing(getattr(time, name))
    seed_of = random.Random.seed

    def reseeded(generator: Any, *args: Any, **settings: Any) -> Any:
        if not seen.paused and all(each is None for each in (*args, *settings.values())):
            seen.host_used()
        return seed_of(generator, *args, **settings)

    def entropy(make: Wrapped) -> Wrapped:
        @functools.wraps(make)
        def made(*args: Any) -> Any:
            if not seen.paused:
                seen.host_used()
            return make(*args)

        return made

    yield random.Random, "seed", reseeded
    # what NumPy's generators without a seed and the module secrets take their bits from
    yield random, "_urandom", entropy(random._urandom)  # type: ignore[attr-defined]
    yield os, "urandom", entropy(os.urandom)
    yield np.random, "seed", seeded
    yield random, "seed", python_seeded
    if seen.mask:
        kind: Any = core.Generator
        manual_seed = kind.manual_seed

        def masked(generator: Any, seed: int) -> Any:
            return manual_seed(generator, seed if seen.paused else seed ^ seen.mask)

        yield kind, "manual_seed", masked
