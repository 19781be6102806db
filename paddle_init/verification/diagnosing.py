"""Why found values are not the drawn ones: known mistakes are tried until one gives their bits."""

from __future__ import annotations

import hashlib
import math
from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from paddle_init.distributions import Constant, Simple, Uniform
from paddle_init.dtypes import as_numbers
from paddle_init.errors import Notice, SchemeError, SpecError
from paddle_init.languages import listed
from paddle_init.schemes import Fixed
from paddle_init.specs import NetSpec
from paddle_init.statistics import law
from paddle_init.verification import sentences as say
from paddle_init.verification.alternatives import Alternative, alternatives, other_storage
from paddle_init.verification.changes import edited, moved, relayouts, rescaled
from paddle_init.verification.checking import same_bits, same_form
from paddle_init.verification.hypotheses import default_of

__all__ = ["Drawing", "diagnose"]

Arrays: TypeAlias = Mapping[str, NDArray[Any]]
Drawing: TypeAlias = Callable[[NetSpec], Arrays]

# Of a long net, an alternative that explains none of so many failing tensors, the first ones
# that it draws, is not drawn further: there are a dozen, each as long as the net.
PROBED = 256


def diagnose(
    spec: NetSpec, expected: Arrays, found: Arrays, failing: list[str], draw: Drawing
) -> dict[str, list[Notice]]:
    """Return what explains each failing tensor, by name; those without are not explained."""
    told: dict[str, list[Notice]] = {}
    left = list(failing)

    def explain(notices: Mapping[str, list[Notice]]) -> None:
        told.update(notices)
        left[:] = [name for name in left if name not in notices]

    def explain_by(others: Iterator[Alternative], forms: bool = True) -> None:
        for other in others:
            if not left:
                return
            try:
                if len(left) > PROBED:
                    head, probed = _head(other.net, left)
                    if not _relaid(changed(draw(head)), found, probed, other, forms):
                        continue
                drawn = changed(draw(other.net))
            except (SpecError, SchemeError):
                continue
            explain(_relaid(drawn, found, left, other, forms))

    def changed(drawn: Arrays) -> Arrays:
        """Leave out what an alternative draws as the spec does: it explains nothing there."""
        return {name: a for name, a in drawn.items() if not same_bits(a, expected[name])}

    explain_by(other_storage(spec), forms=False)
    explain(_relaid(expected, found, left))
    explain_by(other_storage(spec))
    explain(_exchanged(expected, found, left))
    explain(_defaults(spec, found, left, draw))
    explain(_scales(spec, expected, found, left, least=2.0**-23))
    explain(_by_pairs(spec, expected, found, left, edited))
    explain_by(alternatives(spec))
    explain(_scales(spec, expected, found, left, least=0.0))
    explain(_by_pairs(spec, expected, found, left, moved))
    return told


def _head(net: NetSpec, names: list[str]) -> tuple[NetSpec, list[str]]:
    """Return a net's draws up to those of the first `PROBED` tensors of `names`, and these."""
    place = {draw.name: i for i, draw in enumerate(net.draws)}
    last = {t.name: max(place[block.draw] for block in t.blocks) for t in net.tensors}
    probed = sorted(names, key=last.__getitem__)[:PROBED]
    end = last[probed[-1]]
    tensors = tuple(
        replace(t, bias_of=() if t.role == "bias" else None)
        for t in net.tensors
        if last[t.name] <= end
    )
    return replace(net, draws=net.draws[: end + 1], tensors=tensors, layers=()), probed


def _by_pairs(
    spec: NetSpec,
    expected: Arrays,
    found: Arrays,
    names: list[str],
    look: Callable[[NDArray[Any], NDArray[Any]], tuple[str, str] | None],
) -> dict[str, list[Notice]]:
    """Explain tensors by what comes of `look` at the drawn and the found values."""
    told = {}
    for name in names:
        if not same_form(expected[name], found[name]) or not _random(expected[name]):
            continue
        if said := look(expected[name], found[name]):
            code, says = said
            told[name] = [Notice(code, says, name)]
    return told


def _random(array: NDArray[Any]) -> bool:
    """Whether there is enough in an array for equal bits to be no coincidence."""
    return array.size > 1 and bool((array.reshape(-1)[1:] != array.reshape(-1)[0]).any())


