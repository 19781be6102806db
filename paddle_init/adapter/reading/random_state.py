"""The states that Paddle's global generator goes through while a net is built."""

from __future__ import annotations

import functools
import random
import secrets
import sys
import types
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import numpy as np

from paddle_init.adapter.reading.sources import is_users
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
# How many objects a function's own are followed through in search of generators.
REACH = 10_000


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
        # what comes before the engine's words and its index is other from version to version
        return State(state.current_seed(), " ".join(str(state).split()[-ENGINE.size - 1 :]))

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


class HostGenerators:
    """NumPy's and Python's generators: the global ones, and those that a function may use.

    These are the ones in modules that are no libraries, and in what the function itself holds.
    """

    def __init__(self, function: Any = None) -> None:
        kinds = (np.random.Generator, np.random.RandomState, random.Random)
        found = (each for each in _within_reach(function) if isinstance(each, kinds))
        self._found = {id(each): each for each in found}

    def state(self) -> int:
        """Return a checksum of all their states."""
        _, words, index, *_ = np.random.get_state()  # noqa: NPY002
        parts = [
            zlib.crc32(np.ascontiguousarray(words).tobytes()),
            int(index),
            hash(random.getstate()),
        ]
        for each in self._found.values():
            if isinstance(each, random.Random):
                parts.append(hash(each.getstate()))
            else:
                state = (
                    each.get_state(legacy=False)
                    if isinstance(each, np.random.RandomState)
                    else each.bit_generator.state
                )
                parts.append(zlib.crc32(repr(_plain(state)).encode()))
        return hash(tuple(parts))


def _plain(state: Any) -> Any:
    """Return a state with its arrays as bytes: NumPy shortens them in writing."""
    if isinstance(state, dict):
        return {key: _plain(value) for key, value in state.items()}
    return state.tobytes() if isinstance(state, np.ndarray) else state


def _within_reach(function: Any) -> Iterator[Any]:
    for module in list(sys.modules.values()):
        file = getattr(module, "__file__", None)
        if file and is_users(file):
            yield from list(vars(module).values())
    seen: set[int] = set()
    waiting = [function]
    while waiting and len(seen) < REACH:
        each = waiting.pop()
        if id(each) in seen:
            continue
        seen.add(id(each))
        yield each
        waiting += _held_by(each)


def _held_by(each: Any) -> Iterator[Any]:
    if isinstance(each, types.FunctionType):
        yield from (cell.cell_contents for cell in each.__closure__ or () if _full(cell))
        yield from each.__defaults__ or ()
        yield from (each.__kwdefaults__ or {}).values()
        yield from vars(each).values()
    elif isinstance(each, types.MethodType):
        yield from (each.__self__, each.__func__)
    elif isinstance(each, functools.partial):
        yield from (each.func, *each.args, *each.keywords.values())
    elif isinstance(each, (list, tuple)):
        yield from each
    elif isinstance(each, dict):
        yield from each.values()
    elif not isinstance(each, (type, types.ModuleType)) and hasattr(type(each), "__dictoffset__"):
        yield from getattr(each, "__dict__", {}).values() if type(each).__dictoffset__ else ()


def _full(cell: Any) -> bool:
    try:
        return cell.cell_contents is not None
    except ValueError:
        return False


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
