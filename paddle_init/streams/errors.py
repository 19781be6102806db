"""The one error of this package."""

from __future__ import annotations

from paddle_init.errors import PaddleInitError

__all__ = ["StreamError"]


class StreamError(PaddleInitError, ValueError):
    """An engine, a seed, a request or a saved state that no stream can have."""
