"""Which initializer Paddle asks for which parameter, while a net is built."""

from __future__ import annotations

import copy
import zlib
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from paddle_init.adapter.reading.random_state import GlobalGenerator, State
from paddle_init.adapter.reading.sources import calling_line
from paddle_init.errors import Source

__all__ = ["Asked", "Observation", "checksum", "observing"]


@dataclass(frozen=True)
class Asked:
    """An initializer that was asked to fill a parameter of a dynamic graph.

    `before` and `after` are the global generator's states around it, `values` is the checksum of
    what it left behind. A class in place of an instance leaves nothing: `values` is None.
    """

    parameter: Any
    initializer: Any
    before: State
    after: State
    values: int | None
    source: Source | None


@dataclass
class Observation:
    """What was seen: draws of the dynamic graph, in order; of the static graph, who was asked."""

    generator: GlobalGenerator
    asked: list[Asked] = field(default_factory=list)
    static: dict[str, Any] = field(default_factory=dict)
    numpy_seeds: list[Any] = field(default_factory=list)
    created: dict[str, Any] = field(default_factory=dict)
    inside: bool = False

    def initializing(self, parameter: Any, initializer: Any, act: Callable[[], Any]) -> Any:
        """Let `act` fill the parameter, and note it, unless it is part of a greater one."""
        if self.inside:
            return act()
        source, before = calling_line(), self.generator.look()
        self.inside = True
        try:
            result = act()
        finally:
            self.inside = False
        held = result if parameter is None else parameter
        if getattr(held, "_init_func", None) is None:
            kept, after = copy.copy(initializer), self.generator.look()
            self.asked.append(Asked(held, kept, before, after, checksum(held), source))
        return result


def checksum(parameter: Any) -> int | None:
    """Return a checksum of a parameter's bits, or None where it has no memory yet."""
    if not parameter._is_initialized():
        return None
    values: Any = np.ascontiguousarray(parameter.numpy())
    return zlib.crc32(values)


@contextmanager
def observing() -> Iterator[Observation]:
    """Watch every parameter that is made or filled inside."""
    import paddle
    from paddle.base.framework import Block, EagerParamBase
    from paddle.nn.initializer import Initializer

    seen = Observation(GlobalGenerator())
    create, create_pir = Block.create_parameter, paddle.pir.core.create_parameter
    call, initialize, numpy_seed = Initializer.__call__, EagerParamBase.initialize, np.random.seed

    def made(block: Any, *args: Any, **settings: Any) -> Any:
        initializer = settings.get("initializer")
        if not paddle.in_dynamic_mode():
            if initializer is not None:
                seen.static.setdefault(str(settings.get("name")), copy.copy(initializer))
            return create(block, *args, **settings)
        parameter = seen.initializing(None, initializer, lambda: create(block, *args, **settings))
        seen.created[parameter.name] = parameter
        return parameter

    def made_pir(*args: Any, **settings: Any) -> Any:
        value = create_pir(*args, **settings)
        seen.static.setdefault(value.name, copy.copy(settings.get("initializer")))
        return value

    def called(initializer: Any, parameter: Any, block: Any = None) -> Any:
        if not isinstance(parameter, EagerParamBase):
            return call(initializer, parameter, block)
        return seen.initializing(
            parameter, initializer, lambda: call(initializer, parameter, block)
        )

    def initialized(parameter: Any) -> Any:
        initializer = parameter._init_func.func.__self__ if parameter._init_func else None
        return seen.initializing(parameter, initializer, lambda: initialize(parameter))

    def seeded(*args: Any, **settings: Any) -> Any:
        seen.numpy_seeds.append(args[0] if args else settings.get("seed"))
        return numpy_seed(*args, **settings)

    with ExitStack() as stack:
        for owner, name, watched in (
            (Block, "create_parameter", made),
            (paddle.pir.core, "create_parameter", made_pir),
            (Initializer, "__call__", called),
            (EagerParamBase, "initialize", initialized),
            (np.random, "seed", seeded),
        ):
            stack.enter_context(_replaced(owner, name, watched))
        yield seen


@contextmanager
def _replaced(owner: Any, name: str, value: Any) -> Iterator[None]:
    before = getattr(owner, name)
    setattr(owner, name, value)
    try:
        yield
    finally:
        setattr(owner, name, before)
