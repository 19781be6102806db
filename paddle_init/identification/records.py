"""What an identification holds; the fields are the keys of its JSON form."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from paddle_init.identification.catalogue import Fit
from paddle_init.identification.families import Family
from paddle_init.identification.matching import Match
from paddle_init.schemes import Shape

__all__ = ["Identification", "ParameterIdentification"]


@dataclass(frozen=True)
class ParameterIdentification:
    """What is known of one parameter.

    Parameters
    ----------
    fits
        Schemes that the values do not contradict, the likeliest first.
    stream
        Where every bit of it was drawn, or None.
    initial
        True where the values are as they were drawn; False where they no longer are; None where
        that cannot be said.
    remark
        Why, in words.
    """

    name: str
    shape: Shape
    dtype: str
    family: Family
    fits: tuple[Fit, ...]
    stream: Match | None
    initial: bool | None
    remark: str


@dataclass(frozen=True)
class Identification:
    """Which schemes and which seed made these weights?

    Parameters
    ----------
    skipped, unreadable
        Names of what the weights hold and cannot be read, and why by name.
    """

    weights: str
    parameters: tuple[ParameterIdentification, ...]
    skipped: tuple[str, ...]
    schema: int = 1
    unreadable: Mapping[str, str] = field(default_factory=dict)

    @property
    def found(self) -> int:
        """How many parameters' streams were found."""
        return sum(parameter.stream is not None for parameter in self.parameters)
