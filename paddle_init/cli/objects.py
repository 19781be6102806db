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

    found = imported_object(text)
    if isinstance(found, type):
        found = found()
    if not callable(found):
        raise ActivationError(f"{text}: an activation is a function on arrays, got {found!r}")
    return found  # type: ignore[no-any-return]


def given_layer(text: str, seed: int) -> Any | None:
    """Return the paddle.nn.Layer that ``module:object`` names or its function builds, if it does.

    It is built after ``paddle.seed(seed)``; Paddle's generator is put back as it was.
    """
    if not names_object(text):
        return None
    from paddle_init.adapter.reading.importing import imported_object, importing
    from paddle_init.adapter.reading.sources import raising_line
    from paddle_init.errors import SpecError, in_words

    found = imported_object(text)
    import paddle

    if not callable(found) or isinstance(found, paddle.nn.Layer):
        return found if isinstance(found, paddle.nn.Layer) else None
    state = paddle.get_rng_state()
    paddle.seed(seed)
    with importing(text):
        try:
            built = found()
        except Exception as error:
            message = f"building the net failed: {in_words(error)}"
            raise SpecError(message, raising_line(error)) from error
        finally:
            paddle.set_rng_state(state)
    return built if isinstance(built, paddle.nn.Layer) else None
