"""Weights with one known fault each."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray
from support.parity_specs import RANK

from paddle_init.frameworks.sampling import sample
from paddle_init.schemes import (
    Scheme,
    abacus,
    constant,
    he_normal,
    normal,
    paddle_fc,
    truncated_normal,
    uniform,
    xavier_uniform,
)
from paddle_init.specs import Draw, NetSpec, RowBlock, Seeding, Tensor
from paddle_init.verification import Verification

Arrays = dict[str, NDArray[Any]]


ABACUS = replace(RANK, stream=Seeding("minstd_rand0", seed_seq=(0, 1, 2, 3)))


TOWER = NetSpec(
    "paddle",
    (
        Draw("w1", (300, 128), paddle_fc(0.2)),
        Draw("b1", (128,), paddle_fc(0.2, 300)),
        Draw("w2", (128, 64), paddle_fc(0.2)),
        Draw("b2", (64,), paddle_fc(0.2, 128)),
        Draw("w3", (128, 64), paddle_fc(0.2)),
    ),
    stream=Seeding("mt19937_64", seed=2024),
)


def changed(spec: NetSpec, **schemes: Any) -> NetSpec:
    """The net with other schemes for some draws."""
    draws = tuple(
        replace(d, scheme=schemes[d.name]) if d.name in schemes else d for d in spec.draws
    )
    return replace(spec, draws=draws)


def seeded(spec: NetSpec, **stream: Any) -> NetSpec:
    assert spec.stream is not None
    return replace(spec, stream=Seeding(stream.pop("engine", spec.stream.engine), **stream))


def with_weight(
    change: Callable[[NDArray[Any]], NDArray[Any]], name: str
) -> Callable[[NetSpec], Arrays]:
    def planted(spec: NetSpec) -> Arrays:
        arrays = sample(spec)
        return arrays | {name: change(arrays[name])}

    return planted


def reordered(*names: str) -> Callable[[NetSpec], Arrays]:
    return lambda spec: sample(replace(spec, draws=tuple(spec.draw_by_name[n] for n in names)))


@dataclass(frozen=True)
class Fault:
    """`code` is what verify must name for each of `parameters`; all others must be identical."""

    name: str
    spec: NetSpec
    plant: Callable[[NetSpec], Arrays]
    code: str
    parameters: tuple[str, ...]
    says: str = ""


ALL_TOWER = ("w1", "b1", "w2", "b2", "w3")


ALL_RANK = ("fc1_w", "fc1_b", "fc2_w", "fc2_w.bias")


MT = seeded(ABACUS, engine="mt19937_64", seed=7)


FAULTS = (
    Fault(
        "bias scale",
        ABACUS,
        lambda s: sample(changed(s, fc1_b=normal(0, 0.2 / 300**0.5))),
        "bias-scale",
        ("fc1_b",),
        "sqrt(300)",
    ),
    Fault(
        "bias scale",
        TOWER,
        lambda s: sample(changed(s, b1=paddle_fc(0.2, 1))),
        "bias-scale",
        ("b1",),
    ),
    Fault(
        "fans swapped",
        TOWER,
        lambda s: sample(changed(s, w1=paddle_fc(0.2, 128))),
        "fans-swapped",
        ("w1",),
    ),
    Fault(
        "fans swapped",
        ABACUS,
        lambda s: sample(changed(s, fc1_w=normal(0, 0.2 / 128**0.5))),
        "fans-swapped",
        ("fc1_w",),
    ),
    Fault("transposed", TOWER, with_weight(np.transpose, "w1"), "transposed", ("w1",)),
    Fault("exchanged", TOWER, lambda s: {**sample(s), "w2": sample(s)["w3"]}, "exchanged", ("w2",)),
    Fault("wrong order", TOWER, reordered("w1", "w2", "w3", "b1", "b2"), "order", ALL_TOWER[1:]),
    Fault("wrong order", ABACUS, reordered("fc2_w", "fc1_b", "fc1_w"), "order", ALL_RANK),
    Fault(
        "Paddle's arithmetic",
        ABACUS,
        lambda s: sample(
            replace(
                s,
                arithmetic="float32",
                draws=tuple(
                    replace(d, scheme=normal(0, float(np.float32(s.drawn(d.name).std))))
                    for d in s.draws
                ),
            )
        ),
        "rounding",
        ALL_RANK[:3],
        "narrowed to float32",
    ),
    Fault("seed + 2^32", MT, lambda s: sample(seeded(s, seed=7 + 2**32)), "seed", ALL_RANK, "2^32"),
    Fault(
        "op seed for global seed",
        TOWER,
        lambda s: sample(seeded(s, op_seed=2024)),
        "seed",
        ALL_TOWER,
        "every op was seeded with 2024",
    ),
    Fault(
        "global seed for op seed",
        seeded(TOWER, op_seed=7),
        lambda s: sample(seeded(s, seed=7)),
        "seed",
        ALL_TOWER,
        "paddle.seed",
    ),
    Fault(
        "left at its default",
        TOWER,
        lambda s: sample(changed(s, w2=xavier_uniform(), b2=constant(0))),
        "default",
        ("w2", "b2"),
        "default",
    ),
    Fault(
        "float16",
        TOWER,
        with_weight(lambda a: a.astype(np.float16).astype(np.float32), "w1"),
        "float16",
        ("w1",),
    ),
    Fault("half dtype", TOWER, with_weight(lambda a: a.astype(np.float16), "w1"), "dtype", ("w1",)),
    Fault(
        "column-major read as row-major",
        TOWER,
        with_weight(lambda a: a.ravel("F").reshape(a.shape), "w1"),
        "column-major",
        ("w1",),
    ),
    Fault(
        "row-major storage",
        ABACUS,
        lambda s: sample(replace(s, storage_order="C")),
        "row-major",
        ("fc1_w",),
    ),
    Fault(
        "bias row first",
        ABACUS,
        lambda s: sample(
            replace(
                s,
                tensors=(
                    *s.tensors[:2],
                    replace(s.tensors[2], blocks=(RowBlock("fc2_w", 1, 129),)),
                    replace(s.tensors[3], blocks=(RowBlock("fc2_w", 0, 1),)),
                ),
            )
        ),
        "folded-bias",
        ("fc2_w", "fc2_w.bias"),
        "first row",
    ),
    Fault(
        "scale without the bias row",
        ABACUS,
        lambda s: sample(changed(s, fc2_w=normal(0, 0.2 / 128**0.5))),
        "folded-bias",
        ("fc2_w",),
        "does not count",
    ),
)


def codes(made: Verification, parameter: str) -> list[str]:
    return [notice.code for notice in made.findings if notice.parameter == parameter]


Arrays = dict[str, NDArray[Any]]


UNSEEDED = replace(TOWER, stream=None)


# Without a seed. Of each spec's scheme, what was drawn instead, and the code that must be named.
DISTRIBUTIONS: tuple[tuple[str, Scheme, Scheme, str], ...] = (
    ("fans swapped", paddle_fc(0.2), paddle_fc(0.2, 128), "fans-swapped"),
    ("fans swapped", he_normal(), he_normal(mode="fan_out"), "fans-swapped"),
    ("fans swapped", abacus(1, 0.2, True), normal(0, 0.2 / 128**0.5), "fans-swapped"),
    ("not divided", abacus(1, 0.2, True), abacus(1, 0.2, False), "scale-by-rown"),
    ("multiplied", abacus(1, 0.2, True), normal(0, 0.2 * 300**0.5), "multiplied"),
    ("no global range", abacus(1, 0.2, True), abacus(1, 1, True), "global-init-range"),
    ("default", paddle_fc(0.2), xavier_uniform(), "default"),
    ("family", normal(0, 0.02), uniform(-0.02, 0.02), "family"),
    ("family", normal(0, 0.02), truncated_normal(0, 0.02, -0.04, 0.04), "family"),
    ("family", xavier_uniform(), normal(0, (2 / 428) ** 0.5), "family"),
    ("variance", normal(0, 0.04), normal(0, 0.2), "variance"),
    ("variance", normal(0, 0.04), normal(0, 0.0016), "variance"),
    ("mean", normal(0, 0.02), normal(0.001, 0.02), "distribution"),
    ("a constant", normal(0, 0.02), constant(0.5), "constant"),
    ("no constant", constant(0.5), normal(0.5, 1e-3), "distribution"),
)


def planted(index: tuple[int, ...], value: float) -> Arrays:
    arrays = sample(TOWER)
    arrays["w1"][index] = value
    return arrays


BLOCKWISE = NetSpec(
    "abacus",
    (Draw("a", (200, 64), abacus(1, 0.2, True)), Draw("b", (100, 64), abacus(0.5, 0.2, True))),
    (Tensor("w", "weight", (300, 64), (RowBlock("a", 0, 200), RowBlock("b", 0, 100))),),
)
