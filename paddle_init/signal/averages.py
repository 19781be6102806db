"""What the averages of fan_in and fan_out cost, forward, backward and end to end.

A weight of shape (m, n) with mean 0 and variance t multiplies the second moment by m t forward
and by n t backward; no t makes both 1 unless m = n. Each average stands for t = 1 / average.

Source: Su Jianlin, "初始化方法中非方阵的维度平均策略思考" (2021).
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import asdict, dataclass
from typing import Any

from paddle_init.schemes import fan
from paddle_init.schemes.base import size

AVERAGES = {
    "arithmetic": "fan_avg",
    "geometric": "fan_geo_avg",
    "quadratic": "fan_quad_avg",
}


@dataclass(frozen=True)
class FanAverage:
    """One average for fans m and n.

    `forward` is m t - 1, `backward` n t - 1; `cost` the sum of their squares, which the quadratic
    average minimizes; `round_trip` is m n t^2, the factor of a product of layers m -> n -> m in
    either direction, which the geometric average makes 1.
    """

    name: str
    mode: str
    fan: float
    variance: float
    forward: float
    backward: float
    cost: float
    round_trip: float


@dataclass(frozen=True)
class Stack:
    """Second moments after each layer of a stack m -> n -> m .. of one variance.

    `forward` runs from the input, `backward` from the output; both start at 1 and have one entry
    more than there are layers.
    """

    name: str
    forward: tuple[float, ...]
    backward: tuple[float, ...]


@dataclass(frozen=True)
class Averages:
    """Averages of the fans m and n: each in one layer, and in a stack of layers."""

    m: int
    n: int
    averages: tuple[FanAverage, ...]
    stacks: tuple[Stack, ...]

    def to_dict(self) -> dict[str, Any]:
        rows = []
        for average, each in zip(self.averages, self.stacks, strict=True):
            moments = {"forward": each.forward, "backward": each.backward}
            rows.append(asdict(average) | {"stack": moments})
        return {"m": self.m, "n": self.n, "averages": rows}


def cost(m: int, n: int, variance: float) -> float:
    """Return (m t - 1)^2 + (n t - 1)^2 for t = `variance`."""
    return (m * variance - 1) ** 2 + (n * variance - 1) ** 2


def compare_averages(m: int, n: int) -> tuple[FanAverage, ...]:
    """Return the arithmetic, the geometric and the quadratic average of two fans in [1, inf)."""
    m, n = size("averages", "m", m), size("averages", "n", n)
    found = []
    for name, mode in AVERAGES.items():
        value = fan(mode, m, n)
        t = 1 / value
        found.append(
            FanAverage(
                name=name,
                mode=mode,
                fan=value,
                variance=t,
                forward=m * t - 1,
                backward=n * t - 1,
                cost=cost(m, n, t),
                round_trip=m * n * t * t,
            )
        )
    return tuple(found)


def stack(m: int, n: int, layers: int) -> tuple[Stack, ...]:
    """Return what each average does to a linear stack m -> n -> m .. of `layers` layers."""
    layers = size("averages", "layers", layers)
    fan_ins = [(m, n)[layer % 2] for layer in range(layers)]
    fan_outs = [(n, m)[layer % 2] for layer in range(layers)]
    return tuple(
        Stack(
            average.name,
            _running(fan_in * average.variance for fan_in in fan_ins),
            _running(fan_out * average.variance for fan_out in reversed(fan_outs)),
        )
        for average in compare_averages(m, n)
    )


def _running(factors: Iterable[float]) -> tuple[float, ...]:
    products = [1.0]
    for factor in factors:
        products.append(products[-1] * factor)
    return tuple(products)
