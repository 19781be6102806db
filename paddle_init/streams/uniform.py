"""std::uniform_real_distribution<T>, float and double."""

from __future__ import annotations

import threading
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import DTypeLike, NDArray

from paddle_init.streams.blocks import PARALLEL_BLOCK, Block, flat_view, real_dtype
from paddle_init.streams.threads import Turns, in_threads

if TYPE_CHECKING:
    from paddle_init.streams.stream import Stream

__all__ = ["UniformRealDistribution"]


class UniformRealDistribution:
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
        self.dtype = real_dtype(dtype)
        with np.errstate(over="ignore", invalid="ignore"):
            self.low = self.dtype.type(low)
            self.width = self.dtype.type(high) - self.low

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
        kernels = stream.kernels(self.dtype, values.size)
        parallel = kernels.parallel and stream.threads > 1 and values.size >= 2 * PARALLEL_BLOCK
        size = PARALLEL_BLOCK if parallel else min(kernels.block, values.size)
        lock = threading.Lock()
        taken = 0

        def work(turns: Turns) -> None:
            nonlocal taken
            block = Block(stream, kernels, size)
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
        return out
