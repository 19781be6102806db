"""E[f(mean + std z)] in a hurry: for recursions, which need many and no error of each."""

from __future__ import annotations

import math

import numpy as np

from paddle_init.theory.curves import Array
from paddle_init.theory.expectation import Integrand, expectations
from paddle_init.theory.panels import CORE, EDGE, mesh_between, panel_ends

__all__ = ["means"]


def means(
    integrand: Integrand,
    mean: float,
    std: float,
    kinks: tuple[float, ...],
    scale: float,
    exact: bool,
) -> tuple[list[float], list[float]]:
    """Return E[f] for each f, and its derivative by log std^2, E[f (z^2 - 1)] / 2; no errors.

    Several times as fast as `expectations`, which answers where the two rules differ by more than
    1e-12 of E|f| or the tails may count.
    """
    far = any(CORE <= abs(kink - mean) / std <= EDGE for kink in kinks) if std else True
    if exact and not far and 0 < std < math.inf and math.isfinite(mean):
        mesh = mesh_between(panel_ends(mean, std, kinks, scale, CORE))
        found = np.array(integrand(mean + std * mesh.flat), np.float64)
        coarse, fine, response = mesh.totals @ found.T
        mass, border = mesh.guards @ np.abs(found).T
        if (np.abs(fine - coarse) + border <= 1e-12 * mass).all():
            return fine.tolist(), response.tolist()

    def both(x: Array) -> list[Array]:
        plain = list(integrand(x))
        weight = 0.5 * (((x - mean) / std) ** 2 - 1) if std else 0.0
        return [*plain, *(values * weight for values in plain)]

    found_both = expectations(both, mean, std, kinks, scale, exact, probed=False)
    values = [item.value for item in found_both]
    half = len(values) // 2
    return values[:half], values[half:]
