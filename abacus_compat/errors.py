"""What abacus_compat refuses, named for the fact."""

from __future__ import annotations

from collections.abc import Collection

from paddle_init import languages
from paddle_init.errors import PaddleInitError, SpecError
from paddle_init.yaml_cpp import DocumentError


class AbacusCompatError(PaddleInitError):
    """Base of every error that abacus_compat adds to those of paddle_init."""


class ConfError(AbacusCompatError, DocumentError):
    """A conf is no conf that abacus can run; says everything that is wrong, in line order."""


class InexpressibleError(AbacusCompatError, SpecError):
    """A net spec says what no abacus conf can say."""


def listed(names: Collection[str]) -> str:
    """Names for a message: the first ten, and how many more."""
    return languages.listed(names, 10)
