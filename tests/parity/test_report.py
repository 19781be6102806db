"""Levels: how far apart two sides are, parameter by parameter."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest
from support.parity_specs import ABACUS, FLAT, RANK, one_weight, whole

from paddle_init.distributions import Unknown
from paddle_init.dtypes import stored
from paddle_init.errors import SchemeError, SpecError
from paddle_init.parity.building import counterpart, report
from paddle_init.parity.records import Comparison, Drawn, Level
from paddle_init.schemes import (
    Fixed,
    Scheme,
    abacus,
    constant,
    normal,
    paddle_fc,
    truncated_normal,
    uniform,
    xavier_uniform,
)
from paddle_init.specs import Draw, NetSpec, RowBlock, Seeding, Tensor

UP = np.nextafter(np.float32(0.1), np.float32(1))
"""The float32 after 0.1's."""


def compare(
    left: Scheme,
    right: Scheme,
    frameworks: tuple[str, str] = ("paddle", "paddle"),
    dtypes: tuple[str, str] = ("float32", "float32"),
) -> Comparison:
    one, other = (
        one_weight(scheme, framework, dtype)
        for scheme, framework, dtype in zip((left, right), frameworks, dtypes, strict=True)
    )
    (found,) = report(one, other).parameters
    return found


def test_levels_are_ordered_from_none_to_worst() -> None:
    names = ["identical", "rounding", "stream", "scale", "distribution", "structure"]
    assert [str(level) for level in sorted({*Level})] == names
    assert max(Level.SCALE, Level.STREAM) is Level.SCALE


@pytest.mark.parametrize(
    ("left", "right", "level", "ratio"),
    [
        (normal(0, 0.1), normal(0, 0.1), Level.STREAM, 1.0),
        (ABACUS, paddle_fc(0.2), Level.STREAM, 1.0),
        # Other doubles, the same float32.
        (normal(0, 0.1), normal(0, float(np.float32(0.1))), Level.STREAM, 1.0000000149011612),
        # The next float32 is within eps: rounding of the scale, no other rule.
        (normal(0, 0.1), normal(0, float(UP)), Level.STREAM, float(UP) / 0.1),
        (normal(0, 0.1), normal(0, 0.1 * (1 + 2**-21)), Level.SCALE, 1 + 2**-21),
        (normal(0, 0.1), normal(0, 0.2), Level.SCALE, 2.0),
        (normal(0, 0.1), normal(1, 0.1), Level.SCALE, 1.0),
        (normal(0, 0.1), normal(1e-30, 0.1), Level.SCALE, 1.0),
        (uniform(-1, 1), uniform(-1, 1), Level.STREAM, 1.0),
        (uniform(-1, 1), uniform(-1, 2), Level.SCALE, 1.5),
        (normal(0, 0.1), truncated_normal(0, 0.1), Level.DISTRIBUTION, 1.0),
        (normal(0, 0.1), uniform(-0.1, 0.1), Level.DISTRIBUTION, 0.2 / math.sqrt(12) / 0.1),
        (constant(1), normal(0, 0.1), Level.DISTRIBUTION, None),
        (normal(0, 0.1), constant(1), Level.DISTRIBUTION, 0.0),
        (constant(1), constant(1), Level.IDENTICAL, None),
        (constant(0.1), constant(float(np.float32(0.1))), Level.IDENTICAL, None),
        (constant(0.1), constant(float(UP)), Level.ROUNDING, None),
        (constant(0.0), constant(-0.0), Level.ROUNDING, None),
        (constant(1), constant(2), Level.SCALE, None),
        (normal(0, 0.1), Fixed(Unknown("a user's own")), Level.DISTRIBUTION, None),
        (Fixed(Unknown("a")), Fixed(Unknown("a")), Level.DISTRIBUTION, None),
        (normal(0, 1e39), normal(0, 1e39), Level.DISTRIBUTION, 1.0),
        (normal(0, 5e-324), normal(0, 1.0), Level.SCALE, None),
    ],
)
def test_level_of_two_distributions(
    left: Scheme, right: Scheme, level: Level, ratio: float | None
) -> None:
    found = compare(left, right)
    assert found.level is level
    if ratio is None or found.std_ratio is None:
        assert found.std_ratio is ratio
    else:  # a uniform's std is rounded twice before the division
        assert abs(found.std_ratio - ratio) <= 3 * math.ulp(ratio)
    assert found.max_ulp is found.differing is None


