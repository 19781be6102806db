"""What Paddle takes without a word, and a user should hear about: notices with stable codes."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

from paddle_init.adapter.reading.found import Found, Part
from paddle_init.adapter.reading.initializers import initializer_name, is_kaiming, with_slope
from paddle_init.distributions import Constant, Simple, Uniform, Unknown
from paddle_init.dtypes import stored
from paddle_init.errors import Notice
from paddle_init.printable import listed, short

__all__ = ["kaiming_traps", "number_traps", "seed_traps", "uninitialized"]


def number_traps(found: Iterable[Found]) -> Iterator[Notice]:
    """Tell numbers that no distribution has, and constants that overflow their dtype."""
    for each in found:
        for part in each.parts:
            held = part.distribution
            if isinstance(held, Unknown) and "which Paddle takes" in held.description:
                message = f"{each.shown}: {held.description}."
                yield Notice("impossible-numbers", message, each.shown, each.source)
            elif isinstance(held, Constant) and abs(stored(held.value, each.dtype)) == float("inf"):
                yield Notice(
                    "overflow",
                    f"{each.shown}: the constant {short(held.value)} overflows {each.dtype}; "
                    "Paddle fills it with inf.",
                    each.shown,
                    each.source,
                )


def kaiming_traps(found: Found, initializer: Any) -> Iterator[Notice]:
    """Tell a slope that is ignored, and a fan_in that is none."""
    if not is_kaiming(initializer):
        return
    kind = initializer_name(initializer)
    minding = with_slope(initializer, found.shape, found.dtype)
    if minding is not None:
        drawn, meant = (_width(parts[0].distribution) for parts in (found.parts, minding))
        yield Notice(
            "kaiming-slope-ignored",
            f"{found.shown}: {kind} ignores negative_slope={short(initializer._negative_slope)} "
            f"unless nonlinearity='leaky_relu'; it draws with {drawn}, and with the slope it "
            f"would be {meant}.",
            found.shown,
            found.source,
        )
    if len(found.shape) == 1 and initializer._fan_in is None:
        yield Notice(
            "kaiming-on-1d",
            f"{found.shown}: {kind} takes the length of a 1-D parameter, {found.shape[0]}, for its "
            "fan_in; give fan_in, that of the layer's weight.",
            found.shown,
            found.source,
        )


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
        told = "".join(f" Equal in every bit: {listed(group, 5)}." for group in equal)
        yield Notice(
            "identical-layers",
            f"the ops of {listed(names, 5)} have the seed {seed}, and each starts its engine "
            f"anew: all begin with the same draws.{told} With paddle.seed and no seed of the "
            "program's or the initializer's, the draws go on from one to the next.",
        )


def uninitialized(found: Found, initializer: type) -> Notice:
    """Tell a parameter for which a class stands in place of an initializer."""
    kind = initializer_name(initializer)
    return Notice(
        "uninitialized",
        f"{found.shown}: initializer={kind} is a class, not an instance; Paddle leaves the "
        f"parameter as uninitialized memory. Write {kind}().",
        found.shown,
        found.source,
    )


def _width(distribution: Simple) -> str:
    if isinstance(distribution, Uniform):
        return f"bound {short(distribution.high)}"
    return f"std {short(getattr(distribution, 'std', float('nan')))}"
