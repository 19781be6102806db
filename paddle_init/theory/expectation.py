"""E[f(mean + std z)] for a standard normal z, with its error.

Gauss-Legendre rules on panels in z. Panels end at the kinks of f and get shorter towards every
place where f bends, so that on each of them f times the density is smooth on the panel's own
scale. Each panel is computed with n and with 2 n nodes; where the two disagree it is halved. The
rule of 2 n nodes is the result, the sum of the disagreements its error.

Two common ways fail without a word and are not used: adaptive quadrature over the whole line
overlooks a shifted density (mean 50, std 0.01), Gauss-Hermite is poor at kinks.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Literal, TypeAlias

import numpy as np

from paddle_init.theory.activations import ActivationError
from paddle_init.theory.curves import Array

__all__ = ["ErrorKind", "Expectation", "expectations", "means"]

ErrorKind: TypeAlias = Literal["bound", "estimate"]
Integrand: TypeAlias = Callable[[Array], Sequence[Array]]

_NODES = 16
_PANEL = 2.0
_CORE = 10.0  # the density is 1e-22 there
_EDGE = 38.0  # beyond, the density is hardly a double
_TOLERANCE = 4e-15
_PANELS = 4096
_EPS = float(np.finfo(np.float64).eps)


@dataclass(frozen=True)
class Expectation:
    """A value and its absolute error.

    `kind` is "bound" where kinks and scale of the function are known. Then every panel is short
    against its distance to the next singularity, both rules converge geometrically, and what they
    differ by exceeds the error of the finer one; rounding is added. For an arbitrary callable,
    which may hide a spike between all nodes, the same number is an "estimate".
    """

    value: float
    error: float
    kind: ErrorKind


def expectations(
    integrand: Integrand,
    mean: float = 0.0,
    std: float = 1.0,
    kinks: tuple[float, ...] = (),
    scale: float = 1.0,
    exact: bool = False,
) -> tuple[Expectation, ...]:
    """Return E[f(mean + std z)] for each f that `integrand` evaluates, all on the same panels.

    Parameters
    ----------
    integrand
        From x of shape (k,), float64, to one array of shape (k,) for each f.
    mean, std
        Of the argument; mean finite, std in [0, inf).
    kinks
        Where an f or one of its derivatives jumps, ascending.
    scale
        The length over which the f bend at 0 and at their kinks, in (0, inf).
    exact
        `kinks` and `scale` are complete: errors are bounds, and far tails are looked at only where
        they can matter. Otherwise the whole range of doubles is covered.
    """
    if not (math.isfinite(mean) and math.isfinite(std) and std >= 0):
        raise ActivationError(f"mean must be finite and std in [0, inf), got {mean} and {std}")
    kind: ErrorKind = "bound" if exact else "estimate"
    if std == 0:
        values = integrand(np.array([mean]))
        return tuple(
            Expectation(float(v[0]), 8 * _EPS * abs(float(v[0])), kind) for v in values
        )
    with np.errstate(over="ignore", invalid="ignore"):
        return _expectations(integrand, mean, std, kinks, scale, kind)


def _expectations(
    integrand: Integrand,
    mean: float,
    std: float,
    kinks: tuple[float, ...],
    scale: float,
    kind: ErrorKind,
) -> tuple[Expectation, ...]:
    exact = kind == "bound"
    sums = _Sums(integrand, mean, std)
    edges = _edges(mean, std, kinks, scale, _CORE if exact else _EDGE)
    border = sums.add(_mesh(edges))
    if exact and _tails_matter(sums, border, kinks):
        whole = _edges(mean, std, kinks, scale, _EDGE)
        sums.add(_mesh(tuple(end for end in whole if end <= -_CORE)))
        sums.add(_mesh(tuple(end for end in whole if end >= _CORE)))
    if not exact:
        # an f that has not died away at the edge has tails of at least this order
        sums.error = sums.error + _EDGE * math.exp(-0.5 * _EDGE * _EDGE) * border.sum(axis=1)
    return tuple(
        Expectation(value, error, kind)
        for value, error in zip(sums.value.tolist(), sums.error.tolist(), strict=True)
    )


def means(
    integrand: Integrand,
    mean: float,
    std: float,
    kinks: tuple[float, ...],
    scale: float,
    exact: bool,
) -> list[float]:
    """Return the values of `expectations` without their errors, several times as fast.

    Where the two rules differ by more than 1e-12 of E|f|, or the tails may count, `expectations`
    answers.
    """
    far = any(_CORE <= abs(kink - mean) / std <= _EDGE for kink in kinks) if std else True
    if exact and not far and 0 < std < math.inf and math.isfinite(mean):
        mesh = _mesh(_edges(mean, std, kinks, scale, _CORE))
        found = np.stack(integrand(mean + std * mesh.nodes.ravel()))
        magnitude = np.abs(found)
        coarse, fine = mesh.totals @ found.T
        border = magnitude[:, mesh.outermost].max(axis=1) * math.exp(-0.5 * _CORE * _CORE)
        if (np.abs(fine - coarse) + border <= 1e-12 * (magnitude @ mesh.totals[1])).all():
            return list(map(float, fine))
    return [found.value for found in expectations(integrand, mean, std, kinks, scale, exact)]


@dataclass(frozen=True, eq=False)
class _Mesh:
    """Panels' ends, of shape (panels,), and what does not depend on f, of shape (panels, 3 n).

    `totals` is `rules` flattened, `outermost` the flat indices of the first and the last panel.

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
    totals: Array
    outermost: Array


