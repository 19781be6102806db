"""How a spec's random stream starts."""

from __future__ import annotations

import operator
from collections.abc import Iterable
from dataclasses import dataclass

from paddle_init.errors import SpecError
from paddle_init.spelling import did_you_mean

__all__ = [
    "ENGINES",
    "FRAMEWORKS",
    "Seeding",
    "check_op_seed",
    "check_seed",
    "default_engine",
    "integer",
]

FRAMEWORKS = ("abacus", "paddle")
ENGINES = ("minstd_rand0", "minstd_rand", "mt19937", "mt19937_64")


def default_engine(framework: str) -> str:
    """Return the engine that a framework uses unless told otherwise."""
    return "minstd_rand0" if framework == "abacus" else "mt19937_64"


@dataclass(frozen=True)
class Seeding:
    """An engine and exactly one way to seed it.

    Parameters
    ----------
    engine
        One of libstdc++'s four names.
    seed
        An integer in [0, 2**64 - 1]: ``engine.seed(N)`` for abacus, ``paddle.seed(N)`` for Paddle.
    seed_seq
        abacus only: the values given to std::seed_seq, each kept mod 2**32.
    op_seed
        Paddle only: the seed of every initializer op, an int32 other than 0.
    """

    engine: str
    seed: int | None = None
    seed_seq: tuple[int, ...] | None = None
    op_seed: int | None = None

    def __post_init__(self) -> None:
        if self.engine not in ENGINES:
            meant = did_you_mean(self.engine, ENGINES)
            raise SpecError(
                f"engine must be one of {', '.join(ENGINES)}, got {self.engine!r}{meant}"
            )
        given = [
            name for name in ("seed", "seed_seq", "op_seed") if getattr(self, name) is not None
        ]
        if len(given) != 1:
            raise SpecError(
                "a stream is seeded by exactly one of seed, seed_seq and op_seed, "
                f"got {' and '.join(given) or 'none'}"
            )
        if self.seed_seq is not None:
            if isinstance(self.seed_seq, str) or not isinstance(self.seed_seq, Iterable):
                raise SpecError(f"seed_seq must be a list of integers, got {self.seed_seq!r}")
            values = tuple(integer("seed_seq", value) for value in self.seed_seq)
            object.__setattr__(self, "seed_seq", values)
        if self.seed is not None:
            object.__setattr__(self, "seed", check_seed(self.seed))
        if self.op_seed is not None:
            object.__setattr__(self, "op_seed", check_op_seed(self.op_seed))

    def check(self, framework: str) -> None:
        """Refuse what `framework` cannot be seeded with."""
        if framework == "abacus" and self.op_seed is not None:
            raise SpecError("op_seed is Paddle's; abacus takes seed or seed_seq")
        if framework == "paddle" and self.seed_seq is not None:
            raise SpecError("seed_seq is abacus's; paddle takes seed or op_seed")
        if framework == "paddle" and self.engine != "mt19937_64":
            raise SpecError(f"paddle draws with mt19937_64 alone, got engine {self.engine}")


def check_seed(value: int) -> int:
    """Return a seed of an engine or of paddle.seed: in [0, 2**64 - 1], or SpecError."""
    value = integer("seed", value)
    if not 0 <= value < 2**64:
        raise SpecError(f"seed must be in [0, 2**64 - 1], got {value}")
    return value


def check_op_seed(value: int) -> int:
    """Return a seed of an initializer op of Paddle: an int32 other than 0, or SpecError."""
    value = integer("op_seed", value)
    if not -(2**31) <= value < 2**31:
        raise SpecError(f"op_seed must be an int32, in [-2**31, 2**31 - 1], got {value}")
    if value == 0:
        raise SpecError("op_seed 0 means the global generator to Paddle; give seed instead")
    return value


def integer(name: str, value: int) -> int:
    """Return `value` as an int, NumPy's integers too, or say that `name` is none."""
    if not isinstance(value, bool):
        try:
            return operator.index(value)
        except TypeError:
            pass
    raise SpecError(f"{name} must be an integer, got {value!r}")
