"""A net spec as a Python module that needs only paddle."""

from __future__ import annotations

import ast
from dataclasses import dataclass
from importlib.resources import files
from typing import TypeAlias

from paddle_init.frameworks.paddle.module_source import (
    TRUNCATED,
    Identifiers,
    attrs_function,
    call,
    check_tensors,
    constants,
    docstring,
    literal,
    paragraph,
    row_blocks,
)
from paddle_init.specs import Layer, NetSpec

Call: TypeAlias = tuple[str, list[str]]

ACTIVATIONS = ("linear", "relu", "sigmoid", "softsign", "tanh")

# what paddle.nn.Layer has of its own, in Paddle 2.6 and 3
LAYER_NAMES = frozenset(
    """
    add_module add_parameter add_sublayer apply astype backward bfloat16 buffers children
    clear_gradients cpu create_parameter create_tensor create_variable cuda double eval
    extra_repr float float16 forward full full_name get_buffer get_extra_state get_parameter
    get_sublayer get_submodule half load_dict load_state_dict modules named_buffers
    named_children named_modules named_parameters named_sublayers parameters register_buffer
    register_forward_hook register_forward_post_hook register_forward_pre_hook
    register_module register_parameter register_state_dict_hook requires_grad_ set_dict
    set_state_dict set_sublayer set_submodule sharded_state_dict state_dict sublayers to
    to_static_state_dict train training type xpu zero_grad
    """.split()  # noqa: SIM905
)


def obstacle(spec: NetSpec) -> str | None:
    """Return why no Layer can be written, or None where one can."""
    if not spec.layers:
        return "the conf describes no layers"
    if spec.skipped_layers:
        return f"not every layer is fully connected: {', '.join(spec.skipped_layers)}"
    for layer in spec.layers:
        if layer.activation not in ACTIVATIONS:
            known = ", ".join(ACTIVATIONS)
            return f"layer {layer.name} has the activation {layer.activation}, not one of {known}"
        if not layer.inputs:
            return f"layer {layer.name} has no input"
    return None


@dataclass(frozen=True)
class Step:
    """A layer's call in forward(): what it reads and what it makes, by identifier."""

    layer: Layer
    reads: tuple[str, ...]
    result: str


@dataclass(frozen=True)
class Trace:
    """A forward pass; `inputs` and `outputs` map identifiers to widths."""

    steps: tuple[Step, ...]
    inputs: dict[str, int]
    outputs: dict[str, int]


def trace(spec: NetSpec) -> Trace:
    """Follow the layers in order: what none made comes in, what none reads goes out."""
    identifiers = Identifiers(("self", "paddle", "nn"))
    known: dict[str, str] = {}
    steps: list[Step] = []
    inputs: dict[str, int] = {}
    outputs: dict[str, int] = {}
    for layer in spec.layers:
        for read in layer.inputs:
            if read.name not in known:
                known[read.name] = identifiers.new(read.name)
                inputs[known[read.name]] = read.width
            outputs.pop(known[read.name], None)
        reads = tuple(known[read.name] for read in layer.inputs)
        result = known[layer.output] = identifiers.new(layer.output)
        outputs[result] = spec.tensor_by_name[layer.weight].shape[1]
        steps.append(Step(layer, reads, result))
    return Trace(tuple(steps), inputs, outputs)


def net_class(spec: NetSpec) -> list[str]:
    """Return the class Net.

    Where the layers' parameters stand in the order of creation, each layer is an nn.Linear. Where
    layers share parameters, or the order or the dtype is another, the parameters are created one
    by one.
    """
    passed = trace(spec)
    created, calls = _linears(spec) if _in_order(spec) else _parameters(spec)
    return [
        "class Net(nn.Layer):",
        *docstring(f"{_widths(passed.inputs)} -> {_widths(passed.outputs)}.", " " * 4),
        "",
        '    def __init__(self, prefix="", **options):',
        "        super().__init__()",
        "        attrs = param_attrs(prefix, **options)",
        *created,
        "",
        *call("def forward(", ["self", *passed.inputs], "):", " " * 4),
        *_forward(passed, calls),
    ]


def _widths(variables: dict[str, int]) -> str:
    return ", ".join(f"{name} [n, {width}]" for name, width in variables.items())


def _in_order(spec: NetSpec) -> bool:
    used = [name for layer in spec.layers for name in (layer.weight, layer.bias) if name]
    names = set(used)
    tensors = [tensor for tensor in spec.tensors if tensor.name in names]
    plain = all(tensor.dtype == "float32" for tensor in tensors)
    return plain and [tensor.name for tensor in tensors] == used


def _linears(spec: NetSpec) -> tuple[list[str], list[Call]]:
    identifiers = Identifiers(LAYER_NAMES)
    lines: list[str] = []
    calls: list[Call] = []
    for layer in spec.layers:
        name = identifiers.new(layer.name)
        arguments = [
            *map(str, spec.tensor_by_name[layer.weight].shape),
            f"weight_attr=attrs[{literal(layer.weight)}]",
            f"bias_attr=attrs[{literal(layer.bias)}]" if layer.bias else "bias_attr=False",
        ]
        lines += call(f"self.{name} = nn.Linear(", arguments, indent=" " * 8)
        calls.append((f"self.{name}(", []))
    return lines, calls


