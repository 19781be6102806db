"""The states that Paddle's global generator goes through while a net is built."""

from __future__ import annotations

import random
import secrets
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import numpy as np

from paddle_init.streams.engines import engine_named

__all__ = ["GlobalGenerator", "State", "kept_host_streams", "steps_between"]

ENGINE = engine_named("mt19937_64")
MOST_BLOCKS = 1 << 14


@dataclass(frozen=True)
class State:
    """The generator at one moment: the seed that it was last given, and its engine as text."""

    seed: int
    engine: str


class GlobalGenerator:
    """Paddle's CPU generator, started at a seed of our own, so that every other is seen.

    The caller puts the generator's state back.
    """

    def __init__(self) -> None:
        import paddle

        self._generator: Any = paddle.framework.core.default_cpu_generator()
        # Within what paddle.seed takes, and nothing that a person would choose.
        self._generator.manual_seed(2**63 + secrets.randbelow(2**62))
        self.start = self.look()

    def look(self) -> State:
        """Return the state without changing it."""
        state = self._generator.get_state()
        # device, seed, offset and address come before the engine's words and its index
        return State(state.current_seed(), str(state).split(maxsplit=4)[-1])

    def fresh(self, state: State) -> bool:
        """Tell whether nothing was drawn since the state's seed was given."""
        kept = self._generator.get_state()
        self._generator.manual_seed(state.seed)
        found = self.look()
        self._generator.set_state(kept)
        return found.engine == state.engine

    def kept(self) -> Any:
        """Return the state for `put_back`."""
        return self._generator.get_state()

    def put_back(self, kept: Any) -> None:
        self._generator.set_state(kept)

    def reseed(self, seed: int) -> None:
        self._generator.manual_seed(seed)


def steps_between(before: State, after: State) -> int | None:
    """Return how many values the engine made in between; None where no few lead there."""
    (words, index), (last, end) = _parsed(before), _parsed(after)
    for blocks in range(MOST_BLOCKS):
        if np.array_equal(words, last):
            steps = ENGINE.size * blocks + end - index
            return steps if steps >= 0 else None
        ENGINE.skip(words, ENGINE.size)
    return None


@contextmanager
def kept_host_streams(seed: int) -> Iterator[None]:
    """Seed NumPy's and Python's global generators, and put them back after."""
    numpy_state, python_state = np.random.get_state(), random.getstate()  # noqa: NPY002
    np.random.seed(seed)  # noqa: NPY002
    random.seed(seed)
    try:
        yield
    finally:
        np.random.set_state(numpy_state)  # noqa: NPY002
        random.setstate(python_state)


def _parsed(state: State) -> tuple[Any, int]:
    *words, index = state.engine.split()
    return np.array([int(word) for word in words], ENGINE.word), int(index)
