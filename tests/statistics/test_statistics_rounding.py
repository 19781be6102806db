"""The laws of rounded draws against counted ones, and bounds of tails against exact tails."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy import stats

from paddle_init.distributions import Normal, Simple, TruncatedNormal, Uniform
from paddle_init.dtypes import as_numbers, rounded
from paddle_init.statistics.rounding import chance_of_equality, densest, rounded_law
from paddle_init.statistics.tails import at_least, sum_at_least

LAWS: list[tuple[Simple, str]] = [
    (Normal(1, 0.002), "bfloat16"),
    (Normal(-1, 0.002), "float16"),
    (Normal(100, 0.02), "float16"),
    (Normal(0, 0.02), "bfloat16"),
    (Normal(0, 3e-8), "float16"),
    (Normal(0, 1e-40), "bfloat16"),
    (Normal(1000, 0.01), "float32"),
    (Normal(0.25, 0.02), "bfloat16"),
    (Uniform(1, 1.01), "bfloat16"),
    (Uniform(-2, -1.99), "float16"),
    (Uniform(-1, 2), "bfloat16"),
    (TruncatedNormal(1, 0.01, 0.98, 1.02), "bfloat16"),
    (TruncatedNormal(1, 0.01, 0.98, 1.02), "float16"),
]


def draws(drawn: Simple, dtype: str, count: int, seed: int) -> np.ndarray:
    random = np.random.default_rng(seed)
    match drawn:
        case Normal(mean, std):
            reals = mean + std * random.standard_normal(count)
        case Uniform(low, high):
            reals = random.uniform(low, high, count)
        case TruncatedNormal(mean, std, low, high):
            reals = mean + std * random.standard_normal(2 * count)
            reals = reals[(low <= reals) & (reals < high)][:count]
    narrow = reals.astype(np.float32)
    return np.asarray(as_numbers(rounded(narrow, dtype))).astype(np.float64)


@pytest.mark.parametrize(("drawn", "dtype"), LAWS)
def test_shares_of_rounded_draws(drawn: Simple, dtype: str) -> None:
    """Pearson's chi-square of 200,000 draws; fails a right law with a probability of 1e-6."""
    made = rounded_law(drawn, dtype)
    assert made.shares.sum() == pytest.approx(1, abs=1e-12)
    found = draws(drawn, dtype, 200_000, seed=5)
    found[np.abs(found) < drawn.std * 2.0**-20] = 0
    places = np.searchsorted(made.numbers, found)
    assert (made.numbers[places] == found).all()
    expected = found.size * made.shares
    counts = np.bincount(places, minlength=made.numbers.size)
    often = expected >= 10
    observed = [*counts[often], counts[~often].sum()]
    wanted = [*expected[often], expected[~often].sum()]
    if wanted[-1] < 1:
        observed, wanted = observed[:-1], wanted[:-1]
    pearson = sum((a - b) ** 2 / b for a, b in zip(observed, wanted, strict=True))
    assert stats.chi2.sf(pearson, max(1, len(wanted) - 1)) > 1e-6


@pytest.mark.parametrize(("drawn", "dtype"), LAWS)
def test_chance_of_equality(drawn: Simple, dtype: str) -> None:
    """No less than what 200,000 pairs show, by six standard errors (1e-9)."""
    left, right = (draws(drawn, dtype, 200_000, seed) for seed in (1, 2))
    share = float((left == right).mean())
    chance = chance_of_equality(drawn, dtype)
    error = math.sqrt(share * (1 - share) / left.size)
    assert chance >= share - 6 * error
    if chance > 0.05:  # coarse: no bound, but the probability
        assert chance == pytest.approx(share, abs=6 * error)


def test_laws_of_one_number() -> None:
    assert chance_of_equality(Normal(1, 1e-9), "float32") == pytest.approx(1)
    assert chance_of_equality(Normal(100, 0.02), "bfloat16") == pytest.approx(1)


def test_densest_of_a_one_sided_cut() -> None:
    cut = TruncatedNormal(0, 1, 2, 10)
    exact = stats.truncnorm(2, 10)
    assert exact.pdf(2) * exact.std() <= densest(cut) <= 1.2 * exact.pdf(2) * exact.std()


@pytest.mark.parametrize("sigmas", [-5.7, -3, -1, 1, 3, 5.7, 8])
@pytest.mark.parametrize("size", [20, 100, 1000, 10_000, 1_000_000])
def test_sums_of_squares_of_bfloat16_normals(size: int, sigmas: float) -> None:
    """A bound, and near: chi-square's tail, but for what rounding does to it.

    Rounding adds 5e-6 to the variance, which moves the largest sums by 5e-6 * size.
    """
    law = rounded_law(Normal(0, 1), "bfloat16")
    total = size + sigmas * math.sqrt(2 * size)
    if total <= 0:
        return
    squares, sign = law.numbers**2, math.copysign(1, sigmas)
    bound = sum_at_least(sign * total, size, sign * squares, law.shares)
    tail = stats.chi2.sf if sigmas > 0 else stats.chi2.cdf
    exact = float(tail(total - sign * 1e-5 * size, size))
    assert bound >= 0.999 * float(tail(total + sign * 1e-5 * size, size))
    assert bound <= exact * (2 if size >= 10_000 and abs(sigmas) > 1 else 20)


@pytest.mark.parametrize(
    ("size", "probability"), [(20, 0.3), (64, 0.68), (256, 0.9), (1000, 0.01), (1_000_000, 0.3)]
)
@pytest.mark.parametrize("sigmas", [0.5, 2, 4, 6, 10])
def test_binomial_tails(size: int, probability: float, sigmas: float) -> None:
    deviation = sigmas * math.sqrt(size * probability * (1 - probability))
    count = math.ceil(size * probability + deviation)
    if count <= size:
        exact = float(stats.binom.sf(count - 1, size, probability))
        assert exact * (1 - 1e-9) <= at_least(count, size, probability) <= 3 * exact + 1e-300


def test_sums_of_one_value_and_beyond_all() -> None:
    one = np.array([2.0]), np.array([1.0])
    assert sum_at_least(20.0, 10, *one) == 1
    assert sum_at_least(20.1, 10, *one) == 0
    coin = np.array([0.0, 1.0]), np.array([0.5, 0.5])
    assert sum_at_least(10, 10, *coin) == pytest.approx(2.0**-10, rel=1e-6)
    assert sum_at_least(10.5, 10, *coin) == 0
