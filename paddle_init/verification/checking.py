"""Each parameter's values against its distribution, all tests sharing one error probability."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from numpy.typing import NDArray

from paddle_init.distributions import Blocks, Distribution, Simple
from paddle_init.parity.precision import effective
from paddle_init.specs import NetSpec, Tensor
from paddle_init.statistics import goodness, number_of_tests
from paddle_init.verification.records import Check

__all__ = ["Tests", "check_tensor", "plan"]


@dataclass(frozen=True)
class Tests:
    """How many tests a net takes, and the p-value below which one fails.

    Each test fails with a probability of at most `threshold`, so all together with at most
    `alpha`, whatever their dependence (Bonferroni's inequality).
    """

    count: int
    alpha: float

    @property
    def threshold(self) -> float:
        return self.alpha / max(1, self.count)


def plan(spec: NetSpec, alpha: float) -> Tests:
    """Count the tests of a net before any value is looked at."""
    distributions = (part for t in spec.tensors for _, _, part in _rows(t, spec.distribution(t)))
    return Tests(sum(map(number_of_tests, distributions)), alpha)


def check_tensor(
    found: NDArray[Any], tensor: Tensor, drawn: Distribution, framework: str, tests: Tests
) -> tuple[Check, ...]:
    """Test what was found of a tensor, rows by rows."""
    return tuple(
        Check((start, stop), each.name, each.observed, each.expected, each.p_value, passed)
        for start, stop, part in _rows(tensor, drawn)
        for each in goodness(
            found[start:stop], effective(part, framework, tensor.dtype), tensor.dtype
        )
        for passed in (each.p_value >= tests.threshold,)
    )


def _rows(tensor: Tensor, drawn: Distribution) -> Iterator[tuple[int, int, Simple]]:
    if not isinstance(drawn, Blocks):
        yield 0, tensor.shape[0], drawn
        return
    start = 0
    for part in drawn.parts:
        yield start, start + part.rows, part.distribution
        start += part.rows
