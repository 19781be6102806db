"""One parameter under question: its values in the order in which they may have been drawn."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Literal, TypeAlias

import numpy as np
from numpy.typing import NDArray

from paddle_init.distributions import Normal, TruncatedNormal, Uniform
from paddle_init.dtypes import as_numbers, dtype_name
from paddle_init.frameworks.base import Order
from paddle_init.identification.fitting import DIGITS, ROUNDINGS, TELLS
from paddle_init.identification.prefilter import SPAN, pattern
from paddle_init.statistics.goodness import goodness

CONFIDENCE = 0.99
Z99 = 2.5758293035489004
# A fitted form is judged by the distance of CDFs; fitting makes it shorter, never longer.
REFUSED = 1e-4
EVIDENCE = 6.0
# Density of |z|, z a standard normal cut at 2 stds, at its cut.
AT_CUT = 2 * math.exp(-2) / math.sqrt(2 * math.pi) / math.erf(math.sqrt(2))


@dataclass(frozen=True)
class Family:
    """A family with its scale, as far as the values tell.

    Parameters
    ----------
    name
        "constant", "normal", "uniform", "truncated_normal", or "other".
    mean, scale
        Of all values; the scale is the std, or a uniform's half width; a constant's mean is its
        value.
    low, high
        99 % confidence limits of the scale, were the family right.
    p_values
        Of each family's form with its scale fitted, by name.
    plausible
        The families that the values do not refuse, `name` among them.
    """

    name: str
    mean: float | None = None
    scale: float | None = None
    low: float | None = None
    high: float | None = None
    p_values: tuple[tuple[str, float], ...] = ()
    plausible: tuple[str, ...] = ()


def family_of(values: NDArray[np.float64], dtype: str) -> Family:
    """Choose the family whose form the values fit best; "other" where none does."""
    if not values.size or not np.isfinite(values).all():
        return Family("other")
    if (values == values[0]).all():
        return Family("constant", float(values[0]), 0.0)
    mean, std = float(values.mean()), float(values.std())
    center = mean if abs(mean) > 6 * std / math.sqrt(values.size) else 0.0
    spread = math.sqrt(float(np.mean((values - center) ** 2)))
    half = float(np.abs(values - center).max())
    half *= (values.size + 1) / values.size
    cut = half / 2
    fits: dict[str, Normal | Uniform | TruncatedNormal] = {
        "normal": Normal(center, spread),
        "uniform": Uniform(center - half, center + half),
        "truncated_normal": TruncatedNormal(center, cut, center - 2 * cut, center + 2 * cut),
    }
    likely = {}
    p_values = {}
    for name, drawn in fits.items():
        tests = {test.name: test.p_value for test in goodness(values, drawn, dtype)}
        p_values[name] = min(1.0, *(tests.get(key, 1.0) for key in ("form", "largest")))
        likely[name] = _likelihood(values, drawn)
    kept = [name for name in fits if p_values[name] >= REFUSED]
    if not kept:
        return Family("other", mean, std, p_values=tuple(p_values.items()))
    # So much likelier must a family be than the normal, which is the usual one.
    margin = EVIDENCE / values.size
    best = max(kept, key=lambda name: likely[name] - (margin if name != "normal" else 0.0))
    scale, low, high = _limits(best, spread, half, cut, values.size)
    return Family(best, center, scale, low, high, tuple(p_values.items()), tuple(kept))


def _likelihood(values: NDArray[np.float64], drawn: Normal | Uniform | TruncatedNormal) -> float:
    """Mean log likelihood of the fitted family, in whose support all values are."""
    if isinstance(drawn, Uniform):
        return -math.log(drawn.high - drawn.low)
    z = (values - drawn.mean) / drawn.std
    density = -0.5 * float(np.mean(z * z)) - math.log(drawn.std * math.sqrt(2 * math.pi))
    if isinstance(drawn, Normal):
        return density
    return density - math.log(math.erf(math.sqrt(2)))


def _limits(
    name: str, spread: float, half: float, cut: float, size: int
) -> tuple[float, float, float]:
    """Return the scale and its confidence limits."""
    if name == "uniform":  # P(max <= t a) = t**n, exactly
        seen = half * size / (size + 1)
        return half, seen, seen * (1 - CONFIDENCE) ** (-1 / size)
    if name == "truncated_normal":  # the same, with its density at the cut
        seen = cut * size / (size + 1)
        return cut, seen, seen / (1 - min(0.5, -math.log(1 - CONFIDENCE) / (2 * size * AT_CUT)))
    # Wilson and Hilferty's approximation of chi-square, by its cube root.
    step, width = 2 / (9 * size), Z99 * math.sqrt(2 / (9 * size))
    upper, lower = (1 - step + width) ** 3, max(1e-3, 1 - step - width) ** 3
    return spread, spread / math.sqrt(upper), spread / math.sqrt(lower)


FEWEST = 3
Kind: TypeAlias = Literal["normal", "uniform"]
"""What a value takes from the stream: a half of a polar method's pair, or one draw."""


