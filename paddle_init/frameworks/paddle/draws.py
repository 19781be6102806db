"""How Paddle's CPU kernels draw: the numbers narrowed to float32, then z * std + mean in T."""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass, fields
from functools import partial
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from paddle_init.distributions import (
    Constant,
    Distribution,
    Given,
    Normal,
    Simple,
    TruncatedNormal,
    Uniform,
    Unknown,
)
from paddle_init.dtypes import overflows
from paddle_init.errors import Notice
from paddle_init.frameworks import sentences as say
from paddle_init.frameworks.base import (
    CannotDrawError,
    Fill,
    Framework,
    StreamHypothesis,
    constant_fill,
    given_fill,
)
from paddle_init.frameworks.paddle.facts import FACTS, VERSIONS, effective_seed, installed_version
from paddle_init.languages import Message
from paddle_init.schemes import Shape, describe
from paddle_init.specs import FrameworkFacts, NetSpec, Seeding
from paddle_init.streams import NormalDistribution, Stream, UniformRealDistribution
from paddle_init.streams.polar import log

# MERGED paddle_init.frameworks.truncated_normal:
# Paddle's TruncatedNormal: the inverse of the normal CDF at a uniform draw.
#
# Erfinv is AS 241's PPND16 (Wichura 1988) carried over to erfinv. As the kernel has it, some
# terms are in double and the rest in T; where a term is rounded to T decides bits.
#
# Source: paddle/phi/kernels/funcs/truncated_normal.h.


Real = np.dtype[Any]

LN2 = 6.931471805599453094172321214581e-1
SMALLEST = float(np.finfo(np.float32).tiny)
BLOCK = 1 << 15

# Numerator and denominator, from the constant term up: |x| <= 0.85, then sqrt(-log) up to 5
# and above.
CENTRAL = (
    (1.1975323115670912564578e0, 4.7072688112383978012285e1, 6.9706266534389598238465e2,
     4.8548868893843886794648e3, 1.6235862515167575384252e4, 2.3782041382114385731252e4,
     1.1819493347062294404278e4, 8.8709406962545514830200e2),
    (1.0000000000000000000e0, 4.2313330701600911252e1, 6.8718700749205790830e2,
     5.3941960214247511077e3, 2.1213794301586595867e4, 3.9307895800092710610e4,
     2.8729085735721942674e4, 5.2264952788528545610e3),
)  # fmt: skip
MIDDLE = (
    (1.42343711074968357734e0, 4.63033784615654529590e0, 5.76949722146069140550e0,
     3.64784832476320460504e0, 1.27045825245236838258e0, 2.41780725177450611770e-1,
     2.27238449892691845833e-2, 7.74545014278341407640e-4),
    (1.4142135623730950488016887e0, 2.9036514445419946173133295e0, 2.3707661626024532365971225e0,
     9.7547832001787427186894837e-1, 2.0945065210512749128288442e-1, 2.1494160384252876777097297e-2,
     7.7441459065157709165577218e-4, 1.4859850019840355905497876e-9),
)  # fmt: skip
TAIL = (
    (6.65790464350110377720e0, 5.46378491116411436990e0, 1.78482653991729133580e0,
     2.96560571828504891230e-1, 2.65321895265761230930e-2, 1.24266094738807843860e-3,
     2.71155556874348757815e-5, 2.01033439929228813265e-7),
    (1.414213562373095048801689e0, 8.482908416595164588112026e-1, 1.936480946950659106176712e-1,
     2.103693768272068968719679e-2, 1.112800997078859844711555e-3, 2.611088405080593625138020e-5,
     2.010321207683943062279931e-7, 2.891024605872965461538222e-15),
)  # fmt: skip


def truncated_fill(stream: Stream, drawn: TruncatedNormal, real: Real, *, clamped: bool) -> Fill:
    """Begin a truncated normal.

    Parameters
    ----------
    drawn
        Its numbers are rounded to float32 first, as for every op of Paddle.
    real
        T, float32 or float64.
    clamped
        As Paddle 3 does it: cut at low and high, and clamp to them. Otherwise as Paddle 2.6: cut
        at mean +- 2 std, whatever low and high, without clamping.
    """
    uniform = UniformRealDistribution(SMALLEST, 1.0, real)
    invert = truncated_inverse(drawn, real, clamped=clamped)

    def fill(out: NDArray[Any]) -> None:
        uniform.fill(stream, out)
        for start in range(0, out.size, BLOCK):
            invert(out[start : start + BLOCK])

    return fill


