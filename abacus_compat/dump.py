"""Net specs back to confs, of which a real yaml-cpp computes the same scales, bit for bit."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import accumulate, count, zip_longest

import numpy as np

from abacus_compat.conf import INT_MAX
from abacus_compat.errors import ConfError, InexpressibleError
from abacus_compat.layers import Equation, solve
from abacus_compat.load import parse_conf
from paddle_init.distributions import Normal
from paddle_init.errors import SpecError
from paddle_init.schemes import Abacus, Arithmetic, constant, describe
from paddle_init.specs import BIAS_INPUT, Draw, Input, Layer, NetSpec, Tensor, plain_tensor
from paddle_init.specs.yaml_form import plain
from paddle_init.texts import number


def stacked_draws(weight: Tensor, bias: Tensor | None) -> tuple[str, ...]:
    """The draws that a layer stacks: its weight's, then a bias that is a draw of its own."""
    blocks = weight.blocks if bias is None else weight.blocks + bias.blocks
    return tuple(dict.fromkeys(block.draw for block in blocks))


def bias_row(spec: NetSpec, weight: Tensor, bias: Tensor) -> int:
    """The row of a layer's stacked draws that is its bias."""
    first = bias.blocks[0]
    row = first.start
    for name in stacked_draws(weight, bias):
        if name == first.draw:
            break
        row += spec.draw_by_name[name].shape[0]
    return row


def inferred_layers(spec: NetSpec) -> tuple[Layer, ...]:
    """Make every weight a linear layer of inputs from outside.

    A weight with two biases makes two layers, as does a bias with two weights.

    Raises
    ------
    InexpressibleError
        A bias belongs to no weight.
    """
    taken = {*spec.draw_by_name, *spec.tensor_by_name}
    input_name, layer_name = _free("input", taken), _free("layer", taken)
    layers = []
    for weight, bias in _pairs(spec):
        rows = weight.shape[0]
        before = rows if bias is None else min(bias_row(spec, weight, bias), rows)
        inputs = tuple(Input(input_name(), width) for width in (before, rows - before) if width)
        name = layer_name()
        layers.append(Layer(name, name, inputs, weight.name, bias.name if bias else None, "linear"))
    return tuple(layers)


def _pairs(spec: NetSpec) -> Iterator[tuple[Tensor, Tensor | None]]:
    biases: dict[str, list[str]] = {}
    for weight, bias in spec.pairs:
        biases.setdefault(weight, []).append(bias)
    for tensor in spec.tensors:
        if tensor.role == "bias" and tensor.name not in spec.weight_by_bias:
            message = f"bias {tensor.name}: a layer has a bias beside a weight, and none is known"
            raise InexpressibleError(f"{message}; say it by bias_of", tensor.source)
        if tensor.role == "weight":
            for bias in biases.get(tensor.name, ()):
                yield tensor, spec.tensor_by_name[bias]
            if tensor.name not in biases:
                yield tensor, None


def _free(stem: str, taken: set[str]) -> Callable[[], str]:
    names = (f"{stem}_{number}" for number in count(1))
    return lambda: next(name for name in names if name not in taken)


def dump_conf(spec: NetSpec) -> str:
    """Return a conf that abacus reads to the same draws, in the same order.

    Parameters
    ----------
    spec : NetSpec
        Of framework "abacus". One without layers gets the plainest that give its tensors.

    Returns
    -------
    str
        `load_conf` of it, with the spec's own arithmetic and storage order, is equal to a spec
        that came from a conf. Comments, layers of other classes and keys that play no part in
        initialization are not kept; neither is the stream, for which a conf has no place.

    Raises
    ------
    InexpressibleError
        abacus has no conf for it: a draw that is no normal of mean 0 (but for the ones of the
        flat form), a scale beyond the arithmetic's floats, a dtype other than float32, tensors
        that no layer gives.
    """
    _refuse_foreign(spec)
    lines = _flat(spec) if _is_flat(spec) else _section(spec)
    text = "\n".join(lines) + "\n"
    _check_reads_back(text, spec)
    return text