class _Sums:
    """Running sums over panels, one entry for each f: value, mass (of |f|) and error."""

    def __init__(self, integrand: Integrand, mean: float, std: float) -> None:
        self.integrand, self.mean, self.std = integrand, mean, std
        self.value = self.mass = self.error = np.zeros(())

    def add(self, mesh: _Mesh) -> Array:
        """Add the integrals over a mesh, halving the panels on which the rules disagree.

        Returns the largest |f| on the two outermost panels, of shape (functions, 2): on a panel,
        since f may have a zero at its end.
        """
        fine, mass, error, rounding, border = self._rules(mesh)
        budget = _PANELS
        while True:
            total = self.mass + mass.sum(axis=1)
            splits = (error > np.maximum(_TOLERANCE * total[:, None], rounding)).any(axis=0)
            if splits.any():
                middle = 0.5 * (mesh.low + mesh.high)
                splits &= (mesh.low < middle) & (middle < mesh.high)
                budget -= 2 * int(np.count_nonzero(splits))
            if budget < 0 or not splits.any():
                self._keep(fine, mass, error + rounding)
                return border
            keep = ~splits
            self._keep(fine[:, keep], mass[:, keep], (error + rounding)[:, keep])
            low, middle, high = mesh.low[splits], middle[splits], mesh.high[splits]
            mesh = _panels(np.concatenate([low, middle]), np.concatenate([middle, high]))
            fine, mass, error, rounding, _ = self._rules(mesh)

    def _keep(self, value: Array, mass: Array, error: Array) -> None:
        self.value = self.value + value.sum(axis=1)
        self.mass = self.mass + mass.sum(axis=1)
        self.error = self.error + error.sum(axis=1)

    def _rules(self, mesh: _Mesh) -> tuple[Array, Array, Array, Array, Array]:
        x = self.mean + self.std * mesh.nodes
        found = self.integrand(x.ravel())
        values = np.empty((len(found), *x.shape))
        for row, value in zip(values, found, strict=True):
            row[:] = value.reshape(x.shape)
        magnitude = np.abs(values)
        coarse, fine = np.einsum("fpk,rpk->rfp", values, mesh.rules)
        mass, rounding = np.einsum("fpk,rpk->rfp", magnitude, mesh.absolute)
        # the argument's rounding, seen through the slope of f
        steps = np.abs(np.diff(values[..., _NODES:], axis=2))
        argument = np.abs(x[:, _NODES + 1 :]) * mesh.spacing
        rounding += _EPS / self.std * np.einsum("fpk,pk->fp", steps, argument)
        if found[0].dtype != np.float64:
            rounding += 4 * float(np.finfo(found[0].dtype).eps) * mass
        return fine, mass, np.abs(fine - coarse), rounding, magnitude[:, [0, -1]].max(axis=2)


def _edges(
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
def _mesh(edges: tuple[float, ...]) -> _Mesh:
    ends = np.array(edges)
    return _panels(ends[:-1], ends[1:])


def _panels(low: Array, high: Array) -> _Mesh:
    points, coarse, fine = _rule()
    half = 0.5 * (high - low)[:, None]
    z = 0.5 * (low + high)[:, None] + half * points
    density = half * np.exp(-0.5 * z * z) / math.sqrt(2 * math.pi)
    weights = density * fine
    row = np.arange(z.shape[1])
    with np.errstate(divide="ignore", invalid="ignore"):
        spacing = np.nan_to_num(weights[:, _NODES + 1 :] / np.diff(z[:, _NODES:], axis=1))
    return _Mesh(
        low=low,
        high=high,
        nodes=z,
        rules=np.stack([density * coarse, weights]),
        absolute=np.stack([weights, _EPS * (4.0 + 0.5 * z * z) * weights]),
        spacing=spacing,
        totals=np.stack([(density * coarse).ravel(), weights.ravel()]),
        outermost=np.concatenate([row, z.size - 1 - row]),
    )


@lru_cache(maxsize=1)
def _rule() -> tuple[Array, Array, Array]:
    coarse_points, coarse = np.polynomial.legendre.leggauss(_NODES)
    fine_points, fine = np.polynomial.legendre.leggauss(2 * _NODES)
    return (
        np.concatenate([coarse_points, fine_points]),
        np.concatenate([coarse, np.zeros(2 * _NODES)]),
        np.concatenate([np.zeros(_NODES), fine]),
    )


def _tails_matter(sums: _Sums, border: Array, kinks: tuple[float, ...]) -> bool:
    """Whether |z| > 10 can change a sum: an f has not died away there, or bends further out."""
    limit = 0.01 * _EPS * sums.mass
    if (border.max(axis=1) * math.exp(-0.5 * _CORE * _CORE) > limit).any():
        return True
    bends = [
        z
        for kink in kinks
        for z in ((kink - sums.mean) / sums.std + step for step in (-1e-6, 1e-6))
        if _CORE <= abs(z) <= _EDGE
    ]
    if not bends:
        return False
    z = np.array(bends)
    f = np.abs(np.stack(sums.integrand(sums.mean + sums.std * z)))
    return bool(((f * np.exp(-0.5 * z * z)).max(axis=1) > limit).any())
