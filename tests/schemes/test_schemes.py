"""Schemes: shape -> distribution, with the frameworks' own doubles."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from paddle_init import schemes
from paddle_init.distributions import (
    Constant,
    Normal,
    TruncatedNormal,
    Uniform,
    Unknown,
    narrowed,
)
from paddle_init.errors import SchemeError

SHAPE = (300, 128)


@pytest.mark.parametrize("rown", [1, 2, 3, 16, 300, 1025, 4096, 2**31 - 1])
@pytest.mark.parametrize("init_range", [1.0, 0.3, 1e-5, 7.0])
def test_abacus_computes_in_double_in_the_order_of_the_code(rown: int, init_range: float) -> None:
    scheme = schemes.abacus(init_range, 0.2, True)
    assert scheme((rown, 7)) == Normal(0.0, init_range * 0.2 / math.sqrt(rown))
    plain = schemes.abacus(init_range, 0.2, False)
    assert plain((rown, 7)) == Normal(0.0, init_range * 0.2)


@pytest.mark.parametrize("rown", [1, 3, 300, 16777217])
def test_the_float32_dialect_rounds_every_step(rown: int) -> None:
    one, two, root = np.float32(0.3), np.float32(0.2), np.sqrt(np.float32(rown))
    expected = float(np.float32(np.float32(one * two) / root))
    assert schemes.abacus(0.3, 0.2, True)((rown, 7), "float32") == Normal(0.0, expected)


def test_the_towers_rule_uses_the_power_of_python() -> None:
    for fan_in in range(1, 3000):
        assert schemes.paddle_fc(0.2)((fan_in, 5)) == Normal(0.0, 0.2 / (fan_in**0.5))
    assert schemes.paddle_fc(0.2, fan_in=300)((128,)) == Normal(0.0, 0.2 / 300**0.5)


M, N = SHAPE
NAMED = [
    (schemes.xavier_normal(), Normal(0.0, math.sqrt(2.0 / (M + N)))),
    (schemes.xavier_normal(mode="fan_geo_avg"), Normal(0.0, math.sqrt(1.0 / math.sqrt(M * N)))),
    (
        schemes.xavier_normal(mode="fan_quad_avg"),
        Normal(0.0, math.sqrt(1.0 / ((M * M + N * N) / (M + N)))),
    ),
    (schemes.he_normal(), Normal(0.0, math.sqrt(2.0) / math.sqrt(M))),
    (schemes.he_normal(mode="fan_out"), Normal(0.0, math.sqrt(2.0) / math.sqrt(N))),
    (schemes.lecun_normal(), Normal(0.0, 1 / math.sqrt(M))),
]
UNIFORM = [
    (schemes.xavier_uniform(), math.sqrt(6.0 / (M + N))),
    (schemes.xavier_uniform(5 / 3), 5 / 3 * math.sqrt(6.0 / (M + N))),
    (schemes.he_uniform(), math.sqrt(2.0) * math.sqrt(3.0 / M)),
    (schemes.he_uniform(math.sqrt(5)), math.sqrt(2 / (1 + 5.000000000000001)) * math.sqrt(3.0 / M)),
    (schemes.lecun_uniform(), math.sqrt(3.0 / M)),
]


@pytest.mark.parametrize(("scheme", "expected"), NAMED, ids=str)
def test_named_normals_are_calls_of_the_general_rule(
    scheme: schemes.Scheme, expected: Normal
) -> None:
    assert isinstance(scheme, schemes.VarianceScaling)
    assert scheme(SHAPE) == expected


@pytest.mark.parametrize(("scheme", "bound"), UNIFORM, ids=str)
def test_named_uniforms_give_their_bounds(scheme: schemes.Scheme, bound: float) -> None:
    assert scheme(SHAPE) == Uniform(-bound, bound)


def test_a_kernels_fans_count_its_receptive_field() -> None:
    assert schemes.fans("test", (64, 3, 5, 5)) == (75, 1600)


def test_the_quadratic_average_minimizes_the_two_errors() -> None:
    best = 1 / schemes.fan("fan_quad_avg", M, N)

    def error(t: float) -> float:
        return (M * t - 1) ** 2 + (N * t - 1) ** 2

    assert error(best) < min(error(best * (1 + 1e-6)), error(best * (1 - 1e-6)))


def test_truncation_keeps_the_stated_variance() -> None:
    scheme = schemes.variance_scaling(1.0, "fan_in", "truncated_normal")
    drawn = scheme(SHAPE)
    assert isinstance(drawn, TruncatedNormal)
    assert drawn.high == -drawn.low == 2 * drawn.std
    # variance of N(0, 1) within (-2, 2): 1 - 4 pdf(2) / (2 cdf(2) - 1)
    density = math.exp(-2) / math.sqrt(2 * math.pi)
    variance = 1 - 4 * density / math.erf(math.sqrt(2))
    assert drawn.std * math.sqrt(variance) == pytest.approx(1 / math.sqrt(M), rel=1e-15)


FORMULAS = [
    (
        schemes.abacus(1, 0.2, True),
        "std = init_range * global_init_range / sqrt(rown) = 1 * 0.2 / sqrt(300) = "
        "0.011547005383792514",
    ),
    (schemes.abacus(0.5, 0.2, False), "std = init_range * global_init_range = 0.5 * 0.2 = 0.1"),
    (
        schemes.paddle_fc(0.2),
        "std = init_range / fan_in ** 0.5 = 0.2 / 300 ** 0.5 = 0.011547005383792514",
    ),
    (schemes.constant(1), "Constant(1)"),
    (
        schemes.lecun_uniform(),
        "bound = gain * sqrt(3 / fan_in) = 1 * sqrt(3 / 300) = 0.1",
    ),
]


@pytest.mark.parametrize(("scheme", "text"), FORMULAS, ids=lambda value: str(value)[:30])
def test_formulas_have_the_numbers_put_in(scheme: schemes.Scheme, text: str) -> None:
    assert scheme.formula(SHAPE) == text


BAD = [
    (lambda: schemes.abacus(-1, 0.2, True), "init_range must be finite and 0 or more, got -1"),
    (lambda: schemes.abacus(1, math.nan, True), "global_init_range must be finite"),
    (lambda: schemes.abacus(1, 0.2, "no"), "scale_by_rown must be True or False, got 'no'"),
    (lambda: schemes.abacus(1, 0.2, True)((128,)), "a bias of n values is [1, n]"),
    (lambda: schemes.abacus(1, 0.2, True)((0, 128)), "rown must be an integer of at least 1"),
    (lambda: schemes.abacus(1e200, 1e200, True)((2, 2)), "overflows float64"),
    (lambda: schemes.abacus(1e30, 1e30, True)((2, 2), "float32"), "overflows float32"),
    (lambda: schemes.paddle_fc(0.2)((128,)), "does not say its fan_in"),
    (lambda: schemes.he_normal()((128,)), "does not say its fan_in"),
    (lambda: schemes.he_normal()((0, 128)), "fan_in must be an integer of at least 1"),
    (lambda: schemes.variance_scaling(1, "fan_max"), "mode must be one of fan_in, fan_out"),
    (lambda: schemes.variance_scaling(1, "fan_in", "cauchy"), "distribution must be one of"),
    (lambda: schemes.normal(0, -1), "std must be 0 or more, got -1"),
    (lambda: schemes.normal(0, math.inf), "std must be finite, got inf"),
    (lambda: schemes.uniform(1, -1), "low must be at most high"),
    (lambda: schemes.truncated_normal(0, 1, 2, 2), "low must be below high"),
    (lambda: schemes.constant(True), "value must be a number, got True"),
    (lambda: schemes.constant(1j), "value must be a number, got 1j"),
    (lambda: schemes.constant(10**400), "Constant: value overflows float64"),
    (lambda: schemes.abacus(10**400, 0.2, True), "abacus: init_range overflows float64"),
    (lambda: schemes.he_normal(1e200), "the square of negative_slope 1e+200 overflows float64"),
    (lambda: schemes.he_normal()((10**400, 2)), "a dimension must be below 2**63"),
    (lambda: schemes.he_normal()((-(10**400), 2)), "a dimension must be an integer of at least 0"),
    (lambda: schemes.he_normal()((2, 2**62, 2)), "fan_in must be below 2**63"),
    (lambda: schemes.paddle_fc(0.2, 10**400), "fan_in must be below 2**63"),
    (lambda: schemes.he_normal()(5), "a shape is a list of integers, such as [300, 128], got 5"),
    (lambda: schemes.abacus(1, 0.2, True)("ab"), "a shape is a list of integers"),
    (
        lambda: schemes.variance_scaling(1.7e308, distribution="truncated_normal")((1, 1)),
        "the cutoff of gain 1.7e+308 overflows float64",
    ),
    (
        lambda: schemes.xavier_uniform(1.7e308)((1, 1)),
        "the bound of gain 1.7e+308 overflows float64",
    ),
]


@pytest.mark.parametrize(("build", "message"), BAD, ids=[message for _, message in BAD])
def test_numbers_that_cannot_be_are_refused(build: object, message: str) -> None:
    with pytest.raises(SchemeError) as caught:
        build()  # type: ignore[operator]
    assert message in str(caught.value)


ANY = {
    float: st.floats(allow_nan=False, allow_infinity=False) | st.integers(),
    int: st.integers(),
    bool: st.booleans(),
    tuple: st.lists(st.floats(allow_nan=False, allow_infinity=False), max_size=9),
    np.uint64: st.none() | st.integers(),
    str: st.sampled_from([*schemes.MODES, "normal", "uniform", "truncated_normal"]),
}
SIZES = st.integers(0, 9) | st.integers() | st.integers(2**62, 2**2000)


@given(st.data())
@settings(max_examples=300, derandomize=True)
@pytest.mark.filterwarnings("error")
def test_every_kind_ends_in_numbers_or_in_a_refusal(data: st.DataObject) -> None:
    kind = schemes.KINDS[data.draw(st.sampled_from(sorted(schemes.KINDS)))]
    keys = {**kind.required}
    keys |= {key: type_ for key, type_ in kind.optional.items() if data.draw(st.booleans())}
    fields = {key: data.draw(ANY[type_], key) for key, type_ in keys.items()}
    if "distribution" in fields:
        fields["distribution"] = data.draw(st.sampled_from(["uniform", "truncated_normal"]))
    if "mode" in keys:
        fields["mode"] = data.draw(st.sampled_from(list(schemes.MODES)))
    if "activation" in keys:
        fields["activation"] = data.draw(st.sampled_from(["relu", "tanh8", "softplus", "elu(2)"]))
    shape = tuple(data.draw(st.lists(SIZES, max_size=5), "shape"))
    arithmetic: Any = data.draw(st.sampled_from(["float64", "float32"]))
    try:
        scheme = kind.make(**fields)
        drawn = scheme(shape, arithmetic)
        said = scheme.formula(shape, arithmetic)
    except SchemeError:
        return
    for one in (drawn, narrowed(drawn, "float32")):
        numbers = [v for v in vars(one).values() if not isinstance(v, (str, type(None)))]
        assert all(np.isfinite(v).all() for v in numbers)
    assert "inf" not in said
    assert "nan" not in said


@pytest.mark.parametrize("gain", [0, 5e-324])
@pytest.mark.parametrize("distribution", schemes.variance.FORMS)
def test_a_gain_that_comes_to_0_draws_0(gain: float, distribution: schemes.variance.Form) -> None:
    scheme = schemes.variance_scaling(gain, "fan_in", distribution)
    drawn = scheme(SHAPE)
    assert drawn == (Uniform(0, 0) if distribution == "uniform" else Normal(0, 0))
    assert scheme.formula(SHAPE).endswith(" = 0")


def test_cutoffs_that_meet_in_float32_leave_nothing_to_draw() -> None:
    drawn = schemes.variance_scaling(1e-45, distribution="truncated_normal")(SHAPE)
    assert isinstance(drawn, TruncatedNormal)
    assert isinstance(narrowed(drawn, "float32"), Unknown)
    assert narrowed(drawn, "float64") == drawn


def test_a_constant_has_a_mean_and_no_spread() -> None:
    assert (Constant(1).mean, Constant(1).std) == (1.0, 0.0)
