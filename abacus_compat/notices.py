"""What a reader of a translated conf should know, in plain words and under stable codes."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass

from abacus_compat.conf import FULLY_CONNECTED, LayerEntry, Section
from abacus_compat.errors import listed
from abacus_compat.layers import FullyConnected, LayerTensors
from paddle_init.activations.builtin import ActivationError
from paddle_init.activations.notation import ACTIVATION_NAMES, activation
from paddle_init.errors import Notice, Source
from paddle_init.languages import Sentence
from paddle_init.schemes import Abacus, Arithmetic
from paddle_init.schemes.towers import DOCUMENT
from paddle_init.specs import BIAS_INPUT, Draw, Tensor
from paddle_init.specs.notices import BIAS_ROW, BiasRow, number_findings, summarized
from paddle_init.texts import nearest, number, slip

FLAT_BIAS = Sentence(
    "this form says nothing of a bias: it is taken as the constant 1, as the document "
    "{document} has it. That document saw bias_input filled with ones; in a conf "
    "with layers those are a column of the input, and the bias is the parameter that "
    "meets it, drawn with std init_range * global_init_range",
    "这种形式没有写偏置：按文档《{document}》，取为常数 1。"
    "那份文档看到的是填满 1 的 bias_input；"
    "在带 layer 的配置里，那些 1 是输入的一列，与它相乘的参数才是偏置，"
    "以标准差 init_range * global_init_range 抽取",
)
SKIPPED_KEYS = Sentence(
    "passed over, as they play no part in initialization: {keys}", "与初始化无关，已略过：{keys}"
)
ROLES_UNKNOWN = Sentence(
    "the conf names no layers, so nothing says which parameter is a bias; "
    "the towers divide a bias by sqrt(fan_in) of its layer",
    "配置没有写层，所以无法判定哪个参数是偏置；组网时偏置要除以它所在层的 sqrt(fan_in)",
)
ROLES_UNKNOWN_OF = Sentence(
    "the conf names no layers, so nothing says which parameter is a bias: "
    "{names} with rown = 1 may be one; the towers divide a bias by sqrt(fan_in) of its layer",
    "配置没有写层，所以无法判定哪个参数是偏置：rown = 1 的 {names} 可能是；"
    "组网时偏置要除以它所在层的 sqrt(fan_in)",
)
SCALE = Sentence(
    "init_range * global_init_range comes to a scale of {scale}",
    "init_range * global_init_range 得到的 scale 是 {scale}",
)
ZERO_SCALE = Sentence("{scale}: {what} starts at 0", "{scale}：{what}从 0 开始")
EVERY_ELEMENT = Sentence("every element", "每个元素都")
STARTS = {
    frozenset(("weight",)): Sentence("every weight", "每个权重都"),
    frozenset(("bias",)): Sentence("the bias", "偏置"),
    frozenset(("weight", "bias")): Sentence(
        "every weight, and the bias in it,", "每个权重和其中的偏置都"
    ),
}
"""What a scale of 0 is told of, by the roles that a draw has."""
NUMBERS = {
    "underflow": Sentence(
        "{scale}, below the smallest {dtype}, {smallest}: every element rounds to 0 "
        "or to a few multiples of that",
        "{scale}，小于最小的 {dtype} 数 {smallest}：每个元素舍入为 0 或该数的几倍",
    ),
    "overflow": Sentence(
        "{scale}: {share} of the elements overflow {dtype} to inf",
        "{scale}：{share} 的元素溢出 {dtype}，成为 inf",
    ),
    "overflow-in-float32": Sentence(
        "{scale}: {share} of the elements overflow {dtype} to inf; Paddle has no such std",
        "{scale}：{share} 的元素溢出 {dtype}，成为 inf；Paddle 没有这样的标准差",
    ),
}
NO_BIAS = Sentence(
    "layer {layer} has no bias_input, so it has no bias: bias_attr=False in Paddle",
    "层 {layer} 没有 bias_input，所以没有偏置：在 Paddle 里写 bias_attr=False",
)
BIAS_ROW_ALONE = Sentence(
    "one of the {rown} rows of {name} is the bias of layer {layer}; "
    "abacus's rown counts it, Paddle's fan_in does not",
    "{name} 的 {rown} 行中有一行是层 {layer} 的偏置；"
    "abacus 的 rown 把它算在内，Paddle 的 fan_in 不算",
)
BIAS_ROW_OF = Sentence("{name} (rown {rown}, layer {layer})", "{name}（rown {rown}，层 {layer}）")
BIAS_ROWS = Sentence(
    "one row of each of these is a bias; abacus's rown counts it, Paddle's fan_in does not: {rows}",
    "以下参数各有一行是偏置，abacus 的 rown 把它算在内，Paddle 的 fan_in 不算：{rows}",
)
SKIPPED_LAYER = Sentence("{name} ({kind}, line {line})", "{name}（{kind}，第 {line} 行）")
SKIPPED_LAYERS = Sentence(
    "passed over, as they are no fully connected layers with a weight: {layers}; "
    "what they draw is kept, parameter by parameter",
    "不是带权重的全连接层，已略过：{layers}；它们抽取的参数逐个保留",
)
SHARED_PARAMETER = Sentence(
    "{name} is used by the layers {layers}: give them one Paddle parameter",
    "{name} 被这些层共用：{layers}；请给它们同一个 Paddle 参数",
)
UNUSED_PARAMETER = Sentence(
    "no layer uses {name}; abacus draws it all the same", "没有层使用 {name}；abacus 照样会抽取它"
)
MISSPELLED_KEY = Sentence(
    "{key} is not known and is passed over; did you mean {meant}?",
    "{key} 不是已知的键，已略过；是否应为 {meant}？",
)
MISSPELLED_CLASS = Sentence(
    "layer {layer}: the class {name} is not known and the layer is passed over; "
    "did you mean {meant}?",
    "层 {layer}：类 {name} 未知，该层已略过；是否应为 {meant}？",
)
MISSPELLED_ACTIVATION = Sentence(
    "layer {layer}: the activation {name} is not known; did you mean {meant}?",
    "层 {layer}：激活函数 {name} 未知；是否应为 {meant}？",
)
MISSPELLED_BIAS = Sentence(
    "layer {layer} reads {name}, which is taken as an input of width 1 from outside, and so the "
    "layer has no bias there; did you mean {meant}?",
    "层 {layer} 读取的 {name} 被当作宽度为 1 的外部输入，因此这里没有偏置；是否应为 {meant}？",
)
MISSPELLED_UNUSED = Sentence(
    "layer {layer} reads {name}, which is taken as an input from outside, while no layer reads "
    "{meant}{where}; did you mean {meant}?",
    "层 {layer} 读取的 {name} 被当作外部输入，而{where} {meant} 没有任何层读取；是否应为 {meant}？",
)
MISSPELLED_INPUT = Sentence(
    "layer {layer} reads {name}, which is taken as an input from outside; "
    "did you mean {meant}{where}?",
    "层 {layer} 读取的 {name} 被当作外部输入；是否应为{where} {meant}？",
)
ON_LINE = Sentence(" (line {line})", "第 {line} 行的")
DECLARED = Sentence(" of vec_input", " vec_input 里的")
UNUSED_OUTPUT = Sentence(
    "no layer reads {name}, the output of layer {layer}, and it is not the last layer: "
    "either an input's name is misspelled or this is a further output of the net",
    "没有层读取 {layer} 层的输出 {name}，而它不是最后一层：可能是某个输入的名字写错，"
    "也可能这是网络的另一个输出",
)
UNUSED_OUTPUT_NEAR = Sentence(
    "no layer reads {name}, the output of layer {layer}, and it is not the last layer; "
    "a later layer reads {near}: did you mean {name} there?",
    "没有层读取 {layer} 层的输出 {name}，而它不是最后一层；后面有层读取 {near}："
    "那里是否应为 {name}？",
)


# Of more pairs of names than this it is not asked whether one is meant for the other.
MOST_PAIRS = 20_000


@dataclass(frozen=True, slots=True)
class _Output:
    """What a later layer can read, and whether any does.

    `position` is that of its layer among all, -1 for an input that the conf declares; `width` is
    None for layers of other classes; `end` says that the net may well end there.
    """

    names: tuple[str, ...]
    position: int
    width: int | None
    line: int | None
    used: bool
    end: bool


@dataclass(frozen=True, slots=True)
class _Read:
    """A name that a layer reads and nothing declares: `width` is None for other classes."""

    name: str
    layer: str
    position: int
    width: int | None
    source: Source


def misspellings(section: Section, layers: Iterable[FullyConnected]) -> Iterator[Notice]:
    """Yield a warning for every name in a section that is likely to be misspelled.

    Codes: ``misspelled-input``, ``unused-output``, ``misspelled-class``,
    ``misspelled-activation``, ``misspelled-key``.
    """
    layers = tuple(layers)
    for key, meant, source in section.misspelled_keys:
        yield Notice("misspelled-key", MISSPELLED_KEY(key=key, meant=meant), source=source)
    for entry in section.layers:
        yield from _of_words(entry)
    reads = list(_unknown_reads(section, layers))
    outputs = list(_outputs(section, layers))
    meant_for = outputs if len(reads) * len(outputs) <= MOST_PAIRS else []
    explained: set[str] = set()
    for read in reads:
        if read.width is None:
            continue
        if read.width == 1 and (
            slip(read.name, BIAS_INPUT) or nearest(read.name, (BIAS_INPUT,), 0.85)
        ):
            message = MISSPELLED_BIAS(layer=read.layer, name=read.name, meant=BIAS_INPUT)
            yield Notice("misspelled-input", message, source=read.source)
        elif (output := _meant(read, meant_for)) is not None:
            explained.update(output.names)
            meant = output.names[-1]
            where = ON_LINE(line=output.line) if output.line else DECLARED()
            sentence = MISSPELLED_INPUT if output.used else MISSPELLED_UNUSED
            message = sentence(layer=read.layer, name=read.name, meant=meant, where=where)
            yield Notice("misspelled-input", message, source=read.source)
    for output in outputs:
        if not (output.used or output.end or output.position < 0 or explained & {*output.names}):
            yield _unused(output, section.layers[output.position], reads if meant_for else ())


def _of_words(entry: LayerEntry) -> Iterator[Notice]:
    kinds = (FULLY_CONNECTED,)
    if entry.kind != FULLY_CONNECTED and (meant := nearest(entry.kind, kinds, 0.85)):
        message = MISSPELLED_CLASS(layer=entry.name, name=entry.kind, meant=meant)
        yield Notice("misspelled-class", message, source=entry.node.source("class"))
    name = entry.activation
    if name and not _is_known(name) and (near := nearest(name, ACTIVATION_NAMES, 0.75)):
        message = MISSPELLED_ACTIVATION(layer=entry.name, name=name, meant=near)
        yield Notice("misspelled-activation", message, source=entry.node.source("act_func"))


def _is_known(name: str) -> bool:
    if name in ACTIVATION_NAMES:
        return True
    try:
        activation(name)
    except ActivationError:
        return False
    return True


def _unknown_reads(section: Section, layers: Iterable[FullyConnected]) -> Iterator[_Read]:
    made = {name for entry in section.layers for name in entry.outputs}
    known = made | section.widths.keys() | section.params.keys() | {BIAS_INPUT}
    widths = {
        (layer.entry.source, name): width
        for layer in layers
        for name, width in zip(
            (name for name in layer.entry.a_inputs if name != BIAS_INPUT),
            (given.width for given in layer.inputs),
            strict=True,
        )
    }
    for position, entry in enumerate(section.layers):
        names: Collection[str] = entry.a_inputs or entry.mentions
        for name in dict.fromkeys(names):
            if name not in known:
                width = widths.get((entry.source, name))
                source = entry.node.source("a_input")
                yield _Read(name, entry.name, position, width, source)


def _outputs(section: Section, layers: Iterable[FullyConnected]) -> Iterator[_Output]:
    used = {name for entry in section.layers for name in (*entry.a_inputs, *entry.mentions)}
    used |= section.mentions
    for name, width in section.widths.items():
        yield _Output((name,), -1, width, None, name in used, False)
    for at, entry in enumerate(section.layers):
        if entry.kind != FULLY_CONNECTED and entry.outputs:
            yield _Output(entry.outputs, at, None, entry.source.line, True, True)
    position_by_source = {entry.source: at for at, entry in enumerate(section.layers)}
    layers = sorted(layers, key=lambda layer: position_by_source[layer.entry.source])
    inner = {layer.entry.activation for layer in layers if not used.isdisjoint(layer.entry.outputs)}
    for layer in layers:
        entry, width = layer.entry, layer.params[0].coln
        last = entry is layers[-1].entry
        end = last or width in (1, layers[-1].params[0].coln) or entry.activation not in inner
        at = position_by_source[entry.source]
        names = entry.outputs
        yield _Output(names, at, width, entry.source.line, not used.isdisjoint(names), end)


def _meant(read: _Read, outputs: Iterable[_Output]) -> _Output | None:
    """Return the earlier output that a read of an unknown name is likely meant for."""
    earlier = [output for output in outputs if output.position < read.position]
    for output in earlier:
        fits = output.width in (None, read.width)
        if fits and any(slip(read.name, name) for name in output.names):
            return output
    unused = [output for output in earlier if not output.used]
    inner = {
        name: output
        for output in unused
        if not output.end and output.position >= 0
        for name in output.names
    }
    as_wide = {
        name: output for output in unused if output.width == read.width for name in output.names
    }
    for names, cutoff in ((inner, 0.6), (as_wide, 0.75)):
        if near := nearest(read.name, names, cutoff):
            return names[near]
    return None


def _unused(output: _Output, entry: LayerEntry, reads: Iterable[_Read]) -> Notice:
    later = [read.name for read in reads if read.position > output.position]
    near = [name for own in output.names if (name := nearest(own, later, 0.75))]
    name = output.names[-1]
    if near:
        message = UNUSED_OUTPUT_NEAR(layer=entry.name, name=name, near=near[0])
    else:
        message = UNUSED_OUTPUT(layer=entry.name, name=name)
    return Notice("unused-output", message, source=entry.source)


def notices_of(
    section: Section,
    draws: Iterable[Draw],
    arithmetic: Arithmetic,
    tensors: Iterable[Tensor],
    items: Iterable[LayerTensors],
    skipped: Collection[LayerEntry],
    readers: Mapping[str, Collection[str]],
    layers: Iterable[FullyConnected],
) -> tuple[Notice, ...]:
    """Everything worth telling of a section, in line order.

    Parameters
    ----------
    section : Section
    draws, arithmetic
        What the section draws, and how its scales are computed.
    tensors
        What holds the draws.
    items, skipped
        The layers that were translated, and the others.
    readers : mapping of str to collection of str
        The translated layers that use each parameter.
    layers : iterable of FullyConnected
    """
    found = [
        *_of_keys(section),
        *_of_draws(draws, arithmetic, _roles(tensors) if section.layered or section.flat else {}),
        *_of_layers(items, skipped),
        *misspellings(section, layers),
        *(_of_parameters(section, skipped, readers) if section.layered else _of_roles(section)),
    ]
    return tuple(sorted(found, key=lambda notice: notice.source.line if notice.source else 0))


def _of_keys(section: Section) -> Iterator[Notice]:
    if section.flat:
        yield Notice("bias-reading", FLAT_BIAS(document=DOCUMENT), "bias", section.source)
    if section.other_keys:
        message = SKIPPED_KEYS(keys=listed(section.other_keys))
        yield Notice("skipped-keys", message, source=section.source)


def _roles(tensors: Iterable[Tensor]) -> dict[str, set[str]]:
    """What each draw is for."""
    roles: dict[str, set[str]] = {}
    for tensor in tensors:
        for block in tensor.blocks:
            roles.setdefault(block.draw, set()).add(tensor.role)
    return roles


def _of_roles(section: Section) -> Iterator[Notice]:
    if section.flat:
        return
    params = [param for param in section.params.values() if param is not None]
    rows = listed([param.name for param in params if param.rown == 1])
    message = ROLES_UNKNOWN_OF(names=rows) if rows else ROLES_UNKNOWN()
    yield Notice("roles-unknown", message, source=section.source, about="roles")


def _of_draws(
    draws: Iterable[Draw], arithmetic: Arithmetic, roles: Mapping[str, set[str]]
) -> Iterator[Notice]:
    for draw in draws:
        scheme = draw.scheme
        if not isinstance(scheme, Abacus):
            continue
        drawn = scheme(draw.shape, arithmetic)
        scale = SCALE(scale=number(abs(drawn.std)))
        for code, case, values in number_findings(drawn, ("float32",), scales_beyond=True):
            if case == "zero":
                what = STARTS.get(frozenset(roles.get(draw.name, ())), EVERY_ELEMENT)
                message = ZERO_SCALE(scale=scale, what=what())
                yield Notice(code, message, draw.name, draw.source, "net")
            else:
                message = NUMBERS[case](scale=scale, **values)
                yield Notice(code, message, draw.name, draw.source)


def _of_layers(items: Iterable[LayerTensors], skipped: Collection[LayerEntry]) -> Iterator[Notice]:
    for item in items:
        entry = item.layer.entry
        if item.bias is None:
            message = NO_BIAS(layer=entry.name)
            yield Notice("no-bias", message, item.weight.name, entry.source)
    if rows := [row for item in items for row in _bias_rows(item)]:
        yield summarized(rows, BIAS_ROWS(rows=listed([row.short for row in rows])))
    if skipped:
        layers = [
            SKIPPED_LAYER(name=entry.name, kind=entry.kind, line=entry.source.line)
            for entry in skipped
        ]
        message = SKIPPED_LAYERS(layers=listed(layers))
        yield Notice("skipped-layers", message, source=next(iter(skipped)).source, about="net")


def _bias_rows(item: LayerTensors) -> Iterator[BiasRow]:
    param, layer = item.folded, item.layer.entry.name
    if param is not None:
        told = {"name": param.name, "rown": param.rown, "layer": layer}
        notice = Notice(BIAS_ROW, BIAS_ROW_ALONE(**told), param.name, param.source)
        yield BiasRow(BIAS_ROW_OF(**told), notice)


def _of_parameters(
    section: Section, skipped: Iterable[LayerEntry], readers: Mapping[str, Collection[str]]
) -> Iterator[Notice]:
    elsewhere = {name for entry in skipped for name in (*entry.mentions, *entry.b_inputs)}
    for param in section.params.values():
        if param is None:
            continue
        layers = readers.get(param.name, ())
        if len(layers) > 1:
            message = SHARED_PARAMETER(name=param.name, layers=listed(layers))
            yield Notice("shared-parameter", message, param.name, param.source)
        if not layers and param.name not in elsewhere:
            message = UNUSED_PARAMETER(name=param.name)
            yield Notice("unused-parameter", message, param.name, param.source)
