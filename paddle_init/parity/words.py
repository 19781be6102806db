"""Numbers and distributions as prose shows them: short, but never alike when they differ."""

from __future__ import annotations

import math

from paddle_init.distributions import (
    Constant,
    Normal,
    Simple,
    TruncatedNormal,
    Uniform,
    Unknown,
)
from paddle_init.parity.moments import truncated_moments
from paddle_init.printable import listed, short

__all__ = ["apart", "brief", "listed", "percent", "short", "times"]


def apart(left: float, right: float) -> tuple[str, str]:
    """Write two numbers with as many digits as it takes to tell them apart, at least 4."""
    digits = next((n for n in range(4, 17) if short(left, n) != short(right, n)), 17)
    return short(left, digits), short(right, digits)


def times(ratio: float, more: str = "wider", less: str = "narrower") -> str:
    """Write a ratio in [0, inf) against 1: ``17.3 times narrower``, ``0.39 % wider``."""
    word, factor = (more, ratio) if ratio > 1 else (less, 1 / ratio if ratio else math.inf)
    if factor < 1.1:
        return f"{short(100 * abs(ratio - 1), 2)} % {word}"
    return f"{short(factor, 3)} times {word}"


def percent(share: float) -> str:
    """Write a share in [0, 1]: ``97 %``."""
    return f"{short(100 * share, 2)} %"


def brief(distribution: Simple) -> str:
    """Write what is drawn in a few words."""
    match distribution:
        case Normal(mean, std):
            return f"Normal(mean {short(mean)}, std {short(std)})"
        case Uniform(low, high):
            return f"Uniform(low {short(low)}, high {short(high)})"
        case TruncatedNormal(mean, std, low, high):
            _, left = truncated_moments(distribution)
            cut = f"cut at {short(low)} and {short(high)}"
            if short(left) != short(std):
                cut += f" (narrowed to std {short(left)})"
            return f"Normal(mean {short(mean)}, std {short(std)}) {cut}"
        case Constant(value):
            return f"the constant {short(value)}"
        case Unknown(description):
            return f"unknown ({description})"
