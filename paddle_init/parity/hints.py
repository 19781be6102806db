"""What the ratio of two stds looks like, where a rule is not known: swapped fans, a bias row."""

from __future__ import annotations

import math
from collections.abc import Iterator

from paddle_init.languages import Message
from paddle_init.parity.pairs import Pair
from paddle_init.parity.sentences import explanations as say
from paddle_init.schemes import TRUNCATED_STD

__all__ = ["hints"]

NEAR = 1e-6  # of a ratio of two float32


def hints(pair: Pair, ratio: float) -> list[Message]:
    """Return what the right's std over the left's might come from, as clauses after "as if"."""
    return [told for factor, told in _candidates(pair) if _near(ratio, factor)]


def _near(a: float, b: float) -> bool:
    return abs(a - b) <= NEAR * b


def _candidates(pair: Pair) -> Iterator[tuple[float, Message]]:
    here, there = pair.left, pair.right
    shape = _weight_shape(pair)
    yield TRUNCATED_STD, say.UNWIDENED(name=there.name)
    yield 1 / TRUNCATED_STD, say.UNWIDENED(name=here.name)
    if shape is None:
        return
    m, n = shape
    if m != n:
        yield math.sqrt(m / n), say.SWAPPED(name=there.name, fan_in=m, fan_out=n)
        yield math.sqrt(n / m), say.SWAPPED(name=here.name, fan_in=m, fan_out=n)
    for view, other, factor in ((here, there, 1.0), (there, here, -1.0)):
        folded = say.BIAS_ROW_COUNTED(name=view.name, more=m + 1, other=other.name, fan_in=m)
        yield math.sqrt((m + 1) / m) ** factor, folded
        if pair.role == "bias":
            alone = say.BIAS_UNDIVIDED(name=view.name, other=other.name, fan_in=m)
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