@dataclass(frozen=True)
class Reading:
    """How draws may have filled a parameter.

    Parameters
    ----------
    kind
        "uniform" stands for every inversion of one draw: uniforms and truncated normals.
    gap
        Rows that are drawn below it and are not in it: a folded bias.
    """

    kind: Kind
    order: Order
    gap: int = 0


def subject_of(name: str, array: NDArray[Any]) -> Subject:
    """Return a parameter, in the narrowest dtype that has its every value.

    Values that were float32's once stay what they are when they are held as float64, and those of
    a half type in either.
    """
    if array.dtype not in (np.float32, np.float64) or array.size < FEWEST:
        return Subject(name, array)
    if not np.isfinite(array).all() or not np.ptp(array):
        return Subject(name, array)
    single = array
    if array.dtype == np.float64:
        with np.errstate(over="ignore", under="ignore"):
            single = array.astype(np.float32)
        if (single != array).any():
            return Subject(name, array)
    stored = str(array.dtype)
    bits = np.ascontiguousarray(single).view(np.uint32)
    if not (bits & np.uint32(0xFFFF)).any():
        return Subject(name, (bits >> np.uint32(16)).astype(np.uint16), stored)
    with np.errstate(over="ignore"):
        narrow = single.astype(np.float16)
    if (narrow == single).all():
        return Subject(name, narrow, stored)
    return Subject(name, single, None if single is array else stored)


@dataclass(frozen=True, eq=False)
class Subject:
    """A parameter, in the narrowest dtype that has its values; `stored_as` is the file's own."""

    name: str
    array: NDArray[Any]
    stored_as: str | None = None

    @property
    def shape(self) -> tuple[int, ...]:
        return self.array.shape

    @cached_property
    def dtype(self) -> str:
        """The name of the dtype, or NumPy's own where it is none of a parameter's."""
        return dtype_name(self.array) or str(self.array.dtype)

    @cached_property
    def numbers(self) -> NDArray[np.float64]:
        """All values, flat."""
        return as_numbers(self.array).astype(np.float64).reshape(-1)

    @cached_property
    def largest(self) -> float:
        """The largest absolute value of those that are finite."""
        numbers = np.abs(as_numbers(self.array))
        return float(numbers[np.isfinite(numbers)].max(initial=0))

    @cached_property
    def rounding(self) -> float:
        """What a value may be off its draw times a scale, plus a shift."""
        return ROUNDINGS[self.dtype] * self.largest + 2.0 ** DIGITS[self.dtype][1]

    @cached_property
    def family(self) -> Family:
        return family_of(self.numbers, self.dtype) if self.dtype in TELLS else Family("other")

    @cached_property
    def searchable(self) -> bool:
        """Whether a stream can be told from the values: enough of them, and not all alike."""
        if self.dtype not in TELLS or self.array.size < FEWEST:
            return False
        values = as_numbers(self.array)
        finite = values[np.isfinite(values)]
        return finite.size >= FEWEST and bool(np.ptp(finite))

    @property
    def orders(self) -> tuple[Order, ...]:
        """The orders in which draws may fill the shape; they are one for a vector."""
        matrix = self.array.ndim == 2 and min(self.array.shape) > 1
        return ("C", "F") if matrix else ("C",)

    @cached_property
    def readings(self) -> tuple[Reading, ...]:
        """The ways of drawing that a stream is searched for."""
        read = [Reading(kind, order) for kind in ("normal", "uniform") for order in self.orders]
        folded = [Reading("normal", "F", 1)] if "F" in self.orders else []
        return (*read, *folded)

    def drawn(self, reading: Reading) -> int:
        """Return how many values are drawn for it."""
        rows = self.shape[0] if self.shape else 1
        return self.array.size + reading.gap * (self.array.size // max(rows, 1))

    def flat(self, order: Order) -> NDArray[Any]:
        """Return the values, in storage dtype, in the order of drawing."""
        return self.array.reshape(-1) if order == "C" else self.array.T.reshape(-1)

    def part(self, reading: Reading, start: int, count: int) -> NDArray[np.float64]:
        """Return some drawn values, from a place on; NaN for those that are not in it."""
        places = np.arange(start, min(start + count, self.drawn(reading)))
        if reading.order == "C":
            part = self.array.reshape(-1)[places]
            return as_numbers(part).astype(np.float64)
        rows = self.shape[0]
        row, column = places % (rows + reading.gap), places // (rows + reading.gap)
        there = row < rows
        values = as_numbers(np.ascontiguousarray(self.array[np.minimum(row, rows - 1), column]))
        return np.where(there, values.astype(np.float64), np.nan)

    def window(self, reading: Reading, start: int) -> tuple[NDArray[np.float64], int, int]:
        """Return SPAN drawn values from a place on, with their `pattern`; computed once."""
        key = reading, start
        if key not in self._windows:
            part = self.part(reading, start, SPAN)
            self._windows[key] = part, *pattern(part)
        return self._windows[key]

    @cached_property
    def _windows(self) -> dict[tuple[Reading, int], tuple[NDArray[np.float64], int, int]]:
        return {}
