"""std::linear_congruential_engine with modulus 2**31 - 1: minstd_rand0 and minstd_rand."""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from paddle_init.streams.seeding import checked_seed, seed_sequence

__all__ = ["LinearCongruential"]

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
    """x' = multiplier * x mod 2**31 - 1; a draw is x' itself.

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
        return functools.partial(self._extend, sequence)

    def _extend(self, sequence: NDArray[Any]) -> None:
        table = powers(self.multiplier)
        high = np.empty(min(BLOCK, sequence.size), np.uint64)
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

    def temper(self, words: NDArray[Any]) -> None:
        """Turn words of state into draws, in place: they are the same here."""

    def skip(self, words: NDArray[Any], count: int) -> None:
        """Move the state `words` on by `count` draws, in place, in O(log count)."""
        words[0] = int(words[0]) * pow(self.multiplier, count, MODULUS) % MODULUS
