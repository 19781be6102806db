"""What verify says of shapes, repetitions and streams."""

from __future__ import annotations

from typing import Any

from numpy.typing import NDArray

from paddle_init.errors import Notice
from paddle_init.specs import Seeding, Tensor
from paddle_init.verification.sentences import findings as say
from paddle_init.verification.sentences import forms

__all__ = ["misfit", "of_stream", "repetition", "stream_words"]


def misfit(tensor: Tensor, found: NDArray[Any]) -> Notice:
    if found.shape != tensor.shape:
        says = say.SHAPE(found=list(found.shape), wanted=list(tensor.shape))
        if found.shape == tensor.shape[::-1]:
            return Notice("transposed", say.LOOKS_TRANSPOSED(shape=says), tensor.name)
        return Notice("shape", says, tensor.name)
    says = say.DTYPE(found=found.dtype, wanted=tensor.dtype)
    return Notice("dtype", says, tensor.name)


def repetition(earlier: Tensor, later: Tensor, whole: bool) -> Notice:
    trap = say.SEED_TRAP()
    if whole:
        return Notice("repeated", say.EQUALS(earlier=earlier.name, trap=trap), later.name)
    kind = say.KIND_BIAS() if later.role == "bias" else say.KIND_PARAMETER()
    says = say.BEGINS_WITH(kind=kind, earlier=earlier.name, trap=trap)
    return Notice("repeats", says, later.name)


def of_stream(stream: Seeding | None) -> list[Notice]:
    if stream is None or stream.engine != "mt19937_64" or (stream.seed or 0) < 2**32:
        return []
    low = (stream.seed or 0) % 2**32
    return [Notice("seed-32-bits", say.SEED_BITS(seed=stream.seed, low=low))]


def stream_words(stream: Seeding | None) -> str | None:
    if stream is None:
        return None
    if stream.seed_seq is not None:
        return f"{stream.engine}, seed_seq {{{', '.join(map(str, stream.seed_seq))}}}"
    if stream.op_seed is not None:
        return forms.OP_SEED(engine=stream.engine, seed=stream.op_seed)
    return forms.SEED(engine=stream.engine, seed=stream.seed)
