"""What a command checked, in no format's words."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum

from paddle_init.errors import Notice, Source

__all__ = ["Check", "Suite", "Verdict", "nothing"]


class Verdict(Enum):
    """How a check came out."""

    PASSED = "passed"
    WARNED = "warned"
    FAILED = "failed"


@dataclass(frozen=True)
class Check:
    """One thing that was checked, such as a parameter.

    Parameters
    ----------
    name
        As the user wrote it; may hold any character.
    kind
        The kind of result in a word, such as a parity level.
    details
        What was found, why, and what to do; may have several lines.
    source
        Where the checked thing is written, or None.
    """

    name: str
    verdict: Verdict
    kind: str
    details: str
    source: Source | None = None


def nothing(details: str) -> Check:
    """Return the check of a run that had nothing to check: it fails."""
    return Check("nothing to check", Verdict.FAILED, "nothing", details)


@dataclass(frozen=True)
class Suite:
    """All that one run checked.

    Parameters
    ----------
    name
        The command.
    answer
        The result as a sentence, without texts from files.
    properties
        Names and values that say what was checked, the subject first.
    """

    name: str
    answer: str
    properties: tuple[tuple[str, str], ...]
    checks: tuple[Check, ...]
    notices: tuple[Notice, ...] = ()

    def count(self, verdict: Verdict) -> int:
        """Return how many checks came out so."""
        return sum(check.verdict is verdict for check in self.checks)
