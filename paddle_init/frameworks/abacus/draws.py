"""How abacus draws: a standard normal float, times a scale, stored as float."""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from paddle_init.distributions import Constant, Normal, Simple
from paddle_init.frameworks import sentences as say
from paddle_init.frameworks.base import CannotDrawError, Fill, Order, constant_fill
from paddle_init.schemes import Arithmetic, Shape, describe
from paddle_init.specs import Seeding
from paddle_init.streams import NormalDistribution, Stream

__all__ = ["AbacusFramework"]

LARGEST_COUNT = 2**31 - 1


@dataclass(frozen=True)
class AbacusFramework:
    """One std::normal_distribution<float>(0, 1) per draw, one engine for all draws.

    Parameters
    ----------
    arithmetic
        "float64": float32(double(z) * scale), as abacus. "float32": z * float32(scale), as the
        system derived from it, whose scales are float32.
    order
        How w[0], w[1], ... fill the matrix: "F", as Eigen stores it, or "C". abacus's own copy is
        not public; the derived system's is by columns.

    Notes
    -----
    **Compatibility Guarantee.** That of Stream.

    Source: dnn/param_layer.cpp of abacus, as quoted in "abacus与paddle的参数初始化方式".
    """

    arithmetic: Arithmetic = "float64"
    order: Order = "F"
    name: ClassVar[str] = "abacus"

    def check(self, drawn: Simple, shape: Shape, dtype: str) -> None:
        if dtype != "float32":
            raise CannotDrawError(say.FLOAT32_ALONE(dtype=dtype))
        if len(shape) > 2:
            raise CannotDrawError(say.NO_MATRIX(shape=list(shape)))
        if math.prod(shape) > LARGEST_COUNT:
            product = " * ".join(map(str, shape))
            raise CannotDrawError(say.TOO_MANY(product=product))
        if (isinstance(drawn, Normal) and drawn.mean == 0) or isinstance(drawn, Constant):
            return
        raise CannotDrawError(say.NO_SUCH_DRAW(drawn=describe(drawn)))

    def streams(self, seeding: Seeding) -> Iterator[Stream]:
        stream = Stream(seeding.engine, seeding.seed, seed_seq=seeding.seed_seq)
        return itertools.repeat(stream)

    def working_dtype(self, dtype: str) -> np.dtype[Any]:
        return np.dtype(np.float32)

    def fill(self, stream: Stream | None, drawn: Simple, dtype: str) -> Fill:
        if isinstance(drawn, Constant):
            return constant_fill(drawn.value)
        assert isinstance(drawn, Normal)
        assert stream is not None
        standard = NormalDistribution()
        arithmetic = np.dtype(self.arithmetic)
        scale = arithmetic.type(drawn.std)

        def fill(out: NDArray[Any]) -> None:
            standard.fill(stream, out)
            np.multiply(out, scale, out, dtype=arithmetic, casting="same_kind")

        return fill
