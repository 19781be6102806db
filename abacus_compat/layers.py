"""The graph of fully connected layers: which parameter is a weight, which meets bias_input.

    output = act([a_1 | a_2 | ...] @ [b_1 ; b_2 ; ...])

`bias_input` is a column of ones among the a's. The row it meets is the bias, whether it is a
parameter of its own or one row of a larger one.
"""

from __future__ import annotations

import shlex
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from abacus_compat.conf import INT_MAX, LayerEntry, Param, Section
from abacus_compat.errors import listed
from abacus_compat.widths import Equation, solve
from paddle_init.audience import setting
from paddle_init.document import Problem
from paddle_init.specs import BIAS_INPUT, Input
from paddle_init.spelling import did_you_mean, nearest

__all__ = ["FullyConnected", "fully_connected"]

# Each hint is a search through all names.
MOST_HINTS = 20


@dataclass(frozen=True, slots=True)
class FullyConnected:
    """A NeuralLayer whose shapes fit.

    Parameters
    ----------
    entry : LayerEntry
    params : tuple of Param
        Stacked by rows.
    inputs : tuple of Input
        Without bias_input; a layer's output under the last of its names.
    bias_row : int or None
        The row of the stack that meets bias_input.
    """

    entry: LayerEntry
    params: tuple[Param, ...]
    inputs: tuple[Input, ...]
    bias_row: int | None


def fully_connected(
    section: Section, given: Mapping[str, int], problems: list[Problem]
) -> tuple[FullyConnected, ...]:
    """Resolve every NeuralLayer's names and widths; what does not fit is added to `problems`.

    Parameters
    ----------
    section : Section
    given : mapping of str to int
        Widths of inputs from outside, beside those that the conf declares.
    problems : list of Problem
    """
    if not section.params:
        return ()
    makers = _makers(section.layers, problems)
    stacks: list[tuple[LayerEntry, tuple[Param, ...]]] = []
    for index, entry in enumerate(section.layers):
        if entry.a_inputs and _names_fit(index, entry, section, makers, problems):
            found = [section.params[name] for name in entry.b_inputs]
            params = tuple(param for param in found if param is not None)
            if len(params) == len(found) and _columns_fit(entry, params, problems):
                stacks.append((entry, params))
    widths = _widths(stacks, section, given, problems)
    outputs = {name: section.layers[index].outputs[-1] for name, index in makers.items()}
    return tuple(
        layer
        for entry, params in stacks
        if (layer := _resolved(entry, params, widths, outputs, problems)) is not None
    )


def _makers(entries: tuple[LayerEntry, ...], problems: list[Problem]) -> dict[str, int]:
    """Which layer makes each output."""
    makers: dict[str, int] = {}
    for index, entry in enumerate(entries):
        for name in entry.outputs:
            if name == BIAS_INPUT:
                said = f"{BIAS_INPUT} is abacus's own column of ones; give the layer another name"
                problems.append(entry.problem(said, "name"))
                continue
            first = entries[makers.setdefault(name, index)]
            if first is not entry and (first.a_inputs or entry.a_inputs):
                said = f"the layer on line {first.source.line} gives {name!r} too; rename one"
                problems.append(entry.problem(said, "name"))
    return makers


def _names_fit(
    index: int,
    entry: LayerEntry,
    section: Section,
    makers: dict[str, int],
    problems: list[Problem],
) -> bool:
    before = len(problems)
    for name in dict.fromkeys(entry.a_inputs):
        if makers.get(name, -1) >= index:
            line = section.layers[makers[name]].source.line
            said = f"{name!r} is given by a layer that does not come earlier, on line {line}"
            problems.append(entry.problem(f"{said}; move that layer up", "a_input"))
        elif name in section.params and name not in makers:
            said = f"{name!r} is a parameter; parameters stand under b_input"
            problems.append(entry.problem(said, "a_input"))
    if entry.a_inputs.count(BIAS_INPUT) > 1:
        said = f"{BIAS_INPUT} stands here more than once, but a layer has one bias; leave one out"
        problems.append(entry.problem(said, "a_input"))
    for name, count in Counter(entry.b_inputs).items():
        if name not in section.params:
            meant = did_you_mean(name, section.params) if len(problems) < MOST_HINTS else ""
            said = f"there is no parameter {name!r}; parameters: {listed(section.params)}{meant}"
            problems.append(entry.problem(said, "b_input"))
        elif count > 1:
            said = f"{name!r} stands here {count} times; Paddle cannot tie rows of one parameter"
            problems.append(entry.problem(said, "b_input"))
    return len(problems) == before


