"""Paddle imported without its advice on how to build extensions."""

from __future__ import annotations

import warnings

__all__ = ["paddle_imported"]


def paddle_imported() -> None:
    """Import paddle; what it warns of on the way is not for users of a command."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        import paddle  # noqa: F401
