"""Known mistakes: what a net, a parameter or an array would be if one had been made."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from dataclasses import dataclass, replace
from typing import Any, Generic, TypeAlias, TypeVar

import numpy as np
from numpy.typing import NDArray

from paddle_init.distributions import Constant, Normal, Simple, TruncatedNormal, Uniform
from paddle_init.dtypes import as_held, as_numbers
from paddle_init.errors import Notice, SchemeError, SpecError
from paddle_init.frameworks.registry import framework_of
from paddle_init.schemes import (
    Abacus,
    Fixed,
    PaddleFC,
    Scheme,
    Shape,
    VarianceScaling,
    xavier_uniform,
)
from paddle_init.specs import Draw, NetSpec, RowBlock, Tensor
from paddle_init.texts import number
from paddle_init.verification import sentences as messages

Array: TypeAlias = NDArray[Any]
Outcome = TypeVar("Outcome")


@dataclass(frozen=True)
class Hypothesis(Generic[Outcome]):
    """A mistake: `outcome` is what it makes; `message` says what happened where that is found."""

    code: str
    message: str
    outcome: Outcome

    def notice(self, name: str) -> Notice:
        return Notice(self.code, self.message, name)


# Arrays: the expected values in another form.


Form: TypeAlias = Callable[[Array, Shape], "Array | None"]


def other_forms(expected: Array, found: Array) -> Iterator[Hypothesis[Array]]:
    """Yield what else `expected` may look like in the shape of `found`.

    All changes of form leave the first value where it is, as it is or rounded: where that is
    another, nothing is yielded.
    """
    if expected.size != found.size or not found.size or not _first_alike(expected, found):
        return
    for each in FORMS:
        array = each.outcome(expected, found.shape)
        if array is not None and array.shape == found.shape and array.dtype == found.dtype:
            yield Hypothesis(each.code, each.message, array)


def _first_alike(expected: Array, found: Array) -> bool:
    drawn, there = (float(as_numbers(each.reshape(-1)[:1])[0]) for each in (expected, found))
    # Half types round by at most 2**-8 of the value, or 2**-25; float16 overflows.
    return abs(there - drawn) <= abs(drawn) * 2.0**-8 + 2.0**-25 or not math.isfinite(there)


def _transposed(expected: Array, shape: Shape) -> Array | None:
    return expected.T if expected.ndim == 2 else None


def _reshaped(expected: Array, shape: Shape) -> Array | None:
    return expected.reshape(shape) if expected.shape != shape else None


def _columns_as_rows(expected: Array, shape: Shape) -> Array | None:
    return expected.ravel("F").reshape(shape) if expected.ndim == 2 else None


def _rows_as_columns(expected: Array, shape: Shape) -> Array | None:
    return expected.ravel("C").reshape(shape, order="F") if expected.ndim == 2 else None


def _cast(dtype: str, *, back: bool = False) -> Form:
    """Return the form of values that were cast to `dtype`, and `back` to their own."""

    def cast(expected: Array, shape: Shape) -> Array | None:
        if expected.dtype not in (np.float32, np.float64):
            return None
        held = as_held(expected, dtype)
        return as_numbers(held).astype(expected.dtype) if back else held

    return cast


FORMS: tuple[Hypothesis[Form], ...] = (
    Hypothesis("transposed", messages.TRANSPOSED(), _transposed),
    Hypothesis("shape", messages.OTHER_SHAPE(), _reshaped),
    Hypothesis("column-major", messages.COLUMNS_AS_ROWS(), _columns_as_rows),
    Hypothesis("row-major", messages.ROWS_AS_COLUMNS(), _rows_as_columns),
    *(
        Hypothesis(dtype, messages.ROUNDED(dtype=dtype), _cast(dtype, back=True))
        for dtype in ("float16", "bfloat16")
    ),
    *(
        Hypothesis("dtype", messages.OTHER_DTYPE(dtype=dtype), _cast(dtype))
        for dtype in ("float16", "bfloat16", "float64", "float32")
    ),
)


# Parameters: another distribution.


def default_of(tensor: Tensor) -> Hypothesis[Simple]:
    """Return what Paddle gives a parameter whose attr says nothing."""
    if tensor.role == "bias" or len(tensor.shape) < 2:
        return Hypothesis("default", messages.DEFAULT_BIAS(), Constant(0.0))
    drawn = xavier_uniform()(tensor.shape)
    assert isinstance(drawn, Uniform)
    return Hypothesis("default", messages.DEFAULT_WEIGHT(bound=number(drawn.high)), drawn)


def other_distributions(spec: NetSpec, tensor: Tensor, draw: Draw) -> Iterator[Hypothesis[Simple]]:
    """Yield other distributions for the rows of `draw` in `tensor`, the likeliest first."""
    own = spec.drawn(draw.name)
    seen = [own]
    for rule in _other_rules(spec, tensor, draw):
        scheme, shape = rule.outcome
        with suppress(SchemeError, ZeroDivisionError):
            drawn = scheme(shape, spec.arithmetic)
            if isinstance(drawn, Simple) and drawn not in seen:
                seen.append(drawn)
                message = messages.WITH_NUMBERS(what=rule.message, numbers=_numbers(drawn))
                yield Hypothesis(rule.code, message, drawn)
    for other in (default_of(tensor), *_other_families(own)):
        if other.outcome not in seen:
            yield other


Rule: TypeAlias = Hypothesis[tuple[Scheme, Shape]]


def _other_rules(spec: NetSpec, tensor: Tensor, draw: Draw) -> Iterator[Rule]:
    scheme, shape = draw.scheme, draw.shape
    weight = spec.tensor_by_name.get(spec.weight_by_bias.get(tensor.name, ""))
    swapped = "fans-swapped", messages.FANS_SWAPPED()
    if isinstance(scheme, Abacus):
        yield from _other_abacus(scheme, shape, tensor, weight)
    elif isinstance(scheme, PaddleFC):
        if tensor.role == "bias":
            divided = replace(scheme, fan_in=1), shape
            yield Hypothesis("bias-scale", messages.BIAS_NOT_DIVIDED(), divided)
        fan_out = weight.shape[-1] if weight else shape[-1]
        yield Hypothesis(*swapped, (replace(scheme, fan_in=fan_out), shape))
        fan_in = (scheme.fan_in or shape[0]) + 1
        message = messages.FAN_IN_WITH_BIAS(fan_in=fan_in)
        yield Hypothesis("folded-bias", message, (replace(scheme, fan_in=fan_in), shape))
    elif isinstance(scheme, VarianceScaling) and len(shape) == 2:
        turned = replace(scheme, fan_in=scheme.fan_out, fan_out=scheme.fan_in)
        yield Hypothesis(*swapped, (turned, shape[::-1]))
    if len(shape) == 2 and tensor.role == "weight" and not isinstance(scheme, VarianceScaling):
        if not isinstance(scheme, PaddleFC):
            yield Hypothesis(*swapped, (scheme, shape[::-1]))
        yield Hypothesis("other-rule", messages.TOWERS_RULE(), (PaddleFC(), tensor.shape))


def _other_abacus(
    scheme: Abacus, shape: Shape, tensor: Tensor, weight: Tensor | None
) -> Iterator[Rule]:
    rown = shape[0]
    if tensor.role == "bias" and weight is not None:
        fan_in = weight.shape[0]
        like_weight = replace(scheme, scale_by_rown=True), (fan_in, shape[1])
        yield Hypothesis("bias-scale", messages.BIAS_LIKE_WEIGHT(fan_in=fan_in), like_weight)
    if rown > 1:
        for rows, how in (
            (rown - 1, messages.ROWN_WITHOUT_BIAS),
            (rown + 1, messages.ROWN_WITH_BIAS),
        ):
            yield Hypothesis("folded-bias", how(rows=rows), (scheme, (rows, shape[1])))
    toggled = messages.NOT_DIVIDED() if scheme.scale_by_rown else messages.DIVIDED()
    product = scheme.init_range * scheme.global_init_range
    for code, message, other in (
        ("scale-by-rown", toggled, replace(scheme, scale_by_rown=not scheme.scale_by_rown)),
        ("multiplied", messages.MULTIPLIED(), Abacus(product * math.sqrt(rown), 1.0, False)),
        ("global-init-range", messages.NO_GLOBAL_RANGE(), replace(scheme, global_init_range=1.0)),
    ):
        yield Hypothesis(code, message, (other, shape))


def _other_families(own: Simple) -> tuple[Hypothesis[Simple], ...]:
    """Numbers that stand for something else: a std for a bound, a variance for a std."""
    match own:
        case Normal(mean, std) if std > 0:
            bound, cut = math.sqrt(3) * std, 2 * std
            return (
                Hypothesis(
                    "family", messages.UNIFORM_OF_STD(), Uniform(mean - bound, mean + bound)
                ),
                Hypothesis("family", messages.UNIFORM_OF_BOUND(), Uniform(mean - std, mean + std)),
                Hypothesis(
                    "family", messages.CUT(), TruncatedNormal(mean, std, mean - cut, mean + cut)
                ),
                Hypothesis("variance", messages.STD_AS_VARIANCE(), Normal(mean, math.sqrt(std))),
                Hypothesis("variance", messages.VARIANCE_AS_STD(), Normal(mean, std * std)),
            )
        case Uniform(low, high) if low < high:
            half = (high - low) / 2
            return (
                Hypothesis("family", messages.NORMAL_OF_STD(), Normal(own.mean, own.std)),
                Hypothesis("family", messages.NORMAL_OF_BOUND(), Normal(own.mean, half)),
            )
    return ()


def _numbers(drawn: Simple) -> str:
    match drawn:
        case Normal(_, std):
            return messages.STD(std=number(std))
        case Uniform(_, high):
            return messages.BOUND(bound=number(high))
    return messages.FAMILIES[drawn.family]()


# Nets: other arithmetic, seeds, order of draws, and bias rows folded into weights.


def other_nets(spec: NetSpec) -> Iterator[Hypothesis[NetSpec]]:
    """Yield the nets that a mistake would have drawn, the likeliest first."""
    framework = framework_of(spec)
    for what, net in framework.rounded_otherwise(spec):
        yield Hypothesis("rounding", what, net)
    if spec.stream is not None:
        for stream, message in _distinct(spec.stream, framework.seeded_otherwise(spec.stream)):
            yield Hypothesis("seed", message, replace(spec, stream=stream))
    yield from _other_orders(spec)
    if framework.folds_biases:
        for folded, message in (
            (_rolled(spec), messages.FIRST_ROW()),
            (_split(spec), messages.TWO_DRAWS()),
            (_folded(spec), messages.ONE_DRAW()),
        ):
            if folded is not None:
                yield Hypothesis("folded-bias", message, folded)


def other_storage(spec: NetSpec) -> Iterator[Hypothesis[NetSpec]]:
    """Yield the net whose draws fill their matrices in the other order."""
    for code, message, net in framework_of(spec).stored_otherwise(spec):
        yield Hypothesis(code, message, net)


Item = TypeVar("Item")


def _distinct(own: Item, others: Iterable[tuple[Item, str]]) -> Iterator[tuple[Item, str]]:
    """Yield what is neither `own` nor came before."""
    seen = [own]
    for other, message in others:
        if other not in seen:
            seen.append(other)
            yield other, message


def _other_orders(spec: NetSpec) -> Iterator[Hypothesis[NetSpec]]:
    own = list(spec.draw_by_name)
    created = list(dict.fromkeys([*(b.draw for t in spec.tensors for b in t.blocks), *own]))
    roles = {
        block.draw: tensor.role for tensor in reversed(spec.tensors) for block in tensor.blocks
    }
    orders = (
        (created, messages.BY_CREATION()),
        (own[::-1], messages.REVERSED()),
        (sorted(own), messages.BY_NAME()),
        (sorted(own, key=lambda n: roles.get(n) == "bias"), messages.WEIGHTS_FIRST()),
        (sorted(own, key=lambda n: roles.get(n) != "bias"), messages.BIASES_FIRST()),
        (_bias_before_weight(spec), messages.BIAS_BEFORE_WEIGHT()),
    )
    for names, order in _distinct(own, orders):
        with suppress(SpecError):  # a draw may have to come after another
            net = replace(spec, draws=tuple(spec.draw_by_name[name] for name in names))
            yield Hypothesis("order", messages.OTHER_ORDER(order=order), net)


def _bias_before_weight(spec: NetSpec) -> list[str]:
    place = {draw.name: i for i, draw in enumerate(spec.draws)}
    first = dict(place)
    for weight, bias in spec.bias_by_weight.items():
        if bias in place and weight in place:
            first[bias] = min(first[bias], place[weight])
    # Where a bias and its weight share a place, the bias, which was behind, comes before.
    return sorted(place, key=lambda name: (first[name], -place[name]))


def _folded_biases(spec: NetSpec) -> dict[str, Tensor]:
    """Return the folded draws, by name, with the tensor that takes their last row."""
    found = {}
    for tensor in spec.tensors:
        block = tensor.blocks[0]
        rows = spec.draw_by_name[block.draw].shape[0]
        if tensor.role == "bias" and 1 < rows == block.stop and block.rows == 1:
            found[block.draw] = tensor
    return found


def _rolled(spec: NetSpec) -> NetSpec | None:
    """Return the net whose bias row is the first of its draw, not the last."""
    folded = _folded_biases(spec)

    def moved(tensor: Tensor, block: RowBlock) -> RowBlock:
        if block.draw not in folded:
            return block
        if tensor == folded[block.draw]:
            return RowBlock(block.draw, 0, 1)
        return RowBlock(block.draw, block.start + 1, block.stop + 1)

    tensors = tuple(replace(t, blocks=tuple(moved(t, b) for b in t.blocks)) for t in spec.tensors)
    return replace(spec, tensors=tensors) if folded else None


def _split(spec: NetSpec) -> NetSpec | None:
    """Return the net whose folded bias rows are draws of their own."""
    folded = _folded_biases(spec)
    draws: list[Draw] = []
    for draw in spec.draws:
        if draw.name not in folded:
            draws.append(draw)
            continue
        scheme, (rows, *rest) = Fixed(spec.drawn(draw.name)), draw.shape
        draws.append(Draw(draw.name, (rows - 1, *rest), scheme))
        draws.append(Draw(folded[draw.name].name, (1, *rest), scheme))
    own_row = {bias.name: RowBlock(bias.name, 0, 1) for bias in folded.values()}
    return _with_rows(spec, draws, own_row)


def _folded(spec: NetSpec) -> NetSpec | None:
    """Return the net whose biases are the last rows of their weights' draws."""
    longer: dict[str, Draw] = {}
    rows: dict[str, RowBlock] = {}
    for weight, bias in spec.bias_by_weight.items():
        if bias is None or bias in rows or not spec.draw_by_name.keys() >= {weight, bias}:
            continue
        own, row = spec.draw_by_name[weight], spec.draw_by_name[bias]
        if len(own.shape) == 2 and row.shape == (1, own.shape[1]):
            count = own.shape[0]
            longer[weight] = replace(own, shape=(count + 1, own.shape[1]))
            rows[bias] = RowBlock(weight, count, count + 1)
    draws = [longer.get(draw.name, draw) for draw in spec.draws if draw.name not in rows]
    return _with_rows(spec, draws, rows)


def _with_rows(spec: NetSpec, draws: list[Draw], row_of: dict[str, RowBlock]) -> NetSpec | None:
    """Return the net with other draws, of which some biases are a row; None where none is."""
    tensors = tuple(
        replace(t, blocks=(row_of[t.name],)) if t.name in row_of else t for t in spec.tensors
    )
    with suppress(SpecError):
        return replace(spec, draws=tuple(draws), tensors=tensors) if row_of else None
    return None
