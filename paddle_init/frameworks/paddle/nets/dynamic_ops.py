"""The random ops of a dynamic graph: what a call draws, and what is fixed of what it takes."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any

import numpy as np

from paddle_init.distributions import Normal, Simple, Unknown
from paddle_init.frameworks.paddle.nets import sentences as say
from paddle_init.frameworks.paddle.nets.assembling import drawn, shape_and_dtype
from paddle_init.schemes.base import Shape
from paddle_init.specs import DTYPES

__all__ = ["DRAWING", "FIXED", "Drawn", "drawn_by"]

# The ops that the project draws, with their arguments.
DRAWING: Mapping[str, tuple[str, ...]] = MappingProxyType(
    {
        "gaussian": ("shape", "mean", "std", "seed", "dtype", "place"),
        "gaussian_inplace": ("x", "mean", "std", "seed"),
        "gaussian_inplace_": ("x", "mean", "std", "seed"),
        "uniform": ("shape", "dtype", "min", "max", "seed", "place"),
        "uniform_inplace": ("x", "min", "max", "seed", "diag_num", "diag_step", "diag_val"),
        "uniform_inplace_": ("x", "min", "max", "seed", "diag_num", "diag_step", "diag_val"),
        "truncated_gaussian_random": ("shape", "mean", "std", "seed", "a", "b", "dtype", "place"),
    }
)
# Those of truncated_gaussian_random before version 3: it cuts at two stds.
BEFORE_3 = ("shape", "mean", "std", "seed", "dtype", "place")
# Those whose kernels take a number of engine values that shapes and numbers decide: none of them
# tries again where a value does not please it, and none minds its input's values, as rrelu does.
FIXED = frozenset(
    {
        "bernoulli",
        "dropout",
        "dropout_",
        "exponential_",
        "gumbel_softmax",
        "multinomial",
        "randint",
        "random",
        "random_",
        "randperm",
        "uniform_random_batch_size_like",
    }
)
COMPLEX: Mapping[str, str] = MappingProxyType({"complex64": "float32", "complex128": "float64"})


@dataclass(frozen=True)
class Drawn:
    """What one call of a random op draws.

    `replayed` takes the same from the stream as the op does, in `shape` and `dtype`; `held` is
    what the op's result holds. They differ for numbers that no distribution has.
    """

    replayed: Simple
    held: Simple
    shape: Shape
    dtype: str
    op_seed: int = 0


def drawn_by(op: str, args: tuple[Any, ...], settings: Mapping[str, Any], result: Any) -> Drawn:
    """Return what a call of an op of DRAWING draws."""
    given = dict(zip(DRAWING[op], args, strict=False), **settings)
    shape, dtype = shape_and_dtype(result)
    seed = int(given.get("seed") or 0)
    if op.startswith("gaussian"):
        held = _numbers("normal", given, mean="mean", std="std")
        replayed: Simple = Normal(0, 1) if isinstance(held, Unknown) else held
        if dtype in COMPLEX:
            # one normal of the real and the imaginary parts
            shape, dtype = (2 * math.prod(shape),), COMPLEX[dtype]
            held = replayed = Normal(0, 1)
    elif op.startswith("uniform"):
        held = _numbers("uniform", given, low="min", high="max")
        replayed = _one_value_each(held, shape)
    else:
        held = _truncated(args, given)
        replayed = _one_value_each(held, shape)
    if given.get("diag_num"):
        # 3.3.1's CPU kernel ignores it; other versions may not
        held = Unknown(say.MADE_BY_OP(kind=op))
    if dtype not in DTYPES:
        held = replayed = Unknown(say.MADE_BY_OP(kind=op))
    return Drawn(replayed, held, shape, dtype, seed)


def _numbers(family: str, given: Mapping[str, Any], **names: str) -> Simple:
    with np.errstate(over="ignore"):
        return drawn(family, **{name: float(np.float32(given[at])) for name, at in names.items()})


def _truncated(args: tuple[Any, ...], given: Mapping[str, Any]) -> Simple:
    if len(args) > len(BEFORE_3):
        return _numbers("truncated_normal", given, mean="mean", std="std", low="a", high="b")
    mean, std = (float(np.float32(given[name])) for name in ("mean", "std"))
    return drawn("truncated_normal", mean=mean, std=std, low=mean - 2 * std, high=mean + 2 * std)


def _one_value_each(held: Simple, shape: Shape) -> Simple:
    if isinstance(held, Unknown):
        return Unknown(held.description, takes=math.prod(shape))
    return held
