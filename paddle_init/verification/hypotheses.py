"""What a parameter may have been drawn from instead, by a known mistake."""

from __future__ import annotations

import math
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass, replace
from typing import Any

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
from paddle_init.errors import Notice, SchemeError
from paddle_init.frameworks.paddle.facts import effective
from paddle_init.languages import joined
from paddle_init.parity.words import short
from paddle_init.schemes import Abacus, PaddleFC, Scheme, VarianceScaling, xavier_uniform
from paddle_init.specs import Draw, NetSpec, Tensor
from paddle_init.statistics import as_numbers, goodness, law
from paddle_init.texts import number
from paddle_init.verification import sentences as say
from paddle_init.verification import sentences as told
from paddle_init.verification.checking import kept_elements


@dataclass(frozen=True)
class Suspect:
    """Another distribution; `says` is what has happened where the values follow it."""

    code: str
    says: str
    drawn: Simple


def default_of(tensor: Tensor) -> Suspect:
    """Return what Paddle gives a parameter whose attr says nothing."""
    if tensor.role == "bias" or len(tensor.shape) < 2:
        return Suspect("default", told.DEFAULT_BIAS(), Constant(0.0))
    drawn = xavier_uniform()(tensor.shape)
    assert isinstance(drawn, Uniform)
    says = told.DEFAULT_WEIGHT(bound=number(drawn.high))
    return Suspect("default", says, drawn)


def suspects(spec: NetSpec, tensor: Tensor, draw: Draw) -> Iterator[Suspect]:
    """Yield other distributions for the rows of `draw` in `tensor`, the likeliest first."""
    own = spec.drawn(draw.name)
    known = [own]
    for code, says, scheme, shape in _schemes(spec, tensor, draw):
        with suppress(SchemeError, ZeroDivisionError):
            drawn = scheme(shape, spec.arithmetic)
            if isinstance(drawn, Simple) and drawn not in known:
                known.append(drawn)
                yield Suspect(code, say.WITH_NUMBERS(what=says, numbers=_numbers(drawn)), drawn)
    default = default_of(tensor)
    if default.drawn not in known:
        yield default
    for suspect in _families(own):
        if suspect.drawn not in known:
            yield suspect


def _schemes(
    spec: NetSpec, tensor: Tensor, draw: Draw
) -> Iterator[tuple[str, str, Scheme, tuple[int, ...]]]:
    scheme, shape = draw.scheme, draw.shape
    weight = spec.tensor_by_name.get(spec.weight_by_bias.get(tensor.name, ""))
    swapped = say.FANS_SWAPPED()
    if isinstance(scheme, Abacus):
        yield from _abacus(scheme, shape, tensor, weight)
    elif isinstance(scheme, PaddleFC):
        yield from _paddle_fc(scheme, shape, tensor, weight)
    elif isinstance(scheme, VarianceScaling) and len(shape) == 2:
        turned = replace(scheme, fan_in=scheme.fan_out, fan_out=scheme.fan_in)
        yield "fans-swapped", swapped, turned, shape[::-1]
    if len(shape) == 2 and tensor.role == "weight" and not isinstance(scheme, VarianceScaling):
        if not isinstance(scheme, PaddleFC):
            yield "fans-swapped", swapped, scheme, shape[::-1]
        yield "other-rule", say.TOWERS_RULE(), PaddleFC(), tensor.shape


def _abacus(
    scheme: Abacus, shape: tuple[int, ...], tensor: Tensor, weight: Tensor | None
) -> Iterator[tuple[str, str, Scheme, tuple[int, ...]]]:
    rown = shape[0]
    if tensor.role == "bias" and weight is not None:
        fan_in = weight.shape[0]
        yield (
            "bias-scale",
            say.BIAS_LIKE_WEIGHT(fan_in=fan_in),
            replace(scheme, scale_by_rown=True),
            (fan_in, shape[1]),
        )
    if rown > 1:
        for rows, how in ((rown - 1, say.ROWN_WITHOUT_BIAS), (rown + 1, say.ROWN_WITH_BIAS)):
            yield "folded-bias", how(rows=rows), scheme, (rows, shape[1])
    toggled = say.NOT_DIVIDED() if scheme.scale_by_rown else say.DIVIDED()
    other = replace(scheme, scale_by_rown=not scheme.scale_by_rown)
    yield "scale-by-rown", toggled, other, shape
    product = scheme.init_range * scheme.global_init_range
    yield (
        "multiplied",
        say.MULTIPLIED(),
        Abacus(product * math.sqrt(rown), 1.0, False),
        shape,
    )
    yield (
        "global-init-range",
        say.NO_GLOBAL_RANGE(),
        replace(scheme, global_init_range=1.0),
        shape,
    )


