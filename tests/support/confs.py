"""Generated confs: valid, varied, and never twice the same spelling of a number."""

from __future__ import annotations

import random
from dataclasses import dataclass, field
from itertools import pairwise

TRUE = ("true", "True", "TRUE", "yes", "Yes", "YES", "y", "Y", "on", "On", "ON", "'true'")
FALSE = ("false", "False", "FALSE", "no", "No", "NO", "n", "N", "off", "Off", "OFF", '"no"')
ACTIVATIONS = ("linear", "relu", "sigmoid", "tanh", "softsign")


def _range(rng: random.Random) -> str:
    """A range in [0, 1e15), as people and programs write it."""
    value = rng.choice((1.0, 0.2, rng.random(), rng.random() * 10 ** rng.randint(-20, 14)))
    texts = (
        repr(value),
        f"{value:.3e}",
        f"{value:.2E}",
        f"+{value:.12f}",
        f"{value:.25f}".lstrip("0"),
        f"0{int(value)}",
        f"{int(value)}.",
        f'"{value!r}"',
        "5e-324",
        "1e-400",
        "1e-46",
    )
    return rng.choices(texts, (12, 3, 3, 3, 3, 1, 1, 3, 0.1, 0.1, 0.1))[0]


def _int(rng: random.Random, value: int) -> str:
    forms = (str(value), f"+{value}", f"0x{value:x}", f"0{value:o}", f"'{value}'", f"{value}")
    return rng.choices(forms, (10, 1, 1, 1, 1, 1))[0]


@dataclass
class _Net:
    """What a conf under construction holds."""

    rng: random.Random
    params: list[tuple[str, int, int]] = field(default_factory=list)
    outside: dict[str, int] = field(default_factory=dict)
    outputs: dict[str, int] = field(default_factory=dict)
    layers: list[list[str]] = field(default_factory=list)
    used: list[tuple[list[tuple[str, int]], list[str], int]] = field(default_factory=list)

    def param(self, rown: int, coln: int) -> str:
        name = f"p{len(self.params)}"
        self.params.append((name, rown, coln))
        return name

    def input(self) -> tuple[str, int]:
        if self.outputs and self.rng.random() < 0.5:
            return self.rng.choice(list(self.outputs.items()))
        return self.new_input(self.rng.randint(1, 40))

    def new_input(self, width: int) -> tuple[str, int]:
        name = f"in{len(self.outside)}_input"
        self.outside[name] = width
        return name, width

    def layer(self) -> None:
        if self.used and self.rng.random() < 0.2:
            a_inputs, b_inputs, coln = self.rng.choice(self.used)
            a_inputs = [(n, w) if n == "bias_input" else self.new_input(w) for n, w in a_inputs]
        else:
            a_inputs, b_inputs, coln = self.fresh()
            self.used.append((a_inputs, b_inputs, coln))
        name = f"layer{len(self.layers)}"
        lines = [
            f"name: {name}",
            f"tag: {name}",
            "class: NeuralLayer",
            f"a_input: {self.names([name for name, _ in a_inputs])}",
            f"b_input: {self.names(b_inputs)}",
            f"act_func: {self.rng.choice(ACTIVATIONS)}",
        ]
        if self.rng.random() < 0.3:
            lines.append(f"output: {name}_out")
            self.outputs[f"{name}_out"] = coln
        self.outputs[name] = coln
        self.rng.shuffle(lines)
        self.layers.append(lines)

    def fresh(self) -> tuple[list[tuple[str, int]], list[str], int]:
        rng = self.rng
        a_inputs = [self.input() for _ in range(rng.randint(1, 3))]
        coln = rng.randint(1, 20)
        rows = sum(width for _, width in a_inputs)
        bias = rng.choice(("none", "own", "folded", "folded"))
        at = rng.randint(0, len(a_inputs))
        before = sum(width for _, width in a_inputs[:at])
        edges = sorted({0, rows, *(rng.randint(0, rows) for _ in range(rng.randint(0, 2)))})
        if bias == "own":
            edges = sorted({*edges, before})
        blocks = [stop - start for start, stop in pairwise(edges)]
        if bias == "folded":
            holder = next(i for i, stop in enumerate(edges[1:]) if before <= stop)
            blocks[holder] += 1
        if bias == "own":
            blocks.insert(edges.index(before), 1)
        if bias != "none":
            a_inputs.insert(at, ("bias_input", 1))
        return a_inputs, [self.param(rown, coln) for rown in blocks], coln

    def names(self, names: list[str]) -> str:
        return names[0] if len(names) == 1 and self.rng.random() < 0.5 else f"[{', '.join(names)}]"

    def skip(self) -> None:
        name = f"other{len(self.layers)}"
        self.layers.append([f"name: {name}", "class: OtherLayer", f"param: {self.param(3, 4)}"])


def random_conf(rng: random.Random) -> str:
    """Return a plugin section that is valid and needs no widths from outside."""
    net = _Net(rng)
    for _ in range(rng.randint(0, 5)):
        rng.choices((net.layer, net.skip), (5, 1))[0]()
    for _ in range(rng.randint(0 if net.params else 1, 2)):
        net.param(rng.randint(1, 500), rng.randint(1, 50))
    rng.shuffle(net.params)
    lines = [f"global_init_range: {_range(rng)}", "learning_rate: 5e-6  # no part in this"]
    if net.outside:
        lines.append("vec_input:")
        lines += [f"  - {{name: {name}, dim: {dim}}}" for name, dim in net.outside.items()]
    lines.append("param:")
    for name, rown, coln in net.params:
        values = [
            f"name: {name}",
            f"rown: {_int(rng, rown)}",
            f"coln: {_int(rng, coln)}",
            f"init_range: {_range(rng)}",
            f"scale_by_rown: {rng.choice(rng.choice((TRUE, FALSE)))}",
        ]
        rng.shuffle(values)
        lines += _item(rng, values)
    if net.layers:
        lines.append("layer:")
        for values in net.layers:
            lines += _item(rng, values)
    return "\n".join(lines) + "\n"


def _item(rng: random.Random, values: list[str]) -> list[str]:
    if rng.random() < 0.3:
        return [f"  - {{{', '.join(values)}}}"]
    return [f"  {'-' if not index else ' '} {value}" for index, value in enumerate(values)]


def random_flat(rng: random.Random) -> str:
    """Return one parameter's values."""
    return (
        f"init_range: {_range(rng)}\nglobal_init_range: {_range(rng)}\n"
        f"scale_by_rown: {rng.choice(TRUE + FALSE)}\n"
        f"rown: {_int(rng, rng.randint(1, 5000))}\ncoln: {_int(rng, rng.randint(1, 500))}\n"
    )
