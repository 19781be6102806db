"""Seeds that are taken one for another, whatever the framework."""

from __future__ import annotations

from collections.abc import Iterator

from paddle_init.languages import Message, Sentence

STREAM_OF_SEED = Sentence(
    "this is the stream of seed {seed}, {how}", "这是种子 {seed} 的随机流，{how}"
)
PLUS_32_BITS = Sentence("that is the spec's + 2^32", "即规格的种子 + 2^32")
MINUS_32_BITS = Sentence("that is the spec's - 2^32", "即规格的种子 - 2^32")
MOD_32_BITS = Sentence("the spec's mod 2^32", "即规格的种子对 2^32 取模")
ONE_MORE = Sentence("one more than the spec's", "比规格的种子大 1")
ONE_LESS = Sentence("one less than the spec's", "比规格的种子小 1")
NOT_THE_SPECS = Sentence("not the spec's", "不是规格的种子")
ENGINES_DEFAULT = Sentence("an engine's default", "即引擎的默认种子")


def near_seeds(seed: int) -> Iterator[tuple[int, Message]]:
    """Yield the seeds that are taken for `seed`, the likeliest first, and what to say of them."""
    for other, how in (
        (seed + 2**32, PLUS_32_BITS),
        (seed - 2**32, MINUS_32_BITS),
        (seed % 2**32, MOD_32_BITS),
        (seed + 1, ONE_MORE),
        (seed - 1, ONE_LESS),
        (0, NOT_THE_SPECS),
        (1, ENGINES_DEFAULT),
    ):
        if 0 <= other < 2**64:
            yield other, STREAM_OF_SEED(seed=other, how=how())
