"""A net's exact initial values: into arrays, or into a file."""

from __future__ import annotations

import os
import warnings
from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from paddle_init.dtypes import STORAGE
from paddle_init.errors import Notice, NoticeWarning, SpecError, setting
from paddle_init.frameworks import sentences as say
from paddle_init.frameworks.drawing import Progress, check_net, draw_net
from paddle_init.frameworks.knowledge import (
    NotKnownError,
    identical_layers,
    known_part,
    needs_seed,
    reasons_told,
    seed_notices,
    unknown_tensors,
)
from paddle_init.frameworks.transfer import as_framework
from paddle_init.specs import DTYPES, NetSpec, Seeding, Tensor, default_engine
from paddle_init.specs.frameworks import check_framework, framework_facts
from paddle_init.texts import did_you_mean

NOT_KNOWN = "not-known"


def sample(
    spec: NetSpec,
    *,
    framework: str | None = None,
    seed: int | None = None,
    seed_seq: Iterable[int] | None = None,
    op_seed: int | None = None,
    engine: str | None = None,
    dtype: str | None = None,
    paddle_version: str | None = None,
    out: Mapping[str, NDArray[Any]] | None = None,
    path: str | os.PathLike[str] | None = None,
    partial: bool = False,
    progress: Progress | None = None,
) -> dict[str, NDArray[Any]]:
    """Draw every initial value of a net, to the bit as the framework would.

    Parameters
    ----------
    spec : NetSpec
    framework : {"abacus", "paddle"}, optional
        The spec's own by default; with the other, the spec's distributions are drawn as that
        framework would draw them.
    seed, seed_seq, op_seed, engine
        How the stream starts, as in `Seeding`; by default as the spec's `stream` says.
    dtype : {"float32", "float64", "float16", "bfloat16"}, optional
        Of every tensor; each tensor's own by default. abacus has float32 alone.
    paddle_version : {"3.3.1", "2.6.2"}, optional
        Whose bits: they differ for a TruncatedNormal, and 2.6.2 has neither half types nor cutoffs
        other than mean +- 2 std. By default the bits of the installed Paddle, and those of 3.3.1
        for what it cannot draw.
    out : mapping of str to array, optional
        Arrays that take the values, one per tensor, in its shape and dtype, C-contiguous.
        bfloat16 values are held as their bits, in uint16.
    path : path, optional
        A file that takes the values instead: .npz, .safetensors or .pdparams. It is written block
        by block, and is whole or not there.
    partial : bool
        Where the values of some tensors are not known, give those of the others, with a warning
        that names what is missing; `out` then holds the others alone. By default such a spec is
        refused.
    progress : callable, optional
        Called again and again with the number of values drawn since the last call.

    Returns
    -------
    dict
        One array per tensor, by its name, in Paddle's shape: [in, out] for an FC weight, [out]
        for a bias. Empty where a file was written.

    Raises
    ------
    SpecError
        No seed is known, a seed or dtype is not the framework's, `out` does not fit, or (as
        CannotDrawError) the framework cannot draw the spec, or (as NotKnownError, whose `reasons`
        say why by tensor) the spec does not say all values.
    OutputError
        The file cannot be written.

    Warns
    -----
    NoticeWarning
        What is worth knowing of the draws, by its `code`: what the spec's reader noticed,
        ``identical-layers``, ``zero-scale``, ``underflow``, ``overflow``, ``seed-32-bits``,
        ``seed-within`` and, with `partial`, ``not-known``.

    Notes
    -----
    **Compatibility Guarantee.** The values are those of libstdc++ up to GCC 15, glibc 2.27 and
    later, and paddlepaddle 2.6.2 to 3.3.1, on x86-64 Linux.
    """
    drawn = as_sampled(
        spec,
        framework=framework,
        seed=seed,
        seed_seq=seed_seq,
        op_seed=op_seed,
        engine=engine,
        dtype=dtype,
        partial=partial,
    )
    if path is not None and out is not None:
        raise SpecError("sample: give out or path, not both")
    known = warned(drawn, seed=seed, partial=partial)
    if path is not None:
        draw_file(known, path, version=paddle_version, progress=progress)
        return {}
    return draw_arrays(known, version=paddle_version, out=out, progress=progress)


def as_known(drawn: NetSpec, *, partial: bool) -> tuple[NetSpec, tuple[Notice, ...]]:
    """Return the part of a net whose values are known, and a notice where that is not all of it.

    Raises
    ------
    NotKnownError
        It is not all of it and `partial` is False, or nothing is known.
    """
    missing = unknown_tensors(drawn)
    if not missing:
        return drawn, ()
    if not partial or len(missing) == len(drawn.tensors):
        raise NotKnownError.of(drawn, missing)
    message = say.NOT_WRITTEN(
        count=len(missing), total=len(drawn.tensors), tensors=reasons_told(missing)
    )
    return known_part(drawn), (Notice(NOT_KNOWN, message),)


def warned(drawn: NetSpec, *, seed: int | None, partial: bool) -> NetSpec:
    """Return the part of a net whose values are known, after warning a caller's caller of notices.

    `seed` is the one that was given.
    """
    known, missing = as_known(drawn, partial=partial)
    for notice in (*sampling_notices(drawn, given=seed), *missing):
        warnings.warn(NoticeWarning(notice), stacklevel=3)
    return known


