"""Which experiments there are: settings that say all, and what runs them."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from importlib.metadata import version
from typing import Any, TypeAlias

import numpy as np

from paddle_init.activations.gains import DEFAULT_TABLE, gain_table
from paddle_init.frameworks.paddle.nets.operators import build
from paddle_init.frameworks.paddle.nets.operators import experiments as coefficients
from paddle_init.schemes import (
    Scheme,
    VarianceScaling,
    constant_variance,
    he_normal,
    variance_scaling,
    xavier_normal,
    xavier_uniform,
)
from paddle_init.signal.averages import AVERAGES, stack
from paddle_init.signal.dense import Dense, Moments, mlp
from paddle_init.signal.measurement import Histogram, measure
from paddle_init.signal.propagation import propagate_dense

__all__ = ["ACTIVATIONS", "FULL", "SMALL", "Experiment", "Scale", "all_experiments", "deep_net"]

Result: TypeAlias = dict[str, Any]

ACTIVATIONS = ("relu", "tanh", "tanh8", "sigmoid", "softsign", "elu", "selu", "gelu", "silu")
OLD_UNIFORM = variance_scaling(math.sqrt(1 / 3), "fan_in", "uniform")  # U(-1/sqrt(m), 1/sqrt(m))


@dataclass(frozen=True)
class Scale:
    """How large the nets are and how often things are repeated."""

    layers: int
    nodes: int
    batch: int
    hidden_nodes: int
    coefficient_nodes: int
    repetitions: int
    stack: tuple[int, int]
    depths: tuple[int, ...]
    draws: int


FULL = Scale(32, 1024, 256, 1000, 1024, 400, (512, 128), (2, 4, 8, 16, 32, 64), 32)
SMALL = Scale(4, 32, 16, 32, 32, 8, (32, 8), (2, 4), 2)


@dataclass(frozen=True)
class Experiment:
    """A name, everything its numbers depend on, and the run itself."""

    name: str
    settings: dict[str, Any]
    run: Callable[[], Result]


def all_experiments(scale: Scale = FULL, seed: int = 0) -> Iterator[Experiment]:
    """Yield every experiment, those that take longest last."""
    common = {"seed": seed, "paddle": version("paddlepaddle")}

    def named(name: str, run: Callable[..., Result], **settings: Any) -> Experiment:
        def now() -> Result:
            return run(**settings, seed=seed)

        return Experiment(name, {**settings, **common}, now)

    yield named("table", table, nodes=scale.coefficient_nodes, repetitions=scale.repetitions)
    for average in AVERAGES:
        yield named(
            f"stack {average}",
            stacked,
            average=average,
            fans=list(scale.stack),
            depths=list(scale.depths),
            draws=scale.draws,
            batch=scale.batch // 4,
        )
    for scheme in ("old uniform", "xavier"):
        yield named(
            f"five layers {scheme}",
            five_layers,
            scheme=scheme,
            nodes=scale.hidden_nodes,
            batch=scale.batch,
        )
    size = {"layers": scale.layers, "nodes": scale.nodes, "batch": scale.batch}
    for activation in ACTIVATIONS:
        for scheme in ("xavier", "he", "constant variance", "half"):
            yield named(f"deep {scheme} {activation}", deep, scheme=scheme,
                        activation=activation, **size)  # fmt: skip


def table(nodes: int, repetitions: int, seed: int) -> Result:
    """Coefficients by definition and as the paper found them, its Table 1."""
    rows = zip(
        gain_table(),
        coefficients(DEFAULT_TABLE, nodes=nodes, repetitions=repetitions, seed=seed),
        strict=True,
    )
    return {
        definition.activation: {
            "normal": definition.gain,
            "uniform": definition.uniform_bound,
            "error": definition.error,
            "std_gain": definition.std_gain,
            "experiment": short(found.gain),
            "standard_error": short(found.standard_error),
        }
        for definition, found in rows
    }


def stacked(
    average: str, fans: list[int], depths: list[int], draws: int, batch: int, seed: int
) -> Result:
    """Second moments after m -> n -> m .. linear layers, forward and backward, over draws.

    One layer stands before and two behind the deepest stack, so that its input and output are
    those of layers, where moments are taken.
    """
    m, n = fans
    deepest = max(depths)
    widths = [m, *([m, n] * (deepest // 2)), m, m]
    mode = AVERAGES[average]
    rule = VarianceScaling(1.0, mode, "normal")  # type: ignore[arg-type]
    layers = mlp(widths, "linear", rule, first=he_normal())
    forward, backward = [], []
    for draw in range(draws):
        net = build(layers, seed + draw)
        found = measure(net, batch=batch, seed=seed + draw, bins=0).layers
        signals = [layer.pre_activation.second for layer in found]
        gradients = [layer.gradient.second for layer in found]
        forward.append([signals[depth] / signals[0] for depth in depths])
        backward.append([gradients[deepest - depth] / gradients[deepest] for depth in depths])
    exact = next(item for item in stack(m, n, deepest) if item.name == average)
    return {
        "exact": [short(exact.forward[depth]) for depth in depths],
        "forward": shorts(np.mean(forward, axis=0)),
        "forward_error": shorts(np.std(forward, axis=0, ddof=1) / math.sqrt(draws)),
        "backward": shorts(np.mean(backward, axis=0)),
        "backward_error": shorts(np.std(backward, axis=0, ddof=1) / math.sqrt(draws)),
    }


def five_layers(scheme: str, nodes: int, batch: int, seed: int) -> Result:
    """Histograms of five hidden tanh layers, as in Glorot and Bengio's figures 6 and 7."""
    rule = OLD_UNIFORM if scheme == "old uniform" else xavier_uniform()
    layers = mlp([nodes] * 7, "tanh", rule)
    found = measure(build(layers, seed), batch=batch, seed=seed).layers[:5]
    predicted = propagate_dense(layers).signals[:5]
    return {
        "activation": [short(layer.output.rms) for layer in found],
        "gradient": [short(layer.gradient.rms) for layer in found],
        "predicted_activation": [short(signal.output.rms) for signal in predicted],
        "predicted_gradient": [short(signal.gradient.rms) for signal in predicted],
        "histograms": {
            what: [_kept(layer.histograms[what]) for layer in found]
            for what in ("output", "gradient")
        },
    }


