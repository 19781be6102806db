"""What seeds did to a net that was built under observation."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import Any

from paddle_init.adapter import sentences as say
from paddle_init.adapter.reading.found import Found
from paddle_init.adapter.reading.observing import Asked
from paddle_init.adapter.reading.random_state import State
from paddle_init.errors import Notice
from paddle_init.languages import listed

__all__ = ["idle_seed_notices", "numpy_notices", "program_seed_notices", "stream_seed"]


def stream_seed(
    asked: Sequence[Asked], found: Sequence[Found], end: State
) -> tuple[int | None, list[Notice]]:
    """Return what paddle.seed was given right before the first draw of a dynamic net.

    None where no seed, or more than one, decides all that was drawn; the notices say why.

    Parameters
    ----------
    asked, found
        The initializers in order, and for each what it drew.
    end
        The global generator when the net was built.
    """
    drawn = [
        (each, what.shown)
        for each, what in zip(asked, found, strict=True)
        if any(part.random and not part.op_seed for part in what.parts)
    ]
    if not drawn:
        return None, []
    names = [name for _, name in drawn]
    first = drawn[0][0].before
    if first.seed is None:
        late = next((state for state in _later(drawn, end) if state.seed is not None), None)
        return None, [] if late is None else [_too_late(late, drawn)]
    if not first.fresh:
        return None, [_others(f"paddle.seed({first.seed})", names[0])]
    for (before, name), (after, following) in pairwise(drawn):
        if after.before.engine != before.after.engine:
            if after.before.fresh:
                return None, [_again(after.before, following)]
            return None, [_others(name, following)]
    notices = []
    if end.seed != first.seed or (end.fresh and end.engine != drawn[-1][0].after.engine):
        notices.append(_too_late(end, []))
    return first.seed, notices


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


def _later(drawn: Sequence[tuple[Asked, str]], end: State) -> list[State]:
    return [*(each.before for each, _ in drawn[1:]), end]


def _too_late(state: State, drawn: Sequence[tuple[Asked, str]]) -> Notice:
    missed = [name for each, name in drawn if each.before.seed != state.seed]
    told = listed(missed, 5) if missed else say.DRAWN_BEFORE()
    return Notice("seed-after-building", say.TOO_LATE(seed=state.seed, names=told))


def _again(state: State, name: str) -> Notice:
    return Notice("seeded-again", say.SEEDED_AGAIN(seed=state.seed, name=name), name)


def _others(first: str, second: str) -> Notice:
    return Notice("other-draws", say.OTHER_DRAWS(where=say.BETWEEN(first=first, second=second)))
