"""Cells in which Paddle itself, its ops and its nets, is the real thing."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
import paddle
from paddle.nn import initializer as init
from support.fidelity_cells import Arrays, Cell, sizes_text
from support.paddle_graph import INSTALLED, PADDLE_3, StaticGraph, fresh_names, static_graph

from paddle_init.frameworks.paddle.nets.attrs import param_attrs
from paddle_init.frameworks.sampling import sample
from paddle_init.frameworks.transfer import as_paddle
from paddle_init.schemes import (
    Abacus,
    Scheme,
    constant,
    kaiming_normal,
    kaiming_uniform,
    normal,
    paddle_fc,
    truncated_normal,
    uniform,
    xavier_normal,
    xavier_uniform,
)
from paddle_init.specs import DTYPES, Draw, NetSpec, RowBlock, Tensor

SMALL = ((1, 1), (1, 2), (37, 53), (3, 5), (2, 1))
MILLIONS = ((3163, 3163), (3, 1))
SEED, OP_SEED = 2**33 + 7, -12345


@dataclass(frozen=True)
class Rule:
    """The same initializer in both terms."""

    name: str
    scheme: Scheme
    paddle: Callable[[], Any]


GAIN = {"gain": 1.3} if PADDLE_3 else {}
TRUNCATED = (
    (
        Rule(
            "TruncatedNormal",
            truncated_normal(0.1, 1.0, -2.0, 2.0),
            lambda: init.TruncatedNormal(0.1, 1.0, -2.0, 2.0),
        ),
        Rule(
            "TruncatedNormal, cut far out",
            truncated_normal(0.0, 1.0, 4.5, 8.0),
            lambda: init.TruncatedNormal(0.0, 1.0, 4.5, 8.0),
        ),
        Rule(
            "TruncatedNormal, cut in the tail",
            truncated_normal(0.0, 1.0, 6.9, 8.0),
            lambda: init.TruncatedNormal(0.0, 1.0, 6.9, 8.0),
        ),
    )
    if PADDLE_3
    else (
        Rule(
            "TruncatedNormal",
            truncated_normal(0.1, 0.02, 0.1 - 2 * 0.02, 0.1 + 2 * 0.02),
            lambda: init.TruncatedNormal(0.1, 0.02),
        ),
    )
)
RULES = (
    Rule("Normal", normal(0.1, 0.13), lambda: init.Normal(0.1, 0.13)),
    Rule("Uniform", uniform(-0.3, 0.7), lambda: init.Uniform(-0.3, 0.7)),
    Rule("XavierNormal", xavier_normal(**GAIN), lambda: init.XavierNormal(**GAIN)),
    Rule("XavierUniform", xavier_uniform(), lambda: init.XavierUniform()),
    Rule("KaimingNormal", kaiming_normal(), lambda: init.KaimingNormal()),
    Rule(
        "KaimingUniform",
        kaiming_uniform(0.3),
        lambda: init.KaimingUniform(negative_slope=0.3, nonlinearity="leaky_relu"),
    ),
    *TRUNCATED,
    Rule("Constant", constant(0.1), lambda: init.Constant(0.1)),
)
DRAWN_DTYPES = DTYPES if PADDLE_3 else ("float32", "float64")
MAIN = ("Normal", "Uniform", "XavierUniform", "TruncatedNormal")


def paddle_cells(millions: bool = True) -> Iterator[Cell]:
    """Yield every cell; `millions` adds those of ten million values."""
    for rule in RULES:
        for dtype in DRAWN_DTYPES:
            if dtype == "float16" and isinstance(rule.paddle(), init.TruncatedNormal):
                continue  # Paddle has no such kernel
            for graph, seeding in (
                ("dynamic", "seed"),
                ("dynamic", "op seed"),
                ("static", "seed"),
                ("static", "op seed"),
                ("static", "program seed"),
            ):
                yield parameters_cell(rule, dtype, seeding, graph, SMALL)
    for graph in ("dynamic", "static"):
        yield layers_cell("default of Linear" if graph == "dynamic" else "default of fc", graph)
        yield attrs_cell("paddle_fc", tower(), graph, "whole tensors")
        yield attrs_cell("abacus's stds", as_paddle(blockwise()), graph, "two draws in a weight")
    if millions:
        for rule in RULES:
            if rule.name in MAIN:
                yield parameters_cell(rule, "float32", "seed", "dynamic", MILLIONS)
        yield parameters_cell(RULES[0], "float32", "seed", "static", MILLIONS)
        yield parameters_cell(RULES[0], "float64", "seed", "dynamic", MILLIONS)


def plain_net(scheme: Scheme, shapes: tuple[tuple[int, int], ...], dtype: str) -> NetSpec:
    """Return a net of one tensor per shape."""
    names = [f"p{i}" for i in range(len(shapes))]
    return NetSpec(
        "paddle",
        tuple(Draw(name, shape, scheme) for name, shape in zip(names, shapes, strict=True)),
        tuple(
            Tensor(name, "weight", shape, (RowBlock(name, 0, shape[0]),), dtype)
            for name, shape in zip(names, shapes, strict=True)
        ),
    )


def parameters_cell(
    rule: Rule, dtype: str, seeding: str, graph: str, shapes: tuple[tuple[int, int], ...]
) -> Cell:
    spec = plain_net(rule.scheme, shapes, dtype)

    def draw() -> tuple[Arrays, Arrays]:
        def create(make: Callable[..., Any]) -> list[Any]:
            created = []
            for shape in shapes:
                initializer = rule.paddle()
                if seeding == "op seed":
                    initializer._seed = OP_SEED
                created.append(make(list(shape), dtype, default_initializer=initializer))
            return created

        program_seed = abs(OP_SEED) if seeding == "program seed" else 0
        real = drawn_by_paddle(graph, create, program_seed)
        seeds = {
            "seed": {"seed": SEED},
            "op seed": {"op_seed": OP_SEED},
            "program seed": {"op_seed": program_seed},
        }
        ours = sample(spec, paddle_version=INSTALLED, **seeds[seeding])  # type: ignore[arg-type]
        return dict(zip(ours, real, strict=True)), ours

    return Cell(
        "paddle", rule.name, dtype, seeding, graph, "whole tensors", sizes_text(shapes), draw
    )


def layers_cell(name: str, graph: str) -> Cell:
    """The default weight and bias of nn.Linear and static.nn.fc."""
    widths = ((37, 53), (53, 4))
    draws = []
    for i, (fan_in, width) in enumerate(widths):
        draws.append(Draw(f"w{i}", (fan_in, width), xavier_uniform()))
        draws.append(Draw(f"b{i}", (width,), constant(0)))
    spec = NetSpec("paddle", tuple(draws))

    def draw() -> tuple[Arrays, Arrays]:
        def create(make: Callable[..., Any]) -> list[Any]:
            if graph == "dynamic":
                layers = [paddle.nn.Linear(*shape) for shape in widths]
                return [part for layer in layers for part in (layer.weight, layer.bias)]
            x = paddle.static.data("x", [None, widths[0][0]])
            for _, width in widths:
                x = paddle.static.nn.fc(x, width)
            programs = paddle.static.default_main_program(), paddle.static.default_startup_program()
            return StaticGraph(*programs).parameters()

        real = drawn_by_paddle(graph, create)
        ours = sample(spec, seed=SEED)
        return dict(zip(ours, real, strict=True)), ours

    shapes = [draw.shape for draw in draws]
    return Cell("paddle", name, "float32", "seed", graph, "whole tensors", sizes_text(shapes), draw)


def tower() -> NetSpec:
    return NetSpec(
        "paddle",
        (
            Draw("w", (37, 53), paddle_fc(0.2)),
            Draw("b", (53,), paddle_fc(0.2, fan_in=37)),
            Draw("v", (53, 1), paddle_fc(0.2)),
        ),
    )


def blockwise() -> NetSpec:
    draws = (
        Draw("upper", (37, 53), Abacus(1.0, 0.2, True)),
        Draw("lower", (4, 53), Abacus(1.0, 0.2, True)),
        Draw("bias", (1, 53), Abacus(1.0, 0.2, True)),
    )
    tensors = (
        Tensor("w", "weight", (41, 53), (RowBlock("upper", 0, 37), RowBlock("lower", 0, 4))),
        Tensor("b", "bias", (53,), (RowBlock("bias", 0, 1),)),
    )
    return NetSpec("abacus", draws, tensors)


def attrs_cell(name: str, spec: NetSpec, graph: str, storage: str) -> Cell:
    """Parameters built from the ParamAttrs that the project makes of a spec."""

    def draw() -> tuple[Arrays, Arrays]:
        def create(make: Callable[..., Any]) -> list[Any]:
            attrs = param_attrs(spec, prefix=None)
            return [make(list(t.shape), t.dtype, attr=attrs[t.name]) for t in spec.tensors]

        real = drawn_by_paddle(graph, create)
        ours = sample(spec, seed=SEED)
        return dict(zip(ours, real, strict=True)), ours

    shapes = [tensor.shape for tensor in spec.tensors]
    return Cell("paddle", name, "float32", "seed", graph, storage, sizes_text(shapes), draw)


def drawn_by_paddle(
    graph: str, create: Callable[[Callable[..., Any]], list[Any]], program_seed: int = 0
) -> list[np.ndarray]:
    """Create parameters in a graph and return their values, in the order of their creation."""
    if graph == "dynamic":
        with fresh_names():
            paddle.seed(SEED)
            return [parameter.numpy() for parameter in create(paddle.create_parameter)]
    with static_graph(program_seed) as programs:
        created = create(paddle.static.create_parameter)
        paddle.seed(SEED)
        values = programs.initialized()
    return [values[parameter.name] for parameter in created]
