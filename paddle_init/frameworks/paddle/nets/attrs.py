"""Distributions as Paddle's initializers, schemes and net specs as paddle.ParamAttr."""

from __future__ import annotations

import math
import warnings
from collections.abc import Iterator, Mapping, Sequence
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Literal, TypedDict

import numpy as np

from paddle_init.distributions import (
    Blocks,
    Constant,
    Distribution,
    Given,
    Normal,
    TruncatedNormal,
    Uniform,
    Unknown,
)
from paddle_init.dtypes import RANGES, overflows
from paddle_init.errors import SchemeError, SpecError
from paddle_init.frameworks.paddle.nets import sentences as say
from paddle_init.schemes import Scheme, describe
from paddle_init.schemes.base import dimensions
from paddle_init.specs import NetSpec, Tensor
from paddle_init.texts import did_you_mean

if TYPE_CHECKING:
    import paddle


class InitializerWarning(UserWarning):
    """Paddle draws something else than the numbers say; `code` is stable.

    Codes: ``underflow`` (the values round to 0 in the dtype) and ``far-cutoff`` (the mean lies so
    far outside a truncated normal's cutoffs that Paddle's float32 arithmetic distorts it).
    """

    def __init__(self, code: str, message: str) -> None:
        super().__init__(code, message)
        self.code = code

    def __str__(self) -> str:
        return "[{}] {}".format(*self.args)


def check_drawable(distribution: Distribution, dtype: str) -> None:
    """Refuse what Paddle would draw as inf or NaN in `dtype`; warn of what it would distort.

    A constant is written in `dtype`. What is drawn takes its numbers as float32, whatever the
    dtype, so they have to lie in both ranges.

    Raises
    ------
    SchemeError
        The dtype or the distribution is unknown, a number overflows, or a truncated normal of
        std 0 lies outside its cutoffs.
    """
    if dtype not in RANGES:
        meant = did_you_mean(dtype, RANGES)
        raise SchemeError(f"dtype must be one of {', '.join(RANGES)}, got {dtype!r}{meant}")
    match distribution:
        case Unknown(description):
            raise SchemeError(say.UNKNOWN_INITIALIZER(description=description))
        case Blocks(parts):
            for part in parts:
                check_drawable(part.distribution, dtype)
        case Constant(value):
            _check_range(distribution, dtype, dtype, value)
        case Normal(mean, std):
            _check_range(distribution, dtype, "float32", std, mean)
        case Uniform(low, high):
            _check_range(distribution, dtype, "float32", max(-low, high), low, high)
            if dtype != "float64" and overflows(high - low, "float32"):
                raise SchemeError(say.SPAN_OVERFLOWS(drawn=describe(distribution)))
        case TruncatedNormal(mean, std, low, high):
            _check_range(distribution, dtype, "float32", std, mean)
            outside = max(low - mean, mean - high)
            if outside > 0 and std == 0:
                raise SchemeError(say.NOTHING_BETWEEN(drawn=describe(distribution)))
            if outside > 2 * std:
                _warn(
                    "far-cutoff",
                    f"{describe(distribution)}: the mean is {outside / std:.3g} stds outside the "
                    "cutoffs; Paddle's float32 arithmetic distorts such a tail, from about 6 stds "
                    "down to a single value",
                )


def _check_range(
    distribution: Distribution, dtype: str, drawn_in: str, spread: float, *others: float
) -> None:
    """Check the size of the values, `spread`, and the other numbers against both dtypes."""
    for name in (drawn_in, dtype):
        smallest, largest = RANGES[name]
        for value in (spread, *others):
            if overflows(value, name):
                raise SchemeError(
                    say.NUMBER_OVERFLOWS(
                        drawn=describe(distribution),
                        value=f"{value:g}",
                        dtype=name,
                        largest=f"{largest:g}",
                    )
                )
        if 0 < abs(spread) < smallest:
            _warn(
                "underflow",
                f"{describe(distribution)}: {spread:g} is below the smallest positive {name}, "
                f"{smallest:g}; the values round to 0",
            )
            return


def _warn(code: str, message: str) -> None:
    warnings.warn(InitializerWarning(code, message), stacklevel=2)


def initializer(
    distribution: Distribution, dtype: str = "float32"
) -> paddle.nn.initializer.Initializer:
    """Return the Paddle initializer that draws `distribution`.

    Parameters
    ----------
    distribution
        Normal, Uniform, TruncatedNormal and Constant become Paddle's own initializers; Blocks a
        RowBlocks of them.
    dtype
        The parameter's dtype, for the checks: the initializer itself serves any.

    Raises
    ------
    SchemeError
        Paddle cannot draw it: see `check_drawable`. Paddle 2 has fixed cutoffs, mean +- 2 std.
    """
    check_drawable(distribution, dtype)
    return _built(distribution)