def _refuse_foreign(spec: NetSpec) -> None:
    if spec.framework != "abacus":
        raise InexpressibleError(f"a conf is abacus's; this spec's framework is {spec.framework}")
    for draw in spec.draws:
        if len(draw.shape) != 2 or min(draw.shape) < 1 or draw.shape[0] * draw.shape[1] > INT_MAX:
            message = f"abacus draws [rown, coln], each at least 1, their product at most {INT_MAX}"
            raise InexpressibleError(
                f"draw {draw.name}: {message}; found {list(draw.shape)}", draw.source
            )
        try:
            spec.drawn(draw.name)
        except SpecError as error:
            raise InexpressibleError(error.message, error.source) from None
    for tensor in spec.tensors:
        if tensor.dtype != "float32":
            message = f"tensor {tensor.name}: abacus's weights are float32, found {tensor.dtype}"
            raise InexpressibleError(message, tensor.source)


def _is_flat(spec: NetSpec) -> bool:
    schemes = {draw.name: draw.scheme for draw in spec.draws}
    weight, bias = schemes.get("weight"), schemes.get("bias")
    return len(schemes) == 2 and isinstance(weight, Abacus) and bias == constant(1.0)


def _flat(spec: NetSpec) -> Iterator[str]:
    factor, (values,) = _values(spec, (spec.draw_by_name["weight"],))
    yield factor
    yield from values


def _section(spec: NetSpec) -> Iterator[str]:
    layers = spec.layers
    if spec.skipped_layers:
        yield f"# Not kept: the layers {', '.join(map(plain, spec.skipped_layers))}."
    stated = any(tensor.role != "other" for tensor in spec.tensors)
    if not layers and stated and spec.tensors != tuple(map(plain_tensor, spec.draws)):
        layers = inferred_layers(spec)
        yield "# The spec names no layers: those below give its tensors."
        yield "# Their inputs and activations are placeholders."
    factor, values = _values(spec, spec.draws)
    yield factor
    yield "param:"
    for draw, lines in zip(spec.draws, values, strict=True):
        yield f"  - name: {plain(draw.name)}"
        yield from (f"    {line}" for line in lines)
    if layers:
        yield from _layers(spec, layers)
    elif not stated:
        yield "layer: []"


def _values(spec: NetSpec, draws: tuple[Draw, ...]) -> tuple[str, list[list[str]]]:
    """The line of the common factor, and each draw's lines.

    Where the draws have no common factor it is 1, which leaves every product as it is.
    """
    known = [draw.scheme for draw in draws if isinstance(draw.scheme, Abacus)]
    factors = {scheme.global_init_range.hex(): scheme.global_init_range for scheme in known}
    if len(known) == len(draws) and len(factors) == 1:
        (factor,) = factors.values()
        rules = [(scheme.init_range, scheme.scale_by_rown) for scheme in known]
    else:
        factor, rules = 1.0, [_rule(spec, draw) for draw in draws]

    def text(value: float) -> str:
        return number(_narrowed(value, spec.arithmetic))

    return f"global_init_range: {text(factor)}", [
        [
            f"rown: {draw.shape[0]}",
            f"coln: {draw.shape[1]}",
            f"init_range: {text(value)}",
            f"scale_by_rown: {str(flag).lower()}",
        ]
        for draw, (value, flag) in zip(draws, rules, strict=True)
    ]


def _narrowed(value: float, arithmetic: Arithmetic) -> float:
    """The number that a reader of this arithmetic makes of it."""
    with np.errstate(over="ignore"):
        return float(np.float32(value)) if arithmetic == "float32" else value


def _rule(spec: NetSpec, draw: Draw) -> tuple[float, bool]:
    if isinstance(draw.scheme, Abacus):
        product = Abacus(draw.scheme.init_range, draw.scheme.global_init_range, False)
        return product.scale(1, spec.arithmetic), draw.scheme.scale_by_rown
    drawn = spec.drawn(draw.name)
    if not isinstance(drawn, Normal) or drawn.mean != 0:
        message = f"draw {draw.name}: abacus draws normals of mean 0, found {describe(drawn)}"
        raise InexpressibleError(message, draw.source)
    if _narrowed(drawn.std, spec.arithmetic) != drawn.std:
        raise _no_such_number(spec, draw)
    return drawn.std, False


