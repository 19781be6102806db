"""Which known mistake would draw a parameter that fails its tests."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from paddle_init.distributions import Constant, Given, Unknown
from paddle_init.errors import Notice
from paddle_init.languages import joined
from paddle_init.parity.precision import effective
from paddle_init.parity.words import short
from paddle_init.specs import NetSpec, Tensor
from paddle_init.statistics import as_numbers, goodness, law
from paddle_init.verification.checking import kept_elements
from paddle_init.verification.sentences import findings as say
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
        kept = kept_elements(tensor)[start:stop]
        values = found[start:stop] if kept.all() else found[start:stop][kept]
        start, first = stop, start
        drawn = spec.drawn(block.draw)
        if isinstance(drawn, (Given, Unknown)) or not values.size:
            continue
        if not _follows(values, tensor, spec, drawn):
            code, says = _told(spec, tensor, block.draw, values)
            if len(tensor.blocks) > 1:
                says = say.OF_ROWS(rows=f"[{first}, {stop})", what=says)
            notices.append(Notice(code, says, tensor.name))
    return notices


def _told(spec: NetSpec, tensor: Tensor, name: str, values: NDArray[Any]) -> tuple[str, str]:
    numbers = as_numbers(values).reshape(-1).astype(np.float64)
    if not np.isfinite(numbers).all():
        count = int(np.count_nonzero(~np.isfinite(numbers)))
        return "finite", say.NOT_FINITE(count=count)
    fitting = [
        suspect
        for suspect in suspects(spec, tensor, spec.draw_by_name[name])
        if _follows(values, tensor, spec, suspect.drawn)
    ]
    if fitting:
        return fitting[0].code, joined(say.OR, (suspect.says for suspect in fitting[:SHOWN]))
    if numbers.size > 1 and (numbers == numbers[0]).all():
        return "constant", say.ALL_EQUAL(value=short(float(numbers[0])))
    own = law(spec.drawn(name))
    if own is None:
        return "distribution", say.NOT_THE_CONSTANT()
    ratio = float(np.sqrt(np.mean((numbers - own.mean) ** 2))) / own.std
    mean = short(float(numbers.mean()), 4)
    return "distribution", say.SPREAD(ratio=short(ratio, 4), mean=mean)


def _follows(values: NDArray[Any], tensor: Tensor, spec: NetSpec, drawn: Any) -> bool:
    taken = effective(drawn, spec.framework, tensor.dtype)
    if not isinstance(taken, Constant) and law(taken) is None:
        return False
    tests = goodness(values, taken, tensor.dtype)
    return all(test.p_value >= PLAUSIBLE for test in tests)