def _relaid(
    drawn: Arrays,
    found: Arrays,
    names: list[str],
    other: Alternative | None = None,
    forms: bool = True,
) -> dict[str, list[Notice]]:
    """Explain tensors by what was drawn, and by a change of form where these values need one."""
    code, says = (other.code, other.says) if other else ("", "")
    told = {}
    for name in names:
        if name not in drawn:
            continue
        if code and same_bits(drawn[name], found[name]):
            if _random(found[name]):
                told[name] = [Notice(code, says, name)]
            continue
        for form, words, made in relayouts(drawn[name], found[name]) if forms else ():
            if same_bits(made, found[name]) and _random(found[name]):
                told[name] = [Notice(form, words, name)]
                if code:
                    told[name].append(Notice(code, says, name))
                break
    if told and code:  # one equal value alone would be no evidence
        single = [n for n in names if n in drawn and found[n].size == 1 and n not in told]
        told |= {n: [Notice(code, says, n)] for n in single if same_bits(drawn[n], found[n])}
    return told


def _exchanged(expected: Arrays, found: Arrays, names: list[str]) -> dict[str, list[Notice]]:
    """Explain tensors that hold what another one should."""
    owners: dict[tuple[Any, ...], str] = {}
    for name, values in expected.items():
        if _random(values):
            owners.setdefault(_digest(values), name)
    told = {}
    for name in names:
        other = owners.get(_digest(found[name]), name)
        if other != name and same_bits(expected[other], found[name]):
            told[name] = [Notice("exchanged", say.EXCHANGED(other=other), name)]
    return told


def _digest(array: NDArray[Any]) -> tuple[Any, ...]:
    """Return what is equal for arrays of equal bits, and else, but for collisions, unequal."""
    return array.shape, array.dtype, hashlib.blake2b(array.tobytes(), digest_size=16).digest()


def _defaults(
    spec: NetSpec, found: Arrays, names: list[str], draw: Drawing
) -> dict[str, list[Notice]]:
    """Explain tensors left at a default or a constant, and those that were drawn after them."""
    changed: dict[str, Simple] = {}
    told: dict[str, list[Notice]] = {}
    for name in names:
        tensor = spec.tensor_by_name[name]
        other = _constant(found[name])
        default = default_of(tensor)
        if other is not None:
            equal = say.ALL_EQUAL(value=f"{other.value:g}")
            plain = other == default.drawn and math.copysign(1, other.value) > 0
            says = default.says if plain else equal
            changed[name], told[name] = other, [Notice("default", says, name)]
        elif isinstance(default.drawn, Uniform) and _within(found[name], default.drawn):
            changed[name] = default.drawn
    own = {t.blocks[0].draw: changed[t.name] for t in spec.tensors if t.name in changed}
    if not own:
        return {}
    draws = tuple(replace(d, scheme=Fixed(own[d.name])) if d.name in own else d for d in spec.draws)
    try:
        drawn = draw(replace(spec, draws=draws))
    except (SpecError, SchemeError):
        return told
    shifted = say.SHIFTED(names=listed(list(changed)))
    for name in names:
        if name in told or not _random(found[name]) or not same_bits(drawn[name], found[name]):
            continue
        if name in changed:
            told[name] = [Notice("default", default_of(spec.tensor_by_name[name]).says, name)]
        else:
            told[name] = [Notice("shifted", shifted, name)]
    return told


def _constant(array: NDArray[Any]) -> Constant | None:
    if not array.size or _random(array) or (array.size == 1 and array.reshape(-1)[0]):
        return None
    value = float(as_numbers(array).reshape(-1)[0])
    return Constant(value) if np.isfinite(value) else None


def _within(array: NDArray[Any], drawn: Uniform) -> bool:
    return bool((np.abs(as_numbers(array)) <= drawn.high * (1 + 2.0**-20)).all())


def _scales(
    spec: NetSpec, expected: Arrays, found: Arrays, names: list[str], least: float
) -> dict[str, list[Notice]]:
    """Explain tensors whose scales are off by a share of more than `least`."""
    told = {}
    for name in names:
        tensor = spec.tensor_by_name[name]
        if all(law(spec.drawn(block.draw)) for block in tensor.blocks):
            told[name] = rescaled(spec, tensor, expected[name], found[name], least)
    return {name: notices for name, notices in told.items() if notices}
