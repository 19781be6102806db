"""What the ratio of two stds looks like, where a rule is not known: swapped fans, a bias row."""

from __future__ import annotations

import math
from collections.abc import Iterator

from paddle_init.parity.pairs import Pair
from paddle_init.schemes import TRUNCATED_STD

__all__ = ["hints"]

NEAR = 1e-6  # of a ratio of two float32


def hints(pair: Pair, ratio: float) -> list[str]:
    """Return what the right's std over the left's might come from, as clauses after "as if"."""
    return [told for factor, told in _candidates(pair) if _near(ratio, factor)]


def _near(a: float, b: float) -> bool:
    return abs(a - b) <= NEAR * b


def _candidates(pair: Pair) -> Iterator[tuple[float, str]]:
    here, there = pair.left, pair.right
    shape = _weight_shape(pair)
    yield TRUNCATED_STD, f"{there.name} had cut at 2 stds without widening the normal first"
    yield 1 / TRUNCATED_STD, f"{here.name} had cut at 2 stds without widening the normal first"
    if shape is None:
        return
    m, n = shape
    if m != n:
        swapped = f"had divided by sqrt(fan_out) = sqrt({n}) in place of sqrt(fan_in) = sqrt({m})"
        yield math.sqrt(m / n), f"{there.name} {swapped}"
        yield math.sqrt(n / m), f"{here.name} {swapped}"
    for view, other, factor in ((here, there, 1.0), (there, here, -1.0)):
        folded = f"{view.name} had counted a bias row, sqrt({m + 1}), and {other.name} sqrt({m})"
        yield math.sqrt((m + 1) / m) ** factor, folded
        if pair.role == "bias":
            alone = f"{other.name} had divided by the weight's sqrt({m}), and {view.name} by 1"
            yield (1 / math.sqrt(m)) ** factor, alone


def _weight_shape(pair: Pair) -> tuple[int, int] | None:
    """Return the shape of the weight that is compared, or of the weight that a bias belongs to."""
    shape: tuple[int, ...] | None = pair.tensor.shape
    if pair.role == "bias":
        owners = (
            (view.spec, view.spec.weight_by_bias.get(pair.tensor.name))
            for view in (pair.left, pair.right)
        )
        shape = next((s.tensor_by_name[owner].shape for s, owner in owners if owner), None)
    elif pair.role != "weight":
        return None
    return (shape[0], shape[1]) if shape is not None and len(shape) == 2 and all(shape) else None
