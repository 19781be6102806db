"""ParamAttrs, or whatever Paddle takes for one, as a net spec."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from paddle_init.distributions import Unknown
from paddle_init.errors import Notice, Source, SpecError
from paddle_init.frameworks.paddle.nets import sentences as say
from paddle_init.frameworks.paddle.nets.assembling import assembled
from paddle_init.frameworks.paddle.nets.initializer_draws import initializer_name, parts_of
from paddle_init.frameworks.paddle.nets.parameters import (
    Found,
    Held,
    Part,
    role_by_shape,
    shape_and_dtype,
    unknown,
)
from paddle_init.frameworks.paddle.nets.seeding import (
    kaiming_traps,
    number_traps,
    seed_traps,
    uninitialized,
)
from paddle_init.specs import NetSpec, Tensor


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


def unfilled(key: str, parameter: Any, own: Held | None, why: str) -> tuple[Found, list[Notice]]:
    """Return a parameter that no initializer was seen to fill; `why` says how that may be."""
    blank = blank_found(key, parameter, own)
    waiting = getattr(parameter, "_init_func", None)
    if waiting is None:
        return _unknown(blank, why), []
    if parameter._is_initialized():
        return _unknown(blank, say.LOADED()), []
    initializer = getattr(waiting, "func", waiting).__self__
    parts = parts_of(initializer, blank.shape, blank.dtype)
    each = replace(blank, parts=parts, initializer=initializer_name(initializer))
    return each, list(kaiming_traps(each, initializer))


def with_initializers(
    found: tuple[Found, ...], asked: Mapping[str, Any], held: Mapping[str, Held] | None = None
) -> tuple[list[Found], list[Notice]]:
    """Add to what a startup program holds which initializers wrote it, and a Layer's names."""
    named: list[Found] = []
    notices: list[Notice] = []
    for each in found:
        if held and each.name in held:
            own = held[each.name]
            each = replace(each, role=own.role, own_name=own.names[0])
        initializer = asked.get(each.name)
        if initializer is not None:
            each = replace(each, initializer=initializer_name(initializer))
            notices += kaiming_traps(each, initializer)
        named.append(each)
    return named, notices


def blank_found(key: str, parameter: Any, own: Held | None, source: Source | None = None) -> Found:
    """Return a parameter of which all but its initializer is known."""
    shape, dtype = shape_and_dtype(parameter)
    role, own_name = (own.role, own.names[0]) if own else ("", "")
    return Found(key, shape, dtype, (), role=role, own_name=own_name, source=source)


def _unknown(blank: Found, why: str) -> Found:
    """Return a parameter of unknown values, which drawing did not bring about."""
    rows = blank.shape[0] if blank.shape else 1
    return replace(blank, parts=(Part(rows, Unknown(why, takes=0)),))
