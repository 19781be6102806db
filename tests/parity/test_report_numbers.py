"""Numbers that float32 cannot hold, and rows that tensors leave out or share: what reports say."""

from __future__ import annotations

import math
import re
import warnings
from dataclasses import replace

import numpy as np
import pytest
from support.parity_specs import ABACUS, one_weight, whole

from paddle_init import param_attr, sample
from paddle_init.distributions import Unknown
from paddle_init.dtypes import LARGEST_NORMAL, share_of_infinities
from paddle_init.errors import Notice
from paddle_init.frameworks.paddle.nets.initializers import InitializerWarning
from paddle_init.parity.building import report
from paddle_init.parity.records import Level, Report
from paddle_init.schemes import (
    Fixed,
    Scheme,
    abacus,
    constant,
    normal,
    paddle_fc,
    truncated_normal,
    uniform,
)
from paddle_init.specs import Draw, NetSpec, RowBlock, Seeding, Tensor

HUGE = abacus(1e20, 1e20, False)
SEED = Seeding("minstd_rand0", seed=1)


def told(made: Report, code: str) -> list[Notice]:
    return [notice for notice in made.warnings if notice.code == code]


def test_a_std_beyond_float32_is_mostly_infinite_in_abacus() -> None:
    spec = one_weight(HUGE)
    (found,) = report(spec, spec).parameters
    assert (found.level, found.std_ratio, found.advice) == (Level.STREAM, 1.0, None)
    assert "97 % of the elements overflow float32 to inf on the left and on the right." in (
        found.explanation
    )
    (notice, _) = told(report(spec, spec), "overflow")
    assert notice.parameter == "w"
    assert notice.message == (
        "w is drawn with std 1e+40 on the left: 97 % of its elements overflow float32 to inf. "
        "Paddle has no such std."
    )


def test_the_share_of_infinities_is_what_abacus_draws() -> None:
    """Off by more than 6 standard errors of 38,400 draws once in 5e8 seeds; the seed is fixed."""
    for std in (1e40, 1e39, 2e38):
        spec = one_weight(normal(0, std), stream=SEED)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", RuntimeWarning)
            values = sample(spec)["w"]
        share = share_of_infinities(std, "float32")
        error = math.sqrt(share * (1 - share) / values.size)
        assert abs(np.isinf(values).mean() - share) < 6 * error
    assert share_of_infinities(1e40, "float64") == 0


@pytest.mark.parametrize("dtype", ["float32", "float16", "bfloat16"])
def test_no_share_where_no_draw_reaches(dtype: str) -> None:
    largest = {"float32": 3.4028234663852886e38, "float16": 65504.0, "bfloat16": 3.39e38}[dtype]
    assert share_of_infinities(largest / (LARGEST_NORMAL * 1.01), dtype) == 0
    assert 0 < share_of_infinities(largest / (LARGEST_NORMAL * 0.98), dtype) < 1e-14


def test_drawn_infinities_are_compared() -> None:
    spec = one_weight(HUGE, stream=SEED)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", RuntimeWarning)
        (found,) = report(spec, spec).parameters
    assert (found.level, found.differing) == (Level.IDENTICAL, 0)


def test_paddle_cannot_follow_beyond_float32() -> None:
    made = report(one_weight(HUGE), one_weight(normal(0, 1e40), "paddle"))
    (found,) = made.parameters
    assert found.level is Level.DISTRIBUTION
    assert "not known" not in found.explanation
    assert "Normal(mean 0, std 1e+40) is drawn in abacus; " in found.explanation
    assert "is out of Paddle's range (Normal: std overflows float32)" in found.explanation
    assert [notice.message for notice in told(made, "overflow")][1] == (
        "w is drawn with std 1e+40 in Paddle, beyond the largest float32, 3.40282e+38."
    )


def test_a_half_type_overflows_earlier() -> None:
    spec = one_weight(normal(0, 3e4), "paddle", "float16")
    (notice, _) = told(report(spec, spec), "overflow")
    assert "2.9 % of its elements overflow float16 to inf." in notice.message
    assert "Paddle has no such" not in notice.message


@pytest.mark.parametrize(
    ("scheme", "framework", "dtype", "told_of"),
    [
        (abacus(1e-60, 0.2, True), "abacus", "float32", True),
        (abacus(1e-40, 0.2, True), "abacus", "float32", False),
        (normal(0, 1e-50), "paddle", "float32", True),
        (normal(0, 1e-50), "paddle", "float64", True),  # Paddle takes a float32 std
        (normal(0, 1e-50), "abacus", "float64", False),
        (normal(0, 1e-9), "paddle", "float16", True),
        (normal(0, 1e-9), "paddle", "bfloat16", False),
        (normal(1, 1e-50), "paddle", "float32", False),
        (uniform(-1e-50, 1e-50), "paddle", "float32", True),
        (uniform(1, 2), "paddle", "float32", False),
        (truncated_normal(0, 1e-50, -1, 1), "paddle", "float32", True),
        (constant(1e-50), "paddle", "float32", False),
        (normal(0, 0), "paddle", "float32", False),
    ],
)
def test_a_spread_below_the_dtype_is_told(
    scheme: Scheme, framework: str, dtype: str, told_of: bool
) -> None:
    spec = one_weight(scheme, framework, dtype)
    assert bool(told(report(spec, spec), "underflow")) is told_of


def test_the_words_of_an_underflow() -> None:
    (notice,) = told(report(one_weight(abacus(1e-60, 0.2, False))), "underflow")
    assert notice.message == (
        "w is drawn with std 2e-61 in abacus, below the smallest float32, 1.4e-45: its elements "
        "round to 0 or to a few multiples of that."
    )


