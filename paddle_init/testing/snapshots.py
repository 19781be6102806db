"""Reports kept in a file beside the tests, and what has changed since."""

from __future__ import annotations

import json
import os
from typing import Any

from paddle_init.errors import PaddleInitError
from paddle_init.output_files import replacing
from paddle_init.parity import Report
from paddle_init.parity.json_form import json_form
from paddle_init.printable import printable
from paddle_init.testing.changes import changes

__all__ = ["SnapshotError", "assert_snapshot", "write_snapshot"]

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
    found = changes(_stored(name), json_form(report))
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
    form = _portable(json_form(report), os.path.join(os.path.abspath(root), ""))
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
