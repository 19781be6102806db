"""Blocks of a stream's uniforms, the arrays they go to, and the threads that share the work."""

from __future__ import annotations

import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy as np
from numpy.typing import DTypeLike, NDArray

from paddle_init.streams.engines import Engine
from paddle_init.streams.kernels import Kernels
from paddle_init.streams.seeding import StreamError

# Words of a block; with what is made of them they fill a second-level cache. Measured:
# half of it costs calls, twice of it costs cache misses, on either path.
BLOCK_BYTES = 1 << 17

# Uniforms per block where threads take turns: long enough for the turns to cost little.
PARALLEL_BLOCK = 1 << 16

REALS = (np.dtype(np.float32), np.dtype(np.float64))


class Block:
    """Room for the draws behind up to `count` uniforms, reused from block to block."""

    def __init__(self, engine: Engine, state: NDArray[Any], kernels: Kernels, count: int) -> None:
        self.state, self.kernels = state, kernels
        self.sequence = np.empty(engine.size + count * kernels.draws_per_value, engine.word)
        self.extend = kernels.extender(self.sequence)

    def take(self, count: int) -> NDArray[Any]:
        """Advance the state by the draws of `count` uniforms; return their words."""
        size, draws = self.state.size, count * self.kernels.draws_per_value
        sequence = self.sequence[: size + draws]
        sequence[:size] = self.state
        whole = sequence.size == self.sequence.size
        (self.extend if whole else self.kernels.extender(sequence))()
        self.state[:] = sequence[draws:]
        return sequence[size:]

    def uniforms(self, words: NDArray[Any], out: NDArray[Any]) -> None:
        """Turn the words that `take` returned into uniforms in [0, 1)."""
        self.kernels.temper(words)
        self.kernels.canonical(words, out)


def real_dtype(dtype: DTypeLike) -> np.dtype[Any]:
    """Return float32 or float64 as a dtype; StreamError for any other."""
    if dtype is not None:  # which NumPy takes for float64
        try:
            return REALS[REALS.index(np.dtype(dtype))]
        except (TypeError, ValueError):
            pass
    raise StreamError(f"dtype: found {dtype!r}, allowed are float32 and float64")


def flat_view(out: NDArray[Any], dtype: np.dtype[Any]) -> NDArray[Any]:
    """Return `out` as one row that shares its memory; StreamError where it cannot."""
    if not isinstance(out, np.ndarray) or out.dtype != dtype:
        found = getattr(out, "dtype", type(out).__name__)
        raise StreamError(f"out: found {found}, allowed is an array of {dtype}")
    if not (out.flags.c_contiguous and out.flags.writeable):
        raise StreamError("out: found a read-only or strided array, allowed is a C-ordered one")
    return out.reshape(-1)


class Turns:
    """Lets the holders of numbered blocks pass in the order of the numbers."""

    def __init__(self) -> None:
        self._condition = threading.Condition()
        self._next = 0
        self.stopped = False

    def wait(self, number: int) -> bool:
        """Return when every lower number has passed; False if the work was stopped."""
        with self._condition:
            self._condition.wait_for(lambda: self.stopped or self._next == number)
            return not self.stopped

    def passed(self) -> None:
        with self._condition:
            self._next += 1
            self._condition.notify_all()

    def stop(self) -> None:
        with self._condition:
            self.stopped = True
            self._condition.notify_all()


def in_threads(work: Callable[[Turns], None], threads: int) -> None:
    """Run work(turns) in so many threads; on an error or an interrupt stop all, then raise."""
    turns = Turns()

    def guarded() -> None:
        try:
            work(turns)
        except BaseException:  # the caller's thread may be slow to wake up
            turns.stop()
            raise

    with ThreadPoolExecutor(threads, thread_name_prefix="stream") as pool:
        futures = [pool.submit(guarded) for _ in range(threads)]
        try:
            for future in futures:
                future.result()
        except BaseException:
            turns.stop()
            raise
