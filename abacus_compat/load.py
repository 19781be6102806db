"""Conf files to net specs."""

from __future__ import annotations

import os
from collections.abc import Mapping

from abacus_compat.conf import read_flat, read_section
from abacus_compat.includes import find_section
from abacus_compat.translate import translate
from paddle_init.document import Document, Problem, parse_document, read_document
from paddle_init.document.collection import uncollected
from paddle_init.document.problems import carrying
from paddle_init.schemes import Arithmetic
from paddle_init.specs import NetSpec

__all__ = ["conf_of", "load_conf", "parse_conf"]


def load_conf(
    path: str | os.PathLike[str],
    *,
    encoding: str | None = None,
    arithmetic: Arithmetic = "float64",
    storage_order: str = "F",
    root: str | os.PathLike[str] | None = None,
    widths: Mapping[str, int] | None = None,
) -> NetSpec:
    """Read an abacus conf: the flat form, a plugin section, or a whole training conf.

    Values are read as yaml-cpp reads them, and scales computed as abacus computes them.

    Parameters
    ----------
    path : path
    encoding : str, optional
        Of the conf and of a file it includes; detected by default.
    arithmetic : {"float64", "float32"}
        The type in which numbers are read and scales computed: abacus's double, or the float
        of the parameter server derived from it.
    storage_order : {"F", "C"}
        How a parameter's draws fill its matrix.
    root : path, optional
        The folder that an include may not leave; by default the conf's own.
    widths : mapping of str to int, optional
        Widths of inputs from outside, where the conf leaves them open: {"show_input": 200}.

    Returns
    -------
    NetSpec
        Of framework "abacus", with the layers, what its reader should know (`notices`), and for
        every draw, tensor and layer the line it stands on.

    Raises
    ------
    ConfError
        The conf contradicts itself or abacus; all reasons together, in line order.
    DocumentError
        The file is not YAML as yaml-cpp reads it, or cannot be read (`UnreadableFileError`).
    """
    document = read_document(path, encoding=encoding)
    top = os.path.dirname(document.file) if root is None else os.fspath(root)
    return conf_of(
        document,
        encoding=encoding,
        arithmetic=arithmetic,
        storage_order=storage_order,
        root=top,
        widths=widths,
    )


def parse_conf(
    text: str | bytes,
    file: str = "<text>",
    *,
    encoding: str | None = None,
    arithmetic: Arithmetic = "float64",
    storage_order: str = "F",
    root: str | os.PathLike[str] | None = None,
    widths: Mapping[str, int] | None = None,
) -> NetSpec:
    """Read a conf that is at hand as a text or as bytes; `file` names it in messages.

    Includes are refused unless `root` is given; they are then found beside `file`. Everything
    else is as for `load_conf`.
    """
    document = parse_document(text, file, encoding=encoding)
    top = None if root is None else os.fspath(root)
    return conf_of(
        document,
        encoding=encoding,
        arithmetic=arithmetic,
        storage_order=storage_order,
        root=top,
        widths=widths,
    )


@uncollected()
def conf_of(
    document: Document,
    *,
    encoding: str | None = None,
    arithmetic: Arithmetic = "float64",
    storage_order: str = "F",
    root: str | None = None,
    widths: Mapping[str, int] | None = None,
) -> NetSpec:
    """Build the net spec of a conf that is read already; the settings are those of `parse_conf`."""
    with carrying(document.notices):
        place = find_section(document, root, encoding)
    problems: list[Problem] = []
    read = read_flat if place.flat else read_section
    with carrying(place.notices):
        return translate(
            read(place.mapping, arithmetic, problems),
            problems,
            arithmetic=arithmetic,
            storage_order=storage_order,
            widths=widths,
            notices=place.notices,
            origin=document.file,
            included=place.files,
        )
