"""Numbers and distributions as prose shows them: short, but never alike when they differ."""

from __future__ import annotations

import math

from paddle_init.distributions import (
    Constant,
    Given,
    Normal,
    Simple,
    TruncatedNormal,
    Uniform,
    Unknown,
)
from paddle_init.languages import Message, listed
from paddle_init.parity import sentences as say
from paddle_init.statistics.moments import truncated_moments
from paddle_init.texts import short

__all__ = ["apart", "brief", "listed", "percent", "short", "times"]


def apart(left: float, right: float) -> tuple[str, str]:
    """Write two numbers with as many digits as it takes to tell them apart, at least 4."""
    digits = next((n for n in range(4, 17) if short(left, n) != short(right, n)), 17)
    return short(left, digits), short(right, digits)


def times(ratio: float) -> Message:
    """Write a ratio in [0, inf) against 1: ``17.3 times narrower``, ``0.39 % wider``."""
    factor = ratio if ratio > 1 else 1 / ratio if ratio else math.inf
    if factor < 1.1:
        slightly = say.SLIGHTLY_WIDER if ratio > 1 else say.SLIGHTLY_NARROWER
        return slightly(percent=short(100 * abs(ratio - 1), 2))
    shown = short(float(short(factor, 3)), 6)  # 3420, and not 3.42e+03
    return (say.WIDER if ratio > 1 else say.NARROWER)(ratio=shown)


def percent(share: float) -> str:
    """Write a share in [0, 1]: ``97 %``."""
    return f"{short(100 * share, 2)} %"


def brief(distribution: Simple) -> Message:
    """Write what is drawn in a few words."""
    match distribution:
        case Normal(mean, std):
            return say.NORMAL(mean=short(mean), std=short(std))
        case Uniform(low, high):
            return say.UNIFORM(low=short(low), high=short(high))
        case TruncatedNormal(mean, std, low, high):
            normal = say.NORMAL(mean=short(mean), std=short(std))
            cut = {"normal": normal, "low": short(low), "high": short(high)}
            _, left = truncated_moments(distribution)
            if short(left) != short(std):
                return say.TRUNCATED_NARROWED(**cut, std=short(left))
            return say.TRUNCATED(**cut)
        case Constant(value):
            return say.CONSTANT(value=short(value))
        case Given(values):
            return say.GIVEN(count=values.size)
        case Unknown(description):
            return say.UNKNOWN(description=description)
