"""What verify says of shapes, repetitions and streams."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from numpy.typing import NDArray

from paddle_init.errors import Notice
from paddle_init.parity.words import listed
from paddle_init.specs import NetSpec, Seeding, Tensor
from paddle_init.statistics import dtype_name
from paddle_init.verification.naming import Named
from paddle_init.verification.repetition import Repetition
from paddle_init.verification.sentences import findings as say
from paddle_init.verification.sentences import forms
from paddle_init.weight_files.loading import Weights

__all__ = ["misfit", "of_names", "repetition", "stream_words"]


def of_names(spec: NetSpec, weights: Weights, named: Named) -> Iterator[Notice]:
    """Tell how names were matched, and what of the weights is not compared."""
    if named.dropped:
        yield Notice("prefix", say.SPECS_PREFIX(prefix=named.dropped))
    if named.prefix:
        yield Notice("prefix", say.PREFIX(prefix=named.prefix))
    elif named.prefixes:
        yield Notice("names", say.SEVERAL_PREFIXES(prefixes=listed(named.prefixes)))
    elif not named.arrays and not named.unreadable and spec.tensors:
        has, wants = listed(list(weights)), listed(list(spec.tensor_by_name))
        yield Notice("names", say.NO_NAME_IN_COMMON(has=has or say.NONE(), wants=wants))
    for name, alias in named.renamed:
        yield Notice("alias", say.ONLY_UNDER_ALIAS(alias=alias), name)
    shown = {place: name for name, place in named.unreadable}
    for place, why in weights.unreadable.items():
        yield Notice("unreadable", say.UNREADABLE(why=why), shown.get(place, place))
    if named.buffers:
        yield Notice("buffers", say.BUFFERS(names=listed(named.buffers)))


def misfit(tensor: Tensor, found: NDArray[Any]) -> Notice:
    if found.shape != tensor.shape:
        says = say.SHAPE(found=list(found.shape), wanted=list(tensor.shape))
        if found.shape == tensor.shape[::-1]:
            return Notice("transposed", say.LOOKS_TRANSPOSED(shape=says), tensor.name)
        return Notice("shape", says, tensor.name)
    says = say.DTYPE(found=dtype_name(found) or found.dtype, wanted=tensor.dtype)
    return Notice("dtype", says, tensor.name)


def repetition(made: Repetition) -> Notice:
    earlier, later, trap = made.earlier.name, made.later, say.SEED_TRAP()
    if made.whole:
        return Notice("repeated", say.EQUALS(earlier=earlier, trap=trap), later.name)
    if made.equal < made.compared:
        says = say.MOST_EQUAL(equal=made.equal, compared=made.compared, earlier=earlier, trap=trap)
        return Notice("repeats", says, later.name)
    kind = say.KIND_BIAS() if later.role == "bias" else say.KIND_PARAMETER()
    says = say.BEGINS_WITH(kind=kind, earlier=earlier, trap=trap)
    return Notice("repeats", says, later.name)


def stream_words(stream: Seeding | None, *, within: bool = False) -> str | None:
    """Name the stream; `within` where the net seeds draws itself."""
    if stream is None:
        return forms.SEEDS_WITHIN() if within else None
    if stream.seed_seq is not None:
        return f"{stream.engine}, seed_seq {{{', '.join(map(str, stream.seed_seq))}}}"
    if stream.op_seed is not None:
        return forms.OP_SEED(engine=stream.engine, seed=stream.op_seed)
    return forms.SEED(engine=stream.engine, seed=stream.seed)
