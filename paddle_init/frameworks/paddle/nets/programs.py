"""Programs of Paddle 3 (PIR) and of Paddle 2 (ProgramDesc), followed by the same rules."""

from __future__ import annotations

import math
import re
from collections.abc import Hashable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from paddle_init.distributions import Simple, Unknown
from paddle_init.errors import Source
from paddle_init.frameworks.paddle.nets import random_ops
from paddle_init.frameworks.paddle.nets import sentences as say
from paddle_init.frameworks.paddle.nets.parameters import Found, drawn, given, shape_and_dtype
from paddle_init.frameworks.paddle.nets.startup import Bound, Followed, Startup, Variable
from paddle_init.frameworks.paddle.nets.user_code import stated_line
from paddle_init.schemes.base import Shape
from paddle_init.specs import Overwrite

LEARNING_RATE = re.compile(r"learning_rate_\d+")
COPIES = ("assign",)
SHARES = ("share_data", "memcpy", "memcpy_h2d", "memcpy_d2h")
PASSED_THROUGH = ("cast", *COPIES, *SHARES)


def is_program(value: object) -> bool:
    return type(value).__name__ == "Program" and hasattr(value, "global_block")


def default_programs() -> list[tuple[Any, Any]]:
    """Return the default (main, startup) programs of either kind, the kind in use first."""
    import paddle
    from paddle.base import framework

    pairs = [
        (m.default_main_program(), m.default_startup_program())
        for m in (paddle.pir.core, framework)
    ]
    return pairs if framework.in_pir_mode() else pairs[::-1]


def followed(startup: Any, main: Any = None) -> Followed:
    """Return what a startup program draws and binds.

    `main`, where it is given, says what each parameter is used for.
    """
    if _is_pir(startup):
        run, parameters = _follow_pir(startup)
        parameters -= _pir_state(main) if main is not None and _is_pir(main) else frozenset()
    else:
        run, parameters = _follow_desc(startup)
        if main is not None and not _desc_parameters(startup):
            parameters &= _desc_parameters(main)
    bound = [each for each in run.bound if each.name in parameters and not _is_rate(each)]
    kept = {each.name for each in bound}
    state = tuple(each.name for each in run.bound if each.name not in kept)
    roles = {} if main is None else (_pir_roles if _is_pir(main) else _desc_roles)(main)
    return Followed(tuple(run.random), tuple(bound), state, roles)


def startup_parameters(startup: Any) -> tuple[Found, ...]:
    """Return the parameters that a startup program initializes, in the order of creation."""
    return followed(startup).parameters


def _is_rate(bound: Bound) -> bool:
    """Tell a learning rate, which PIR's startup programs hold like a parameter."""
    return bound.value.shape == () and bool(LEARNING_RATE.fullmatch(bound.name))


def _is_pir(program: Any) -> bool:
    return type(program).__module__.endswith("pir")


# The rules


@dataclass(frozen=True)
class Op:
    """An op of either kind of program.

    `name` is its own, `kind` PIR's without the dialect. `result` is the tensor that it makes;
    `arguments` are those of its rule, None where it follows none.
    """

    name: str
    kind: str
    inputs: Sequence[Hashable]
    result: Variable | None
    arguments: Mapping[str, Any] | None
    source: Source | None


def _follow(op: Op, state: Startup) -> bool:
    """Give the variable that an op makes its value; False where the op is not followed."""
    if op.result is None or op.arguments is None:
        return False
    arguments, inputs, result, key = op.arguments, op.inputs, op.result, op.result.key
    sized = all(size >= 0 for size in result.shape)
    match op.kind:
        case "gaussian" | "uniform" | "truncated_gaussian_random" if sized:
            state.draw(result, op.kind, source=op.source, **arguments)
        case "full":
            state.fill(result, drawn("constant", **arguments))
        case "assign_value" | "full_int_array":
            state.fill(result, given(**arguments))
        case "assign_value_":
            state.fill(replace(result, key=inputs[0]), given(**arguments))
            state.share(key, inputs[0])
        case "assign_out_":
            state.put(inputs[1], state.value(inputs[0]))
            state.share(key, inputs[1])
        case "share":
            state.share(key, inputs[0])
        case "assign":
            state.put(key, state.value(inputs[0]))
        case "cast":
            state.cast(key, inputs[0], result.dtype, op.name)
        case "reshape" if sized or "shape" in arguments:
            state.reshape(key, inputs[0], arguments.get("shape", result.shape))
        case "concat":
            state.concat(result, kind=op.name, **arguments)
        case "slice":
            state.rows(result, inputs[0], kind=op.name, **arguments)
        case "scatter":
            state.scatter(key, kind=op.name, **arguments)
        case _:
            return False
    return True


