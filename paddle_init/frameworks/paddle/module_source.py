"""Names and texts of a conf as Python source: nothing in a conf can become code."""

from __future__ import annotations

import keyword
import textwrap
import unicodedata
import warnings
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, fields
from itertools import groupby

from paddle_init.distributions import (
    Blocks,
    Distribution,
    Given,
    Normal,
    Simple,
    TruncatedNormal,
    Uniform,
    narrowed,
)
from paddle_init.errors import SchemeError, SpecError
from paddle_init.frameworks.paddle.facts import installed_version
from paddle_init.frameworks.paddle.nets.attrs import check_drawable
from paddle_init.frameworks.sentences import other_cut
from paddle_init.languages import translatable
from paddle_init.specs import Draw, NetSpec, Tensor
from paddle_init.texts import inert, number

WIDTH = 88


def escaped(text: str) -> str:
    """Return printable text that is safe between double quotes, in a docstring, in a comment."""
    return "".join(map(_escaped, text)).replace("##[", "##\\x5b")


def _escaped(char: str) -> str:
    if char in '"\\':
        return f"\\{char}"
    return char if char.isprintable() else char.encode("unicode_escape").decode("ascii")


def literal(text: str) -> str:
    """Return the string literal of a text."""
    return f'"{escaped(text)}"'


def paragraph(text: str, first: str = "", rest: str | None = None) -> list[str]:
    """Return escaped text in lines that fit, after `first` and then `rest` (`first` again)."""
    lines = textwrap.wrap(
        escaped(text),
        WIDTH,
        initial_indent=first,
        subsequent_indent=first if rest is None else rest,
        break_long_words=False,
        break_on_hyphens=False,
    )
    return list(map(inert, lines))


def docstring(text: str, indent: str = "") -> list[str]:
    """Return a text as a docstring."""
    lines = paragraph(text, f'{indent}"""', indent)
    if len(lines) == 1 and len(lines[0]) + 3 <= WIDTH:
        return [lines[0] + '"""']
    return [*lines, f'{indent}"""']


def call(head: str, arguments: Sequence[str], tail: str = ")", indent: str = "") -> list[str]:
    """Return ``head + arguments + tail`` on one line, else laid out as ruff format would."""
    line = f"{indent}{head}{', '.join(arguments)}{tail}"
    if len(line) <= WIDTH:
        return [line]
    inner = f"{indent}    {', '.join(arguments)}"
    body = [inner] if len(inner) <= WIDTH else [f"{indent}    {item}," for item in arguments]
    return [f"{indent}{head}", *body, f"{indent}{tail}"]


class Identifiers:
    """Gives names of any text an identifier: valid, no keyword, no two alike.

    Parameters
    ----------
    taken : iterable of str
        Identifiers that mean something else already.
    prefix : str
        Put before a name that is no identifier.
    """

    def __init__(self, taken: Iterable[str] = (), prefix: str = "p_") -> None:
        self._taken = set(taken)
        self._prefix = prefix
        self._count: dict[str, int] = {}

    def new(self, name: str) -> str:
        """Return a new identifier that reads like `name`."""
        # Python compares identifiers in NFKC: names that differ may meet there
        chars = unicodedata.normalize("NFKC", name)
        word = "".join(char if f"a{char}".isidentifier() else "_" for char in chars).lstrip("_")
        if not word.isidentifier() or keyword.iskeyword(word):
            word = f"{self._prefix}{word}"
        found, count = word, self._count.get(word, 1)
        while found in self._taken:
            count += 1
            found = f"{word}_{count}"
        self._count[word] = count
        self._taken.add(found)
        return found


TRUNCATED = "truncated_normal"


@dataclass(frozen=True)
class Initializer:
    """An initializer as it is called in the module: a class of Paddle's, or `truncated_normal`."""

    kind: str
    arguments: tuple[str, ...]

    def __str__(self) -> str:
        return f"{self.kind}({', '.join(self.arguments)})"


def check_tensors(spec: NetSpec) -> None:
    """Refuse what Paddle cannot draw.

    Raises
    ------
    SpecError
        A tensor's numbers do not survive in its dtype, its initializer is unknown, or it holds
        values that are given or set after the draw.
    """
    for tensor in spec.tensors:
        distribution = spec.distribution(tensor)
        given = any(isinstance(spec.drawn(block.draw), Given) for block in tensor.blocks)
        if given or tensor.overwritten:
            what = "given values" if given else "elements that are set after the draw"
            raise SpecError(
                f"tensor {tensor.name}: {what} are not written into a module; sample the spec and "
                "load the file instead",
                tensor.source,
            )
        try:
            check_drawable(distribution, tensor.dtype)
        except SchemeError as error:
            raise SpecError(f"tensor {tensor.name}: {error}", tensor.source) from None


