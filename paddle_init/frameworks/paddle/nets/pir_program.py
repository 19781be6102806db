"""A startup program of Paddle 3 (PIR), and what its main program does with a parameter."""

from __future__ import annotations

from collections.abc import Hashable, Iterator
from typing import Any

from paddle_init.distributions import Simple, Unknown
from paddle_init.frameworks.paddle.nets import random_ops
from paddle_init.frameworks.paddle.nets import sentences as say
from paddle_init.frameworks.paddle.nets.parameters import drawn, given
from paddle_init.frameworks.paddle.nets.provenance import RandomOp
from paddle_init.frameworks.paddle.nets.startup import Startup
from paddle_init.frameworks.paddle.nets.user_code import stated_line
from paddle_init.schemes.base import Shape

COPIES = ("assign",)
SHARES = ("share_data", "memcpy", "memcpy_h2d", "memcpy_d2h")
PASSED_THROUGH = ("cast", *COPIES, *SHARES)
RESHAPES = ("reshape", "squeeze", "unsqueeze", "flatten")
ROLES = {"matmul": "weight", "add": "bias"}


def is_pir(program: Any) -> bool:
    """Tell a program of PIR from a ProgramDesc."""
    return type(program).__module__.endswith("pir")


def follow_pir(startup: Any) -> tuple[Startup, frozenset[str]]:
    """Return what a startup program draws and holds in the end, and its parameters' names."""
    state, parameters = Startup(), set()
    for state.place, op in enumerate(startup.global_block().ops):
        name, attrs = op.name(), op.attrs()
        if name in ("builtin.set_parameter", "builtin.shadow_output"):
            bound = attrs.get("parameter_name") or attrs["output_name"]
            state.bind(bound, op.operand_source(0).id, stated_line(attrs.get("op_callstack", ())))
            if name == "builtin.set_parameter":
                parameters.add(bound)
        else:
            _follow(op, _kind(op), attrs, state)
    return state, frozenset(parameters)


def _follow(op: Any, kind: str, attrs: dict[str, Any], state: Startup) -> None:
    """Give the variables that an op makes or changes their values."""
    inputs, outputs = _inputs(op), _outputs(op)
    if not outputs or _is_vector(outputs[0]):
        _not_followed(op, kind, attrs, state)
        return
    key, shape, dtype = outputs[0].id, _shape(outputs[0]), _dtype(outputs[0])
    distribution = _distribution(op.name(), attrs, inputs, state)
    if distribution is not None and all(size >= 0 for size in shape):
        source = stated_line(attrs.get("op_callstack", ()))
        state.draw(key, kind, distribution, shape, dtype, attrs["seed"], source)
    elif op.name() == "pd_op.full":
        state.fill(key, shape, dtype, drawn("constant", value=attrs["value"]))
    elif op.name() in ("pd_op.full_int_array", "pd_op.assign_value"):
        state.fill(
            key, shape, dtype, given(attrs["value" if kind == "full_int_array" else "values"])
        )
    elif op.name() == "pd_op.assign_value_":
        state.fill(inputs[0], shape, dtype, given(attrs["values"]))
        state.share(key, inputs[0])
    elif op.name() == "pd_op.assign_out_":
        state.put(inputs[1], state.value(inputs[0]))
        state.share(key, inputs[1])
    elif kind in SHARES:
        state.share(key, inputs[0])
    elif kind in COPIES:
        state.put(key, state.value(inputs[0]))
    elif op.name() == "pd_op.cast":
        state.cast(key, inputs[0], dtype, op.name())
    elif op.name().removeprefix("pd_op.") in RESHAPES and all(size >= 0 for size in shape):
        state.reshape(key, inputs[0], shape)
    elif op.name() == "pd_op.concat":
        state.concat(key, _inputs(_maker(op, 0)), state.number(inputs[1]), shape, op.name())
    elif op.name() == "pd_op.slice" and attrs["axes"] == [0] and not attrs["decrease_axis"]:
        start, stop = (state.number(each) for each in inputs[1:3])
        state.rows(key, inputs[0], start, stop, shape, op.name())
    elif op.name() == "pd_op.scatter":
        state.scatter(key, inputs, attrs["overwrite"], op.name())
    else:
        _not_followed(op, kind, attrs, state)


def _not_followed(op: Any, kind: str, attrs: dict[str, Any], state: Startup) -> None:
    """Make what an op leaves unknown; it may draw, and one that ends in _ changes its inputs."""
    inputs, name, blocks = _inputs(op), op.name(), list(op.blocks())
    changed = inputs if blocks or name.endswith("_") else []
    paddles = name.startswith(("pd_op.", "builtin."))
    random: list[RandomOp] = []
    if blocks or not paddles or random_ops.draws(kind, attrs):
        dense = [result for result in _outputs(op) if not _is_vector(result)]
        shape = _shape(dense[0]) if dense else (-1,)
        held = Unknown(say.MADE_BY_OP(kind=name), random_ops.takes(kind, shape))
        ordered = paddles and random_ops.is_ordered(kind)
        source = stated_line(attrs.get("op_callstack", ()))
        random = [state.random_op(name, held, ordered=ordered, source=source)]
    for key in changed:
        value = state.value(key)
        state.make(key, value.shape, value.dtype, name, inputs, random)
    for result in op.results():
        vector = _is_vector(result)
        state.make(
            result.id,
            () if vector else _shape(result),
            "" if vector else _dtype(result),
            name,
            inputs,
            random,
        )


def _distribution(
    name: str, attrs: dict[str, Any], inputs: list[Hashable], state: Startup
) -> Simple | None:
    """Return what an op draws, or None where it is no op that this project draws."""
    if name == "pd_op.gaussian":
        return drawn("normal", mean=attrs["mean"], std=attrs["std"])
    if name == "pd_op.uniform":
        low, high = state.number(inputs[1]), state.number(inputs[2])
        if low is None or high is None:
            return Unknown(say.COMPUTED_BOUNDS())
        return drawn("uniform", low=low, high=high)
    if name == "pd_op.truncated_gaussian_random":
        numbers = {"mean": attrs["mean"], "std": attrs["std"], "low": attrs["a"]}
        return drawn("truncated_normal", **numbers, high=attrs["b"])
    return None


def pir_state(main: Any) -> frozenset[str]:
    """Return the names that a main program holds as other state, such as learning rates."""
    return frozenset(
        op.attrs()["parameter_name"]
        for op in main.global_block().ops
        if op.name() == "builtin.parameter" and "is_parameter" not in op.attrs()
    )


def pir_roles(main: Any) -> dict[str, str]:
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


def _outputs(op: Any) -> list[Any]:
    return [result for result in op.results() if result.initialized()]


def _maker(op: Any, index: int) -> Any:
    return op.operand_source(index).get_defining_op()


def _is_vector(value: Any) -> bool:
    return not value.is_dense_tensor_type()


def _shape(value: Any) -> Shape:
    return tuple(int(size) for size in value.shape)


def _dtype(value: Any) -> str:
    return str(value.dtype).removeprefix("paddle.")
