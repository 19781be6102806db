"""What the ops of a startup program draw, PIR or ProgramDesc, without the project's own reading."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import paddle

KINDS = {
    "gaussian_random": "gaussian",
    "uniform_random": "uniform",
    "fill_constant": "full",
    "truncated_gaussian_random": "truncated_gaussian",
    "pd_op.gaussian": "gaussian",
    "pd_op.uniform": "uniform",
    "pd_op.full": "full",
    "pd_op.truncated_gaussian_random": "truncated_gaussian",
}
NUMBERS = {
    "gaussian": ("mean", "std"),
    "uniform": ("low", "high"),
    "full": ("value",),
    "truncated_gaussian": ("mean", "std", "a", "b"),
}


def startup_ops(startup: Any) -> dict[str, list[dict[str, Any]]]:
    """Return each parameter's ops by its name: kind, shape and numbers, from the first row down.

    A truncated normal has no cutoffs, "a" and "b", where Paddle knows none.
    """
    block = startup.global_block()
    is_pir = block.ops and not hasattr(block.ops[0], "type")
    return dict(_of_pir(block) if is_pir else _of_desc(block))


def cutoffs(low: float, high: float) -> dict[str, float]:
    """Return what the op of a truncated normal holds of its cutoffs: nothing before Paddle 3."""
    if paddle.__version__[0] < "3":
        return {}
    return {"a": float(np.float32(low)), "b": float(np.float32(high))}


def _of_pir(block: Any) -> Iterator[tuple[str, list[dict[str, Any]]]]:
    for op in block.ops:
        if op.name() == "builtin.set_parameter":
            root = op.operand_source(0).get_defining_op()
            parts = [root]
            if root.name() == "pd_op.concat":
                parts = _operands(root.operand_source(0).get_defining_op())
            yield op.attrs()["parameter_name"], [_pir_op(part) for part in parts]


def _pir_op(op: Any) -> dict[str, Any]:
    attrs = op.attrs()
    if op.name() == "pd_op.uniform":
        _, low, high = _operands(op)
        attrs |= {"low": low.attrs()["value"], "high": high.attrs()["value"]}
    return _described(op.name(), list(op.result(0).shape), attrs)


def _operands(op: Any) -> list[Any]:
    return [op.operand_source(i).get_defining_op() for i in range(op.num_operands())]


def _of_desc(block: Any) -> Iterator[tuple[str, list[dict[str, Any]]]]:
    parameters = {parameter.name for parameter in block.all_parameters()}
    made = {op.output_arg_names[0]: op for op in block.ops}
    for name, op in made.items():
        if name in parameters:
            parts = [made[part] for part in op.input("X")] if op.type == "concat" else [op]
            yield name, [_desc_op(part) for part in parts]


def _desc_op(op: Any) -> dict[str, Any]:
    attrs = op.all_attrs()
    if op.type == "uniform_random":
        attrs |= {"low": attrs["min"], "high": attrs["max"]}
    elif op.type == "fill_constant":
        attrs["value"] = float(attrs["str_value"])  # "value" is a float32
    return _described(op.type, list(attrs["shape"]), attrs)


def _described(name: str, shape: list[int], attrs: dict[str, Any]) -> dict[str, Any]:
    kind = KINDS[name]
    numbers = {key: attrs[key] for key in NUMBERS[kind] if key in attrs}
    return {"op": kind, "shape": shape, **numbers}