def _leave_unknown(
    op: Op,
    state: Startup,
    made: Sequence[Variable],
    *,
    may_draw: bool,
    ordered: bool = True,
    changed: Sequence[Hashable] = (),
) -> None:
    """Make unknown what an op makes and changes; it may draw."""
    random = []
    if may_draw:
        shape = next((each.shape for each in made if each.dtype), (-1,))
        kind = op.kind.rstrip("_")
        held = Unknown(say.MADE_BY_OP(kind=op.name), random_ops.takes(kind, shape))
        random.append(state.random_op(op.name, held, ordered=ordered, source=op.source))
    for key in changed:
        value = state.value(key)
        state.make(Variable(key, value.shape, value.dtype), op.name, op.inputs, random)
    for each in made:
        state.make(each, op.name, op.inputs, random)


# PIR


RESHAPES = ("reshape", "squeeze", "unsqueeze", "flatten")
ROLES = {"matmul": "weight", "add": "bias"}


def _follow_pir(startup: Any) -> tuple[Startup, frozenset[str]]:
    state, parameters = Startup(), set()
    for state.place, op in enumerate(startup.global_block().ops):
        name, attrs = op.name(), op.attrs()
        source = stated_line(attrs.get("op_callstack", ()))
        if name in ("builtin.set_parameter", "builtin.shadow_output"):
            bound = attrs.get("parameter_name") or attrs["output_name"]
            state.bind(bound, op.operand_source(0).id, source)
            if name == "builtin.set_parameter":
                parameters.add(bound)
            continue
        inputs, results = _inputs(op), [r for r in op.results() if r.initialized()]
        kind, own = _kind(op), name.removeprefix("pd_op.")
        own = "share" if kind in SHARES else kind if kind in COPIES else own
        own = "reshape" if own in RESHAPES else own
        result = _result(results[0]) if results and results[0].is_dense_tensor_type() else None
        arguments = _pir_arguments(op, own, attrs, inputs, state) if result is not None else None
        each = Op(name, own, inputs, result, arguments, source)
        if not _follow(each, state):
            blocks, paddles = list(op.blocks()), name.startswith(("pd_op.", "builtin."))
            _leave_unknown(
                each,
                state,
                [_result(each) for each in op.results()],
                may_draw=bool(blocks) or not paddles or random_ops.draws(kind, attrs),
                ordered=paddles and random_ops.is_ordered(kind),
                changed=inputs if blocks or name.endswith("_") else (),
            )
    return state, frozenset(parameters)


def _pir_arguments(
    op: Any, kind: str, attrs: Mapping[str, Any], inputs: Sequence[Hashable], state: Startup
) -> dict[str, Any] | None:
    match kind:
        case "gaussian":
            held = drawn("normal", mean=attrs["mean"], std=attrs["std"])
            return {"drawn": held, "op_seed": attrs["seed"]}
        case "uniform":
            low, high = state.number(inputs[1]), state.number(inputs[2])
            held = Unknown(say.COMPUTED_BOUNDS())
            if low is not None and high is not None:
                held = drawn("uniform", low=low, high=high)
            return {"drawn": held, "op_seed": attrs["seed"]}
        case "truncated_gaussian_random":
            held = _truncated(attrs["mean"], attrs["std"], attrs["a"], attrs["b"])
            return {"drawn": held, "op_seed": attrs["seed"]}
        case "full":
            return {"value": attrs["value"]}
        case "full_int_array":
            return {"values": attrs["value"]}
        case "assign_value" | "assign_value_":
            return {"values": attrs["values"]}
        case "concat":
            parts = _inputs(op.operand_source(0).get_defining_op())
            return {"parts": parts, "axis": state.number(inputs[1])}
        case "slice":
            if attrs["axes"] != [0] or attrs["decrease_axis"]:
                return None
            return {"start": state.number(inputs[1]), "stop": state.number(inputs[2])}
        case "scatter":
            return {"inputs": inputs, "overwrite": attrs["overwrite"]}
    return {}


