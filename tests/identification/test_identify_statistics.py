"""Whether values are as they were drawn: how often that is told, and told rightly."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pytest

from paddle_init.identification.lattice import as_drawn_normal, as_drawn_uniform
from paddle_init.streams import Stream

NETS = 10
LIMITS = 0.97, 1.03


@pytest.mark.parametrize("engine", ["mt19937_64", "minstd_rand0"])
@pytest.mark.parametrize(
    ("size", "known", "drawn", "moved"),
    [
        (500, True, {None}, {None}),
        (3000, True, {True, None}, {None, False}),
        (8000, True, {True}, {False}),
        (8000, False, {True}, {False}),
    ],
)
def test_normals(
    engine: str, size: int, known: bool, drawn: set[bool | None], moved: set[bool | None]
) -> None:
    """Fixed seeds; a wrong True has a probability below 1e-9 each, a wrong False a smaller one."""
    rng = np.random.default_rng(size)
    told, told_moved = Counter[bool | None](), Counter[bool | None]()
    for seed in range(NETS):
        std = float(np.float32(10 ** rng.uniform(-3, 0)))
        stds, limits = [std, 1.01 * std] if known else [], (LIMITS[0] * std, LIMITS[1] * std)
        values = Stream(engine, seed + 1).normal(size, 0, std)
        told[as_drawn_normal(values.astype(np.float64), stds, limits)] += 1
        step = np.float32(1e-4 * std) * rng.standard_normal(size).astype(np.float32)
        told_moved[as_drawn_normal((values - step).astype(np.float64), stds, limits)] += 1
    assert set(told) <= drawn
    assert set(told_moved) <= moved


@pytest.mark.parametrize("engine", ["mt19937_64", "minstd_rand0"])
def test_uniforms(engine: str) -> None:
    """Fixed seeds. A value that moved stays on the grid with a probability of at most 1/8."""
    rng = np.random.default_rng(3)
    for seed in range(NETS):
        bound = np.float32(10 ** rng.uniform(-3, 0))
        values = Stream(engine, seed + 1).uniform(1000, -bound, bound)
        assert as_drawn_uniform(values.astype(np.float64)) is True
        step = np.float32(1e-4) * bound * rng.standard_normal(1000).astype(np.float32)
        assert as_drawn_uniform((values - step).astype(np.float64)) is False
    assert as_drawn_uniform(np.array([1.0, -1.0])) is None
