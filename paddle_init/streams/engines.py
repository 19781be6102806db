"""libstdc++'s engines: their states, recurrences and parameters, in NumPy."""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from paddle_init.streams.seeding import StreamError, checked_seed, seed_sequence
from paddle_init.texts import did_you_mean

MODULUS = 2**31 - 1
BLOCK = 8192


@functools.cache
def powers(multiplier: int) -> NDArray[np.uint32]:
    """Return multiplier**1 .. multiplier**BLOCK mod 2**31 - 1, shape [BLOCK]."""
    table = np.empty(BLOCK, np.uint64)
    table[0] = multiplier
    known = 1
    while known < BLOCK:
        step = np.uint64(pow(multiplier, known, MODULUS))
        table[known : 2 * known] = table[:known] * step % np.uint64(MODULUS)
        known *= 2
    return table.astype(np.uint32)


@dataclass(frozen=True)
class LinearCongruential:
    """std::linear_congruential_engine: x' = multiplier * x mod 2**31 - 1; a draw is x' itself.

    The state is one word. Every later word is x * multiplier**j, so a block of
    them is one product with a table of powers, and skipping is a modular power.
    """

    name: str
    multiplier: int

    size: ClassVar = 1
    minimum: ClassVar = 1
    maximum: ClassVar = MODULUS - 1
    word: ClassVar[np.dtype[Any]] = np.dtype(np.uint32)

    def seed(self, seed: int) -> NDArray[Any]:
        """Return the state that `engine.seed(seed)` leaves, shape [1]."""
        return np.array([checked_seed(seed) % MODULUS or 1], self.word)

    def seed_from(self, values: Iterable[int]) -> NDArray[Any]:
        """Return the state that a std::seed_seq of `values` leaves, shape [1]."""
        return np.array([seed_sequence(values, 4)[3] % MODULUS or 1], self.word)

    def valid(self, words: NDArray[Any]) -> bool:
        """Tell whether `words` can be a state of this engine."""
        return bool(self.minimum <= words[0] <= self.maximum)

    def extender(self, sequence: NDArray[Any]) -> Callable[[], None]:
        """Return a function that fills sequence[1:] with the words that follow sequence[0]."""
        table = powers(self.multiplier)
        high = np.empty(min(BLOCK, sequence.size), np.uint64)

        def extend() -> None:
            for start in range(0, sequence.size - 1, BLOCK):
                following = sequence[start + 1 : start + 1 + BLOCK]
                x = np.multiply(table[: following.size], sequence[start], dtype=np.uint64)
                carry = high[: following.size]
                # 2**31 = 1 (mod 2**31 - 1). Two folds suffice: x is no multiple of the modulus.
                for _ in range(2):
                    np.right_shift(x, np.uint64(31), carry)
                    np.bitwise_and(x, np.uint64(MODULUS), x)
                    np.add(x, carry, x)
                following[:] = x

        return extend

    def temper(self, words: NDArray[Any]) -> None:
        """Turn words of state into draws, in place: they are the same here."""

    def skip(self, words: NDArray[Any], count: int) -> None:
        """Move the state `words` on by `count` draws, in place, in O(log count)."""
        words[0] = int(words[0]) * pow(self.multiplier, count, MODULUS) % MODULUS


# The bits that a twister's recurrence takes from the second oldest word.
LOWER = (1 << 31) - 1
SKIP_BLOCK = 1 << 13


@dataclass(frozen=True)
class MersenneTwister:
    """std::mersenne_twister_engine: Matsumoto and Nishimura's recurrence over words of `bits` bits.

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
        return self.n

    @property
    def maximum(self) -> int:
        return (1 << self.bits) - 1

    @property
    def word(self) -> np.dtype[Any]:
        return np.dtype(f"uint{self.bits}")

    @property
    def upper(self) -> int:
        """Mask of the bits that the recurrence takes from the oldest word."""
        return self.maximum ^ LOWER

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
    column = np.array([twister.upper, LOWER, 1, twister.a], twister.word)
    return np.repeat(column[:, None], twister.n - 1, axis=1)


Engine = LinearCongruential | MersenneTwister

ENGINES: dict[str, Engine] = {
    engine.name: engine
    for engine in (
        LinearCongruential("minstd_rand0", 16807),
        LinearCongruential("minstd_rand", 48271),
        MersenneTwister(
            "mt19937",
            bits=32,
            n=624,
            m=397,
            a=0x9908B0DF,
            u=11,
            d=0xFFFFFFFF,
            s=7,
            b=0x9D2C5680,
            t=15,
            c=0xEFC60000,
            l=18,
            f=1812433253,
        ),
        MersenneTwister(
            "mt19937_64",
            bits=64,
            n=312,
            m=156,
            a=0xB5026F5AA96619E9,
            u=29,
            d=0x5555555555555555,
            s=17,
            b=0x71D67FFFEDA60000,
            t=37,
            c=0xFFF7EEE000000000,
            l=43,
            f=6364136223846793005,
        ),
    )
}


def engine_named(name: object) -> Engine:
    """Return the engine called `name`; StreamError lists the known ones."""
    if isinstance(name, str) and name in ENGINES:
        return ENGINES[name]
    hint = did_you_mean(name, ENGINES)
    if name == "default_random_engine":
        hint = "; libstdc++'s default_random_engine is minstd_rand0"
    raise StreamError(f"engine: found {name!r}, allowed are {', '.join(ENGINES)}{hint}")
