"""The same steps as compiled functions; only imported when numba is wanted."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

import numpy as np

from paddle_init.streams.canonical import Canonical
from paddle_init.streams.compiled import canonical, polar, recurrences
from paddle_init.streams.compiled.build import build, vector_libm
from paddle_init.streams.engines import Engine
from paddle_init.streams.kernels import BLOCK_BYTES, Kernels
from paddle_init.streams.lcg import LinearCongruential, powers
from paddle_init.streams.logf import INVC, LN2, LOGC, POLYNOMIAL

__all__ = ["compiled_kernels"]


def compiled_kernels(engine: Engine, dtype: np.dtype[Any]) -> Kernels | None:
    """Return the compiled path, or None where it would not give the same bits.

    That is for doubles where numba has Intel's SVML: LLVM then takes the logarithm
    from there, not from libm.
    """
    if dtype == np.float64 and vector_libm():
        return None
    real, word = dtype.name, engine.word.name
    if isinstance(engine, LinearCongruential):
        extend = functools.partial(
            build(recurrences.extend_lcg, "void(uint32[::1], uint32[::1])"),
            powers(engine.multiplier),
        )
        temper = engine.temper
        name = "lcg"
    else:
        one = engine.word.type
        extend = functools.partial(
            build(recurrences.extend_twister, f"void(intp, intp, {word}, {word}, {word}[::1])"),
            engine.n,
            engine.m,
            one(engine.upper),
            one(engine.a),
        )
        temper = build(getattr(recurrences, f"temper_{engine.name}"), f"void({word}[::1])")
        name = engine.name
    finish: Callable[..., None]
    if dtype == np.float32:
        tables = "float64[::1], float64[::1], float64[::1], float64"
        finish = functools.partial(
            build(
                polar.finish_float32,
                f"void({tables}, float32[::1], float32[::1], float32, float32)",
            ),
            INVC,
            LOGC,
            POLYNOMIAL,
            LN2,
        )
    else:
        finish = build(polar.finish_float64, "void(float64[::1], float64[::1], float64, float64)")
    return Kernels(
        lambda sequence: functools.partial(extend, sequence),
        temper,
        build(getattr(canonical, f"{name}_{real}"), f"void({word}[::1], {real}[::1])"),
        build(polar.try_points, f"intp({real}[::1], {real}[::1])"),
        finish,
        Canonical(engine, dtype).draws_per_value,
        block=BLOCK_BYTES // engine.word.itemsize,
        parallel=True,
    )
