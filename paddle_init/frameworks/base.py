"""THE framework interface: every question whose answer differs between frameworks."""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from importlib import import_module
from typing import TYPE_CHECKING, Any, ClassVar, Literal, Protocol, TypeAlias, cast

import numpy as np
from numpy.typing import NDArray

from paddle_init.distributions import (
    Blocks,
    Constant,
    Distribution,
    Given,
    Simple,
    Unknown,
    narrowed,
)
from paddle_init.dtypes import stored, stored_values
from paddle_init.errors import Notice, SpecError
from paddle_init.frameworks import sentences as say
from paddle_init.languages import Message
from paddle_init.schemes import Shape
from paddle_init.specs import FrameworkFacts, NetSpec, Seeding
from paddle_init.specs.frameworks import SeedKey
from paddle_init.streams import Stream

if TYPE_CHECKING:
    from paddle_init.frameworks.sides import View

Order: TypeAlias = Literal["F", "C"]

# Writes the next values of one draw, in its flat order, over a one-dimensional array.
Fill: TypeAlias = Callable[[NDArray[Any]], object]


@dataclass(frozen=True)
class StreamHypothesis:
    """Streams that weights of an unknown start may come from.

    Parameters
    ----------
    engine
        By libstdc++'s name.
    key
        What the seeds are given as.
    seeds
        "common": seeds that people choose, each alone. "counters": runs of a counter, as
        `local_random_engine` takes them.
    sequence
        The engine is seeded through a std::seed_seq, rather than by the integer itself.
    """

    engine: str
    key: SeedKey
    seeds: Literal["common", "counters"]
    sequence: bool


class Nets(Protocol):
    """What a framework that has nets does with them; imported when asked for."""

    read_net: Callable[..., NetSpec]
    read_object: Callable[..., NetSpec]
    called_object: Callable[..., Any]
    imported_object: Callable[..., Any]
    initialize: Callable[..., Any]
    param_attr: Callable[..., Any]
    param_attrs: Callable[..., Any]
    python_module: Callable[..., str]
    build: Callable[..., Any]
    on_paddle: Callable[..., Any]


