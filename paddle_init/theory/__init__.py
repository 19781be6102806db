"""Gains of activations, averages of fans, and what a net's weights do to its signal."""

from paddle_init.theory.activations import ACTIVATIONS, Activation, ActivationError, widened
from paddle_init.theory.averages import FanAverage, Stack, compare_averages, stack
from paddle_init.theory.dense import Dense, Moments, PropagationError, mlp, moments
from paddle_init.theory.expectation import Expectation, expectations
from paddle_init.theory.experiment import Experiment, experiments
from paddle_init.theory.gain_rendering import gain_rows, gain_text
from paddle_init.theory.gains import DEFAULT_TABLE, Gain, gain, gain_table
from paddle_init.theory.measurement import Histogram, Measured, MeasuredLayer, measure
from paddle_init.theory.network import build, read_layers
from paddle_init.theory.notation import activation
from paddle_init.theory.propagation import Propagation, Signal, propagate_dense
from paddle_init.theory.reading import from_spec
from paddle_init.theory.study import Study, propagate, study_rows
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
    "study_rows",
    "widened",
]
