"""Weights to an identification."""

from __future__ import annotations

import numpy as np

from paddle_init.distributions import Normal
from paddle_init.errors import SpecError
from paddle_init.identification.catalogue import Fit, fits
from paddle_init.identification.chaining import AHEAD
from paddle_init.identification.lattice import as_drawn_normal, as_drawn_uniform
from paddle_init.identification.matching import Match
from paddle_init.identification.records import Identification, ParameterIdentification
from paddle_init.identification.searching import search
from paddle_init.identification.subjects import Subject, subject_of
from paddle_init.verification.inputs import WeightsLike, as_weights

__all__ = ["identify"]

SEARCHED = "every state of minstd_rand0 and minstd_rand, and common seeds of mt19937 and mt19937_64"


def identify(weights: WeightsLike, *, ahead: int = AHEAD) -> Identification:
    """Say which schemes and which seed made weights, as far as they tell.

    For each parameter: its family, its scale with 99 % confidence limits, the library's schemes
    that fit it, and the stream that gives its every bit. Searched are all 2**31 - 2 states of
    minstd_rand0 and of minstd_rand (so any place in any stream of theirs), and common seeds of
    mt19937 and mt19937_64, Paddle's global and op seeds among them, with the parameters in any
    order and in the middle of a stream.

    Parameters
    ----------
    weights : path, mapping of arrays or tensors by name, or Layer
        A file is .npz, .safetensors or .pdparams.
    ahead : int
        How many draws to search of each famous seed, and behind each parameter that is found.

    Raises
    ------
    WeightFileError, SpecError
        The weights cannot be read.

    Notes
    -----
    A stream is reported only where it gives every bit. Only normals of mean 0 and uniforms on
    [-a, a] are searched for, of 3 values or more.
    """
    if ahead < 0:
        raise SpecError(f"ahead must be 0 or more, got {ahead}")
    opened = as_weights(weights)
    subjects = [subject_of(name, opened[name]) for name in opened]
    streams = {found.name: found for found in search(subjects, ahead)}
    parameters = tuple(
        _identified(subject, *_fans(subjects, index), streams.get(subject.name))
        for index, subject in enumerate(subjects)
    )
    return Identification(
        opened.source, parameters, opened.skipped, unreadable=dict(opened.unreadable)
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
    subject: Subject, fan_in: int | None, fan_out: int | None, found: Match | None
) -> ParameterIdentification:
    usable = 0 not in subject.shape and subject.family.name != "other"
    schemes = tuple(fits(subject, fan_in, fan_out, found)) if usable or found else ()
    initial, remark = _initial(subject, schemes, found)
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
    )


def _initial(
    subject: Subject, schemes: tuple[Fit, ...], found: Match | None
) -> tuple[bool | None, str]:
    if found is not None:
        return True, "every bit is a stream's"
    if not subject.array.size:
        return None, "it is empty"
    if subject.array.size == 1:
        return None, "one value alone tells nothing"
    if subject.family.name == "constant":
        return None, "a constant is drawn from no stream"
    if not subject.searchable:
        return None, "no family that is known fits, so no stream was searched"
    drawn = _as_drawn(subject, schemes)
    if drawn is None:
        few = "it cannot be said whether the values are still initial"
        return None, f"in no stream that was searched ({SEARCHED}); {few}"
    if drawn:
        return True, (
            "the values lie on the grid that drawing leaves, so they are initial; the seed is none "
            f"of those searched ({SEARCHED})"
        )
    return False, (
        "no longer initial, or drawn in another way: the values do not lie on the grid that "
        "libstdc++'s float distributions leave, as after any step of training"
    )


def _as_drawn(subject: Subject, schemes: tuple[Fit, ...]) -> bool | None:
    family = subject.family
    if subject.dtype != "float32" or family.mean or not family.low or not family.high:
        return None
    if family.name == "uniform":
        return as_drawn_uniform(subject.numbers)
    if family.name != "normal":
        return None
    stds = [fit.drawn.std for fit in schemes if isinstance(fit.drawn, Normal)]
    wide = (family.high - family.low) / 4  # 1.5 times the limits, of which one in 10,000 is missed
    limits = (family.low - wide, family.high + wide)
    verdicts = {
        as_drawn_normal(subject.flat(order).astype(np.float64), stds, limits)
        for order in subject.orders
    }
    if True in verdicts:
        return True
    return False if verdicts == {False} else None