class Framework(ABC):
    """How one framework turns distributions into bits, and what is known about it.

    A framework has to give `facts`, `order` and the four methods of drawing; everything else has
    an answer that holds for a framework of which no more is known.
    """

    facts: ClassVar[FrameworkFacts]
    order: Order
    """How a draw's flat values fill its matrix: by columns (F) or by rows (C)."""

    float32_numbers: ClassVar[bool] = False
    """Kernels take mean, std and bounds as float32 whatever the dtype."""
    scales_beyond: ClassVar[bool] = False
    """A scale beyond the dtype is drawn all the same: most of its products are infinite."""
    signed_zeros: ClassVar[bool] = False
    """A normal of std 0 draws zeros of both signs."""
    draws_unused: ClassVar[bool] = False
    """Nets usually draw for parameters that they do not have, so that this is no news."""
    folds_biases: ClassVar[bool] = False
    """A bias may be a row of its weight's draw."""
    writes_initializers: ClassVar[bool] = False
    """A parameter is set by writing its initializer; see `initializer_call`."""
    stream_hypotheses: ClassVar[tuple[StreamHypothesis, ...]] = ()
    """The streams that an unknown one is looked for in, the likeliest first."""

    @classmethod
    def of(cls, spec: NetSpec, version: str | None = None) -> Framework:
        """Return the framework as `spec` sets its options, in a version of `facts.versions`."""
        return cls()

    @property
    def engine(self) -> str | None:
        """The engine that draws where no stream is given; None where that is not known."""
        return self.facts.default_engine

    @abstractmethod
    def check(self, drawn: Simple, shape: Shape, dtype: str) -> None:
        """Refuse what the framework cannot draw; CannotDrawError says why."""

    @abstractmethod
    def streams(self, seeding: Seeding) -> Iterator[Stream]:
        """Yield, without end, the stream that each draw takes, in draw order."""

    @abstractmethod
    def working_dtype(self, dtype: str) -> np.dtype[Any]:
        """Return the type, float32 or float64, in which a tensor of `dtype` is drawn."""

    @abstractmethod
    def fill(self, stream: Stream | None, drawn: Simple, dtype: str) -> Fill:
        """Begin a draw; the fill wants arrays of `working_dtype(dtype)`.

        `stream` may be None where nothing is taken from it.
        """

    def numbers_dtype(self, dtype: str) -> str:
        """Return the dtype to which a distribution's numbers are rounded before a draw."""
        return "float32" if self.float32_numbers else dtype

    def effective(self, distribution: Simple, dtype: str) -> Simple:
        """Return the distribution with the numbers that really reach the kernel.

        A constant and given values are in the dtype itself.
        """
        if isinstance(distribution, Constant):
            value = stored(distribution.value, dtype)
            if math.isinf(value):
                return Unknown(say.CONSTANT_OVERFLOWS(value=distribution.value, dtype=dtype))
            return Constant(value)
        if isinstance(distribution, Given):
            return Given(stored_values(distribution.values, dtype))
        rounded = narrowed(distribution, self.numbers_dtype(dtype))
        return distribution if self.scales_beyond and isinstance(rounded, Unknown) else rounded

    def refusal(self, distribution: Distribution, dtype: str) -> str | None:
        """Say why the framework cannot draw `distribution` in `dtype`; None where it can."""
        if isinstance(distribution, Blocks):
            found = (self.refusal(part.distribution, dtype) for part in distribution.parts)
            return next(filter(None, found), None)
        try:
            self.check(distribution, (1,), dtype)
        except CannotDrawError as error:
            return error.message
        return None

    def arithmetic_words(self) -> Message:
        """Say how a normal draw becomes a value: a verb phrase after the framework's label."""
        return say.NORMAL_IN_DTYPE()

    def initializer_call(self, distribution: Distribution) -> str | None:
        """Return the code that makes the initializer of `distribution`; None without one."""
        return None

    def seed_notices(self, spec: NetSpec, *, given: int | None = None) -> Iterator[Notice]:
        """Yield what the framework makes of a net's seeds; `given` is a caller's for all of it."""
        return iter(())

    def report_notices(self, view: View) -> Iterator[Notice]:
        """Yield what a report tells of this side alone."""
        return iter(())

    def effective_seed(self, seed: int) -> int:
        """Return the least seed that starts the same stream."""
        return seed

    def own_seeding(self, seeding: Seeding) -> Seeding | None:
        """Return the seeding by which this framework starts the same stream, if it has one.

        `seeding` is that of a framework that it is usual for; see `registry.usual_framework`.
        """
        takes = any(getattr(seeding, key) is not None for key in self.facts.seed_keys)
        return seeding if takes and seeding.engine in self.facts.engines else None

    def rounded_otherwise(self, spec: NetSpec) -> Iterator[tuple[Message, NetSpec]]:
        """Yield nets of the same draws in another arithmetic, and what has happened then."""
        return iter(())

    def seeded_otherwise(self, seeding: Seeding) -> Iterator[tuple[Seeding, Message]]:
        """Yield seedings that a mistake would give, and what has happened then."""
        return iter(())

    def stored_otherwise(self, spec: NetSpec) -> Iterator[tuple[str, Message, NetSpec]]:
        """Yield (code, what has happened, net) where draws fill their matrices in another order."""
        return iter(())

    @property
    def nets(self) -> Nets:
        """What reads and runs its nets."""
        if self.facts.nets is None:
            raise SpecError(f"nets of {self.facts.title} cannot be read")
        return cast("Nets", import_module(self.facts.nets))


def constant_fill(value: float) -> Fill:
    """Return the fill of a constant, which takes nothing from the stream."""

    def fill(out: NDArray[Any]) -> None:
        out[:] = value

    return fill


def given_fill(given: Given) -> Fill:
    """Return the fill of given values, row-major, which takes nothing from the stream."""
    taken = 0

    def fill(out: NDArray[Any]) -> None:
        nonlocal taken
        with np.errstate(over="ignore"):
            out[:] = given.values[taken : taken + out.size]
        taken += out.size

    return fill


class CannotDrawError(SpecError):
    """A framework has no way to draw what a spec asks of it."""
