"""ParamAttrs, or whatever Paddle takes for one, as a net spec."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from paddle_init.adapter import sentences as say
from paddle_init.adapter.reading.assembling import assembled
from paddle_init.adapter.reading.found import Found, unknown
from paddle_init.adapter.reading.initializers import initializer_name, parts_of
from paddle_init.adapter.reading.layers import role_by_shape
from paddle_init.adapter.reading.traps import (
    kaiming_traps,
    number_traps,
    seed_traps,
    uninitialized,
)
from paddle_init.errors import Notice, SpecError
from paddle_init.specs import NetSpec, Tensor

__all__ = ["attrs_spec"]


def attrs_spec(attrs: Any, shapes: Any, dtype: str) -> NetSpec:
    """Return the net spec of attrs by name, or in order; see `read_net`.

    `shapes` may hold Tensors in place of shapes, which bring their roles and dtypes.
    """
    if shapes is None:
        raise SpecError("ParamAttrs do not say their parameters' shapes: give shapes")
    found: list[Found] = []
    notices: list[Notice] = []
    pairs, unused = _pairs(attrs, shapes)
    for key, attr, shape in pairs:
        each, told = _read(key, attr, shape, dtype)
        found += each
        notices += told
    if unused:
        message = say.UNUSED_ATTRS(names=", ".join(unused))
        notices.append(Notice("unused-attrs", message))
    return assembled(found, [*notices, *number_traps(found), *seed_traps(found)])


def _pairs(attrs: Any, shapes: Any) -> tuple[list[tuple[str, Any, Any]], list[str]]:
    """Return (name, attr, shape) of every parameter, and the attrs that are left over."""
    if isinstance(attrs, Mapping) != isinstance(shapes, Mapping):
        raise SpecError("attrs and shapes must both be mappings by name, or both be lists")
    if not isinstance(attrs, Mapping):
        attrs = {f"attr {index}": attr for index, attr in enumerate(attrs)}
        shapes = {f"attr {index}": shape for index, shape in enumerate(shapes)}
    if missing := [str(name) for name in shapes if name not in attrs]:
        raise SpecError(f"there is a shape but no attr for {', '.join(missing)}")
    pairs = [(str(name), attrs[name], shape) for name, shape in shapes.items()]
    return pairs, [str(name) for name in attrs if name not in shapes]


def _read(key: str, attr: Any, shape: Any, dtype: str) -> tuple[list[Found], list[Notice]]:
    import paddle

    role = ""
    if isinstance(shape, Tensor):
        shape, dtype, role = shape.shape, shape.dtype, shape.role
    shape = tuple(shape)
    try:
        made = paddle.ParamAttr._to_attr(attr)
    except (TypeError, ValueError, AssertionError) as error:
        raise SpecError(f"{key}: Paddle takes no such attr: {attr!r} ({error})") from error
    if made is False:
        return [], []
    if isinstance(made, list):
        raise SpecError(f"{key}: a list of {len(made)} attrs stands in place of one")
    name = made.name or key
    role = role or role_by_shape(shape)
    initializer = _initializer(made, role)
    if isinstance(initializer, type):
        why = f"the class {initializer_name(initializer)}, which fills nothing"
        each = unknown(name, shape, dtype, why)
        return [each], [uninitialized(each, initializer)]
    parts = parts_of(initializer, shape, dtype)
    each = Found(name, shape, dtype, parts, initializer_name(initializer), role)
    return [each], list(kaiming_traps(each, initializer))


def _initializer(attr: Any, role: str) -> Any:
    """Return the initializer that Paddle would take: the attr's, the global one, its default."""
    from paddle.base import initializer as common

    if attr.initializer is None:
        is_bias = role == "bias"
        weights, biases = common._global_weight_initializer(), common._global_bias_initializer()
        if (initializer := biases if is_bias else weights) is not None:
            return initializer
        (attr._set_default_bias_initializer if is_bias else attr._set_default_param_initializer)()
    return attr.initializer
