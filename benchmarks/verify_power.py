"""What verify without a seed tells apart, and how often it fails right weights, for every dtype.

    python -m benchmarks.verify_power [NETS]

Prints the two tables of docs/verify_power.md. Values are `sample`'s own, with fixed seeds: other
runs print the same numbers.
"""

from __future__ import annotations

import math
import sys
from collections.abc import Callable
from dataclasses import replace
from functools import partial

from paddle_init.distributions import Normal, Simple, TruncatedNormal, Uniform
from paddle_init.frameworks.sampling import sample
from paddle_init.schemes import Fixed
from paddle_init.specs import Draw, NetSpec, RowBlock, Seeding, Tensor
from paddle_init.verification import Verdict, verify

__all__ = ["ALTERNATIVES", "LAWS", "failing_parameters", "false_alarms", "main", "net", "power"]

DTYPES = ("float64", "float32", "float16", "bfloat16")
# Among them laws whose values are few numbers of a half type, or of float32.
LAWS: tuple[tuple[str, Simple], ...] = (
    ("normal, mean 0, std 0.02", Normal(0, 0.02)),
    ("normal, mean 0, std 1e-7", Normal(0, 1e-7)),
    ("normal, mean 0, std 3e-8", Normal(0, 3e-8)),
    ("normal, mean 0.3, std 0.01", Normal(0.3, 0.01)),
    ("normal, mean 1, std 0.02", Normal(1, 0.02)),
    ("normal, mean 1, std 0.002", Normal(1, 0.002)),
    ("normal, mean 1, std 1e-7", Normal(1, 1e-7)),
    ("normal, mean 100, std 0.02", Normal(100, 0.02)),
    ("normal, mean -3, std 0.01", Normal(-3, 0.01)),
    ("uniform [-0.1, 0.1)", Uniform(-0.1, 0.1)),
    ("uniform [1, 1.01)", Uniform(1, 1.01)),
    ("uniform [-2, -1.99)", Uniform(-2, -1.99)),
    ("truncated normal, std 0.1, cut at 2 std", TruncatedNormal(0, 0.1, -0.2, 0.2)),
    ("truncated normal, mean 1, std 0.01, cut at 2 std", TruncatedNormal(1, 0.01, 0.98, 1.02)),
)
SHAPES = ((64,),) * 12 + ((40, 40),)
OFTEN, SELDOM = 0.05, 1e-6

# 11 parameters of 6 tests each.
PARAMETERS = 11
# A normal cut at 2 std has this share of its std before.
CUT = math.sqrt(1 - 4 * math.exp(-2) / math.sqrt(2 * math.pi) / math.erf(math.sqrt(2)))
ALTERNATIVES: tuple[tuple[str, int, Simple], ...] = (
    ("uniform of the same std", 250, Uniform(-math.sqrt(3), math.sqrt(3))),
    (
        "normal cut at 2 std, the same std after it",
        900,
        TruncatedNormal(0, 1 / CUT, -2 / CUT, 2 / CUT),
    ),
    ("std 5 % larger", 10_000, Normal(0, 1.05)),
    ("std 5 % smaller", 10_000, Normal(0, 0.95)),
    ("std 5 % larger", 14_000, Normal(0, 1.05)),
    ("std 5 % smaller", 14_000, Normal(0, 0.95)),
    ("mean 0.1 std off", 10_000, Normal(0.1, 1)),
)


def net(drawn: Simple, shapes: tuple[tuple[int, ...], ...], dtype: str) -> NetSpec:
    """Return a net of Paddle, all of whose parameters have one distribution."""
    names = [f"p{i}" for i in range(len(shapes))]
    return NetSpec(
        "paddle",
        tuple(Draw(n, shape, Fixed(drawn)) for n, shape in zip(names, shapes, strict=True)),
        tuple(
            Tensor(n, "other", shape, (RowBlock(n, 0, shape[0]),), dtype)
            for n, shape in zip(names, shapes, strict=True)
        ),
    )


def _sampled(spec: NetSpec, seed: int) -> dict:  # type: ignore[type-arg]
    return dict(sample(replace(spec, stream=Seeding("mt19937_64", seed=7919 * seed + 1))))


def failing_parameters(weights: NetSpec, spec: NetSpec, seed: int, alpha: float) -> int:
    """Return how many of the parameters that `weights` draws are not as `spec` says."""
    made = verify(_sampled(weights, seed), spec, alpha=alpha)
    return made.counts[Verdict.DIFFERS]


def false_alarms(drawn: Simple, dtype: str, nets: int) -> tuple[int, int]:
    """Return how many of so many right nets fail at the levels `OFTEN` and `SELDOM`."""
    spec = net(drawn, SHAPES, dtype)
    return tuple(  # type: ignore[return-value]
        sum(failing_parameters(spec, spec, seed, alpha) > 0 for seed in range(nets))
        for alpha in (OFTEN, SELDOM)
    )


def power(other: Simple, size: int, dtype: str, nets: int) -> float:
    """Return the share of parameters drawn from `other` that fail as normals of std 1."""
    shapes = ((size,),) * PARAMETERS
    spec, drawn = net(Normal(0, 1), shapes, dtype), net(other, shapes, dtype)
    failing = sum(failing_parameters(drawn, spec, seed, SELDOM) for seed in range(nets))
    return failing / (nets * PARAMETERS)


def drawable(drawn: Simple, dtype: str) -> bool:
    """Tell whether Paddle has a kernel: it has none for a truncated normal in float16."""
    return dtype != "float16" or not isinstance(drawn, TruncatedNormal)


def row(name: str, drawn: Simple, cell: Callable[[str], str]) -> str:
    cells = (cell(dtype) if drawable(drawn, dtype) else "no such draw" for dtype in DTYPES)
    return f"| {name} | {' | '.join(cells)} |"


def alarms(drawn: Simple, dtype: str, nets: int) -> str:
    often, seldom = false_alarms(drawn, dtype, nets)
    return f"{100 * often / nets:.2f} %, {seldom}"


def main(nets: int = 100) -> None:
    print(f"| law | {' | '.join(DTYPES)} |\n|---|{'---|' * len(DTYPES)}")
    for name, drawn in LAWS:
        print(row(name, drawn, partial(alarms, drawn, nets=nets)), flush=True)
    print(f"\n| found instead | values | {' | '.join(DTYPES)} |\n|---|---|{'---|' * len(DTYPES)}")
    for name, size, other in ALTERNATIVES:
        share = partial(power, other, size, nets=max(10, nets // 10))
        print(row(f"{name} | {size:,}", other, lambda dtype: f"{share(dtype):.4f}"), flush=True)  # noqa: B023


if __name__ == "__main__":
    main(*map(int, sys.argv[1:]))