def _built(distribution: Distribution) -> paddle.nn.initializer.Initializer:
    from paddle.nn import initializer as own

    match distribution:
        case Normal(mean, std):
            return own.Normal(mean, std)
        case Uniform(low, high):
            return own.Uniform(low, high)
        case TruncatedNormal():
            return _truncated(distribution)
        case Constant(value):
            return own.Constant(value)
        case Blocks(parts):
            from paddle_init.frameworks.paddle.nets.standalone import RowBlocks

            return RowBlocks(*((part.rows, _built(part.distribution)) for part in parts))
        case Given():
            raise SchemeError(say.GIVEN_WITHOUT_SHAPE())
        case Unknown(description):
            raise SchemeError(f"an initializer that is not known cannot be built: {description}")


def _truncated(drawn: TruncatedNormal) -> paddle.nn.initializer.Initializer:
    from paddle_init.frameworks.paddle.nets.standalone import truncated_normal

    try:
        return truncated_normal(drawn.mean, drawn.std, drawn.low, drawn.high)
    except ValueError as error:
        raise SchemeError(f"{describe(drawn)}: {error}") from None


class NotASchemeError(SchemeError, TypeError):
    """Something else stands where a scheme or a distribution belongs."""


class LinearAttrs(TypedDict):
    """The keywords of paddle.nn.Linear and paddle.static.nn.fc."""

    weight_attr: paddle.ParamAttr
    bias_attr: paddle.ParamAttr | Literal[False]


def param_attr(
    scheme: Scheme | Distribution,
    shape: Sequence[int],
    *,
    name: str | None = None,
    learning_rate: float = 1.0,
    regularizer: paddle.regularizer.WeightDecayRegularizer | None = None,
    trainable: bool = True,
    do_model_average: bool = True,
    need_clip: bool = True,
    dtype: str = "float32",
) -> paddle.ParamAttr:
    """Return the ParamAttr of one parameter, for dynamic and static graph.

    Parameters
    ----------
    scheme
        A scheme, or the distribution itself.
    shape
        The parameter's shape, integers in [1, inf): [in, out] for the weight of a Linear.
    name, learning_rate, regularizer, trainable, do_model_average, need_clip
        Passed on to paddle.ParamAttr.
    dtype
        The parameter's dtype: float32, float64, float16 or bfloat16. A ParamAttr has none; it
        decides which numbers are refused.

    Raises
    ------
    NotASchemeError
        A class, or one of Paddle's initializers, stands in place of a scheme.
    SchemeError
        The scheme does not fit the shape, or Paddle cannot draw the numbers in `dtype`.

    Warns
    -----
    InitializerWarning
        Paddle will draw something else than the numbers say.

    Notes
    -----
    Paddle takes the mean, std and bounds of what it draws as float32, for float64 parameters too.
    """
    import paddle

    sides = dimensions("param_attr", shape, 1)
    drawn = _distribution(scheme, sides)
    return paddle.ParamAttr(
        name=name,
        initializer=_initializer(drawn, sides, dtype),
        learning_rate=learning_rate,
        regularizer=regularizer,
        trainable=trainable,
        do_model_average=do_model_average,
        need_clip=need_clip,
    )


def _distribution(scheme: Scheme | Distribution, shape: tuple[int, ...]) -> Distribution:
    if isinstance(scheme, type):
        raise NotASchemeError(
            f"param_attr: got the class {scheme.__name__}; give an instance of a scheme, "
            "such as paddle_fc(0.2)"
        )
    drawn = scheme
    if not isinstance(drawn, Distribution):
        if not isinstance(scheme, Scheme):
            raise NotASchemeError(
                f"param_attr: {scheme!r} is neither a scheme, such as paddle_fc(0.2), nor a "
                "distribution, such as Normal(0, 0.1) of paddle_init.distributions; one of "
                "Paddle's initializers goes into paddle.ParamAttr directly"
            )
        drawn = scheme(shape)
    if isinstance(drawn, Blocks):
        if any(isinstance(part.distribution, Given) for part in drawn.parts):
            raise SchemeError(f"param_attr: {say.GIVEN_AMONG_ROWS()}")
        rows = sum(part.rows for part in drawn.parts)
        if rows != (shape[0] if shape else 0):
            raise SchemeError(f"param_attr: the blocks have {rows} rows, the shape {list(shape)}")
    if isinstance(drawn, Given) and drawn.values.size != math.prod(shape):
        raise SchemeError(
            f"param_attr: {drawn.values.size} values are given, the shape {list(shape)} has "
            f"{math.prod(shape)}"
        )
    return drawn


