"""The steps from a stream's words to values, in NumPy or compiled, and which to take."""

from __future__ import annotations

import functools
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from paddle_init.streams import polar
from paddle_init.streams.canonical import Canonical
from paddle_init.streams.engines import Engine
from paddle_init.streams.errors import StreamError

__all__ = ["BLOCK_BYTES", "PATHS", "Kernels", "Path", "choose_kernels", "numpy_kernels"]

Path = Literal["auto", "numpy", "compiled"]
PATHS: tuple[Path, ...] = ("auto", "numpy", "compiled")

# Words of a block; with what is made of them they fill a second-level cache. Measured:
# half of it costs calls, twice of it costs cache misses, on either path.
BLOCK_BYTES = 1 << 17

# NumPy needs about a second for COMPILER_PAYS values; importing numba and loading
# (at first: compiling) the kernels takes as long. Once there, they pay at LOADED_PAYS.
COMPILER_PAYS = 1 << 24
LOADED_PAYS = 1 << 13


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
    block : int
        How many uniforms to make at a time, so that a block stays in the cache.
    parallel : bool
        Whether the steps release the GIL long enough for threads to pay.
    """

    extender: Callable[[NDArray[Any]], Callable[[], None]]
    temper: Callable[[NDArray[Any]], None]
    canonical: Callable[[NDArray[Any], NDArray[Any]], None]
    try_points: Callable[[NDArray[Any], NDArray[Any]], int]
    finish: Callable[[NDArray[Any], NDArray[Any], Any, Any], None]
    draws_per_value: int
    block: int
    parallel: bool


@functools.cache
def numpy_kernels(engine: Engine, dtype: np.dtype[Any]) -> Kernels:
    """Return the NumPy path."""
    canonical = Canonical(engine, dtype)
    return Kernels(
        engine.extender,
        engine.temper,
        canonical,
        polar.try_points,
        polar.finish,
        canonical.draws_per_value,
        block=BLOCK_BYTES // engine.word.itemsize,
        parallel=False,
    )


_loaded: dict[tuple[str, np.dtype[Any]], Kernels | None] = {}
_drawn_by_numpy = 0


def _compiled(engine: Engine, dtype: np.dtype[Any]) -> Kernels | None:
    key = engine.name, dtype
    if key not in _loaded:
        from paddle_init.streams.compiled import compiled_kernels

        try:
            _loaded[key] = compiled_kernels(engine, dtype)
        except ImportError:
            _loaded[key] = None
    return _loaded[key]


def choose_kernels(engine: Engine, dtype: np.dtype[Any], count: int, path: Path) -> Kernels:
    """Return the kernels for a request of `count` values.

    With "auto" a small request never waits for a compiler: numba is imported when this
    process has drawn, or is about to draw, as much as it costs.
    """
    global _drawn_by_numpy
    if path == "compiled":
        kernels = _compiled(engine, dtype)
        if kernels is None:
            raise StreamError(
                f"path 'compiled' for {engine.name}, {dtype}: found no usable numba; "
                "pip install 'paddle-init[fast]', or take 'auto' or 'numpy'"
            )
        return kernels
    if path == "auto" and count >= LOADED_PAYS:
        pays = (engine.name, dtype) in _loaded or _drawn_by_numpy + count >= COMPILER_PAYS
        kernels = _compiled(engine, dtype) if pays else None
        if kernels is not None:
            return kernels
    _drawn_by_numpy += count
    return numpy_kernels(engine, dtype)
