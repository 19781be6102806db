"""How abacus draws: a standard normal float, times a scale, stored as float."""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from paddle_init.distributions import Constant, Normal, Simple
from paddle_init.errors import Notice
from paddle_init.frameworks import sentences as say
from paddle_init.frameworks.abacus.facts import FACTS
from paddle_init.frameworks.base import (
    CannotDrawError,
    Fill,
    Framework,
    Order,
    StreamHypothesis,
    constant_fill,
)
from paddle_init.languages import Message
from paddle_init.schemes import Arithmetic, Shape, describe
from paddle_init.specs import FrameworkFacts, NetSpec, Seeding
from paddle_init.streams import NormalDistribution, Stream

if TYPE_CHECKING:
    from paddle_init.frameworks.sides import View

LARGEST_COUNT = 2**31 - 1


@dataclass(frozen=True)
class AbacusFramework(Framework):
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

    facts: ClassVar[FrameworkFacts] = FACTS
    scales_beyond: ClassVar[bool] = True
    signed_zeros: ClassVar[bool] = True
    folds_biases: ClassVar[bool] = True
    stream_hypotheses: ClassVar[tuple[StreamHypothesis, ...]] = (
        StreamHypothesis("mt19937", "seed", "common", sequence=False),
        StreamHypothesis("mt19937", "seed_seq", "counters", sequence=True),
        StreamHypothesis("mt19937", "seed_seq", "common", sequence=True),
        StreamHypothesis("mt19937_64", "seed_seq", "counters", sequence=True),
    )

    @classmethod
    def of(cls, spec: NetSpec, version: str | None = None) -> AbacusFramework:
        return cls(spec.arithmetic, "F" if spec.storage_order == "F" else "C")

    @property
    def engine(self) -> str | None:
        # The derived system, whose scales are float32, draws with a library of its own.
        return self.facts.default_engine if self.arithmetic == "float64" else None

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

    def arithmetic_words(self) -> Message:
        return say.IN_DOUBLE() if self.arithmetic == "float64" else say.SCALE_IN_FLOAT32()

    def report_notices(self, view: View) -> Iterator[Notice]:
        from paddle_init.frameworks.abacus.notices import bias_reading, roles

        yield from bias_reading(view)
        yield from roles(view)

    def own_seeding(self, seeding: Seeding) -> Seeding | None:
        if seeding.op_seed is not None:
            return Seeding(seeding.engine, seed=seeding.op_seed % 2**64)
        if seeding.engine == "mt19937_64" and seeding.seed is not None:  # paddle.seed
            return Seeding(seeding.engine, seed_seq=(seeding.seed,))
        return seeding

    def rounded_otherwise(self, spec: NetSpec) -> Iterator[tuple[Message, NetSpec]]:
        from paddle_init.frameworks.abacus.mistakes import rounded_otherwise

        return rounded_otherwise(spec)

    def seeded_otherwise(self, seeding: Seeding) -> Iterator[tuple[Seeding, Message]]:
        from paddle_init.frameworks.abacus.mistakes import seeded_otherwise

        return seeded_otherwise(seeding)

    def stored_otherwise(self, spec: NetSpec) -> Iterator[tuple[str, Message, NetSpec]]:
        from paddle_init.frameworks.abacus.mistakes import stored_otherwise

        return stored_otherwise(spec)