@pytest.mark.parametrize("dtype", ["float32", "float16", "bfloat16", "float64"])
@pytest.mark.parametrize(
    "scheme",
    [
        HUGE,
        normal(0, 1e40),
        normal(0, 1e-60),
        normal(0, 1e6),
        uniform(-3e38, 3e38),
        uniform(-1e-60, 1e-60),
        constant(1e39),
        constant(7e4),
        truncated_normal(5, 0, -1, 1),
        pytest.param(truncated_normal(0, 1e-60, -1, 1), marks=pytest.mark.paddle_3),
        Fixed(Unknown("a user's own")),
    ],
)
def test_no_advice_that_the_adapter_refuses(scheme: Scheme, dtype: str) -> None:
    (found,) = report(
        one_weight(scheme, "abacus", dtype), one_weight(paddle_fc(0.7), "paddle", dtype)
    ).parameters
    advice = found.advice or ""
    if "write initializer=" not in advice:
        assert advice == "" or advice.startswith("Paddle cannot be brought to draw this: ")
        with pytest.raises(ValueError, match=r"overflow|std 0|not known"):
            param_attr(scheme, [300, 128], dtype=dtype)
        return
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", InitializerWarning)
        param_attr(scheme, [300, 128], dtype=dtype)
    vanishing = {normal(0, 1e-60), uniform(-1e-60, 1e-60)}
    assert ("Constant(value=0.0)" in advice) is (scheme in vanishing)


def test_no_advice_for_rows_of_which_one_cannot_be_built() -> None:
    for scheme, said in ((HUGE, "cannot be brought"), (Fixed(Unknown("a")), None)):
        draws = Draw("a", (100, 8), ABACUS), Draw("b", (200, 8), scheme)
        rows = RowBlock("a", 0, 100), RowBlock("b", 0, 200)
        left = NetSpec("abacus", draws, (Tensor("w", "weight", (300, 8), rows),))
        right = NetSpec("paddle", (Draw("w", (300, 8), normal(0, 3)),))
        (found,) = report(left, right).parameters
        assert (said in found.advice) if said and found.advice else (found.advice is said)


W = Draw("w", (6, 2), ABACUS)


def holding(*blocks: tuple[str, int, int], draws: tuple[Draw, ...] = (W,)) -> NetSpec:
    """Tensors that each hold rows [start, stop) of w."""
    tensors = tuple(
        Tensor(name, "weight", (stop - start, 2), (RowBlock("w", start, stop),))
        for name, start, stop in blocks
    )
    return NetSpec("abacus", draws, tensors)


@pytest.mark.parametrize(
    ("blocks", "unused", "tied"),
    [
        ([("w", 0, 6)], None, None),
        ([("v", 0, 2), ("u", 2, 6)], None, None),
        ([("u", 2, 6), ("v", 0, 2)], None, None),
        ([("v", 0, 4)], "rows [4, 6)", None),
        ([("v", 1, 2), ("u", 4, 5)], "rows [0, 1), [2, 4), [5, 6)", None),
        ([("v", 0, 6), ("u", 0, 6)], None, "rows [0, 6)"),
        ([("v", 0, 4), ("u", 2, 6)], None, "rows [2, 4)"),
        ([("v", 0, 6), ("u", 1, 2), ("t", 3, 4)], None, "rows [1, 2), [3, 4)"),
        ([("v", 0, 3), ("u", 1, 2)], "rows [3, 6)", "rows [1, 2)"),
        ([("v", 0, 0), ("u", 0, 6)], None, None),
    ],
)
def test_rows_left_out_and_rows_held_twice_are_told(
    blocks: list[tuple[str, int, int]], unused: str | None, tied: str | None
) -> None:
    made = report(holding(*blocks))
    for code, spans in (("unused-rows", unused), ("tied-rows", tied)):
        found = told(made, code)
        assert len(found) == (spans is not None)
        for notice in found:
            assert notice.parameter == "w"
            assert spans is not None
            assert re.findall(r"rows( \[\d, \d\),?)+", notice.message)
            assert f"{spans} of w" in notice.message


def test_the_words_of_rows() -> None:
    made = report(holding(("v", 0, 4), ("u", 2, 5)))
    assert told(made, "unused-rows")[0].message == (
        "no tensor holds rows [5, 6) of w: they are drawn in abacus, and no parameter starts "
        "with them."
    )
    assert told(made, "tied-rows")[0].message == (
        "rows [2, 4) of w stand in v and u: their values are equal in abacus, but ParamAttrs draw "
        "every row of Paddle's parameters anew."
    )
    twice = RowBlock("w", 0, 3), RowBlock("w", 0, 3), RowBlock("w", 3, 6)
    spec = NetSpec("abacus", (W,), (Tensor("w", "weight", (9, 2), twice),))
    assert "rows [0, 3) of w stand in w twice" in told(report(spec), "tied-rows")[0].message


def test_a_draw_that_no_tensor_holds() -> None:
    more = Draw("more", (3, 4), normal(0, 1))
    spec = holding(("w", 0, 6), draws=(W, more))
    assert [notice.parameter for notice in told(report(spec), "unused-rows")] == ["more"]
    # A Paddle net draws for parameters that it no longer has.
    own = replace(spec, framework="paddle")
    assert not told(report(own, own), "unused-rows")


def test_a_bias_row_that_is_folded_is_no_tie() -> None:
    draw = Draw("w", (6, 2), ABACUS)
    weight = Tensor("w", "weight", (5, 2), (RowBlock("w", 0, 5),))
    bias = Tensor("w.bias", "bias", (2,), (RowBlock("w", 5, 6),))
    made = report(NetSpec("abacus", (draw,), (weight, bias)))
    assert not told(made, "tied-rows")
    assert not told(made, "unused-rows")
    assert not told(report(NetSpec("abacus", (draw,), (whole(draw),))), "unused-rows")
