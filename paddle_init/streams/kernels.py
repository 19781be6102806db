"""The steps from a stream's words to values, and their NumPy path."""

from __future__ import annotations

import functools
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from paddle_init.streams import polar
from paddle_init.streams.engines import Engine


@dataclass(frozen=True)
class Canonical:
    """std::generate_canonical<T, digits of T>: one engine's draws to reals in [0, 1).

    libstdc++ sums k draws, T(draw - min) * r**j with r = max - min + 1, in T, divides by
    r**k in T, and turns a result of 1 or more into the largest T below 1. Float needs
    k = 1 with every engine; double needs k = 2 but for mt19937_64.
    """

    engine: Engine
    dtype: np.dtype[Any]

    @functools.cached_property
    def draws_per_value(self) -> int:
        """k of the standard: how many draws one value takes, 1 or 2."""
        digits = int(np.finfo(self.dtype).nmant) + 1
        log2r = (self.engine.maximum - self.engine.minimum + 1).bit_length() - 1
        return max(1, -(-digits // log2r))

    @functools.cached_property
    def radix(self) -> Any:
        """r in T: float rounds 2**31 - 2 to 2**31."""
        return self.dtype.type(self.engine.maximum - self.engine.minimum + 1)

    @functools.cached_property
    def divisor(self) -> Any:
        """r**k, rounded to T after each product, as libstdc++ does in long double."""
        radix = self.engine.maximum - self.engine.minimum + 1
        product = self.dtype.type(1)
        for _ in range(self.draws_per_value):
            product = self.dtype.type(int(product) * radix)
        return product

    @functools.cached_property
    def largest(self) -> Any:
        return np.nextafter(self.dtype.type(1), self.dtype.type(0))

    def __call__(self, draws: NDArray[Any], out: NDArray[Any]) -> None:
        """Fill `out`, shape [n], from `draws`, shape [n * draws_per_value].

        `draws` may be overwritten.
        """
        if self.engine.minimum:
            np.subtract(draws, draws.dtype.type(self.engine.minimum), draws)
            draws = draws.view(np.int32)  # below 2**31, and a faster cast
        if draws.dtype == np.uint64 and out.dtype == np.float32:
            _round_to_float(draws, out)
        elif self.draws_per_value == 1:
            np.copyto(out, draws, casting="unsafe")
        else:
            np.copyto(out, draws[1::2], casting="unsafe")
            np.multiply(out, self.radix, out)
            np.add(out, draws[::2].astype(self.dtype), out)
        np.divide(out, self.divisor, out)
        np.minimum(out, self.largest, out=out)


def _round_to_float(x: NDArray[np.uint64], out: NDArray[np.float32]) -> None:
    """Cast with one rounding, as `copyto` does, without its branch on a random bit.

    The processor casts signed integers only. So x is halved, a lost bit being kept in the
    last one (rounding to odd); that leaves too few bits when x < 2**26.
    """
    half = x >> np.uint64(1)
    half |= x & np.uint64(1)
    np.copyto(out, half.view(np.int64), casting="unsafe")
    np.add(out, out, out)
    if out.min(initial=np.float32(2**26)) < 2**26:
        small = x < np.uint64(2**26)
        out[small] = x[small]


@dataclass(frozen=True)
class Kernels:
    """Four steps, each a function over one-dimensional arrays; no step keeps anything.

    Attributes
    ----------
    extender : (sequence) -> () -> None
        Prepares a function that fills sequence[engine.size:] with the words that follow
        those before; a buffer that is used again needs it once.
    temper : (words) -> None
        Turns words into draws, in place.
    canonical : (draws, out) -> None
        Turns draws into uniforms in [0, 1); may overwrite the draws.
    try_points : (uniforms, points) -> int
        Keeps the points in the unit disc; may overwrite the uniforms.
    finish : (points, out, mean, std) -> None
        Turns points into normals.
    draws_per_value : int
        How many draws one uniform takes.
    parallel : bool
        Whether the steps release the GIL long enough for threads to pay.
    """

    extender: Callable[[NDArray[Any]], Callable[[], None]]
    temper: Callable[[NDArray[Any]], None]
    canonical: Callable[[NDArray[Any], NDArray[Any]], None]
    try_points: Callable[[NDArray[Any], NDArray[Any]], int]
    finish: Callable[[NDArray[Any], NDArray[Any], Any, Any], None]
    draws_per_value: int
    parallel: bool


@functools.cache
def numpy_kernels(engine: Engine, dtype: np.dtype[Any]) -> Kernels:
    canonical = Canonical(engine, dtype)
    return Kernels(
        engine.extender,
        engine.temper,
        canonical,
        polar.try_points,
        polar.finish,
        canonical.draws_per_value,
        parallel=False,
    )
