"""A startup program of Paddle 2 (ProgramDesc), and what its main program does with a parameter."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from paddle_init.adapter import sentences as say
from paddle_init.adapter.reading.found import Found, Part, drawn, given
from paddle_init.adapter.reading.sources import stated_line
from paddle_init.distributions import Unknown

__all__ = ["desc_parameters", "desc_roles"]

PASSED_THROUGH = ("cast", "assign", "share_data")
USES = {("matmul_v2", "Y"): "weight", ("mul", "Y"): "weight", ("elementwise_add", "Y"): "bias"}
VALUES = ("values", "fp32_values", "fp64_values", "int32_values", "int64_values", "bool_values")


def desc_parameters(startup: Any) -> Iterator[Found]:
    """Yield what a startup program initializes, in the order of drawing."""
    block = startup.global_block()
    makers: dict[str, Any] = {}
    persistable = {name: var for name, var in block.vars.items() if var.persistable}
    for op in block.ops:
        for name in op.output_arg_names:
            if _passes_back(op, name):
                continue
            makers[name] = op
            if name in persistable:
                var = persistable[name]
                shape = tuple(int(size) for size in var.shape)
                rows = shape[0] if shape else 1
                parts = tuple(_parts(op, rows, makers, block))
                source = stated_line(_attr(op, "op_callstack", ()))
                yield Found(name, shape, _dtype(var), parts, source=source)


def _parts(op: Any, rows: int, makers: dict[str, Any], block: Any) -> Iterator[Part]:
    """Yield the rows that `op` fills, block by block."""
    kind = op.type
    if kind in PASSED_THROUGH:
        yield from _parts(makers[op.input("X")[0]], rows, makers, block)
    elif kind == "concat" and _attr(op, "axis", 0) == 0:
        for name in op.input("X"):
            yield from _parts(makers[name], block.vars[name].shape[0], makers, block)
    elif kind == "gaussian_random":
        held = drawn("normal", mean=op.attr("mean"), std=op.attr("std"))
        yield Part(rows, held, op.attr("seed"))
    elif kind == "uniform_random":
        held = drawn("uniform", low=op.attr("min"), high=op.attr("max"))
        yield Part(rows, held, op.attr("seed"))
    elif kind == "truncated_gaussian_random":
        mean, std = op.attr("mean"), op.attr("std")
        # Before it had cutoffs of its own the op cut at two stds.
        low, high = _attr(op, "a", mean - 2 * std), _attr(op, "b", mean + 2 * std)
        held = drawn("truncated_normal", mean=mean, std=std, low=low, high=high)
        yield Part(rows, held, op.attr("seed"))
    elif kind == "fill_constant":
        value = float(_attr(op, "str_value", "") or op.attr("value"))
        yield Part(rows, drawn("constant", value=value))
    elif kind == "assign_value":
        values = next(filter(None, (_attr(op, name, ()) for name in VALUES)), ())
        yield Part(rows, given([getattr(each, "value", lambda e=each: e)() for each in values]))
    else:
        yield Part(rows, Unknown(say.MADE_BY_OP(kind=kind)))


def _passes_back(op: Any, name: str) -> bool:
    """Tell a variable that an op lays elsewhere in memory with the values that it had."""
    copies = op.type == "coalesce_tensor" and _attr(op, "copy_data", False)
    return copies and name in op.input_arg_names


def desc_roles(main: Any) -> dict[str, str]:
    """Return what a main program uses each parameter for; unused ones are left out."""
    roles: dict[str, str] = {}
    names = {parameter.name for parameter in main.global_block().all_parameters()}
    for op in main.global_block().ops:
        for slot in op.input_names:
            for name in op.input(slot):
                if name in names:
                    roles.setdefault(name, USES.get((op.type, slot), "other"))
    return roles


def _attr(op: Any, name: str, default: Any) -> Any:
    return op.attr(name) if op.has_attr(name) else default


def _dtype(var: Any) -> str:
    from paddle.base.data_feeder import convert_dtype

    name: str = convert_dtype(var.dtype)
    return "bfloat16" if name == "uint16" else name
