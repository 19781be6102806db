"""How Paddle's CPU kernels draw: the numbers narrowed to float32, then z * std + mean in T."""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from dataclasses import dataclass, fields
from functools import partial
from typing import Any, ClassVar

import numpy as np

from paddle_init.distributions import (
    Constant,
    Given,
    Normal,
    Simple,
    TruncatedNormal,
    Uniform,
    Unknown,
)
from paddle_init.dtypes import overflows
from paddle_init.frameworks import sentences as say
from paddle_init.frameworks.base import Fill, Order, constant_fill, given_fill
from paddle_init.frameworks.errors import CannotDrawError
from paddle_init.frameworks.installed import VERSIONS, Version, installed_version
from paddle_init.frameworks.truncated_normal import truncated_fill
from paddle_init.schemes import Shape, describe
from paddle_init.specs import Seeding
from paddle_init.streams import NormalDistribution, Stream, UniformRealDistribution

__all__ = ["PaddleFramework"]


@dataclass(frozen=True)
class PaddleFramework:
    """One op per draw; each makes its distribution anew and fills in row-major order.

    The global generator is std::mt19937_64 seeded by std::seed_seq{seed}, and runs on from op to
    op. An op with a seed of its own has a new engine, engine.seed(op_seed).

    Parameters
    ----------
    version
        Whose bits. "3.3.1" cuts a TruncatedNormal at absolute values; "2.6.2" at mean +- 2 std and
        without clamping, and it refuses half types, which it has no normal kernel for. By default
        the installed Paddle's, and 3.3.1's for what that cannot draw.

    Notes
    -----
    **Compatibility Guarantee.** That of Stream, for paddlepaddle 2.6.2 and 3.3.1 on x86-64 Linux.

    Source: paddle/phi/kernels/funcs/norm_distribution.h, uniform_real_distribution.h.
    """

    version: Version | None = None
    name: ClassVar[str] = "paddle"
    order: ClassVar[Order] = "C"

    def __post_init__(self) -> None:
        if self.version not in (None, *VERSIONS):
            raise CannotDrawError(
                f"paddle_version must be one of {', '.join(VERSIONS)}, got {self.version!r}"
            )

    def drawn_by(self, drawn: Simple) -> Version:
        """Return whose bits `drawn` has."""
        if self.version is not None:
            return self.version
        free = isinstance(drawn, TruncatedNormal) and not drawn.at_two_stds
        return "3.3.1" if free else installed_version()

    def check(self, drawn: Simple, shape: Shape, dtype: str) -> None:
        half = dtype in ("float16", "bfloat16")
        if half and self.version == "2.6.2":
            raise CannotDrawError(say.NO_KERNEL(dtype=dtype))
        if isinstance(drawn, Unknown):
            raise CannotDrawError(say.NOT_KNOWN(description=drawn.description))
        if isinstance(drawn, Given):
            return
        constant = isinstance(drawn, Constant)
        for each in fields(drawn):
            if overflows(getattr(drawn, each.name), dtype if constant else "float32"):
                sentence = say.VALUE_OVERFLOWS if constant else say.NUMBER_OVERFLOWS
                told = sentence(drawn=describe(drawn), field=each.name, dtype=dtype)
                raise CannotDrawError(told)
        if (
            isinstance(drawn, Uniform)
            and dtype != "float64"
            and overflows(_single(drawn.high) - _single(drawn.low), "float32")
        ):
            raise CannotDrawError(say.SPAN_OVERFLOWS(drawn=describe(drawn)))
        if isinstance(drawn, TruncatedNormal):
            self._check_truncated(drawn, dtype)

    def _check_truncated(self, drawn: TruncatedNormal, dtype: str) -> None:
        if dtype == "float16":
            raise CannotDrawError(say.NO_TRUNCATED_KERNEL())
        if self.version == "2.6.2" and not drawn.at_two_stds:
            raise CannotDrawError(say.other_cut(drawn))
        if drawn.std == 0 and not drawn.low <= drawn.mean <= drawn.high:
            raise CannotDrawError(say.NOTHING_BETWEEN(drawn=describe(drawn)))

    def streams(self, seeding: Seeding) -> Iterator[Stream]:
        if seeding.op_seed is None:
            assert seeding.seed is not None
            yield from itertools.repeat(Stream(seeding.engine, seed_seq=[seeding.seed]))
        while True:
            assert seeding.op_seed is not None
            # The int32 becomes the uint64 that engine.seed takes.
            yield Stream(seeding.engine, seeding.op_seed % 2**64)

    def working_dtype(self, dtype: str) -> np.dtype[Any]:
        return np.dtype(np.float64 if dtype == "float64" else np.float32)

    def fill(self, stream: Stream | None, drawn: Simple, dtype: str) -> Fill:
        real = self.working_dtype(dtype)
        if isinstance(drawn, Constant):
            return constant_fill(drawn.value)
        if isinstance(drawn, Given):
            return given_fill(drawn)
        assert stream is not None
        if isinstance(drawn, TruncatedNormal):
            return truncated_fill(stream, drawn, real, clamped=self.drawn_by(drawn) != "2.6.2")
        if isinstance(drawn, Normal):
            normal = NormalDistribution(_single(drawn.mean), _single(drawn.std), real)
            return partial(normal.fill, stream)
        assert isinstance(drawn, Uniform)
        uniform = UniformRealDistribution(_single(drawn.low), _single(drawn.high), real)
        return partial(uniform.fill, stream)


def _single(number: float) -> float:
    return float(np.float32(number))
