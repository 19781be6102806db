"""Many files translated at once: the good ones are written, the others say why not."""

from __future__ import annotations

import os
from collections.abc import Iterable
from dataclasses import dataclass, replace

from paddle_init.cli.gathering import gathered
from paddle_init.cli.inputs import input_files, read_specs
from paddle_init.cli.naming import file_names
from paddle_init.cli.targets import Target
from paddle_init.document import DocumentError
from paddle_init.errors import Notice, PaddleInitError
from paddle_init.json_values import json_text
from paddle_init.output_files import OutputError, identities, reason, refuse_files, replacing
from paddle_init.parity import ConfReading
from paddle_init.printable import inert, printable

__all__ = ["Translation", "batch", "summary"]


@dataclass(frozen=True)
class Translation:
    """What became of one file.

    `output` is None where it could not be translated, and where it was passed over: then there
    are no errors, and a warning says why.
    """

    input: str
    output: str | None
    parameters: int
    warnings: tuple[str, ...]
    errors: tuple[str, ...]


@dataclass(frozen=True)
class _Rendering:
    """What is told of one input so far, what to write for it, and the files that were read."""

    told: Translation
    text: bytes
    files: set[str]


def batch(
    names: Iterable[str], target: Target, folder: str, encoding: str | None, conf: ConfReading
) -> list[Translation]:
    """Translate files, and the confs in folders and below, to files of like names in `folder`.

    A folder's inner folders are kept; what is in a folder and no regular file is passed over. A
    file that is named twice, or by its folder too, is translated once. Files that would be written
    to one place are numbered. Everything is read before anything is written, and nothing that was
    read, by whichever of them, is written over.
    """
    inputs = gathered(names, folder)
    regular = [each for each in inputs if each.regular]
    outputs = file_names([each.relative for each in regular], target.ending)
    path_by_name = {
        each.name: os.path.join(folder, output)
        for each, output in zip(regular, outputs, strict=True)
    }
    rendered = {each.name: _rendered(each.name, target, encoding, conf) for each in regular}
    read = identities(file for each in rendered.values() for file in each.files)
    return [
        _written(rendered[each.name], path_by_name[each.name], read)
        if each.regular
        else _passed_over(each.name)
        for each in inputs
    ]


def summary(results: list[Translation], form: str) -> str:
    """Write what became of every file, failures with their reasons."""
    if form == "json":
        return json_text(results)
    done = sum(result.output is not None for result in results)
    tried = done + sum(bool(result.errors) for result in results)
    passed_over = f", {len(results) - tried} passed over" if tried < len(results) else ""
    lines = [f"{done} of {tried} translated{passed_over}"]
    wide = max((len(printable(result.input)) for result in results), default=0)
    for result in results:
        name = printable(result.input)
        if result.output is not None:
            told = _counted(result.parameters, "parameter")
            if result.warnings:
                told += f", {_counted(len(result.warnings), 'warning')}"
            lines.append(f"ok      {name:{wide}}  {result.output}  ({told})")
        elif result.errors:
            lines.append(f"failed  {name}")
            lines += [f"        {error}" for error in result.errors]
        else:
            lines.append(f"passed  {name:{wide}}  (no regular file)")
    return "".join(f"{inert(printable(line))}\n" for line in lines)


def _counted(number: int, noun: str) -> str:
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"


def _passed_over(name: str) -> Translation:
    warning = f"{name}: passed over, as this is a pipe, a socket or a device"
    return Translation(name, None, 0, (warning,), ())


def _rendered(name: str, target: Target, encoding: str | None, conf: ConfReading) -> _Rendering:
    files = {name}
    notices: tuple[Notice, ...] = ()
    try:
        (spec,) = read_specs([name], encoding, conf)
        files |= input_files(spec)
        notices = spec.notices
        text = target.write(spec).encode()
    except PaddleInitError as error:
        if isinstance(error, DocumentError):
            files |= {problem.source.file for problem in error.problems if problem.source}
            notices = error.notices
        errors = tuple(str(error).splitlines())
        return _Rendering(Translation(name, None, 0, tuple(map(str, notices)), errors), b"", files)
    told = Translation(name, None, len(spec.tensors), tuple(map(str, notices)), ())
    return _Rendering(told, text, files)


def _written(rendering: _Rendering, path: str, read: frozenset[tuple[int, int]]) -> Translation:
    if rendering.told.errors:
        return rendering.told
    try:
        refuse_files(path, read)
        _make_folder_of(path)
        with replacing(path) as file:
            file.write(rendering.text)
    except OutputError as error:
        return replace(rendering.told, parameters=0, errors=(str(error),))
    return replace(rendering.told, output=path)


def _make_folder_of(path: str) -> None:
    folder = os.path.dirname(path)
    try:
        os.makedirs(folder, exist_ok=True)
    except OSError as error:
        raise OutputError(f"{folder}: {reason(error, path)}") from error
