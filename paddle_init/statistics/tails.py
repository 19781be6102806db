"""Tail probabilities, exact or bounded from above, without SciPy.

A bound makes a test fail less often than its level says, never more often.
"""

from __future__ import annotations

import math

__all__ = [
    "at_least",
    "bernstein",
    "chi_square_tails",
    "massart",
    "normal_two_sided",
    "strictly_subgaussian",
]


def normal_two_sided(z: float) -> float:
    """Return P(|Z| >= |z|) of a standard normal Z."""
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


def at_least(count: int, size: int, probability: float) -> float:
    """Bound P(X >= count) of a binomial X, by the smaller of two bounds.

    C(n, k) p**k, from the union over k-subsets; and Chernoff's exp(-n KL(k / n, p)).

    Source: Boucheron, Lugosi and Massart, "Concentration Inequalities" (2013), section 2.2.
    """
    if count <= size * probability or probability >= 1:
        return 1.0
    if probability <= 0:
        return 0.0
    choices = math.lgamma(size + 1) - math.lgamma(count + 1) - math.lgamma(size - count + 1)
    union = choices + count * math.log(probability)
    share = count / size
    entropy = share * math.log(share / probability)
    if share < 1:
        entropy += (1 - share) * math.log((1 - share) / (1 - probability))
    return math.exp(min(0.0, union, -size * entropy))
