"""A stream: an engine with its state, and the draws made from it."""

from __future__ import annotations

import operator
import os
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import DTypeLike, NDArray

from paddle_init.streams.blocks import Block
from paddle_init.streams.engines import engine_named
from paddle_init.streams.errors import StreamError
from paddle_init.streams.kernels import PATHS, Kernels, Path, choose_kernels, numpy_kernels
from paddle_init.streams.normal import NormalDistribution
from paddle_init.streams.uniform import UniformRealDistribution
from paddle_init.texts import did_you_mean

__all__ = ["State", "Stream"]

Shape = int | tuple[int, ...]

# The one step that threads take in turns is about a sixth of the work.
MOST_THREADS = 4


@dataclass(frozen=True)
class State:
    """Where a stream stands: the engine's name and its words of state, oldest first."""

    engine: str
    words: tuple[int, ...]


class Stream:
    """An engine of libstdc++, seeded, from which values are drawn one after the other.

    Parameters
    ----------
    engine : str
        "minstd_rand0", "minstd_rand", "mt19937" or "mt19937_64".
    seed : int, optional
        In [0, 2**64 - 1], as `engine.seed(seed)` takes it. Give this or `seed_seq`.
    seed_seq : iterable of int, optional
        The values of a std::seed_seq; any integers, kept mod 2**32.
    path : {"auto", "numpy", "compiled"}
        "compiled" needs numba (extra `fast`); "auto" takes it when it is there and the
        request is worth it. Both give the same bits.
    threads : int, optional
        Threads of the compiled path, 1 or more; any number gives the same bits. By default
        the environment variable PADDLE_INIT_THREADS, or else the CPUs that this process
        may use, at most 4.

    Raises
    ------
    StreamError
        For an unknown engine, path or number of threads, and for a seed that no engine takes.

    Notes
    -----
    Only one thread may draw from a stream at a time.

    **Compatibility Guarantee.** For a given engine and seed every draw has the bits of
    libstdc++ up to GCC 15 on x86-64 Linux, compiled without fused multiply-add; GCC 16 or
    another standard library may implement std::generate_canonical or the normal
    distribution otherwise. Float normals have the bits of glibc's logf, 2.27 and later,
    whatever the platform's. Double normals take the logarithm of the platform's libm.
    """

    def __init__(
        self,
        engine: str,
        seed: int | None = None,
        *,
        seed_seq: Iterable[int] | None = None,
        path: Path = "auto",
        threads: int | None = None,
    ) -> None:
        self.engine = engine_named(engine)
        if (seed is None) == (seed_seq is None):
            raise StreamError("Stream: give a seed or a seed_seq, one of the two")
        if path not in PATHS:
            meant = did_you_mean(path, PATHS)
            raise StreamError(f"path: found {path!r}, allowed are {', '.join(PATHS)}{meant}")
        if seed_seq is not None:
            self.words = self.engine.seed_from(seed_seq)
        else:
            self.words = self.engine.seed(seed)  # type: ignore[arg-type]
        self.path = path
        self.threads = _threads(threads)

    @property
    def state(self) -> State:
        """Where the stream stands, as a value; `restore` carries on from there."""
        return State(self.engine.name, tuple(self.words.tolist()))

    @classmethod
    def restore(cls, state: State, *, path: Path = "auto", threads: int | None = None) -> Stream:
        """Return a stream that draws what the one with this `state` would have drawn next."""
        engine = engine_named(state.engine)
        try:
            numbers = [operator.index(word) for word in state.words]
        except TypeError as error:
            raise StreamError(f"state of {engine.name}: {error}") from error
        known = len(numbers) == engine.size and 0 <= min(numbers) <= max(numbers) <= engine.maximum
        words = np.array(numbers, engine.word) if known else None
        if words is None or not engine.valid(words):
            raise StreamError(
                f"state of {engine.name}: found {len(numbers)} words, allowed are "
                f"{engine.size} words of a state that the engine can reach"
            )
        stream = cls(state.engine, seed=0, path=path, threads=threads)
        stream.words = words
        return stream

    def raw(self, count: int) -> NDArray[Any]:
        """Return the engine's next `count` draws, shape [count], uint32 or uint64."""
        count = _count(count, "raw")
        draws = np.empty(count, self.engine.word)
        kernels = self.kernels(np.dtype(np.float32), count)
        block = Block(self, kernels, min(kernels.block, count))
        for start in range(0, count, kernels.block):
            row = draws[start : start + kernels.block]
            row[:] = block.take(row.size)
            kernels.temper(row)
        return draws

    def skip(self, count: int) -> None:
        """Pass over `count` draws: a modular power for an LCG, in blocks for a twister."""
        self.engine.skip(self.words, _count(count, "skip"))

    def normal(
        self, shape: Shape, mean: float = 0.0, std: float = 1.0, dtype: DTypeLike = np.float32
    ) -> NDArray[Any]:
        """Return what one new std::normal_distribution<T>(mean, std) draws, in C order.

        Parameters
        ----------
        shape : int or tuple of int
        mean, std : float
            Rounded to `dtype` first, as C++ does.
        dtype : float32 or float64
            T. All arithmetic is in T: z * std + mean, without fused multiply-add.

        Returns
        -------
        array of `dtype` and `shape`
            The spare of an odd number is dropped; NormalDistribution keeps it.
        """
        distribution = NormalDistribution(mean, std, dtype)
        return distribution.fill(self, _empty(shape, distribution.dtype))

    def standard_normal(self, shape: Shape, dtype: DTypeLike = np.float32) -> NDArray[Any]:
        """Return `normal(shape, 0, 1, dtype)`."""
        return self.normal(shape, 0.0, 1.0, dtype)

    def uniform(
        self, shape: Shape, low: float = 0.0, high: float = 1.0, dtype: DTypeLike = np.float32
    ) -> NDArray[Any]:
        """Return what std::uniform_real_distribution<T>(low, high) draws, in C order.

        Parameters
        ----------
        shape : int or tuple of int
        low, high : float
            Rounded to `dtype` first. Values are in [low, high], for u * (high - low) + low
            may round up to `high`; with 0 and 1 they are in [0, 1).
        dtype : float32 or float64
        """
        distribution = UniformRealDistribution(low, high, dtype)
        return distribution.fill(self, _empty(shape, distribution.dtype))

    def kernels(self, dtype: np.dtype[Any], count: int) -> Kernels:
        """Return the kernels for a request of `count` values of `dtype`."""
        if self.path == "numpy":
            return numpy_kernels(self.engine, dtype)
        return choose_kernels(self.engine, dtype, count, self.path)


def _count(count: object, what: str, least: int = 0) -> int:
    try:
        number = operator.index(count)  # type: ignore[arg-type]
    except TypeError:
        number = least - 1
    if number < least or isinstance(count, bool):
        raise StreamError(f"{what}: found {count!r}, allowed is an integer, {least} or more")
    return number


def _empty(shape: Shape, dtype: np.dtype[Any]) -> NDArray[Any]:
    sides = shape if isinstance(shape, tuple) else (shape,)
    return np.empty(tuple(_count(side, "shape") for side in sides), dtype)


def _threads(threads: int | None) -> int:
    if threads is not None:
        return _count(threads, "threads", least=1)
    text = os.environ.get("PADDLE_INIT_THREADS")
    if text is None:
        return min(MOST_THREADS, _processors())
    if not text.isdecimal() or not int(text):
        raise StreamError(f"PADDLE_INIT_THREADS: found {text!r}, allowed is an integer, 1 or more")
    return int(text)


def _processors() -> int:
    if hasattr(os, "sched_getaffinity"):  # not on macOS
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1
