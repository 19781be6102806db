"""A startup program of Paddle 2 (ProgramDesc), and what its main program does with a parameter."""

from __future__ import annotations

import math
from typing import Any

from paddle_init.distributions import Simple, Unknown
from paddle_init.frameworks.paddle.nets import random_ops
from paddle_init.frameworks.paddle.nets import sentences as say
from paddle_init.frameworks.paddle.nets.parameters import drawn, given, shape_and_dtype
from paddle_init.frameworks.paddle.nets.provenance import RandomOp
from paddle_init.frameworks.paddle.nets.startup import Startup
from paddle_init.frameworks.paddle.nets.user_code import stated_line
from paddle_init.schemes.base import Shape
from paddle_init.specs import Overwrite

COPIES = ("assign",)
SHARES = ("share_data", "memcpy", "memcpy_h2d", "memcpy_d2h")
PASSED_THROUGH = ("cast", *COPIES, *SHARES)
RESHAPES = ("reshape", "reshape2")
PIR_NAMES = {"gaussian_random": "gaussian", "uniform_random": "uniform"}
USES = {("matmul_v2", "Y"): "weight", ("mul", "Y"): "weight", ("elementwise_add", "Y"): "bias"}
VALUES = ("values", "fp32_values", "fp64_values", "int32_values", "int64_values", "bool_values")
BLOCKS = ("sub_block", "blocks", "sub_blocks", "optimize_blocks")
FORWARD, LOSS = 0, 256  # of an op's op_role


def follow_desc(startup: Any) -> tuple[Startup, frozenset[str]]:
    """Return what a startup program draws and holds in the end, and its parameters' names.

    Where it does not tell parameters from other variables, as a deserialized one, all are.
    """
    state, block = Startup(), startup.global_block()
    persistable = {name for name, var in block.vars.items() if var.persistable}
    for state.place, op in enumerate(block.ops):
        _follow(op, block, state)
        for name in op.output_arg_names:
            if name in persistable and not _passes_back(op, name):
                state.bind(name, name, stated_line(_attr(op, "op_callstack", ())))
    return state, desc_parameters(startup) or frozenset(persistable)


def _follow(op: Any, block: Any, state: Startup) -> None:
    """Give the variables that an op makes or changes their values."""
    kind = PIR_NAMES.get(op.type, op.type)
    outputs = op.output("Out") if "Out" in op.output_names else []
    if len(outputs) != 1 or not _is_tensor(outputs[0], block):
        _not_followed(op, block, state)
        return
    (key,) = outputs
    shape, dtype = shape_and_dtype(block.vars[key])
    distribution = _distribution(op)
    inputs = op.input("X") if "X" in op.input_names else []
    if distribution is not None and all(size >= 0 for size in shape):
        source = stated_line(_attr(op, "op_callstack", ()))
        seed = op.attr("seed")
        state.draw(key, kind, distribution, shape, dtype, seed, source, _diagonal(op))
    elif op.type == "fill_constant" and not _computed(op):
        value = float(_attr(op, "str_value", "") or op.attr("value"))
        state.fill(key, shape, dtype, drawn("constant", value=value))
    elif op.type == "assign_value":
        values = next(filter(None, (_attr(op, name, ()) for name in VALUES)), ())
        numbers = [getattr(each, "value", lambda e=each: e)() for each in values]
        state.fill(key, shape, dtype, given(numbers))
    elif op.type == "share_data":
        state.share(key, inputs[0])
    elif op.type in (*COPIES, *SHARES):
        state.put(key, state.value(inputs[0]))
    elif op.type == "cast":
        state.cast(key, inputs[0], dtype, op.type)
    elif op.type in RESHAPES and not _computed_shape(op):
        state.reshape(key, inputs[0], _reshaped(op, state.value(inputs[0]).shape))
    elif op.type == "concat" and not op.input("AxisTensor"):
        state.concat(key, inputs, _attr(op, "axis", 0), shape, op.type)
    elif op.type == "scatter":
        names = [op.input(slot)[0] for slot in ("X", "Ids", "Updates")]
        state.scatter(key, names, _attr(op, "overwrite", True), op.type)
    else:
        _not_followed(op, block, state)


