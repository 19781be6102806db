"""Notices of what Paddle takes without a word: seeds, other draws, numbers."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from paddle_init.distributions import Constant, Unknown
from paddle_init.dtypes import stored
from paddle_init.errors import Notice
from paddle_init.frameworks.paddle.nets import sentences as say
from paddle_init.frameworks.paddle.nets.parameters import Found, Part, is_impossible
from paddle_init.frameworks.paddle.nets.provenance import RandomOp
from paddle_init.languages import listed
from paddle_init.specs import DTYPES
from paddle_init.texts import short


def stream_seeds(ops: Sequence[RandomOp]) -> tuple[int | None, dict[int, int]]:
    """Return the seed of a net's stream, and by identity the ops before which another was given.

    The stream has a seed where paddle.seed was called before its first draw. Where the function
    puts the stream back to where it stood when it was called, that is where the stream starts.
    """
    stream = [op for op in ops if op.moves]
    first = stream[0] if stream else None
    returns = any(op.after == "" for op in stream)
    seed = None if first is None or returns else first.seed
    starts = {id(op): op.seed for op in stream if op.seed is not None}
    if first is not None and seed is not None:
        del starts[id(first)]
    return seed, starts


def stream_notices(
    ops: Sequence[RandomOp], shown: Mapping[str, str], end_seed: int | None
) -> list[Notice]:
    """Tell seeds that come late or again, and draws of the stream that fill no parameter.

    Parameters
    ----------
    ops
        In order, those of the stream and others.
    shown
        Parameters' names in the net, by Paddle's names of them.
    end_seed
        What paddle.seed was given after the last draw.
    """
    stream = [op for op in ops if op.moves]
    if not stream:
        return []
    notices = [*_other_draws(stream, shown)]
    again = [op for op in stream[1:] if op.seed is not None]
    if stream[0].seed is None:
        late = again[0].seed if again else end_seed
        before = stream[: stream.index(again[0])] if again else stream
        names = [shown[op.parameter] for op in before if op.parameter in shown]
        if late is not None and names:
            names = list(dict.fromkeys(names))
            message = say.TOO_LATE(seed=late, names=listed(names, 5))
            notices.append(Notice("seed-after-building", message))
        return notices
    if again:
        name = _next_parameter(stream, again[0], shown)
        message = say.SEEDED_AGAIN(seed=again[0].seed, name=name)
        notices.append(Notice("seeded-again", message, name))
    if end_seed is not None:
        message = say.TOO_LATE(seed=end_seed, names=say.DRAWN_BEFORE())
        notices.append(Notice("seed-after-building", message))
    return notices


def numpy_notices(seeds: Sequence[Any], found: Sequence[Found]) -> list[Notice]:
    """Tell that NumPy's seed does not reach what Paddle draws."""
    if not seeds or not any(part.random for each in found for part in each.parts):
        return []
    return [Notice("numpy-seed-without-effect", say.NUMPY_SEED(seed=repr(seeds[-1])))]


def idle_seed_notices(program_seeds: Sequence[int], found: Sequence[Found]) -> list[Notice]:
    """Tell a program's seed that does not reach a dynamic graph."""
    if not any(program_seeds) or any(part.op_seed for each in found for part in each.parts):
        return []
    return [Notice("program-seed-without-effect", say.PROGRAM_SEED(seed=max(program_seeds)))]


def program_seed_notices(
    main_seed: int, startup_seed: int, paddle_seed: int | None
) -> list[Notice]:
    """Tell seeds of a static graph that do nothing."""
    notices = []
    if main_seed and not startup_seed:
        notices.append(Notice("main-seed-without-effect", say.MAIN_SEED(seed=main_seed)))
    if startup_seed and paddle_seed is not None:
        message = say.PADDLE_SEED(seed=paddle_seed, startup_seed=startup_seed)
        notices.append(Notice("paddle-seed-without-effect", message))
    return notices


def _other_draws(stream: Sequence[RandomOp], shown: Mapping[str, str]) -> list[Notice]:
    notices = []
    others: list[RandomOp] = []
    last = ""
    for op in stream:
        if op.seed is not None:
            # what was drawn before the seed has no effect on what follows
            others, last = [], f"paddle.seed({op.seed})"
        if op.parameter not in shown:
            others.append(op)
            continue
        name = shown[op.parameter]
        if others or op.after is not None:
            where = say.BETWEEN(first=last, second=name) if last else say.BEFORE(name=name)
            notices.append(Notice("other-draws", _other_draw(others, where), name))
        others, last = [], name
    return notices


def _other_draw(others: Sequence[RandomOp], where: str) -> str:
    if not others:
        return say.PUT_BACK(where=where)
    names = list(dict.fromkeys(op.name or say.UNSEEN() for op in others))
    known = all(
        not isinstance(op.replayed, Unknown) or op.replayed.takes is not None for op in others
    )
    return (say.OTHER_DRAWS if known else say.UNKNOWN_DRAWS)(where=where, ops=listed(names, 5))


def _next_parameter(stream: Sequence[RandomOp], op: RandomOp, shown: Mapping[str, str]) -> str:
    later = stream[stream.index(op) :]
    return next((shown[each.parameter] for each in later if each.parameter in shown), "")


def lint(found: Sequence[Found]) -> Iterator[Notice]:
    """Tell what Paddle takes without a word, of numbers and of op seeds."""
    yield from _number_notices(found)
    yield from _shared_seed_notices(found)


def _number_notices(found: Iterable[Found]) -> Iterator[Notice]:
    """Tell numbers that no distribution has, and constants that overflow their dtype."""
    for each in found:
        for part in each.parts:
            held = part.distribution
            if isinstance(held, Unknown) and is_impossible(held):
                message = say.IMPOSSIBLE_NUMBERS(name=each.shown, what=held.description)
                yield Notice("impossible-numbers", message, each.shown, each.source)
            elif isinstance(held, Constant) and _overflows(held, each.dtype):
                message = say.OVERFLOW(name=each.shown, value=short(held.value), dtype=each.dtype)
                yield Notice("overflow", message, each.shown, each.source)


def _overflows(held: Constant, dtype: str) -> bool:
    return dtype in DTYPES and math.isinf(stored(held.value, dtype))


def _shared_seed_notices(found: Iterable[Found]) -> Iterator[Notice]:
    """Tell parameters whose ops have one seed: each starts with the same draws."""
    by_seed: dict[int, list[tuple[Found, Part]]] = {}
    for each in found:
        for part in each.parts:
            if part.random and part.op_seed:
                by_seed.setdefault(part.op_seed, []).append((each, part))
    for seed, drawn in by_seed.items():
        names = list(dict.fromkeys(each.shown for each, _ in drawn))
        if len(drawn) < 2:
            continue
        alike: dict[tuple[Any, ...], list[str]] = {}
        for each, part in drawn:
            key = (part.rows, each.shape[1:], each.dtype, part.distribution)
            alike.setdefault(key, []).append(each.shown)
        equal = [group for group in alike.values() if len(group) > 1]
        told: str = ""
        for group in equal:
            told = say.EQUAL_IN_EVERY_BIT(before=told, names=listed(group, 5))
        message = say.IDENTICAL_LAYERS(names=listed(names, 5), seed=seed, equal=told)
        yield Notice("identical-layers", message, about="stream")
