"""What else could have been drawn: nets that differ from a spec in one known mistake."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass, replace

from paddle_init.distributions import narrowed
from paddle_init.errors import SpecError
from paddle_init.schemes import Fixed
from paddle_init.specs import ENGINES, Draw, NetSpec, RowBlock, Seeding, Tensor
from paddle_init.verification import sentences as say


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
