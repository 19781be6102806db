"""The API reference, from the docstrings of the public modules."""

from __future__ import annotations

import dataclasses
import inspect
import typing
from collections.abc import Callable, Iterator, Mapping
from importlib import import_module
from typing import Any

from docs.reference.markdown import docstring, fenced

__all__ = ["MODULES", "api_page"]

MODULES = ("paddle_init", "paddle_init.schemes", "paddle_init.testing", "abacus_compat")
HEAD = """\
# API

The public names of each module, generated from their docstrings by
`python -m docs.reference`. What is not here is not promised; see
[compatibility](compatibility.md)."""
LONG = 90


class _Bare(str):
    """An annotation that is written without quotes."""

    def __repr__(self) -> str:
        return str(self)


def api_page() -> str:
    links = "\n".join(f"- [{name}](#{name.replace('.', '')})" for name in MODULES)
    parts = [HEAD, links]
    for name in MODULES:
        module = import_module(name)
        parts += [f"## {name}", docstring(module.__doc__ or "")]
        for public in module.__all__:
            parts += [f"### `{public}`", *_entry(public, getattr(module, public))]
    return "\n\n".join(parts) + "\n"


def _entry(name: str, found: Any) -> Iterator[str]:
    if typing.get_origin(found) is not None or not (
        inspect.isclass(found) or inspect.isfunction(found)
    ):
        yield fenced(f"{name} = {_value(found)}")
    elif found.__name__ != name:
        yield f"The same as `{found.__name__}`."
    else:
        yield fenced(_class(found) if inspect.isclass(found) else _call(name, found))
        yield docstring(found.__doc__ or "")
        if inspect.isclass(found) and (members := list(_members(found))):
            yield "\n".join(members)


def _class(found: type) -> str:
    if dataclasses.is_dataclass(found):
        return _call(found.__name__, found)
    bases = ", ".join(base.__name__ for base in found.__bases__ if base is not object)
    return f"class {found.__name__}({bases})" if bases else f"class {found.__name__}"


def _members(found: type) -> Iterator[str]:
    """Yield methods and properties; what an exception or builtin brings along is no news."""
    for name, member in vars(found).items():
        if name.startswith("_"):
            continue
        getter = getattr(member, "fget", None) or getattr(member, "func", None)
        call = getter or getattr(member, "__func__", member)
        if not inspect.isfunction(call):
            continue
        shown = name if getter else _call(name, call, method=True)
        told = docstring(call.__doc__ or "").split("\n\n")[0]
        yield f"- `{shown}`" + (f": {told}" if told else "")


def _call(name: str, found: Callable[..., Any], method: bool = False) -> str:
    """Write a signature, one parameter a line where it is long."""
    signature = inspect.signature(found)
    parameters = [
        each.replace(annotation=_bare(each.annotation)) for each in signature.parameters.values()
    ]
    returned = inspect.Signature.empty
    if not inspect.isclass(found):
        returned = _bare(signature.return_annotation)
    bare = signature.replace(parameters=parameters[method:], return_annotation=returned)
    written = f"{name}{bare}"
    if len(written) <= LONG or method:
        return written
    tail = written[written.rindex(")") :]
    if returned is not inspect.Signature.empty:
        tail = f") -> {returned!r}"
    lines = "".join(f"    {each},\n" for each in _parameters(bare))
    return f"{name}(\n{lines}{tail}"


def _parameters(signature: inspect.Signature) -> Iterator[str]:
    starred = False
    for each in signature.parameters.values():
        if each.kind is each.VAR_POSITIONAL:
            starred = True
        if each.kind is each.KEYWORD_ONLY and not starred:
            starred = True
            yield "*"
        yield str(each)


def _bare(annotation: Any) -> Any:
    return _Bare(annotation) if isinstance(annotation, str) else annotation


def _value(found: Any) -> str:
    if isinstance(found, Mapping):
        return f"a mapping of {', '.join(found)}"
    return repr(found)
