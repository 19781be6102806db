"""Which files a batch translates: those named, and the confs in folders and below."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from paddle_init.cli.inputs import STDIN
from paddle_init.errors import SpecError

__all__ = ["Input", "gathered"]

ENDINGS = (".yaml", ".yml", ".conf")


@dataclass(frozen=True)
class Input:
    """A file, with its path below the folder that was named.

    `regular` is False for a pipe, a socket or a device that a folder holds. A folder that may not
    be listed is an input too, so that its not being read is told.
    """

    name: str
    relative: str
    regular: bool = True


def gathered(names: Iterable[str], output: str) -> list[Input]:
    """Return every file once, by the path that comes first; the folder `output` is left out.

    Raises
    ------
    SpecError
        A folder holds no conf.
    """
    places: dict[tuple[str, str], Input] = {}
    for each in _inputs(names, os.path.realpath(output)):
        folder, name = os.path.split(each.name)
        places.setdefault((os.path.realpath(folder), name), each)
    return list(places.values())


def _inputs(names: Iterable[str], left_out: str) -> Iterator[Input]:
    for name in names:
        if name == STDIN:
            yield Input(name, "stdin")
        elif not os.path.isdir(name):
            yield Input(name, os.path.basename(name))
        else:
            unlisted: list[str] = []
            confs = [path for path in _walk(name, left_out, unlisted) if path.endswith(ENDINGS)]
            yield from (Input(path, os.path.relpath(path, name)) for path in unlisted)
            if not confs and not unlisted:
                raise SpecError(f"{name}: no conf in this folder ({', '.join(ENDINGS)})")
            for path in confs:
                regular = os.path.isfile(path) or not os.path.exists(path)
                yield Input(path, os.path.relpath(path, name), regular)


def _walk(top: str, left_out: str, unlisted: list[str]) -> Iterator[str]:
    """Yield the files in a folder and below, sorted, without hidden ones and one folder.

    Folders that the system does not list are added to `unlisted`.
    """

    def skip(error: OSError) -> None:
        unlisted.append(str(error.filename))

    for folder, inner, files in os.walk(top, onerror=skip):
        paths = {name: os.path.join(folder, name) for name in sorted(inner)}
        inner[:] = [
            name
            for name, path in paths.items()
            if not name.startswith(".") and os.path.realpath(path) != left_out
        ]
        yield from (os.path.join(folder, name) for name in sorted(files) if name[0] != ".")
