"""A verification as records; the fields are the keys of its JSON form."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum
from typing import Any

from paddle_init.errors import Notice
from paddle_init.frameworks.sides import Side
from paddle_init.json_values import json_value
from paddle_init.schemes import Shape
from paddle_init.statistics.histograms import Histogram


class Verdict(str, Enum):
    """What became of one parameter, from none to worst."""

    IDENTICAL = "identical"
    """Every bit is what the stream draws."""
    FOLLOWS = "follows"
    """No test speaks against the distribution."""
    UNEXPECTED = "unexpected"
    """The weights have it, the spec does not."""
    UNTESTED = "untested"
    """The spec does not say what is drawn, or no test fits it."""
    DIFFERS = "differs"
    MISSING = "missing"
    """The spec has it, the weights do not."""

    def __str__(self) -> str:
        return self.value

    @property
    def rank(self) -> int:
        return tuple(Verdict).index(self)

    @property
    def failed(self) -> bool:
        """Whether a verification fails for it: what is not known does not pass."""
        return self.rank >= Verdict.UNTESTED.rank


@dataclass(frozen=True)
class BitComparison:
    """Drawn values compared with found ones, element by element.

    Parameters
    ----------
    size, differing
        How many elements there are, and how many differ in a bit.
    max_ulp
        The largest distance in ULP of the dtype; None where a NaN is among them.
    histogram
        (least ULP, most ULP, elements) of the distances that occur.
    first
        Index of the first element that differs, with its expected and found value; None where
        none does or the value is no finite number.
    """

    size: int
    differing: int
    max_ulp: int | None
    histogram: tuple[tuple[int, int, int], ...]
    first: tuple[int, ...] | None
    expected: float | None
    found: float | None

    def within(self, max_ulp: int) -> bool:
        """Tell whether no bit differs, or numbers do by at most so many ULP; 0 and -0 differ."""
        near = self.max_ulp is not None and 0 < self.max_ulp <= max_ulp
        return not self.differing or near


@dataclass(frozen=True)
class Check:
    """One statistical test of rows [start, stop); see `statistics.Goodness`."""

    rows: tuple[int, int]
    name: str
    observed: float | None
    expected: float | None
    p_value: float
    passed: bool


@dataclass(frozen=True)
class ParameterVerification:
    """One parameter of the spec or of the weights.

    Parameters
    ----------
    shape
        The found one, or the spec's where it is missing.
    bits
        Where the stream is known; else None.
    checks
        Where it is not, or where bits differ without a known reason.
    spec
        What the spec draws for it; None where the spec does not have it.
    histogram
        Of the found values, where `verify` was asked for histograms.
    alias_of
        For a further array of a parameter that stands in the list already, under another name of
        it: that parameter's name. It counts as a part of that parameter.
    """

    name: str
    shape: Shape
    role: str | None
    verdict: Verdict
    bits: BitComparison | None = None
    checks: tuple[Check, ...] = ()
    spec: Side | None = None
    histogram: Histogram | None = None
    alias_of: str | None = None

    @property
    def parameter(self) -> str:
        """The name of the parameter that this is an array of."""
        return self.alias_of or self.name


@dataclass(frozen=True)
class Verification:
    """Do these weights follow that spec?

    Parameters
    ----------
    weights, spec, stream
        What was compared with what; `stream` is None where only the distributions were tested.
    findings
        What explains a difference, or is worth knowing without being one.
    tests, alpha
        How many statistical tests there were, and the probability, over all of them together, that
        weights which are right fail one.
    """

    weights: str
    spec: str
    stream: str | None
    parameters: tuple[ParameterVerification, ...]
    findings: tuple[Notice, ...]
    tests: int
    alpha: float
    schema: int = 1

    @property
    def passed(self) -> bool:
        """Whether all parameters of the spec, of which there are some, are there and as it says."""
        return not self.fails(Verdict.UNTESTED)

    @property
    def known(self) -> int:
        """Number of parameters that the spec has."""
        return self.number_of(*(v for v in Verdict if v is not Verdict.UNEXPECTED))

    def number_of(self, *verdicts: Verdict) -> int:
        """Number of parameters of which an array has one of these verdicts."""
        return len({each.parameter for each in self.parameters if each.verdict in verdicts})

    def fails(self, limit: Verdict) -> bool:
        """Whether a gate stops it: at `limit`, at a worse verdict, or without any parameter."""
        return not self.known or self.worst.rank >= limit.rank

    @property
    def worst(self) -> Verdict:
        """The worst verdict of all parameters; ``identical`` where there are none."""
        verdicts = (parameter.verdict for parameter in self.parameters)
        return max(verdicts, key=lambda verdict: verdict.rank, default=Verdict.IDENTICAL)

    @property
    def counts(self) -> dict[Verdict, int]:
        """Number of entries of every verdict."""
        return {v: sum(p.verdict is v for p in self.parameters) for v in Verdict}

    def to_dict(self) -> dict[str, Any]:
        """Return dicts, lists and plain values: the JSON form; its `schema` is kept stable."""
        counts = {str(verdict): count for verdict, count in self.counts.items()}
        form: dict[str, Any] = json_value(self)
        return form | {"passed": self.passed, "counts": counts}
