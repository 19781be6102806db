"""A study as JSON: every moment, predicted and measured; its keys are kept stable."""

from __future__ import annotations

from typing import Any

from paddle_init.json_values import json_text, json_value
from paddle_init.signal.dense import Moments
from paddle_init.signal.measurement import MeasuredLayer
from paddle_init.signal.propagation import FLAT, Signal
from paddle_init.signal.study import LayerStudy, Study
from paddle_init.signal.verdict import EXPLODING, SATURATING, VANISHING


def study_json(study: Study) -> str:
    """Write a study as a JSON text; numbers read back to the same double."""
    return json_text(study_form(study))


def study_form(study: Study) -> dict[str, Any]:
    """Return a study as dicts, lists and plain values; what overflowed is null.

    So is everything predicted where the net was measured alone.
    """
    predicted, measured, verdict = study.predicted, study.measured, study.verdict
    fix = verdict.fix
    entering = measured.input if measured else None
    form = {
        "schema": 1,
        "input": _moments(predicted.input if predicted else entering),
        "output_gradient": _moments(predicted.output_gradient if predicted else None),
        "input_gradient": _moments(predicted.input_gradient if predicted else None),
        "batch": None if measured is None else measured.batch,
        "layers": study_rows(study),
        "notes": study.notes,
        "verdict": {
            "judged": verdict.judged,
            "findings": verdict.findings,
            "signal_growth": verdict.signal_growth,
            "gradient_growth": verdict.gradient_growth,
            "fix": None
            if fix is None
            else {
                "name": fix.name,
                "schemes": [
                    scheme.formula((layer.fan_in, layer.fan_out))
                    for scheme, layer in zip(fix.schemes, study.layers, strict=True)
                ],
                "remaining": fix.remaining,
            },
            "thresholds": {
                "vanishing": VANISHING,
                "exploding": EXPLODING,
                "saturating": SATURATING,
                "flat_slope": FLAT,
            },
        },
    }
    made: dict[str, Any] = json_value(form)
    return made


def study_rows(study: Study) -> list[dict[str, Any]]:
    """Return one JSON object for each layer; what overflowed is null, as what is not known.

    `shape` is the weight's; a layer that is not predicted has no activation, but a `kind`, its
    class in Paddle.
    """
    made: list[dict[str, Any]] = json_value([_row(layer) for layer in study.rows])
    return made


def _row(layer: LayerStudy) -> dict[str, Any]:
    signal, real = layer.predicted, layer.measured
    return {
        "name": layer.name,
        "kind": real.kind if real else None,
        "shape": layer.shape,
        "fan_in": signal.fan_in if signal else None,
        "fan_out": signal.fan_out if signal else None,
        "activation": signal.activation if signal else None,
        "predicted": _sizes(signal),
        "measured": _sizes(real),
        "spread": signal.spread if signal else None,
        "gradient_spread": signal.gradient_spread if signal else None,
        "saturated": layer.verdict.saturated,
        "findings": layer.verdict.findings,
    }


def _sizes(layer: Signal | MeasuredLayer | None) -> dict[str, Any] | None:
    if layer is None:
        return None
    found: dict[str, Any] = {
        name: _moments(getattr(layer, name)) for name in ("pre_activation", "output", "gradient")
    }
    return found | {"gradient_norm": layer.gradient_norm}


def _moments(found: Moments | None) -> dict[str, float | None] | None:
    if found is None:
        return None
    return {"mean": found.mean, "second_moment": found.second}
