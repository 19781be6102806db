"""The one error of this package."""

from __future__ import annotations

from paddle_init.errors import SpecError

__all__ = ["CannotDrawError"]


class CannotDrawError(SpecError):
    """A framework has no way to draw what a spec asks of it."""
