"""Whether a function hides something between the nodes of a panel: a step, a kink, a spike.

The polynomial through f times the density at the nodes of the finer rule is compared with f times
the density at other places: a thousand for each unit of z, where the density counts, and places
that crowd towards the panel's ends. What is narrower than that can still hide.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import lru_cache

import numpy as np

from paddle_init.theory.curves import Array
from paddle_init.theory.panels import CORE, NODES

__all__ = ["hidden"]

_DENSE, _SPARSE = 2048, 128  # places for a panel that is long, or short or far out
_LONG = 0.25
_CHUNK = 32  # panels at a time


def hidden(values_at: Callable[[Array], Array], low: Array, high: Array, values: Array) -> Array:
    """Return the integral of |f density - its polynomial|, of shape (functions, panels).

    Parameters
    ----------
    values_at
        From z of shape (panels, places) to f of shape (functions, panels, places).
    low, high
        The panels' ends in z, of shape (panels,).
    values
        f at the finer rule's nodes, of shape (functions, panels, 2 n).
    """
    found = np.empty(values.shape[:2])
    dense = (high - low >= _LONG) & (np.minimum(np.abs(low), np.abs(high)) < CORE)
    for count, which in ((_DENSE, dense), (_SPARSE, ~dense)):
        nodes, points, gaps, through = _places(count)
        panels = np.flatnonzero(which)
        for start in range(0, len(panels), _CHUNK):
            some = panels[start : start + _CHUNK]
            half, middle = 0.5 * (high - low)[some, None], 0.5 * (low + high)[some, None]
            z = middle + half * points
            polynomial = (values[:, some] * _density(middle + half * nodes)) @ through.T
            missed = np.abs(values_at(z) * _density(z) - polynomial)
            found[:, some] = missed @ gaps * half[:, 0]
    return found


def _density(z: Array) -> Array:
    density: Array = np.exp(-0.5 * z * z) / math.sqrt(2 * math.pi)
    return density


@lru_cache(maxsize=2)
def _places(count: int) -> tuple[Array, Array, Array, Array]:
    """The rule's nodes, places in (-1, 1), the length of each, and the polynomial's matrix."""
    nodes, weights = np.polynomial.legendre.leggauss(2 * NODES)
    even = -1 + 2 * (np.arange(count) + 0.618) / count
    crowded = 1 - 0.5 ** np.arange(2, 49)
    points = np.unique(np.concatenate([even, crowded, -crowded]))
    ends = np.concatenate([[-1.0], 0.5 * (points[1:] + points[:-1]), [1.0]])
    barycentric = np.sqrt((1 - nodes * nodes) * weights) * (-1.0) ** np.arange(2 * NODES)
    matrix = barycentric / (points[:, None] - nodes)
    return nodes, points, np.diff(ends), matrix / matrix.sum(axis=1, keepdims=True)