def _pir_state(main: Any) -> frozenset[str]:
    """Return the names that a main program holds as other state, such as learning rates."""
    return frozenset(
        op.attrs()["parameter_name"]
        for op in main.global_block().ops
        if op.name() == "builtin.parameter" and "is_parameter" not in op.attrs()
    )


def _pir_roles(main: Any) -> dict[str, str]:
    """Return what a main program first uses each parameter for; unused ones are left out.

    The first use is one of the forward pass: gradients and optimizers come behind it.
    """
    roles: dict[str, str] = {}
    names: dict[Hashable, str] = {}
    for op in _all_ops(main.global_block()):
        kind = _kind(op)
        if op.name() == "builtin.parameter":
            names[op.result(0).id] = op.attrs()["parameter_name"]
            continue
        used = [names[key] for key in _inputs(op) if key in names]
        if used and kind in PASSED_THROUGH and op.num_results():
            names[op.result(0).id] = used[0]
        elif not _is_update(op):
            for name in used:
                roles.setdefault(name, ROLES.get(kind, "other"))
    return roles


def _is_update(op: Any) -> bool:
    """Tell an optimizer's op, or a gradient's, from the forward pass."""
    return op.name().rstrip("_").endswith("_grad") or (
        op.name().endswith("_") and "param" in op.get_input_names()
    )


def _all_ops(block: Any) -> Iterator[Any]:
    for op in block.ops:
        yield op
        for inner in op.blocks():
            yield from _all_ops(inner)


def _kind(op: Any) -> str:
    return str(op.name().rpartition(".")[2].rstrip("_"))


def _inputs(op: Any) -> list[Hashable]:
    sources = (op.operand_source(i) for i in range(op.num_operands()))
    return [source.id for source in sources if source.initialized()]


def _result(value: Any) -> Variable:
    if not value.is_dense_tensor_type():
        return Variable(value.id, (), "")
    shape = tuple(int(size) for size in value.shape)
    return Variable(value.id, shape, str(value.dtype).removeprefix("paddle."))


# ProgramDesc


PIR_NAMES = {
    "fill_constant": "full",
    "gaussian_random": "gaussian",
    "reshape2": "reshape",
    "share_data": "share",
    "uniform_random": "uniform",
    **dict.fromkeys(SHARES[1:], "assign"),
}
USES = {("matmul_v2", "Y"): "weight", ("mul", "Y"): "weight", ("elementwise_add", "Y"): "bias"}
VALUES = ("values", "fp32_values", "fp64_values", "int32_values", "int64_values", "bool_values")
BLOCKS = ("sub_block", "blocks", "sub_blocks", "optimize_blocks")
FORWARD, LOSS = 0, 256  # of an op's op_role


