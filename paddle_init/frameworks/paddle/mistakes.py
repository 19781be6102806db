"""What Paddle would have drawn by a known mistake."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress
from dataclasses import replace

from paddle_init.errors import SpecError
from paddle_init.frameworks.mistakes import near_seeds
from paddle_init.languages import Message, Sentence
from paddle_init.schemes import Fixed
from paddle_init.specs import NetSpec, Seeding

ABACUS_ARITHMETIC = Sentence(
    "the same draws in abacus's arithmetic: a float times a double std, rounded once; Paddle "
    "narrows std to float32 first",
    "同一批数，按 abacus 的算术：float 乘 double 标准差，只舍入一次；"
    "Paddle 先把标准差收窄为 float32",
)
EVERY_OP = Sentence(
    "every op was seeded with {seed} (a startup program's random_seed, or the initializer's), not "
    "the global generator: layers of one shape start identical",
    "每个算子都以 {seed} 播种（启动程序的 random_seed，或初始化器的种子），"
    "而不是全局生成器：形状相同的层起点完全一样",
)
GLOBAL_GENERATOR = Sentence(
    "the global generator was seeded with {seed} (paddle.seed), not every op",
    "以 {seed} 播种的是全局生成器（paddle.seed），而不是每个算子",
)


def rounded_otherwise(spec: NetSpec) -> Iterator[tuple[Message, NetSpec]]:
    stream = spec.stream
    if stream is None or stream.seed is None:
        return
    fixed = tuple(replace(draw, scheme=Fixed(spec.drawn(draw.name))) for draw in spec.draws)
    with suppress(SpecError):  # draws that start elsewhere are Paddle's
        net = replace(
            spec,
            framework="abacus",
            storage_order="C",
            draws=fixed,
            stream=Seeding(stream.engine, seed_seq=(stream.seed,)),
        )
        yield ABACUS_ARITHMETIC(), net


def seeded_otherwise(own: Seeding) -> Iterator[tuple[Seeding, Message]]:
    engine = own.engine
    seed = own.seed if own.seed is not None else own.op_seed
    assert seed is not None
    if own.op_seed is None and 0 < seed < 2**31:
        yield Seeding(engine, op_seed=seed), EVERY_OP(seed=seed)
    if own.seed is None and seed >= 0:
        yield Seeding(engine, seed=seed), GLOBAL_GENERATOR(seed=seed)
    for other, says in near_seeds(seed):
        if own.seed is not None:
            yield Seeding(engine, seed=other), says
        elif 0 < other < 2**31:
            yield Seeding(engine, op_seed=other), says
