"""The towers' parameters, measured: n values of N(0, std**2) have sum(x**2) / std**2 ~ chi2(n).

Seed 20240607. Every parameter gets the central interval of probability 1 - 1e-9, so the 16
intervals together fail a right program with probability below 2e-8.
"""

from __future__ import annotations

import numpy as np
import paddle
import pytest
from scipy import stats
from support.paddle_graph import fresh_names, static_graph
from support.towers import built, dynamic_tower, static_tower

ALPHA = 1e-9
SEED = 20240607


def assert_std(name: str, values: np.ndarray, std: float) -> None:
    chi_square = stats.chi2(values.size)
    low, high = chi_square.ppf(ALPHA / 2), chi_square.isf(ALPHA / 2)
    statistic = float(np.sum((values.astype(np.float64) / std) ** 2))
    assert low < statistic < high, f"{name}: {statistic} of {values.size} values"


def test_static_tower() -> None:
    spec = static_tower.tower_spec("rank", [300, 128, 1])
    with static_graph() as graph:
        built(spec)
        paddle.seed(SEED)
        values = graph.initialized()
    for tensor in spec.tensors:
        width = 300 if "_0." in tensor.name else 128
        assert values[tensor.name].shape == tensor.shape
        assert_std(tensor.name, values[tensor.name], 0.2 / width**0.5)


@pytest.mark.parametrize("last_none", [False, True])
def test_dynamic_tower(last_none: bool) -> None:
    widths = [300, 512, 128, 1]
    paddle.seed(SEED)
    with fresh_names():
        net = dynamic_tower.DeepNet(widths, last_none=last_none)
    for fc, width in zip(net.fcs, widths[:-1], strict=True):
        for parameter in (fc.weight, fc.bias):
            assert_std(parameter.name, parameter.numpy(), 0.2 / width**0.5)


def test_the_bound_is_tight_enough_to_see_a_wrong_fan() -> None:
    values = np.random.default_rng(SEED).normal(0, 0.2 / 300**0.5, 300 * 128)
    assert_std("right", values, 0.2 / 300**0.5)
    with pytest.raises(AssertionError):
        assert_std("wrong by 4 %", values, 0.2 / 300**0.5 * 1.04)
