"""The compiled path: a stream's steps as numba compiles them, and when that pays.

Loops run over arrays of known length that do not overlap; the polar method's are cut into
chunks that stay in the first-level cache, so that LLVM can vectorize all but the one that
counts. numba is imported when something is compiled.
"""

from __future__ import annotations

import functools
import math
from collections.abc import Callable
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from paddle_init.streams.engines import Engine, LinearCongruential, powers
from paddle_init.streams.kernels import Canonical, Kernels, numpy_kernels
from paddle_init.streams.polar import INVC, LN2, LOGC, POLYNOMIAL
from paddle_init.streams.seeding import StreamError

Array = NDArray[Any]

Path = Literal["auto", "numpy", "compiled"]
PATHS: tuple[Path, ...] = ("auto", "numpy", "compiled")

# NumPy needs about a second for COMPILER_PAYS values; importing numba and loading
# (at first: compiling) the kernels takes as long. Once there, they pay at LOADED_PAYS.
COMPILER_PAYS = 1 << 24
LOADED_PAYS = 1 << 13

_loaded: dict[tuple[str, np.dtype[Any]], Kernels | None] = {}
_drawn_by_numpy = 0


def choose_kernels(engine: Engine, dtype: np.dtype[Any], count: int, path: Path) -> Kernels:
    """Return the kernels for a request of `count` values.

    With "auto" a small request never waits for a compiler: numba is imported when this
    process has drawn, or is about to draw, as much as it costs.
    """
    global _drawn_by_numpy
    if path == "numpy":
        return numpy_kernels(engine, dtype)
    if path == "compiled":
        kernels = _compiled(engine, dtype)
        if kernels is None:
            raise StreamError(
                f"path 'compiled' for {engine.name}, {dtype}: found no usable numba; "
                "pip install 'paddle-init[fast]', or take 'auto' or 'numpy'"
            )
        return kernels
    if count >= LOADED_PAYS:
        pays = (engine.name, dtype) in _loaded or _drawn_by_numpy + count >= COMPILER_PAYS
        kernels = _compiled(engine, dtype) if pays else None
        if kernels is not None:
            return kernels
    _drawn_by_numpy += count
    return numpy_kernels(engine, dtype)


def _compiled(engine: Engine, dtype: np.dtype[Any]) -> Kernels | None:
    key = engine.name, dtype
    if key not in _loaded:
        try:
            _loaded[key] = _compiled_kernels(engine, dtype)
        except ImportError:
            _loaded[key] = None
    return _loaded[key]


def _compiled_kernels(engine: Engine, dtype: np.dtype[Any]) -> Kernels | None:
    """Return the compiled path, or None where it would not give the same bits.

    That is for doubles where numba has Intel's SVML: LLVM then takes the logarithm
    from there, not from libm.
    """
    import numba

    if dtype == np.float64 and numba.config.USING_SVML:
        return None
    real, word = dtype.name, engine.word.name
    canonical = Canonical(engine, dtype)
    if isinstance(engine, LinearCongruential):
        extend = functools.partial(
            build(extend_lcg, "void(uint32[::1], uint32[::1])"), powers(engine.multiplier)
        )
        temper = engine.temper
    else:
        extend = functools.partial(
            build(extend_twister, f"void(intp, intp, {word}, {word}, {word}[::1])"),
            engine.n,
            engine.m,
            engine.word.type(engine.upper),
            engine.word.type(engine.a),
        )
        temper = build(
            temper_mt19937 if engine.bits == 32 else temper_mt19937_64, f"void({word}[::1])"
        )
    finish: Callable[..., None]
    if dtype == np.float32:
        tables = "float64[::1], float64[::1], float64[::1], float64"
        finish = functools.partial(
            build(finish_float32, f"void({tables}, float32[::1], float32[::1], float32, float32)"),
            INVC,
            LOGC,
            POLYNOMIAL,
            LN2,
        )
    else:
        finish = build(finish_float64, "void(float64[::1], float64[::1], float64, float64)")
    return Kernels(
        lambda sequence: functools.partial(extend, sequence),
        temper,
        _compiled_canonical(canonical),
        build(keep_points, f"intp({real}[::1], {real}[::1])"),
        finish,
        canonical.draws_per_value,
        parallel=True,
    )


def _compiled_canonical(canonical: Canonical) -> Callable[[Array, Array], None]:
    engine, real = canonical.engine, canonical.dtype.name
    if engine.word == np.uint64 and canonical.dtype == np.float32:
        return build(uint64_to_float32, "void(uint64[::1], float32[::1])")
    one_or_two = one_draw if canonical.draws_per_value == 1 else two_draws
    return build(one_or_two(canonical), f"void({engine.word}[::1], {real}[::1])")


