"""Weights to an identification."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from functools import partial

import numpy as np

from paddle_init.distributions import Normal, TruncatedNormal
from paddle_init.errors import SpecError
from paddle_init.frameworks.resolving import SpecLike, resolve
from paddle_init.identification.catalogue import Fit, fits
from paddle_init.identification.lattice import (
    as_drawn_normal,
    as_drawn_truncated,
    as_drawn_uniform,
)
from paddle_init.identification.matching import Alteration, Match
from paddle_init.identification.parameters import Subject, subject_of
from paddle_init.identification.records import Identification, ParameterIdentification
from paddle_init.identification.searching import AHEAD, Found, search, searched
from paddle_init.identification.whole_net import identify_net
from paddle_init.specs.mapping import MappingLike, load_mapping
from paddle_init.texts import short
from paddle_init.verification.arrays import WeightsLike, as_weights, found_arrays
from paddle_init.verification.comparison import same_bits
from paddle_init.weight_files.weights import Weights


def identify(
    weights: WeightsLike,
    spec: SpecLike | None = None,
    *,
    ahead: int = AHEAD,
    mapping: MappingLike = (),
    paddle_version: str | None = None,
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
    A parameter is initial where a stream gives every bit, but for what `spec` sets
    after the draw, and no longer where it was altered since
    a stream drew it. Without a stream it is not known; `on_grid` says what the values show.
    Searched for are normals, uniforms and truncated normals with any numbers as Paddle draws them
    in float32, and normals of mean 0 as abacus draws them; of 4 values or more, or of 3 where a
    common seed draws them first. Values that were all moved, as by training, are found at the
    start of common seeds and behind parameters that are found.
    """
    if ahead < 0:
        raise SpecError(f"ahead must be 0 or more, got {ahead}")
    opened = _held(as_weights(weights))
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


def _held(weights: Weights) -> Weights:
    """Return weights whose arrays are read once, so that each is one object."""
    arrays = {name: weights[name] for name in weights}
    loaders = {name: partial(arrays.__getitem__, name) for name in arrays}
    return Weights(weights.source, loaders, weights.unreadable, weights.aliases)


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
    on_grid = None if found else _as_drawn(subject, schemes)
    if found is not None:
        initial, remark = _of_stream(subject, found, of_net=subject.name in edited)
    else:
        initial, remark = _initial(subject, result, on_grid)
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
        on_grid,
    )


def _altered(found: Match | None, size: int) -> int | None:
    if found is None:
        return None
    if found.alteration is None:
        return 0
    alteration = found.alteration
    if alteration.moved:
        return alteration.count
    unclear = alteration.rounding or alteration.blocks or 2 * alteration.count > size
    return None if unclear else alteration.count


def _initial(subject: Subject, result: Found, on_grid: bool | None) -> tuple[bool | None, str]:
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
    # The grid alone proves nothing: others draw off it, and few values, or small ones, show it.
    if on_grid is None:
        return None, f"not known: {where}; a longer search may find it (--ahead)"
    if on_grid:
        return None, (
            f"not known: {where}; the values lie on the grid on which Paddle and abacus draw: no "
            "step of training moved them all, but a few altered values would not show"
        )
    return None, (
        f"not known: {where}; the values are not on the grid on which Paddle and abacus draw in "
        "float32: they were altered, as any step of training does, or drawn in another way"
    )


def _of_stream(subject: Subject, found: Match, *, of_net: bool) -> tuple[bool | None, str]:
    """Judge a parameter of a stream; `of_net` where a spec says what is set after the draw."""
    altered = found.alteration
    if altered is None:
        return True, "every bit is a stream's"
    size = subject.array.size
    if altered.correlation is not None:
        return _near_stream(altered, size)
    if altered.blocks:
        return None, (
            f"not known: {size - altered.count} of {size} values are the stream's with these "
            "numbers, others with other numbers: it was drawn in blocks, or a part was scaled"
        )
    if 2 * altered.count > size and 2 * altered.rounding <= altered.count:
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
        told += f", in row{'s' if altered.rows > 1 else ''} {rows}"
        if not of_net and _padding(subject, altered):
            told += ": 0, as the padding row of an embedding; --spec says whether the net sets it"
        return False, told
    places = ", ".join(str(list(place)) for place in altered.first)
    more = ", .." if altered.count > len(altered.first) else ""
    return False, f"{told}, at {places}{more}"


def _padding(subject: Subject, altered: Alteration) -> bool:
    """Tell whether what was altered are whole rows that are 0."""
    if subject.array.ndim != 2:
        return False
    zero = np.flatnonzero(~subject.array.any(axis=1))
    whole = altered.count == altered.rows * subject.shape[1]
    return whole and altered.rows == zero.size and bool(np.isin(altered.first_rows, zero).all())


def _near_stream(altered: Alteration, size: int) -> tuple[bool | None, str]:
    r = f"correlation {short(altered.correlation or 0.0, 4)}"
    if altered.moved:
        return False, (
            f"no longer initial: the {size} values are near those that the stream draws ({r}) and "
            "were moved since, as by training"
        )
    if altered.rounding:
        return None, (
            f"not known: the {size} values are the stream's but for roundings ({r}): they were "
            "drawn in another precision, or hardly moved"
        )
    return None, (
        f"not known: the {size} values are near those that the stream draws ({r}): they were "
        "moved, or computed from these draws (another distribution, orthogonal or normalized)"
    )


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
