"""What can be drawn: frozen values with a family and exact numbers."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass, field, fields
from functools import cached_property
from typing import Any, ClassVar, TypeAlias, overload

import numpy as np
from numpy.typing import NDArray

from paddle_init.errors import SchemeError
from paddle_init.languages import Sentence

OVERFLOWS = Sentence("{what} overflows {dtype}", "{what} 超出 {dtype} 的范围")
NO_WIDTH = Sentence(
    "TruncatedNormal: low and high are one number in float32",
    "TruncatedNormal：low 与 high 在 float32 中是同一个数",
)

REALS = (int, float, np.integer, np.floating)


def finite_double(owner: str, name: str, value: float, allowed: str = "finite") -> float:
    """Return a finite real number as a double; `allowed` says for messages what it should be.

    Raises
    ------
    SchemeError
    """
    if isinstance(value, bool) or not isinstance(value, REALS):
        raise SchemeError(f"{owner}: {name} must be a number, got {value!r}")
    try:
        double = float(value)
    except OverflowError:
        raise SchemeError(f"{owner}: {name} overflows float64") from None
    if not math.isfinite(double):
        raise SchemeError(f"{owner}: {name} must be {allowed}, got {value}")
    return double


@dataclass(frozen=True)
class _Simple:
    """A distribution given by a few finite numbers, kept as doubles."""

    family: ClassVar[str]

    def __post_init__(self) -> None:
        for each in fields(self):
            value = finite_double(type(self).__name__, each.name, getattr(self, each.name))
            object.__setattr__(self, each.name, value)
        self._check()

    def _check(self) -> None:
        """Refuse numbers that contradict each other."""


@dataclass(frozen=True)
class Normal(_Simple):
    """N(mean, std**2); std in [0, inf)."""

    mean: float = 0.0
    std: float = 1.0
    family: ClassVar[str] = "normal"

    def _check(self) -> None:
        if self.std < 0:
            raise SchemeError(f"Normal: std must be 0 or more, got {self.std}")


@dataclass(frozen=True)
class Uniform(_Simple):
    """U[low, high); low <= high."""

    low: float = -1.0
    high: float = 1.0
    family: ClassVar[str] = "uniform"

    def _check(self) -> None:
        if self.low > self.high:
            raise SchemeError(
                f"Uniform: low must be at most high, got low {self.low}, high {self.high}"
            )

    @property
    def mean(self) -> float:
        return self.low / 2 + self.high / 2

    @property
    def std(self) -> float:
        return (self.high / 2 - self.low / 2) / math.sqrt(3)


@dataclass(frozen=True)
class TruncatedNormal(_Simple):
    """N(mean, std**2) conditioned on [low, high].

    `mean` and `std` are those of the normal before truncation; `low` and `high` are absolute
    cutoffs, not numbers of stds (Paddle 3's reading of `a` and `b`).
    """

    mean: float = 0.0
    std: float = 1.0
    low: float = -2.0
    high: float = 2.0
    family: ClassVar[str] = "truncated_normal"

    def _check(self) -> None:
        if self.std < 0:
            raise SchemeError(f"TruncatedNormal: std must be 0 or more, got {self.std}")
        if self.low >= self.high:
            raise SchemeError(
                f"TruncatedNormal: low must be below high, got low {self.low}, high {self.high}"
            )

    @property
    def at_two_stds(self) -> bool:
        """Whether the cutoffs are mean +- 2 std, the only ones that Paddle 2 has."""
        return (self.low, self.high) == (self.mean - 2 * self.std, self.mean + 2 * self.std)


@dataclass(frozen=True)
class Constant(_Simple):
    """Every element is `value`; nothing is drawn."""

    value: float = 0.0
    family: ClassVar[str] = "constant"

    @property
    def mean(self) -> float:
        return self.value

    @property
    def std(self) -> float:
        return 0.0


@dataclass(frozen=True)
class Unknown:
    """An initializer that is not one of ours; `description` says what was found.

    `takes` is how many values of its engine it takes from the random stream: 0 where it takes
    nothing, None where that is not known. It is no part of equality.
    """

    description: str
    takes: int | None = field(default=None, compare=False)
    family: ClassVar[str] = "unknown"

    def __post_init__(self) -> None:
        if not isinstance(self.description, str) or not self.description:
            raise SchemeError(
                f"Unknown: description must be a text that is not empty, got {self.description!r}"
            )
        if self.takes is None:
            return
        whole = isinstance(self.takes, (int, np.integer)) and not isinstance(self.takes, bool)
        if not whole or not 0 <= self.takes < 2**63:
            raise SchemeError(f"Unknown: takes must be an integer of 0 or more, got {self.takes!r}")
        object.__setattr__(self, "takes", int(self.takes))


@dataclass(frozen=True, eq=False, repr=False)
class Given:
    """Values that are written and not drawn, row-major in the shape of their draw.

    Parameters
    ----------
    values : array of real numbers, any shape
        Kept flat, read-only, as float32 or float64. Equal are those whose float64 values have
        the same bits.
    """

    values: NDArray[Any]
    family: ClassVar[str] = "given"

    def __post_init__(self) -> None:
        found = np.asarray(self.values)
        if found.dtype.kind not in "fiu" or found.dtype.itemsize > 8:
            raise SchemeError(f"Given: values must be real numbers, got dtype {found.dtype}")
        kept = found.astype(np.float32 if found.dtype.itemsize <= 2 else np.float64)
        if found.dtype == np.float32:
            kept = found.copy()
        if found.dtype.kind in "iu" and ((found > 2**53) | (found < -(2**53))).any():
            raise SchemeError("Given: values must be exact as float64")
        flat = kept.reshape(-1)
        flat.setflags(write=False)
        object.__setattr__(self, "values", flat)

    @cached_property
    def _bits(self) -> bytes:
        return self.values.astype(np.float64).tobytes()

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Given) and self._bits == other._bits

    def __hash__(self) -> int:
        return hash(self._bits)

    def __repr__(self) -> str:
        return f"Given({self.values.size} values)"

    def rows(self, start: int, stop: int, of: int) -> Given:
        """Return rows [start, stop) of `of` rows."""
        return Given(self.values.reshape(of, -1)[start:stop]) if stop - start < of else self

    @property
    def mean(self) -> float:
        with np.errstate(all="ignore"):
            return float(np.mean(self.values, dtype=np.float64)) if self.values.size else 0.0

    @property
    def std(self) -> float:
        with np.errstate(all="ignore"):
            return float(np.std(self.values, dtype=np.float64)) if self.values.size else 0.0


Simple: TypeAlias = Normal | Uniform | TruncatedNormal | Constant | Given | Unknown


def by_chance(drawn: Simple) -> bool:
    """Tell what is drawn at random from what is fixed, and from what is not known."""
    return isinstance(drawn, (Normal, Uniform, TruncatedNormal))


@dataclass(frozen=True)
class Block:
    """`rows` consecutive rows that share one distribution."""

    rows: int
    distribution: Simple


@dataclass(frozen=True)
class Blocks:
    """Rows drawn from different distributions, from the first row down."""

    parts: tuple[Block, ...]
    family: ClassVar[str] = "blocks"


Distribution: TypeAlias = Simple | Blocks


def stacked(blocks: Iterable[Block]) -> Distribution:
    """Put blocks of rows under each other; equal neighbours become one, but for given values.

    Returns the plain distribution where all rows share it.
    """
    merged: list[Block] = []
    for block in blocks:
        same = merged and merged[-1].distribution == block.distribution
        if same and not isinstance(block.distribution, Given):
            merged[-1] = Block(merged[-1].rows + block.rows, block.distribution)
        else:
            merged.append(block)
    if not merged:
        raise SchemeError("a tensor needs at least one block of rows")
    return merged[0].distribution if len(merged) == 1 else Blocks(tuple(merged))


@overload
def narrowed(distribution: Simple, dtype: str) -> Simple: ...
@overload
def narrowed(distribution: Distribution, dtype: str) -> Distribution: ...
def narrowed(distribution: Distribution, dtype: str) -> Distribution:
    """Return the distribution with its numbers rounded as a draw in `dtype` uses them.

    float64 keeps the doubles. float32, float16 and bfloat16 round to float32: Paddle draws the
    half types in float32 and casts the values, never the numbers.
    """
    if dtype == "float64" or isinstance(distribution, (Given, Unknown)):
        return distribution
    if isinstance(distribution, Blocks):
        return stacked(Block(part.rows, _rounded(part.distribution)) for part in distribution.parts)
    return _rounded(distribution)


def _rounded(distribution: Simple) -> Simple:
    if isinstance(distribution, (Given, Unknown)):
        return distribution
    kind = type(distribution)
    numbers = {}
    for each in fields(distribution):
        with np.errstate(over="ignore"):
            number = float(np.float32(getattr(distribution, each.name)))
        if math.isinf(number):
            return Unknown(OVERFLOWS(what=f"{kind.__name__}: {each.name}", dtype="float32"))
        numbers[each.name] = number
    if isinstance(distribution, TruncatedNormal) and numbers["low"] == numbers["high"]:
        return Unknown(NO_WIDTH())
    return kind(**numbers)
