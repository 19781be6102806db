"""A startup program of Paddle 3 (PIR), and what its main program does with a parameter."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from paddle_init.adapter import sentences as say
from paddle_init.adapter.reading.found import Found, Part, drawn, given
from paddle_init.adapter.reading.sources import stated_line
from paddle_init.distributions import Unknown

__all__ = ["is_pir", "pir_parameters", "pir_roles"]

PASSED_THROUGH = ("pd_op.cast", "pd_op.share_data_", "pd_op.assign")
ROLES = {"pd_op.matmul": "weight", "pd_op.add": "bias"}


def is_pir(program: Any) -> bool:
    """Tell a program of PIR from a ProgramDesc."""
    return type(program).__module__.endswith("pir")


def pir_parameters(startup: Any) -> Iterator[Found]:
    """Yield what a startup program initializes, in the order of drawing."""
    for op in startup.global_block().ops:
        if op.name() == "builtin.set_parameter":
            value, attrs = op.operand_source(0), op.attrs()
            shape = tuple(int(size) for size in value.shape)
            rows = shape[0] if shape else 1
            yield Found(
                attrs["parameter_name"],
                shape,
                _dtype(value),
                tuple(_parts(value.get_defining_op(), rows)),
                source=stated_line(attrs.get("op_callstack", ())),
            )


def _parts(op: Any, rows: int) -> Iterator[Part]:
    """Yield the rows that `op` fills, block by block."""
    kind, attrs = op.name(), op.attrs()
    if kind in PASSED_THROUGH:
        yield from _parts(_input(op, 0), rows)
    elif kind == "pd_op.concat" and _constant(op, 1) == 0:
        combined = _input(op, 0)
        for value in (combined.operand_source(i) for i in range(combined.num_operands())):
            yield from _parts(value.get_defining_op(), value.shape[0])
    elif kind == "pd_op.gaussian":
        held = drawn("normal", mean=attrs["mean"], std=attrs["std"])
        yield Part(rows, held, attrs["seed"])
    elif kind == "pd_op.uniform":
        low, high = _constant(op, 1), _constant(op, 2)
        if low is None or high is None:
            yield Part(rows, Unknown(say.COMPUTED_BOUNDS()))
        else:
            yield Part(rows, drawn("uniform", low=low, high=high), attrs["seed"])
    elif kind == "pd_op.truncated_gaussian_random":
        numbers = {"mean": attrs["mean"], "std": attrs["std"], "low": attrs["a"]}
        held = drawn("truncated_normal", **numbers, high=attrs["b"])
        yield Part(rows, held, attrs["seed"])
    elif kind == "pd_op.full":
        yield Part(rows, drawn("constant", value=attrs["value"]))
    elif kind in ("pd_op.assign_value", "pd_op.assign_value_"):
        yield Part(rows, given(attrs["values"]))
    else:
        yield Part(rows, Unknown(say.MADE_BY_OP(kind=kind)))


def pir_roles(main: Any) -> dict[str, str]:
    """Return what a main program uses each parameter for; unused ones are left out."""
    roles = {}
    for op in main.global_block().ops:
        if op.name() == "builtin.parameter":
            role = _role(op.result(0))
            if role:
                roles[op.attrs()["parameter_name"]] = role
    return roles


def _role(value: Any) -> str:
    for user in value.all_used_ops():
        if user.name() in PASSED_THROUGH:
            return _role(user.result(0))
        return ROLES.get(user.name(), "other")
    return ""


def _input(op: Any, index: int) -> Any:
    return op.operand_source(index).get_defining_op()


def _constant(op: Any, index: int) -> float | None:
    source = _input(op, index)
    return source.attrs()["value"] if source.name() == "pd_op.full" else None


def _dtype(value: Any) -> str:
    return str(value.dtype).removeprefix("paddle.")
