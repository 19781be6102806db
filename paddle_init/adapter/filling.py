"""Exact initial values in the parameters of a net that is built."""

from __future__ import annotations

import functools
import math
from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from paddle_init.adapter.matching import created_in_order, matched, parameters_of
from paddle_init.adapter.reading.layers import dtype_of
from paddle_init.errors import SpecError
from paddle_init.frameworks import STORAGE, draw_net
from paddle_init.frameworks.drawing import check_net
from paddle_init.frameworks.installed import Version
from paddle_init.sampling import as_sampled, draw_arrays, warned
from paddle_init.specs import NetSpec, Tensor

if TYPE_CHECKING:
    import paddle

__all__ = ["exact_initializers", "initialize"]

# Takes a tensor and its values.
Fill = Callable[[Tensor, NDArray[Any]], object]


def initialize(
    net: Any,
    spec: NetSpec,
    *,
    framework: str | None = None,
    seed: int | None = None,
    seed_seq: Iterable[int] | None = None,
    op_seed: int | None = None,
    engine: str | None = None,
    names: Mapping[str, str] | None = None,
    prefix: str = "",
    scope: Any = None,
    paddle_version: Version | None = None,
    partial: bool = False,
) -> None:
    """Fill a net's parameters with the exact values that abacus or Paddle would draw.

    Parameters
    ----------
    net : paddle.nn.Layer or paddle.static.Program
        A built net, or a main program whose startup program has run.
    spec : NetSpec
        What each tensor is drawn from. Parameters that no tensor stands for keep their values.
    framework, seed, seed_seq, op_seed, engine, paddle_version
        As in `sample`.
    names : mapping of str to str, optional
        Which parameter a tensor is, by their names. By default the one of the same name, in the
        Layer ("fc1.weight") or Paddle's own ("linear_0.w_0"); where the net has none of these
        names and as many parameters as the spec has tensors, they are taken in order; a cloned
        ProgramDesc has forgotten that order, and needs the names.
    prefix : str
        Stands before the tensors' names in the net, as for `param_attrs`.
    scope : paddle.static.Scope, optional
        Where a program's parameters are; the global scope by default.
    partial : bool
        Where the values of some tensors are not known, fill the others and leave those parameters
        as they are, with a warning that names them. By default such a spec is refused.

    Raises
    ------
    SpecError
        No seed is known, a tensor finds no parameter of its shape, a program's parameters are not
        there yet, or (as CannotDrawError) the framework cannot draw the spec in the parameters'
        dtypes, or (as NotKnownError) the spec does not say all values. Nothing is filled then.

    Warns
    -----
    NoticeWarning
        As `sample` does.
    """
    drawn = as_sampled(
        spec,
        framework=framework,
        seed=seed,
        seed_seq=seed_seq,
        op_seed=op_seed,
        engine=engine,
        partial=partial,
    )
    candidates, ordered = parameters_of(net), created_in_order(net)
    parameters = matched(drawn, candidates, names, prefix, ordered=ordered)
    held = {name: _dense(parameter, scope) for name, parameter in parameters.items()}
    tensors = tuple(replace(t, dtype=dtype_of(parameters[t.name])) for t in drawn.tensors)

    def fill(tensor: Tensor, values: NDArray[Any]) -> None:
        dense = held[tensor.name]
        dense.set(values, _place(dense))

    known = warned(replace(drawn, tensors=tensors), seed=seed, partial=partial)
    draw_net(known, Filling(fill), version=paddle_version)
    for tensor in known.tensors:
        _no_longer_waiting(parameters[tensor.name])


def exact_initializers(
    spec: NetSpec,
    *,
    framework: str | None = None,
    seed: int | None = None,
    seed_seq: Iterable[int] | None = None,
    op_seed: int | None = None,
    engine: str | None = None,
    dtype: str | None = None,
    paddle_version: Version | None = None,
    partial: bool = False,
) -> dict[str, paddle.nn.initializer.Initializer]:
    """Return an initializer per tensor that gives a parameter its exact values.

    For `paddle.ParamAttr(initializer=...)` in dynamic graph. All share one stream, and take their
    values in draw order, whatever the order in which parameters are created: the net is drawn
    when the first of them is, and a value is kept until its parameter has it.

    Parameters, errors and warnings are those of `sample`; with `partial` a tensor whose values are
    not known has no initializer.
    """
    from paddle_init.adapter.exact_values import ExactValues

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
    drawn = warned(drawn, seed=seed, partial=partial)
    check_net(drawn, paddle_version)
    waiting: dict[str, NDArray[Any]] = {}

    def values(name: str) -> NDArray[Any]:
        if name not in waiting:
            waiting.update(draw_arrays(drawn, version=paddle_version))
        return waiting.pop(name)

    return {
        tensor.name: ExactValues(tensor, functools.partial(values, tensor.name))
        for tensor in drawn.tensors
    }


class Filling:
    """Puts a tensor's values together and hands them on once they are complete."""

    def __init__(self, fill: Fill) -> None:
        self._fill = fill
        self._open: dict[str, NDArray[Any]] = {}
        self._left: dict[str, int] = {}

    def put(self, tensor: Tensor, start: int, values: NDArray[np.generic]) -> None:
        if tensor.name not in self._open:
            self._open[tensor.name] = np.empty(tensor.shape, STORAGE[tensor.dtype])
            self._left[tensor.name] = math.prod(tensor.shape)
        self._open[tensor.name].reshape(-1)[start : start + values.size] = values
        self._left[tensor.name] -= values.size
        if not self._left[tensor.name]:
            self._fill(tensor, self._open.pop(tensor.name))


def _dense(parameter: Any, scope: Any) -> Any:
    """Return the tensor behind a parameter, in the net or in the scope."""
    import paddle

    if isinstance(parameter, paddle.Tensor):
        return parameter.get_tensor()
    found = (scope or paddle.static.global_scope()).find_var(parameter.name)
    if found is None or not found.get_tensor()._is_initialized():
        raise SpecError(
            f"the parameter {parameter.name} has no value in the scope: run the startup program "
            "first, or give the scope in which it ran"
        )
    return found.get_tensor()


def _no_longer_waiting(parameter: Any) -> None:
    """Take from a parameter that LazyGuard made its initializer, which would draw it anew."""
    if getattr(parameter, "_init_func", None) is not None:
        parameter._init_func = lambda *_: None


def _place(dense: Any) -> Any:
    import paddle

    place = dense._place()
    return paddle.CUDAPlace(place.gpu_device_id()) if place.is_gpu_place() else paddle.CPUPlace()
