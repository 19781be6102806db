"""Gains of activations, averages of fans, and what a net's weights do to its signal.

Names are imported when first used, so that a table of gains waits for nothing else.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from paddle_init.lazy import lazily

if TYPE_CHECKING:
    from paddle_init.theory.activations import ACTIVATIONS, Activation, ActivationError, widened
    from paddle_init.theory.averages import FanAverage, Stack, compare_averages, stack
    from paddle_init.theory.averages_rendering import averages_form, averages_text
    from paddle_init.theory.chain import read_layers
    from paddle_init.theory.dense import Dense, Moments, PropagationError, mlp, moments
    from paddle_init.theory.expectation import Expectation, expectations
    from paddle_init.theory.experiment import Experiment, experiments
    from paddle_init.theory.gain_rendering import gain_rows, gain_text
    from paddle_init.theory.gains import DEFAULT_TABLE, Gain, gain, gain_table
    from paddle_init.theory.measurement import Histogram, Measured, MeasuredLayer, measure
    from paddle_init.theory.network import build
    from paddle_init.theory.notation import activation
    from paddle_init.theory.propagation import Propagation, Signal, propagate_dense
    from paddle_init.theory.reading import from_spec
    from paddle_init.theory.study import Study, propagate
    from paddle_init.theory.study_html_form import study_html
    from paddle_init.theory.study_json_form import study_form, study_json, study_rows
    from paddle_init.theory.study_markdown_form import study_markdown
    from paddle_init.theory.study_text_form import study_text
    from paddle_init.theory.verdict import Fix, LayerVerdict, Verdict, judge

__all__ = [
    "ACTIVATIONS",
    "DEFAULT_TABLE",
    "Activation",
    "ActivationError",
    "Dense",
    "Expectation",
    "Experiment",
    "FanAverage",
    "Fix",
    "Gain",
    "Histogram",
    "LayerVerdict",
    "Measured",
    "MeasuredLayer",
    "Moments",
    "Propagation",
    "PropagationError",
    "Signal",
    "Stack",
    "Study",
    "Verdict",
    "activation",
    "averages_form",
    "averages_text",
    "build",
    "compare_averages",
    "expectations",
    "experiments",
    "from_spec",
    "gain",
    "gain_rows",
    "gain_table",
    "gain_text",
    "judge",
    "measure",
    "mlp",
    "moments",
    "propagate",
    "propagate_dense",
    "read_layers",
    "stack",
    "study_form",
    "study_html",
    "study_json",
    "study_markdown",
    "study_rows",
    "study_text",
    "widened",
]


__getattr__ = lazily(
    __name__,
    {
        "ACTIVATIONS": "activations",
        "DEFAULT_TABLE": "gains",
        "Activation": "activations",
        "ActivationError": "activations",
        "Dense": "dense",
        "Expectation": "expectation",
        "Experiment": "experiment",
        "FanAverage": "averages",
        "Fix": "verdict",
        "Gain": "gains",
        "Histogram": "measurement",
        "LayerVerdict": "verdict",
        "Measured": "measurement",
        "MeasuredLayer": "measurement",
        "Moments": "dense",
        "Propagation": "propagation",
        "PropagationError": "dense",
        "Signal": "propagation",
        "Stack": "averages",
        "Study": "study",
        "Verdict": "verdict",
        "activation": "notation",
        "averages_form": "averages_rendering",
        "averages_text": "averages_rendering",
        "build": "network",
        "compare_averages": "averages",
        "expectations": "expectation",
        "experiments": "experiment",
        "from_spec": "reading",
        "gain": "gains",
        "gain_rows": "gain_rendering",
        "gain_table": "gains",
        "gain_text": "gain_rendering",
        "judge": "verdict",
        "measure": "measurement",
        "mlp": "dense",
        "moments": "dense",
        "propagate": "study",
        "propagate_dense": "propagation",
        "read_layers": "chain",
        "stack": "averages",
        "study_form": "study_json_form",
        "study_html": "study_html_form",
        "study_json": "study_json_form",
        "study_markdown": "study_markdown_form",
        "study_rows": "study_json_form",
        "study_text": "study_text_form",
        "widened": "activations",
    },
)
