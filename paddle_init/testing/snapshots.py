"""Reports kept in a file beside the tests, and what has changed since."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator, Mapping
from typing import Any

from paddle_init.errors import PaddleInitError
from paddle_init.files import replacing
from paddle_init.parity.records import Report
from paddle_init.texts import printable

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


SHOWN = 30
NEEDED: dict[str, dict[str, Any]] = {
    "parameters": {"name": str, "shape": list, "role": str, "level": str},
    "warnings": {"code": str, "parameter": (str, type(None))},
}
UPDATE = "run pytest with --parity-update"


class SnapshotError(PaddleInitError, AssertionError):
    """A report differs from its snapshot, or the snapshot cannot be read."""


def assert_snapshot(report: Report, path: str | os.PathLike[str]) -> None:
    """Require that a report says what it said when its snapshot was written.

    Parameters, levels, distributions, numbers and warnings' codes count, floats to the last bit.
    Prose, places and the sides' names do not: a comment added to a conf changes no snapshot.

    Parameters
    ----------
    path
        What `write_snapshot` or ``paddle-init report --format json -o PATH`` wrote.

    Raises
    ------
    SnapshotError
        An AssertionError that says, parameter by parameter, what changed.
    """
    __tracebackhide__ = True
    name = os.fspath(path)
    found = changes(_stored(name), report.to_dict())
    if found:
        lines = [f"{name}: {len(found)} changes since this snapshot was written (old -> new)"]
        lines += (f"  {change}" for change in found[:SHOWN])
        if len(found) > SHOWN:
            lines.append(f"  ... and {len(found) - SHOWN} more")
        lines.append(f"Where they are meant, {UPDATE} and commit the file.")
        raise SnapshotError("\n".join(map(printable, lines)))


def write_snapshot(
    report: Report, path: str | os.PathLike[str], root: str | os.PathLike[str] = os.curdir
) -> bool:
    """Write a report's JSON form, unless the file already holds it; say whether it was written.

    Paths below the folder `root` are written from there, so that the file is the same on every
    machine. Missing folders are made.

    Raises
    ------
    OutputError
        The file cannot be written.
    """
    form = _portable(report.to_dict(), os.path.join(os.path.abspath(root), ""))
    text = json.dumps(form, indent=2, allow_nan=False) + "\n"
    try:
        with open(path, encoding="utf-8") as file:
            if file.read() == text:
                return False
    except (OSError, UnicodeDecodeError):
        os.makedirs(os.path.dirname(path) or os.curdir, exist_ok=True)
    with replacing(os.fspath(path)) as new:
        new.write(text.encode())
    return True


def _stored(name: str) -> dict[str, Any]:
    __tracebackhide__ = True
    try:
        with open(name, encoding="utf-8") as file:
            form = json.load(file)
    except FileNotFoundError:
        raise SnapshotError(f"{name}: there is no such snapshot; {UPDATE} to write it") from None
    except (OSError, ValueError) as error:
        raise SnapshotError(f"{name}: this is no JSON report: {error}; {UPDATE}") from None
    if not _is_report(form):
        raise SnapshotError(
            f"{name}: expected a JSON report with schema {Report.schema}, found another; {UPDATE}"
        )
    return dict(form)


def _is_report(form: Any) -> bool:
    if not isinstance(form, dict) or form.get("schema") != Report.schema:
        return False
    return all(
        isinstance(form.get(key), list)
        and all(isinstance(each, dict) and _has(each, needed) for each in form[key])
        for key, needed in NEEDED.items()
    )


def _has(form: dict[str, Any], needed: dict[str, Any]) -> bool:
    return all(key in form and isinstance(form[key], kind) for key, kind in needed.items())


def _portable(value: Any, root: str) -> Any:
    """Return JSON values with `root` taken off the paths in them."""
    if isinstance(value, dict):
        return {key: _portable(item, root) for key, item in value.items()}
    if isinstance(value, list):
        return [_portable(item, root) for item in value]
    return value.replace(root, "") if isinstance(value, str) else value
