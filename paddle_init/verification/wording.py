"""What verify says of shapes, repetitions and streams."""

from __future__ import annotations

import shlex
from collections.abc import Iterator
from typing import Any

from numpy.typing import NDArray

from paddle_init.errors import Notice
from paddle_init.parity.words import listed
from paddle_init.specs import NetSpec, Seeding, Tensor
from paddle_init.verification.naming import Named
from paddle_init.verification.sentences import findings as say
from paddle_init.verification.sentences import forms
from paddle_init.weight_files.loading import Weights

__all__ = ["misfit", "of_names", "of_stream", "repetition", "search_command", "stream_words"]


def of_names(spec: NetSpec, weights: Weights, named: Named) -> Iterator[Notice]:
    """Tell how names were matched, and what of the weights could not be read."""
    if named.prefix:
        yield Notice("prefix", say.PREFIX(prefix=named.prefix))
    elif not named.arrays and spec.tensors:
        has, wants = listed(list(weights)), listed(list(spec.tensor_by_name))
        yield Notice("names", say.NO_NAME_IN_COMMON(has=has or say.NONE(), wants=wants))
    for name in weights.skipped:
        if name in spec.tensor_by_name:
            yield Notice("unreadable", say.UNREADABLE(), name)


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


def search_command(spec: NetSpec, weights: Weights) -> str:
    """Return the command line that searches the seed of weights through the spec's net."""
    if spec.origin in (None, "<stdin>") or weights.source == "arrays":
        return "identify(weights, spec)"
    return shlex.join(["paddle-init", "identify", weights.source, "--spec", str(spec.origin)])
