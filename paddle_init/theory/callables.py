"""A callable on arrays or on Paddle's tensors, made an activation and watched."""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import Any

import numpy as np

from paddle_init.errors import in_words
from paddle_init.theory.activations import Activation, ActivationError
from paddle_init.theory.curves import Array

__all__ = ["from_callable"]

_TRIED = np.linspace(-1.9, 2.0, 33)


def from_callable(function: Callable[[Any], Any]) -> Activation:
    """Return the activation; its error is an estimate, its slope one of differences.

    Raises
    ------
    ActivationError
        It is a class. When called: the function fails, returns NaN, infinity or another shape, or
        is no function of each element alone.
    """
    text = getattr(function, "__name__", None) or type(function).__name__
    if isinstance(function, type):
        raise ActivationError(f"{text}: is a class; give an object of it, as {text}()")
    on_tensors = any(base.__module__.startswith("paddle.") for base in type(function).__mro__)
    on_tensors |= (getattr(function, "__module__", None) or "").startswith("paddle.")
    tried = False

    def called(x: Array) -> Array:
        nonlocal on_tensors
        failed = ""
        if not on_tensors:
            try:
                return _checked(text, x, function(x.copy()))
            except ActivationError:
                raise
            except Exception as error:
                failed = _failure("an array", error)
                if "paddle" not in sys.modules:
                    raise _refusal(text, failed) from error
                on_tensors = True
        try:
            result = _through_tensors(function, x)
        except Exception as error:
            parts = filter(None, [failed, _failure("a tensor", error)])
            raise _refusal(text, ", ".join(parts)) from error
        return _checked(text, x, result)

    def values(x: Array) -> Array:
        nonlocal tried
        found = called(x)
        if not tried:
            _check_elementwise(text, called)
            tried = True
        return found

    def slope(x: Array) -> Array:
        step = 1e-3 * np.maximum(1.0, np.abs(x))
        near = values(x + step) - values(x - step)
        far = values(x + 2 * step) - values(x - 2 * step)
        return (8 * near - far) / (12 * step)

    return Activation(text=text, function=values, slope=slope, exact=False, call=function)


def _failure(given: str, error: Exception) -> str:
    return f"on {given} of float64: {in_words(error).rstrip('.')}"


def _refusal(text: str, failed: str) -> ActivationError:
    return ActivationError(
        f"{text}: fails {failed}; of a function of one number, numpy.vectorize makes one of arrays"
    )


def _through_tensors(function: Callable[[Any], Any], x: Array) -> Any:
    import paddle

    with paddle.no_grad():
        return function(paddle.to_tensor(x, dtype="float64"))


def _check_elementwise(text: str, called: Callable[[Array], Array]) -> None:
    whole = called(_TRIED)
    parts = [called(_TRIED[part][::-1])[::-1] for part in (slice(0, 11), slice(11, None))]
    if not np.allclose(
        whole, np.concatenate(parts), rtol=1e-2, atol=1e-3 * float(np.abs(whole).max())
    ):
        raise ActivationError(
            f"{text}: no function of one element: it couples the elements of an array, or is random"
        )


def _checked(text: str, x: Array, result: Any) -> Array:
    values = np.array(result.numpy() if hasattr(result, "numpy") else result)
    if values.shape != x.shape:
        raise ActivationError(
            f"{text}: must return an array of the shape it gets, {x.shape}, got {values.shape}"
        )
    if values.dtype.kind not in "biuf":
        raise ActivationError(f"{text}: must return real numbers, got dtype {values.dtype}")
    bad = ~np.isfinite(values)
    if bad.any():
        first = np.flatnonzero(bad)[0]
        raise ActivationError(
            f"{text}: returns {values.ravel()[first]} at x = {float(x.ravel()[first])!r}"
        )
    return values if values.dtype.kind == "f" else values.astype(np.float64)
