"""std::normal_distribution<T>, float and double."""

from __future__ import annotations

import threading
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import DTypeLike, NDArray

from paddle_init.streams.blocks import PARALLEL_BLOCK, Block, flat_view, real_dtype
from paddle_init.streams.threads import Turns, in_threads

if TYPE_CHECKING:
    from paddle_init.streams.kernels import Kernels
    from paddle_init.streams.stream import Stream

__all__ = ["NormalDistribution"]


class NormalDistribution:
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
        self.dtype = real_dtype(dtype)
        with np.errstate(over="ignore"):
            self.mean = self.dtype.type(mean)
            self.std = self.dtype.type(std)
        self.spare: Any = None

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
            self._fill_row(stream, values)
        return out

    def _fill_row(self, stream: Stream, values: NDArray[Any]) -> None:
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
        size = min(kernels.block, out.size - filled)
        block = Block(stream, kernels, size)
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
            block = Block(stream, kernels, PARALLEL_BLOCK)
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
