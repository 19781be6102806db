"""std::mersenne_twister_engine: mt19937 and mt19937_64."""

from __future__ import annotations

import functools
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from paddle_init.streams.seeding import checked_seed, seed_sequence

__all__ = ["MersenneTwister"]

LOW_BITS = 31
SKIP_BLOCK = 1 << 16


@dataclass(frozen=True)
class MersenneTwister:
    """The recurrence of Matsumoto and Nishimura over words of `bits` bits.

    Fields have the names of the C++ standard's template parameters. The state is
    the last n words, oldest first, whatever the number of draws: libstdc++'s
    block and position carry no more.
    """

    name: str
    bits: int
    n: int
    m: int
    a: int
    u: int
    d: int
    s: int
    b: int
    t: int
    c: int
    l: int  # noqa: E741
    f: int

    minimum = 0

    @property
    def size(self) -> int:
        """The number of words of state."""
        return self.n

    @property
    def maximum(self) -> int:
        """The largest draw."""
        return (1 << self.bits) - 1

    @property
    def word(self) -> np.dtype[Any]:
        """The type of a word of state and of a draw."""
        return np.dtype(f"uint{self.bits}")

    @property
    def lower(self) -> int:
        """Mask of the bits that the recurrence takes from the second oldest word."""
        return (1 << LOW_BITS) - 1

    @property
    def upper(self) -> int:
        """Mask of the bits that the recurrence takes from the oldest word."""
        return self.maximum ^ self.lower

    def seed(self, seed: int) -> NDArray[Any]:
        """Return the state that `engine.seed(seed)` leaves, shape [n]."""
        x = [checked_seed(seed) & self.maximum]
        for i in range(1, self.n):
            x.append((self.f * (x[-1] ^ (x[-1] >> (self.bits - 2))) + i) & self.maximum)
        return np.array(x, self.word)

    def seed_from(self, values: Iterable[int]) -> NDArray[Any]:
        """Return the state that a std::seed_seq of `values` leaves, shape [n]."""
        parts = self.bits // 32
        words = np.array(seed_sequence(values, self.n * parts), np.uint32)
        x = words.astype("<u4").view(f"<u{4 * parts}").astype(self.word)
        if not self.valid(x):
            x[0] = 1 << (self.bits - 1)
        return x

    def valid(self, words: NDArray[Any]) -> bool:
        """Tell whether `words` is a state: not zero in all 19937 bits that count."""
        return bool(int(words[0]) & self.upper or words[1:].any())

    def extend(self, sequence: NDArray[Any]) -> None:
        """Fill sequence[n:] with the words that follow sequence[:n].

        Words k and k + 1 decide a term of word k + n, to which word k + m is added
        (xor): n - 1 terms can be had at once, and n - m words.
        """
        width = self.n - 1
        whole, rest = divmod(sequence.size - self.n, width)
        if whole:
            self._add_rows(sequence, whole, width)
        if rest:
            self._add_rows(sequence[whole * width :], 1, rest)

    def _add_rows(self, sequence: NDArray[Any], count: int, width: int) -> None:
        """Fill `count` times `width` words, in few calls, for here a call outweighs its work."""

        def rows(offset: int) -> NDArray[Any]:
            return sequence[offset : offset + count * width].reshape(count, width)

        upper, lower, one, a = _constants(self)[:, :width]
        term, low = np.empty((2, width), self.word)
        lag = self.n - self.m
        cuts = [slice(i, min(i + lag, width)) for i in range(0, width, lag)]
        terms = [term[cut] for cut in cuts]
        middles = zip(*(rows(self.m)[:, cut] for cut in cuts), strict=True)
        newests = zip(*(rows(self.n)[:, cut] for cut in cuts), strict=True)
        for oldest, second, middle, newest in zip(rows(0), rows(1), middles, newests, strict=True):
            np.bitwise_and(oldest, upper, term)
            np.bitwise_and(second, lower, low)
            np.bitwise_or(term, low, term)
            np.right_shift(term, one, term)
            np.bitwise_and(low, one, low)
            np.multiply(low, a, low)
            np.bitwise_xor(term, low, term)
            for older, added, out in zip(middle, terms, newest, strict=True):
                np.bitwise_xor(older, added, out)

    def temper(self, words: NDArray[Any]) -> None:
        """Turn words of state into draws, in place."""
        constant = self.word.type
        mixed = np.empty_like(words)
        for shift, amount, mask in (
            (np.right_shift, self.u, self.d),
            (np.left_shift, self.s, self.b),
            (np.left_shift, self.t, self.c),
            (np.right_shift, self.l, self.maximum),
        ):
            shift(words, constant(amount), mixed)
            if mask != self.maximum:
                np.bitwise_and(mixed, constant(mask), mixed)
            np.bitwise_xor(words, mixed, words)

    def skip(self, words: NDArray[Any], count: int) -> None:
        """Move the state `words` on by `count` draws, in place, in O(count)."""
        sequence = np.empty(self.n + min(count, SKIP_BLOCK), self.word)
        while count:
            step = min(count, SKIP_BLOCK)
            block = sequence[: self.n + step]
            block[: self.n] = words
            self.extend(block)
            words[:] = block[step:]
            count -= step


@functools.cache
def _constants(twister: MersenneTwister) -> NDArray[Any]:
    """Rows of constants: to convert a scalar would take a ufunc longer than its work."""
    column = np.array([twister.upper, twister.lower, 1, twister.a], twister.word)
    return np.repeat(column[:, None], twister.n - 1, axis=1)
