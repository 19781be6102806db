"""The graph of fully connected layers: which parameter is a weight, which meets bias_input.

    output = act([a_1 | a_2 | ...] @ [b_1 ; b_2 ; ...])

`bias_input` is a column of ones among the a's. The row it meets is the bias, whether it is a
parameter of its own or one row of a larger one."""

from __future__ import annotations

import shlex
from collections import Counter, deque
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import accumulate

from abacus_compat.conf import INT_MAX, LayerEntry, Param, Section
from abacus_compat.errors import listed
from paddle_init.errors import setting
from paddle_init.specs import BIAS_INPUT, Input, RowBlock, Tensor
from paddle_init.texts import did_you_mean, nearest
from paddle_init.yaml_cpp import Problem

# Each hint is a search through all names.
MOST_HINTS = 20


@dataclass(frozen=True, slots=True)
class Equation:
    """The widths of `names` add up to `rows`, those of the parameters."""

    names: tuple[str, ...]
    rows: tuple[int, ...]


def solve(equations: Sequence[Equation], known: dict[str, int]) -> dict[str, int]:
    """Return `known` with every width that follows from the equations.

    A layer concatenates its inputs by columns and its parameters by rows, so the widths of the
    inputs add up to the rows. What the sums alone determine comes first; only then is a layer
    with as many inputs as parameters taken to pair them off one by one.

    A width that no equation determines is not there; one that an equation contradicts is left
    to whoever checks the sums. Time is linear in the total number of names.
    """
    widths = dict(known)
    unknown = [{name for name in equation.names if name not in widths} for equation in equations]
    readers: dict[str, list[int]] = {}
    for index, names in enumerate(unknown):
        for name in names:
            readers.setdefault(name, []).append(index)
    ready = deque(index for index, names in enumerate(unknown) if len(names) == 1)

    def learn(name: str, width: int) -> None:
        widths[name] = width
        for index in readers.pop(name):
            unknown[index].discard(name)
            if len(unknown[index]) == 1:
                ready.append(index)

    def follow() -> None:
        while ready:
            index = ready.popleft()
            for name in tuple(unknown[index]):
                width = _remaining(equations[index], name, widths)
                if width is not None:
                    learn(name, width)

    follow()
    for index, names in enumerate(unknown):
        if len(names) > 1:
            for name, width in _paired(equations[index], widths).items():
                learn(name, width)
            follow()
    return widths


def _remaining(equation: Equation, name: str, widths: dict[str, int]) -> int | None:
    counts = Counter(equation.names)
    count = counts.pop(name)
    rest = sum(equation.rows) - sum(widths[other] * times for other, times in counts.items())
    return rest // count if rest > 0 and rest % count == 0 else None


def _paired(equation: Equation, widths: dict[str, int]) -> dict[str, int]:
    """Widths of the unknown names where inputs and parameters between two common edges pair off."""
    names, rows = equation.names, equation.rows
    first, row = _last_common_edge([widths.get(name) for name in names], rows)
    after, after_row = _last_common_edge([widths.get(name) for name in names[::-1]], rows[::-1])
    inner, inner_rows = names[first : len(names) - after], rows[row : len(rows) - after_row]
    pairs: dict[str, int] = {}
    if len(inner) == len(inner_rows):
        for name, width in zip(inner, inner_rows, strict=True):
            if pairs.setdefault(name, widths.get(name, width)) != width:
                return {}
    return {name: width for name, width in pairs.items() if name not in widths}


def _last_common_edge(widths: Sequence[int | None], rows: Sequence[int]) -> tuple[int, int]:
    """Number of inputs and of parameters up to the last edge they share before an unknown."""
    edges = {edge: count for count, edge in enumerate(accumulate(rows), 1)}
    shared, edge = (0, 0), 0
    for count, width in enumerate(widths, 1):
        if width is None:
            break
        edge += width
        if edge in edges:
            shared = (count, edges[edge])
    return shared


@dataclass(frozen=True, slots=True)
class FullyConnected:
    """A NeuralLayer whose shapes fit; its parameters are stacked by rows.

    `inputs` are those without bias_input, a layer's output under the last of its names;
    `bias_row` is the row of the stack that meets bias_input.
    """

    entry: LayerEntry
    params: tuple[Param, ...]
    inputs: tuple[Input, ...]
    bias_row: int | None


def fully_connected(
    section: Section, given: Mapping[str, int], problems: list[Problem]
) -> tuple[FullyConnected, ...]:
    """Resolve every NeuralLayer's names and widths; what does not fit is added to `problems`.

    `given` are widths of inputs from outside, beside those that the conf declares.
    """
    if not section.params:
        return ()
    makers = _layers_by_output(section.layers, problems)
    stacks = [
        (entry, params)
        for index, entry in enumerate(section.layers)
        if entry.a_inputs and (params := _stacked(index, entry, section, makers, problems))
    ]
    widths = _widths(stacks, section, given, problems)
    outputs = {name: section.layers[index].outputs[-1] for name, index in makers.items()}
    return tuple(
        layer
        for entry, params in stacks
        if (layer := _resolved(entry, params, widths, outputs, problems)) is not None
    )


