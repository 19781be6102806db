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
        parts = [zlib.crc32(words), int(index), hash(random.getstate())]
        for each in self._found.values():
            if isinstance(each, random.Random):
                parts.append(hash(each.getstate()))
            else:
                bits = getattr(each, "bit_generator", None) or each._bit_generator
                parts.append(zlib.crc32(repr(bits.state).encode()))
        return hash(tuple(parts))


def _within_reach(function: Any) -> Iterator[Any]:
    for module in list(sys.modules.values()):
        file = getattr(module, "__file__", None)
        if file and is_users(file):
            yield from list(vars(module).values())
    seen: set[int] = set()
    waiting = [function]
    while waiting:
        each = waiting.pop()
        if each is None or id(each) in seen or len(seen) > REACH:
            continue
        seen.add(id(each))
        yield each
        waiting += [
            *(cell.cell_contents for cell in getattr(each, "__closure__", None) or () if _full(cell)),
            *(getattr(each, "__defaults__", None) or ()),
            *(getattr(each, "__kwdefaults__", None) or {}).values(),
            getattr(each, "__self__", None),
            getattr(each, "__wrapped__", None),
        ]
        if isinstance(each, functools.partial):
            waiting += [each.func, *each.args, *each.keywords.values()]
        elif isinstance(each, (list, tuple)):
            waiting += each
        elif isinstance(each, dict):
            waiting += each.values()
        elif not isinstance(each, (type, types.ModuleType)):
            waiting += getattr(each, "__dict__", {}).values()


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