@pytest.mark.parametrize(
    ("left", "right", "frameworks", "level"),
    [
        # Paddle computes z * 0 + 0, which is +0; abacus z * 0, which keeps the sign of z.
        (normal(0, 0), constant(0), ("paddle", "paddle"), Level.IDENTICAL),
        (normal(0, 0), normal(0, 0), ("paddle", "paddle"), Level.IDENTICAL),
        (abacus(0, 0.2, True), constant(0), ("abacus", "paddle"), Level.ROUNDING),
        (abacus(0, 0.2, True), paddle_fc(0), ("abacus", "paddle"), Level.ROUNDING),
        # A scale below the smallest float32 is a scale of 0.
        (abacus(1e-60, 0.2, True), constant(0), ("abacus", "paddle"), Level.ROUNDING),
        (normal(0, 1e-60), constant(0), ("paddle", "paddle"), Level.IDENTICAL),
        (normal(0.5, 0), constant(0.5), ("paddle", "paddle"), Level.IDENTICAL),
        (uniform(0.5, 0.5), constant(0.5), ("paddle", "paddle"), Level.IDENTICAL),
        (abacus(0, 0.2, True), paddle_fc(0.2), ("abacus", "paddle"), Level.SCALE),
        (normal(0, 0), constant(1), ("paddle", "paddle"), Level.DISTRIBUTION),
        # Paddle 3.3 fills a truncated normal of std 0 with NaN.
        (truncated_normal(0, 0), constant(0), ("paddle", "paddle"), Level.DISTRIBUTION),
    ],
)
def test_level_where_nothing_is_left_to_chance(
    left: Scheme, right: Scheme, frameworks: tuple[str, str], level: Level
) -> None:
    assert compare(left, right, frameworks).level is level


NARROW = float(np.float32(0.13))


@pytest.mark.parametrize(
    ("left", "right", "frameworks", "dtypes", "level"),
    [
        # Paddle's kernel takes a float32 std for float64 tensors too; abacus multiplies doubles.
        (normal(0, 0.13), normal(0, 0.13), ("abacus", "paddle"), "float64", Level.SCALE),
        (normal(0, NARROW), normal(0, 0.13), ("abacus", "paddle"), "float64", Level.STREAM),
        (normal(0, 0.13), normal(0, 0.13), ("abacus", "paddle"), "float32", Level.STREAM),
        (normal(0, NARROW), normal(0, 0.13), ("paddle", "paddle"), "float64", Level.STREAM),
        (uniform(0, NARROW), uniform(0, 0.13), ("paddle", "paddle"), "float64", Level.STREAM),
        # A constant is filled in the dtype itself.
        (constant(NARROW), constant(0.13), ("paddle", "paddle"), "float64", Level.SCALE),
        (constant(1), constant(1 + 2**-11), ("paddle", "paddle"), "float16", Level.IDENTICAL),
        (constant(1), constant(1 + 2**-10), ("paddle", "paddle"), "float16", Level.ROUNDING),
        (constant(1), constant(1 + 2**-8), ("paddle", "paddle"), "bfloat16", Level.IDENTICAL),
        (constant(1), constant(1 + 2**-6), ("paddle", "paddle"), "bfloat16", Level.SCALE),
        (constant(1e5), constant(1e5), ("paddle", "paddle"), "float16", Level.DISTRIBUTION),
        (normal(0, 0.1), normal(0, 0.1002), ("paddle", "paddle"), "bfloat16", Level.STREAM),
        (normal(0, 0.1), normal(0, 0.1002), ("paddle", "paddle"), "float32", Level.SCALE),
    ],
)
def test_level_in_a_dtype(
    left: Scheme, right: Scheme, frameworks: tuple[str, str], dtypes: str, level: Level
) -> None:
    assert compare(left, right, frameworks, (dtypes, dtypes)).level is level


