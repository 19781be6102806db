"""A net's exact initial values: into arrays, or into a file."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from paddle_init.audience import setting
from paddle_init.errors import SpecError
from paddle_init.frameworks import STORAGE, as_framework, draw_net
from paddle_init.frameworks.drawing import Progress, check_net
from paddle_init.frameworks.installed import Version
from paddle_init.frameworks.repeats import CODE as IDENTICAL_LAYERS
from paddle_init.specs import DTYPES, FRAMEWORKS, NetSpec, Seeding, Tensor, default_engine
from paddle_init.spelling import did_you_mean

__all__ = ["as_sampled", "sample", "with_stream"]


def sample(
    spec: NetSpec,
    *,
    framework: str | None = None,
    seed: int | None = None,
    seed_seq: Iterable[int] | None = None,
    op_seed: int | None = None,
    engine: str | None = None,
    dtype: str | None = None,
    paddle_version: Version | None = None,
    out: Mapping[str, NDArray[Any]] | None = None,
    path: str | os.PathLike[str] | None = None,
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
        CannotDrawError) the framework cannot draw the spec.
    OutputError
        The file cannot be written.

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
    )
    if path is not None:
        if out is not None:
            raise SpecError("sample: give out or path, not both")
        from paddle_init.weight_files import writing

        check_net(drawn, paddle_version)
        with writing(path, drawn.tensors) as file:
            draw_net(drawn, file, version=paddle_version, progress=progress)
        return {}
    arrays = _Arrays(drawn.tensors, out)
    draw_net(drawn, arrays, version=paddle_version, progress=progress)
    return arrays.by_name


def with_stream(
    spec: NetSpec,
    *,
    seed: int | None = None,
    seed_seq: Iterable[int] | None = None,
    op_seed: int | None = None,
    engine: str | None = None,
) -> NetSpec:
    """Return `spec` with a stream as `Seeding` takes it; what is not given stays the spec's own.

    Raises
    ------
    SpecError
        No seed is known, or a setting is not the framework's.
    """
    seeds = {"seed": seed, "seed_seq": seed_seq, "op_seed": op_seed}
    stream, notices = _stream(spec, seeds, engine), spec.notices
    if stream != spec.stream:  # what its reader said of seeds holds no longer
        notices = tuple(notice for notice in notices if notice.code != IDENTICAL_LAYERS)
    return replace(spec, stream=stream, notices=notices)


def as_sampled(
    spec: NetSpec,
    *,
    framework: str | None = None,
    seed: int | None = None,
    seed_seq: Iterable[int] | None = None,
    op_seed: int | None = None,
    engine: str | None = None,
    dtype: str | None = None,
) -> NetSpec:
    """Return `spec` with its framework, stream and dtypes settled as `sample` takes them.

    Raises
    ------
    SpecError
        No seed is known, or a setting is not the framework's.
    """
    if not isinstance(spec, NetSpec):
        raise SpecError(f"expected a NetSpec, as load_conf and load_spec return, got {spec!r}")
    if framework is not None and framework not in FRAMEWORKS:
        meant = did_you_mean(framework, FRAMEWORKS)
        raise SpecError(
            f"framework must be one of {', '.join(FRAMEWORKS)}, got {framework!r}{meant}"
        )
    if dtype is not None and dtype not in DTYPES:
        meant = did_you_mean(dtype, DTYPES)
        raise SpecError(f"dtype must be one of {', '.join(DTYPES)}, got {dtype!r}{meant}")
    settled = as_framework(spec, framework or spec.framework)
    if dtype is not None:
        tensors = tuple(replace(tensor, dtype=dtype) for tensor in settled.tensors)
        settled = replace(settled, tensors=tensors)
    return with_stream(settled, seed=seed, seed_seq=seed_seq, op_seed=op_seed, engine=engine)


def _stream(spec: NetSpec, seeds: dict[str, Any], engine: str | None) -> Seeding:
    own = spec.stream
    known = engine or (own.engine if own else default_engine(spec.framework))
    if any(value is not None for value in seeds.values()):
        return Seeding(known, **seeds)
    if own is None:
        other = "seed_seq" if spec.framework == "abacus" else "op_seed"
        takes = setting(f"seed or {other}", f"--seed or --{other.replace('_', '-')}")
        raise SpecError(f"no seed is known: give {takes}, or a spec that has a stream")
    return replace(own, engine=known)


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
