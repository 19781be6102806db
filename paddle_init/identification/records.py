"""What an identification holds; the fields are the keys of its JSON form."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from paddle_init.identification.catalogue import Fit
from paddle_init.identification.matching import Match
from paddle_init.identification.parameters import Family
from paddle_init.json_values import json_value
from paddle_init.schemes import Shape
from paddle_init.specs import Seeding


@dataclass(frozen=True)
class ParameterIdentification:
    """What is known of one parameter.

    Parameters
    ----------
    fits
        Schemes that the values do not contradict, the likeliest first.
    stream
        Where it was drawn, but for altered values; or None.
    initial
        True where a stream gives every bit; False where values were altered since a stream drew
        them; None where that is not known.
    remark
        Why, in words.
    altered
        How many values are not those of `stream`, 0 where every bit is; None where that is not
        known. `stream.alteration` says which.
    on_grid
        Without a stream: whether those values of a float32 parameter that would show it lie on the
        grid on which Paddle and abacus draw; None where too few would. What lies on it no step of
        training has moved; what does not was altered, or drawn in another way.
    """

    name: str
    shape: Shape
    dtype: str
    family: Family
    fits: tuple[Fit, ...]
    stream: Match | None
    initial: bool | None
    remark: str
    altered: int | None = None
    on_grid: bool | None = None


@dataclass(frozen=True)
class Searched:
    """Streams that were searched.

    Parameters
    ----------
    engine
        libstdc++'s name of it.
    seeding
        How it is seeded: "state" for every state that it has; "paddle.seed", "op_seed", "seed" or
        "seed_seq".
    seeds
        How many, and which in words.
    draws
        How many draws of each were searched; None where any place was, 0 where it was searched
        for what is drawn first.
    """

    engine: str
    seeding: str
    seeds: int
    which: str
    draws: int | None


@dataclass(frozen=True)
class NetIdentification:
    """Which seed draws a whole net of a known structure?

    Parameters
    ----------
    spec, framework
        The structure, and whose draws they are.
    seeding
        What gives the bits of the confirmed parameters; None where no seed that was searched does.
        Where an LCG's seed is found as its state, an earlier state whose first tries are rejected
        gives the same bits.
    searched
        Which seeds were searched, and how many draws of each.
    confirmed
        Parameters that it gives to the bit, constants apart.
    altered
        Those of which it gives some values, or from whose values all were moved.
    different
        Those of which it gives none, or that have another shape or dtype.
    constant
        Constants and given values that fit: they tell nothing of a seed.
    missing
        Those that the weights do not have.
    not_known
        Those that the spec does not say, or that depend on a draw that it does not say.
    """

    spec: str
    framework: str
    seeding: Seeding | None
    searched: tuple[Searched, ...] = ()
    confirmed: tuple[str, ...] = ()
    altered: tuple[str, ...] = ()
    different: tuple[str, ...] = ()
    constant: tuple[str, ...] = ()
    missing: tuple[str, ...] = ()
    not_known: tuple[str, ...] = ()


@dataclass(frozen=True)
class Identification:
    """Which schemes and which seed made these weights?

    Parameters
    ----------
    skipped, unreadable
        Names of what the weights hold and cannot be read, and why by name.
    searched, net
        What was searched; what came of a given structure.
    """

    weights: str
    parameters: tuple[ParameterIdentification, ...]
    skipped: tuple[str, ...]
    schema: int = 1
    unreadable: Mapping[str, str] = field(default_factory=dict)
    searched: tuple[Searched, ...] = ()
    net: NetIdentification | None = None

    @property
    def found(self) -> int:
        """How many parameters' streams were found."""
        return sum(parameter.stream is not None for parameter in self.parameters)

    def to_dict(self) -> dict[str, Any]:
        """Return the JSON form, of plain values."""
        form: dict[str, Any] = json_value(self)
        return form
