"""Seeds: which integers are allowed, and std::seed_seq's way of spreading them."""

from __future__ import annotations

import operator
from collections.abc import Iterable

from paddle_init.errors import PaddleInitError


class StreamError(PaddleInitError, ValueError):
    """An engine, a seed, a request or a saved state that no stream can have."""


LARGEST_SEED = 2**64 - 1
WORD = 0xFFFFFFFF


def checked_seed(seed: object) -> int:
    """Return `seed` as an int, or say why no engine takes it.

    All four engines have a 64-bit result_type in libstdc++ on x86-64 Linux
    (std::uint_fast32_t is 64 bits wide there), so each takes 0 to 2**64 - 1 and
    reduces it itself: an LCG mod 2**31 - 1, mt19937 mod 2**32.
    """
    value = _integer(seed, "seed", "an integer in [0, 2**64 - 1]")
    if not 0 <= value <= LARGEST_SEED:
        raise StreamError(
            f"seed: {value} is outside [0, 2**64 - 1]; C++ converts its argument mod 2**64: "
            f"pass {value % 2**64} for what it would take"
        )
    return value


def checked_values(values: object) -> tuple[int, ...]:
    """Return the values of a seed sequence mod 2**32, as std::seed_seq keeps them."""
    if isinstance(values, str | bytes) or not isinstance(values, Iterable):
        raise StreamError(f"seed_seq: found {values!r}, allowed is a list of integers")
    return tuple(
        _integer(value, f"seed_seq[{i}]", "any integer (kept mod 2**32)") & WORD
        for i, value in enumerate(values)
    )


def _integer(value: object, where: str, allowed: str) -> int:
    if not isinstance(value, bool):
        try:
            return operator.index(value)  # type: ignore[arg-type]
        except TypeError:
            pass
    raise StreamError(f"{where}: found {value!r} ({type(value).__name__}), allowed is {allowed}")


def _scramble(word: int) -> int:
    return word ^ (word >> 27)


def seed_sequence(values: Iterable[int], count: int) -> list[int]:
    """Return the `count` 32-bit words that std::seed_seq{values...} generates.

    Parameters
    ----------
    values : iterable of int
        Any integers; each is kept mod 2**32.
    count : int
        How many words, 1 or more. A different count gives different words.

    Notes
    -----
    The algorithm of [rand.util.seedseq] in the C++ standard (C++11 and later).
    """
    v = checked_values(values)
    n, s = count, len(v)
    t = 11 if n >= 623 else 7 if n >= 68 else 5 if n >= 39 else 3 if n >= 7 else (n - 1) // 2
    p = (n - t) // 2
    q = p + t
    m = max(s + 1, n)
    b = [0x8B8B8B8B] * n
    for k in range(m):
        here, near, far = k % n, (k + p) % n, (k + q) % n
        r1 = 1664525 * _scramble(b[here] ^ b[near] ^ b[(k - 1) % n])
        r2 = r1 + (s if k == 0 else here + v[k - 1] if k <= s else here)
        b[near] = (b[near] + r1) & WORD
        b[far] = (b[far] + r2) & WORD
        b[here] = r2 & WORD
    for k in range(m, m + n):
        here, near, far = k % n, (k + p) % n, (k + q) % n
        r3 = 1566083941 * _scramble((b[here] + b[near] + b[(k - 1) % n]) & WORD)
        r4 = r3 - here
        b[near] ^= r3 & WORD
        b[far] ^= r4 & WORD
        b[here] = r4 & WORD
    return b
