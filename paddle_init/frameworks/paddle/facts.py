"""What a net spec of Paddle may say, and which Paddle is installed, told without importing it."""

from __future__ import annotations

from functools import cache
from typing import Literal, TypeAlias

from paddle_init.languages import Sentence
from paddle_init.specs import FrameworkFacts

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


FACTS = FrameworkFacts(
    name="paddle",
    label=Sentence("Paddle", "Paddle 侧"),
    place=Sentence("in Paddle", "Paddle 侧"),
    implementation="paddle_init.frameworks.paddle.draws:PaddleFramework",
    engines=("mt19937_64",),
    seed_keys=("seed", "op_seed"),
    restarts=True,
    overwrites=True,
    op_per_tensor=True,
    versions=VERSIONS,
    nets="paddle_init.frameworks.paddle",
)
