"""Which family do values come from, and with which scale?"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from paddle_init.distributions import Normal, TruncatedNormal, Uniform
from paddle_init.statistics import goodness

__all__ = ["CONFIDENCE", "Family", "family_of"]

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