def truncated_inverse(
    drawn: TruncatedNormal, real: Real, *, clamped: bool
) -> Callable[[NDArray[Any]], None]:
    """Return what turns uniforms in [FLT_MIN, 1) into values, in place; see `truncated_fill`."""
    mean, std, low, high = (
        real.type(np.float32(number)) for number in (drawn.mean, drawn.std, drawn.low, drawn.high)
    )
    with np.errstate(divide="ignore", over="ignore"):
        ends = ((low - mean) / std, (high - mean) / std) if clamped else (-2.0, 2.0)
    lowest, highest = (real.type(_normal_cdf(float(end))) for end in ends)
    root2, wide_std, wide_mean = np.float64(math.sqrt(2.0)), np.float64(std), np.float64(mean)

    def invert(p: NDArray[Any]) -> None:
        with np.errstate(invalid="ignore"):  # infinity * a std of 0
            unclamped(p)
        if clamped:
            np.clip(p, low, high, p)

    def unclamped(p: NDArray[Any]) -> None:
        p *= highest - lowest
        p += lowest
        x = real.type(2) * p - real.type(1)
        wide = erfinv(x).astype(np.float64)
        wide *= root2
        wide *= wide_std
        wide += wide_mean
        p[:] = wide

    return invert


def erfinv(x: NDArray[Any]) -> NDArray[Any]:
    """Return the inverse of erf as the kernel computes it, for x in [-1, 1]."""
    real, size = x.dtype, np.abs(x)
    wide = x.astype(np.float64)
    r = (np.float64(0.180625) - np.float64(0.25) * wide * wide).astype(real)
    result: NDArray[Any] = x * _polynomial(CENTRAL[0], r) / _polynomial(CENTRAL[1], r)
    outer = np.flatnonzero(size.astype(np.float64) > 0.85)
    result[outer] = np.copysign(_outer(size[outer]), x[outer])
    return result


def _outer(size: NDArray[Any]) -> NDArray[Any]:
    real, result = size.dtype, np.full_like(size, np.inf)
    inside = np.flatnonzero(size < 1)
    logarithm = log(np.float64(1) - size[inside].astype(np.float64))
    r = np.sqrt(np.float64(real.type(LN2)) - logarithm).astype(real)
    for where, shift, (upper, lower) in ((r <= 5, 1.6, MIDDLE), (r > 5, 5.0, TAIL)):
        shifted = (r[where].astype(np.float64) - np.float64(shift)).astype(real)
        result[inside[where]] = _polynomial(upper, shifted) / _polynomial(lower, shifted)
    return result


def _polynomial(coefficients: tuple[float, ...], x: NDArray[Any]) -> NDArray[Any]:
    constants = [x.dtype.type(coefficient) for coefficient in coefficients]
    value: NDArray[Any] = constants[-1] * x
    for constant in constants[-2:0:-1]:
        value += constant
        value *= x
    value += constants[0]
    return value


def _normal_cdf(x: float) -> float:
    return (1.0 + math.erf(x / math.sqrt(2.0))) / 2.0


@dataclass(frozen=True)
class PaddleFramework(Framework):
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

    version: str | None = None

    facts: ClassVar[FrameworkFacts] = FACTS
    order = "C"
    float32_numbers: ClassVar[bool] = True
    draws_unused: ClassVar[bool] = True
    writes_initializers: ClassVar[bool] = True
    stream_hypotheses: ClassVar[tuple[StreamHypothesis, ...]] = (
        StreamHypothesis("mt19937_64", "seed", "common", sequence=True),
        StreamHypothesis("mt19937_64", "op_seed", "common", sequence=False),
    )

    @classmethod
    def of(cls, spec: NetSpec, version: str | None = None) -> PaddleFramework:
        return cls(version)

    def __post_init__(self) -> None:
        if self.version not in (None, *VERSIONS):
            raise CannotDrawError(
                f"paddle_version must be one of {', '.join(VERSIONS)}, got {self.version!r}"
            )

    def drawn_by(self, drawn: Simple) -> str:
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

    def refusal(self, distribution: Distribution, dtype: str) -> str | None:
        from paddle_init.frameworks.paddle.initializer_calls import refusal

        return refusal(distribution, dtype)

    def arithmetic_words(self) -> Message:
        return say.IN_FLOAT32()

    def initializer_call(self, distribution: Distribution) -> str | None:
        from paddle_init.frameworks.paddle.initializer_calls import initializer_call

        return initializer_call(distribution)

    def seed_notices(self, spec: NetSpec, *, given: int | None = None) -> Iterator[Notice]:
        from paddle_init.frameworks.paddle.notices import seed_notices

        return seed_notices(spec, given=given)

    def effective_seed(self, seed: int) -> int:
        return effective_seed(seed)

    def rounded_otherwise(self, spec: NetSpec) -> Iterator[tuple[Message, NetSpec]]:
        from paddle_init.frameworks.paddle.mistakes import rounded_otherwise

        return rounded_otherwise(spec)

    def seeded_otherwise(self, seeding: Seeding) -> Iterator[tuple[Seeding, Message]]:
        from paddle_init.frameworks.paddle.mistakes import seeded_otherwise

        return seeded_otherwise(seeding)


def _single(number: float) -> float:
    return float(np.float32(number))