@pytest.mark.parametrize(("dtype", "digits"), [("float32", 24), ("float16", 11), ("bfloat16", 8)])
def test_rounding_ends_at_the_eps_of_the_dtype(dtype: str, digits: int) -> None:
    eps = 2.0 ** (1 - digits)
    for factor, level in ((0.75, Level.STREAM), (1.6, Level.SCALE)):
        right = normal(0, 1 + factor * eps)
        assert compare(normal(0, 1), right, dtypes=(dtype, dtype)).level is level
        assert compare(right, normal(0, 1), dtypes=(dtype, dtype)).level is level


def test_two_dtypes_are_compared_in_the_coarser() -> None:
    narrow = compare(normal(0, 0.13), normal(0, NARROW), dtypes=("float64", "float32"))
    assert narrow.level is Level.STREAM
    for dtypes in (("float64", "float32"), ("float32", "float64")):
        doubles = compare(normal(0, 0.13), normal(0, 0.13), ("abacus", "paddle"), dtypes)
        assert doubles.level is Level.STREAM
    assert compare(constant(1), constant(1), dtypes=("float64", "float32")).level is Level.ROUNDING


@pytest.mark.parametrize("dtype", ["float64", "float32", "float16", "bfloat16"])
def test_constants_are_rounded_to_nearest_even(dtype: str) -> None:
    digits = {"float64": 53, "float32": 24, "float16": 11, "bfloat16": 8}[dtype]
    ulp = 2.0 ** (1 - digits)
    assert stored(1 + ulp, dtype) == 1 + ulp
    if dtype != "float64":
        assert stored(1 + ulp / 2, dtype) == 1
        assert stored(1 + 3 * ulp / 2, dtype) == 1 + 2 * ulp
        assert stored(1e300, dtype) == math.inf
    assert stored(-1 / 3, dtype) == -stored(1 / 3, dtype)


def test_a_net_against_the_rule_of_the_towers() -> None:
    found = {
        item.name: (item.level, item.std_ratio, item.shape, item.role)
        for item in report(RANK).parameters
    }
    weight, bias = 0.2 / math.sqrt(300), 0.2
    folded = (0.2 / 128**0.5) / (0.2 / math.sqrt(129))
    assert found == {
        "fc1_w": (Level.STREAM, 1.0, (300, 128), "weight"),
        "fc1_b": (Level.SCALE, weight / bias, (128,), "bias"),
        "fc2_w": (Level.SCALE, folded, (128, 1), "weight"),
        "fc2_w.bias": (Level.SCALE, folded, (1,), "bias"),
    }


def test_the_towers_give_a_bias_the_fan_in_of_its_weight() -> None:
    right = counterpart(RANK, 0.3)
    stds = {tensor.name: right.distribution(tensor).std for tensor in right.tensors}
    first, second = 0.3 / 300**0.5, 0.3 / 128**0.5
    assert stds == {"fc1_w": first, "fc1_b": first, "fc2_w": second, "fc2_w.bias": second}
    assert right.framework == "paddle"
    assert [tensor.shape for tensor in right.tensors] == [tensor.shape for tensor in RANK.tensors]


def test_a_bias_without_a_weight_has_no_rule() -> None:
    draw = Draw("b", (1, 8), ABACUS)
    (found,) = report(NetSpec("abacus", (draw,), (whole(draw, "bias", (8,)),))).parameters
    assert found.level is Level.DISTRIBUTION
    assert found.right is not None
    assert found.right.distribution == "unknown"
    assert "fan_in of this bias's weight" in found.explanation


