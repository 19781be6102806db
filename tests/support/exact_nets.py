"""What is read of a builder and drawn by us, against what the builder makes after paddle.seed."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterable
from typing import Any

import numpy as np
import paddle

from paddle_init import NetSpec, read_net, sample
from paddle_init.frameworks.knowledge import NotKnownError
from paddle_init.specs import DTYPES

__all__ = ["not_known", "values_of"]


HELD = {f"paddle.{name}" for name in DTYPES}


def values_of(parameter: Any) -> np.ndarray:
    """Return a parameter's values, of bfloat16 the bits."""
    values = np.ascontiguousarray(parameter.numpy())
    return values.view(np.uint16) if "bfloat16" in str(parameter.dtype) else values


def not_known(
    build: Callable[[], Any], seeds: Iterable[int] = (1, 2**31 + 7), spec: NetSpec | None = None
) -> set[str]:
    """Return the names of the parameters that are said to be not known; all others are exact.

    For each seed, what `sample` draws of the net has every bit of what paddle.seed and the builder
    make, and no parameter is left out but those of a dtype or shape that no spec holds.
    """
    spec = spec or read_net(build)
    assert spec.tensors
    unknown: set[str] = set()
    for seed in seeds:
        paddle.seed(seed)
        np.random.seed(seed % 2**32)  # noqa: NPY002
        random.seed(seed)
        with paddle.utils.unique_name.guard():
            net = build()
        real = dict(net.named_parameters())
        names = {name for name, p in real.items() if p.shape and str(p.dtype) in HELD}
        assert names == set(spec.tensor_by_name)
        given = {} if spec.stream is not None else {"seed": seed}
        try:
            drawn = sample(spec, partial=True, **given)
        except NotKnownError:  # of all
            unknown |= names
            continue
        for name in names:
            if name in drawn:
                assert values_of(real[name]).tobytes() == drawn[name].tobytes(), (seed, name)
            else:
                unknown.add(name)
    return unknown
