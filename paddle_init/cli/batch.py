"""Many files translated at once: the good ones are written, the others say why not."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace
from types import MappingProxyType

from paddle_init.cli.inputs import STDIN, input_files, read_specs
from paddle_init.errors import Notice, PaddleInitError, SpecError
from paddle_init.files import OutputError, identities, reason, refuse_files, replacing
from paddle_init.frameworks.paddle.module_source import Identifiers
from paddle_init.frameworks.registry import home_nets, write_framework_document
from paddle_init.frameworks.resolving import ConfReading
from paddle_init.json_values import json_text
from paddle_init.specs import NetSpec
from paddle_init.specs.mapping import Pairing, dump_mapping
from paddle_init.specs.yaml_form import dump_spec
from paddle_init.texts import inert, printable
from paddle_init.yaml_cpp import DocumentError

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


# what Paddle and its requirements are imported as
PADDLE_IMPORTS = frozenset(
    """
    PIL abacus_compat anyio astor backports certifi click decorator google h11 httpcore httpx idna
    jaraco more_itertools networkx numpy opt_einsum packaging paddle paddle_init pkg_resources
    pygments rich safetensors setuptools sniffio typing_extensions
    """.split()  # noqa: SIM905
)
SHADOWED = sys.stdlib_module_names | PADDLE_IMPORTS


def file_names(sources: Iterable[str], ending: str) -> list[str]:
    """Name the file that each of `sources`, paths below one folder, is written to.

    The folders in a path are kept, and the ending replaced. A module (``.py``) gets a name that
    can be imported and is no other's. Where two files would have one name, the first keeps it and
    the others are numbered from 2.
    """
    wanted = [_file_name(source, ending) for source in sources]
    taken = set(wanted)
    seen: set[str] = set()
    names = []
    for name in wanted:
        names.append(_numbered(name, ending, taken) if name in seen else name)
        seen.add(name)
    return names


def _file_name(source: str, ending: str) -> str:
    folder, name = os.path.split(source)
    stem = os.path.splitext(name)[0]
    return os.path.join(folder, (module_name(stem) if ending == ".py" else stem) + ending)


def module_name(stem: str) -> str:
    """Return a name that reads like `stem` and that an import statement takes."""
    word = Identifiers(prefix="net_").new(stem)
    return f"net_{word}" if word in SHADOWED else word


def _numbered(name: str, ending: str, taken: set[str]) -> str:
    stem, count = name.removesuffix(ending), 2
    while f"{stem}_{count}{ending}" in taken:
        count += 1
    taken.add(f"{stem}_{count}{ending}")
    return f"{stem}_{count}{ending}"


@dataclass(frozen=True)
class Target:
    """A form that a spec is written in, and the ending of its files."""

    write: Callable[[NetSpec], str]
    ending: str


def _python(spec: NetSpec) -> str:
    return home_nets().python_module(spec)


def _mapping(spec: NetSpec) -> str:
    """Pair every parameter with one of its own name, for a person to change."""
    return dump_mapping(Pairing((name,), (name,)) for name in spec.tensor_by_name)


TARGETS: MappingProxyType[str, Target] = MappingProxyType(
    {
        "spec": Target(dump_spec, ".yaml"),
        "python": Target(_python, ".py"),
        "conf": Target(write_framework_document, ".yaml"),
        "mapping": Target(_mapping, ".yaml"),
    }
)


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
    """What is known of one input so far, what to write for it, and the files that were read."""

    result: Translation
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
            counts = _counted(result.parameters, "parameter")
            if result.warnings:
                counts += f", {_counted(len(result.warnings), 'warning')}"
            lines.append(f"ok      {name:{wide}}  {result.output}  ({counts})")
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
    result = Translation(name, None, len(spec.tensors), tuple(map(str, notices)), ())
    return _Rendering(result, text, files)


def _written(rendering: _Rendering, path: str, read: frozenset[tuple[int, int]]) -> Translation:
    if rendering.result.errors:
        return rendering.result
    folder = os.path.dirname(path)
    try:
        refuse_files(path, read)
        try:
            os.makedirs(folder, exist_ok=True)
        except OSError as error:
            raise OutputError(f"{folder}: {reason(error, path)}") from error
        with replacing(path) as file:
            file.write(rendering.text)
    except OutputError as error:
        return replace(rendering.result, parameters=0, errors=(str(error),))
    return replace(rendering.result, output=path)