def _columns_fit(entry: LayerEntry, params: tuple[Param, ...], problems: list[Problem]) -> bool:
    if len({param.coln for param in params}) == 1:
        return True
    found = listed([f"{param.name} {param.coln}" for param in params])
    problems.append(entry.problem(f"stacked parameters need one coln; found {found}", "b_input"))
    return False


def _widths(
    stacks: list[tuple[LayerEntry, tuple[Param, ...]]],
    section: Section,
    given: Mapping[str, int],
    problems: list[Problem],
) -> dict[str, int]:
    """Widths of inputs by name, as far as they follow from the stacks and from what is given."""
    made: dict[str, int] = {}
    for entry, params in stacks:
        for name in entry.outputs:
            made.setdefault(name, params[0].coln)
    read = {name for entry in section.layers for name in entry.a_inputs}
    outside = read - made.keys() - {BIAS_INPUT}
    option = setting("widths", "--width")
    sound: dict[str, int] = {}
    for name, width in given.items():
        if name not in outside:
            found = listed(sorted(outside)) or "none"
            said = f"{option}: no layer reads {name!r} from outside; inputs from outside: {found}"
            said += did_you_mean(name, outside)
            problems.append(Problem(said, section.source))
        elif isinstance(width, bool) or not isinstance(width, int) or width < 1:
            said = f"{option}: {name!r} must be an integer of at least 1, got {width!r}"
            problems.append(Problem(said, section.source))
        else:
            sound[name] = width
    equations = [
        Equation(entry.a_inputs, tuple(param.rown for param in params)) for entry, params in stacks
    ]
    return solve(equations, {**section.widths, **sound, **made, BIAS_INPUT: 1})


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
        said = f"the parameters stack to {rows} rows, over {INT_MAX}, the most of C++'s int"
        problems.append(entry.problem(said, "b_input"))
        return None
    unknown = list(dict.fromkeys(name for name in entry.a_inputs if name not in widths))
    if len(unknown) > 1:
        said = f"the widths of {listed(unknown)} do not follow from b_input's {rows} rows"
        told = setting(f"widths={{{unknown[0]!r}: ...}}", f"--width {shlex.quote(unknown[0])}=N")
        told += f", or vec_input: [{{name: {unknown[0]}, dim: ...}}]"
        meant = _meant_inputs(unknown, entry, outputs, problems)
        said += f"; give all but one: {told} in the conf{meant}"
        problems.append(entry.problem(said, "a_input"))
        return None
    columns = sum(widths.get(name, 0) for name in entry.a_inputs)
    if unknown or columns != rows:
        wide = [f"{name} {widths.get(name, 'unknown')}" for name in entry.a_inputs]
        tall = [f"{param.name} {param.rown}" for param in params]
        said = f"the columns of a_input ({listed(wide)}) do not add up to"
        outside = [name for name in dict.fromkeys(entry.a_inputs) if name not in outputs]
        meant = _meant_inputs(outside, entry, outputs, problems)
        said += f" the rows of b_input ({listed(tall)}){meant}"
        problems.append(entry.problem(said, "a_input"))
        return None
    offset, bias_row, inputs = 0, None, []
    for name in entry.a_inputs:
        if name == BIAS_INPUT:
            bias_row = offset
        else:
            inputs.append(Input(outputs.get(name, name), widths[name]))
        offset += widths[name]
    return FullyConnected(entry, params, tuple(inputs), bias_row)
