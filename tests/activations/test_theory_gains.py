"""Coefficients and expectations against 30-digit arithmetic."""

from __future__ import annotations

import json
import math
import subprocess
import sys
from functools import cache
from itertools import pairwise

import mpmath as mp
import numpy as np
import pytest

from paddle_init.activations.builtin import ActivationError
from paddle_init.activations.gains import DEFAULT_TABLE, gain, gain_table
from paddle_init.activations.notation import activation
from paddle_init.activations.quadrature import expectations
from paddle_init.signal.tables import gain_rows, gain_text

mp.mp.dps = 30


def _leaky(x, slope):
    return x if x >= 0 else slope * x


def _elu(x, alpha):
    return x if x >= 0 else alpha * mp.expm1(x)


def _normal_cdf(x):
    return mp.erfc(-x / mp.sqrt(2)) / 2


def _tanh_gelu(x):
    return x / 2 * (1 + mp.tanh(mp.sqrt(2 / mp.pi) * (x + mp.mpf(0.044715) * x**3)))


# Written anew from the papers' and Paddle's formulas; constants are the doubles Paddle has.
FORMULAS = {
    "linear": lambda x: x,
    "sigmoid": lambda x: 1 / (1 + mp.exp(-x)),
    "hardsigmoid": lambda x, s, o: min(max(x * s + o, 0), 1),
    "logsigmoid": lambda x: -mp.log1p(mp.exp(-x)),
    "tanh": mp.tanh,
    "stanh": lambda x, a, b: b * mp.tanh(a * x),
    "hardtanh": lambda x, low, high: min(max(x, low), high),
    "tanhshrink": lambda x: x - mp.tanh(x),
    "softsign": lambda x: x / (1 + abs(x)),
    "relu": lambda x: max(x, 0),
    "relu6": lambda x: min(max(x, 0), 6),
    "leaky_relu": _leaky,
    "prelu": _leaky,
    "thresholded_relu": lambda x, t, v: x if x > t else mp.mpf(v),
    "elu": _elu,
    "celu": lambda x, a: x if x >= 0 else a * mp.expm1(x / a),
    "selu": lambda x, s, a: s * _elu(x, a),
    "softplus": lambda x, b, t: x if b * x > t else mp.log1p(mp.exp(b * x)) / b,
    "silu": lambda x: x / (1 + mp.exp(-x)),
    "hardswish": lambda x: x * min(max(x + 3, 0), 6) / 6,
    "mish": lambda x: x * mp.tanh(mp.log1p(mp.exp(x))),
    "gelu": lambda x, approximate: _tanh_gelu(x) if approximate else x * _normal_cdf(x),
    "hardshrink": lambda x, t: x if abs(x) >= t else mp.mpf(0),
    "softshrink": lambda x, t: mp.sign(x) * max(abs(x) - t, 0),
}


@cache
def moment(spec, mean, std, power=2):
    """E[a(mean + std z)^power] to about 28 digits."""
    found = activation(spec)
    formula, parameters = (
        FORMULAS[found.name],
        [
            value if isinstance(value, bool) else mp.mpf(value)
            for value in found.parameters.values()
        ],
    )
    k, mean, std = mp.mpf(found.width), mp.mpf(mean), mp.mpf(std)

    def integrand(z):
        return (k * formula((mean + std * z) / k, *parameters)) ** power * mp.npdf(z)

    ends = {mp.mpf(z) for z in (-38, -24, -16, -11, -8, -6, -4, -2, 0, 2, 4, 6, 8, 11, 16, 24, 38)}
    for kink in {mp.mpf(kink) for kink in found.kinks} | {mp.mpf(0)}:
        centre = (kink - mean) / std
        grid = [
            centre + s * found.scale * mp.mpf(2) ** e / std for s in (-1, 1) for e in range(-1, 10)
        ]
        ends |= {z for z in (centre, *grid) if abs(z) < 38}
    # mp.quad stops at an absolute error, so the integrand is brought to order 1 first
    ends = sorted(ends)
    height = max(
        abs(integrand(a + (b - a) * f))
        for a, b in pairwise(ends)
        for f in (mp.mpf("1e-9"), mp.mpf("0.3"))
    )
    return height * mp.quad(
        lambda z: integrand(z) / height, ends, method="gauss-legendre", maxdegree=5
    )


@pytest.mark.parametrize("spec", DEFAULT_TABLE)
def test_default_table_is_exact_to_1e_12(spec):
    found = gain(spec)
    exact = 1 / mp.sqrt(moment(spec, 0, 1))
    assert abs(found.gain - exact) <= 1e-12
    assert abs(found.gain - exact) <= found.error <= 1e-14
    assert found.error_kind == "bound"
    assert found.uniform_bound == found.gain * math.sqrt(3)
    variance = moment(spec, 0, 1) - moment(spec, 0, 1, 1) ** 2
    assert abs(found.std_gain * mp.sqrt(variance) - 1) < 1e-13


