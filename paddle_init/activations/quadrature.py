"""E[f(mean + std z)] for a standard normal z, with its error.

Gauss-Legendre rules on panels in z. Panels end at the kinks of f and get shorter towards every
place where f bends, so that on each of them f times the density is smooth on the panel's own
scale. Each panel is computed with n and with 2 n nodes; where the two disagree it is halved. The
rule of 2 n nodes is the result, the sum of the disagreements its error. An arbitrary callable is
also looked at between the nodes, and its panels are halved where it shows something there.

Two common ways fail without a word and are not used: adaptive quadrature over the whole line
overlooks a shifted density (mean 50, std 0.01), Gauss-Hermite is poor at kinks."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Literal, TypeAlias

import numpy as np

from paddle_init.activations.builtin import ActivationError
from paddle_init.activations.curves import Array

ErrorKind: TypeAlias = Literal["bound", "estimate"]
Integrand: TypeAlias = Callable[[Array], Sequence[Array]]

NODES = 16  # of the coarser rule; the finer one has twice as many
CORE = 10.0  # the density is 1e-22 there
EDGE = 38.0  # beyond, the density is hardly a double
EPS = float(np.finfo(np.float64).eps)
_PANEL = 2.0
_TOLERANCE = 4e-15
_MOST_PANELS = 4096


@dataclass(frozen=True, eq=False)
class Mesh:
    """Panels' ends, of shape (panels,), and what does not depend on f, of shape (panels, 3 n).

    `rules` holds both rules' weights times the density, and the finer one once more times
    (z^2 - 1) / 2; `absolute` the finer one and the rounding of density and f (4 ulp); `spacing`
    what turns differences of neighbouring values into the integral of |f'|. `guards` weighs |f|:
    by the finer rule, and on the outermost panels by the density at the end; of shape
    (2, panels * 3 n).
    """

    low: Array
    high: Array
    nodes: Array
    rules: Array
    absolute: Array
    spacing: Array
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
        rules=np.stack([density * coarse, weights, 0.5 * (z * z - 1) * weights]),
        absolute=np.stack([weights, EPS * (4.0 + 0.5 * z * z) * weights]),
        spacing=spacing,
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


_DENSE, _SPARSE = 2048, 128  # places for a panel that is long, or short or far out
_LONG = 0.25
_CHUNK = 32  # panels at a time


def hidden(values_at: Callable[[Array], Array], low: Array, high: Array, values: Array) -> Array:
    """Return the integral of |f density - its polynomial|, of shape (functions, panels).

    It is large where a panel hides a step, a kink or a spike between its nodes. The polynomial
    through f times the density at the nodes of the finer rule is compared with f times the density
    at other places: a thousand for each unit of z, where the density counts, and places that crowd
    towards the panel's ends. What is narrower than that can still hide.

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


@dataclass(frozen=True)
class Expectation:
    """A value and its absolute error.

    `kind` is "bound" where kinks and scale of the function are known. Then every panel is short
    against its distance to the next singularity, both rules converge geometrically, and what they
    differ by exceeds the error of the finer one; rounding is added. For an arbitrary callable the
    number is an "estimate": what is `hidden` is added, but a spike narrower than a thousandth
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
        coarse, fine = np.einsum("fpk,rpk->rfp", values, mesh.rules[:2])
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
        found = np.array(integrand(mean + std * mesh.nodes.ravel()), np.float64)
        coarse, fine, response = mesh.rules.reshape(3, -1) @ found.T
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
