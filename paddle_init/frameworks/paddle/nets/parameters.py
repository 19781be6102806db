"""Parameters as they are found: names, shapes, roles, and what their rows hold."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from paddle_init.distributions import (
    Constant,
    Given,
    Normal,
    Simple,
    TruncatedNormal,
    Uniform,
    Unknown,
    by_chance,
)
from paddle_init.errors import Notice, SchemeError, Source
from paddle_init.frameworks.paddle.nets import sentences as say
from paddle_init.schemes.base import Shape
from paddle_init.specs import DTYPES
from paddle_init.texts import number

FAMILIES: MappingProxyType[str, type[Normal | Uniform | TruncatedNormal | Constant]] = (
    MappingProxyType(
        {
            "normal": Normal,
            "uniform": Uniform,
            "truncated_normal": TruncatedNormal,
            "constant": Constant,
        }
    )
)


@dataclass(frozen=True)
class Part:
    """Rows of a parameter that one op fills; `op_seed` is 0 where it uses the global generator."""

    rows: int
    distribution: Simple
    op_seed: int = 0

    @property
    def random(self) -> bool:
        return by_chance(self.distribution)


@dataclass(frozen=True)
class Found:
    """One initialization of one parameter, from the first row down.

    `name` is Paddle's name of the parameter, `own_name` the net's, where it has one. `initializer`
    says what was asked to draw it, where that is known. `role` is empty where nothing says it.
    """

    name: str
    shape: Shape
    dtype: str
    parts: tuple[Part, ...]
    initializer: str = ""
    role: str = ""
    own_name: str = ""
    source: Source | None = field(default=None, compare=False)
    notices: tuple[Notice, ...] = field(default=(), compare=False)

    @property
    def shown(self) -> str:
        return self.own_name or self.name


def drawn(family: str, **numbers: float) -> Simple:
    """Return a distribution, or Unknown with the numbers where they are no distribution's."""
    kind = FAMILIES[family]
    try:
        return kind(**numbers)
    except SchemeError as error:
        shown = ", ".join(f"{name} {number(value)}" for name, value in numbers.items())
        return Unknown(say.IMPOSSIBLE(kind=kind.__name__, numbers=shown, error=error))


def is_impossible(held: Unknown) -> bool:
    """Tell numbers that no distribution has."""
    return getattr(held.description, "sentence", None) is say.IMPOSSIBLE


def given(values: ArrayLike) -> Simple:
    """Return what an initializer that only copies `values` holds."""
    kept = np.asarray(values).ravel()
    if kept.size and kept.tobytes() == kept[:1].tobytes() * kept.size:
        return drawn("constant", value=float(kept[0]))
    try:
        return Given(kept)
    except SchemeError:
        return Unknown(say.GIVEN_VALUES(count=kept.size), takes=0)


def unknown(name: str, shape: Shape, dtype: str, description: str) -> Found:
    """Return a parameter of which only name, shape and dtype are known."""
    part = Part(shape[0] if shape else 0, Unknown(description))
    return Found(name, shape, dtype, (part,))


# Paddle's own names of parameters of layers that are not fully connected
OTHERS = re.compile(
    r"(sync_)?(batch|data|group|instance|layer|rms|spectral)_norm\w*_\d+\."
    r"|(conv|embedding|gru|lstm|prelu|simple_rnn|rnn|bilinear)\w*_\d+\."
)


@dataclass(frozen=True)
class LayerParameter:
    """A parameter of a Layer: the names it has there, and its role."""

    parameter: Any
    names: tuple[str, ...]
    role: str


def is_dynamic(held: LayerParameter) -> bool:
    from paddle.base.framework import EagerParamBase

    return isinstance(held.parameter, EagerParamBase)


def layer_parameters(layer: Any) -> dict[str, LayerParameter]:
    """Return the parameters of a Layer by Paddle's names of them, in the Layer's order.

    Where two have one name, as after static graph was switched on and off, the second is found by
    its name in the Layer.
    """
    held: dict[str, LayerParameter] = {}
    keys: dict[int, str] = {}
    for prefix, owner in _owners(layer, "", ()):
        for own, parameter in owner._parameters.items():
            if parameter is None:
                continue
            name = prefix + own
            if (key := keys.get(id(parameter))) is not None:
                known = held[key]
                held[key] = LayerParameter(parameter, (*known.names, name), known.role)
                continue
            key = name if parameter.name in held else parameter.name
            keys[id(parameter)] = key
            held[key] = LayerParameter(parameter, (name,), _role(owner, own, parameter))
    return held


def buffer_names(layer: Any, held: Mapping[str, LayerParameter]) -> tuple[str, ...]:
    """Return the names in a Layer's state_dict that are no parameters."""
    parameters = {name for each in held.values() for name in each.names}
    names: dict[str, None] = {}
    for prefix, owner in _owners(layer, "", ()):
        left_out = owner._non_persistable_buffer_names_set
        for own, buffer in owner._buffers.items():
            if buffer is not None and own not in left_out and prefix + own not in parameters:
                names[prefix + own] = None
    return tuple(names)


def _owners(layer: Any, prefix: str, above: tuple[Any, ...]) -> Iterator[tuple[str, Any]]:
    """Yield a layer and those below it, each as often as it is used, with the names' prefix."""
    yield prefix, layer
    for name, inner in layer._sub_layers.items():
        if inner is not None and not any(inner is outer for outer in (*above, layer)):
            yield from _owners(inner, f"{prefix}{name}.", (*above, layer))


def role_by_shape(shape: tuple[int, ...], name: str = "") -> str:
    """Return what a parameter of an FC layer of this shape is; "other" where it can be none.

    `name` is Paddle's: one that it makes itself, such as ``layer_norm_0.w_0``, tells the layer.
    """
    if OTHERS.match(name):
        return "other"
    return {1: "bias", 2: "weight"}.get(len(shape), "other")


def _role(owner: Any, own: str, parameter: Any) -> str:
    kind = type(owner)
    if kind.__name__.endswith("Linear"):
        return {"weight": "weight", "bias": "bias"}.get(own, "other")
    if kind.__module__.startswith("paddle."):
        return "other"
    return role_by_shape(tuple(parameter.shape))


def shared_names(held: Mapping[str, LayerParameter]) -> list[Notice]:
    """Tell the parameters that a Layer holds under several names."""
    return [
        Notice(
            "shared-parameter",
            say.SHARED_PARAMETER(names=", ".join(each.names), name=each.names[0]),
            each.names[0],
        )
        for each in held.values()
        if len(each.names) > 1
    ]


def shape_and_dtype(parameter: Any) -> tuple[tuple[int, ...], str]:
    return tuple(int(n) for n in parameter.shape), dtype_of(parameter)


def dtype_of(parameter: Any) -> str:
    """Return the name of a dtype; Paddle's own has uint16 for bfloat16."""
    from paddle.base.data_feeder import convert_dtype

    name: str = convert_dtype(parameter.dtype)
    return "bfloat16" if name == "uint16" else name


def is_tensor(value: Any) -> bool:
    return hasattr(value, "inplace_version")


def left_out(found: Found) -> Notice | None:
    """Return a notice where a net spec cannot hold a parameter."""
    if found.dtype in DTYPES and found.shape:
        return None
    message = say.SINGLE_NUMBER(name=found.name)
    if found.shape:
        message = say.OF_DTYPE(name=found.name, dtype=found.dtype)
    return Notice("parameter-left-out", message, found.name, found.source)
