"""Files to documents: what a path, bytes or a text hold, as C++ would read it."""

from __future__ import annotations

import errno
import gc
import os
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass

from paddle_init.errors import Notice
from paddle_init.files import NO_REGULAR_FILE, regular_file
from paddle_init.yaml_cpp.encodings import MAX_BYTES, decode
from paddle_init.yaml_cpp.events import compose
from paddle_init.yaml_cpp.nodes import DocumentError, Node, carrying


@contextmanager
def uncollected() -> Iterator[None]:
    """Build a tree without the collector's going through all of it again and again.

    It makes the time to read a conf grow faster than the conf. Afterwards, and where anything
    raises, the collector is as it was.
    """
    if not gc.isenabled():
        yield
        return
    gc.disable()
    try:
        yield
    finally:
        gc.enable()


class UnreadableFileError(DocumentError, OSError):
    """The system does not hand over the file."""


class MissingFileError(UnreadableFileError, FileNotFoundError):
    """There is no such file."""


class FolderInPlaceOfFileError(UnreadableFileError, IsADirectoryError):
    """A folder stands where a file was named."""


class NoRegularFileError(UnreadableFileError):
    """A pipe, a socket or a device stands where a file was named."""


class ForbiddenFileError(UnreadableFileError, PermissionError):
    """The file may not be read."""


@dataclass(frozen=True)
class Document:
    """A file's first document.

    Parameters
    ----------
    root : Scalar, Sequence or Mapping
        A null `Scalar` for an empty file.
    file : str
        As it was named.
    notices : tuple of Notice
        Where the file has what C++ passes over in silence. Codes: ``encoding``,
        ``duplicate-key``, ``second-document``, ``merge-key``.
    codec : str
        The encoding of its texts' bytes in C++: the file's own, or UTF-8 where that is Unicode.
    """

    root: Node
    file: str
    notices: tuple[Notice, ...] = ()
    codec: str = "utf-8"


def read_document(path: str | os.PathLike[str], *, encoding: str | None = None) -> Document:
    """Read a YAML file as yaml-cpp 0.7.0 does.

    Parameters
    ----------
    path : path
    encoding : str, optional
        A text encoding of Python that is Unicode or extends ASCII. By default that of the
        byte-order mark, else UTF-8, else GB18030 with a notice.

    Raises
    ------
    UnreadableFileError
        A missing file, a folder, a pipe or a device, a file without read permission (each its
        own subclass). Nothing is waited for.
    DocumentError
        Over 64 MiB, binary, in no known encoding, not YAML, or beyond another bound.
    """
    file = os.fspath(path)
    try:
        with regular_file(path) as stream:
            data = stream.read(MAX_BYTES + 1)
    except OSError as error:
        raise _unreadable(error, file) from None
    return parse_document(data, file, encoding=encoding)


def parse_document(
    data: bytes | str, file: str = "<text>", *, encoding: str | None = None
) -> Document:
    """Read YAML from bytes, or from a text, which is taken as UTF-8; see `read_document`."""
    if isinstance(data, str):
        data, encoding = data.encode("utf-8", "surrogatepass"), "utf-8"
    with uncollected():
        text = decode(data, file, encoding)
        with carrying(text.notices):
            root, notices = compose(text, file)
    return Document(root, file, text.notices + notices, text.codec or "utf-8")


def _unreadable(error: OSError, file: str) -> UnreadableFileError:
    if error.errno == errno.ENXIO:
        return NoRegularFileError.at(file, 0, NO_REGULAR_FILE)
    kinds: tuple[tuple[type[OSError], type[UnreadableFileError], str], ...] = (
        (FileNotFoundError, MissingFileError, "there is no such file"),
        (IsADirectoryError, FolderInPlaceOfFileError, "this is a folder; name a file"),
        (PermissionError, ForbiddenFileError, "there is no permission to read this file"),
        (OSError, UnreadableFileError, f"the file cannot be read: {error.strerror}"),
    )
    kind, message = next(
        (ours, text) for builtin, ours, text in kinds if isinstance(error, builtin)
    )
    return kind.at(file, 0, message)


def quoted(text: str) -> str:
    """Write a text in double quotes, on one line.

    Escapes are ``\\\\``, ``\\"`` and the hexadecimal ones: of the others, yaml-cpp and PyYAML
    read some differently. Escaped is, too, what `printable` escapes: a document may go to a log.
    """
    return f'"{"".join(map(_escaped, text))}"'.replace("##[", "##\\x5b")


def _escaped(char: str) -> str:
    if char in '\\"':
        return f"\\{char}"
    code = ord(char)
    if char.isprintable() or 0xD800 <= code < 0xE000:  # of a surrogate YAML has no escape
        return char
    if code < 0x100:
        return f"\\x{code:02x}"
    return f"\\u{code:04x}" if code < 0x10000 else f"\\U{code:08x}"
