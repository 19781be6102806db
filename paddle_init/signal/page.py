"""A study's page: what is wrong, sizes layer by layer, where it goes wrong, what would help."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import groupby

from paddle_init.languages import LIST, Message, Sentence, joined, listed
from paddle_init.results.formats import Formats
from paddle_init.results.page import (
    HTML,
    MARKDOWN,
    TEXT,
    WORDS,
    Choice,
    Code,
    Column,
    Content,
    Entry,
    Figure,
    Figures,
    Mark,
    Page,
    Row,
    Section,
    Table,
    Value,
)
from paddle_init.signal.dense import Moments
from paddle_init.signal.measurement import MeasuredLayer
from paddle_init.signal.propagation import FLAT as FLAT_SLOPE
from paddle_init.signal.propagation import Signal
from paddle_init.signal.study import LayerStudy, Study
from paddle_init.signal.verdict import EXPLODING, SATURATING, VANISHING, Fix, Verdict

FINDINGS = {
    "vanishing signal": Sentence("vanishing signal", "信号消失"),
    "exploding signal": Sentence("exploding signal", "信号爆炸"),
    "vanishing gradient": Sentence("vanishing gradient", "梯度消失"),
    "exploding gradient": Sentence("exploding gradient", "梯度爆炸"),
    "saturating": Sentence("saturating", "饱和"),
}
NOTHING = Sentence("nothing is wrong", "没有问题")
FINE = Sentence("fine", "正常")
NOT_JUDGED = Sentence("not known whether anything is wrong", "无法判定是否有问题")
UNJUDGED = Sentence("not judged", "未判断")
ONE_LAYER = Sentence("{what.capital}: 1 layer.", "{what}：1 层。")
LAYERS = Sentence(
    "{what.capital}: {layers} layers. From layer to layer the signal's rms changes by a factor of "
    "{forward}, on the way back the gradient's norm by {backward}.",
    "{what}：{layers} 层。向前每过一层，信号的均方根变为 {forward} 倍；"
    "向后每过一层，梯度的范数变为 {backward} 倍。",
)
OVERFLOW = Sentence("overflow", "溢出")
NET = Sentence("net", "网络")
PREDICTED = Sentence("predicted", "预测")
MEASURED = Sentence("measured", "实测")
ON_PADDLE = Sentence("on Paddle, a batch of {batch}", "在 Paddle 上，一批 {batch} 行")
NOT_MEASURED = Sentence("no", "没有")
LAYERS_HEADING = Sentence("Layers", "各层")
LAYER = Sentence("layer", "层")
ACTIVATION = Sentence("activation", "激活函数")
FOUND = Sentence("found", "发现")
Y_MEAN = Sentence("y mean", "y 均值")
Y_RMS = Sentence("y rms", "y 均方根")
A_MEAN = Sentence("a mean", "a 均值")
A_RMS = Sentence("a rms", "a 均方根")
G_NORM = Sentence("g norm", "g 范数")
FLAT = Sentence("flat", "平缓")
MEANING = Sentence(
    "y is a layer's sum before its activation a, g the gradient with respect to y; rms is "
    "sqrt(E[x^2]) over samples and units, norm the root of the sum of E[g^2] over the units of a "
    "sample; flat is the share of units where the slope is below {flat} of the steepest, for "
    "S-shaped activations.",
    "y 是一层在激活函数 a 之前的和，g 是对 y 的梯度；均方根是对样本和单元取的 sqrt(E[x^2])，"
    "范数是一个样本各单元的 E[g^2] 之和的平方根；"
    "平缓指 S 形激活函数中斜率低于最大斜率 {flat} 的单元所占的比例。",
)
FORWARD = Sentence("forward: rms of y", "向前：y 的均方根")
BACKWARD = Sentence("backward: norm of g", "向后：g 的范数")
BAND = Sentence("predicted, ± 2 std over draws", "预测，各次抽取 ± 2 个标准差")
SIGNALS = Sentence("outputs y, measured", "输出 y，实测")
ACTIVATIONS = Sentence("activations, measured", "激活值，实测")
GRADIENTS = Sentence("gradients g, measured", "梯度 g，实测")
FINDINGS_HEADING = Sentence("Where, and what would help", "在哪里，怎样改进")
SPAN = Sentence("{first} to {last}", "{first} 至 {last}")
WHERE = Sentence("{places} ({limit})", "{places}（{limit}）")
RMS_BELOW = Sentence("rms below {limit} of {name}'s", "均方根低于 {name} 的 {limit}")
RMS_ABOVE = Sentence("rms above {limit} times {name}'s", "均方根高于 {name} 的 {limit} 倍")
NORM_BELOW = Sentence("norm below {limit} of {name}'s", "范数低于 {name} 的 {limit}")
NORM_ABOVE = Sentence("norm above {limit} times {name}'s", "范数高于 {name} 的 {limit} 倍")
ARE_FLAT = Sentence(
    "more than {percent} % of the units are flat", "超过 {percent} % 的单元处于平缓处"
)
BETTER = Sentence("better", "改进")
NONE_BETTER = Sentence(
    "none of the schemes that were tried leaves nothing wrong", "试过的方案都不能消除全部问题"
)
LEAVES_NOTHING = Sentence("{fix}, which leaves nothing wrong:", "{fix}，之后没有问题：")
RULE = Sentence("{names}: {rule}", "{names}：{rule}")
NOTE = Sentence("note", "注")

DOCUMENTS = MARKDOWN | HTML
COLUMNS = (
    Column(LAYER(), formats=TEXT),
    Column(LAYER(), formats=DOCUMENTS),
    Column(WORDS.SHAPE(), "shape", wide=True, formats=DOCUMENTS),
    Column(ACTIVATION(), wide=True, formats=DOCUMENTS),
    Column(FOUND(), "level-column", formats=DOCUMENTS),
    Column(Y_MEAN(), number=True, formats=TEXT | MARKDOWN),
    Column(Y_RMS(), number=True),
    Column(A_MEAN(), number=True, formats=TEXT | MARKDOWN),
    Column(A_RMS(), number=True, wide=True),
    Column(G_NORM(), number=True),
    Column(FLAT(), number=True, formats=TEXT),
    Column(FLAT(), number=True, wide=True, formats=DOCUMENTS),
)
NUMBERS = (Y_MEAN, Y_RMS, A_MEAN, A_RMS, G_NORM)


def page(study: Study, *, every: bool = False) -> Page:
    """Return what a study shows its readers; with `every`, figures too, as in HTML."""
    rows = [_row(study, layer, every) for layer in study.rows]
    table = Table(
        LAYERS_HEADING(),
        COLUMNS,
        rows,
        choices=list(_choices(study, rows)) if every else (),
        note=MEANING(flat=f"{FLAT_SLOPE:g}"),
        unbroken=True,
        style="study",
    )
    told = list(_told(study))
    return Page(
        "paddle-init propagate",
        answer(study),
        list(_facts(study)),
        [
            Figures(list(_sizes(study)) if every else ()),
            Section(told, style="told", formats=HTML),
            table,
            Section(told, formats=TEXT),
            Section(told, FINDINGS_HEADING(), formats=MARKDOWN),
        ],
    )


_FORMATS = Formats[Study](page)
as_text = _FORMATS.as_text
as_markdown = _FORMATS.as_markdown
as_html = _FORMATS.as_html


def answer(study: Study) -> Message:
    """Say in a sentence or two what is wrong, and how fast signal and gradient grow."""
    verdict = study.verdict
    what = _findings(verdict.findings) or (NOTHING() if verdict.judged else NOT_JUDGED())
    count = len(verdict.layers)
    if count == 1:
        return ONE_LAYER(what=what)
    forward, backward = _number(verdict.signal_growth), _number(verdict.gradient_growth)
    return LAYERS(what=what, layers=count, forward=forward, backward=backward)


def _findings(codes: Sequence[str]) -> Message | None:
    if not codes:
        return None
    told = joined(LIST, (FINDINGS[code]() for code in codes))
    assert isinstance(told, Message)
    return told


def _facts(study: Study) -> Iterator[Entry]:
    if study.origin:
        yield Entry(NET(), study.origin, formats=DOCUMENTS)
    measured = study.measured
    told = ON_PADDLE(batch=measured.batch) if measured else NOT_MEASURED()
    yield Entry(MEASURED(), told, formats=DOCUMENTS)


def _sizes(study: Study) -> Iterator[Figure]:
    """Yield how the signal goes forward and the gradient backward."""
    from paddle_init.results.plots import sizes

    signals = study.predicted.signals if study.predicted else ()
    real = study.measured.layers if study.measured else ()
    forward = sizes(
        [signal.pre_activation.rms for signal in signals],
        [_factor(signal.spread) for signal in signals],
        [layer.pre_activation.rms for layer in real],
    )
    backward = sizes(
        [signal.gradient_norm for signal in signals],
        [_factor(signal.gradient_spread) for signal in signals],
        [layer.gradient_norm for layer in real],
    )
    measured = MEASURED() if study.measured else ""
    for title, plot in ((FORWARD(), forward), (BACKWARD(), backward)):
        if plot:
            yield Figure(plot, BAND(), measured, title, "points")


def _factor(spread: float) -> float:
    """Return the factor of rms that two stds of log E[x^2] are."""
    return math.exp(min(spread, 50.0))


def _choices(study: Study, rows: Sequence[Row]) -> Iterator[Choice]:
    marks = [(_found(study, layer), layer.kind) for layer in study.rows]
    texts = {mark.code: mark.text for mark, _ in marks}
    counts = Counter(mark.code for mark, _ in marks)
    yield Choice("level", FOUND(), [Value(code, texts[code], n) for code, n in counts.items()])
    kinds = Counter(kind for _, kind in marks)
    yield Choice("activation", ACTIVATION(), [Value(kind, kind, n) for kind, n in kinds.items()])


def _found(study: Study, layer: LayerStudy) -> Mark:
    codes = layer.verdict.findings
    text = _findings(codes) or FINE() if study.verdict.judged else UNJUDGED()
    return Mark(text, "+".join(each.replace(" ", "-") for each in codes) or "fine")


def _row(study: Study, layer: LayerStudy, every: bool) -> Row:
    """Return what is predicted for a layer and, below it, what was measured."""
    shape, found = " x ".join(map(str, layer.shape)), _found(study, layer)
    share = layer.verdict.saturated
    flat = "-" if share is None else f"{100 * share:.0f} %"
    both = {PREDICTED(): layer.predicted, MEASURED(): layer.measured}
    numbers = {label: _numbers(sizes) for label, sizes in both.items() if sizes is not None}
    first, *further = numbers.values()
    cells: list[Content] = [f"{layer.name}  {shape}  {layer.kind}"]
    cells += [Code(layer.name), shape, Code(layer.kind), found, *first]
    measured = ("  ", MEASURED())
    row = Row(
        [*cells, flat if layer.predicted else "", flat],
        further=[[measured, "", "", "", MEASURED(), *each, "", ""] for each in further],
    )
    if not every:
        return row
    entries = [
        Entry(WORDS.SHAPE(), (shape, WORDS.COMMA(), layer.kind), "narrow"),
        Entry(FLAT(), flat, "narrow"),
        *(Entry(label, _listed(each)) for label, each in numbers.items()),
    ]
    sizes = layer.predicted or layer.measured
    assert sizes is not None
    output = sizes.output.rms if sizes.output else math.nan
    y, a, g = (
        size if math.isfinite(size) else None
        for size in (sizes.pre_activation.rms, output, sizes.gradient_norm)
    )
    codes = f"{len(layer.verdict.findings)} {found.code}"
    return replace(
        row,
        entries=entries,
        figures=list(_histograms(layer.measured)) if layer.measured else (),
        sort=[layer.name, math.prod(layer.shape), layer.kind, codes, y, a, g, share],
        choices={"level": found.code, "activation": layer.kind},
        search=[layer.name, shape, layer.kind],
    )


def _numbers(layer: Signal | MeasuredLayer) -> list[str]:
    """Return y mean, y rms, a mean, a rms and g norm."""
    found: list[str] = []
    for item in (layer.pre_activation, layer.output):
        found += ("-", "-") if item is None else (_number(_mean(item)), _number(item.rms))
    return [*found, "-" if math.isnan(layer.gradient.second) else _number(layer.gradient_norm)]


def _listed(numbers: Sequence[str]) -> tuple[str, ...]:
    parts = [(WORDS.COMMA(), head(), " ", n) for head, n in zip(NUMBERS, numbers, strict=True)]
    return tuple(each for part in parts for each in part)[1:]


def _histograms(measured: MeasuredLayer) -> Iterator[Figure]:
    from paddle_init.results.plots import densities

    what = "pre_activation" if measured.output is None else "output"
    labels = {
        what: SIGNALS() if measured.output is None else ACTIVATIONS(),
        "gradient": GRADIENTS(),
    }
    for key, label in labels.items():
        found = measured.histograms.get(key)
        if found and (plot := densities([("left", found.record)])):
            yield Figure(plot, label)


def _told(study: Study) -> Iterator[Entry]:
    """Yield each finding with its layers, what would be better, and notes."""
    yield from _found_where(study.verdict)
    if study.verdict.fix:
        yield from _better(study, study.verdict.fix)
    elif study.verdict.findings and study.layers:
        yield Entry(NOTE(), NONE_BETTER())
    for note in study.notes:
        yield Entry(NOTE(), note)


def _found_where(verdict: Verdict) -> Iterator[Entry]:
    """Yield each finding with the layers that have it and the threshold it passed."""
    names = [layer.name for layer in verdict.layers]
    below, above = f"{VANISHING:g}", f"{EXPLODING:g}"
    limits = {
        "vanishing signal": RMS_BELOW(limit=below, name=names[0]),
        "exploding signal": RMS_ABOVE(limit=above, name=names[0]),
        "vanishing gradient": NORM_BELOW(limit=below, name=names[-1]),
        "exploding gradient": NORM_ABOVE(limit=above, name=names[-1]),
        "saturating": ARE_FLAT(percent=f"{100 * SATURATING:g}"),
    }
    for finding in verdict.findings:
        has = [finding in layer.findings for layer in verdict.layers]
        runs = groupby(range(len(names)), has.__getitem__)
        places = [_span([names[index] for index in run]) for found, run in runs if found]
        where = WHERE(places=listed(places, len(places)), limit=limits[finding])
        yield Entry(FINDINGS[finding](), where)


def _span(names: Sequence[str]) -> str:
    return names[0] if len(names) == 1 else SPAN(first=names[0], last=names[-1])


def _better(study: Study, fix: Fix) -> Iterator[Entry]:
    """Yield which schemes would put it right, layers with one rule together."""
    yield Entry(BETTER(), LEAVES_NOTHING(fix=fix.name))
    chosen = zip(study.layers, fix.schemes, strict=True)
    for scheme, run in groupby(chosen, lambda pair: pair[1]):
        names = _span([layer.name for layer, _ in run])
        yield Entry("", RULE(names=names, rule=scheme.rule))


def _mean(found: Moments) -> float:
    """The mean, 0 where it is only what rounding left of it."""
    return 0.0 if abs(found.mean) < 1e-12 * found.rms else found.mean


def _number(value: float) -> str:
    if value == 0:
        return "0"
    if not math.isfinite(value):
        return "NaN" if math.isnan(value) else OVERFLOW()
    return f"{value:.4f}" if 1e-2 <= abs(value) < 1e3 else f"{value:.2e}"
