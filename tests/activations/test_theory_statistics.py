"""Prediction and experiment against real Paddle nets, at fixed seeds.

A net's measured second moments are compared to the predicted ones in units of the predicted
`spread`, the finite-width std of one draw of the weights. The band is 5 of them, and half a
spread squared for the skewness of a product: 5.7e-7 per number for a normal deviation. The
default run checks at most 1,400 numbers, the slow one at most 14,200, so that a correct program
fails for at most one seed in 1,200, or in 120; the seeds are fixed.
Where the spread exceeds SENSIBLE, as where a scheme's fixed point is unstable (thresholded_relu's
grows without end), single draws differ by factors and nothing is claimed.
"""

from __future__ import annotations

import math

import pytest

from paddle_init.activations.gains import DEFAULT_TABLE, gain
from paddle_init.frameworks.paddle.nets.operators import build, experiments
from paddle_init.schemes import constant_variance, lecun_normal, normal, xavier_uniform
from paddle_init.signal.dense import mlp
from paddle_init.signal.measurement import measure
from paddle_init.signal.propagation import propagate_dense

SENSIBLE = 0.75
GRID = {
    "4096 x 4": [4096] * 5,
    "1024 x 16": [1024] * 17,
    "256 x 64": [256] * 65,
    "256 x 16": [256] * 17,
    "unequal": [300, 700, 100, 400, 150, 500, 80, 10],
}


def compare(widths, activation, scheme, bias=None):
    layers = mlp(widths, activation, scheme, bias, first=lecun_normal())
    predicted = propagate_dense(layers)
    measured = measure(build(layers, seed=3), seed=5, bins=0)
    checked = 0
    for expected, found in zip(predicted.signals, measured.layers, strict=True):
        where = (activation, scheme.kind, expected.name)
        spread = expected.spread
        if spread < SENSIBLE:
            distance = _distance(found.pre_activation.second, expected.pre_activation.second)
            assert distance < 5 * spread + spread**2 / 2, where
            off = found.pre_activation.mean - expected.pre_activation.mean
            # at most fully correlated samples: one independent value for each unit
            limit = 5 * expected.pre_activation.rms / math.sqrt(expected.fan_out)
            assert abs(off) < limit * (1 + spread), where
            checked += 2
        spread = expected.gradient_spread
        if spread < SENSIBLE and expected.gradient.second > 1e-60:  # above float32's subnormals
            distance = _distance(found.gradient.second, expected.gradient.second)
            assert distance < 5 * spread + spread**2 / 2, where
            checked += 1
    return checked


def _distance(found, expected):
    return abs(math.log(found / expected)) if found > 0 else math.inf


@pytest.mark.parametrize("activation", DEFAULT_TABLE)
def test_prediction_256_x_16(activation):
    assert compare(GRID["256 x 16"], activation, constant_variance(activation)) >= 6


@pytest.mark.parametrize(
    "activation", ["relu", "tanh", "sigmoid", "gelu", "softplus", "hardshrink"]
)
def test_prediction_unequal_widths_with_biases(activation):
    assert compare(GRID["unequal"], activation, xavier_uniform(), normal(0.2, 0.3)) >= 14


@pytest.mark.parametrize("activation", ["tanh", "relu"])
def test_prediction_weights_with_a_small_mean(activation):
    """Signals only: gradients are named approximate then."""
    layers = mlp([512] * 5, activation, normal(0.004, 0.05), normal(0.1, 0.1))
    predicted = propagate_dense(layers)
    assert "gradients there and before are approximate" in predicted.notes[0]
    measured = measure(build(layers, seed=3), seed=5, bins=0)
    for expected, found in zip(predicted.signals, measured.layers, strict=True):
        assert _distance(found.pre_activation.second, expected.pre_activation.second) < (
            5 * expected.spread
        )


@pytest.mark.slow
@pytest.mark.parametrize("widths", ["4096 x 4", "1024 x 16", "256 x 64", "unequal"])
@pytest.mark.parametrize("activation", DEFAULT_TABLE)
def test_prediction_on_the_grid(widths, activation):
    assert compare(GRID[widths], activation, constant_variance(activation)) >= 3
    assert compare(GRID[widths], activation, xavier_uniform(), normal(0, 0.1)) >= 3


def test_experiment_agrees_with_the_definition():
    """26 numbers, each within 5 standard errors: a failure in 1e-5 for a correct program.

    The bias of 512 nodes, O(1 / 512), is below one standard error of 128 repetitions.
    """
    for found in experiments(DEFAULT_TABLE, nodes=512, repetitions=128, seed=0):
        distance = abs(found.gain - gain(found.activation).gain)
        assert distance < 5 * found.standard_error, found
        assert found.standard_error < 0.02 * found.gain


def test_experiment_repeats_and_leaves_the_generator_alone():
    import paddle

    paddle.seed(77)
    expected = paddle.randn([1]).item()
    paddle.seed(77)
    one = experiments(["relu", lambda x: abs(x)], nodes=32, repetitions=4, seed=9)
    assert paddle.randn([1]).item() == expected
    assert experiments(["relu"], nodes=32, repetitions=4, seed=9)[0] == one[0]


def test_the_mean_of_1_over_std_would_be_biased():
    """ReLU, 64 nodes: averaging 1 / rms(o) misses sqrt(2) by over 5 standard errors."""
    import numpy as np
    import paddle

    state = paddle.get_rng_state()
    paddle.seed(0)
    coefficients = []
    for _ in range(1000):
        v, first, second = paddle.randn([1, 64]), paddle.randn([64, 64]), paddle.randn([64, 64])
        o = paddle.nn.functional.relu(v @ first / 8) @ second / 8
        coefficients.append(1 / math.sqrt(float((o * o).mean())))
    paddle.set_rng_state(state)
    error = np.std(coefficients) / math.sqrt(1000)
    assert (np.mean(coefficients) - math.sqrt(2)) / error > 5
