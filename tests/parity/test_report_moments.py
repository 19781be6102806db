"""What a cut leaves of a normal, against closed forms in many digits."""

from __future__ import annotations

import math

import mpmath
import pytest
from support.parity_specs import one_weight

from paddle_init.distributions import Constant, Normal, TruncatedNormal, Uniform, Unknown
from paddle_init.parity.building import report
from paddle_init.parity.page import as_text
from paddle_init.parity.records import Level
from paddle_init.schemes import TRUNCATED_STD, normal, truncated_normal, variance_scaling
from paddle_init.statistics.moments import moments


def exact(cut: TruncatedNormal) -> tuple[mpmath.mpf, mpmath.mpf]:
    """The mean and the std in closed form, whose differences cost most of 3000 digits."""
    with mpmath.workdps(3000):
        mean, std, low, high = map(mpmath.mpf, (cut.mean, cut.std, cut.low, cut.high))
        a, b = (low - mean) / std, (high - mean) / std

        def density(z: mpmath.mpf) -> mpmath.mpf:
            return mpmath.exp(-z * z / 2) / mpmath.sqrt(2 * mpmath.pi)

        root = mpmath.sqrt(2)
        inside = (mpmath.erfc(a / root) - mpmath.erfc(b / root)) / 2
        shift = (density(a) - density(b)) / inside
        variance = 1 + (a * density(a) - b * density(b)) / inside - shift**2
        return mean + std * shift, std * mpmath.sqrt(variance)


@pytest.mark.parametrize(
    "cut",
    [
        (0, 1, -2, 2),
        (0, 1, -1, 1),
        (0, 0.1, -0.2, 0.2),
        (0, 1, -1e9, 1e9),
        (0, 1, 5, 6),
        (0, 1, 30, 1e6),
        (0, 1, -100, -50),
        (0, 1, -1e-6, 1e-6),
        (1, 0.1, -3, 1.05),
        (3, 2, -1, 100),
        (0, 1e30, -2, 2),
        (-100, 0.1, 0, 1),
        (0, 1, 1e3, 1e3 + 1e-3),
    ],
)
def test_moments_after_the_cut(cut: tuple[float, float, float, float]) -> None:
    drawn = TruncatedNormal(*cut)
    mean, std = exact(drawn)
    found = moments(drawn)
    assert found is not None
    assert abs(found[1] / std - 1) < 1e-13
    assert abs(found[0] - mean) < 1e-12 * std + 2 * math.ulp(float(mean))


def test_moments_without_a_cut_and_at_the_edge_of_doubles() -> None:
    assert moments(Normal(1, 2)) == (1, 2)
    assert moments(Uniform(-1, 1)) == (0, 1 / math.sqrt(3))
    assert moments(Constant(3)) == (3, 0)
    assert moments(Unknown("a")) is None
    assert moments(TruncatedNormal(0, 0, -1, 1)) == (0, 0)
    assert moments(TruncatedNormal(5, 5e-324, -2, 2)) == (2, 0)
    assert moments(TruncatedNormal(1e308, 1e-300, -1e308, 1)) == (1, 0)


def test_the_correction_of_truncated_schemes_is_the_double_next_to_the_true_std() -> None:
    _, std = exact(TruncatedNormal(0, 1, -2, 2))
    assert float(std) == TRUNCATED_STD
    scheme = variance_scaling(1, "fan_in", "truncated_normal")
    (found,) = report(one_weight(scheme, "paddle"), one_weight(normal(), "paddle")).parameters
    assert found.left is not None
    assert found.left.moments is not None
    assert abs(found.left.moments[1] * math.sqrt(300) - 1) < 1e-13


def test_a_ratio_is_that_of_the_values_and_a_std_that_of_the_distribution() -> None:
    left, right = normal(0, 0.1), truncated_normal(0, 0.1, -0.2, 0.2)
    made = report(one_weight(left, "paddle"), one_weight(right, "paddle"))
    (parameter,) = made.to_dict()["parameters"]
    assert parameter["right"]["std"] == 0.1
    assert abs(parameter["std_ratio"] - TRUNCATED_STD) < 1e-13
    shown = " ".join(as_text(made, width=120).split())
    assert "std 0.1 truncated normal, std 0.08796 0.879626" in shown


def test_two_cuts_of_one_normal_differ_in_scale() -> None:
    cuts = TruncatedNormal(0, 1, -2, 2), TruncatedNormal(0, 1, -1, 1)
    sides = (one_weight(truncated_normal(0, 1, cut.low, cut.high), "paddle") for cut in cuts)
    (found,) = report(*sides).parameters
    (_, wide), (_, narrow) = map(exact, cuts)
    assert found.level is Level.SCALE
    assert found.std_ratio is not None
    assert abs(found.std_ratio / (narrow / wide) - 1) < 1e-13


def test_a_mean_that_the_cut_moves_is_shown() -> None:
    cut = one_weight(truncated_normal(0, 1, 0, 1), "paddle")
    assert "truncated normal, mean 0.4599, std 0.2822" in as_text(report(cut, cut), width=200)
