"""The draws of a net from its stream, with what was found of their values."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from paddle_init.distributions import (
    Constant,
    Given,
    Normal,
    Simple,
    TruncatedNormal,
    Uniform,
    Unknown,
)
from paddle_init.dtypes import as_numbers, rounded
from paddle_init.frameworks.placing import places
from paddle_init.frameworks.registry import framework_of
from paddle_init.identification.parameters import Kind, Subject
from paddle_init.identification.prefilter import SPAN, comparisons, pattern
from paddle_init.identification.stream_buffer import StreamBuffer
from paddle_init.identification.truncated_fitting import normal_cdf
from paddle_init.specs import NetSpec

# Values of a net that are looked for at the start of a stream.
LONGEST_START = 1 << 16
Arrays: TypeAlias = Mapping[str, NDArray[Any]]


@dataclass(frozen=True)
class FoundDraw:
    """A draw from the net's stream, with what was found of its values.

    Parameters
    ----------
    values
        In the order of drawing, standardized: z of a normal, u of the others; NaN where a value
        was not found.
    """

    kind: Kind
    count: int
    dtype: str
    values: NDArray[np.float64]


def found_draws(spec: NetSpec, found: Arrays, version: str | None) -> tuple[FoundDraw, ...]:
    """Return the draws from the net's stream in their order, as far as their places are known."""
    framework, where = framework_of(spec, version), places(spec)
    parts = []
    for draw in spec.draws:
        drawn = spec.drawn(draw.name)
        if 0 in draw.shape or isinstance(drawn, (Constant, Given)) or draw.op_seed is not None:
            continue
        if draw.seed is not None or draw.after is not None:
            break
        if isinstance(drawn, Unknown):
            if drawn.takes is None:
                break
            # As a uniform takes one word of the engine for each value.
            skipped = np.full(drawn.takes, np.nan)
            parts.append(FoundDraw("uniform", drawn.takes, "float32", skipped))
            continue
        dtypes = [place.tensor.dtype for place in where[draw.name]]
        dtype = draw.dtype or (dtypes[0] if dtypes else "float32")
        width = math.prod(draw.shape[1:])
        values = np.full((draw.shape[0], width), np.nan)
        for place in where[draw.name]:
            array = found.get(place.tensor.name)
            if array is None or array.shape != place.tensor.shape:
                continue
            held = as_numbers(array).astype(np.float64).reshape(-1)
            for each in place.tensor.overwritten:
                held[each.elements] = np.nan
            rows = held.reshape(-1, width)
            count = place.stop - place.start
            values[place.start : place.stop] = rows[place.row : place.row + count]
        flat = (values.T if framework.order == "F" else values).reshape(-1)
        kind: Kind = "normal" if isinstance(drawn, Normal) else "uniform"
        with np.errstate(invalid="ignore", divide="ignore"):
            parts.append(FoundDraw(kind, flat.size, dtype, _standard(flat, drawn)))
    return tuple(parts)


def _standard(w: NDArray[np.float64], drawn: Simple) -> NDArray[np.float64]:
    match drawn:
        case Normal(mean, std):
            return (w - mean) / std
        case Uniform(low, high):
            return (w - low) / (high - low)
        case TruncatedNormal(mean, std, low, high):
            ends = normal_cdf((np.array([low, high]) - mean) / std)
            standard: NDArray[np.float64] = normal_cdf((w - mean) / std) - ends[0]
            standard /= ends[1] - ends[0]
            return standard
    return np.full(w.size, np.nan)


def at_start(parts: tuple[FoundDraw, ...]) -> tuple[Subject, Kind] | None:
    """Return the values at the start of the stream: of as many draws as are of one kind."""
    if not parts:
        return None
    kind, pieces, size = parts[0].kind, [], 0
    for part in parts:
        if part.kind != kind or size >= LONGEST_START:
            break
        values = part.values[:LONGEST_START]
        if kind == "normal" and part.count % 2:  # the other half of the last pair is dropped
            values = np.append(values, np.nan)
        pieces.append(values)
        size += values.size
        if part.count > LONGEST_START:
            break
    values = np.concatenate(pieces)
    if np.count_nonzero(np.isfinite(values)) < 4:
        return None
    dtype = parts[0].dtype
    if dtype == "float64":
        return Subject("", values), kind
    with np.errstate(over="ignore", invalid="ignore"):
        single = values.astype(np.float32)
    stored = single if dtype == "float32" else _half(single, dtype)
    return Subject("", stored), kind


def _half(values: NDArray[np.float32], dtype: str) -> NDArray[Any]:
    kept = rounded(np.nan_to_num(values), dtype)
    return np.where(np.isfinite(values), kept, rounded(np.full(1, np.inf, np.float32), dtype))


def first_found(parts: tuple[FoundDraw, ...]) -> tuple[int, FoundDraw | None]:
    """Return the first part that has values, if its place is the same with all seeds."""
    position = 0
    for part in parts:
        if np.isfinite(part.values[:SPAN]).sum() > SPAN // 2:
            return position, part
        if part.kind == "normal":  # rejections differ
            break
        position += part.count
    return 0, None


def drawn_at(buffer: StreamBuffer, position: int, part: FoundDraw) -> bool:
    """Tell whether values of a part are in the order of its draws, at any of several places."""
    for share in (0.0, 0.5):
        start = int(share * part.count) // 2 * 2
        word, mask = pattern(part.values[start:])
        if mask.bit_count() < 16:
            continue
        if part.kind == "uniform":
            drawn = buffer.uniforms(position + start, SPAN)
        else:
            taken = buffer.normals(position, min(start + SPAN, part.count))
            drawn = taken[0][start:] if taken else np.empty(0, np.float32)
        if drawn.size > 1 and not (int(comparisons(drawn)[0]) ^ word) & mask:
            return True
    return False
