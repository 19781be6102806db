"""What is wrong with a signal, predicted or measured, and which scheme would put it right."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Any, TypeAlias

from paddle_init.activations.builtin import ActivationError
from paddle_init.activations.gains import gain
from paddle_init.activations.notation import Spec, activation
from paddle_init.errors import PropagationError
from paddle_init.languages import Sentence
from paddle_init.schemes import (
    ConstantVariance,
    VarianceScaling,
    constant_variance,
    geometric_normal,
    he_normal,
    quadratic_normal,
    xavier_normal,
)
from paddle_init.signal.dense import Dense, Moments, moments
from paddle_init.signal.measurement import Measured
from paddle_init.signal.propagation import Propagation, propagate_dense

WITHOUT_BIASES = Sentence("{fix}, without biases", "{fix}，不要偏置")


Rule: TypeAlias = VarianceScaling | ConstantVariance

PLAIN = (he_normal, xavier_normal, geometric_normal, quadratic_normal)

VANISHING = 0.1  # of the size where the signal or the gradient starts
EXPLODING = 10.0
ALIKE = 0.1  # of the std to keep, by which the input's rms may differ from it
SATURATING = 0.2  # share of units whose slope is below a tenth of the steepest


@dataclass(frozen=True)
class LayerVerdict:
    """One layer's rms relative to the first layer's, its gradient's norm relative to the last's.

    The norm is taken over a layer's units: a unit's share of the gradient of a single output is
    small in every wide layer, whatever its weights. NaN where the gradient does not come by.
    `findings` are among "vanishing signal", "exploding signal", "vanishing gradient", "exploding
    gradient" and "saturating"; empty where all is well.
    """

    name: str
    signal: float
    gradient: float
    saturated: float | None
    findings: tuple[str, ...]


@dataclass(frozen=True)
class Fix:
    """A scheme for each layer's weights, without biases, that leaves nothing wrong.

    `remaining` is empty: what would leave something wrong is not proposed.
    """

    name: str
    schemes: tuple[Rule, ...]
    remaining: tuple[str, ...] = ()

    def to_dict(self, layers: Sequence[Dense]) -> dict[str, Any]:
        pairs = zip(self.schemes, layers, strict=True)
        formulas = [scheme.formula((layer.fan_in, layer.fan_out)) for scheme, layer in pairs]
        return {"name": self.name, "schemes": formulas, "remaining": self.remaining}


@dataclass(frozen=True)
class Verdict:
    """The layers' verdicts, the net's findings, its growth per layer and a better scheme.

    `signal_growth` and `gradient_growth` are geometric means per layer of the factors of the
    signal's rms and of the gradient's norm, the latter in the direction of the gradient. `fix` is
    None where nothing is wrong, or no scheme that was tried leaves nothing wrong. Without `judged`
    it is not known whether anything is wrong, and there are no findings.
    """

    layers: tuple[LayerVerdict, ...]
    findings: tuple[str, ...]
    signal_growth: float
    gradient_growth: float
    fix: Fix | None
    judged: bool = True


def judge(layers: Sequence[Dense], predicted: Propagation, *, advise: bool = True) -> Verdict:
    """Judge a prediction; with `advise`, try other schemes where something is wrong.

    A signal vanishes where its rms falls below VANISHING of the first layer's, explodes above
    EXPLODING of it; the norm of a gradient over a layer's units is compared to the last layer's.
    An S-shaped layer saturates where more than SATURATING of its units have a slope below a tenth
    of the steepest.
    """
    found = _judged(
        (signal.name, signal.pre_activation.rms, signal.gradient_norm, signal.saturated)
        for signal in predicted.signals
    )
    if not (advise and found.findings):
        return found
    return replace(found, fix=_fix(layers, predicted.input))


def judge_measured(measured: Measured) -> Verdict:
    """Judge what was measured on a net that cannot be predicted, by the same thresholds.

    A net that normalizes is not judged: what follows a layer does not depend on the size of its
    output, and gradients scale with its inverse.
    """
    found = _judged(
        (layer.name, layer.pre_activation.rms, layer.gradient_norm, None)
        for layer in measured.layers
    )
    if not measured.normalizations:
        return found
    layers = tuple(replace(layer, findings=()) for layer in found.layers)
    return replace(found, layers=layers, findings=(), judged=False)


def _judged(sizes: Iterable[tuple[str, float, float, float | None]]) -> Verdict:
    """Judge (name, rms of the signal, norm of the gradient, saturated share) of every layer."""
    each = list(sizes)
    first = each[0][1]
    last = next((norm for *_, norm, _ in reversed(each) if not math.isnan(norm)), math.nan)
    verdicts = []
    for name, rms, norm, saturated in each:
        forward, backward = _ratio(rms, first), _ratio(norm, last)
        findings = [*_sized(forward, "signal"), *_sized(backward, "gradient")]
        if saturated is not None and saturated > SATURATING:
            findings.append("saturating")
        verdicts.append(LayerVerdict(name, forward, backward, saturated, tuple(findings)))
    steps = max(len(each) - 1, 1)
    return Verdict(
        layers=tuple(verdicts),
        findings=tuple(dict.fromkeys(f for verdict in verdicts for f in verdict.findings)),
        signal_growth=verdicts[-1].signal ** (1 / steps),
        gradient_growth=verdicts[0].gradient ** (1 / steps),
        fix=None,
    )


def _ratio(value: float, reference: float) -> float:
    return value / reference if reference else (1.0 if value == 0 else math.inf)


def _sized(ratio: float, what: str) -> list[str]:
    if ratio < VANISHING:
        return [f"vanishing {what}"]
    return [f"exploding {what}"] if ratio > EXPLODING else []


def _fix(layers: Sequence[Dense], entering: Moments) -> Fix | None:
    """Return the first scheme that leaves nothing wrong."""
    biased = any(layer.bias is not None and moments(layer.bias).second > 0 for layer in layers)
    for name, schemes in _candidates(layers, entering.rms):
        changed = [
            replace(layer, weight=scheme((layer.fan_in, layer.fan_out)), bias=None)
            for layer, scheme in zip(layers, schemes, strict=True)
        ]
        try:
            verdict = judge(changed, propagate_dense(changed, entering), advise=False)
        except PropagationError:
            continue
        if not verdict.findings:
            return Fix(WITHOUT_BIASES(fix=name) if biased else name, schemes)
    return None


def _candidates(layers: Sequence[Dense], entering: float) -> list[tuple[str, tuple[Rule, ...]]]:
    """Schemes in the order of preference; each layer's gain is that of the activation before.

    `entering` is the rms of the input, which the first layer brings to the std that is kept.
    """
    before = [layer.activation for layer in layers[:-1]]
    found: list[tuple[str, tuple[Rule, ...]]] = []
    for std in (1.0, 0.5):
        alike = abs(entering - std) <= ALIKE * std or not entering
        first = (
            variance_kept("linear", std)
            if alike
            else VarianceScaling(std / entering, "fan_in", "normal")
        )
        try:
            kept = (first, *(variance_kept(item, std) for item in before))
        except ActivationError:
            continue
        found.append(("constant_variance" if std == 1 else f"constant_variance, std {std}", kept))
    return found + [(rule.__name__, (rule(),) * len(layers)) for rule in PLAIN]


def variance_kept(before: Spec, std: float = 1.0) -> Rule:
    """Return the scheme that keeps `std` where the layer's input has passed `before`."""
    found = activation(before)
    if found.exact:
        return constant_variance(found.text, std)
    return VarianceScaling(gain(found, std=std).gain, "fan_in", "normal")