def row_blocks(spec: NetSpec, tensor: Tensor) -> list[tuple[int, str]]:
    """Return (rows, draw) from the first row down; neighbours drawn alike are one block."""
    groups = groupby(tensor.blocks, lambda block: spec.drawn(block.draw))
    blocks = [list(group) for _, group in groups]
    return [(sum(block.rows for block in group), group[0].draw) for group in blocks]


def constants(spec: NetSpec, draws: list[str]) -> tuple[list[str], dict[str, Initializer]]:
    """Return the lines that name the numbers, and the initializer of each draw."""
    identifiers = Identifiers()
    lines: list[str] = []
    initializers = {}
    for name in draws:
        draw, drawn = spec.draw_by_name[name], spec.drawn(name)
        formula = draw.scheme.formula(draw.shape, spec.arithmetic)
        assignments, arguments = [], []
        for field in fields(drawn):
            value = getattr(drawn, field.name)
            text = repr(value)
            if field.name != "mean":
                constant = identifiers.new(f"{name}_{field.name}".upper())
                assignments.append(f"{constant} = {text}")
                formula, text = formula.removesuffix(f" = {number(value)}"), constant
            arguments.append(text)
        lines += ["", *paragraph(_where(spec, draw), "# "), *paragraph(formula, "# "), *assignments]
        kind = TRUNCATED if isinstance(drawn, TruncatedNormal) else type(drawn).__name__
        initializers[name] = Initializer(kind, tuple(arguments))
    return lines, initializers


def _where(spec: NetSpec, draw: Draw) -> str:
    place = f", {draw.source.file}:{draw.source.line}" if draw.source else ""
    arithmetic = ", computed in float32" if spec.arithmetic == "float32" else ""
    return f"{draw.name} {list(draw.shape)}{place}{arithmetic}"


def attrs_function(spec: NetSpec, initializers: dict[str, Initializer]) -> list[str]:
    """Return the function that gives every parameter its ParamAttr."""
    return [
        'def param_attrs(prefix="", **options):',
        '    """Return a dict of every parameter\'s name and ParamAttr.',
        "",
        "    `prefix` goes before the names; None leaves naming to Paddle. A further net in one",
        "    process has numbered names, such as fc1_w@1. `options` are ParamAttr's own, such as",
        "    learning_rate.",
        '    """',
        "    initializers = {",
        *(line for tensor in spec.tensors for line in _entry(spec, tensor, initializers)),
        "    }",
        "    return {",
        "        name: NumberedAttr(",
        "            None if prefix is None else prefix + name, initializer, **options",
        "        )",
        "        for name, initializer in initializers.items()",
        "    }",
    ]


def _entry(spec: NetSpec, tensor: Tensor, initializers: dict[str, Initializer]) -> list[str]:
    key, indent = literal(tensor.name), " " * 8
    blocks = row_blocks(spec, tensor)
    if len(blocks) > 1:
        parts = [f"({rows}, {initializers[draw]})" for rows, draw in blocks]
        return call(f"{key}: RowBlocks(", parts, "),", indent)
    only = initializers[blocks[0][1]]
    return call(f"{key}: {only.kind}(", only.arguments, "),", indent)


def initializer_call(distribution: Distribution) -> str | None:
    """Write a distribution as the call that makes Paddle's initializer, or None for blocks."""
    value = None if isinstance(distribution, Blocks) else _point(distribution)
    if value is not None:
        return f"paddle.nn.initializer.Constant(value={value!r})"
    match distribution:
        case Normal(mean, std):
            call = f"Normal(mean={mean!r}, std={std!r})"
        case Uniform(low, high):
            call = f"Uniform(low={low!r}, high={high!r})"
        case TruncatedNormal(mean, std, low, high):
            cutoffs = f", a={low!r}, b={high!r}" if installed_version() != "2.6.2" else ""
            call = f"TruncatedNormal(mean={mean!r}, std={std!r}{cutoffs})"
        case _:
            return None
    return f"paddle.nn.initializer.{call}"


def _point(distribution: Simple) -> float | None:
    """Return the one value that Paddle draws; its float32 numbers may leave nothing to chance."""
    from paddle_init.statistics.moments import point

    value = point(distribution)
    if value is not None:
        return value
    value = point(narrowed(distribution, "float32"))
    return None if value is None else value + 0.0  # a zero that is left has no sign


def refusal(distribution: Distribution, dtype: str) -> str | None:
    """Say why Paddle cannot draw a distribution; None where it can."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            check_drawable(distribution, dtype)
        except SchemeError as error:
            return translatable(error)
    if isinstance(distribution, TruncatedNormal) and not distribution.at_two_stds:
        return other_cut(distribution) if installed_version() == "2.6.2" else None
    return None
