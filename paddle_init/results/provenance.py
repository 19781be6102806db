"""What made a result: the command, and the versions of everything that took part."""

from __future__ import annotations

import platform
from collections.abc import Mapping
from dataclasses import dataclass
from importlib import metadata

from paddle_init import __version__

PACKAGES = {
    "paddlepaddle": ("paddlepaddle", "paddlepaddle-gpu"),
    "numpy": ("numpy",),
    "PyYAML": ("PyYAML",),
}


@dataclass(frozen=True)
class Provenance:
    """How to make a result again.

    Parameters
    ----------
    command
        The command line, quoted for a shell; None where a program asked.
    versions
        Versions by name; a package that is not installed is left out.
    """

    command: str | None
    versions: Mapping[str, str]


def provenance(command: str | None = None) -> Provenance:
    """Return what this process is made of; no package is imported for it."""
    versions = {"paddle-init": __version__}
    for package, names in PACKAGES.items():
        for name in names:
            try:
                versions[package] = metadata.version(name)
            except metadata.PackageNotFoundError:
                continue
            break
    versions["Python"] = platform.python_version()
    system, _, release = platform.platform().partition("-")
    return Provenance(command, versions | {system: release})
