"""The engines' steps, for numba: loops of known length over arrays that do not overlap."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

__all__ = ["extend_lcg", "extend_twister", "temper_mt19937", "temper_mt19937_64"]

Words = NDArray[Any]


def extend_lcg(powers: Words, sequence: Words) -> None:
    """Fill sequence[1:] with the words that follow sequence[0]; see lcg.py."""
    modulus, bits = np.uint64(0x7FFFFFFF), np.uint64(31)
    for start in range(0, sequence.size - 1, powers.size):
        first = np.uint64(sequence[start])
        following = sequence[start + 1 : start + 1 + powers.size]
        for i in range(following.size):
            x = first * np.uint64(powers[i])
            x = (x & modulus) + (x >> bits)
            x = (x & modulus) + (x >> bits)
            following[i] = x


def extend_twister(n: int, m: int, upper: Any, a: Any, sequence: Words) -> None:
    """Fill sequence[n:] with the words that follow sequence[:n]; see twister.py."""
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


def temper_mt19937(words: Words) -> None:
    """Turn words into draws, in place; the numbers are those of engines.py."""
    for i in range(words.size):
        x = words[i]
        x ^= x >> np.uint32(11)
        x ^= (x << np.uint32(7)) & np.uint32(0x9D2C5680)
        x ^= (x << np.uint32(15)) & np.uint32(0xEFC60000)
        words[i] = x ^ (x >> np.uint32(18))


def temper_mt19937_64(words: Words) -> None:
    """Turn words into draws, in place; the numbers are those of engines.py."""
    for i in range(words.size):
        x = words[i]
        x ^= (x >> np.uint64(29)) & np.uint64(0x5555555555555555)
        x ^= (x << np.uint64(17)) & np.uint64(0x71D67FFFEDA60000)
        x ^= (x << np.uint64(37)) & np.uint64(0xFFF7EEE000000000)
        words[i] = x ^ (x >> np.uint64(43))