def sampling_notices(drawn: NetSpec, *, given: int | None = None) -> tuple[Notice, ...]:
    """Return what to know of a net's draws, each thing once for a parameter.

    `given` is the seed that a caller gave.
    """
    from paddle_init.frameworks.notices import number_notices
    from paddle_init.frameworks.sides import view_by_framework

    told: dict[tuple[str, str], Notice] = {}
    numbers = number_notices(view_by_framework(drawn))
    seeds = seed_notices(drawn, given=given)
    for notice in (*drawn.notices, *identical_layers(drawn), *seeds, *numbers):
        told.setdefault((notice.code, notice.parameter or notice.message), notice)
    return tuple(told.values())


def draw_file(
    drawn: NetSpec,
    path: str | os.PathLike[str],
    *,
    version: str | None = None,
    progress: Progress | None = None,
) -> None:
    """Write a net's values to a file, which is whole or not there; see `sample`."""
    from paddle_init.weight_files import writing

    check_net(drawn, version)
    with writing(path, drawn.tensors) as file:
        draw_net(drawn, file, version=version, progress=progress)


def draw_arrays(
    drawn: NetSpec,
    *,
    version: str | None = None,
    out: Mapping[str, NDArray[Any]] | None = None,
    progress: Progress | None = None,
) -> dict[str, NDArray[Any]]:
    """Return a net's values as arrays; see `sample`."""
    check_net(drawn, version)
    arrays = _Arrays(drawn.tensors, out)
    draw_net(drawn, arrays, version=version, progress=progress)
    return arrays.by_name


def with_stream(
    spec: NetSpec, *, engine: str | None = None, partial: bool = False, **seeds: Any
) -> NetSpec:
    """Return `spec` with a stream as `Seeding` takes it; what is not given stays the spec's own.

    Raises
    ------
    SpecError
        No seed is known that the values depend on, unless `partial`, or a setting is not the
        framework's.
    """
    stream, notices = spec.stream, spec.notices
    known = engine or (stream.engine if stream else default_engine(spec.framework))
    if any(value is not None for value in seeds.values()):
        stream = Seeding(known, **seeds)
    elif stream is not None:
        stream = replace(stream, engine=known)
    elif not partial and needs_seed(spec):
        keys = framework_facts(spec.framework).seed_keys
        options = (f"--{key.replace('_', '-')}" for key in keys)
        takes = setting(" or ".join(keys), " or ".join(options))
        raise SpecError(f"no seed is known: give {takes}, or a spec that has a stream")
    if stream != spec.stream:  # what its reader said of seeds holds no longer
        notices = tuple(notice for notice in notices if notice.about != "stream")
    return replace(spec, stream=stream, notices=notices)


def as_sampled(
    spec: NetSpec,
    *,
    framework: str | None = None,
    dtype: str | None = None,
    partial: bool = False,
    **stream: Any,
) -> NetSpec:
    """Return `spec` with its framework, stream and dtypes settled as `sample` takes them.

    Raises
    ------
    SpecError
        No seed is known that the values depend on, unless `partial`, or a setting is not the
        framework's.
    """
    if not isinstance(spec, NetSpec):
        raise SpecError(f"expected a NetSpec, as load_conf and load_spec return, got {spec!r}")
    settled = as_framework(
        spec, check_framework(spec.framework if framework is None else framework)
    )
    if dtype is not None:
        if dtype not in DTYPES:
            meant = did_you_mean(dtype, DTYPES)
            raise SpecError(f"dtype must be one of {', '.join(DTYPES)}, got {dtype!r}{meant}")
        tensors = tuple(replace(tensor, dtype=dtype) for tensor in settled.tensors)
        settled = replace(settled, tensors=tensors)
    return with_stream(settled, partial=partial, **stream)


class _Arrays:
    """Values put into one array per tensor."""

    def __init__(self, tensors: Iterable[Tensor], out: Mapping[str, NDArray[Any]] | None) -> None:
        tensors = tuple(tensors)
        if out is None:
            out = {tensor.name: np.empty(tensor.shape, STORAGE[tensor.dtype]) for tensor in tensors}
        else:
            _check_arrays(tensors, out)
        self.by_name = {tensor.name: out[tensor.name] for tensor in tensors}

    def put(self, tensor: Tensor, start: int, values: NDArray[Any]) -> None:
        self.by_name[tensor.name].reshape(-1)[start : start + values.size] = values


def _check_arrays(tensors: tuple[Tensor, ...], out: Mapping[str, NDArray[Any]]) -> None:
    names = [tensor.name for tensor in tensors]
    if not isinstance(out, Mapping):
        raise SpecError(f"out: expected arrays by name, got {type(out).__name__}")
    if set(out) != set(names):
        raise SpecError(
            f"out: found {', '.join(map(str, out))}, expected the tensors {', '.join(names)}"
        )
    for tensor in tensors:
        array, dtype = out[tensor.name], STORAGE[tensor.dtype]
        if not isinstance(array, np.ndarray):
            raise SpecError(f"out[{tensor.name!r}]: expected an array, got {type(array).__name__}")
        if array.shape != tensor.shape or array.dtype != dtype:
            raise SpecError(
                f"out[{tensor.name!r}]: found {array.dtype} {list(array.shape)}, expected {dtype} "
                f"{list(tensor.shape)}"
            )
        if not (array.flags.c_contiguous and array.flags.writeable):
            raise SpecError(f"out[{tensor.name!r}]: expected a C-contiguous, writeable array")
