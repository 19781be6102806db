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
    narrowed,
)
from paddle_init.errors import Notice, SchemeError, SpecError
from paddle_init.frameworks.paddle.facts import effective
from paddle_init.languages import joined
from paddle_init.parity.words import short
from paddle_init.schemes import Abacus, Fixed, PaddleFC, Scheme, VarianceScaling, xavier_uniform
from paddle_init.schemes.base import number
from paddle_init.specs import ENGINES, Draw, NetSpec, RowBlock, Seeding, Tensor
from paddle_init.statistics import as_numbers, goodness, law
from paddle_init.verification import sentences as say
from paddle_init.verification import sentences as told
from paddle_init.verification.comparison import kept_elements


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


def folded_otherwise(spec: NetSpec) -> Iterator[tuple[str, NetSpec]]:
    """Yield nets with what would have happened: the row at the other end, or two draws, or one."""
    for says, net in (
        (say.FIRST_ROW(), _rolled(spec)),
        (say.TWO_DRAWS(), _split(spec)),
        (say.ONE_DRAW(), _folded(spec)),
    ):
        if net is not None:
            yield says, net


def _biases(spec: NetSpec) -> dict[str, Tensor]:
    """Return the folded draws, by name, with the tensor that takes their last row."""
    found = {}
    for tensor in spec.tensors:
        block = tensor.blocks[0]
        rows = spec.draw_by_name[block.draw].shape[0]
        if tensor.role == "bias" and 1 < rows == block.stop and block.rows == 1:
            found[block.draw] = tensor
    return found


def _rolled(spec: NetSpec) -> NetSpec | None:
    folded = _biases(spec)
    if not folded:
        return None

    def moved(tensor: Tensor, block: RowBlock) -> RowBlock:
        if block.draw not in folded:
            return block
        if tensor == folded[block.draw]:
            return RowBlock(block.draw, 0, 1)
        return RowBlock(block.draw, block.start + 1, block.stop + 1)

    tensors = tuple(replace(t, blocks=tuple(moved(t, b) for b in t.blocks)) for t in spec.tensors)
    return replace(spec, tensors=tensors)


def _split(spec: NetSpec) -> NetSpec | None:
    folded = _biases(spec)
    if not folded:
        return None
    biases = {bias.name for bias in folded.values()}
    draws: list[Draw] = []
    for draw in spec.draws:
        if draw.name not in folded:
            draws.append(draw)
            continue
        scheme, (rows, *rest) = Fixed(spec.drawn(draw.name)), draw.shape
        draws.append(Draw(draw.name, (rows - 1, *rest), scheme))
        draws.append(Draw(folded[draw.name].name, (1, *rest), scheme))
    tensors = tuple(
        replace(t, blocks=(RowBlock(t.name, 0, 1),)) if t.name in biases else t
        for t in spec.tensors
    )
    return _made(spec, draws, tensors)


def _folded(spec: NetSpec) -> NetSpec | None:
    longer: dict[str, Draw] = {}
    rows: dict[str, RowBlock] = {}
    for weight, bias in spec.bias_by_weight.items():
        if bias is None or bias in rows or not spec.draw_by_name.keys() >= {weight, bias}:
            continue
        own, row = spec.draw_by_name[weight], spec.draw_by_name[bias]
        if len(own.shape) != 2 or row.shape != (1, own.shape[1]):
            continue
        count = own.shape[0]
        longer[weight] = replace(own, shape=(count + 1, own.shape[1]))
        rows[bias] = RowBlock(weight, count, count + 1)
    if not longer:
        return None
    draws = [longer.get(draw.name, draw) for draw in spec.draws if draw.name not in rows]
    tensors = tuple(
        replace(t, blocks=(rows[t.name],)) if t.name in rows else t for t in spec.tensors
    )
    return _made(spec, draws, tensors)


def _made(spec: NetSpec, draws: list[Draw], tensors: tuple[Tensor, ...]) -> NetSpec | None:
    try:
        return replace(spec, draws=tuple(draws), tensors=tensors)
    except SpecError:
        return None


@dataclass(frozen=True)
class Alternative:
    """Another net: `says` is what has happened where its values are the found ones."""

    code: str
    says: str
    net: NetSpec


def alternatives(spec: NetSpec) -> Iterator[Alternative]:
    """Yield the nets that a mistake would have drawn, the likeliest first."""
    yield from _arithmetic(spec)
    yield from _seeds(spec)
    yield from _orders(spec)
    if spec.framework == "abacus":
        for says, net in folded_otherwise(spec):
            yield Alternative("folded-bias", says, net)


def other_storage(spec: NetSpec) -> Iterator[Alternative]:
    """Yield the net whose draws fill their matrices in the other order."""
    if spec.framework != "abacus":
        return
    other, code, names = (
        ("C", "row-major", (say.ROW_MAJOR, say.COLUMN_MAJOR))
        if spec.storage_order == "F"
        else ("F", "column-major", (say.COLUMN_MAJOR, say.ROW_MAJOR))
    )
    there, own = (name() for name in names)
    says = say.OTHER_STORAGE(other=there, own=own)
    yield Alternative(code, says, replace(spec, storage_order=other))


