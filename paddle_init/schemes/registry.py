"""The kinds that a net spec can name, and how their fields are read and written."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import fields
from types import MappingProxyType
from typing import Any, TypeAlias

from paddle_init.distributions import Constant, Normal, TruncatedNormal, Uniform
from paddle_init.errors import SchemeError
from paddle_init.schemes import variance
from paddle_init.schemes.abacus_rule import Abacus
from paddle_init.schemes.base import Scheme
from paddle_init.schemes.constant_variance import ConstantVariance
from paddle_init.schemes.fixed import Fixed, constant, normal, truncated_normal, uniform
from paddle_init.schemes.paddle_rule import PaddleFC

__all__ = ["KINDS", "scheme_fields"]

FieldTypes: TypeAlias = Mapping[str, type]

DOUBLE, INTEGER, FLAG, TEXT = float, int, bool, str
_GAIN: FieldTypes = {"gain": DOUBLE, "mode": TEXT}
_SLOPE: FieldTypes = {"negative_slope": DOUBLE, "mode": TEXT}

KINDS: MappingProxyType[str, tuple[Callable[..., Scheme], FieldTypes]] = MappingProxyType(
    {
        "abacus": (
            Abacus,
            {"init_range": DOUBLE, "global_init_range": DOUBLE, "scale_by_rown": FLAG},
        ),
        "paddle_fc": (PaddleFC, {"init_range": DOUBLE, "fan_in": INTEGER}),
        "constant": (constant, {"value": DOUBLE}),
        "normal": (normal, {"mean": DOUBLE, "std": DOUBLE}),
        "uniform": (uniform, {"low": DOUBLE, "high": DOUBLE}),
        "truncated_normal": (
            truncated_normal,
            {"mean": DOUBLE, "std": DOUBLE, "low": DOUBLE, "high": DOUBLE},
        ),
        "variance_scaling": (
            variance.VarianceScaling,
            {
                "gain": DOUBLE,
                "mode": TEXT,
                "distribution": TEXT,
                "fan_in": INTEGER,
                "fan_out": INTEGER,
            },
        ),
        "constant_variance": (
            ConstantVariance,
            {"activation": TEXT, "std": DOUBLE, "distribution": TEXT, "fan_in": INTEGER},
        ),
        "xavier_normal": (variance.xavier_normal, _GAIN),
        "xavier_uniform": (variance.xavier_uniform, _GAIN),
        "geometric_normal": (variance.geometric_normal, {"gain": DOUBLE}),
        "geometric_uniform": (variance.geometric_uniform, {"gain": DOUBLE}),
        "quadratic_normal": (variance.quadratic_normal, {"gain": DOUBLE}),
        "quadratic_uniform": (variance.quadratic_uniform, {"gain": DOUBLE}),
        "he_normal": (variance.he_normal, _SLOPE),
        "he_uniform": (variance.he_uniform, _SLOPE),
        "kaiming_normal": (variance.kaiming_normal, _SLOPE),
        "kaiming_uniform": (variance.kaiming_uniform, _SLOPE),
        "lecun_normal": (variance.lecun_normal, {}),
        "lecun_uniform": (variance.lecun_uniform, {}),
    }
)


def scheme_fields(scheme: Scheme) -> dict[str, Any]:
    """Return `kind` and the fields that rebuild `scheme`; fields that are None are left out.

    Raises
    ------
    SchemeError
        The scheme has no form in a net spec (an unknown initializer, a class not listed here).
    """
    value: Any = scheme
    if isinstance(scheme, Fixed):
        value = scheme.value
        known = isinstance(value, (Constant, Normal, TruncatedNormal, Uniform))
    else:
        known = isinstance(scheme, (Abacus, ConstantVariance, PaddleFC, variance.VarianceScaling))
    if not known:
        raise SchemeError(f"{scheme!r} has no form in a net spec; kinds: {', '.join(KINDS)}")
    own = {field.name: getattr(value, field.name) for field in fields(value)}
    return {"kind": scheme.kind} | {name: item for name, item in own.items() if item is not None}
