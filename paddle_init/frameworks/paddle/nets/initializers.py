"""Distributions as Paddle's initializers."""

from __future__ import annotations

import warnings
from typing import TYPE_CHECKING

from paddle_init.distributions import (
    Blocks,
    Constant,
    Distribution,
    Given,
    Normal,
    TruncatedNormal,
    Uniform,
    Unknown,
)
from paddle_init.dtypes import RANGES, overflows
from paddle_init.errors import SchemeError
from paddle_init.frameworks.paddle.nets import sentences as say
from paddle_init.schemes import describe
from paddle_init.texts import did_you_mean

if TYPE_CHECKING:
    import paddle


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


def initializer(
    distribution: Distribution, dtype: str = "float32"
) -> paddle.nn.initializer.Initializer:
    """Return the Paddle initializer that draws `distribution`.

    Parameters
    ----------
    distribution
        Normal, Uniform, TruncatedNormal and Constant become Paddle's own initializers; Blocks a
        RowBlocks of them.
    dtype
        The parameter's dtype, for the checks: the initializer itself serves any.

    Raises
    ------
    SchemeError
        Paddle cannot draw it: see `check_drawable`. Paddle 2 has fixed cutoffs, mean +- 2 std.
    """
    check_drawable(distribution, dtype)
    return _built(distribution)


def _built(distribution: Distribution) -> paddle.nn.initializer.Initializer:
    from paddle.nn import initializer as own

    match distribution:
        case Normal(mean, std):
            return own.Normal(mean, std)
        case Uniform(low, high):
            return own.Uniform(low, high)
        case TruncatedNormal():
            return _truncated(distribution)
        case Constant(value):
            return own.Constant(value)
        case Blocks(parts):
            from paddle_init.frameworks.paddle.nets.row_blocks import RowBlocks

            return RowBlocks(*((part.rows, _built(part.distribution)) for part in parts))
        case Given():
            raise SchemeError(say.GIVEN_WITHOUT_SHAPE())
        case Unknown(description):
            raise SchemeError(f"an initializer that is not known cannot be built: {description}")


def _truncated(drawn: TruncatedNormal) -> paddle.nn.initializer.Initializer:
    from paddle_init.frameworks.paddle.nets.truncated import truncated_normal

    try:
        return truncated_normal(drawn.mean, drawn.std, drawn.low, drawn.high)
    except ValueError as error:
        raise SchemeError(f"{describe(drawn)}: {error}") from None
