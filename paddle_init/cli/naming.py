"""What the files of a batch are called: the same for the same inputs, and no two alike."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterable

from paddle_init.python_module.text import Identifiers

__all__ = ["file_names"]

# what Paddle and its requirements are imported as
PADDLE_IMPORTS = frozenset(
    """
    PIL abacus_compat anyio astor backports certifi click decorator google h11 httpcore httpx idna
    jaraco more_itertools networkx numpy opt_einsum packaging paddle paddle_init pkg_resources
    pygments rich safetensors setuptools sniffio typing_extensions
    """.split()  # noqa: SIM905
)
SHADOWED = sys.stdlib_module_names | PADDLE_IMPORTS


def file_names(sources: Iterable[str], ending: str) -> list[str]:
    """Name the file that each of `sources`, paths below one folder, is written to.

    The folders in a path are kept, and the ending replaced. A module (``.py``) gets a name that
    can be imported and is no other's. Where two files would have one name, the first keeps it and
    the others are numbered from 2.
    """
    wanted = [_file_name(source, ending) for source in sources]
    taken = set(wanted)
    seen: set[str] = set()
    names = []
    for name in wanted:
        names.append(_numbered(name, ending, taken) if name in seen else name)
        seen.add(name)
    return names


def _file_name(source: str, ending: str) -> str:
    folder, name = os.path.split(source)
    stem = os.path.splitext(name)[0]
    return os.path.join(folder, (module_name(stem) if ending == ".py" else stem) + ending)


def module_name(stem: str) -> str:
    """Return a name that reads like `stem` and that an import statement takes."""
    word = Identifiers(prefix="net_").new(stem)
    return f"net_{word}" if word in SHADOWED else word


def _numbered(name: str, ending: str, taken: set[str]) -> str:
    stem, count = name.removesuffix(ending), 2
    while f"{stem}_{count}{ending}" in taken:
        count += 1
    taken.add(f"{stem}_{count}{ending}")
    return f"{stem}_{count}{ending}"