class ParamAttrs(Mapping[str, "paddle.ParamAttr"]):
    """The ParamAttr of every tensor of a net spec, by the tensor's name."""

    def __init__(self, spec: NetSpec, attrs: Mapping[str, paddle.ParamAttr]) -> None:
        self._spec = spec
        self._attrs = MappingProxyType(dict(attrs))

    @property
    def spec(self) -> NetSpec:
        """The net spec that the attrs were built from."""
        return self._spec

    def __getitem__(self, tensor: str) -> paddle.ParamAttr:
        return self._attrs[tensor]

    def __iter__(self) -> Iterator[str]:
        return iter(self._attrs)

    def __len__(self) -> int:
        return len(self._attrs)

    def linear(self, weight: str) -> LinearAttrs:
        """Return the two keywords that make an FC layer of a weight and its bias.

        They fit paddle.nn.Linear and paddle.static.nn.fc:
        ``paddle.nn.Linear(300, 128, **attrs.linear("fc1_w"))``. A weight without bias has
        ``bias_attr=False``.

        Raises
        ------
        SpecError
            `weight` is no weight of the spec, or layers give it different biases.
        """
        owners = self._spec.bias_by_weight
        if weight not in owners:
            raise SpecError(
                f"the spec has no weight {weight!r}; weights: {', '.join(owners) or 'none'}"
            )
        layers = [(layer.weight, layer.bias) for layer in self._spec.layers]
        biases = {bias for owner, bias in (layers or self._spec.pairs) if owner == weight}
        if len(biases) > 1:
            names = ", ".join(sorted(name or "no bias" for name in biases))
            raise SpecError(
                f"weight {weight!r} is shared by layers with different biases ({names}): take "
                "weight_attr and bias_attr by name"
            )
        bias = owners[weight]
        return {"weight_attr": self[weight], "bias_attr": self[bias] if bias else False}


def param_attrs(
    spec: NetSpec,
    *,
    prefix: str | None = "",
    learning_rate: float = 1.0,
    regularizer: paddle.regularizer.WeightDecayRegularizer | None = None,
    trainable: bool = True,
    do_model_average: bool = True,
    need_clip: bool = True,
    overrides: Mapping[str, Mapping[str, Any]] = MappingProxyType({}),
    initializers: Mapping[str, paddle.nn.initializer.Initializer] = MappingProxyType({}),
) -> ParamAttrs:
    """Return the ParamAttr of every tensor of `spec`.

    Parameters
    ----------
    spec
        What each tensor is drawn from. Its `stream` is not set here: how a program is seeded is
        no part of a ParamAttr.
    prefix
        Put before each tensor's name to name the parameter; None leaves the names to Paddle. In a
        dynamic graph, which refuses a name that is taken, further parameters of one attribute or
        name are numbered: fc1_w, fc1_w@1, fc1_w@2. `verify` and `initialize` know these names.
    learning_rate, regularizer, trainable, do_model_average, need_clip
        Passed on to every paddle.ParamAttr.
    overrides
        Per tensor name, the keywords of its ParamAttr that differ, e.g.
        ``{"fc1_b": {"learning_rate": 2.0}}``.
    initializers
        Per tensor name, what stands in place of the initializer that draws the spec's
        distribution: see `exact_initializers`.

    Raises
    ------
    SpecError
        Paddle cannot draw a tensor's numbers in its dtype, elements of a tensor are set after the
        draw, or `overrides` or `initializers` names no tensor.
    """
    from paddle_init.frameworks.paddle.nets.standalone import NumberedAttr

    for option, given in (("overrides", overrides), ("initializers", initializers)):
        unknown = [name for name in given if name not in spec.tensor_by_name]
        if unknown:
            raise SpecError(
                f"{option}: the spec has no tensor {unknown[0]!r}; "
                f"tensors: {', '.join(spec.tensor_by_name)}"
                f"{did_you_mean(unknown[0], spec.tensor_by_name)}"
            )
    common = {
        "learning_rate": learning_rate,
        "regularizer": regularizer,
        "trainable": trainable,
        "do_model_average": do_model_average,
        "need_clip": need_clip,
    }
    attrs = {}
    for tensor in spec.tensors:
        name = None if prefix is None else prefix + tensor.name
        try:
            own = initializers.get(tensor.name) or _drawing(spec, tensor)
        except SchemeError as error:
            raise SpecError(f"tensor {tensor.name}: {error}", tensor.source) from None
        options = {"name": name, **common, **overrides.get(tensor.name, {})}
        attrs[tensor.name] = NumberedAttr(initializer=own, **options)
    return ParamAttrs(spec, attrs)


def _drawing(spec: NetSpec, tensor: Tensor) -> paddle.nn.initializer.Initializer:
    if tensor.overwritten:
        raise SchemeError(say.SET_AFTER_THE_DRAW())
    distribution = spec.distribution(tensor)
    parts = distribution.parts if isinstance(distribution, Blocks) else ()
    if any(isinstance(part.distribution, Given) for part in parts):
        raise SchemeError(say.GIVEN_AMONG_ROWS())
    return _initializer(distribution, tensor.shape, tensor.dtype)


def _initializer(
    distribution: Distribution, shape: Sequence[int], dtype: str
) -> paddle.nn.initializer.Initializer:
    if not isinstance(distribution, Given):
        return initializer(distribution, dtype)
    from paddle.nn.initializer import Assign

    real = np.float64 if dtype == "float64" else np.float32
    return Assign(distribution.values.astype(real).reshape(shape))