def _follow_desc(startup: Any) -> tuple[Startup, frozenset[str]]:
    """Return what a startup program draws and holds in the end, and its parameters' names.

    Where it does not tell parameters from other variables, as a deserialized one, all are.
    """
    state, block = Startup(), startup.global_block()
    persistable = {name for name, var in block.vars.items() if var.persistable}
    for state.place, op in enumerate(block.ops):
        source = stated_line(_attr(op, "op_callstack", ()))
        kind = PIR_NAMES.get(op.type, op.type)
        outputs = op.output("Out") if "Out" in op.output_names else []
        result = None
        if len(outputs) == 1 and _is_tensor(outputs[0], block):
            result = Variable(outputs[0], *shape_and_dtype(block.vars[outputs[0]]))
        inputs = op.input("X") if result is not None and "X" in op.input_names else []
        arguments = None if result is None else _desc_arguments(op, kind, inputs, state)
        followed = _follow(Op(op.type, kind, inputs, result, arguments, source), state)
        names = [name for name in op.output_arg_names if not _passes_back(op, name)]
        if not followed:
            made = [
                Variable(name, *shape_and_dtype(block.vars[name]))
                if _is_tensor(name, block)
                else Variable(name, (), "")
                for name in names
            ]
            attributes = [name for name in op.attr_names if name != "op_callstack"]
            may_draw = _holds_blocks(op) or random_ops.draws(kind, attributes)
            unknown = Op(op.type, kind, list(op.input_arg_names), None, None, source)
            _leave_unknown(unknown, state, made, may_draw=may_draw)
        for name in names:
            if name in persistable:
                state.bind(name, name, source)
    return state, _desc_parameters(startup) or frozenset(persistable)


def _desc_arguments(
    op: Any, kind: str, inputs: Sequence[str], state: Startup
) -> dict[str, Any] | None:
    match kind:
        case "gaussian":
            held = drawn("normal", mean=op.attr("mean"), std=op.attr("std"))
            return {"drawn": held, "op_seed": op.attr("seed")}
        case "uniform":
            held = drawn("uniform", low=op.attr("min"), high=op.attr("max"))
            return {"drawn": held, "op_seed": op.attr("seed"), "overwritten": _diagonal(op)}
        case "truncated_gaussian_random":
            mean, std = op.attr("mean"), op.attr("std")
            # Before it had cutoffs of its own the op cut at two stds.
            low, high = _attr(op, "a", mean - 2 * std), _attr(op, "b", mean + 2 * std)
            return {"drawn": _truncated(mean, std, low, high), "op_seed": op.attr("seed")}
        case "full":
            if _computed(op, "ValueTensor"):
                return None
            return {"value": float(_attr(op, "str_value", "") or op.attr("value"))}
        case "assign_value":
            values = next(filter(None, (_attr(op, name, ()) for name in VALUES)), ())
            return {"values": [getattr(each, "value", lambda e=each: e)() for each in values]}
        case "reshape":
            if _computed(op, "Shape", "ShapeTensor"):
                return None
            return {"shape": _reshaped(op, state.value(inputs[0]).shape)}
        case "concat":
            axis = _attr(op, "axis", 0)
            return None if _computed(op, "AxisTensor") else {"parts": inputs, "axis": axis}
        case "scatter":
            names = [op.input(slot)[0] for slot in ("X", "Ids", "Updates")]
            return {"inputs": names, "overwrite": _attr(op, "overwrite", True)}
        case "assign" | "cast" | "share":
            return {}
    return None


def _diagonal(op: Any) -> tuple[Overwrite, ...]:
    """Return what a uniform op writes over its draws: every diag_step + 1st element."""
    count = _attr(op, "diag_num", 0) if op.type == "uniform_random" else 0
    if not count:
        return ()
    return (Overwrite(0, count, op.attr("diag_step") + 1, op.attr("diag_val")),)


def _computed(op: Any, *slots: str) -> bool:
    """Tell a value or a shape that other ops compute."""
    return any(op.input(slot) for slot in slots if slot in op.input_names)


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


def _desc_parameters(program: Any) -> frozenset[str]:
    """Return the names of a program's parameters, without optimizers' state."""
    return frozenset(each.name for each in program.global_block().all_parameters())


def _desc_roles(main: Any) -> dict[str, str]:
    """Return what a main program first uses each parameter for; unused ones are left out.

    Gradients, optimizers and learning rates have op roles of their own.
    """
    roles: dict[str, str] = {}
    names = {name: name for name in _desc_parameters(main)}
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


def _truncated(mean: float, std: float, low: float, high: float) -> Simple:
    return drawn("truncated_normal", mean=mean, std=std, low=low, high=high)
