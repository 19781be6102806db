"""fan_in and fan_out of a shape, and the averages of the two."""

from __future__ import annotations

import math
from collections.abc import Callable
from types import MappingProxyType

from paddle_init.errors import SchemeError
from paddle_init.schemes.base import Shape, dimensions
from paddle_init.spelling import did_you_mean

__all__ = ["MODES", "fan", "fans"]

MODES: MappingProxyType[str, Callable[[int, int], float]] = MappingProxyType(
    {
        "fan_in": lambda m, n: float(m),
        "fan_out": lambda m, n: float(n),
        "fan_avg": lambda m, n: (m + n) / 2,
        "fan_geo_avg": lambda m, n: math.sqrt(m * n),
        "fan_quad_avg": lambda m, n: (m * m + n * n) / (m + n),
    }
)


def fans(
    owner: str, shape: Shape, fan_in: int | None = None, fan_out: int | None = None
) -> tuple[int, int]:
    """Return (fan_in, fan_out) of a weight as Paddle counts them.

    A 2-D weight is [in, out]; a kernel is [out channels, in channels, ...]. What is passed in
    wins over the shape. A 1-D shape has no fans: Paddle would take shape[0] for both, which for a
    bias is the fan_out of its layer.

    Raises
    ------
    SchemeError
        The shape has fewer than two dimensions and a fan was not given, or is no shape.
    """
    if fan_in is not None and fan_out is not None:
        return fan_in, fan_out
    shape = dimensions(owner, shape)
    if len(shape) < 2:
        missing = "fan_in" if fan_in is None else "fan_out"
        raise SchemeError(
            f"{owner}: the shape {list(shape)} does not say its {missing}; "
            f"give {missing} (for a bias, that of its layer's weight)"
        )
    receptive = math.prod(shape[2:])
    m, n = (shape[0], shape[1]) if len(shape) == 2 else (shape[1], shape[0])
    return (
        m * receptive if fan_in is None else fan_in,
        n * receptive if fan_out is None else fan_out,
    )


def fan(mode: str, fan_in: int, fan_out: int) -> float:
    """Return the average of two fans that `mode` names.

    fan_avg is Xavier's (m + n) / 2; fan_geo_avg, sqrt(m n), keeps a product of layers m -> n -> m
    at its variance end to end; fan_quad_avg, (m^2 + n^2) / (m + n), minimizes
    (m t - 1)^2 + (n t - 1)^2 over the variance t.

    Source: Su Jianlin, "初始化方法中非方阵的维度平均策略思考" (2021).
    """
    if mode not in MODES:
        meant = did_you_mean(mode, MODES)
        raise SchemeError(f"mode must be one of {', '.join(MODES)}, got {mode!r}{meant}")
    return MODES[mode](fan_in, fan_out)