@pytest.mark.parametrize(
    ("spec", "mean", "std"),
    [
        ("linear", 50, 0.01),
        ("tanh", 50, 0.01),
        ("tanh", 0, 100),
        ("tanh", 3, 1000),
        ("tanh", 0, 1e-3),
        ("tanhshrink", 0, 0.01),
        ("sigmoid", -30, 2),
        ("silu", -20, 1),
        ("gelu", -10, 1),
        ("gelu", 0, 30),
        ("gelu(approximate=true)", 1, 5),
        ("mish", -5, 4),
        ("elu", 0, 10),
        ("selu", -3, 0.5),
        ("celu(0.01)", 0, 1),
        ("softplus(50)", 0, 1),
        ("softplus(0.1)", 0, 3),
        ("thresholded_relu(12)", 0, 1),
        ("thresholded_relu(30)", 0, 1),
        ("hardshrink(9)", 0, 1),
        ("hardtanh(-0.001, 0.001)", 0, 1),
        ("relu", -30, 1),
        ("leaky_relu(0.2)", -2, 7),
        ("stanh(100)", 0.5, 1),
        ("softsign", 0, 200),
        ("logsigmoid", 20, 1),
        ("hardswish", 2, 0.1),
        ("tanh8", 0, 20),
    ],
)
def test_shifted_steep_and_far_cases_stay_within_their_bound(spec, mean, std):
    found = gain(spec, mean=mean, std=std)
    exact = std / mp.sqrt(moment(spec, mean, std))
    assert abs(found.gain - exact) <= found.error
    assert found.error <= 1e-12 * found.gain


@pytest.mark.parametrize(
    ("function", "spec", "mean", "std"),
    [
        (np.tanh, "tanh", 0, 1),
        (lambda x: np.tanh(100 * x), "stanh(100, 1)", 0, 1),
        (lambda x: np.where(x > 12, x, 0), "thresholded_relu(12)", 0, 1),
        (lambda x: np.where(x > 0.123456789, x, 0.5), "thresholded_relu(0.123456789, 0.5)", 0, 1),
        (lambda x: np.maximum(x, 0), "relu", 0.3, 2),
        (lambda x: x, "linear", 50, 0.01),
    ],
)
def test_callables_have_an_estimate_that_holds(function, spec, mean, std):
    found = gain(function, mean=mean, std=std)
    exact = std / mp.sqrt(moment(spec, mean, std))
    assert found.error_kind == "estimate"
    assert abs(found.gain - exact) <= found.error <= 1e-12 * found.gain


@pytest.mark.parametrize("place", [0.3, math.pi / 7, -2.2, 5.1, 1e-9, 0.123456789])
def test_a_step_has_an_estimate_that_holds(place):
    found = gain(lambda x: np.where(x > place, 1, 0))
    exact = 1 / mp.sqrt(mp.erfc(mp.mpf(place) / mp.sqrt(2)) / 2)
    assert abs(found.gain - exact) <= found.error < 1e-12 * found.gain


@pytest.mark.parametrize("width", [0.1, 0.01, 0.004, 0.001])
@pytest.mark.parametrize("place", [0.377, -1.234, 3.377])
def test_a_spike_of_a_thousandth_of_the_std_is_seen(place, width):
    height = width**-0.5
    found = gain(lambda x: x + height * ((x > place) & (x < place + width)))
    low, high, h = mp.mpf(place), mp.mpf(place) + mp.mpf(width), mp.mpf(height)
    share = mp.ncdf(high) - mp.ncdf(low)
    exact = 1 / mp.sqrt(1 + h * h * share + 2 * h * (mp.npdf(low) - mp.npdf(high)))
    assert abs(found.gain - exact) <= found.error < 1e-11 * found.gain


def test_singular_functions_have_estimates_that_hold():
    found = gain(lambda x: np.abs(x) ** -0.25)
    exact = 1 / mp.sqrt(mp.mpf(2) ** -0.25 * mp.gamma(mp.mpf(1) / 4) / mp.sqrt(mp.pi))
    assert abs(found.gain - exact) <= found.error < 1e-6
    found = gain(lambda x: np.log(np.abs(x)))
    exact = 1 / mp.sqrt(mp.pi**2 / 8 + ((mp.euler + mp.log(2)) / 2) ** 2)
    assert abs(found.gain - exact) <= found.error < 1e-6


def test_the_bound_says_where_doubles_end():
    """Beyond 38 std nothing is added, before it the density loses digits: the bound has both."""
    found = gain("thresholded_relu(37.4)")
    z = mp.mpf(37.4)
    exact = 1 / mp.sqrt(mp.erfc(z / mp.sqrt(2)) / 2 + z * mp.npdf(z))
    assert found.error_kind == "bound"
    assert abs(found.gain - exact) <= found.error < 1e-5 * found.gain


