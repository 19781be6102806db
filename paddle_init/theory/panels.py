"""Gauss-Legendre rules on panels in z, weighted with the standard normal density."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from paddle_init.theory.curves import Array

__all__ = ["CORE", "EDGE", "EPS", "NODES", "Mesh", "mesh_between", "mesh_of", "panel_ends"]

NODES = 16  # of the coarser rule; the finer one has twice as many
CORE = 10.0  # the density is 1e-22 there
EDGE = 38.0  # beyond, the density is hardly a double
EPS = float(np.finfo(np.float64).eps)
_PANEL = 2.0


@dataclass(frozen=True, eq=False)
class Mesh:
    """Panels' ends, of shape (panels,), and what does not depend on f, of shape (panels, 3 n).

    `flat` and `totals` are `nodes` and `rules` flattened, the finer rule once more times
    (z^2 - 1) / 2; of shape (panels * 3 n,) and (3, same).
    `guards` weighs |f|: by the finer rule, and on the outermost panels by the density at the end.

    `rules` holds both rules' weights times the density; `absolute` the finer one and the rounding
    of density and f (4 ulp); `spacing` what turns differences of neighbouring values into the
    integral of |f'|.
    """

    low: Array
    high: Array
    nodes: Array
    rules: Array
    absolute: Array
    spacing: Array
    flat: Array
    totals: Array
    guards: Array


def panel_ends(
    mean: float, std: float, kinks: tuple[float, ...], scale: float, window: float
) -> tuple[float, ...]:
    """Return the panels' ends in z, ascending, from -window to window."""
    count = int(window / _PANEL)
    ends = {_PANEL * step for step in range(-count, count + 1)}
    bend = scale / std
    for place in {0.0, *kinks}:
        centre = (place - mean) / std
        if place in kinks and -window < centre < window:
            ends.add(centre)
        if bend < 1:
            # powers of two, so that one mesh serves all stds of a binade
            distance = 2.0 ** math.floor(math.log2(bend))
            while distance < _PANEL:
                ends.update(e for e in (centre - distance, centre + distance) if abs(e) < window)
                distance *= 2
    return tuple(sorted(ends))


@lru_cache(maxsize=128)
def mesh_between(ends: tuple[float, ...]) -> Mesh:
    """Return the panels between neighbouring ends."""
    points = np.array(ends)
    return mesh_of(points[:-1], points[1:])


def mesh_of(low: Array, high: Array) -> Mesh:
    """Return panels, of shape (panels,), that need not be neighbours."""
    points, coarse, fine = _rule()
    half = 0.5 * (high - low)[:, None]
    z = 0.5 * (low + high)[:, None] + half * points
    density = half * np.exp(-0.5 * z * z) / math.sqrt(2 * math.pi)
    weights = density * fine
    ends = np.zeros_like(z)
    ends[0], ends[-1] = math.exp(-0.5 * low[0] ** 2), math.exp(-0.5 * high[-1] ** 2)
    with np.errstate(divide="ignore", invalid="ignore"):
        spacing = np.nan_to_num(weights[:, NODES + 1 :] / np.diff(z[:, NODES:], axis=1))
    return Mesh(
        low=low,
        high=high,
        nodes=z,
        rules=np.stack([density * coarse, weights]),
        absolute=np.stack([weights, EPS * (4.0 + 0.5 * z * z) * weights]),
        spacing=spacing,
        flat=z.ravel(),
        totals=np.stack([density * coarse, weights, 0.5 * (z * z - 1) * weights]).reshape(3, -1),
        guards=np.stack([weights.ravel(), ends.ravel()]),
    )


@lru_cache(maxsize=1)
def _rule() -> tuple[Array, Array, Array]:
    coarse_points, coarse = np.polynomial.legendre.leggauss(NODES)
    fine_points, fine = np.polynomial.legendre.leggauss(2 * NODES)
    return (
        np.concatenate([coarse_points, fine_points]),
        np.concatenate([coarse, np.zeros(2 * NODES)]),
        np.concatenate([np.zeros(NODES), fine]),
    )
