"""Weights to an identification."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

import numpy as np

from paddle_init.distributions import Normal, TruncatedNormal
from paddle_init.errors import SpecError
from paddle_init.frameworks.installed import Version
from paddle_init.identification.catalogue import Fit, fits
from paddle_init.identification.lattice import (
    as_drawn_normal,
    as_drawn_truncated,
    as_drawn_uniform,
)
from paddle_init.identification.matching import Match
from paddle_init.identification.records import Identification, ParameterIdentification
from paddle_init.identification.searched import searched
from paddle_init.identification.searching import Found, search
from paddle_init.identification.stream_search import AHEAD
from paddle_init.identification.subjects import Subject, subject_of
from paddle_init.identification.whole_net import identify_net
from paddle_init.parity.resolving import SpecLike, resolve
from paddle_init.specs.mapping import MappingLike, load_mapping
from paddle_init.statistics import as_numbers
from paddle_init.verification.comparing import same_bits
from paddle_init.verification.inputs import WeightsLike, as_weights
from paddle_init.verification.naming import found_arrays

__all__ = ["identify"]

PADDING = (
    "not known: row {row} is 0, as Embedding(padding_idx={row}) sets it after the draw; every "
    "other bit is a stream's"
)


def identify(
    weights: WeightsLike,
    spec: SpecLike | None = None,
    *,
    ahead: int = AHEAD,
    mapping: MappingLike = (),
    paddle_version: Version | None = None,
) -> Identification:
    """Say which schemes and which seed made weights, as far as they tell.

    For each parameter: its family, its scale with 99 % confidence limits, the library's schemes
    that fit it, and the stream that draws it, with how many of its values were altered since.
    Searched are all 2**31 - 2 states of minstd_rand0 and of minstd_rand (so any place in any
    stream of theirs), and common seeds of mt19937 and mt19937_64, Paddle's global and op seeds
    among them, with the parameters in any order and in the middle of a stream. With `spec` the
    structure of the net is known, and seeds are searched through all of it at once.

    Parameters
    ----------
    weights : path, mapping of arrays or tensors by name, or Layer
        A file is .npz, .safetensors or .pdparams.
    spec : NetSpec, path or str, optional
        A path names an abacus conf or a net spec; ``module:object`` is read by `read_net`. Its own
        stream is one seed to try among others.
    ahead : int
        How many draws to search of each famous seed, and behind each parameter that is found.
    mapping : path, mapping of str to str, or pairings
        Which tensors of the spec (left) are which of the weights (right), as `verify` takes it.
    paddle_version : {"3.3.1", "2.6.2"}, optional
        Whose bits; see `sample`.

    Returns
    -------
    Identification
        Its fields are the keys of the command's JSON. `searched` says which engines, seeds and how
        many draws of each were searched; `net`, with a spec, which parameters its seed confirms,
        which were altered and which differ.

    Raises
    ------
    WeightFileError, DocumentError, SpecError
        The weights or the spec cannot be read.

    Notes
    -----
    A parameter is initial where a stream gives every bit, but for what `spec` sets after the draw.
    Searched for are normals, uniforms and
    truncated normals with any numbers as Paddle draws them in float32, and normals of mean 0 as
    abacus draws them; of 4 values or more, or of 3 where a common seed draws them first.
    """
    if ahead < 0:
        raise SpecError(f"ahead must be 0 or more, got {ahead}")
    opened = as_weights(weights)
    net, known = None, {}
    edited: dict[str, bool] = {}
    if spec is not None:
        (read,) = resolve(spec)
        named = found_arrays(read, opened, load_mapping(mapping))
        net, matches = identify_net(read, named.arrays, paddle_version)
        for own, name in named.tensor_of.items():
            if name in matches and own in opened and same_bits(opened[own], named.arrays[name]):
                known[own] = replace(matches[name], name=own)
                edited[own] = bool(read.tensor_by_name[name].overwritten)
    subjects = [subject_of(name, opened[name]) for name in opened]
    # The others may be drawn behind those that are known: they are searched beside them.
    rest = any(each.searchable and each.name not in known for each in subjects)
    result = search(subjects if rest else [], ahead)
    streams = {found.name: found for found in result.matches} | known
    parameters = tuple(
        _identified(subject, *_fans(subjects, index), streams.get(subject.name), result, edited)
        for index, subject in enumerate(subjects)
    )
    return Identification(
        opened.source,
        parameters,
        opened.skipped,
        unreadable=dict(opened.unreadable),
        searched=searched(ahead),
        net=net,
    )


def _fans(subjects: list[Subject], index: int) -> tuple[int | None, int | None]:
    """Return fan_in and fan_out; a bias has those of the nearest weight before it of its width."""
    shape = subjects[index].shape
    if len(shape) == 2:
        return shape[0], shape[1]
    if len(shape) == 1:
        for other in (*reversed(subjects[:index]), *subjects[index + 1 :]):
            if len(other.shape) == 2 and other.shape[1] == shape[0]:
                return other.shape[0], other.shape[1]
    return None, None


def _identified(
    subject: Subject,
    fan_in: int | None,
    fan_out: int | None,
    found: Match | None,
    result: Found,
    edited: Mapping[str, bool],
) -> ParameterIdentification:
    usable = 0 not in subject.shape and subject.family.name != "other"
    schemes = tuple(fits(subject, fan_in, fan_out, found)) if usable or found else ()
    initial, remark = _initial(subject, schemes, found, result)
    if found is not None and subject.name not in edited and (row := _padding(subject, found)) >= 0:
        initial, remark = None, PADDING.format(row=row)
    if initial and edited.get(subject.name):
        remark += ", or set after the draw, as the spec says"
    if subject.stored_as:
        remark += f"; {subject.stored_as} holds {subject.dtype}'s values: they were rounded"
    return ParameterIdentification(
        subject.name,
        subject.shape,
        subject.stored_as or subject.dtype,
        subject.family,
        schemes,
        found,
        initial,
        remark,
        _altered(found, subject.array.size),
    )


def _altered(found: Match | None, size: int) -> int | None:
    if found is None:
        return None
    if found.alteration is None:
        return 0
    alteration = found.alteration
    unclear = alteration.rounding or alteration.blocks or 2 * alteration.count > size
    return None if unclear else alteration.count


def _initial(
    subject: Subject, schemes: tuple[Fit, ...], found: Match | None, result: Found
) -> tuple[bool | None, str]:
    if found is not None:
        return _of_stream(subject, found)
    if not subject.array.size:
        return None, "not known: it is empty"
    if subject.array.size == 1:
        return None, "not known: one value alone tells nothing"
    if subject.family.name == "constant":
        return None, "not known: a constant is drawn from no stream"
    if not subject.searchable:
        return None, "not known: it is too short, or no family that is known fits, to be searched"
    where = "the seed is none of those searched"
    if subject.name not in result.in_every_state:
        where += " (not every state of minstd_rand0 and minstd_rand was)"
    if subject.family.name == "other":
        where = f"no family that is known fits, and {where}"
    drawn = _as_drawn(subject, schemes)
    if drawn is None:
        return None, f"not known: {where}; a longer search may find it (--ahead)"
    if drawn:
        return True, (
            f"the values lie on the grid that drawing leaves, so they are initial; {where}"
        )
    return False, (
        "no longer initial, or drawn in another way: the values do not lie on the grid that "
        "libstdc++'s float distributions leave, as after any step of training"
    )


def _of_stream(subject: Subject, found: Match) -> tuple[bool | None, str]:
    altered = found.alteration
    if altered is None:
        return True, "every bit is a stream's"
    size = subject.array.size
    if altered.blocks:
        return None, (
            f"not known: {size - altered.count} of {size} values are the stream's with these "
            "numbers, others with other numbers: it was drawn in blocks, or a part was scaled"
        )
    if 2 * altered.count > size:
        return None, (
            f"not known: {size - altered.count} of {size} values are the stream's, the others were "
            "altered, or are of another draw"
        )
    if altered.rounding:
        return None, (
            f"not known: {altered.count} of {size} values are not the stream's, "
            f"{altered.rounding} of them by no more than another rounding"
        )
    told = f"{altered.count} of {size} values were altered after they were drawn"
    if len(subject.shape) > 1 and altered.rows <= len(altered.first_rows):
        rows = ", ".join(map(str, altered.first_rows))
        return False, f"{told}, in row{'s' if altered.rows > 1 else ''} {rows}"
    places = ", ".join(str(list(place)) for place in altered.first)
    more = ", .." if altered.count > len(altered.first) else ""
    return False, f"{told}, at {places}{more}"


def _padding(subject: Subject, found: Match) -> int:
    """Return the row of a table of Paddle's that is all that was altered, and is 0; else -1."""
    altered = found.alteration
    if altered is None or altered.rows != 1 or found.engine != "mt19937_64":
        return -1
    (row,) = altered.first_rows
    whole = subject.shape[1:] == (altered.count,)
    return row if whole and not as_numbers(subject.array)[row].any() else -1


def _as_drawn(subject: Subject, schemes: tuple[Fit, ...]) -> bool | None:
    family = subject.family
    if subject.dtype != "float32" or family.mean or not family.low or not family.high:
        return None
    if family.name == "uniform":
        return as_drawn_uniform(subject.numbers)
    wide = (family.high - family.low) / 4  # 1.5 times the limits, of which one in 10,000 is missed
    limits = (family.low - wide, family.high + wide)
    cut = [fit.drawn.std for fit in schemes if isinstance(fit.drawn, TruncatedNormal)]
    inverted = as_drawn_truncated(subject.numbers, cut, limits)
    if inverted or family.name == "truncated_normal":
        return inverted or None  # another cut has another std: no grid proves nothing
    stds = [fit.drawn.std for fit in schemes if isinstance(fit.drawn, Normal)]
    verdicts = {
        as_drawn_normal(subject.flat(order).astype(np.float64), stds, limits)
        for order in subject.orders
    }
    if True in verdicts:
        return True
    return False if verdicts == {False} and inverted is False else None
