"""Streams: an engine with its state, and what libstdc++'s distributions draw from it."""

from __future__ import annotations

import operator
import os
import threading
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import DTypeLike, NDArray

from paddle_init.streams.blocks import (
    BLOCK_BYTES,
    PARALLEL_BLOCK,
    Block,
    Turns,
    flat_view,
    in_threads,
    real_dtype,
)
from paddle_init.streams.compiled import PATHS, Path, choose_kernels
from paddle_init.streams.engines import engine_named
from paddle_init.streams.kernels import Kernels
from paddle_init.streams.seeding import StreamError
from paddle_init.texts import did_you_mean


class _Distribution:
    """A distribution object of values of one type, T."""

    def __init__(self, dtype: DTypeLike) -> None:
        self.dtype = real_dtype(dtype)

    def fill(self, stream: Stream, out: NDArray[Any]) -> NDArray[Any]:
        """Fill `out`, in C order, with the next values; return it.

        Parameters
        ----------
        stream : Stream
        out : array of dtype T and any shape, C-contiguous

        Raises
        ------
        StreamError
            If `out` is of another dtype, strided or read-only.
        """
        values = flat_view(out, self.dtype)
        with np.errstate(over="ignore", invalid="ignore"):
            self._fill(stream, values)
        return out

    def _fill(self, stream: Stream, values: NDArray[Any]) -> None:
        raise NotImplementedError


class NormalDistribution(_Distribution):
    """One distribution object: what it draws in pieces has the bits of one piece.

    Parameters
    ----------
    mean, std : float
        Rounded to T. C++ wants std > 0; here any number goes through the same arithmetic, and
        what overflows is infinite without a warning, as there.
    dtype : float32 or float64
        T.

    Attributes
    ----------
    spare : T or None
        The second value of a pair whose first one ended a request; the next request
        starts with it. Save it with the stream's state to carry on elsewhere.

    Notes
    -----
    **Compatibility Guarantee.** That of Stream: libstdc++ up to GCC 15 on x86-64, in
    float with glibc's logf (2.27 and later), in double with the platform's log.
    """

    def __init__(self, mean: float = 0.0, std: float = 1.0, dtype: DTypeLike = np.float32) -> None:
        super().__init__(dtype)
        with np.errstate(over="ignore"):
            self.mean = self.dtype.type(mean)
            self.std = self.dtype.type(std)
        self.spare: Any = None

    def _fill(self, stream: Stream, values: NDArray[Any]) -> None:
        if values.size and self.spare is not None:
            values[0], self.spare = self.spare, None
            values = values[1:]
        kernels = stream.kernels(self.dtype, values.size)
        paired = values.size // 2 * 2
        self._fill_pairs(stream, kernels, values[:paired])
        if paired < values.size:
            pair = np.empty(2, self.dtype)
            self._fill_pairs(stream, kernels, pair)
            values[-1], self.spare = pair

    def _fill_pairs(self, stream: Stream, kernels: Kernels, out: NDArray[Any]) -> None:
        filled = 0
        if kernels.parallel and stream.threads > 1:
            filled = self._fill_in_threads(stream, kernels, out)
        size = min(stream.block, out.size - filled)
        block = Block(stream.engine, stream.words, kernels, size)
        uniforms = np.empty(size, self.dtype)
        points = np.empty(size, self.dtype)
        # Never more tries than pairs still wanted: no draw is made that C++ would not make.
        while filled < out.size:
            row = uniforms[: out.size - filled]
            block.uniforms(block.take(row.size), row)
            kept = 2 * kernels.try_points(row, points)
            kernels.finish(points[:kept], out[filled : filled + kept], self.mean, self.std)
            filled += kept

    def _fill_in_threads(self, stream: Stream, kernels: Kernels, out: NDArray[Any]) -> int:
        """Fill from the front while whole blocks fit; return how many values were filled.

        Threads take blocks of the stream one at a time, and sift them side by side; how
        many points the earlier blocks kept tells where a block's values go.
        """
        lock = threading.Lock()
        taken = filled = promised = 0

        def work(turns: Turns) -> None:
            nonlocal taken, filled, promised
            block = Block(stream.engine, stream.words, kernels, PARALLEL_BLOCK)
            uniforms = np.empty(PARALLEL_BLOCK, self.dtype)
            points = np.empty(PARALLEL_BLOCK, self.dtype)
            while not turns.stopped:
                with lock:
                    if out.size - filled - promised < PARALLEL_BLOCK:
                        return
                    number, taken = taken, taken + 1
                    promised += PARALLEL_BLOCK
                    words = block.take(PARALLEL_BLOCK)
                block.uniforms(words, uniforms)
                kept = 2 * kernels.try_points(uniforms, points)
                if not turns.wait(number):
                    return
                with lock:
                    start, filled = filled, filled + kept
                    promised -= PARALLEL_BLOCK
                turns.passed()
                kernels.finish(points[:kept], out[start : start + kept], self.mean, self.std)

        if out.size >= 2 * PARALLEL_BLOCK:
            in_threads(work, stream.threads)
        return filled


class UniformRealDistribution(_Distribution):
    """u * (high - low) + low in T, with u = generate_canonical<T>, in [0, 1).

    Parameters
    ----------
    low, high : float
        Rounded to T. Values are in [low, high]: the sum may round up to `high`, as in C++. Where
        `high` - `low` overflows they are infinite or NaN, without a warning.
    dtype : float32 or float64
        T.

    Notes
    -----
    **Compatibility Guarantee.** libstdc++ up to GCC 15 on x86-64.
    """

    def __init__(self, low: float = 0.0, high: float = 1.0, dtype: DTypeLike = np.float32) -> None:
        super().__init__(dtype)
        with np.errstate(over="ignore", invalid="ignore"):
            self.low = self.dtype.type(low)
            self.width = self.dtype.type(high) - self.low

    def _fill(self, stream: Stream, values: NDArray[Any]) -> None:
        kernels = stream.kernels(self.dtype, values.size)
        parallel = kernels.parallel and stream.threads > 1 and values.size >= 2 * PARALLEL_BLOCK
        size = PARALLEL_BLOCK if parallel else min(stream.block, values.size)
        lock = threading.Lock()
        taken = 0

        def work(turns: Turns) -> None:
            nonlocal taken
            block = Block(stream.engine, stream.words, kernels, size)
            while not turns.stopped:
                with lock:
                    row = values[taken : taken + size]
                    taken += row.size
                    if not row.size:
                        return
                    words = block.take(row.size)
                block.uniforms(words, row)
                with np.errstate(over="ignore", invalid="ignore"):
                    np.multiply(row, self.width, row)
                    np.add(row, self.low, row)

        if parallel:
            in_threads(work, stream.threads)
        else:
            work(Turns())


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
        block = Block(self.engine, self.words, kernels, min(self.block, count))
        for start in range(0, count, self.block):
            row = draws[start : start + self.block]
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

    @property
    def block(self) -> int:
        """How many uniforms to make at a time, so that a block stays in the cache."""
        return BLOCK_BYTES // self.engine.word.itemsize

    def kernels(self, dtype: np.dtype[Any], count: int) -> Kernels:
        """Return the kernels for a request of `count` values of `dtype`."""
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
