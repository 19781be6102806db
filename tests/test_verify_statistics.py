"""How often verify, without a seed, fails nets that are right: never more than it states."""

from __future__ import annotations

import math
from dataclasses import replace

import pytest

from paddle_init.sampling import sample
from paddle_init.schemes import (
    abacus,
    constant,
    normal,
    paddle_fc,
    truncated_normal,
    uniform,
    xavier_uniform,
)
from paddle_init.specs import Draw, NetSpec, RowBlock, Seeding, Tensor
from paddle_init.verification import verify

ALPHA = 0.05


def whole(name: str, shape: tuple[int, ...], dtype: str = "float32") -> Tensor:
    role = "bias" if len(shape) == 1 else "weight"
    return Tensor(name, role, shape, (RowBlock(name, 0, shape[0]),), dtype)


PADDLE = NetSpec(
    "paddle",
    (
        Draw("w1", (40, 30), paddle_fc(0.2)),
        Draw("b1", (30,), paddle_fc(0.2, 40)),
        Draw("w2", (30, 20), xavier_uniform()),
        Draw("b2", (20,), constant(0)),
        Draw("w3", (20, 10), truncated_normal(0, 0.1, -0.2, 0.2)),
        Draw("w4", (10, 1), normal(0.3, 0.01)),
        Draw("w5", (16, 16), normal(0, 0.02)),
        Draw("w6", (16, 16), uniform(-0.5, 0.1)),
    ),
    (
        whole("w1", (40, 30)),
        whole("b1", (30,)),
        whole("w2", (30, 20)),
        whole("b2", (20,)),
        whole("w3", (20, 10)),
        whole("w4", (10, 1)),
        whole("w5", (16, 16), "float16"),
        whole("w6", (16, 16), "bfloat16"),
    ),
)
ABACUS = NetSpec(
    "abacus",
    (
        Draw("w1", (41, 30), abacus(1, 0.2, True)),
        Draw("b1", (1, 30), abacus(1, 0.2, True)),
        Draw("w2", (31, 1), abacus(1, 0.2, True)),
    ),
)


def rates(spec: NetSpec, engine: str, nets: int) -> tuple[int, int]:
    """Return how many of so many right nets fail at ALPHA, and how many at 1e-6."""
    often = seldom = 0
    for seed in range(nets):
        arrays = sample(replace(spec, stream=Seeding(engine, seed=7919 * seed + 1)))
        made = verify(arrays, spec, alpha=ALPHA)
        least = min(check.p_value for each in made.parameters for check in each.checks)
        often += not made.passed
        seldom += least < 1e-6 / made.tests
    return often, seldom


def most(nets: int) -> float:
    """What fewer than one run in 10,000 exceeds, were the rate ALPHA: 3.72 standard errors."""
    return ALPHA * nets + 3.72 * math.sqrt(ALPHA * (1 - ALPHA) * nets)


def in_dtype(dtype: str) -> NetSpec:
    """Laws that a half type holds finely and coarsely, some of them twice."""
    schemes = (
        *(paddle_fc(0.2), xavier_uniform(), normal(0, 0.02), uniform(-0.5, 0.1), normal(0.3, 0.01)),
        *(normal(1, 0.002), normal(1, 0.002), normal(1, 0.02), normal(1, 0.02), normal(100, 0.02)),
        *(normal(0, 3e-8), normal(0, 1e-7), normal(0, 1e-7), uniform(1, 1.01), uniform(1, 1.01)),
    )
    draws = tuple(Draw(f"p{i}", (16, 16), scheme) for i, scheme in enumerate(schemes))
    return NetSpec("paddle", draws, tuple(whole(d.name, d.shape, dtype) for d in draws))


CASES = [
    pytest.param(PADDLE, "mt19937_64", id="paddle"),
    pytest.param(ABACUS, "minstd_rand0", id="abacus"),
    *(
        pytest.param(
            in_dtype(dtype),
            "mt19937_64",
            id=dtype,
            marks=[pytest.mark.paddle_3] if "16" in dtype else [],
        )
        for dtype in ("float64", "float32", "float16", "bfloat16")
    ),
]


@pytest.mark.parametrize(("spec", "engine"), CASES)
def test_right_nets_pass(spec: NetSpec, engine: str) -> None:
    """150 nets with fixed seeds; false-failure probability of the test below 1e-4."""
    often, seldom = rates(spec, engine, 150)
    assert often <= most(150)
    assert seldom == 0


@pytest.mark.slow
@pytest.mark.parametrize(("spec", "engine"), CASES)
def test_ten_thousand_right_nets(spec: NetSpec, engine: str) -> None:
    """10,000 nets with fixed seeds; some minutes each.

    Observed: at 0.05, 180 of Paddle's and 309 of abacus's fail (1.8 and 3.1 %); at 1e-6, none.
    """
    often, seldom = rates(spec, engine, 10_000)
    assert often <= most(10_000)
    assert seldom == 0
    assert often > 0, "the tests are never near their level: they could not fail"