def _arithmetic(spec: NetSpec) -> Iterator[Alternative]:
    """The same draws, rounded as another framework rounds them."""
    if spec.framework == "abacus":
        if spec.arithmetic == "float64":
            yield Alternative(
                "rounding",
                say.PADDLES_ARITHMETIC(),
                _float32_products(spec),
            )
            yield Alternative(
                "rounding",
                say.SCALES_IN_FLOAT32(),
                replace(spec, arithmetic="float32"),
            )
        else:
            yield Alternative(
                "rounding",
                say.SCALES_IN_FLOAT64(),
                replace(spec, arithmetic="float64"),
            )
        return
    stream = spec.stream
    if stream is not None and stream.seed is not None:
        fixed = tuple(replace(draw, scheme=Fixed(spec.drawn(draw.name))) for draw in spec.draws)
        with suppress(SpecError):  # draws that start elsewhere are Paddle's
            net = replace(
                spec,
                framework="abacus",
                storage_order="C",
                draws=fixed,
                stream=Seeding(stream.engine, seed_seq=(stream.seed,)),
            )
            yield Alternative("rounding", say.ABACUS_ARITHMETIC(), net)


def _float32_products(spec: NetSpec) -> NetSpec:
    draws = tuple(
        replace(draw, scheme=Fixed(narrowed(spec.drawn(draw.name), "float32")))
        for draw in spec.draws
    )
    return replace(spec, draws=draws, arithmetic="float32")


def _seeds(spec: NetSpec) -> Iterator[Alternative]:
    if spec.stream is None:
        return
    seen = {spec.stream}
    for stream, says in _streams(spec.framework, spec.stream):
        if stream not in seen:
            seen.add(stream)
            yield Alternative("seed", says, replace(spec, stream=stream))


def _streams(framework: str, own: Seeding) -> Iterator[tuple[Seeding, str]]:
    engine = own.engine
    if framework == "paddle":
        yield from _paddle_streams(engine, own)
        return
    if own.seed is not None:
        seed = own.seed
        for other, how in _near(seed):
            yield Seeding(engine, seed=other), say.STREAM_OF_SEED(seed=other, how=how)
        yield Seeding(engine, seed_seq=(seed,)), say.SEED_SEQ_FOR_INTEGER(seed=seed)
    if own.seed_seq is not None and len(own.seed_seq) == 1 and 0 <= own.seed_seq[0] < 2**64:
        (seed,) = own.seed_seq
        yield Seeding(engine, seed=seed), say.INTEGER_FOR_SEED_SEQ(seed=seed)
    for name in ENGINES:
        yield replace(own, engine=name), say.STREAM_OF_ENGINE(name=name, engine=engine)


def _paddle_streams(engine: str, own: Seeding) -> Iterator[tuple[Seeding, str]]:
    seed = own.seed if own.seed is not None else own.op_seed
    assert seed is not None
    if own.op_seed is None and 0 < seed < 2**31:
        yield Seeding(engine, op_seed=seed), say.EVERY_OP(seed=seed)
    if own.seed is None and seed >= 0:
        yield Seeding(engine, seed=seed), say.GLOBAL_GENERATOR(seed=seed)
    for other, how in _near(seed):
        says = say.STREAM_OF_SEED(seed=other, how=how)
        if own.seed is not None:
            yield Seeding(engine, seed=other), says
        elif 0 < other < 2**31:
            yield Seeding(engine, op_seed=other), says


def _near(seed: int) -> Iterator[tuple[int, str]]:
    off = (
        (seed + 2**32, say.PLUS_32_BITS()),
        (seed - 2**32, say.MINUS_32_BITS()),
        (seed % 2**32, say.MOD_32_BITS()),
        (seed + 1, say.ONE_MORE()),
        (seed - 1, say.ONE_LESS()),
        (0, say.NOT_THE_SPECS()),
        (1, say.ENGINES_DEFAULT()),
    )
    return ((other, how) for other, how in off if 0 <= other < 2**64)


def _orders(spec: NetSpec) -> Iterator[Alternative]:
    created = list(dict.fromkeys(b.draw for t in spec.tensors for b in t.blocks))
    created += [draw.name for draw in spec.draws if draw.name not in created]
    roles = {
        block.draw: tensor.role for tensor in reversed(spec.tensors) for block in tensor.blocks
    }
    own = [draw.name for draw in spec.draws]
    named = (
        (say.BY_CREATION(), created),
        (say.REVERSED(), own[::-1]),
        (say.BY_NAME(), sorted(own)),
        (say.WEIGHTS_FIRST(), sorted(own, key=lambda n: roles.get(n) == "bias")),
        (say.BIASES_FIRST(), sorted(own, key=lambda n: roles.get(n) != "bias")),
        (say.BIAS_BEFORE_WEIGHT(), _biases_first(spec)),
    )
    seen = [own]
    for says, order in named:
        if order not in seen:
            seen.append(order)
            draws = tuple(spec.draw_by_name[name] for name in order)
            with suppress(SpecError):  # a draw may have to come after another
                net = replace(spec, draws=draws)
                yield Alternative("order", say.OTHER_ORDER(order=says), net)


def _biases_first(spec: NetSpec) -> list[str]:
    place = {draw.name: i for i, draw in enumerate(spec.draws)}
    first = dict(place)
    for weight, bias in spec.bias_by_weight.items():
        if bias in place and weight in place:
            first[bias] = min(first[bias], place[weight])
    # Where a bias and its weight share a place, the bias, which was behind, comes before.
    return sorted(place, key=lambda name: (first[name], -place[name]))
