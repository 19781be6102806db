"""Paddle's initializers as code to write, and what they cannot draw."""

from __future__ import annotations

import warnings

from paddle_init.distributions import (
    Blocks,
    Distribution,
    Normal,
    Simple,
    TruncatedNormal,
    Uniform,
    narrowed,
)
from paddle_init.errors import SchemeError
from paddle_init.frameworks.paddle.facts import installed_version
from paddle_init.frameworks.paddle.nets.initializers import check_drawable
from paddle_init.frameworks.sentences import other_cut
from paddle_init.languages import translatable
from paddle_init.statistics.moments import point


def initializer_call(distribution: Distribution) -> str | None:
    """Write a distribution as the call that makes Paddle's initializer, or None for blocks."""
    value = None if isinstance(distribution, Blocks) else _point(distribution)
    if value is not None:
        return f"paddle.nn.initializer.Constant(value={value!r})"
    match distribution:
        case Normal(mean, std):
            call = f"Normal(mean={mean!r}, std={std!r})"
        case Uniform(low, high):
            call = f"Uniform(low={low!r}, high={high!r})"
        case TruncatedNormal(mean, std, low, high):
            cutoffs = f", a={low!r}, b={high!r}" if installed_version() != "2.6.2" else ""
            call = f"TruncatedNormal(mean={mean!r}, std={std!r}{cutoffs})"
        case _:
            return None
    return f"paddle.nn.initializer.{call}"


def _point(distribution: Simple) -> float | None:
    """Return the one value that Paddle draws; its float32 numbers may leave nothing to chance."""
    value = point(distribution)
    if value is not None:
        return value
    value = point(narrowed(distribution, "float32"))
    return None if value is None else value + 0.0  # a zero that is left has no sign


def refusal(distribution: Distribution, dtype: str) -> str | None:
    """Say why Paddle cannot draw a distribution; None where it can."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            check_drawable(distribution, dtype)
        except SchemeError as error:
            return translatable(error)
    if isinstance(distribution, TruncatedNormal) and not distribution.at_two_stds:
        return other_cut(distribution) if installed_version() == "2.6.2" else None
    return None
