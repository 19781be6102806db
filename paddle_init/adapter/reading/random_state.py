"""The states that Paddle's global generator goes through while a net is built."""

from __future__ import annotations

import gc
import random
import secrets
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from paddle_init.streams.engines import engine_named

__all__ = [
    "GlobalGenerator",
    "HostGenerators",
    "State",
    "kept_host_streams",
    "steps_between",
]

ENGINE = engine_named("mt19937_64")
MOST_BLOCKS = 1 << 14
# np.random.Generator is a front of a BitGenerator, which has the state.
GENERATORS = (np.random.BitGenerator, np.random.RandomState, random.Random)


@dataclass(frozen=True)
class State:
    """The generator at one moment: the seed that it was last given, and its engine as text."""

    seed: int
    engine: str
    kept: Any = field(compare=False, default=None)


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
        # what comes before the engine's words and its index is other from version to version
        engine = " ".join(str(state).split()[-ENGINE.size - 1 :])
        return State(state.current_seed(), engine, state)

    def fresh(self, state: State) -> bool:
        """Tell whether nothing was drawn since the state's seed was given."""
        kept = self._generator.get_state()
        self._generator.manual_seed(state.seed)
        found = self.look()
        self._generator.set_state(kept)
        return found.engine == state.engine

    def steps(self, before: State, after: State, likely: int) -> int | None:
        """Return how many values the engine made in between, `likely` being tried first.

        None where no few lead there.
        """
        import paddle

        if likely:
            kept = self._generator.get_state()
            self._generator.set_state(before.kept)
            paddle.uniform([likely])  # of one value of the engine each
            found = self.look()
            self._generator.set_state(kept)
            if found.engine == after.engine:
                return likely
        return steps_between(before, after)

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


class HostGenerators:
    """NumPy's and Python's generators: the global ones, and all that anything holds."""

    def __init__(self, watched: bool = True) -> None:
        kinds = set(_with_subclasses(GENERATORS))
        objects = gc.get_objects() if watched else ()
        self._found = [each for each in objects if type(each) in kinds]

    def state(self) -> int:
        """Return a checksum of all their states."""
        parts = []
        for each in self._found:
            if isinstance(each, random.Random):
                parts.append(hash(each.getstate()))
            else:
                state = (
                    each.get_state(legacy=False)
                    if isinstance(each, np.random.RandomState)
                    else each.state
                )
                parts.append(hash(_plain(state)))
        return hash(tuple(parts))


def _with_subclasses(kinds: Iterable[type]) -> Iterator[type]:
    for kind in kinds:
        if kind is not random.SystemRandom:  # it has no state
            yield kind
            yield from _with_subclasses(kind.__subclasses__())


def _plain(state: Any) -> Any:
    """Return a state as something that can be hashed: with its arrays as bytes."""
    if isinstance(state, dict):
        return tuple((key, _plain(value)) for key, value in state.items())
    return state.tobytes() if isinstance(state, np.ndarray) else state


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
