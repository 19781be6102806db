"""A net's draws, made one after the other from its stream, in blocks."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from paddle_init.errors import SpecError
from paddle_init.frameworks import sentences as say
from paddle_init.frameworks.abacus import AbacusFramework
from paddle_init.frameworks.base import Fill, Framework
from paddle_init.frameworks.errors import CannotDrawError
from paddle_init.frameworks.installed import Version
from paddle_init.frameworks.paddle import PaddleFramework
from paddle_init.frameworks.placing import Place, Target, grid, pieces, places
from paddle_init.languages import joined
from paddle_init.specs import Draw, NetSpec, Seeding

__all__ = ["Progress", "check_net", "draw_net", "drawn_dtype", "framework_of"]

# Called with the number of values that were drawn since the last call.
Progress: TypeAlias = Callable[[int], object]

# A block of values, with its first run and the first value in that run.
Filled: TypeAlias = tuple[NDArray[Any], int, int]

# Long enough for threads to pay, short beside the memory that a net takes.
BLOCK = 1 << 20


def framework_of(spec: NetSpec, version: Version | None = None) -> Framework:
    """Return how the framework that `spec` names draws it.

    `version` is Paddle's; see `PaddleFramework`.
    """
    if spec.framework == "abacus":
        return AbacusFramework(spec.arithmetic, "F" if spec.storage_order == "F" else "C")
    return PaddleFramework(version)


def draw_net(
    spec: NetSpec,
    target: Target,
    *,
    version: Version | None = None,
    progress: Progress | None = None,
) -> None:
    """Draw a whole net in draw order and hand its values to `target`.

    In C order values are handed on block by block; in F order a draw's rows are put together
    first, so that at most one draw is held.

    Raises
    ------
    SpecError
        `spec` does not say how its stream starts.
    CannotDrawError
        The framework cannot draw what the spec asks of it; nothing was drawn then.
    """
    stream = check_net(spec, version)
    framework, where = framework_of(spec, version), places(spec)
    streams = framework.streams(stream)
    for draw in spec.draws:
        if 0 in draw.shape:  # takes nothing from the stream
            continue
        here = where[draw.name]
        dtype = drawn_dtype(here)
        own = None if draw.op_seed is None else Seeding(stream.engine, op_seed=draw.op_seed)
        engine = next(framework.streams(own) if own else streams)
        outer, inner = grid(draw.shape, framework.order)
        with np.errstate(over="ignore"):  # what overflows is infinite there too
            fill = framework.fill(engine, spec.drawn(draw.name), dtype)
            blocks = _filled(outer, inner, fill, framework.working_dtype(dtype), progress)
            if framework.order == "C":
                _by_rows(blocks, here, target, width=inner)
            else:
                _by_columns(blocks, here, target, width=outer)


def check_net(spec: NetSpec, version: Version | None = None) -> Seeding:
    """Refuse what `draw_net` cannot draw; return how the stream starts."""
    framework, where = framework_of(spec, version), places(spec)
    for draw in spec.draws:
        _check(framework, spec, draw, where[draw.name])
    if spec.stream is None:
        raise SpecError("the spec does not say how its stream starts; give a seed")
    return spec.stream


def drawn_dtype(here: list[Place]) -> str:
    """Return the dtype of the tensors that hold a draw; float32 where none does.

    Raises
    ------
    CannotDrawError
        They have different ones.
    """
    dtypes = list(dict.fromkeys(place.tensor.dtype for place in here))
    if len(dtypes) > 1:
        raise CannotDrawError(say.SEVERAL_DTYPES(dtypes=joined(say.AND, dtypes)))
    return dtypes[0] if dtypes else "float32"


def _check(framework: Framework, spec: NetSpec, draw: Draw, here: list[Place]) -> None:
    drawn = spec.drawn(draw.name)
    try:
        framework.check(drawn, draw.shape, drawn_dtype(here))
    except CannotDrawError as error:
        raise CannotDrawError(say.OF_DRAW(name=draw.name, why=error.message), draw.source) from None


def _filled(
    outer: int, inner: int, fill: Fill, real: np.dtype[Any], progress: Progress | None
) -> Iterator[Filled]:
    room = np.empty(min(outer * inner, BLOCK), real)
    for runs, part in pieces(outer, inner, BLOCK):
        shape = runs.stop - runs.start, part.stop - part.start
        block = room[: math.prod(shape)]
        fill(block)
        yield block.reshape(shape), runs.start, part.start
        if progress is not None:
            progress(block.size)


def _by_rows(blocks: Iterable[Filled], here: list[Place], target: Target, width: int) -> None:
    for block, row, column in blocks:
        for place in here:
            place.put_rows(target, block, row, column, width)


def _by_columns(blocks: Iterable[Filled], here: list[Place], target: Target, width: int) -> None:
    matrices = [place.matrix(width) for place in here]
    for block, column, row in blocks:
        for place, matrix in zip(here, matrices, strict=True):
            place.gather(matrix, block, row, column)
    for place in here:
        target.put(place.tensor, place.row * width, matrices.pop(0).reshape(-1))
