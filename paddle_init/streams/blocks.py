"""From a stream's state to blocks of uniforms, and the arrays they go to."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import DTypeLike, NDArray

from paddle_init.streams.errors import StreamError

if TYPE_CHECKING:
    from paddle_init.streams.kernels import Kernels
    from paddle_init.streams.stream import Stream

__all__ = ["PARALLEL_BLOCK", "Block", "flat_view", "real_dtype"]

# Uniforms per block where threads take turns: long enough for the turns to cost little.
PARALLEL_BLOCK = 1 << 16

REALS = (np.dtype(np.float32), np.dtype(np.float64))


class Block:
    """Room for the draws behind up to `count` uniforms, reused from block to block."""

    def __init__(self, stream: Stream, kernels: Kernels, count: int) -> None:
        self.stream, self.kernels = stream, kernels
        draws = count * kernels.draws_per_value
        self.sequence = np.empty(stream.engine.size + draws, stream.engine.word)
        self.extend = kernels.extender(self.sequence)

    def take(self, count: int) -> NDArray[Any]:
        """Advance the stream by the draws of `count` uniforms; return their words."""
        size, draws = self.stream.engine.size, count * self.kernels.draws_per_value
        sequence = self.sequence[: size + draws]
        sequence[:size] = self.stream.words
        whole = sequence.size == self.sequence.size
        (self.extend if whole else self.kernels.extender(sequence))()
        self.stream.words[:] = sequence[draws:]
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