def _not_followed(op: Any, block: Any, state: Startup) -> None:
    """Make what an op leaves unknown; it may draw."""
    kind = PIR_NAMES.get(op.type, op.type)
    inputs = list(op.input_arg_names)
    attributes = [name for name in op.attr_names if name != "op_callstack"]
    outputs = [name for name in op.output_arg_names if not _passes_back(op, name)]
    known = [name for name in outputs if _is_tensor(name, block)]
    random: list[RandomOp] = []
    if _holds_blocks(op) or random_ops.draws(kind, attributes):
        shape = _shape(block.vars[known[0]]) if known else (-1,)
        held = Unknown(say.MADE_BY_OP(kind=op.type), random_ops.takes(kind, shape))
        source = stated_line(_attr(op, "op_callstack", ()))
        random = [state.random_op(op.type, held, source=source)]
    for name in outputs:
        var = block.vars[name] if name in known else None
        shape, dtype = shape_and_dtype(var) if var is not None else ((), "")
        state.make(name, shape, dtype, op.type, inputs, random)


def _distribution(op: Any) -> Simple | None:
    """Return what an op draws, or None where it is no op that this project draws."""
    if op.type == "gaussian_random":
        return drawn("normal", mean=op.attr("mean"), std=op.attr("std"))
    if op.type == "uniform_random":
        return drawn("uniform", low=op.attr("min"), high=op.attr("max"))
    if op.type == "truncated_gaussian_random":
        mean, std = op.attr("mean"), op.attr("std")
        # Before it had cutoffs of its own the op cut at two stds.
        low, high = _attr(op, "a", mean - 2 * std), _attr(op, "b", mean + 2 * std)
        return drawn("truncated_normal", mean=mean, std=std, low=low, high=high)
    return None


def _diagonal(op: Any) -> tuple[Overwrite, ...]:
    """Return what a uniform op writes over its draws: every diag_step + 1st element."""
    count = _attr(op, "diag_num", 0) if op.type == "uniform_random" else 0
    if not count:
        return ()
    return (Overwrite(0, count, op.attr("diag_step") + 1, op.attr("diag_val")),)


def _computed(op: Any) -> bool:
    """Tell a constant whose value another op computes."""
    return "ValueTensor" in op.input_names and bool(op.input("ValueTensor"))


def _computed_shape(op: Any) -> bool:
    """Tell a reshape to a shape that other ops compute."""
    return any(op.input(slot) for slot in ("Shape", "ShapeTensor") if slot in op.input_names)


def _reshaped(op: Any, before: Shape) -> Shape:
    """Return the shape that an op gives: its variable may be in two shapes, one by one."""
    asked = [
        before[i] if size == 0 and i < len(before) else size
        for i, size in enumerate(op.attr("shape"))
    ]
    rest = math.prod(size for size in asked if size >= 0)
    left = math.prod(before) // rest if rest else 0
    return tuple(left if size < 0 else size for size in asked)


def _passes_back(op: Any, name: str) -> bool:
    """Tell a variable that an op lays elsewhere in memory with the values that it had."""
    copies = op.type == "coalesce_tensor" and _attr(op, "copy_data", False)
    return copies and name in op.input_arg_names


def desc_parameters(program: Any) -> frozenset[str]:
    """Return the names of a program's parameters, without optimizers' state."""
    return frozenset(each.name for each in program.global_block().all_parameters())


def desc_roles(main: Any) -> dict[str, str]:
    """Return what a main program first uses each parameter for; unused ones are left out.

    Gradients, optimizers and learning rates have op roles of their own.
    """
    roles: dict[str, str] = {}
    names = {name: name for name in desc_parameters(main)}
    for block in main.blocks:
        for op in block.ops:
            if _attr(op, "op_role", FORWARD) not in (FORWARD, LOSS) or op.type.endswith("_grad"):
                continue
            for slot in op.input_names:
                for used in (names[name] for name in op.input(slot) if name in names):
                    if op.type in PASSED_THROUGH:
                        names.update(dict.fromkeys(op.output_arg_names, used))
                    elif not _holds_blocks(op):
                        roles.setdefault(used, USES.get((op.type, slot), "other"))
    return roles


def _holds_blocks(op: Any) -> bool:
    return any(op.has_attr(name) for name in BLOCKS)


def _attr(op: Any, name: str, default: Any) -> Any:
    return op.attr(name) if op.has_attr(name) else default


def _is_tensor(name: str, block: Any) -> bool:
    """Tell a tensor from what else a variable may be, such as the steps of a loop."""
    from paddle.base.core import VarDesc

    return name in block.vars and block.vars[name].type == VarDesc.VarType.LOD_TENSOR


def _shape(var: Any) -> Shape:
    return tuple(int(size) for size in var.shape)
