"""A net's draws, made one after the other from its stream, in blocks."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator
from itertools import islice
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from paddle_init.distributions import Constant, Given, Unknown
from paddle_init.frameworks import sentences as say
from paddle_init.frameworks.base import CannotDrawError, Fill, Framework
from paddle_init.frameworks.knowledge import (
    NotKnownError,
    stream_walk,
    unknown_draws,
    unknown_tensors,
)
from paddle_init.frameworks.placing import Overwriting, Place, Target, grid, pieces, places
from paddle_init.frameworks.registry import framework_of
from paddle_init.languages import joined
from paddle_init.specs import Draw, NetSpec, Seeding
from paddle_init.streams import Stream

# Called with the number of values that were drawn since the last call.
Progress: TypeAlias = Callable[[int], object]

# A block of values, with its first run and the first value in that run.
Filled: TypeAlias = tuple[NDArray[Any], int, int]

# Long enough for threads to pay, short beside the memory that a net takes.
BLOCK = 1 << 20


def draw_net(
    spec: NetSpec,
    target: Target,
    *,
    version: str | None = None,
    progress: Progress | None = None,
) -> None:
    """Draw a whole net in draw order and hand its values to `target`.

    In C order values are handed on block by block; in F order a draw's rows are put together
    first, so that at most one draw is held. What no tensor takes is drawn where a later draw goes
    on from it.

    Raises
    ------
    NotKnownError
        A tensor's values are not known; `known_part` is the spec without such.
    CannotDrawError
        The framework cannot draw what the spec asks of it; nothing was drawn then.
    """
    check_net(spec, version)
    framework, where = framework_of(spec, version), places(spec)
    target = Overwriting(target)
    for draw, stream in _streams(spec, framework):
        here = where[draw.name]
        dtype = drawn_dtype(draw, here)
        outer, inner = grid(draw.shape, framework.order)
        with np.errstate(over="ignore"):  # what overflows is infinite there too
            fill = framework.fill(stream, spec.drawn(draw.name), dtype)
            blocks = _filled(outer, inner, fill, framework.working_dtype(dtype), progress)
            if framework.order == "C":
                _by_rows(blocks, here, target, dtype, width=inner)
            else:
                _by_columns(blocks, here, target, dtype, width=outer)


def check_net(spec: NetSpec, version: str | None = None) -> None:
    """Refuse what `draw_net` cannot draw."""
    framework, where = framework_of(spec, version), places(spec)
    for draw in spec.draws:
        drawn = spec.drawn(draw.name)
        if isinstance(drawn, Unknown):
            continue
        try:
            framework.check(drawn, draw.shape, drawn_dtype(draw, where[draw.name]))
        except CannotDrawError as error:
            why = say.OF_DRAW(name=draw.name, why=error.message)
            raise CannotDrawError(why, draw.source) from None
    if unknown := unknown_tensors(spec):
        raise NotKnownError.of(spec, unknown)


def drawn_dtype(draw: Draw, here: list[Place]) -> str:
    """Return the dtype of a draw: its own, or that of its tensors; float32 without either.

    Raises
    ------
    CannotDrawError
        It has none and its tensors have different ones.
    """
    if draw.dtype is not None:
        return draw.dtype
    dtypes = list(dict.fromkeys(place.tensor.dtype for place in here))
    if len(dtypes) > 1:
        raise CannotDrawError(say.SEVERAL_DTYPES(dtypes=joined(say.AND, dtypes)))
    return dtypes[0] if dtypes else "float32"


def _streams(spec: NetSpec, framework: Framework) -> Iterator[tuple[Draw, Stream | None]]:
    """Yield each draw to be made and the stream to make it from, which the caller draws from.

    What lies behind the last draw of a tensor is left out, and so is what is not known.
    """

    def seeded(seeding: Seeding) -> Stream | None:
        return next(framework.streams(seeding))

    def behind(draw: Draw, stream: Stream | None) -> Stream | None:
        drawn = spec.drawn(draw.name)
        if stream is not None and isinstance(drawn, Unknown) and drawn.takes:
            stream.skip(drawn.takes)
        return stream

    def copied(stream: Stream | None) -> Stream | None:
        return None if stream is None else Stream.restore(stream.state)

    unknown = unknown_draws(spec)
    taken = {block.draw for tensor in spec.tensors for block in tensor.blocks}
    count = max((i for i, draw in enumerate(spec.draws, 1) if draw.name in taken), default=0)
    start = None if spec.stream is None else seeded(spec.stream)
    walk = stream_walk(spec, start, seeded, behind, kept=copied, resumed=copied)
    for draw, stream in islice(walk, count):
        if draw.name not in unknown and 0 not in draw.shape:
            assert stream is not None or isinstance(spec.drawn(draw.name), (Constant, Given))
            yield draw, stream


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


def _by_rows(
    blocks: Iterable[Filled], here: list[Place], target: Target, dtype: str, width: int
) -> None:
    for block, row, column in blocks:
        for place in here:
            place.put_rows(target, block, row, column, width, dtype)


def _by_columns(
    blocks: Iterable[Filled], here: list[Place], target: Target, dtype: str, width: int
) -> None:
    matrices = [place.matrix(width) for place in here]
    for block, column, row in blocks:
        for place, matrix in zip(here, matrices, strict=True):
            place.gather(matrix, block, row, column, dtype)
    for place in here:
        target.put(place.tensor, place.row * width, matrices.pop(0).reshape(-1))
