"""The states that Paddle's global generator goes through while a net is built."""

from __future__ import annotations

import secrets
from dataclasses import dataclass
from typing import Any

__all__ = ["GlobalGenerator", "State"]

WORDS = 312 + 1  # mt19937_64's state and its index


@dataclass(frozen=True)
class State:
    """The generator at one moment; `seed` is None where no one has seeded it under our eyes."""

    seed: int | None
    engine: tuple[str, ...]
    fresh: bool


class GlobalGenerator:
    """Paddle's CPU generator, started at a seed of our own, so that every other is seen.

    The caller puts the generator's state back.
    """

    def __init__(self) -> None:
        import paddle

        self._generator: Any = paddle.framework.core.default_cpu_generator()
        # Within what paddle.seed takes, and nothing that a person would choose.
        self._ours = 2**63 + secrets.randbelow(2**62)
        self._generator.manual_seed(self._ours)

    def look(self) -> State:
        """Return the state without changing it."""
        state = self._generator.get_state()
        seed, engine = state.current_seed(), _engine(state)
        self._generator.manual_seed(seed)
        fresh = _engine(self._generator.get_state()) == engine
        self._generator.set_state(state)
        return State(None if seed == self._ours else seed, engine, fresh)


def _engine(state: Any) -> tuple[str, ...]:
    return tuple(str(state).split()[-WORDS:])
