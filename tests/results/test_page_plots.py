"""Densities as paths: the right place, the right height, and no number too wild."""

from __future__ import annotations

import math
import re

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from scipy import stats

from paddle_init.distributions import Constant, Normal, Simple, TruncatedNormal, Uniform, Unknown
from paddle_init.results.plots import BASE, MARGIN, TOP, WIDTH, densities

numbers = st.floats(allow_nan=False, allow_infinity=False)
positive = st.floats(0, allow_infinity=False)


def knots(path: str) -> list[tuple[float, float]]:
    inner = path.partition("L")[2].rpartition("L")[0]
    first, _, rest = inner.partition("C")
    ends = [piece.split()[-2:] for piece in rest.split("S")]
    return [(float(x), float(y)) for x, y in [first.split(), *ends]]


@pytest.mark.parametrize(
    ("drawn", "density", "low", "high"),
    [
        (Normal(1, 2), stats.norm(1, 2).pdf, -7, 9),
        (TruncatedNormal(0, 1, -1, 2), stats.truncnorm(-1, 2).pdf, -1, 2),
        (TruncatedNormal(0, 1, 30, 31), stats.truncnorm(30, 31).pdf, 30, 31),
    ],
)
def test_knots_lie_on_the_density(drawn: Simple, density, low: float, high: float) -> None:  # type: ignore[no-untyped-def]
    plot = densities([("left", drawn)])
    assert plot is not None
    found = knots(plot.curves[0].path)
    values = [low + (x - MARGIN) / (WIDTH - 2 * MARGIN) * (high - low) for x, _ in found]
    exact = [density(value) for value in values]
    for (_, y), height in zip(found, exact, strict=True):
        assert (BASE - y) / (BASE - TOP) == pytest.approx(height / max(exact), abs=0.02)


def test_two_sides_share_a_scale() -> None:
    plot = densities([("left", Normal(0, 1)), ("right", Uniform(-1, 1))])
    assert plot is not None
    normal, uniform = (knots(curve.path) for curve in plot.curves)
    peak = min(y for _, y in normal)
    assert uniform[0][1] == uniform[1][1] == TOP
    assert (BASE - peak) / (BASE - TOP) == pytest.approx(2 / math.sqrt(2 * math.pi), abs=0.01)


def test_a_constant_is_an_upright_line_and_the_unknown_is_nothing() -> None:
    plot = densities([("left", Constant(1)), ("right", Normal(0, 1)), ("right", Unknown("?"))])
    assert plot is not None
    assert [curve.side for curve in plot.curves] == ["left", "right"]
    assert plot.curves[0].path == f"M220.5 {BASE}V{TOP}"
    assert densities([("left", Unknown("?"))]) is None
    assert densities([]) is None


@pytest.mark.parametrize(
    ("drawn", "labels"),
    [
        (Normal(0, 0.2), ["-0.5", "0", "0.5"]),
        (Normal(0, 0.01155), ["-0.04", "-0.02", "0", "0.02", "0.04"]),
        (Uniform(0, 5e6), ["0", "1e+06", "2e+06", "3e+06", "4e+06", "5e+06"]),
        (Constant(3), ["2", "3", "4"]),
        (Uniform(1e6, 1e6 + 5), ["1000000", "1000001", "1000002", "1000003", "1000004", "1000005"]),
    ],
)
def test_ticks_are_round_numbers(drawn: Simple, labels: list[str]) -> None:
    plot = densities([("left", drawn)])
    assert plot is not None
    assert [tick.label for tick in plot.ticks] == labels


def build(kind: int, a: float, b: float, spread: float) -> Simple:
    low, high = sorted((a, b))
    if kind == 0:
        return Normal(a, spread)
    if kind == 1:
        return Uniform(low, high)
    if kind == 2 and low < high:
        return TruncatedNormal(a, spread, low, high)
    return Constant(a)


@example([TruncatedNormal(0.0, 2.5e263, 0.0, 1.4e-45)])
@example([TruncatedNormal(1e300, 1.0, 0.0, 1e-45)])
@example([TruncatedNormal(1e300, 5e-324, 0.0, 1.0)])
@given(st.lists(st.builds(build, st.integers(0, 3), numbers, numbers, positive), max_size=4))
def test_any_numbers_make_a_finite_plot_or_none(drawn: list[Simple]) -> None:
    plot = densities([("left", each) for each in drawn])
    if plot is None:
        return
    assert len(plot.ticks) <= 12
    for curve in plot.curves:
        values = list(map(float, re.findall(r"-?[0-9.]+(?:e[+-]?[0-9]+)?", curve.path)))
        assert all(map(math.isfinite, values))
        assert not re.search("nan|inf", curve.path)
        assert all(-1 <= value <= WIDTH + 1 for value in values)
