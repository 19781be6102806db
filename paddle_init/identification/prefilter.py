"""Which of many places, found by the order of a few values, can give these values?"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from paddle_init.identification.fitting import DIGITS
from paddle_init.identification.subjects import Subject

__all__ = ["FEW", "ROUNDINGS", "on_a_line"]

FEW = 12
"""So many values are looked at."""
# What a value may be off a line, over the largest: the roundings of its arithmetic and dtype.
ROUNDINGS = {
    "float64": 2.0**-21,
    "float32": 2.0**-21,
    "float16": 2.0**-10,
    "bfloat16": 2.0**-7,
}
SLACK = 4.0


def on_a_line(
    draws: Iterable[NDArray[Any]], values: NDArray[np.float64], subject: Subject
) -> NDArray[np.bool_]:
    """Tell at which places the values are draws times a scale plus a shift, whatever these are.

    Parameters
    ----------
    draws
        Of each of the first values, at every place.
    values : array, shape [n]
        NaN where a drawn value is not in the parameter.

    Notes
    -----
    The line goes through the least and the largest value, which are off by one rounding each; so
    are the others. The bound is four times their sum.
    """
    v = np.stack([each.astype(np.float64) for each in draws])
    known = np.flatnonzero(np.isfinite(values[: len(v)]))
    v, w = v[known], values[known]
    least, most = int(w.argmin()), int(w.argmax())
    with np.errstate(divide="ignore", invalid="ignore"):
        slope = (w[most] - w[least]) / (v[most] - v[least])
        off = np.abs(w[least] + slope * (v - v[least]) - w[:, None])
    tiny = 2.0 ** DIGITS[subject.dtype][1]
    bound = 3 * SLACK * (ROUNDINGS[subject.dtype] * subject.largest + tiny)
    close: NDArray[np.bool_] = (off <= bound).all(axis=0)
    return close
