"""What abacus would have drawn by a known mistake."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from paddle_init.distributions import narrowed
from paddle_init.frameworks.mistakes import near_seeds
from paddle_init.languages import Message, Sentence
from paddle_init.schemes import Fixed
from paddle_init.specs import ENGINES, NetSpec, Seeding

COLUMN_MAJOR = Sentence("column-major", "按列")
ROW_MAJOR = Sentence("row-major", "按行")
OTHER_STORAGE = Sentence(
    "the draws fill the matrix in {other} order, not {own} as the spec says",
    "抽到的数{other}填入矩阵，而规格说是{own}",
)
PADDLES_ARITHMETIC = Sentence(
    "the same draws in Paddle's arithmetic: std is narrowed to float32 and multiplied in float32; "
    "the spec's double scale rounds once",
    "同一批数，按 Paddle 的算术：标准差收窄为 float32，再以 float32 相乘；"
    "规格的 double scale 只舍入一次",
)
SCALES_IN_FLOAT32 = Sentence(
    "the same draws with scales computed in float32, as the system derived from abacus does; the "
    "spec says float64",
    "同一批数，scale 以 float32 计算，与 abacus 的衍生系统一样；规格说是 float64",
)
SCALES_IN_FLOAT64 = Sentence(
    "the same draws with scales computed in float64; the spec says float32",
    "同一批数，scale 以 float64 计算；规格说是 float32",
)
SEED_SEQ_FOR_INTEGER = Sentence(
    "the engine was seeded by std::seed_seq{{{seed}}}, not by the integer {seed}",
    "引擎以 std::seed_seq{{{seed}}} 播种，而不是以整数 {seed}",
)
INTEGER_FOR_SEED_SEQ = Sentence(
    "the engine was seeded by the integer {seed}, not by std::seed_seq{{{seed}}}",
    "引擎以整数 {seed} 播种，而不是以 std::seed_seq{{{seed}}}",
)
STREAM_OF_ENGINE = Sentence(
    "this is the stream of {name}, not of {engine}", "这是 {name} 的随机流，不是 {engine} 的"
)


def rounded_otherwise(spec: NetSpec) -> Iterator[tuple[Message, NetSpec]]:
    if spec.arithmetic != "float64":
        yield SCALES_IN_FLOAT64(), replace(spec, arithmetic="float64")
        return
    draws = tuple(
        replace(draw, scheme=Fixed(narrowed(spec.drawn(draw.name), "float32")))
        for draw in spec.draws
    )
    yield PADDLES_ARITHMETIC(), replace(spec, draws=draws, arithmetic="float32")
    yield SCALES_IN_FLOAT32(), replace(spec, arithmetic="float32")


def seeded_otherwise(own: Seeding) -> Iterator[tuple[Seeding, Message]]:
    engine = own.engine
    if own.seed is not None:
        for other, says in near_seeds(own.seed):
            yield Seeding(engine, seed=other), says
        yield Seeding(engine, seed_seq=(own.seed,)), SEED_SEQ_FOR_INTEGER(seed=own.seed)
    if own.seed_seq is not None and len(own.seed_seq) == 1 and 0 <= own.seed_seq[0] < 2**64:
        (seed,) = own.seed_seq
        yield Seeding(engine, seed=seed), INTEGER_FOR_SEED_SEQ(seed=seed)
    for name in ENGINES:
        yield replace(own, engine=name), STREAM_OF_ENGINE(name=name, engine=engine)


def stored_otherwise(spec: NetSpec) -> Iterator[tuple[str, Message, NetSpec]]:
    by_column = ("column-major", COLUMN_MAJOR(), "F")
    by_row = ("row-major", ROW_MAJOR(), "C")
    own, other = (by_column, by_row) if spec.storage_order == "F" else (by_row, by_column)
    says = OTHER_STORAGE(other=other[1], own=own[1])
    yield other[0], says, replace(spec, storage_order=other[2])