@pytest.mark.parametrize("init_range", [-1.0, math.inf, math.nan])
def test_init_range_is_checked(init_range: float) -> None:
    with pytest.raises(SchemeError, match="init_range must be finite and 0 or more"):
        report(RANK, init_range=init_range)


def blocks(*rows: tuple[int, Scheme]) -> NetSpec:
    """A 300 x 8 weight of several draws under each other."""
    draws = tuple(Draw(f"w{i}", (count, 8), scheme) for i, (count, scheme) in enumerate(rows))
    parts = tuple(RowBlock(draw.name, 0, draw.shape[0]) for draw in draws)
    return NetSpec("abacus", draws, (Tensor("w0", "weight", (300, 8), parts),))


@pytest.mark.parametrize(
    ("left", "right", "level"),
    [
        (blocks((100, normal(0, 1)), (200, normal(0, 2))), None, Level.SCALE),
        (
            blocks((100, normal(0, 1)), (200, normal(0, 2))),
            blocks((100, normal(0, 1)), (200, normal(0, 2))),
            Level.STREAM,
        ),
        (
            blocks((100, normal(0, 1)), (200, normal(0, 2))),
            blocks((101, normal(0, 1)), (199, normal(0, 2))),
            Level.SCALE,
        ),
        (
            blocks((100, normal(0, 1)), (200, constant(2))),
            blocks((100, normal(0, 1)), (200, normal(0, 2))),
            Level.DISTRIBUTION,
        ),
        (
            blocks((300, normal(0, 1))),
            blocks((100, normal(0, 1)), (200, normal(0, 2))),
            Level.SCALE,
        ),
        # Two draws of one distribution are one distribution.
        (
            blocks((100, normal(0, 1)), (200, normal(0, 1))),
            blocks((300, normal(0, 1))),
            Level.STREAM,
        ),
        (
            blocks((150, constant(1)), (150, constant(1))),
            blocks((10, constant(1)), (290, constant(1))),
            Level.IDENTICAL,
        ),
    ],
)
def test_a_blockwise_tensor_has_the_level_of_its_worst_rows(
    left: NetSpec, right: NetSpec | None, level: Level
) -> None:
    (found,) = report(left, right).parameters
    assert found.level is level


def test_blocks_are_recorded_row_by_row() -> None:
    (found,) = report(blocks((100, normal(0, 1)), (200, constant(2)))).parameters
    left = found.left
    assert left is not None
    assert (left.distribution, left.mean, left.std, found.std_ratio) == ("blocks", None, None, None)
    assert left.blocks is not None
    assert [(part.rows, part.distribution, part.std) for part in left.blocks] == [
        ((0, 100), "normal", 1.0),
        ((100, 300), "constant", 0.0),
    ]


def test_a_parameter_without_partner_or_of_another_shape_is_structure() -> None:
    right = counterpart(RANK)
    draws = [Draw("fc1_w", (128, 300), normal(0, 1)), Draw("more", (3, 4), normal(0, 1))]
    other = NetSpec("paddle", (*draws, *right.draws[2:]))
    made = report(RANK, other)
    found = {item.name: item for item in made.parameters}
    assert list(found) == ["fc1_w", "fc1_b", "fc2_w", "fc2_w.bias", "more"]
    assert [str(item.level) for item in made.parameters] == [
        "structure",
        "structure",
        "scale",
        "scale",
        "structure",
    ]
    assert found["fc1_w"].shape == (300, 128)
    assert found["more"].shape == (3, 4)
    assert found["fc1_w"].left is found["fc1_w"].right is found["more"].right is None
    assert "transposed" in found["fc1_w"].explanation
    assert "Only Paddle has it" in found["more"].explanation
    assert made.worst is Level.STRUCTURE
    assert made.counts == {
        Level.IDENTICAL: 0,
        Level.ROUNDING: 0,
        Level.STREAM: 0,
        Level.SCALE: 2,
        Level.DISTRIBUTION: 0,
        Level.STRUCTURE: 3,
    }


