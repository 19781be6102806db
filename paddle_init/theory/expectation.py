"""E[f(mean + std z)] for a standard normal z, with its error.

Gauss-Legendre rules on panels in z. Panels end at the kinks of f and get shorter towards every
place where f bends, so that on each of them f times the density is smooth on the panel's own
scale. Each panel is computed with n and with 2 n nodes; where the two disagree it is halved. The
rule of 2 n nodes is the result, the sum of the disagreements its error. An arbitrary callable is
also looked at between the nodes, and its panels are halved where it shows something there.

Two common ways fail without a word and are not used: adaptive quadrature over the whole line
overlooks a shifted density (mean 50, std 0.01), Gauss-Hermite is poor at kinks.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Literal, TypeAlias

import numpy as np

from paddle_init.theory.activations import ActivationError
from paddle_init.theory.curves import Array
from paddle_init.theory.panels import (
    CORE,
    EDGE,
    EPS,
    NODES,
    Mesh,
    mesh_between,
    mesh_of,
    panel_ends,
)
from paddle_init.theory.probing import hidden

__all__ = ["ErrorKind", "Expectation", "Integrand", "expectations"]

ErrorKind: TypeAlias = Literal["bound", "estimate"]
Integrand: TypeAlias = Callable[[Array], Sequence[Array]]

_TOLERANCE = 4e-15
_MOST_PANELS = 4096


@dataclass(frozen=True)
class Expectation:
    """A value and its absolute error.

    `kind` is "bound" where kinks and scale of the function are known. Then every panel is short
    against its distance to the next singularity, both rules converge geometrically, and what they
    differ by exceeds the error of the finer one; rounding is added. For an arbitrary callable the
    number is an "estimate": what `probing` finds is added, but a spike narrower than a thousandth
    of the std may lie between all places, and how the callable rounds is not known.
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
    probed: bool = True,
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
    probed
        Where not exact, whether to look between the nodes; without, a step costs 1e-9 of E|f| and a
        spike narrower than a tenth of the std may be missed, at a fiftieth of the time.
    """
    if not (math.isfinite(mean) and math.isfinite(std) and std >= 0):
        raise ActivationError(f"mean must be finite and std in [0, inf), got {mean} and {std}")
    kind: ErrorKind = "bound" if exact else "estimate"
    if std == 0:
        values = integrand(np.array([mean]))
        return tuple(Expectation(float(v[0]), 8 * EPS * abs(float(v[0])), kind) for v in values)
    with np.errstate(over="ignore", invalid="ignore"):
        return _expectations(integrand, mean, std, kinks, scale, kind, probed)


def _expectations(
    integrand: Integrand,
    mean: float,
    std: float,
    kinks: tuple[float, ...],
    scale: float,
    kind: ErrorKind,
    probed: bool,
) -> tuple[Expectation, ...]:
    exact = kind == "bound"
    sums = _Sums(integrand, mean, std, probed=probed and not exact)
    ends = panel_ends(mean, std, kinks, scale, CORE if exact else EDGE)
    border = sums.add(mesh_between(ends))
    if exact and _tails_matter(sums, border, kinks):
        whole = panel_ends(mean, std, kinks, scale, EDGE)
        left = sums.add(mesh_between(tuple(end for end in whole if end <= -CORE)))
        right = sums.add(mesh_between(tuple(end for end in whole if end >= CORE)))
        sums.leave_out(left[:, 0] + right[:, 1])
    elif not exact:
        sums.leave_out(border.sum(axis=1))
    return tuple(
        Expectation(float(value), float(error), kind)
        for value, error in zip(sums.value, sums.error, strict=True)
    )


class _Sums:
    """Running sums over panels, one entry for each f: value, mass (of |f|) and error."""

    def __init__(self, integrand: Integrand, mean: float, std: float, probed: bool) -> None:
        self.integrand, self.mean, self.std, self.probed = integrand, mean, std, probed
        self.value: Array = np.zeros(())
        self.mass: Array = np.zeros(())
        self.error: Array = np.zeros(())

    def add(self, mesh: Mesh) -> Array:
        """Add the integrals over a mesh, halving the panels on which the rules disagree.

        Returns the largest |f| on the two outermost panels, of shape (functions, 2): on a panel,
        since f may have a zero at its end.
        """
        border: Array | None = None
        budget = _MOST_PANELS
        while True:
            values, fine, mass, error, rounding = self._rules(mesh)
            if border is None:
                border = np.abs(values[:, [0, -1]]).max(axis=2)
            limit = np.maximum(_TOLERANCE * (self.mass + mass.sum(axis=1))[:, None], rounding)
            middle = 0.5 * (mesh.low + mesh.high)
            divisible = (mesh.low < middle) & (middle < mesh.high)
            splits = (error > limit).any(axis=0) & divisible
            if self.probed and budget > 0:
                settled = ~splits
                missed = hidden(
                    self._at, mesh.low[settled], mesh.high[settled], values[:, settled, NODES:]
                )
                error[:, settled] += missed
                splits[settled] = (missed > 16 * limit[:, settled]).any(axis=0)
                splits &= divisible
            budget -= 2 * int(np.count_nonzero(splits))
            if budget < 0 or not splits.any():
                self._keep(fine, mass, error + rounding)
                return border
            keep = ~splits
            self._keep(fine[:, keep], mass[:, keep], (error + rounding)[:, keep])
            low, middle, high = mesh.low[splits], middle[splits], mesh.high[splits]
            mesh = mesh_of(np.concatenate([low, middle]), np.concatenate([middle, high]))

    def leave_out(self, border: Array) -> None:
        """Add to the error what |z| > EDGE can hold, and lost digits of the density before it."""
        self.error = self.error + EDGE * math.exp(-0.5 * EDGE * EDGE) * border

    def _keep(self, value: Array, mass: Array, error: Array) -> None:
        self.value = self.value + value.sum(axis=1)
        self.mass = self.mass + mass.sum(axis=1)
        self.error = self.error + error.sum(axis=1)

    def _at(self, z: Array) -> Array:
        found = self.integrand((self.mean + self.std * z).ravel())
        return np.array(found, np.float64).reshape(-1, *z.shape)

    def _rules(self, mesh: Mesh) -> tuple[Array, Array, Array, Array, Array]:
        x = self.mean + self.std * mesh.nodes
        found = self.integrand(x.ravel())
        values = np.array(found, np.float64).reshape(-1, *x.shape)
        coarse, fine = np.einsum("fpk,rpk->rfp", values, mesh.rules)
        mass, rounding = np.einsum("fpk,rpk->rfp", np.abs(values), mesh.absolute)
        # the argument's rounding, seen through the slope of f
        steps = np.abs(np.diff(values[..., NODES:], axis=2))
        argument = np.abs(x[:, NODES + 1 :]) * mesh.spacing
        rounding += EPS / self.std * np.einsum("fpk,pk->fp", steps, argument)
        if found[0].dtype != np.float64:
            rounding += 4 * float(np.finfo(found[0].dtype).eps) * mass
        return values, fine, mass, np.abs(fine - coarse), rounding


def _tails_matter(sums: _Sums, border: Array, kinks: tuple[float, ...]) -> bool:
    """Whether |z| > 10 can change a sum: an f has not died away there, or bends further out."""
    limit = 0.01 * EPS * sums.mass
    if (border.max(axis=1) * math.exp(-0.5 * CORE * CORE) > limit).any():
        return True
    bends = [
        z
        for kink in kinks
        for z in ((kink - sums.mean) / sums.std + step for step in (-1e-6, 1e-6))
        if CORE <= abs(z) <= EDGE
    ]
    if not bends:
        return False
    z = np.array(bends)
    f = np.abs(np.stack(sums.integrand(sums.mean + sums.std * z)))
    return bool(((f * np.exp(-0.5 * z * z)).max(axis=1) > limit).any())
