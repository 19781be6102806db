"""Which parameter of a net holds which tensor of a spec."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from paddle_init.errors import SpecError
from paddle_init.specs import NetSpec, Tensor
from paddle_init.spelling import did_you_mean
from paddle_init.weight_files.loading.weights import without_number

__all__ = ["Candidate", "created_in_order", "matched", "parameters_of"]


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
