"""Whether Paddle can draw a distribution: the numbers that it would take without a word."""

from __future__ import annotations

import warnings

from paddle_init.adapter import sentences as say
from paddle_init.distributions import (
    Blocks,
    Constant,
    Distribution,
    Normal,
    TruncatedNormal,
    Uniform,
    Unknown,
)
from paddle_init.dtypes import RANGES, overflows
from paddle_init.errors import SchemeError
from paddle_init.schemes import describe
from paddle_init.spelling import did_you_mean

__all__ = ["InitializerWarning", "check_drawable"]


class InitializerWarning(UserWarning):
    """Paddle draws something else than the numbers say; `code` is stable.

    Codes: ``underflow`` (the values round to 0 in the dtype) and ``far-cutoff`` (the mean lies so
    far outside a truncated normal's cutoffs that Paddle's float32 arithmetic distorts it).
    """

    def __init__(self, code: str, message: str) -> None:
        super().__init__(code, message)
        self.code = code

    def __str__(self) -> str:
        return "[{}] {}".format(*self.args)


def check_drawable(distribution: Distribution, dtype: str) -> None:
    """Refuse what Paddle would draw as inf or NaN in `dtype`; warn of what it would distort.

    A constant is written in `dtype`. What is drawn takes its numbers as float32, whatever the
    dtype, so they have to lie in both ranges.

    Raises
    ------
    SchemeError
        The dtype or the distribution is unknown, a number overflows, or a truncated normal of
        std 0 lies outside its cutoffs.
    """
    if dtype not in RANGES:
        meant = did_you_mean(dtype, RANGES)
        raise SchemeError(f"dtype must be one of {', '.join(RANGES)}, got {dtype!r}{meant}")
    match distribution:
        case Unknown(description):
            raise SchemeError(say.UNKNOWN_INITIALIZER(description=description))
        case Blocks(parts):
            for part in parts:
                check_drawable(part.distribution, dtype)
        case Constant(value):
            _check_range(distribution, dtype, dtype, value)
        case Normal(mean, std):
            _check_range(distribution, dtype, "float32", std, mean)
        case Uniform(low, high):
            _check_range(distribution, dtype, "float32", max(-low, high), low, high)
            if dtype != "float64" and overflows(high - low, "float32"):
                raise SchemeError(say.SPAN_OVERFLOWS(drawn=describe(distribution)))
        case TruncatedNormal(mean, std, low, high):
            _check_range(distribution, dtype, "float32", std, mean)
            outside = max(low - mean, mean - high)
            if outside > 0 and std == 0:
                raise SchemeError(say.NOTHING_BETWEEN(drawn=describe(distribution)))
            if outside > 2 * std:
                _warn(
                    "far-cutoff",
                    f"{describe(distribution)}: the mean is {outside / std:.3g} stds outside the "
                    "cutoffs; Paddle's float32 arithmetic distorts such a tail, from about 6 stds "
                    "down to a single value",
                )


def _check_range(
    distribution: Distribution, dtype: str, drawn_in: str, spread: float, *others: float
) -> None:
    """Check the size of the values, `spread`, and the other numbers against both dtypes."""
    for name in (drawn_in, dtype):
        smallest, largest = RANGES[name]
        for value in (spread, *others):
            if overflows(value, name):
                raise SchemeError(
                    say.NUMBER_OVERFLOWS(
                        drawn=describe(distribution),
                        value=f"{value:g}",
                        dtype=name,
                        largest=f"{largest:g}",
                    )
                )
        if 0 < abs(spread) < smallest:
            _warn(
                "underflow",
                f"{describe(distribution)}: {spread:g} is below the smallest positive {name}, "
                f"{smallest:g}; the values round to 0",
            )
            return


def _warn(code: str, message: str) -> None:
    warnings.warn(InitializerWarning(code, message), stacklevel=2)
