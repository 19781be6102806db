"""Tail probabilities, exact or bounded from above, without SciPy.

A bound makes a test fail less often than its level says, never more often.
"""

from __future__ import annotations

import functools
import math

import numpy as np
from numpy.typing import NDArray

# Of the Berry-Esseen inequality for identically distributed summands.
# Source: Shevtsova, "On the absolute constants in the Berry-Esseen type inequalities" (2011).
BERRY_ESSEEN = 0.4748


def normal_two_sided(z: float) -> float:
    return math.erfc(abs(z) / math.sqrt(2))


def chi_square_tails(value: float, degrees: float) -> tuple[float, float]:
    """Return P(X <= value) and P(X >= value) of a chi-square X, each to about 1e-9 relative.

    The incomplete gamma function by its series below the mean and Legendre's continued fraction
    above (DLMF 8.7.1 and 8.9.2), with x**a exp(-x) / Gamma(a) taken as exp(-a (t - 1 - log t))
    and Stirling's series, t = x / a, so that nothing cancels for large a.
    """
    a, x = degrees / 2, value / 2
    if x <= 0:
        return 0.0, 1.0
    front = _front(a, x)
    if x < a + 1:
        term = total = 1 / a
        n = a
        while term > total * 1e-16:
            n += 1
            term *= x / n
            total += term
        lower = min(1.0, front * a * total)
        return lower, 1 - lower
    upper = min(1.0, front * a * _fraction(a, x))
    return 1 - upper, upper


def _front(a: float, x: float) -> float:
    """x**a exp(-x) / Gamma(a + 1)."""
    if a < 20:
        return math.exp(a * math.log(x) - x - math.lgamma(a + 1))
    step = (x - a) / a
    exponent = a * (step - (math.log1p(step) if abs(step) < 0.5 else math.log(x) - math.log(a)))
    stirling = 1 / (12 * a) - 1 / (360 * a**3) + 1 / (1260 * a**5)
    return math.exp(-exponent - stirling) / math.sqrt(2 * math.pi * a)


def _fraction(a: float, x: float) -> float:
    """Gamma(a, x) / (x**a exp(-x)), by Lentz's method."""
    tiny = 1e-300
    b = x + 1 - a
    c, d = 1 / tiny, 1 / b
    value = d
    i = 0
    change = 0.0
    while abs(change - 1) > 1e-15:
        i += 1
        numerator = -i * (i - a)
        b += 2
        d = 1 / (numerator * d + b or tiny)
        c = b + numerator / c or tiny
        change = c * d
        value *= change
    return value


def massart(distance: float, size: int) -> float:
    """Bound P(sup |F_n - F| >= distance), the two-sided Kolmogorov-Smirnov test.

    2 exp(-2 n d**2) for every n and every F, continuous or not.

    Source: Massart, "The tight constant in the Dvoretzky-Kiefer-Wolfowitz inequality" (1990).
    """
    return min(1.0, 2 * math.exp(-2 * size * max(0.0, distance) ** 2))


def strictly_subgaussian(deviation: float, size: int, variance: float) -> float:
    """Bound P(|mean - expected| >= deviation) for a uniform, whose proxy variance is its own.

    Source: Arbel, Marchal and Nguyen, "On strict sub-Gaussianity, optimal proxy variance and
    symmetry for bounded random variables" (2020).
    """
    return min(1.0, 2 * math.exp(-size * deviation**2 / (2 * variance)))


def bernstein(deviation: float, size: int, variance: float, bound: float) -> float:
    """Bound P(|mean - expected| >= deviation) of values within `bound` of their expectation.

    Source: Bernstein's inequality; Boucheron, Lugosi and Massart, "Concentration Inequalities"
    (2013), theorem 2.10.
    """
    if deviation <= 0:
        return 1.0
    spread = 2 * (variance + bound * deviation / 3)
    return min(1.0, 2 * math.exp(-size * deviation**2 / spread)) if spread else 0.0


@functools.lru_cache(1 << 16)
def at_least(count: int, size: int, probability: float) -> float:
    """Bound P(X >= count) of a binomial X, by the smaller of two bounds.

    C(n, k) p**k, from the union over k-subsets; and that of a sum.
    """
    if count <= size * probability or probability >= 1:
        return 1.0
    if probability <= 0:
        return 0.0
    choices = math.lgamma(size + 1) - math.lgamma(count + 1) - math.lgamma(size - count + 1)
    union = math.exp(min(0.0, choices + count * math.log(probability)))
    shares = np.array([1 - probability, probability])
    return min(union, sum_at_least(count, size, np.array([0.0, 1.0]), shares))


def sum_at_least(
    total: float, size: int, values: NDArray[np.float64], shares: NDArray[np.float64]
) -> float:
    """Bound P(V_1 + .. + V_n >= total) of independent draws V from `values` with `shares`.

    Under the law tilted by exp(lambda v), whose mean is total / n, the sum is no rare one, and its
    distance to the normal is bounded by Berry and Esseen's inequality. Integrated against the tilt
    that gives Chernoff's bound times 1 / (lambda s sqrt(2 pi n)) + 2 C rho / (s**3 sqrt(n)), s and
    rho the tilted std and third absolute moment; Chernoff's bound alone where that is above 1.

    Source: Bahadur and Rao, "On deviations of the sample mean" (1960), for the method.
    """
    mean = float(shares @ values)
    scale = float(np.abs(values - mean).max()) or 1.0
    # A total of doubles is not exact; the doubt is the draws'.
    over = total / size - mean - 1e-12 * (abs(mean) + scale)
    target = over / scale
    if target <= 0:
        return 1.0
    v = (values - mean) / scale
    top = float(v[shares > 0].max())
    if target >= top:
        return float(shares[v >= top].sum()) ** size if target < top + 1e-9 else 0.0
    tilt, low, high = target / float(shares @ (v * v)), 0.0, math.inf
    for _ in range(200):
        weights = shares * np.exp(tilt * (v - top))
        mass = float(weights.sum())
        weights /= mass
        at = float(weights @ v)
        apart = v - at
        variance = float(weights @ (apart * apart))
        if abs(at - target) <= 1e-9 * math.sqrt(variance) or high - low <= 1e-12 * tilt:
            break
        low, high = (tilt, high) if at < target else (low, tilt)
        step = tilt + (target - at) / variance if variance else math.inf
        tilt = step if low < step < high else (low + high) / 2 if high < math.inf else 2 * tilt
    chernoff = math.exp(min(0.0, size * (math.log(mass) + tilt * (top - target))))
    if not variance:
        return chernoff
    std, third = math.sqrt(variance), float(weights @ np.abs(apart) ** 3)
    root = math.sqrt(size)
    near = 1 / (tilt * std * root * math.sqrt(2 * math.pi))
    return chernoff * min(1.0, near + 2 * BERRY_ESSEEN * third / (variance * std * root))
