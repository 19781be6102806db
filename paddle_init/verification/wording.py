"""What verify says of shapes, repetitions and streams."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from numpy.typing import NDArray

from paddle_init.errors import Notice
from paddle_init.parity.words import listed
from paddle_init.specs import NetSpec, Seeding, Tensor
from paddle_init.verification.naming import Named
from paddle_init.weight_files.loading import Weights

__all__ = ["misfit", "of_names", "of_stream", "repetition", "stream_words"]


def of_names(spec: NetSpec, weights: Weights, named: Named) -> Iterator[Notice]:
    """Tell how names were matched, and what of the weights could not be read."""
    if named.prefix:
        yield Notice("prefix", f"the weights' names begin with {named.prefix!r}, the spec's do not")
    elif not named.arrays and spec.tensors:
        has, wants = listed(list(weights)), listed(list(spec.tensor_by_name))
        yield Notice(
            "names",
            f"no name is common to both: the weights have {has or 'none'}, the spec {wants}; "
            "say in a mapping which belong together",
        )
    for name in weights.skipped:
        if name in spec.tensor_by_name:
            says = "the weights have it, but not as numbers of a type that can be read"
            yield Notice("unreadable", says, name)


def misfit(tensor: Tensor, found: NDArray[Any]) -> Notice:
    if found.shape != tensor.shape:
        says = f"the shape is {list(found.shape)}, the spec's {list(tensor.shape)}"
        if found.shape == tensor.shape[::-1]:
            says += "; it looks transposed: Paddle's weights are [in, out], others' [out, in]"
            return Notice("transposed", says, tensor.name)
        return Notice("shape", says, tensor.name)
    return Notice("dtype", f"the dtype is {found.dtype}, the spec's {tensor.dtype}", tensor.name)


def repetition(earlier: Tensor, later: Tensor, whole: bool) -> Notice:
    trap = (
        "A startup program's random_seed, or one initializer object with a seed, used twice, "
        "does this"
    )
    if whole:
        says = f"every bit equals that of {earlier.name}; the layers start identical. {trap}"
        return Notice("repeated", says, later.name)
    kind = "bias" if later.role == "bias" else "parameter"
    says = f"the {kind} begins with the draws of {earlier.name}. {trap}"
    return Notice("repeats", says, later.name)


def of_stream(stream: Seeding | None) -> list[Notice]:
    if stream is None or stream.engine != "mt19937_64" or (stream.seed or 0) < 2**32:
        return []
    low = (stream.seed or 0) % 2**32
    says = f"paddle.seed keeps 32 bits: {stream.seed} and {low} give the same stream"
    return [Notice("seed-32-bits", says)]


def stream_words(stream: Seeding | None) -> str | None:
    if stream is None:
        return None
    if stream.seed_seq is not None:
        return f"{stream.engine}, seed_seq {{{', '.join(map(str, stream.seed_seq))}}}"
    if stream.op_seed is not None:
        return f"{stream.engine}, op seed {stream.op_seed}"
    return f"{stream.engine}, seed {stream.seed}"