# No fastmath: LLVM then neither reorders nor contracts to fused multiply-add.
OPTIONS = {"nogil": True, "error_model": "numpy", "fastmath": False}


def build(function: Callable[..., Any], signature: str) -> Callable[..., Any]:
    """Return `function` compiled for `signature`, from numba's cache where it is there.

    A cache that cannot be written (no writable folder, a full disk) or read costs the time
    to compile, nothing else. So does one that two processes wrote at once: numba numbers a
    function's cache entries, and might then load another signature's.
    """
    import numba

    try:
        compiled = numba.njit(signature, cache=True, **OPTIONS)(function)
    except Exception:  # unpickling a broken file may raise anything
        compiled = None
    if compiled is None or str(compiled.nopython_signatures[0]) != _normal_form(signature):
        compiled = numba.njit(signature, **OPTIONS)(function)
    return compiled  # type: ignore[no-any-return]


def _normal_form(signature: str) -> str:
    import numba

    arguments, result = numba.core.sigutils.normalize_signature(signature)
    return str(numba.core.typing.signature(result, *arguments))


def extend_lcg(powers: Array, sequence: Array) -> None:
    """Fill sequence[1:] with the words that follow sequence[0]; see engines.py."""
    modulus, bits = np.uint64(0x7FFFFFFF), np.uint64(31)
    for start in range(0, sequence.size - 1, powers.size):
        first = np.uint64(sequence[start])
        following = sequence[start + 1 : start + 1 + powers.size]
        for i in range(following.size):
            x = first * np.uint64(powers[i])
            x = (x & modulus) + (x >> bits)
            x = (x & modulus) + (x >> bits)
            following[i] = x


def extend_twister(n: int, m: int, upper: Any, a: Any, sequence: Array) -> None:
    """Fill sequence[n:] with the words that follow sequence[:n]; see engines.py."""
    one = sequence.dtype.type(1)
    zero = sequence.dtype.type(0)
    lag = n - m
    for start in range(0, sequence.size - n, lag):
        count = min(lag, sequence.size - n - start)
        oldest = sequence[start : start + count]
        second = sequence[start + 1 : start + 1 + count]
        middle = sequence[start + m : start + m + count]
        newest = sequence[start + n : start + n + count]
        for i in range(count):
            y = (oldest[i] & upper) | (second[i] & ~upper)
            newest[i] = middle[i] ^ (y >> one) ^ ((zero - (y & one)) & a)


def temper_mt19937(words: Array) -> None:
    """Turn words into draws, in place; the numbers are those of engines.py."""
    for i in range(words.size):
        x = words[i]
        x ^= x >> np.uint32(11)
        x ^= (x << np.uint32(7)) & np.uint32(0x9D2C5680)
        x ^= (x << np.uint32(15)) & np.uint32(0xEFC60000)
        words[i] = x ^ (x >> np.uint32(18))


def temper_mt19937_64(words: Array) -> None:
    """Turn words into draws, in place; the numbers are those of engines.py."""
    for i in range(words.size):
        x = words[i]
        x ^= (x >> np.uint64(29)) & np.uint64(0x5555555555555555)
        x ^= (x << np.uint64(17)) & np.uint64(0x71D67FFFEDA60000)
        x ^= (x << np.uint64(37)) & np.uint64(0xFFF7EEE000000000)
        words[i] = x ^ (x >> np.uint64(43))


def _constants(canonical: Canonical) -> tuple[Any, ...]:
    """Return what a loop of generate_canonical has as constants, which LLVM makes faster.

    An LCG's draws are below 2**31, and signed integers have a faster cast.
    """
    word, real = canonical.engine.word.type, canonical.dtype.type
    minimum = word(canonical.engine.minimum)
    return minimum, np.int32 if minimum else word, real, real(1), canonical.largest


def one_draw(canonical: Canonical) -> Callable[[Array, Array], None]:
    """std::generate_canonical of one draw; the divisor is a power of 2."""
    minimum, integer, real, one, largest = _constants(canonical)
    scale = one / canonical.divisor

    def convert(draws: Array, out: Array) -> None:
        for i in range(out.size):
            u = real(integer(draws[i] - minimum)) * scale
            out[i] = u if u < one else largest

    return convert


def two_draws(canonical: Canonical) -> Callable[[Array, Array], None]:
    """std::generate_canonical of two draws, the digits of a number in base `radix`."""
    minimum, integer, real, one, largest = _constants(canonical)
    radix, divisor = canonical.radix, canonical.divisor

    def convert(draws: Array, out: Array) -> None:
        for i in range(out.size):
            low = real(integer(draws[2 * i] - minimum))
            high = real(integer(draws[2 * i + 1] - minimum))
            u = (low + high * radix) / divisor
            out[i] = u if u < one else largest

    return convert