def test_growth_near_the_limit_of_integrability():
    found = gain(lambda x: np.exp(0.2 * x * x))
    assert abs(found.gain - mp.sqrt(mp.sqrt(mp.mpf(1) - 4 * mp.mpf(0.2)))) <= found.error
    for rate in (0.2499, 0.25, 0.3):
        with pytest.raises(ActivationError, match="infinite or cannot be resolved"):
            gain(lambda x, rate=rate: np.exp(rate * np.minimum(x * x, 2000)))


def test_paddle_function_in_float32_says_how_far_it_got():
    import paddle

    found = gain(lambda x: paddle.nn.functional.relu(paddle.to_tensor(x).astype("float32")))
    assert found.error_kind == "estimate"
    assert abs(found.gain - math.sqrt(2)) <= found.error < 1e-5


def test_known_values():
    assert gain("relu").gain == pytest.approx(math.sqrt(2), abs=1e-15)
    assert gain("tanh").gain == pytest.approx(1.5925374197228312, abs=1e-14)
    sigmoid = gain("sigmoid")
    assert (round(sigmoid.gain, 2), round(sigmoid.std_gain, 2)) == (1.85, 4.80)


def test_fixed_tables_are_paddle_s():
    from paddle.nn.initializer import calculate_gain

    for spec in (*DEFAULT_TABLE, "leaky_relu(0.2)"):
        found = gain(spec)
        name = activation(spec).name
        try:
            expected = calculate_gain(name, activation(spec).parameters.get("negative_slope"))
        except ValueError:
            expected = None
        if activation(spec).width != 1:
            expected = None
        assert found.paddle_table == expected == found.torch_table, spec


def test_target_std():
    half = gain("tanh", std=0.5)
    assert half.gain == pytest.approx(float(0.5 / mp.sqrt(moment("tanh", 0, 0.5))), abs=1e-14)
    assert gain("relu", std=0.5).gain == pytest.approx(math.sqrt(2), abs=1e-15)


@pytest.mark.parametrize(
    ("spec", "options", "message"),
    [
        (lambda x: x * 0, {}, "<lambda>: E[a(x)^2] for x ~ N(0, 1^2) is 0 or below"),
        ("thresholded_relu(60)", {}, "thresholded_relu(threshold=60): E[a(x)^2]"),
        ("tanh", {"std": 0}, "std must be in (0, inf), got 0"),
        ("tanh", {"std": math.inf}, "std must be in (0, inf), got inf"),
        ("tanh", {"mean": math.nan}, "mean must be finite"),
        (3, {}, "an activation is a name or a callable on arrays, got 3"),
    ],
)
def test_errors(spec, options, message):
    with pytest.raises(ActivationError) as caught:
        gain(spec, **options)
    assert str(caught.value).startswith(message)


def test_constant_activation_has_no_std_gain():
    found = gain(np.ones_like)
    assert found.gain == pytest.approx(1, abs=1e-15)
    assert found.std_gain is None


def test_rows_read_back():
    found = gain_table(["relu", "gelu", np.ones_like])
    read = json.loads(json.dumps(gain_rows(found), allow_nan=False))
    assert list(read[0]) == [
        "activation", "gain", "error", "error_kind", "uniform_bound", "std_gain", "paddle_table",
        "torch_table", "paddle_difference", "torch_difference", "std",
    ]  # fmt: skip
    assert read[1]["gain"] == found[1].gain
    assert read[1]["paddle_table"] is None
    assert read[2]["std_gain"] is None
    assert [row["error_kind"] for row in read] == ["bound", "bound", "estimate"]


def test_text():
    text = gain_text(gain_table(["tanh", np.tanh, "gelu", "relu"]))
    table, legend = text.split("\n\n")
    lines = table.splitlines()
    head = ["activation", "gain", "error", "uniform", "std_gain", "table", "off", "by"]
    assert lines[0].split() == head
    assert lines[1].split()[1] == "1.59253741972"
    assert lines[1].split()[-2:] == ["1.6667", "+0.0741"]
    assert lines[2].split()[2].startswith("~")
    assert lines[3].split()[-2:] == ["-", "-"]
    assert lines[4].split()[-2:] == ["1.4142", "+0.0000"]
    assert len({len(line) for line in lines}) == 1
    assert "the second moment's convention" in legend
    assert max(map(len, gain_text(gain_table()).splitlines())) <= 80
    assert "0.5 / std(a(0.5 z))" in gain_text(gain_table(["tanh"], std=0.5))


def test_several_expectations_share_the_panels():
    one, two = expectations(lambda x: (x, x * x), 2.0, 3.0, exact=True)
    assert abs(one.value - 2) <= one.error
    assert abs(two.value - 13) <= two.error
    (fixed,) = expectations(lambda x: (x * x,), 3.0, 0.0)
    assert fixed.value == 9


def test_default_table_needs_neither_paddle_nor_scipy():
    script = (
        "import sys; from paddle_init.activations.gains import gain_table; gain_table();"
        "print([m for m in ('paddle', 'scipy', 'matplotlib', 'numba') if m in sys.modules])"
    )
    done = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, check=True
    )
    assert done.stdout.strip() == "[]"
