"""A study as JSON: every moment, predicted and measured; its keys are kept stable."""

from __future__ import annotations

import math
from typing import Any

from paddle_init.json_values import json_text
from paddle_init.theory.dense import Moments
from paddle_init.theory.saturation import FLAT
from paddle_init.theory.study import Study
from paddle_init.theory.verdict import EXPLODING, SATURATING, VANISHING

__all__ = ["study_form", "study_json", "study_rows"]


def study_json(study: Study) -> str:
    """Write a study as a JSON text; numbers read back to the same double."""
    return json_text(study_form(study))


def study_form(study: Study) -> dict[str, Any]:
    """Return a study as dicts, lists and plain values; what overflowed is null."""
    predicted, measured, verdict = study.predicted, study.measured, study.verdict
    fix = verdict.fix
    return {
        "schema": 1,
        "input": _moments(predicted.input),
        "output_gradient": _moments(predicted.output_gradient),
        "input_gradient": _moments(predicted.input_gradient),
        "batch": None if measured is None else measured.batch,
        "layers": study_rows(study),
        "notes": list(predicted.notes),
        "verdict": {
            "findings": list(verdict.findings),
            "signal_growth": _finite(verdict.signal_growth),
            "gradient_growth": _finite(verdict.gradient_growth),
            "fix": None
            if fix is None
            else {
                "name": fix.name,
                "schemes": [
                    scheme.formula((layer.fan_in, layer.fan_out))
                    for scheme, layer in zip(fix.schemes, study.layers, strict=True)
                ],
                "remaining": list(fix.remaining),
            },
            "thresholds": {
                "vanishing": VANISHING,
                "exploding": EXPLODING,
                "saturating": SATURATING,
                "flat_slope": FLAT,
            },
        },
    }


def study_rows(study: Study) -> list[dict[str, Any]]:
    """Return one JSON object for each layer; what overflowed is null, as what was not measured."""
    measured = study.measured.layers if study.measured else (None,) * len(study.layers)
    return [
        {
            "name": signal.name,
            "fan_in": signal.fan_in,
            "fan_out": signal.fan_out,
            "activation": signal.activation,
            "predicted": _three(signal),
            "measured": None if real is None else _three(real),
            "spread": _finite(signal.spread),
            "gradient_spread": _finite(signal.gradient_spread),
            "saturated": signal.saturated,
            "findings": list(verdict.findings),
        }
        for signal, real, verdict in zip(
            study.predicted.signals, measured, study.verdict.layers, strict=True
        )
    ]


def _three(layer: Any) -> dict[str, dict[str, float | None]]:
    return {
        name: _moments(getattr(layer, name)) for name in ("pre_activation", "output", "gradient")
    }


def _moments(found: Moments) -> dict[str, float | None]:
    return {"mean": _finite(found.mean), "second_moment": _finite(found.second)}


def _finite(value: float) -> float | None:
    return value if math.isfinite(value) else None
