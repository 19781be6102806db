"""A net named as ``module:object``, imported and read."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass, replace
from functools import reduce
from importlib import import_module
from typing import Any

from paddle_init.errors import SpecError
from paddle_init.frameworks.paddle.nets.net import read_net
from paddle_init.frameworks.paddle.nets.user_code import (
    Defaults,
    called,
    kept_defaults,
    kept_process,
    kept_surroundings,
    paddle_imported,
    stdout_to_stderr,
)
from paddle_init.specs import NetSpec
from paddle_init.texts import did_you_mean


@dataclass(frozen=True)
class _Left:
    """What importing a module changed for the functions in it."""

    folder: str | None
    changes: Mapping[str, Any]


_left: dict[str, _Left] = {}


def read_object(name: str) -> NetSpec:
    """Return the net spec of ``module:object``; the object may be an attribute's attribute.

    The current folder is importable. What the module and the function print goes to stderr.

    Raises
    ------
    SpecError
        The module cannot be imported or has no such object, or what it is cannot be read.
    """
    with importing(name):
        return read_net(imported(name), origin=name)


def imported_object(name: str) -> Any:
    """Return the object that ``module:object`` names, imported as `read_object` does.

    Raises
    ------
    SpecError
        The module cannot be imported or has no such object.
    """
    with importing(name):
        return imported(name)


def called_object(name: str, seed: int | None = None) -> Any:
    """Return the object that ``module:object`` names; of a function, what it returns.

    It is called after ``paddle.seed(seed)``; what it changes elsewhere is put back. A Layer is
    returned as it is.

    Raises
    ------
    SpecError
        As `imported_object` does; or the function fails.
    """
    with importing(name):
        found = imported(name)
        import paddle

        if isinstance(found, paddle.nn.Layer) or not callable(found):
            return found
        with kept_surroundings():
            if seed is not None:
                paddle.seed(seed)
            return called(found)


@contextmanager
def importing(name: str) -> Iterator[None]:
    """Run code of ``module:object`` as if it were alone; errors begin with `name`.

    The current folder is importable, prints go to stderr, the module sees no arguments of ours,
    and what it does to the process and to Paddle's modes and defaults is put back after.
    """
    with kept_process(), stdout_to_stderr(), _importable(os.getcwd()), _no_arguments(name):
        paddle_imported()
        with kept_defaults():
            try:
                yield
            except SpecError as error:
                raise SpecError(f"{name}: {error}") from error


def imported(name: str) -> Any:
    """Return the object that ``module:object`` names; to be called inside `importing`.

    What the module changed of folder, modes and defaults when it was first imported holds again.
    """
    module_name, _, attribute = name.partition(":")
    module = sys.modules.get(module_name)
    if module is None:
        module = _first_imported(module_name)
    elif left := _left.get(module_name):
        if left.folder is not None:
            with suppress(OSError):
                os.chdir(left.folder)
        replace(Defaults.now(), **left.changes).restore()
    return called(lambda: _attribute(module, attribute), f"looking up {attribute}")


def _attribute(module: Any, name: str) -> Any:
    """Return an attribute's attribute; a property or the module may run code for it."""
    try:
        return reduce(getattr, name.split("."), module)
    except AttributeError as error:
        names = [each for each in vars(module) if not each.startswith("_")]
        meant = did_you_mean(name, names)
        said = f"{module.__name__} has no {name}; it has {', '.join(names)}{meant}"
        raise SpecError(said) from error


def _first_imported(module: str) -> Any:
    folder, defaults = os.getcwd(), Defaults.now()
    found = called(lambda: import_module(module), f"importing {module}")
    now = os.getcwd()
    _left[module] = _Left(now if now != folder else None, Defaults.now().changes(defaults))
    return found


@contextmanager
def _importable(folder: str) -> Iterator[None]:
    path = sys.path
    path.insert(0, folder)
    try:
        yield
    finally:
        sys.path = path
        with suppress(ValueError):
            path.remove(folder)


@contextmanager
def _no_arguments(name: str) -> Iterator[None]:
    arguments = sys.argv
    sys.argv = [name.partition(":")[0]]
    try:
        yield
    finally:
        sys.argv = arguments
