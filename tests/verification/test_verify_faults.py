"""Planted faults, each found and named by verify, with a seed and without."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from support.faults import ABACUS, FAULTS, MT, TOWER, Arrays, Fault, codes, seeded

from paddle_init.frameworks.sampling import sample
from paddle_init.schemes import constant, normal, truncated_normal
from paddle_init.specs import Draw, NetSpec, RowBlock, Seeding, Tensor
from paddle_init.verification import Verdict, verify

EDITS = (
    ("rows", lambda a: a[::-1], "permuted", "whole rows were moved"),
    ("columns", lambda a: a[:, np.random.default_rng(1).permutation(128)], "permuted", "columns"),
    ("all", lambda a: a.reshape(-1)[::-1].reshape(a.shape), "permuted", "shuffled"),
    ("a row", lambda a: _written(a, 3, 0.0), "overwritten", "in row 3, was changed after, to 0"),
    ("rows", lambda a: _written(a, slice(3, 7), 0.5), "overwritten", "in rows [3, 7), was"),
    ("apart", lambda a: _written(a, [3, 9], 0.5), "overwritten", "in 2 rows from 3 on"),
    ("nan", lambda a: _written(a, (3, 4), np.nan), "overwritten", "1 of it NaN or infinite"),
    ("mean", lambda a: a + np.float32(0.05), "mean", "0.05 from its own draw"),
    ("sign", lambda a: -a, "scale", "-1 times"),
    ("twice", lambda a: 2 * a, "scale", "2 times"),
    ("flat", lambda a: a.reshape(-1), "shape", "but for the shape"),
    ("big-endian", lambda a: a.astype(">f4").astype(">f8"), "dtype", "float64"),
    ("trained", lambda a: a - 1e-3 * _noise(a), "moved", "as training does"),
)


def _written(array: NDArray[Any], where: Any, value: float) -> NDArray[Any]:
    changed = array.copy()
    changed[where] = value
    return changed


def _noise(array: NDArray[Any]) -> NDArray[Any]:
    return np.random.default_rng(2).standard_normal(array.shape, np.float32)


@pytest.mark.parametrize(("name", "edit", "code", "says"), EDITS, ids=[row[0] for row in EDITS])
def test_an_edit_of_one_parameter_is_named(
    name: str, edit: Callable[[NDArray[Any]], NDArray[Any]], code: str, says: str
) -> None:
    arrays = sample(TOWER)
    made = verify(arrays | {"w1": edit(arrays["w1"])}, TOWER)
    assert [p.name for p in made.parameters if p.verdict is Verdict.DIFFERS] == ["w1"]
    assert codes(made, "w1") == [code]
    assert says in made.findings[0].message


@pytest.mark.parametrize("fault", FAULTS, ids=lambda f: f"{f.spec.framework} {f.name}")
def test_a_planted_fault_is_named(fault: Fault) -> None:
    made = verify(fault.plant(fault.spec), fault.spec)
    assert not made.passed
    for name in fault.parameters:
        assert fault.code in codes(made, name), (name, made.findings)
    for parameter in made.parameters:
        named = codes(made, parameter.name)
        assert (parameter.verdict is Verdict.DIFFERS) == bool(named), (parameter.name, named)
        assert parameter.bits is None or parameter.bits.differing or not named
    assert any(fault.says in notice.message for notice in made.findings)


@pytest.mark.parametrize("spec", [ABACUS, TOWER, MT, seeded(TOWER, op_seed=7)])
def test_what_is_right_passes(spec: NetSpec) -> None:
    made = verify(sample(spec), spec)
    assert made.passed
    assert {parameter.verdict for parameter in made.parameters} == {Verdict.IDENTICAL}


def test_a_std_narrowed_to_float32_in_a_float64_parameter() -> None:
    draw = Draw("w", (64, 32), normal(0, 0.13))
    tensor = Tensor("w", "weight", (64, 32), (RowBlock("w", 0, 64),), "float64")
    spec = NetSpec("paddle", (draw,), (tensor,), Seeding("mt19937_64", seed=1))
    right = sample(spec)["w"]
    made = verify({"w": right / float(np.float32(0.13)) * 0.13}, spec)
    assert codes(made, "w") == ["std-narrowed"]
    assert "0.12999999523162842" in made.findings[0].message


def found_in(spec: NetSpec, weights: Arrays) -> set[tuple[str, str | None]]:
    return {(each.code, each.parameter) for each in verify(weights, spec).findings}


@pytest.mark.parametrize("spec", [ABACUS, TOWER])
def test_one_value_that_another_rounding_moves_is_no_other_mean(spec: NetSpec) -> None:
    weights = sample(spec)
    name = next(iter(weights))
    flat = weights[name].reshape(-1)
    flat[9] = np.nextafter(flat[9], np.float32(1))
    (only,) = verify(weights, spec).findings
    assert (only.code, only.parameter) == ("rounding", name)
    assert only.message.startswith(f"1 of {flat.size} values differ from the drawn ones, by at")


def test_a_minus_zero_is_no_default() -> None:
    spec = NetSpec("paddle", (Draw("w", (9, 4), normal(0, 1)), Draw("b", (4,), constant(0))))
    weights = sample(spec, seed=1)
    weights["b"] = -weights["b"]
    (only,) = verify(weights, spec, seed=1).findings
    assert only.message == "every value is -0"


@pytest.mark.parametrize("dtype", [np.float64, np.float16])
def test_a_bias_of_another_dtype_is_in_no_other_order(dtype: Any) -> None:
    """A matrix of one row is the same in both orders."""
    weights = {name: values.astype(dtype) for name, values in sample(ABACUS).items()}
    assert {code for code, _ in found_in(ABACUS, weights)} == {"dtype"}


def test_another_shape_is_not_told_as_two_orders() -> None:
    weights = sample(ABACUS)
    name, values = next((n, v) for n, v in weights.items() if v.ndim == 2 and v.shape[0] % 2 == 0)
    weights[name] = values.reshape(values.shape[0] // 2, -1)
    assert found_in(ABACUS, weights) == {("shape", name)}


@pytest.mark.parametrize(
    ("clamped", "verdict"), [(0, Verdict.FOLLOWS), (1, Verdict.FOLLOWS), (4, Verdict.DIFFERS)]
)
@pytest.mark.parametrize("std", [0.02, 0.19])
def test_a_value_at_a_far_cutoff_is_no_fault(std: float, clamped: int, verdict: Verdict) -> None:
    """Paddle clamps what the smallest uniforms give, one value in 2**25, to -2."""
    spec = NetSpec("paddle", (Draw("w", (500, 40), truncated_normal(0, std)),))
    weights = sample(spec, seed=1)
    weights["w"].reshape(-1)[:clamped] = -2
    (only,) = verify(weights, spec).parameters
    assert only.verdict is verdict
