"""Activations and nets that a command is given as ``module:object``."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from paddle_init.parity.resolving import names_object
from paddle_init.theory.activations import ActivationError

__all__ = ["given_activation", "given_layer"]


def given_activation(text: str) -> str | Callable[[Any], Any]:
    """Return the function that ``module:function`` names, any other text as it is."""
    if not names_object(text):
        return text
    from paddle_init.adapter.reading.importing import imported_object
    from paddle_init.adapter.reading.user_code import called

    found = imported_object(text)
    if isinstance(found, type):
        found = called(found)
    if not callable(found):
        raise ActivationError(f"{text}: an activation is a function on arrays, got {found!r}")
    return found  # type: ignore[no-any-return]


def given_layer(text: str, seed: int) -> Any | None:
    """Return the paddle.nn.Layer that ``module:object`` names or its function builds, if it does.

    It is built after ``paddle.seed(seed)``; what the function changes elsewhere is put back.
    """
    if not names_object(text):
        return None
    from paddle_init.adapter.reading.importing import called_object

    found = called_object(text, seed)
    return found if hasattr(found, "named_sublayers") else None
