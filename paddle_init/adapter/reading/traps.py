"""What Paddle takes without a word, and a user should hear about: notices with stable codes."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

from paddle_init.adapter import sentences as say
from paddle_init.adapter.reading.found import Found, Part
from paddle_init.adapter.reading.initializers import initializer_name, is_kaiming, with_slope
from paddle_init.distributions import Constant, Simple, Uniform, Unknown
from paddle_init.dtypes import stored
from paddle_init.errors import Notice
from paddle_init.languages import Message, listed
from paddle_init.printable import short

__all__ = ["kaiming_traps", "number_traps", "seed_traps", "uninitialized"]


def number_traps(found: Iterable[Found]) -> Iterator[Notice]:
    """Tell numbers that no distribution has, and constants that overflow their dtype."""
    for each in found:
        for part in each.parts:
            held = part.distribution
            if isinstance(held, Unknown) and "which Paddle takes" in held.description:
                message = say.IMPOSSIBLE_NUMBERS(name=each.shown, what=held.description)
                yield Notice("impossible-numbers", message, each.shown, each.source)
            elif isinstance(held, Constant) and abs(stored(held.value, each.dtype)) == float("inf"):
                message = say.OVERFLOW(name=each.shown, value=short(held.value), dtype=each.dtype)
                yield Notice("overflow", message, each.shown, each.source)


def kaiming_traps(found: Found, initializer: Any) -> Iterator[Notice]:
    """Tell a slope that is ignored, and a fan_in that is none."""
    if not is_kaiming(initializer):
        return
    kind = initializer_name(initializer)
    minding = with_slope(initializer, found.shape, found.dtype)
    if minding is not None:
        drawn, meant = (_width(parts[0].distribution) for parts in (found.parts, minding))
        message = say.SLOPE_IGNORED(
            name=found.shown,
            kind=kind,
            slope=short(initializer._negative_slope),
            drawn=drawn,
            meant=meant,
        )
        yield Notice("kaiming-slope-ignored", message, found.shown, found.source)
    if len(found.shape) == 1 and initializer._fan_in is None:
        message = say.KAIMING_ON_1D(name=found.shown, kind=kind, length=found.shape[0])
        yield Notice("kaiming-on-1d", message, found.shown, found.source)


def seed_traps(found: Iterable[Found]) -> Iterator[Notice]:
    """Tell parameters whose ops have one seed: each starts with the same draws."""
    by_seed: dict[int, list[tuple[Found, Part]]] = {}
    for each in found:
        for part in each.parts:
            if part.random and part.op_seed:
                by_seed.setdefault(part.op_seed, []).append((each, part))
    for seed, drawn in by_seed.items():
        names = list(dict.fromkeys(each.shown for each, _ in drawn))
        if len(drawn) < 2:
            continue
        alike: dict[tuple[Any, ...], list[str]] = {}
        for each, part in drawn:
            key = (part.rows, each.shape[1:], each.dtype, part.distribution)
            alike.setdefault(key, []).append(each.shown)
        equal = [group for group in alike.values() if len(group) > 1]
        told: str = ""
        for group in equal:
            told = say.EQUAL_IN_EVERY_BIT(before=told, names=listed(group, 5))
        message = say.IDENTICAL_LAYERS(names=listed(names, 5), seed=seed, equal=told)
        yield Notice("identical-layers", message)


def uninitialized(found: Found, initializer: type) -> Notice:
    """Tell a parameter for which a class stands in place of an initializer."""
    kind = initializer_name(initializer)
    message = say.UNINITIALIZED(name=found.shown, kind=kind)
    return Notice("uninitialized", message, found.shown, found.source)


def _width(distribution: Simple) -> Message:
    if isinstance(distribution, Uniform):
        return say.BOUND(number=short(distribution.high))
    return say.STD(number=short(getattr(distribution, "std", float("nan"))))
