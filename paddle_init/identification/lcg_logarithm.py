"""How many draws apart two states of minstd_rand0 or minstd_rand are: a discrete logarithm.

Both multipliers are primitive roots mod 2**31 - 1, and 2**31 - 2 = 2 * 3**2 * 7 * 11 * 31 * 151 *
331 has small factors alone, so Pohlig and Hellman's method takes a few table look-ups.
"""

from __future__ import annotations

import functools

from paddle_init.identification.lcg_states import MODULUS

__all__ = ["PERIOD", "logarithm"]

PERIOD = MODULUS - 1
FACTORS = (2, 9, 7, 11, 31, 151, 331)


@functools.cache
def _tables(multiplier: int) -> tuple[tuple[int, int, int, dict[int, int]], ...]:
    """For each factor q: q, PERIOD / q, its CRT coefficient, and logarithms in its subgroup."""
    tables = []
    for q in FACTORS:
        rest = PERIOD // q
        root = pow(multiplier, rest, MODULUS)
        logs, power = {}, 1
        for exponent in range(q):
            logs[power] = exponent
            power = power * root % MODULUS
        tables.append((q, rest, rest * pow(rest, -1, q), logs))
    return tuple(tables)


def logarithm(state: int, multiplier: int) -> int:
    """Return n in [0, 2**31 - 2) with multiplier**n = state mod 2**31 - 1.

    `logarithm(b) - logarithm(a)`, mod the period, is how many draws lead from state a to b.
    """
    parts = _tables(multiplier)
    total = sum(logs[pow(state, rest, MODULUS)] * unit for _, rest, unit, logs in parts)
    return total % PERIOD