def _paddle_fc(
    scheme: PaddleFC, shape: tuple[int, ...], tensor: Tensor, weight: Tensor | None
) -> Iterator[tuple[str, str, Scheme, tuple[int, ...]]]:
    own = scheme.fan_in
    if tensor.role == "bias":
        yield (
            "bias-scale",
            say.BIAS_NOT_DIVIDED(),
            replace(scheme, fan_in=1),
            shape,
        )
    fan_out = weight.shape[-1] if weight else shape[-1]
    yield "fans-swapped", say.FANS_SWAPPED(), replace(scheme, fan_in=fan_out), shape
    fan_in = own or shape[0]
    yield (
        "folded-bias",
        say.FAN_IN_WITH_BIAS(fan_in=fan_in + 1),
        replace(scheme, fan_in=fan_in + 1),
        shape,
    )


def _families(own: Simple) -> Iterator[Suspect]:
    """Numbers that stand for something else: a std for a bound, a variance for a std."""
    match own:
        case Normal(mean, std) if std > 0:
            root = math.sqrt(3) * std
            yield Suspect("family", say.UNIFORM_OF_STD(), Uniform(mean - root, mean + root))
            yield Suspect(
                "family",
                say.UNIFORM_OF_BOUND(),
                Uniform(mean - std, mean + std),
            )
            cut = TruncatedNormal(mean, std, mean - 2 * std, mean + 2 * std)
            yield Suspect("family", say.CUT(), cut)
            yield Suspect("variance", say.STD_AS_VARIANCE(), Normal(mean, math.sqrt(std)))
            yield Suspect("variance", say.VARIANCE_AS_STD(), Normal(mean, std * std))
        case Uniform(low, high) if low < high:
            yield Suspect("family", say.NORMAL_OF_STD(), Normal(own.mean, own.std))
            bound = Normal(own.mean, (high - low) / 2)
            yield Suspect("family", say.NORMAL_OF_BOUND(), bound)


def _numbers(drawn: Simple) -> str:
    match drawn:
        case Normal(_, std):
            return say.STD(std=number(std))
        case Uniform(_, high):
            return say.BOUND(bound=number(high))
    return say.FAMILIES[drawn.family]()


# A suspect is named where none of its tests gives a smaller p-value.
PLAUSIBLE = 1e-3
SHOWN = 2


def suspicions(spec: NetSpec, tensor: Tensor, found: NDArray[Any]) -> list[Notice]:
    """Name what the values follow instead, or else in what they differ; one notice per block."""
    notices = []
    start = 0
    for block in tensor.blocks:
        stop = start + (tensor.shape[0] if len(tensor.blocks) == 1 else block.rows)
        kept = kept_elements(tensor)[start:stop]
        values = found[start:stop] if kept.all() else found[start:stop][kept]
        start, first = stop, start
        drawn = spec.drawn(block.draw)
        if isinstance(drawn, (Given, Unknown)) or not values.size:
            continue
        if not _follows(values, tensor, spec, drawn):
            code, says = _told(spec, tensor, block.draw, values)
            if len(tensor.blocks) > 1:
                says = say.OF_ROWS(rows=f"[{first}, {stop})", what=says)
            notices.append(Notice(code, says, tensor.name))
    return notices


def _told(spec: NetSpec, tensor: Tensor, name: str, values: NDArray[Any]) -> tuple[str, str]:
    numbers = as_numbers(values).reshape(-1).astype(np.float64)
    if not np.isfinite(numbers).all():
        count = int(np.count_nonzero(~np.isfinite(numbers)))
        return "finite", say.NOT_FINITE(count=count)
    fitting = [
        suspect
        for suspect in suspects(spec, tensor, spec.draw_by_name[name])
        if _follows(values, tensor, spec, suspect.drawn)
    ]
    if fitting:
        return fitting[0].code, joined(say.OR, (suspect.says for suspect in fitting[:SHOWN]))
    if numbers.size > 1 and (numbers == numbers[0]).all():
        return "constant", say.ALL_EQUAL(value=short(float(numbers[0])))
    own = law(spec.drawn(name))
    if own is None:
        return "distribution", say.NOT_THE_CONSTANT()
    ratio = float(np.sqrt(np.mean((numbers - own.mean) ** 2))) / own.std
    mean = short(float(numbers.mean()), 4)
    return "distribution", say.SPREAD(ratio=short(ratio, 4), mean=mean)


def _follows(values: NDArray[Any], tensor: Tensor, spec: NetSpec, drawn: Any) -> bool:
    taken = effective(drawn, spec.framework, tensor.dtype)
    if not isinstance(taken, Constant) and law(taken) is None:
        return False
    tests = goodness(values, taken, tensor.dtype)
    return all(test.p_value >= PLAUSIBLE for test in tests)
