"""The kinds that a net spec can name, and how their fields are read and written."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, fields
from types import MappingProxyType
from typing import Any

import numpy as np

from paddle_init.distributions import Given
from paddle_init.errors import SchemeError
from paddle_init.schemes import variance
from paddle_init.schemes.base import Scheme
from paddle_init.schemes.fixed import (
    Fixed,
    constant,
    given,
    normal,
    truncated_normal,
    uniform,
    unknown,
)
from paddle_init.schemes.towers import Abacus, PaddleFC
from paddle_init.schemes.variance import ConstantVariance

# Given values that one line of a net spec holds.
MOST_GIVEN = 10_000


@dataclass(frozen=True)
class Kind:
    """What builds a scheme, and the types of the keys it takes; `required` have no default."""

    make: Callable[..., Scheme]
    required: Mapping[str, type]
    optional: Mapping[str, type]


_SLOPE = {"negative_slope": float, "mode": str}
_GAIN = {"gain": float, "mode": str}

KINDS: MappingProxyType[str, Kind] = MappingProxyType(
    {
        Abacus.kind: Kind(
            Abacus,
            {"init_range": float, "global_init_range": float, "scale_by_rown": bool},
            {},
        ),
        PaddleFC.kind: Kind(PaddleFC, {"init_range": float}, {"fan_in": int}),
        "given": Kind(given, {"values": tuple}, {}),
        "unknown": Kind(unknown, {"description": str}, {"takes": np.uint64}),
        "constant": Kind(constant, {"value": float}, {}),
        "normal": Kind(normal, {"std": float}, {"mean": float}),
        "uniform": Kind(uniform, {"low": float, "high": float}, {}),
        "truncated_normal": Kind(
            truncated_normal, {"std": float, "low": float, "high": float}, {"mean": float}
        ),
        variance.VarianceScaling.kind: Kind(
            variance.VarianceScaling,
            {"mode": str, "distribution": str},
            {"gain": float, "fan_in": int, "fan_out": int},
        ),
        ConstantVariance.kind: Kind(
            ConstantVariance,
            {"activation": str},
            {"std": float, "distribution": str, "fan_in": int},
        ),
        **{
            name: Kind(getattr(variance, name), {}, optional)
            for family, optional in (
                ("xavier", _GAIN),
                ("geometric", {"gain": float}),
                ("quadratic", {"gain": float}),
                ("he", _SLOPE),
                ("kaiming", _SLOPE),
                ("lecun", {}),
            )
            for name in (f"{family}_normal", f"{family}_uniform")
        },
    }
)


def scheme_fields(scheme: Scheme) -> dict[str, Any]:
    """Return `kind` and the fields that rebuild `scheme`; fields that are None are left out.

    Raises
    ------
    SchemeError
        The scheme has no form in a net spec: a class not listed here, or too many given values.
    """
    value: Any = scheme.value if isinstance(scheme, Fixed) else scheme
    if isinstance(value, Given):
        return {"kind": scheme.kind, "values": _written(value)}
    known = isinstance(
        scheme, (Fixed, Abacus, ConstantVariance, PaddleFC, variance.VarianceScaling)
    )
    if not known:
        raise SchemeError(f"{scheme!r} has no form in a net spec; kinds: {', '.join(KINDS)}")
    own = {field.name: getattr(value, field.name) for field in fields(value)}
    return {"kind": scheme.kind} | {name: item for name, item in own.items() if item is not None}


def _written(given: Given) -> tuple[float, ...]:
    values = given.values
    if values.size > MOST_GIVEN:
        raise SchemeError(
            f"{values.size} given values have no form in a net spec, which holds at most "
            f"{MOST_GIVEN} in a draw; keep the spec as an object, or read the net again"
        )
    if np.isnan(values).any():
        raise SchemeError("given values with a NaN among them have no form in a net spec")
    return tuple(values.astype(np.float64).tolist())
