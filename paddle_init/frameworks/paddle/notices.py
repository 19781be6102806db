"""What paddle.seed makes of a net's seeds."""

from __future__ import annotations

from collections.abc import Iterator

from paddle_init.errors import Notice
from paddle_init.frameworks.knowledge import needs_seed
from paddle_init.frameworks.paddle.facts import effective_seed
from paddle_init.languages import Sentence
from paddle_init.specs import NetSpec

SEED_BITS = Sentence(
    "paddle.seed keeps 32 bits: {seed} and {low} give the same stream",
    "paddle.seed 只保留 32 位：{seed} 和 {low} 给出同一个随机流",
)
SEED_WITHIN = Sentence(
    "the given seed reaches only the draws before {draw}, at which paddle.seed({seed}) is called "
    "within the net",
    "给定的种子只影响 {draw} 之前的 draw：网络在该处自己调用了 paddle.seed({seed})",
)
SEED_UNUSED = Sentence(
    "the given seed has no effect on the values: paddle.seed({seed}) is called within the net "
    "before they are drawn",
    "给定的种子不影响任何值：网络在抽取之前自己调用了 paddle.seed({seed})",
)


def seed_notices(spec: NetSpec, *, given: int | None = None) -> Iterator[Notice]:
    """Yield ``seed-32-bits`` and ``seed-within``; `given` is a caller's seed for the whole net."""
    within = [draw for draw in spec.draws if draw.seed is not None]
    stream = None if spec.stream is None else spec.stream.seed
    for seed in dict.fromkeys([stream, *(draw.seed for draw in within)]):
        if seed is not None and seed != effective_seed(seed):
            yield Notice("seed-32-bits", SEED_BITS(seed=seed, low=effective_seed(seed)))
    if given is not None and within:
        first = within[0]
        if needs_seed(spec):
            message = SEED_WITHIN(draw=first.name, seed=first.seed)
        else:
            message = SEED_UNUSED(seed=first.seed)
        yield Notice("seed-within", message, source=first.source)
