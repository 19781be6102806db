"""Which Paddle is installed, told without importing it."""

from __future__ import annotations

from functools import cache
from typing import Literal, TypeAlias

__all__ = ["VERSIONS", "Version", "installed_version"]

Version: TypeAlias = Literal["3.3.1", "2.6.2"]
VERSIONS: tuple[Version, ...] = ("3.3.1", "2.6.2")
PACKAGES = ("paddlepaddle", "paddlepaddle-gpu")


@cache
def installed_version() -> Version:
    """Return the version of `VERSIONS` that draws as the installed Paddle does.

    That of the same major version; 3.3.1 where no Paddle is installed.
    """
    found = next(filter(None, map(_version, PACKAGES)), "3")
    return "2.6.2" if found.startswith("2.") else "3.3.1"


def _version(package: str) -> str | None:
    from importlib.metadata import PackageNotFoundError, version  # slow to import

    try:
        return version(package)
    except PackageNotFoundError:
        return None
