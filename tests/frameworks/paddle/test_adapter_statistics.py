"""What ParamAttrs draw in a dynamic graph, measured.

Seed 20240607. Each check fails a right program with probability ALPHA = 1e-9, so the whole file
with less than 1e-8.
"""

from __future__ import annotations

import numpy as np
import paddle
import pytest
from scipy import stats
from support.paddle_graph import fresh_names

from paddle_init.distributions import (
    Block,
    Blocks,
    Distribution,
    Normal,
    Simple,
    TruncatedNormal,
    Uniform,
)
from paddle_init.frameworks.paddle.nets.attrs import param_attr
from paddle_init.schemes import Scheme, abacus, he_normal, paddle_fc

ALPHA = 1e-9
SHAPE = (500, 400)


def drawn(distribution: Distribution) -> np.ndarray:
    paddle.seed(20240607)
    with fresh_names():
        attr = param_attr(distribution, SHAPE)
        return paddle.create_parameter(SHAPE, "float32", attr=attr).numpy().astype(np.float64)


def law(distribution: Simple) -> stats.rv_continuous:
    match distribution:
        case Normal(mean, std):
            return stats.norm(mean, std)
        case Uniform(low, high):
            return stats.uniform(low, high - low)
        case TruncatedNormal(mean, std, low, high):
            return stats.truncnorm((low - mean) / std, (high - mean) / std, mean, std)
    raise AssertionError(distribution)


@pytest.mark.parametrize(
    "distribution",
    [
        Normal(0.1, 0.13),
        Uniform(-0.3, 0.1),
        TruncatedNormal(0, 0.7, -1.4, 1.4),
        pytest.param(TruncatedNormal(0, 0.7, -1, 0.5), marks=pytest.mark.paddle_3),
        Blocks((Block(100, Normal(0, 0.5)), Block(400, Uniform(-1, 1)))),
    ],
    ids=["normal", "uniform", "truncated", "cut-freely", "blocks"],
)
def test_every_family_follows_its_law(distribution: Distribution) -> None:
    values = drawn(distribution)
    parts = distribution.parts if isinstance(distribution, Blocks) else [Block(500, distribution)]
    start = 0
    for part in parts:
        rows = values[start : start + part.rows].ravel()
        assert stats.kstest(rows, law(part.distribution).cdf).pvalue > ALPHA
        start += part.rows


@pytest.mark.parametrize("scheme", [abacus(1, 0.2, True), paddle_fc(0.2), he_normal()])
def test_measured_std_is_the_schemes(scheme: Scheme) -> None:
    std = scheme(SHAPE).std
    values = drawn(scheme(SHAPE)) / std
    chi_square = stats.chi2(values.size)
    low, high = chi_square.ppf(ALPHA / 2), chi_square.isf(ALPHA / 2)
    assert low < np.sum(values**2) < high
    assert np.sqrt(high / values.size) < 1.01
