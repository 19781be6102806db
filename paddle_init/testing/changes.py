"""What differs between two JSON reports, but for prose and places."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

__all__ = ["changes"]

# Texts and places may change where no number does; formulas are shown beside what changed, and
# causes follow from the numbers of both sides.
NOT_COMPARED = frozenset({"explanation", "advice", "formula", "source", "causes"})


def changes(old: Mapping[str, Any], new: Mapping[str, Any]) -> list[str]:
    """Return one line for every difference, parameters first, then warnings.

    Keys that only one report has are left out: a newer release may add some.
    """
    return [*_parameters(old, new), *_warnings(old, new)]


def _parameters(old: Mapping[str, Any], new: Mapping[str, Any]) -> Iterator[str]:
    before, after = _by_name(old), _by_name(new)
    for name, parameter in before.items():
        if name not in after:
            yield f"{name}: gone (was {_summary(parameter)})"
            continue
        for path, was, now in _differences(parameter, after[name]):
            yield f"{name}: {path} {_shown(was)} -> {_shown(now)}"
        for side in ("left", "right"):
            yield from _formula(name, side, parameter.get(side), after[name].get(side))
    for name, parameter in after.items():
        if name not in before:
            yield f"{name}: new ({_summary(parameter)})"
    common = [name for name in before if name in after]
    if common != [name for name in after if name in before]:
        yield "parameters stand in another order"


def _differences(old: Any, new: Any, path: str = "") -> Iterator[tuple[str, Any, Any]]:
    if isinstance(old, Mapping) and isinstance(new, Mapping):
        for key, value in old.items():
            if key in new and key not in NOT_COMPARED:
                yield from _differences(value, new[key], f"{path}.{key}" if path else key)
    elif isinstance(old, list) and isinstance(new, list) and len(old) == len(new):
        for index, (was, now) in enumerate(zip(old, new, strict=True)):
            yield from _differences(was, now, f"{path}[{index}]")
    elif repr(old) != repr(new):
        yield path, old, new


def _formula(name: str, side: str, old: Any, new: Any) -> Iterator[str]:
    if old and new and any(_differences(old, new)):
        yield f"{name}: {side} was {old.get('formula')}"
        yield f"{name}: {side} is  {new.get('formula')}"


def _warnings(old: Mapping[str, Any], new: Mapping[str, Any]) -> Iterator[str]:
    before, after = (
        dict.fromkeys((each["code"], each["parameter"]) for each in form.get("warnings", ()))
        for form in (old, new)
    )
    for found, others, word in ((before, after, "gone"), (after, before, "new")):
        for code, parameter in found:
            if (code, parameter) not in others:
                about = f" about {parameter}" if parameter else ""
                yield f"warning {code}{about}: {word}"


def _by_name(form: Mapping[str, Any]) -> dict[str, Any]:
    return {each["name"]: each for each in form["parameters"]}


def _summary(parameter: Mapping[str, Any]) -> str:
    shape = " x ".join(map(str, parameter["shape"]))
    level = parameter["level"] if parameter.get("known", True) else "not known"
    return f"{parameter['role']} {shape}, {level}"


def _shown(value: Any) -> str:
    if isinstance(value, (Mapping, list)):
        return "..." if len(repr(value)) > 60 else repr(value)
    return "none" if value is None else str(value)
