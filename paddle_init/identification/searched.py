"""What identify searches, as it is done."""

from __future__ import annotations

from paddle_init.identification.records import Searched
from paddle_init.identification.searching import COUNTERS, FAMOUS_SEEDS, LCGS
from paddle_init.identification.starts import COMMON_SEEDS

__all__ = ["searched"]

COMMON = "0 to 10000, dates of 2014 to 2027 as YYYYMMDD, and others that are usual"
FAMOUS = "0 to 10, 2015 to 2027, 42, 100, 123, 1234, 1337, 12345, 2**31 - 1"


def searched(ahead: int) -> tuple[Searched, ...]:
    """Return what `identify` searches, with `ahead` draws of the famous seeds."""
    common, op = len(COMMON_SEEDS), sum(0 < seed < 2**31 for seed in COMMON_SEEDS) + 1
    counters = "{c, c + 1, c + 2, c + 3}, c from 0 to 256"
    return (
        *(Searched(engine, "state", 2**31 - 2, "every state", None) for engine in LCGS),
        Searched("mt19937_64", "paddle.seed", common, COMMON, 0),
        Searched("mt19937_64", "paddle.seed", len(FAMOUS_SEEDS), FAMOUS, ahead),
        Searched("mt19937_64", "op_seed", op, f"{COMMON}, and -1", 0),
        Searched("mt19937_64", "seed_seq", len(COUNTERS), counters, 0),
        Searched("mt19937", "seed", common, COMMON, 0),
        Searched("mt19937", "seed_seq", common, f"{{s}}, s of {COMMON}", 0),
        Searched("mt19937", "seed_seq", len(COUNTERS), counters, 0),
    )
