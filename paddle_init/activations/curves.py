"""Paddle's activations and their derivatives as float64 NumPy functions.

Formulas are those of Paddle's CPU kernels (paddle/phi/kernels/funcs/activation_functor.h,
impl/selu_kernel_impl.h), written so that they neither overflow nor cancel. Where a derivative has
two values, at a kink, it takes the one that Paddle's backward kernel takes.
"""

from __future__ import annotations

import math
from typing import TypeAlias

import numpy as np
import numpy.typing as npt

Array: TypeAlias = npt.NDArray[np.float64]

_SQRT_HALF = math.sqrt(0.5)
_SQRT_2_OVER_PI = math.sqrt(2 / math.pi)
_GELU_CUBIC = 0.044715


def linear(x: Array) -> Array:
    return x


def relu(x: Array) -> Array:
    return np.maximum(x, 0.0)


def relu_slope(x: Array) -> Array:
    return (x > 0).astype(np.float64)


def leaky_relu(x: Array, negative_slope: float) -> Array:
    return np.where(x < 0, negative_slope * x, x)


def leaky_relu_slope(x: Array, negative_slope: float) -> Array:
    return np.where(x < 0, negative_slope, 1.0)


def relu6(x: Array) -> Array:
    return np.clip(x, 0.0, 6.0)


def relu6_slope(x: Array) -> Array:
    return ((x > 0) & (x < 6)).astype(np.float64)


def thresholded_relu(x: Array, threshold: float, value: float) -> Array:
    return np.where(x > threshold, x, value)


def thresholded_relu_slope(x: Array, threshold: float, value: float) -> Array:
    return (x > threshold).astype(np.float64)


def elu(x: Array, alpha: float) -> Array:
    return np.where(x < 0, alpha * np.expm1(np.minimum(x, 0.0)), x)


def elu_slope(x: Array, alpha: float) -> Array:
    return np.where(x > 0, 1.0, alpha * np.exp(np.minimum(x, 0.0)))


def celu(x: Array, alpha: float) -> Array:
    return np.where(x < 0, alpha * np.expm1(_below(x, alpha)), x)


def celu_slope(x: Array, alpha: float) -> Array:
    return np.where(x > 0, 1.0, np.exp(_below(x, alpha)))


def selu(x: Array, scale: float, alpha: float) -> Array:
    return scale * elu(x, alpha)


def selu_slope(x: Array, scale: float, alpha: float) -> Array:
    return scale * elu_slope(x, alpha)


def sigmoid(x: Array) -> Array:
    small = np.exp(-np.abs(x))
    return np.where(x < 0, small, 1.0) / (1.0 + small)


def sigmoid_slope(x: Array) -> Array:
    small = np.exp(-np.abs(x))
    return small / (1.0 + small) ** 2


def hardsigmoid(x: Array, slope: float, offset: float) -> Array:
    return np.clip(x * slope + offset, 0.0, 1.0)


def hardsigmoid_slope(x: Array, slope: float, offset: float) -> Array:
    y = x * slope + offset
    return np.where((y > 0) & (y < 1), slope, 0.0)


def logsigmoid(x: Array) -> Array:
    return np.minimum(x, 0.0) - np.log1p(np.exp(-np.abs(x)))


def logsigmoid_slope(x: Array) -> Array:
    return sigmoid(-x)


def softplus(x: Array, beta: float, threshold: float) -> Array:
    scaled = beta * x
    soft = (np.maximum(scaled, 0.0) + np.log1p(np.exp(-np.abs(scaled)))) / beta
    return np.where(scaled > threshold, x, soft)


def softplus_slope(x: Array, beta: float, threshold: float) -> Array:
    scaled = beta * x
    return np.where(scaled > threshold, 1.0, sigmoid(scaled))


def silu(x: Array) -> Array:
    return x * sigmoid(x)


def silu_slope(x: Array) -> Array:
    return sigmoid(x) + x * sigmoid_slope(x)


def hardswish(x: Array) -> Array:
    return x * np.clip(x + 3.0, 0.0, 6.0) / 6.0


def hardswish_slope(x: Array) -> Array:
    return np.where(x >= 3, 1.0, np.where(x > -3, (2.0 * x + 3.0) / 6.0, 0.0))


