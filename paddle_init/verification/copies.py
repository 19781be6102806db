"""Further arrays of one parameter: a tied weight's second name, an RNN cell's."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any

from numpy.typing import NDArray

from paddle_init.errors import Notice
from paddle_init.specs import NetSpec, Tensor
from paddle_init.verification.comparing import compare_bits, fits, same_bits
from paddle_init.verification.naming import Copy, Named
from paddle_init.verification.records import ParameterVerification, Verdict
from paddle_init.verification.sentences import findings as say
from paddle_init.verification.wording import misfit

__all__ = ["untied", "verified_copies"]


def verified_copies(
    spec: NetSpec,
    named: Named,
    first: Mapping[str, ParameterVerification],
    expected: Mapping[str, NDArray[Any]],
    max_ulp: int,
) -> Iterator[ParameterVerification]:
    """Compare each further array of a parameter with what the net draws for it.

    Parameters
    ----------
    first
        What became of the parameters' first arrays, by name.
    expected
        What is drawn, where that is known. Elsewhere a copy is compared with the first array: the
        net has one value for both.
    """
    for copy in named.copies:
        tensor, of = spec.tensor_by_name[copy.of], first[copy.of]
        drawn = expected.get(copy.of)
        found = named.arrays.get(copy.of)
        if copy.array is None:
            yield _entry(copy, tensor, Verdict.MISSING)
        elif found is not None and same_bits(found, copy.array):
            yield replace(of, name=copy.name, alias_of=copy.of)
        elif drawn is not None and fits(tensor, copy.array):
            bits = compare_bits(drawn, copy.array)
            verdict = Verdict.IDENTICAL if bits.within(max_ulp) else Verdict.DIFFERS
            yield replace(_entry(copy, tensor, verdict), bits=bits)
        else:
            yield _entry(copy, tensor, Verdict.DIFFERS)


def untied(spec: NetSpec, named: Named) -> Iterator[Notice]:
    """Tell which further arrays are not equal to the first, and which of them Paddle keeps."""
    aliases = {alias for tensor in spec.tensors for alias in tensor.aliases}
    last = {copy.of: copy.name for copy in named.copies if copy.name in aliases}
    for copy in named.copies:
        tensor, found = spec.tensor_by_name[copy.of], named.arrays.get(copy.of)
        if copy.array is None or found is None or same_bits(found, copy.array):
            continue
        if not fits(tensor, copy.array):
            yield misfit(replace(tensor, name=copy.name, aliases=()), copy.array)
        says = say.UNTIED(name=copy.of)
        if copy.name in aliases:
            says = say.UNTIED_LAST(what=says, last=last[copy.of])
        yield Notice("untied", says, copy.name)


def _entry(copy: Copy, tensor: Tensor, verdict: Verdict) -> ParameterVerification:
    shape = tensor.shape if copy.array is None else copy.array.shape
    return ParameterVerification(copy.name, shape, tensor.role, verdict, alias_of=copy.of)
