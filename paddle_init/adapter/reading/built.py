"""A net that was built under observation."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from paddle_init.adapter import sentences as say
from paddle_init.adapter.reading.found import Found, Part
from paddle_init.adapter.reading.initializers import initializer_name, parts_of
from paddle_init.adapter.reading.layers import Held, shape_and_dtype
from paddle_init.adapter.reading.observing import Asked, Observation, checksum
from paddle_init.adapter.reading.traps import kaiming_traps, uninitialized
from paddle_init.distributions import Unknown
from paddle_init.errors import Notice

__all__ = ["dynamic_parameters", "with_initializers"]


def dynamic_parameters(
    seen: Observation, held: Mapping[str, Held] | None = None
) -> tuple[list[Found], list[Notice]]:
    """Return what initializers filled while a dynamic net was built, in the order of drawing.

    `held` are the net's parameters; those that no initializer filled come last, unknown or, under
    LazyGuard, as they will be drawn. Without it every parameter that was made counts.
    """
    found: list[Found] = []
    changed: list[Found] = []
    notices: list[Notice] = []
    last = {asked.parameter.name: asked for asked in seen.asked}
    for asked in seen.asked:
        name = asked.parameter.name
        each, told = _filled(asked, _blank(asked.parameter, held))
        found.append(each)
        notices += told
        kept = last[name] is asked and (held is None or name in held)
        if kept and checksum(asked.parameter) != asked.values:
            other, notice = _changed(each)
            changed.append(other)
            notices.append(notice)
    found += changed
    parameters = (
        seen.created if held is None else {name: each.parameter for name, each in held.items()}
    )
    for name, parameter in parameters.items():
        if name not in last:
            each, told = unfilled(parameter, held, say.NOT_SEEN())
            found.append(each)
            notices += told
    return found, notices


def unfilled(
    parameter: Any, held: Mapping[str, Held] | None, why: str
) -> tuple[Found, list[Notice]]:
    """Return a parameter that no initializer was seen to fill; `why` says how that may be."""
    blank = _blank(parameter, held)
    waiting = getattr(parameter, "_init_func", None)
    if waiting is None:
        return _unknown(blank, why), []
    return _asked_of(blank, waiting.func.__self__)


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


def _filled(asked: Asked, blank: Found) -> tuple[Found, list[Notice]]:
    initializer = asked.initializer
    blank = replace(blank, source=asked.source)
    if isinstance(initializer, type):
        each = _unknown(blank, say.A_CLASS(name=initializer_name(initializer)))
        return each, [uninitialized(each, initializer)]
    each, told = _asked_of(blank, initializer)
    if asked.before.engine == asked.after.engine:
        each = replace(each, parts=tuple(map(_silent, each.parts)))
    return each, told


def _changed(found: Found) -> tuple[Found, Notice]:
    """Return what became of a parameter that was changed after it had been filled."""
    why = say.CHANGED(name=found.initializer)
    message = say.CHANGED_AFTER(name=found.shown, what=why)
    return _unknown(found, why), Notice("changed-after", message, found.shown, found.source)


def _silent(part: Part) -> Part:
    """Return a part whose initializer was seen to take nothing from the stream."""
    if not isinstance(part.distribution, Unknown):
        return part
    return replace(part, distribution=replace(part.distribution, takes=0))


def _blank(parameter: Any, held: Mapping[str, Held] | None) -> Found:
    """Return a parameter of which all but its initializer is known."""
    shape, dtype = shape_and_dtype(parameter)
    own = held.get(parameter.name) if held else None
    role, own_name = (own.role, own.names[0]) if own else ("", "")
    return Found(parameter.name, shape, dtype, (), role=role, own_name=own_name)


def _asked_of(blank: Found, initializer: Any) -> tuple[Found, list[Notice]]:
    parts = parts_of(initializer, blank.shape, blank.dtype)
    each = replace(blank, parts=parts, initializer=initializer_name(initializer))
    return each, list(kaiming_traps(each, initializer))


def _unknown(blank: Found, why: str) -> Found:
    """Return a parameter of unknown values, which drawing did not bring about."""
    rows = blank.shape[0] if blank.shape else 1
    return replace(blank, parts=(Part(rows, Unknown(why, takes=0)),))