def deep(scheme: str, activation: str, layers: int, nodes: int, batch: int, seed: int) -> Result:
    """Std of the signal forward and rms of the gradient backward, layer by layer.

    "half" is Constant Variance that keeps the std at 1/2, with an input of that std. Constant
    Variance takes coefficient 1 for the first layer, whose input has passed no activation.
    """
    std = 0.5 if scheme == "half" else 1.0
    net = deep_net(scheme, activation, [nodes] * (layers + 1), std)
    rows = np.random.default_rng(seed).standard_normal((batch, nodes)) * std
    found = measure(build(net, seed), rows, batch=batch, seed=seed, bins=0).layers
    predicted = propagate_dense(net, Moments(0.0, std * std)).signals
    return {
        "std": [short(layer.pre_activation.std) for layer in found],
        "predicted_std": [short(signal.pre_activation.std) for signal in predicted],
        "gradient": [short(layer.gradient.rms) for layer in found],
        "predicted_gradient": [short(signal.gradient.rms) for signal in predicted],
    }


def deep_net(
    scheme: str, activation: str, widths: list[int], std: float = 1.0
) -> tuple[Dense, ...]:
    """Return the layers that `deep` is about."""
    plain: dict[str, Scheme] = {"xavier": xavier_normal(), "he": he_normal()}
    if scheme in plain:
        return mlp(widths, activation, plain[scheme])
    rule, first = constant_variance(activation, std), constant_variance("linear", std)
    return mlp(widths, activation, rule, first=first)


def _kept(histogram: Histogram) -> dict[str, Any]:
    return {"reach": short(float(histogram.edges[-1])), "counts": histogram.counts.tolist()}


def short(value: float) -> float | None:
    """Six digits: what a run leaves the same, whatever the number of threads; None for NaN."""
    return float(f"{value:.6g}") if math.isfinite(value) else None


def shorts(values: Any) -> list[float | None]:
    return [short(value) for value in values.tolist()]