def _layers_by_output(entries: tuple[LayerEntry, ...], problems: list[Problem]) -> dict[str, int]:
    makers: dict[str, int] = {}
    for index, entry in enumerate(entries):
        for name in entry.outputs:
            if name == BIAS_INPUT:
                message = (
                    f"{BIAS_INPUT} is abacus's own column of ones; give the layer another name"
                )
                problems.append(entry.problem(message, "name"))
                continue
            first = entries[makers.setdefault(name, index)]
            if first is not entry and (first.a_inputs or entry.a_inputs):
                message = f"the layer on line {first.source.line} gives {name!r} too; rename one"
                problems.append(entry.problem(message, "name"))
    return makers


def _stacked(
    index: int,
    entry: LayerEntry,
    section: Section,
    makers: dict[str, int],
    problems: list[Problem],
) -> tuple[Param, ...]:
    """Return the parameters that a layer stacks; none where something does not fit."""
    messages = []
    for name in dict.fromkeys(entry.a_inputs):
        if makers.get(name, -1) >= index:
            line = section.layers[makers[name]].source.line
            message = f"{name!r} is given by a layer that does not come earlier, on line {line}"
            messages.append(("a_input", f"{message}; move that layer up"))
        elif name in section.params and name not in makers:
            message = f"{name!r} is a parameter; parameters stand under b_input"
            messages.append(("a_input", message))
    if entry.a_inputs.count(BIAS_INPUT) > 1:
        message = (
            f"{BIAS_INPUT} stands here more than once, but a layer has one bias; leave one out"
        )
        messages.append(("a_input", message))
    for name, count in Counter(entry.b_inputs).items():
        if name not in section.params:
            hints = len(problems) + len(messages) < MOST_HINTS
            meant = did_you_mean(name, section.params) if hints else ""
            message = f"there is no parameter {name!r}; parameters: {listed(section.params)}{meant}"
            messages.append(("b_input", message))
        elif count > 1:
            message = f"{name!r} stands here {count} times; Paddle cannot tie rows of one parameter"
            messages.append(("b_input", message))
    found = [section.params.get(name) for name in entry.b_inputs]
    params = tuple(param for param in found if param is not None)
    if not messages and len(params) == len(found) and len({param.coln for param in params}) > 1:
        columns = listed([f"{param.name} {param.coln}" for param in params])
        messages.append(("b_input", f"stacked parameters need one coln; found {columns}"))
    problems += [entry.problem(message, key) for key, message in messages]
    return params if not messages and len(params) == len(found) else ()


def _widths(
    stacks: list[tuple[LayerEntry, tuple[Param, ...]]],
    section: Section,
    given: Mapping[str, int],
    problems: list[Problem],
) -> dict[str, int]:
    """Widths of inputs by name, as far as they follow from the stacks and from what is given."""
    of_outputs: dict[str, int] = {}
    for entry, params in stacks:
        for name in entry.outputs:
            of_outputs.setdefault(name, params[0].coln)
    read = {name for entry in section.layers for name in entry.a_inputs}
    outside = read - of_outputs.keys() - {BIAS_INPUT}
    option = setting("widths", "--width")
    accepted: dict[str, int] = {}
    for name, width in given.items():
        if name not in outside:
            found = listed(sorted(outside)) or "none"
            message = (
                f"{option}: no layer reads {name!r} from outside; inputs from outside: {found}"
            )
            message += did_you_mean(name, outside)
            problems.append(Problem(message, section.source))
        elif isinstance(width, bool) or not isinstance(width, int) or width < 1:
            message = f"{option}: {name!r} must be an integer of at least 1, got {width!r}"
            problems.append(Problem(message, section.source))
        else:
            accepted[name] = width
    equations = [
        Equation(entry.a_inputs, tuple(param.rown for param in params)) for entry, params in stacks
    ]
    return solve(equations, {**section.widths, **accepted, **of_outputs, BIAS_INPUT: 1})


def _meant_inputs(
    names: Iterable[str], entry: LayerEntry, outputs: Mapping[str, str], problems: list[Problem]
) -> str:
    """Return what the inputs that no layer gives may be meant for, to end a message."""
    if len(problems) >= MOST_HINTS:
        return ""
    known = [name for name in (BIAS_INPUT, *outputs) if name not in entry.outputs]
    found = {name: nearest(name, known, 0.75) for name in names if name != BIAS_INPUT}
    return "".join(f"; did you mean {near} by {name}?" for name, near in found.items() if near)


