"""How an activation is written: a name, a name with parameters, a widened curve, or a callable."""

from __future__ import annotations

import re
from collections.abc import Callable
from difflib import get_close_matches
from functools import cache, lru_cache
from importlib import import_module
from typing import Any, TypeAlias

import numpy as np

from paddle_init.activations.builtin import (
    ACTIVATIONS,
    Activation,
    ActivationError,
    Parameter,
    built_in,
    widened,
)
from paddle_init.activations.curves import Array
from paddle_init.errors import in_words

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
    tensors = _tensors()
    on_tensors = tensors.is_operator(function)
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
                if not tensors.is_imported():
                    raise _refusal(text, failed) from error
                on_tensors = True
        try:
            result = tensors.of_values(function, x)
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


@cache
def _tensors() -> Any:
    """What knows how a callable on tensors is called: found by name, since it stands above."""
    return import_module("paddle_init.frameworks.paddle.nets.operators")


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


Spec: TypeAlias = str | Activation | Callable[[Any], Any]

ALIASES = {"swish": "silu", "identity": "linear", "none": "linear"}
ACTIVATION_NAMES = (*ACTIVATIONS, *ALIASES)
_KNOWN = {name.replace("_", ""): name for name in ACTIVATION_NAMES}

NOT_ELEMENTWISE = {
    "softmax": "it couples the elements of a row",
    "logsoftmax": "it couples the elements of a row",
    "gumbelsoftmax": "it couples the elements of a row and is random",
    "glu": "it halves the width",
    "swiglu": "it halves the width",
    "maxout": "it takes the maximum over groups of channels",
    "rrelu": "its slope is random in training; in evaluation it is leaky_relu((lower + upper) / 2)",
}

_FORM = re.compile(
    r"(?P<name>[A-Za-z_]\w*?)(?P<width>\d+(?:\.\d*)?(?:e[+-]?\d+)?)?\s*(?:\((?P<inside>.*)\))?"
)
_WORDS: dict[str, Parameter] = {"true": True, "false": False, "tanh": True, "none": False}


def activation(spec: Spec) -> Activation:
    """Return the activation that `spec` means.

    Parameters
    ----------
    spec
        ``"gelu"``; ``"leaky_relu(0.2)"`` or ``"leaky_relu(negative_slope=0.2)"``, with the
        parameters of Paddle's function in their order; ``"tanh8"`` for the widened curve
        8 * tanh(x / 8), of any S-shaped curve; or a callable on arrays, a Paddle function or
        layer included. Case and underscores do not matter, so Paddle's layer names are read too.

    Raises
    ------
    ActivationError
        The name or a parameter is unknown; the callable, when called, returns NaN, infinity or
        another shape.
    """
    if isinstance(spec, Activation):
        return spec
    if isinstance(spec, str):
        return _parsed(spec)
    if callable(spec):
        return from_callable(spec)
    raise ActivationError(f"an activation is a name or a callable on arrays, got {spec!r}")


@lru_cache(maxsize=1024)
def _parsed(text: str) -> Activation:
    form = _FORM.fullmatch(text.strip())
    if form is None:
        raise ActivationError(
            f"cannot read the activation {text!r}; write name, name(value, ..) or name(key=value)"
        )
    stem, width = form["name"], form["width"]
    if width and _plain(stem + width) in _KNOWN:
        stem, width = stem + width, None
    name = _known_name(stem, text)
    defaults = ACTIVATIONS[name].defaults
    arguments = _arguments(name, form["inside"] or "")
    base = _canonical(name, tuple(item for item in arguments if item[1] != defaults.get(item[0])))
    if width is None:
        return base
    if not ACTIVATIONS[name].s_shaped:
        curves = ", ".join(key for key, item in ACTIVATIONS.items() if item.s_shaped)
        raise ActivationError(f"{text}: only an S-shaped curve is widened: {curves}")
    return _widened(base, float(width))


@lru_cache(maxsize=1024)
def _canonical(name: str, parameters: tuple[tuple[str, Parameter], ...]) -> Activation:
    return built_in(name, dict(parameters))


_widened = lru_cache(maxsize=256)(widened)


def _plain(name: str) -> str:
    return name.lower().replace("_", "")


def _known_name(stem: str, text: str) -> str:
    plain = _plain(stem)
    if plain in _KNOWN:
        return ALIASES.get(_KNOWN[plain], _KNOWN[plain])
    if plain in NOT_ELEMENTWISE:
        raise ActivationError(
            f"{text}: no function of one element, so it has no coefficient: "
            f"{NOT_ELEMENTWISE[plain]}"
        )
    near = [_KNOWN[match] for match in get_close_matches(plain, _KNOWN, 3, 0.5)]
    hint = f"did you mean {' or '.join(near)}?" if near else f"known: {', '.join(ACTIVATIONS)}"
    raise ActivationError(f"unknown activation {text!r}; {hint}")


def _arguments(name: str, inside: str) -> tuple[tuple[str, Parameter], ...]:
    allowed = tuple(ACTIVATIONS[name].defaults)
    pieces = [piece.strip() for piece in inside.split(",")] if inside.strip() else []
    if len(pieces) > len(allowed):
        takes = ", ".join(allowed) or "no parameters"
        raise ActivationError(f"{name} takes {takes}; got {len(pieces)}: ({inside})")
    found: dict[str, Parameter] = {}
    for position, piece in enumerate(pieces):
        key, equals, value = (part.strip() for part in piece.rpartition("="))
        if not equals:
            key = allowed[position]
        if key in found:
            raise ActivationError(f"{name}: {key} is given twice: ({inside})")
        found[key] = _value(name, key, value)
    return tuple(sorted(found.items()))


def _value(name: str, key: str, text: str) -> Parameter:
    flag = isinstance(ACTIVATIONS[name].defaults.get(key), bool)
    if flag and text.lower().strip("'\"") in _WORDS:
        return _WORDS[text.lower().strip("'\"")]
    try:
        if not flag:
            return float(text)
    except ValueError:
        pass
    wanted = "true or false" if flag else "a number"
    raise ActivationError(f"{name}: {key} must be {wanted}, got {text!r}")
