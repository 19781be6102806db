"""Public names that are imported when first used, so that starting up stays quick."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from importlib import import_module


def lazily(package: str, homes: Mapping[str, str]) -> Callable[[str], object]:
    """Return a package's ``__getattr__``: each name of `homes` from its module, when asked for."""

    def look_up(name: str) -> object:
        if name not in homes:
            raise AttributeError(f"module {package!r} has no attribute {name!r}")
        return getattr(import_module(f"{package}.{homes[name]}"), name)

    return look_up