def mish(x: Array) -> Array:
    return x * _tanh_softplus(x)


def mish_slope(x: Array) -> Array:
    return _tanh_softplus(x) + x * sigmoid(x) * _sech_squared_softplus(x)


def gelu(x: Array, approximate: bool) -> Array:
    if approximate:
        return x * sigmoid(2 * _SQRT_2_OVER_PI * (x + _GELU_CUBIC * x**3))
    return x * _normal_cdf(x)


def gelu_slope(x: Array, approximate: bool) -> Array:
    if approximate:
        inner = 2 * _SQRT_2_OVER_PI * (x + _GELU_CUBIC * x**3)
        inner_slope = 2 * _SQRT_2_OVER_PI * (1 + 3 * _GELU_CUBIC * x * x)
        return sigmoid(inner) + x * inner_slope * sigmoid_slope(inner)
    return _normal_cdf(x) + x * np.exp(-0.5 * x * x) / math.sqrt(2 * math.pi)


def tanh_slope(x: Array) -> Array:
    return 4.0 * sigmoid_slope(2.0 * x)


def stanh(x: Array, scale_a: float, scale_b: float) -> Array:
    return scale_b * np.tanh(scale_a * x)


def stanh_slope(x: Array, scale_a: float, scale_b: float) -> Array:
    return scale_b * scale_a * tanh_slope(scale_a * x)


def hardtanh(x: Array, min: float, max: float) -> Array:
    return np.clip(x, min, max)


def hardtanh_slope(x: Array, min: float, max: float) -> Array:
    return ((x > min) & (x < max)).astype(np.float64)


def tanhshrink(x: Array) -> Array:
    # Lambert's continued fraction, tanh x = x / (1 + x^2/(3 + x^2/(5 + ...))), does not cancel
    square = np.minimum(x * x, 1.0)
    rest = np.full_like(x, 17.0)
    for odd in (15.0, 13.0, 11.0, 9.0, 7.0, 5.0, 3.0):
        rest = odd + square / rest
    rest = square / rest
    return np.where(np.abs(x) < 1.0, x * (rest / (1.0 + rest)), x - np.tanh(x))


def tanhshrink_slope(x: Array) -> Array:
    return np.tanh(x) ** 2


def hardshrink(x: Array, threshold: float) -> Array:
    return np.where((x <= -threshold) | (x >= threshold), x, 0.0)


def hardshrink_slope(x: Array, threshold: float) -> Array:
    return ((x <= -threshold) | (x >= threshold)).astype(np.float64)


def softshrink(x: Array, threshold: float) -> Array:
    return x - np.clip(x, -threshold, threshold)


def softshrink_slope(x: Array, threshold: float) -> Array:
    return (np.abs(x) > threshold).astype(np.float64)


def softsign(x: Array) -> Array:
    return x / (1.0 + np.abs(x))


def softsign_slope(x: Array) -> Array:
    return (1.0 + np.abs(x)) ** -2.0


def _below(x: Array, alpha: float) -> Array:
    """Return x / alpha for negative x, 0 for the others, whose exponential could overflow."""
    return np.minimum(x, 0.0) / alpha


def _normal_cdf(x: Array) -> Array:
    flat = map(math.erfc, (-_SQRT_HALF * x).ravel().tolist())
    return 0.5 * np.fromiter(flat, np.float64, x.size).reshape(x.shape)


def _tanh_softplus(x: Array) -> Array:
    """tanh(log(1 + e^x)) = e^x (e^x + 2) / (e^x (e^x + 2) + 2), in powers of e^-|x|."""
    small = np.exp(-np.abs(x))
    positive = x >= 0
    top = np.where(positive, 1.0 + 2.0 * small, small * (small + 2.0))
    quotient: Array = top / (top + np.where(positive, 2.0 * small * small, 2.0))
    return quotient


def _sech_squared_softplus(x: Array) -> Array:
    """1 - tanh(log(1 + e^x))^2 = (2 (1 + e^x) / ((1 + e^x)^2 + 1))^2."""
    small = np.exp(-np.abs(x))
    power = np.where(x >= 0, small, 1.0)
    one_plus = 1.0 + small
    square: Array = (2.0 * one_plus * power / (one_plus**2 + power**2)) ** 2
    return square
