"""What to write in Paddle so that a parameter starts like its partner."""

from __future__ import annotations

import warnings

from paddle_init.distributions import (
    Blocks,
    Distribution,
    Given,
    Normal,
    Simple,
    TruncatedNormal,
    Uniform,
    Unknown,
    narrowed,
)
from paddle_init.errors import SchemeError
from paddle_init.frameworks.paddle.facts import installed_version
from paddle_init.frameworks.paddle.nets.attrs import check_drawable
from paddle_init.frameworks.sentences import other_cut
from paddle_init.frameworks.sides import View
from paddle_init.languages import Message, translatable
from paddle_init.parity import sentences as say
from paddle_init.parity.records import Level
from paddle_init.schemes import describe
from paddle_init.specs import Tensor
from paddle_init.statistics.moments import point

__all__ = ["advise", "initializer"]


def advise(
    level: Level, left: View, left_tensor: Tensor, right: View, right_tensor: Tensor
) -> Message | None:
    """Return advice that brings the two together, or None where nothing needs to change.

    The Paddle side is changed to match the other; of two alike the right one.
    """
    if level < Level.SCALE:
        return None
    change_left = left.spec.framework == "paddle" and right.spec.framework != "paddle"
    model, tensor, changed = (
        (right, right_tensor, left) if change_left else (left, left_tensor, right)
    )
    wanted = model.spec.distribution(tensor)
    parts = wanted.parts if isinstance(wanted, Blocks) else ()
    if any(isinstance(each, Unknown) for each in (wanted, *(part.distribution for part in parts))):
        return None
    if changed.spec.framework != "paddle":
        return say.DRAW(name=changed.name, distribution=describe(wanted))
    if isinstance(wanted, Given) and point(wanted) is None:
        return say.ASSIGN(place=changed.where, count=wanted.values.size)
    dtype = (left_tensor if change_left else right_tensor).dtype
    if (refusal := _refusal(wanted, dtype)) is not None:
        return say.CANNOT_DRAW(refusal=refusal, place=model.where)
    code = initializer(wanted)
    return say.BLOCKWISE() if code is None else say.WRITE(place=changed.where, code=code)


def initializer(distribution: Distribution) -> str | None:
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


def _refusal(distribution: Distribution, dtype: str) -> str | None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            check_drawable(distribution, dtype)
        except SchemeError as error:
            return translatable(error)
    if isinstance(distribution, TruncatedNormal) and not distribution.at_two_stds:
        return other_cut(distribution) if installed_version() == "2.6.2" else None
    return None
