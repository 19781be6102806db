"""Parameters whose filling was not observed: LazyGuard's, a built Layer's, a program's."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from paddle_init.adapter import sentences as say
from paddle_init.adapter.reading.found import Found, Part
from paddle_init.adapter.reading.initializers import initializer_name, parts_of
from paddle_init.adapter.reading.layers import Held, shape_and_dtype
from paddle_init.adapter.reading.traps import kaiming_traps
from paddle_init.distributions import Unknown
from paddle_init.errors import Notice, Source

__all__ = ["blank_found", "unfilled", "with_initializers"]


def unfilled(key: str, parameter: Any, own: Held | None, why: str) -> tuple[Found, list[Notice]]:
    """Return a parameter that no initializer was seen to fill; `why` says how that may be."""
    blank = blank_found(key, parameter, own)
    waiting = getattr(parameter, "_init_func", None)
    if waiting is None:
        return _unknown(blank, why), []
    if parameter._is_initialized():
        return _unknown(blank, say.LOADED()), []
    initializer = getattr(waiting, "func", waiting).__self__
    parts = parts_of(initializer, blank.shape, blank.dtype)
    each = replace(blank, parts=parts, initializer=initializer_name(initializer))
    return each, list(kaiming_traps(each, initializer))


def with_initializers(
    found: tuple[Found, ...], asked: Mapping[str, Any], held: Mapping[str, Held] | None = None
) -> tuple[list[Found], list[Notice]]:
    """Add to what a startup program holds which initializers wrote it, and a Layer's names."""
    named: list[Found] = []
    notices: list[Notice] = []
    for each in found:
        if held and each.name in held:
            own = held[each.name]
            each = replace(each, role=own.role, own_name=own.names[0])
        initializer = asked.get(each.name)
        if initializer is not None:
            each = replace(each, initializer=initializer_name(initializer))
            notices += kaiming_traps(each, initializer)
        named.append(each)
    return named, notices


def blank_found(key: str, parameter: Any, own: Held | None, source: Source | None = None) -> Found:
    """Return a parameter of which all but its initializer is known."""
    shape, dtype = shape_and_dtype(parameter)
    role, own_name = (own.role, own.names[0]) if own else ("", "")
    return Found(key, shape, dtype, (), role=role, own_name=own_name, source=source)


def _unknown(blank: Found, why: str) -> Found:
    """Return a parameter of unknown values, which drawing did not bring about."""
    rows = blank.shape[0] if blank.shape else 1
    return replace(blank, parts=(Part(rows, Unknown(why, takes=0)),))
