"""A net named as ``module:object``, imported and read."""

from __future__ import annotations

import os
import sys
import warnings
from collections.abc import Iterator
from contextlib import contextmanager, redirect_stdout
from functools import reduce
from importlib import import_module
from typing import Any

from paddle_init.adapter.reading.net import read_net
from paddle_init.adapter.reading.sources import raising_line
from paddle_init.errors import SpecError, in_words
from paddle_init.specs import NetSpec
from paddle_init.spelling import did_you_mean

__all__ = ["imported_object", "importing", "read_object"]


def read_object(name: str) -> NetSpec:
    """Return the net spec of ``module:object``; the object may be an attribute's attribute.

    The current folder is importable. What the module and the function print goes to stderr.

    Raises
    ------
    SpecError
        The module cannot be imported or has no such object, or what it is cannot be read.
    """
    with importing(name):
        return read_net(_imported(name), origin=name)


def imported_object(name: str) -> Any:
    """Return the object that ``module:object`` names, imported as `read_object` does.

    Raises
    ------
    SpecError
        The module cannot be imported or has no such object.
    """
    with importing(name):
        return _imported(name)


@contextmanager
def importing(name: str) -> Iterator[None]:
    """Make the current folder importable and send prints to stderr; errors begin with `name`."""
    with _importable(os.getcwd()), redirect_stdout(sys.stderr):
        try:
            yield
        except SpecError as error:
            raise SpecError(f"{name}: {error}") from error


def _imported(name: str) -> Any:
    module_name, _, attribute = name.partition(":")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # Paddle's advice on how to build its extensions
        import paddle  # noqa: F401
    try:
        module = import_module(module_name)
    except (Exception, SystemExit) as error:
        message = f"importing {module_name} failed: {in_words(error)}"
        raise SpecError(message, raising_line(error)) from error
    try:
        return reduce(getattr, attribute.split("."), module)
    except AttributeError as error:
        names = [each for each in vars(module) if not each.startswith("_")]
        meant = did_you_mean(attribute, names)
        said = f"{module_name} has no {attribute}; it has {', '.join(names)}{meant}"
        raise SpecError(said) from error


@contextmanager
def _importable(folder: str) -> Iterator[None]:
    sys.path.insert(0, folder)
    try:
        yield
    finally:
        sys.path.remove(folder)
