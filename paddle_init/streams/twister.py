"""std::mersenne_twister_engine: mt19937 and mt19937_64."""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from paddle_init.streams.seeding import checked_seed, seed_sequence

__all__ = ["MersenneTwister"]

LOW_BITS = 31
SKIP_BLOCK = 1 << 13


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

    def extender(self, sequence: NDArray[Any]) -> Callable[[], None]:
        """Return a function that fills sequence[n:] with the words that follow sequence[:n].

        Words k and k + 1 decide a term of word k + n, to which word k + m is added (xor):
        n - 1 terms can be had at once, and n - m words. Calls that short take less time than
        the slicing for them, so that is done here, once for every time the buffer is used.
        """
        scratch = np.empty((2, self.n - 1), self.word)
        lag = self.n - self.m
        calls: list[tuple[np.ufunc, NDArray[Any], NDArray[Any], NDArray[Any]]] = []
        for start in range(0, sequence.size - self.n, self.n - 1):
            old = sequence[start:]
            width = min(self.n - 1, old.size - self.n)
            upper, lower, one, a = _constants(self)[:, :width]
            term, low = scratch[:, :width]
            calls += (
                (np.bitwise_and, old[:width], upper, term),
                (np.bitwise_and, old[1 : width + 1], lower, low),
                (np.bitwise_or, term, low, term),
                (np.right_shift, term, one, term),
                (np.bitwise_and, low, one, low),
                (np.multiply, low, a, low),
                (np.bitwise_xor, term, low, term),
            )
            middle, new = old[self.m :], old[self.n :]
            for i in range(0, width, lag):
                cut = slice(i, min(i + lag, width))
                calls.append((np.bitwise_xor, middle[cut], term[cut], new[cut]))

        def extend() -> None:
            for ufunc, left, right, out in calls:
                ufunc(left, right, out)

        return extend

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
        sequence = np.empty(self.n + SKIP_BLOCK, self.word)
        sequence[: self.n] = words
        whole, rest = divmod(count, SKIP_BLOCK)
        extend = self.extender(sequence)
        for _ in range(whole):
            extend()
            sequence[: self.n] = sequence[SKIP_BLOCK:]
        self.extender(sequence[: self.n + rest])()
        words[:] = sequence[rest : rest + self.n]


@functools.cache
def _constants(twister: MersenneTwister) -> NDArray[Any]:
    """Rows of constants: to convert a scalar would take a ufunc longer than its work."""
    column = np.array([twister.upper, twister.lower, 1, twister.a], twister.word)
    return np.repeat(column[:, None], twister.n - 1, axis=1)
