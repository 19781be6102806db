"""What a SPEC names, an abacus conf, a net spec or a net of Paddle, read into a NetSpec."""

from __future__ import annotations

import os
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, TypeAlias

from paddle_init.errors import SpecError
from paddle_init.frameworks.registry import home_nets, read_framework_document
from paddle_init.schemes import Arithmetic
from paddle_init.specs import NetSpec
from paddle_init.specs.yaml_form import is_spec, spec_of
from paddle_init.yaml_cpp import Document, read_document

__all__ = ["ConfReading", "SpecLike", "names_object", "resolve"]

SpecLike: TypeAlias = NetSpec | Document | str | os.PathLike[str]

OBJECT = re.compile(r"[A-Za-z_][\w.]*:[A-Za-z_][\w.]*")


@dataclass(frozen=True)
class ConfReading:
    """How confs are read; see `abacus_compat.load_conf`. None stands for its default."""

    arithmetic: Arithmetic | None = None
    storage_order: str | None = None
    root: str | None = None
    widths: Mapping[str, int] = field(default_factory=dict)

    @property
    def given(self) -> dict[str, Any]:
        """The settings that are not the default."""
        return {name: value for name, value in vars(self).items() if value}


def resolve(
    *specs: SpecLike, encoding: str | None = None, conf: ConfReading | None = None
) -> tuple[NetSpec, ...]:
    """Return the net specs that `specs` are or name.

    Each is an abacus conf or a net spec, as a file or as a document; or ``module:object``: a
    Layer or a Program of Paddle, or a function that builds one, read by `read_net`. The current
    folder is importable.

    Parameters
    ----------
    encoding : str, optional
        Of every file; detected by default.
    conf : ConfReading, optional
        How the confs among them are read. A net spec says these things itself.

    Raises
    ------
    DocumentError
        A file is missing, or neither an abacus conf nor a net spec.
    SpecError
        A ``module:object`` cannot be imported, is no net or fails to build one; or `conf` sets
        something and none of `specs` is a conf.
    """
    opened = [_open(spec, encoding) for spec in specs]
    settings = conf.given if conf else {}
    if settings and not any(isinstance(item, Document) and not is_spec(item) for item in opened):
        options = ", ".join(name.replace("_", " ") for name in settings)
        names = [spec.file if isinstance(spec, Document) else str(spec) for spec in specs]
        raise SpecError(
            f"{', '.join(names)}: {options} can be set for abacus confs alone; "
            "a net spec states its own"
        )
    return tuple(
        item if isinstance(item, NetSpec) else _read(item, encoding, settings) for item in opened
    )


def names_object(text: str) -> bool:
    """Tell whether a text names a ``module:object`` and no file that exists."""
    return bool(OBJECT.fullmatch(text)) and not os.path.exists(text)


def _open(spec: SpecLike, encoding: str | None) -> NetSpec | Document:
    if isinstance(spec, (NetSpec, Document)):
        return spec
    path = os.fspath(spec)
    if names_object(path):
        return home_nets().read_object(path)
    return read_document(path, encoding=encoding)


def _read(document: Document, encoding: str | None, settings: Mapping[str, Any]) -> NetSpec:
    if is_spec(document):
        return spec_of(document)
    settings = {"root": os.path.dirname(document.file), **settings}
    return read_framework_document(document, encoding=encoding, **settings)