def test_sides_hold_the_doubles_of_the_schemes() -> None:
    (weight, bias) = report(FLAT).parameters
    assert weight.left is not None
    assert weight.left.std == 0.2 / math.sqrt(300)
    assert weight.left.formula.endswith("= 1 * 0.2 / sqrt(300) = 0.011547005383792514")
    assert (weight.left.low, weight.left.blocks, weight.left.engine) == (None, None, "minstd_rand0")
    assert weight.right is not None
    assert weight.right.engine == "mt19937_64"
    assert bias.left is not None
    assert (bias.left.distribution, bias.left.mean, bias.left.engine) == ("constant", 1.0, None)
    spec = one_weight(xavier_uniform(), "paddle")
    (found,) = report(spec, spec).parameters
    bound = math.sqrt(3 / 214)
    assert found.left is not None
    assert (found.left.low, found.left.high, found.left.mean) == (-bound, bound, 0.0)


def test_the_engine_is_that_of_the_stream() -> None:
    spec = one_weight(ABACUS, stream=Seeding("mt19937", seed=7))
    (found,) = report(spec).parameters
    assert found.left is not None
    assert found.left.engine == "mt19937"


def test_arithmetic_is_followed() -> None:
    scheme = abacus(0.7, 0.3, True)
    single = one_weight(scheme, arithmetic="float32")
    (found,) = report(single, one_weight(scheme)).parameters
    narrow = float(np.float32(0.7) * np.float32(0.3) / np.sqrt(np.float32(300)))
    assert found.left is not None
    assert found.left.std == narrow
    assert found.level is Level.STREAM


def test_drawn_values_decide_where_the_distributions_are_equal() -> None:
    asked: list[str] = []

    def drawn(left: NetSpec, right: NetSpec, name: str) -> Drawn | None:
        asked.append(name)
        return Drawn(Level.ROUNDING, 1, 2048)

    weight, bias, *_ = report(RANK, drawn=drawn).parameters
    assert asked == ["fc1_w"]
    assert (weight.level, weight.max_ulp, weight.differing) == (Level.ROUNDING, 1, 2048)
    assert (bias.level, bias.max_ulp) == (Level.SCALE, None)


def test_empty_nets_are_identical() -> None:
    made = report(NetSpec("paddle", ()), NetSpec("abacus", ()))
    assert made.worst is Level.IDENTICAL
    assert not made.parameters


def test_a_tensor_without_elements_is_identical() -> None:
    spec = NetSpec("paddle", (Draw("w", (0, 8), normal(0, 1)),))
    (found,) = report(spec, spec).parameters
    assert (found.level, found.explanation) == (Level.IDENTICAL, "The tensor has no elements.")


def test_paths_are_read(tmp_path) -> None:  # type: ignore[no-untyped-def]
    from paddle_init import dump_spec

    path = tmp_path / "spec.yaml"
    path.write_text(dump_spec(RANK))
    assert report(str(path)).parameters == report(RANK).parameters
    assert report(path, path).worst is Level.STREAM
    with pytest.raises(SpecError, match=r"importing nets\.tower failed: ModuleNotFoundError"):
        report("nets.tower:build")


def test_a_tied_weight_is_said_to_be_shared_on_the_other_side() -> None:
    draws = tuple(Draw(name, (8, 4), normal(0, 1)) for name in ("a", "b"))
    apart = NetSpec("paddle", draws)
    shared = replace(apart.tensors[0], aliases=("b",))
    tied = NetSpec("paddle", draws[:1], (shared,))
    for sides, has, place in (((apart, tied), "left", "right"), ((tied, apart), "right", "left")):
        _, item = report(*sides).parameters
        assert (item.name, item.level) == ("b", Level.STRUCTURE)
        assert item.explanation.startswith(
            f"The {has} has it as a parameter of its own; on the {place} it is a, which several"
        )
        assert item.advice == "Share the parameter on both sides, or on neither."