def uint64_to_float32(draws: Array, out: Array) -> None:
    """std::generate_canonical of 64 bits: float(x) * 2**-64, rounded once.

    There is no vector instruction for uint64 to float before AVX-512, so the upper 52 bits
    go through a double in [1, 2), its last bit telling of any bits below (rounding to odd).
    That leaves too few bits when x < 2**38, which a second loop repairs.
    """
    one, largest = np.float32(1), np.float32(1 - 2.0**-24)
    short = np.float32(2.0**-26)
    repair = False
    for i in range(out.size):
        x = draws[i]
        odd = np.uint64(1) if (x & np.uint64(0xFFF)) != np.uint64(0) else np.uint64(0)
        bits = np.uint64((x >> np.uint64(12)) | np.uint64(0x3FF0000000000000) | odd)
        u = np.float32(bits.view(np.float64) - 1.0)
        out[i] = u if u < one else largest
        repair |= bool(u < short)
    if repair:
        for i in range(out.size):
            if draws[i] < np.uint64(1 << 53):
                out[i] = np.float32(np.float64(draws[i])) * np.float32(2.0**-64)


def keep_points(uniforms: Array, points: Array) -> int:
    """Keep the points of the unit disc; return how many. The polar method's first step."""
    one = uniforms.dtype.type(1)
    zero = uniforms.dtype.type(0)
    chunk = 1024
    inside = np.empty(chunk, np.uint8)
    kept = 0
    for start in range(0, uniforms.size, 2 * chunk):
        pairs = uniforms[start : start + 2 * chunk]
        tries = pairs.size // 2
        for i in range(pairs.size):
            pairs[i] = pairs[i] + pairs[i] - one
        for i in range(tries):
            square = pairs[2 * i] * pairs[2 * i] + pairs[2 * i + 1] * pairs[2 * i + 1]
            inside[i] = (square <= one) & (square > zero)
        for i in range(tries):
            points[2 * kept] = pairs[2 * i]
            points[2 * kept + 1] = pairs[2 * i + 1]
            kept += int(inside[i])
    return kept


def finish_float32(
    invc: Array,
    logc: Array,
    polynomial: Array,
    ln2: float,
    points: Array,
    out: Array,
    mean: Any,
    std: Any,
) -> None:
    """Turn kept points into normals, with glibc's logf; see polar.py."""
    a0, a1, a2 = polynomial[0], polynomial[1], polynomial[2]
    offset = np.int32(0x3F330000)
    chunk = 512
    squares = np.empty(chunk, np.float32)
    all_bits = squares.view(np.int32)
    logs = np.empty(chunk, np.float32)
    table = np.empty((2, chunk))
    inverses, bases = table[0], table[1]
    for start in range(0, out.size, 2 * chunk):
        here = points[start : start + 2 * chunk]
        there = out[start : start + 2 * chunk]
        pairs = there.size // 2
        for i in range(pairs):
            squares[i] = here[2 * i] * here[2 * i] + here[2 * i + 1] * here[2 * i + 1]
        for i in range(pairs):
            interval = np.uint32(all_bits[i] - offset) >> np.uint32(19) & np.uint32(15)
            inverses[i] = invc[interval]
            bases[i] = logc[interval]
        for i in range(pairs):
            bits = all_bits[i]
            scaled = np.int32(bits - offset)
            exponent = np.int32(scaled >> np.int32(23))
            z = np.int32(bits - np.int32(scaled & np.int32(-0x800000))).view(np.float32)
            r = np.float64(z) * inverses[i] - 1.0
            base = bases[i] + np.float64(exponent) * ln2 + r
            square = r * r
            y = a1 * r + a2
            y = a0 * square + y
            logs[i] = y * square + base
        for i in range(pairs):
            factor = np.sqrt(np.float32(np.float32(-2) * logs[i] / squares[i]))
            there[2 * i] = here[2 * i + 1] * factor * std + mean
            there[2 * i + 1] = here[2 * i] * factor * std + mean


def finish_float64(points: Array, out: Array, mean: Any, std: Any) -> None:
    """Turn kept points into normals, with the platform's log."""
    for i in range(out.size // 2):
        x, y = points[2 * i], points[2 * i + 1]
        square = x * x + y * y
        factor = math.sqrt(-2.0 * math.log(square) / square)
        out[2 * i] = y * factor * std + mean
        out[2 * i + 1] = x * factor * std + mean
