"""Drawn values that something changed: put in another order, overwritten in places, moved."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from paddle_init.distributions import Constant
from paddle_init.dtypes import distances, rounded
from paddle_init.errors import Notice
from paddle_init.parity.words import short
from paddle_init.specs import NetSpec, Tensor
from paddle_init.statistics import as_numbers, law
from paddle_init.texts import number
from paddle_init.verification import sentences as say
from paddle_init.verification.checking import bits_of
from paddle_init.verification.hypotheses import suspects

Array = NDArray[Any]

# Differences up to this are another rounding.
ROUNDINGS_ULP = 64
# A tenth of many values is equal by no chance: two draws share all their bits once in 10^7.
LEAST_SHARE, LEAST = 10, 4
# The least correlation that counts, in standard deviations of Fisher's z: by chance 1e-15.
SIGMAS = 8.0


def edited(expected: Array, found: Array) -> tuple[str, str] | None:
    """Return code and words where the found values are the drawn ones, but for order or places."""
    here, there = bits_of(expected), bits_of(found)
    order = _permuted(here, there)
    if order is not None:
        return "permuted", say.PERMUTED(order=order)
    unequal = here != there
    differing = int(np.count_nonzero(unequal))
    equal = here.size - differing
    apart = distances(here[unequal], there[unequal])
    if equal < LEAST or equal * LEAST_SHARE < here.size or apart.max(initial=0) <= ROUNDINGS_ULP:
        return None
    where, what = _places(unequal), _values(as_numbers(found)[unequal])
    return "overwritten", say.OVERWRITTEN(equal=equal, size=here.size, where=where, what=what)


def moved(expected: Array, found: Array) -> tuple[str, str] | None:
    """Return code and words where each found value lies near its own draw."""
    a = as_numbers(expected).astype(np.float64).reshape(-1)
    b = as_numbers(found).astype(np.float64).reshape(-1)
    if a.size < LEAST + 1 or not np.isfinite(b).all() or not b.std():
        return None
    here, there = bits_of(expected).reshape(-1), bits_of(found).reshape(-1)
    apart = distances(here, there)
    if (furthest := int(apart.max())) <= ROUNDINGS_ULP:
        differing = int(np.count_nonzero(apart))
        return "rounding", say.WITHIN_ULP(differing=differing, size=a.size, max_ulp=furthest)
    r = min(float(np.corrcoef(a, b)[0, 1]), 1 - 2.0**-52)
    if math.atanh(r) * math.sqrt(a.size - 3) < SIGMAS:
        return None
    far = short(float(np.abs(b - a).max()), 3)
    if np.ptp(b - a) <= np.abs(b).max() * 2.0**-20 < abs(float((b - a).mean())):
        return "mean", say.MEAN(shift=short(float((b - a).mean()), 4))
    return "moved", say.MOVED(r=short(r, 4), far=far)


def _permuted(here: Array, there: Array) -> str | None:
    if here.sum(dtype=np.uint64) != there.sum(dtype=np.uint64):
        return None
    if not np.array_equal(np.sort(here, None), np.sort(there, None)):
        return None
    if here.ndim == 2:
        for said, a, b in (
            (say.WHOLE_ROWS, here, there),
            (say.WHOLE_COLUMNS, here.T, there.T),
        ):
            if np.array_equal(_sorted_rows(a), _sorted_rows(b)):
                return said()
    return say.SHUFFLED()


def _sorted_rows(matrix: Array) -> Array:
    """Return the rows in the order of their values, from the first column on."""
    return matrix[np.lexsort(matrix.T[::-1])]


def _places(unequal: NDArray[np.bool_]) -> str:
    rows = np.flatnonzero(unequal.reshape(len(unequal), -1).any(axis=1))
    if len(unequal) == 1 or rows.size > 1 + (len(unequal) >> 1):
        return ""
    first, last = int(rows[0]), int(rows[-1])
    if last - first + 1 != rows.size:
        return say.IN_ROWS_FROM(count=rows.size, first=first)
    return say.IN_ROW(first=first) if first == last else say.IN_ROWS(first=first, stop=last + 1)


def _values(changed: Array) -> str:
    wild = int(np.count_nonzero(~np.isfinite(changed)))
    if wild:
        return say.WILD(wild=wild)
    if (changed == changed[0]).all():
        return say.TO_VALUE(value=short(float(changed[0])))
    return ""


@dataclass(frozen=True)
class Relayout:
    """A change of form, made on the expected values; None from it where it has no meaning."""

    code: str
    says: str
    of: Callable[[Array, tuple[int, ...]], Array | None]


def relayouts(expected: Array, found: Array) -> Iterator[tuple[str, str, Array]]:
    """Yield what else `expected` may look like in the shape of `found`, with code and words.

    All changes of form leave the first value where it is, as it is or rounded: where that is
    another, nothing is yielded.
    """
    if expected.size != found.size or not found.size or not _first_alike(expected, found):
        return
    for each in RELAYOUTS:
        made = each.of(expected, found.shape)
        if made is not None and made.shape == found.shape and made.dtype == found.dtype:
            yield each.code, each.says, made


def _first_alike(expected: Array, found: Array) -> bool:
    drawn, there = (float(as_numbers(each.reshape(-1)[:1])[0]) for each in (expected, found))
    # Half types round by at most 2**-8 of the value, or 2**-25; float16 overflows.
    return abs(there - drawn) <= abs(drawn) * 2.0**-8 + 2.0**-25 or not math.isfinite(there)


def _transposed(expected: Array, shape: tuple[int, ...]) -> Array | None:
    return expected.T if expected.ndim == 2 and expected.T.shape == shape else None


def _reshaped(expected: Array, shape: tuple[int, ...]) -> Array | None:
    other = expected.shape != shape and expected.size == np.prod(shape)
    return expected.reshape(shape) if other else None


def _columns(expected: Array, shape: tuple[int, ...]) -> Array | None:
    matrix = expected.ndim == 2 and expected.size == np.prod(shape)
    return expected.ravel("F").reshape(shape) if matrix else None


def _rows(expected: Array, shape: tuple[int, ...]) -> Array | None:
    matrix = expected.ndim == 2 and expected.size == np.prod(shape)
    return expected.ravel("C").reshape(shape, order="F") if matrix else None


def _half(dtype: str, stays: bool) -> Callable[[Array, tuple[int, ...]], Array | None]:
    def through(expected: Array, shape: tuple[int, ...]) -> Array | None:
        if expected.dtype not in (np.float32, np.float64):
            return None
        narrow = rounded(np.ascontiguousarray(expected, np.float32), dtype)
        return as_numbers(narrow).astype(expected.dtype) if stays else narrow

    return through


def _cast(dtype: Any) -> Callable[[Array, tuple[int, ...]], Array | None]:
    def cast(expected: Array, shape: tuple[int, ...]) -> Array | None:
        if expected.dtype not in (np.float32, np.float64):
            return None
        return expected.astype(dtype)

    return cast


RELAYOUTS = (
    Relayout("transposed", say.TRANSPOSED(), _transposed),
    Relayout("shape", say.OTHER_SHAPE(), _reshaped),
    Relayout("column-major", say.COLUMNS_AS_ROWS(), _columns),
    Relayout("row-major", say.ROWS_AS_COLUMNS(), _rows),
    Relayout("float16", say.ROUNDED(dtype="float16"), _half("float16", stays=True)),
    Relayout("bfloat16", say.ROUNDED(dtype="bfloat16"), _half("bfloat16", stays=True)),
    Relayout("dtype", say.OTHER_DTYPE(dtype="float16"), _half("float16", False)),
    Relayout("dtype", say.OTHER_DTYPE(dtype="bfloat16"), _half("bfloat16", False)),
    Relayout("dtype", say.OTHER_DTYPE(dtype="float64"), _cast(np.float64)),
    Relayout("dtype", say.OTHER_DTYPE(dtype="float32"), _cast(np.float32)),
)


# Roundings of a product, in units of the dtype's eps.
ROUNDINGS = 4
EPS = {"float64": 2.0**-52, "float32": 2.0**-23, "float16": 2.0**-10, "bfloat16": 2.0**-7}


@dataclass(frozen=True)
class Factor:
    """found = value * expected, up to a relative error of `error` in value."""

    value: float
    error: float


def rescaled(
    spec: NetSpec,
    tensor: Tensor,
    expected: NDArray[Any],
    found: NDArray[Any],
    least: float = 0.0,
) -> list[Notice]:
    """Say by which factor each block's values are off, and why; empty where they are not so.

    Factors within `least` of 1 are not told.
    """
    if expected.shape != found.shape:
        return []
    notices = []
    start = 0
    for block in tensor.blocks:
        stop = start + (tensor.shape[0] if len(tensor.blocks) == 1 else block.rows)
        factor = _factor(expected[start:stop], found[start:stop], tensor.dtype)
        if factor is None:
            return []
        if abs(factor.value - 1) > max(least, factor.error):
            code, why = _why(spec, tensor, block.draw, factor)
            if len(tensor.blocks) > 1:
                why = say.OF_ROWS(rows=f"[{start}, {stop})", what=why)
            notices.append(Notice(code, why, tensor.name))
        start = stop
    return notices


def _factor(expected: NDArray[Any], found: NDArray[Any], dtype: str) -> Factor | None:
    a = as_numbers(expected).astype(np.float64).reshape(-1)
    b = as_numbers(found).astype(np.float64).reshape(-1)
    power = float(a @ a)
    if a.size < 2 or not power or not np.isfinite(b).all():
        return None
    value = float(a @ b) / power
    slack = ROUNDINGS * EPS[dtype]
    if (
        value == 0
        or (np.abs(b - value * a) > slack * np.abs(b) + slack * 1e-6 * abs(b).max()).any()
    ):
        return None
    return Factor(value, max(slack / np.sqrt(a.size), 1e-15))


def _why(spec: NetSpec, tensor: Tensor, name: str, factor: Factor) -> tuple[str, str]:
    own = law(spec.drawn(name))
    start = say.RESCALED(factor=short(factor.value, 10))
    if own is None:
        return "scale", start
    if abs(factor.value - 1) < 2.0**-23:
        narrow = number(float(np.float32(own.std)))
        return "std-narrowed", say.STD_NARROWED(what=start, std=number(own.std), narrow=narrow)
    for ratio, code, says in _scales(spec, tensor, name):
        if abs(ratio / factor.value - 1) < 1e-6 + factor.error:
            return code, say.BECAUSE(what=start, why=says)
    return "scale", start


def _scales(spec: NetSpec, tensor: Tensor, name: str) -> Iterator[tuple[float, str, str]]:
    draw, own = spec.draw_by_name[name], law(spec.drawn(name))
    for suspect in suspects(spec, tensor, draw):
        other = law(suspect.drawn)
        if own and other and other.family == own.family and not isinstance(suspect.drawn, Constant):
            yield other.std / own.std, suspect.code, suspect.says