def _no_such_number(spec: NetSpec, draw: Draw) -> InexpressibleError:
    message = f"draw {draw.name}: {describe(spec.drawn(draw.name))} is no {spec.arithmetic}"
    return InexpressibleError(message, draw.source)


def _layers(spec: NetSpec, layers: tuple[Layer, ...]) -> Iterator[str]:
    stacks = [_stack(spec, layer) for layer in layers]
    if widths := _undetermined(spec, layers, stacks):
        yield "vec_input:"
        yield from (f"  - {{name: {plain(name)}, dim: {dim}}}" for name, dim in widths.items())
    yield "layer:"
    for layer, (a_inputs, b_inputs) in zip(layers, stacks, strict=True):
        name = plain(layer.name)
        yield f"  - name: {name}"
        yield f"    tag: {name}"
        yield "    class: NeuralLayer"
        if layer.output != layer.name:
            yield f"    output: {plain(layer.output)}"
        yield f"    a_input: [{', '.join(map(plain, a_inputs))}]"
        yield f"    b_input: [{', '.join(map(plain, b_inputs))}]"
        yield f"    act_func: {plain(layer.activation)}"


def _stack(spec: NetSpec, layer: Layer) -> tuple[list[str], tuple[str, ...]]:
    """A layer's a_input and b_input, with bias_input where its bias row stands."""
    weight = spec.tensor_by_name[layer.weight]
    bias = None if layer.bias is None else spec.tensor_by_name[layer.bias]
    a_inputs = [item.name for item in layer.inputs]
    if bias is not None:
        edges = [0, *accumulate(item.width for item in layer.inputs)]
        row = bias_row(spec, weight, bias)
        if row not in edges:
            message = f"layer {layer.name}: the bias row {row} stands inside an input"
            raise InexpressibleError(message, layer.source)
        a_inputs.insert(edges.index(row), BIAS_INPUT)
    return a_inputs, stacked_draws(weight, bias)


def _undetermined(
    spec: NetSpec, layers: tuple[Layer, ...], stacks: list[tuple[list[str], tuple[str, ...]]]
) -> dict[str, int]:
    """Widths of inputs from outside that a reader could not solve for."""
    made = {layer.output: spec.tensor_by_name[layer.weight].shape[1] for layer in layers}
    equations = [
        Equation(tuple(a_inputs), tuple(spec.draw_by_name[name].shape[0] for name in b_inputs))
        for a_inputs, b_inputs in stacks
    ]
    solved = solve(equations, {BIAS_INPUT: 1, **made})
    return {
        item.name: item.width
        for layer in layers
        for item in layer.inputs
        if solved.get(item.name) != item.width
    }


def _check_reads_back(text: str, spec: NetSpec) -> None:
    try:
        read = parse_conf(
            text, "conf", arithmetic=spec.arithmetic, storage_order=spec.storage_order
        )
    except ConfError as error:
        message = "; ".join(problem.message for problem in error.problems)
        raise InexpressibleError(f"no layers of abacus give these tensors: {message}") from None
    for draw in spec.draws:
        if read.drawn(draw.name) != spec.drawn(draw.name):
            raise _no_such_number(spec, draw)
    for given, wanted in zip_longest(read.tensors, spec.tensors):
        if given != wanted:
            message = "a conf gives its tensors layer by layer, a weight and then its bias"
            raise InexpressibleError(
                f"{message}; in this place it gives {_shown(given)}, not {_shown(wanted)}",
                wanted.source if wanted else None,
            )


def _shown(tensor: Tensor | None) -> str:
    if tensor is None:
        return "nothing"
    rows = " + ".join(f"{block.draw}[{block.start}:{block.stop}]" for block in tensor.blocks)
    what = "parameter" if tensor.role == "other" else tensor.role
    return f"the {what} {tensor.name} {list(tensor.shape)} = {rows}"
