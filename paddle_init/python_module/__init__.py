"""A net spec as a Python module that needs only paddle."""

from __future__ import annotations

from importlib.resources import files

from paddle_init.python_module.initializers import (
    TRUNCATED,
    attrs_function,
    check_tensors,
    constants,
    row_blocks,
)
from paddle_init.python_module.net import net_class, obstacle, trace
from paddle_init.python_module.text import call, literal, paragraph
from paddle_init.specs import NetSpec

__all__ = ["python_module"]


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
    carried = [("copy", "numbered_attr.py", "class NumberedAttr")]
    if stacked:
        carried.append(("warnings", "row_blocks.py", "class RowBlocks"))
    if TRUNCATED in kinds:
        kinds.remove(TRUNCATED)
        carried.append(("inspect", "truncated.py", "def truncated_normal"))
    modules = sorted(module for module, _, _ in carried)
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
        *(line for _, file, start in carried for line in ("", "", *_carried(file, start))),
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


def _carried(file: str, start: str) -> list[str]:
    """Return what the adapter has in a file from `start` on, which stands on its own."""
    source = files("paddle_init.adapter").joinpath(file).read_text(encoding="utf-8")
    return source[source.index(start) :].splitlines()
