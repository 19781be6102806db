"""What seeds did to a net that was built under observation."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import Any

from paddle_init.adapter.reading.found import Found
from paddle_init.adapter.reading.observing import Asked
from paddle_init.adapter.reading.random_state import State
from paddle_init.errors import Notice
from paddle_init.printable import listed

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
        return None, [_others(f"between paddle.seed({first.seed}) and {names[0]}")]
    for (before, name), (after, following) in pairwise(drawn):
        if after.before.engine != before.after.engine:
            if after.before.fresh:
                return None, [_again(after.before, following)]
            return None, [_others(f"between {name} and {following}")]
    notices = []
    if end.seed != first.seed or (end.fresh and end.engine != drawn[-1][0].after.engine):
        notices.append(_too_late(end, []))
    return first.seed, notices


def numpy_notices(seeds: Sequence[Any], found: Sequence[Found]) -> list[Notice]:
    """Tell that NumPy's seed does not reach what Paddle draws."""
    if not seeds or not any(part.random for each in found for part in each.parts):
        return []
    message = f"numpy.random.seed({seeds[-1]!r}) has no effect on what Paddle draws"
    return [Notice("numpy-seed-without-effect", f"{message}; paddle.seed would.")]


def idle_seed_notices(program_seeds: Sequence[int], found: Sequence[Found]) -> list[Notice]:
    """Tell a program's seed that does not reach a dynamic graph."""
    if not any(program_seeds) or any(part.op_seed for each in found for part in each.parts):
        return []
    message = f"a program's random_seed = {max(program_seeds)} has no effect on a dynamic graph"
    return [Notice("program-seed-without-effect", f"{message}; paddle.seed would.")]


def program_seed_notices(
    main_seed: int, startup_seed: int, paddle_seed: int | None
) -> list[Notice]:
    """Tell seeds of a static graph that do nothing."""
    notices = []
    if main_seed and not startup_seed:
        notices.append(
            Notice(
                "main-seed-without-effect",
                f"the main program's random_seed = {main_seed} has no effect on initial values: "
                "the initializer ops are in the startup program, whose random_seed is 0.",
            )
        )
    if startup_seed and paddle_seed is not None:
        notices.append(
            Notice(
                "paddle-seed-without-effect",
                f"paddle.seed({paddle_seed}) has no effect on initial values: the startup "
                f"program's random_seed = {startup_seed} seeds every op.",
            )
        )
    return notices


def _later(drawn: Sequence[tuple[Asked, str]], end: State) -> list[State]:
    return [*(each.before for each, _ in drawn[1:]), end]


def _too_late(state: State, drawn: Sequence[tuple[Asked, str]]) -> Notice:
    missed = [name for each, name in drawn if each.before.seed != state.seed]
    told = listed(missed, 5) if missed else "the parameters, which were drawn before"
    return Notice(
        "seed-after-building",
        f"paddle.seed({state.seed}) comes too late: it has no effect on {told}. "
        "Call it before the net is built.",
    )


def _again(state: State, name: str) -> Notice:
    return Notice(
        "seeded-again",
        f"paddle.seed({state.seed}) is called again before {name} is drawn: the stream starts "
        "anew there, so no one seed makes the whole net.",
        name,
    )


def _others(where: str) -> Notice:
    return Notice(
        "other-draws",
        f"something else draws random numbers {where}: the seed alone does not say where in the "
        "stream the parameters start.",
    )
