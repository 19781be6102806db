"""Many files translated at once: the good ones are written, the others say why not."""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Iterator
from dataclasses import asdict, dataclass

from paddle_init.cli.inputs import input_files
from paddle_init.cli.targets import Target
from paddle_init.errors import PaddleInitError, SpecError
from paddle_init.output_files import OutputError, reason, refuse_input, replacing
from paddle_init.parity import ConfReading, resolve
from paddle_init.printable import printable

__all__ = ["Translation", "batch", "summary"]

ENDINGS = (".yaml", ".yml", ".conf")


@dataclass(frozen=True)
class Translation:
    """What became of one file; `output` is None where it could not be translated."""

    input: str
    output: str | None
    parameters: int
    warnings: tuple[str, ...]
    errors: tuple[str, ...]


def batch(
    names: Iterable[str], target: Target, folder: str, encoding: str | None, conf: ConfReading
) -> list[Translation]:
    """Translate files, and the confs in folders and below, to files of like names in `folder`.

    A folder's inner folders are kept. Two files that would be written to the same place are both
    named: the first is written, the other refused.
    """
    taken: dict[str, str] = {}
    results = []
    for name, relative in list(_files(names, folder)):
        path = os.path.join(folder, os.path.dirname(relative), target.file_name(relative))
        try:
            if path in taken:
                raise OutputError(f"{name}: {path} is already written from {taken[path]}")
            results.append(_translate(name, target, path, encoding, conf))
            taken[path] = name
        except PaddleInitError as error:
            results.append(Translation(name, None, 0, (), tuple(str(error).splitlines())))
    return results


def summary(results: list[Translation], form: str) -> str:
    """Write what became of every file, failures with their reasons."""
    if form == "json":
        return json.dumps([asdict(result) for result in results], indent=2) + "\n"
    done = sum(not result.errors for result in results)
    lines = [f"{done} of {len(results)} translated"]
    wide = max((len(result.input) for result in results), default=0)
    for result in results:
        if result.output is None:
            lines.append(f"failed  {result.input}")
            lines += [f"        {error}" for error in result.errors]
        else:
            told = f"{result.parameters} parameters"
            if result.warnings:
                told += f", {len(result.warnings)} warnings"
            lines.append(f"ok      {result.input:{wide}}  {result.output}  ({told})")
    return "".join(f"{printable(line)}\n" for line in lines)


def _translate(
    name: str, target: Target, path: str, encoding: str | None, conf: ConfReading
) -> Translation:
    (spec,) = resolve(name, encoding=encoding, conf=conf)
    refuse_input(path, input_files(spec))
    written = target.write(spec).encode()
    try:
        os.makedirs(os.path.dirname(path), exist_ok=True)
    except OSError as error:
        raise OutputError(f"{os.path.dirname(path)}: {reason(error, path)}") from error
    with replacing(path) as file:
        file.write(written)
    warnings = tuple(map(str, spec.notices))
    return Translation(name, path, len(spec.tensors), warnings, ())


def _files(names: Iterable[str], output: str) -> Iterator[tuple[str, str]]:
    """Yield every file with its path below the folder that was named; skip what we wrote."""
    for name in names:
        if not os.path.isdir(name):
            yield name, os.path.basename(name)
            continue
        confs = [path for path in _walk(name, os.path.realpath(output)) if path.endswith(ENDINGS)]
        if not confs:
            raise SpecError(f"{name}: no conf in this folder ({', '.join(ENDINGS)})")
        for path in confs:
            yield path, os.path.relpath(path, name)


def _walk(top: str, left_out: str) -> Iterator[str]:
    """Yield the files in a folder and below, sorted, without hidden ones and one folder."""
    for folder, inner, files in os.walk(top):
        paths = {name: os.path.join(folder, name) for name in sorted(inner)}
        inner[:] = [
            name
            for name, path in paths.items()
            if not name.startswith(".") and os.path.realpath(path) != left_out
        ]
        yield from (os.path.join(folder, name) for name in sorted(files) if name[0] != ".")
