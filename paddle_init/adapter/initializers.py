"""Distributions as Paddle's initializers."""

from __future__ import annotations

from typing import TYPE_CHECKING

from paddle_init.adapter import sentences as say
from paddle_init.adapter.drawable import check_drawable
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
from paddle_init.errors import SchemeError
from paddle_init.schemes import describe

if TYPE_CHECKING:
    import paddle

__all__ = ["initializer"]


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
            from paddle_init.adapter.row_blocks import RowBlocks

            return RowBlocks(*((part.rows, _built(part.distribution)) for part in parts))
        case Given():
            raise SchemeError(say.GIVEN_WITHOUT_SHAPE())
        case Unknown(description):
            raise SchemeError(f"an initializer that is not known cannot be built: {description}")


def _truncated(drawn: TruncatedNormal) -> paddle.nn.initializer.Initializer:
    from paddle_init.adapter.truncated import truncated_normal

    try:
        return truncated_normal(drawn.mean, drawn.std, drawn.low, drawn.high)
    except ValueError as error:
        raise SchemeError(f"{describe(drawn)}: {error}") from None