def _parameters(spec: NetSpec) -> tuple[list[str], list[Call]]:
    used = {name for layer in spec.layers for name in (layer.weight, layer.bias)}
    identifiers = Identifiers(LAYER_NAMES)
    lines, names = [], {}
    for tensor in spec.tensors:
        if tensor.name not in used:
            continue
        names[tensor.name] = f"self.{identifiers.new(tensor.name)}"
        arguments = [str(list(tensor.shape)), f"attr=attrs[{literal(tensor.name)}]"]
        if tensor.dtype != "float32":
            arguments.append(f"dtype={literal(tensor.dtype)}")
        head = f"{names[tensor.name]} = self.create_parameter("
        lines += call(head, arguments, indent=" " * 8)
    calls = [
        (
            "nn.functional.linear(",
            [names[name] for name in (layer.weight, layer.bias) if name],
        )
        for layer in spec.layers
    ]
    return lines, calls


def _forward(passed: Trace, calls: list[Call]) -> list[str]:
    lines: list[str] = []
    last = passed.steps[-1]
    for step, (head, parameters) in zip(passed.steps, calls, strict=True):
        several = len(step.reads) > 1
        x = f"paddle.concat([{', '.join(step.reads)}], axis=-1)" if several else step.reads[0]
        arguments = [x, *parameters]
        if step.layer.activation != "linear":
            arguments = [f"{head}{', '.join(arguments)})"]
            head = f"nn.functional.{step.layer.activation}("
        returned = step is last and len(passed.outputs) == 1
        start = "return " if returned else f"{step.result} = "
        lines += call(start + head, arguments, indent=" " * 8)
    if len(passed.outputs) > 1:
        lines += call("return (", list(passed.outputs), indent=" " * 8)
    return lines


def python_module(spec: NetSpec) -> str:
    """Return the source of a module that builds the ParamAttrs of `spec`.

    The module holds every number as a constant that reads back to the same double, under a
    comment with its rule and where it was written; `param_attrs()`; and, where every layer of the
    conf is fully connected, a paddle.nn.Layer named Net. Names in the conf may be anything.

    Parameters
    ----------
    spec : NetSpec

    Raises
    ------
    SpecError
        Paddle cannot draw a tensor's numbers in its dtype, or its initializer is unknown.
    """
    check_tensors(spec)
    blocks = [row_blocks(spec, tensor) for tensor in spec.tensors]
    draws = list(dict.fromkeys(draw for rows in blocks for _, draw in rows))
    numbers, initializers = constants(spec, draws)
    stacked = any(len(rows) > 1 for rows in blocks)
    missing = obstacle(spec)
    kinds = sorted({initializer.kind for initializer in initializers.values()})
    carried = [("copy", "NumberedAttr")]
    if stacked:
        carried.append(("warnings", "RowBlocks"))
    if TRUNCATED in kinds:
        kinds.remove(TRUNCATED)
        carried.append(("inspect", "truncated_normal"))
    modules = sorted(module for module, _ in carried)
    lines = [
        *_docstring(spec, missing),
        "",
        "from __future__ import annotations",
        "",
        *(f"import {module}" for module in modules),
        "",
        "import paddle",
        *([] if missing else ["from paddle import nn"]),
        *([f"from paddle.nn.initializer import {', '.join(kinds)}"] if kinds else []),
        *numbers,
        *(line for _, name in carried for line in ("", "", *_carried(name))),
        "",
        "",
        *attrs_function(spec, initializers),
        *([] if missing else ["", "", *net_class(spec)]),
    ]
    return "\n".join(lines) + "\n"


def _docstring(spec: NetSpec, missing: str | None) -> list[str]:
    origin = f"From {spec.origin}. " if spec.origin else ""
    lines = [
        '"""Initial weights of a net, for PaddlePaddle; written by paddle-init.',
        "",
        *paragraph(f"{origin}In use:"),
        "",
        *_usage(spec, missing),
        "",
    ]
    if missing:
        lines += [*paragraph(f"There is no Layer here, because {missing}."), ""]
    for notice in spec.notices:
        about = f"{notice.code}, {notice.parameter}" if notice.parameter else notice.code
        lines += paragraph(f"{about}: {notice.message}.", "- ", "  ")
    if not lines[-1]:
        lines.pop()
    return [*lines, '"""']


def _usage(spec: NetSpec, missing: str | None) -> list[str]:
    if missing is None:
        passed = trace(spec)
        return [
            "    net = Net()",
            f"    {', '.join(passed.outputs)} = net({', '.join(passed.inputs)})",
        ]
    example = ["    attrs = param_attrs()"]
    pairs = [(layer.weight, layer.bias) for layer in spec.layers] or spec.bias_by_weight.items()
    weights = [pair for pair in pairs if len(spec.tensor_by_name[pair[0]].shape) == 2]
    for weight, bias in weights[:1]:
        arguments = [
            *map(str, spec.tensor_by_name[weight].shape),
            f"weight_attr=attrs[{literal(weight)}]",
        ]
        if bias or spec.layers:  # without layers nothing says that there is none
            arguments.append(f"bias_attr={f'attrs[{literal(bias)}]' if bias else False}")
        example += call("fc = paddle.nn.Linear(", arguments, indent=" " * 4)
    return example


def _carried(name: str) -> list[str]:
    """Return the source of a class or function of the adapter that stands on its own."""
    package = files("paddle_init.frameworks.paddle.nets")
    source = package.joinpath("standalone.py").read_text(encoding="utf-8")
    (found,) = (node for node in ast.parse(source).body if getattr(node, "name", "") == name)
    return source.splitlines()[found.lineno - 1 : found.end_lineno]
