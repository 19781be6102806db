"""Which known mistake would draw a parameter that fails its tests."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from paddle_init.distributions import Constant
from paddle_init.errors import Notice
from paddle_init.parity.precision import effective
from paddle_init.parity.words import short
from paddle_init.specs import NetSpec, Tensor
from paddle_init.statistics import as_numbers, goodness, law
from paddle_init.verification.suspects import suspects

__all__ = ["suspicions"]

# A suspect is named where none of its tests gives a smaller p-value.
PLAUSIBLE = 1e-3
SHOWN = 2


def suspicions(spec: NetSpec, tensor: Tensor, found: NDArray[Any]) -> list[Notice]:
    """Name what the values follow instead, or else in what they differ; one notice per block."""
    notices = []
    start = 0
    for block in tensor.blocks:
        stop = start + (tensor.shape[0] if len(tensor.blocks) == 1 else block.rows)
        values = found[start:stop]
        if not _follows(values, tensor, spec, spec.drawn(block.draw)):
            where = "" if len(tensor.blocks) == 1 else f"rows [{start}, {stop}): "
            code, says = _told(spec, tensor, block.draw, values)
            notices.append(Notice(code, where + says, tensor.name))
        start = stop
    return notices


def _told(spec: NetSpec, tensor: Tensor, name: str, values: NDArray[Any]) -> tuple[str, str]:
    numbers = as_numbers(values).reshape(-1).astype(np.float64)
    if not np.isfinite(numbers).all():
        count = int(np.count_nonzero(~np.isfinite(numbers)))
        return "finite", f"{count} values are NaN or infinite"
    fitting = [
        suspect
        for suspect in suspects(spec, tensor, spec.draw_by_name[name])
        if _follows(values, tensor, spec, suspect.drawn)
    ]
    if fitting:
        return fitting[0].code, "; or ".join(suspect.says for suspect in fitting[:SHOWN])
    if numbers.size > 1 and (numbers == numbers[0]).all():
        return "constant", f"every value is {short(float(numbers[0]))}"
    own = law(spec.drawn(name))
    if own is None:
        return "distribution", "the values are not the constant that the spec says"
    ratio = float(np.sqrt(np.mean((numbers - own.mean) ** 2))) / own.std
    return "distribution", (
        f"the values spread {short(ratio, 4)} times as far as the spec says, around "
        f"{short(float(numbers.mean()), 4)}; no known mistake would do that"
    )


def _follows(values: NDArray[Any], tensor: Tensor, spec: NetSpec, drawn: Any) -> bool:
    taken = effective(drawn, spec.framework, tensor.dtype)
    if not isinstance(taken, Constant) and law(taken) is None:
        return False
    tests = goodness(values, taken, tensor.dtype)
    return all(test.p_value >= PLAUSIBLE for test in tests)