def _resolved(
    entry: LayerEntry,
    params: tuple[Param, ...],
    widths: dict[str, int],
    outputs: dict[str, str],
    problems: list[Problem],
) -> FullyConnected | None:
    rows = sum(param.rown for param in params)
    if rows > INT_MAX:
        message = f"the parameters stack to {rows} rows, over {INT_MAX}, the most of C++'s int"
        problems.append(entry.problem(message, "b_input"))
        return None
    unknown = list(dict.fromkeys(name for name in entry.a_inputs if name not in widths))
    if len(unknown) > 1:
        message = f"the widths of {listed(unknown)} do not follow from b_input's {rows} rows"
        how = setting(f"widths={{{unknown[0]!r}: ...}}", f"--width {shlex.quote(unknown[0])}=N")
        how += f", or vec_input: [{{name: {unknown[0]}, dim: ...}}]"
        meant = _meant_inputs(unknown, entry, outputs, problems)
        message += f"; give all but one: {how} in the conf{meant}"
        problems.append(entry.problem(message, "a_input"))
        return None
    columns = sum(widths.get(name, 0) for name in entry.a_inputs)
    if unknown or columns != rows:
        columns_of = [f"{name} {widths.get(name, 'unknown')}" for name in entry.a_inputs]
        rows_of = [f"{param.name} {param.rown}" for param in params]
        message = f"the columns of a_input ({listed(columns_of)}) do not add up to"
        outside = [name for name in dict.fromkeys(entry.a_inputs) if name not in outputs]
        meant = _meant_inputs(outside, entry, outputs, problems)
        message += f" the rows of b_input ({listed(rows_of)}){meant}"
        problems.append(entry.problem(message, "a_input"))
        return None
    offset, bias_row, inputs = 0, None, []
    for name in entry.a_inputs:
        if name == BIAS_INPUT:
            bias_row = offset
        else:
            inputs.append(Input(outputs.get(name, name), widths[name]))
        offset += widths[name]
    return FullyConnected(entry, params, tuple(inputs), bias_row)


@dataclass(frozen=True, slots=True)
class LayerTensors:
    """A layer's weight, and its bias where it has one; `folded` is the draw whose row that is."""

    layer: FullyConnected
    weight: Tensor
    bias: Tensor | None
    folded: Param | None


def layer_tensors(layer: FullyConnected) -> LayerTensors | None:
    """Cut the stack of a layer's parameters into a weight and a bias.

    The weight takes the name of its first block's parameter. A bias that is a parameter of its
    own keeps its name; one that is a row of the parameter ``w`` is ``w.bias``. None where no row
    is left for a weight.
    """
    blocks: list[RowBlock] = []
    bias = folded = None
    start = 0
    for param in layer.params:
        row = -1 if layer.bias_row is None else layer.bias_row - start
        start += param.rown
        if not 0 <= row < param.rown:
            blocks.append(RowBlock(param.name, 0, param.rown))
            continue
        folded = param if param.rown > 1 else None
        name = f"{param.name}.bias" if folded else param.name
        block = RowBlock(param.name, row, row + 1)
        bias = Tensor(name, "bias", (param.coln,), (block,), source=param.source)
        around = (RowBlock(param.name, 0, row), RowBlock(param.name, row + 1, param.rown))
        blocks += [block for block in around if block.rows]
    if not blocks:
        return None
    first = next(param for param in layer.params if param.name == blocks[0].draw)
    shape = (sum(block.rows for block in blocks), first.coln)
    weight = Tensor(first.name, "weight", shape, tuple(blocks), source=first.source)
    return LayerTensors(layer, weight, bias, folded)


def placed(
    layers: Iterable[LayerTensors], params: Iterable[str], problems: list[Problem]
) -> tuple[dict[str, Tensor], dict[str, list[str]]]:
    """Return the layers' tensors by name, in order of creation, and each parameter's layers.

    A parameter that two layers use becomes one tensor. Where they use it differently there is no
    such tensor, and that is added to `problems`.
    """
    names = set(params)
    tensors: dict[str, Tensor] = {}
    homes: dict[str, list[Tensor]] = {}
    readers: dict[str, list[str]] = {}
    for item in layers:
        entry = item.layer.entry
        own = [item.weight] if item.bias is None else [item.weight, item.bias]
        homes_here: dict[str, list[Tensor]] = {}
        for tensor in own:
            tensors.setdefault(tensor.name, tensor)
            for name in dict.fromkeys(block.draw for block in tensor.blocks):
                homes_here.setdefault(name, []).append(tensor)
        differing = [
            name for name, home in homes_here.items() if homes.setdefault(name, home) != home
        ]
        if differing:
            name = differing[0]
            message = f"layer {readers[name][0]} uses {name} with other rows beside it"
            problems.append(entry.problem(f"{message}; Paddle shares whole parameters", "b_input"))
        for name in homes_here:
            readers.setdefault(name, []).append(entry.name)
        if item.folded and item.bias and item.bias.name in names:
            message = f"the bias row of {item.folded.name} takes the name {item.bias.name}"
            message += "; rename the parameter of that name"
            problems.append(entry.problem(message, "b_input"))
    return tensors, readers
