"""Where a conf keeps its section: at the top, under plugins, or in another file."""

from __future__ import annotations

import os
from collections.abc import Iterator
from dataclasses import dataclass, replace

from abacus_compat.errors import ConfError, listed
from paddle_init.errors import Notice, Source, setting
from paddle_init.texts import nearest
from paddle_init.yaml_cpp import (
    Document,
    Mapping,
    Problem,
    Scalar,
    UnreadableFileError,
    read_document,
)

KEY = "dnn_plugin"
SECTION_MARKS = ("param", "layer")
FLAT_MARKS = ("init_range", "rown", "coln", "scale_by_rown")
SECTION_FORMS = (
    "a plugin section (global_init_range, param, layer), or a training conf with plugins"
)
FORMS = f"one parameter's values (init_range, rown, ...), {SECTION_FORMS}"


@dataclass(frozen=True)
class Place:
    """The mapping that says how a net is initialized, and of the files on its way, the notices.

    `files` are those files but for the first.
    """

    mapping: Mapping
    flat: bool
    notices: tuple[Notice, ...] = ()
    files: tuple[str, ...] = ()


def find_section(document: Document, root: str | None, encoding: str | None) -> Place:
    """Find what a conf says of initialization, in this file or in one that it includes.

    Includes may not leave the folder `root`; None where there is none to include from.

    Raises
    ------
    ConfError
        None of the three forms; an include that leads back to a file on its way, or out of
        `root`.
    UnreadableFileError
        An include that is not there or cannot be read.
    """
    notices = document.notices
    files: tuple[str, ...] = ()
    visited = [os.path.realpath(document.file)]
    while True:
        found = _section_or_include(document, included=len(visited) > 1)
        if isinstance(found, Place):
            return replace(found, notices=notices, files=files)
        path = _path(found, document.codec, root)
        if os.path.realpath(path) in visited:
            message = f"{found.text} leads back to itself; name a file with a section"
            raise _error(message, found.source(KEY))
        document = _read(found, path, encoding)
        visited.append(os.path.realpath(path))
        notices += document.notices
        files += (path,)


def _section_or_include(document: Document, *, included: bool) -> Place | Scalar:
    top = document.root
    forms = SECTION_FORMS if included else FORMS
    if not isinstance(top, Mapping):
        raise _error(f"expected {forms}; found {top.kind}", top.source())
    if "plugins" in top:
        plugins = top.get("plugins")
        if not isinstance(plugins, Mapping) or "dnn_plugin" not in plugins:
            where = top.source("plugins")
            message = "expected a mapping with dnn_plugin, a section or the path of one"
            if isinstance(plugins, Mapping) and (near := nearest(KEY, plugins)):
                where = plugins.source(near)
                message += f"; did you mean {KEY} by {near}?"
            raise _error(message, where)
        section = plugins.get("dnn_plugin")
        if isinstance(section, Mapping):
            return Place(section, False)
        if isinstance(section, Scalar) and section.text and not section.null:
            return section
        found = section.kind if section else "nothing"
        where = plugins.source("dnn_plugin")
        raise _error(f"expected a section or the path of one, found {found}", where)
    if any(key in top for key in SECTION_MARKS):
        return Place(top, False)
    if any(key in top for key in FLAT_MARKS) and not included:
        return Place(top, True)
    found = f"the keys {listed(top)}" if top else top.kind
    if "paddle_init" in top:
        found = "a net spec, which paddle_init.load_spec reads"
    marks = ("plugins", *SECTION_MARKS, *FLAT_MARKS)
    for key in top:
        if key not in marks and (mark := nearest(key, marks, 0.75)):
            message = f"expected {forms}; found {found}; did you mean {mark} by {key}?"
            raise _error(message, top.source(key))
    raise _error(f"expected {forms}; found {found}", top.source())


def _path(include: Scalar, codec: str, root: str | None) -> str:
    source = include.source(KEY)
    if root is None:
        raise _error(f"{include.text} is another file; a text has no folder to find it in", source)
    folder = os.path.dirname(include.file)
    paths = [os.path.join(folder, name) for name in _names(include.text, codec)]
    path = next(filter(os.path.lexists, paths), paths[0])
    try:
        top, real = os.path.realpath(root), os.path.realpath(path)
    except ValueError:
        raise _error(f"{include.text!a} is no path", source) from None
    if os.path.commonpath((top, real)) != top:
        message = f"{include.text} lies outside the folder {root or os.curdir}"
        by = setting("as root", "with --root")
        raise _error(f"{message}; name a folder that holds both files {by}", source)
    return path


def _names(text: str, codec: str) -> Iterator[str]:
    """The name whose bytes C++ opens, whatever the locale; then that of a file renamed to UTF-8."""
    yield text if text.isascii() else os.fsdecode(text.encode(codec))
    yield os.fsdecode(text.encode())


def _read(include: Scalar, path: str, encoding: str | None) -> Document:
    try:
        return read_document(path, encoding=encoding)
    except UnreadableFileError as error:
        message = f"{include.text}: {error.problems[0].message}"
        raise type(error)(Problem(message, include.source(KEY))) from None


def _error(message: str, source: Source) -> ConfError:
    return ConfError(Problem(message, source))
