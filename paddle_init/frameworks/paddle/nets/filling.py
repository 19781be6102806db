"""Exact initial values in the parameters of a net that is built."""

from __future__ import annotations

import functools
import math
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from paddle_init.dtypes import STORAGE
from paddle_init.errors import SpecError
from paddle_init.frameworks.drawing import check_net, draw_net
from paddle_init.frameworks.paddle.nets.parameters import dtype_of
from paddle_init.frameworks.sampling import as_sampled, draw_arrays, warned
from paddle_init.specs import NetSpec, Tensor
from paddle_init.texts import did_you_mean
from paddle_init.weight_files.weights import without_number

if TYPE_CHECKING:
    import paddle


@dataclass(frozen=True)
class Candidate:
    """A parameter, and the names by which it can be called."""

    parameter: Any
    names: tuple[str, ...]

    @property
    def shape(self) -> tuple[int, ...]:
        return tuple(self.parameter.shape)

    def __str__(self) -> str:
        return f"{self.names[0]} {list(self.shape)}"


def parameters_of(net: Any) -> list[Candidate]:
    """Return the parameters of a Layer or a main Program, in the order of their creation.

    A Layer's have the name of their place in it, such as "fc1.weight", and Paddle's own.
    """
    import paddle

    if isinstance(net, paddle.nn.Layer):
        return [
            Candidate(p, (place, p.name, without_number(p.name)))
            for place, p in net.named_parameters()
        ]
    if isinstance(net, paddle.static.Program):
        found = net.global_block().all_parameters()
        if paddle.framework.use_pir_api():
            found = reversed(found)  # the last created comes first
        return [Candidate(p, (p.name,)) for p in found]
    raise SpecError(
        f"initialize: expected a paddle.nn.Layer or a main paddle.static.Program, got {net!r}"
    )


def created_in_order(net: Any) -> bool:
    """Tell whether the order of `parameters_of` is that of creation.

    A copy of a ProgramDesc, as `Program.clone` makes it, has forgotten it: its variables are
    sorted by name, "fc_10.w_0" before "fc_2.w_0".
    """
    import paddle

    if isinstance(net, paddle.nn.Layer) or paddle.framework.use_pir_api():
        return True
    block = net.global_block()
    variables = list(block.vars)
    return not block.ops or variables != sorted(variables)


def matched(
    spec: NetSpec,
    candidates: Sequence[Candidate],
    names: Mapping[str, str] | None,
    prefix: str,
    *,
    ordered: bool = True,
) -> dict[str, Any]:
    """Return the parameter of each tensor, by the tensor's name.

    By `names`; else by the tensors' own names behind `prefix`, where the net has them all; else,
    where the net has as many parameters as the spec has tensors, by order, if it is known
    (`ordered`).

    Raises
    ------
    SpecError
        A tensor has no parameter, two have the same, or shapes differ.
    """
    counts = Counter(name for one in candidates for name in {*one.names})
    known = {
        name: one
        for one in reversed(candidates)
        for name in one.names
        if counts[name] == 1 or name in one.names[:2]
    }
    wanted = {tensor.name: prefix + tensor.name for tensor in spec.tensors}
    if names is not None:
        if unknown := set(names) - set(wanted):
            name = min(unknown)
            meant = did_you_mean(name, wanted)
            raise SpecError(f"names: the spec has no tensor {name!r}{meant}")
        wanted |= names
    missing = [name for name, wish in wanted.items() if wish not in known]
    if not missing:
        chosen = [known[wish] for wish in wanted.values()]
    elif ordered and names is None and len(missing) == len(wanted) == len(candidates):
        chosen = list(candidates)
    else:
        meant = did_you_mean(wanted[missing[0]], known)
        order = "" if ordered else "; the program is a copy, which has forgotten their order"
        raise SpecError(
            f"no parameter of the net is named {wanted[missing[0]]!r}, for the tensor "
            f"{missing[0]}{meant}{order}; give names={{tensor: parameter}}; parameters: "
            f"{', '.join(map(str, candidates)) or 'none'}; "
            f"tensors: {', '.join(f'{t.name} {list(t.shape)}' for t in spec.tensors)}"
        )
    owners: dict[int, Tensor] = {}
    for tensor, one in zip(spec.tensors, chosen, strict=True):
        if one.shape != tensor.shape:
            raise SpecError(
                f"tensor {tensor.name} has the shape {list(tensor.shape)}, the parameter {one}; "
                "Paddle's weights are [in, out]"
            )
        other = owners.setdefault(id(one.parameter), tensor)
        if other is not tensor:
            raise SpecError(f"tensors {other.name} and {tensor.name} are both the parameter {one}")
    return {t.name: one.parameter for t, one in zip(spec.tensors, chosen, strict=True)}


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
    paddle_version: str | None = None,
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
    paddle_version: str | None = None,
    partial: bool = False,
) -> dict[str, paddle.nn.initializer.Initializer]:
    """Return an initializer per tensor that gives a parameter its exact values.

    For `paddle.ParamAttr(initializer=...)` in dynamic graph. All share one stream, and take their
    values in draw order, whatever the order in which parameters are created: the net is drawn
    when the first of them is, and a value is kept until its parameter has it.

    Parameters, errors and warnings are those of `sample`; with `partial` a tensor whose values are
    not known has no initializer.
    """
    from paddle_init.frameworks.paddle.nets.standalone import ExactValues

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
