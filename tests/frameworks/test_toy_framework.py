"""A framework that this file alone knows passes report, sample and verify."""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from pathlib import Path
from typing import Any, ClassVar

import numpy as np
import pytest
from numpy.typing import NDArray

import paddle_init
from paddle_init.distributions import Constant, Normal, Simple
from paddle_init.errors import SpecError
from paddle_init.frameworks.base import CannotDrawError, Fill, Framework, Nets, constant_fill
from paddle_init.frameworks.registry import home_nets
from paddle_init.languages import Sentence, translated
from paddle_init.parity.records import Level
from paddle_init.schemes import Fixed, Shape
from paddle_init.specs import Draw, FrameworkFacts, NetSpec, Seeding, frameworks, register
from paddle_init.streams import NormalDistribution, Stream

TOY = FrameworkFacts(
    name="toy",
    label=Sentence("Toy", "玩具侧"),
    place=Sentence("in Toy", "玩具侧"),
    implementation=f"{__name__}:ToyFramework",
    engines=("mt19937",),
    seed_keys=("seed",),
)


class ToyFramework(Framework):
    """Draws normals and constants in float32, by rows, from one engine for all."""

    facts: ClassVar[FrameworkFacts] = TOY
    order = "C"

    def check(self, drawn: Simple, shape: Shape, dtype: str) -> None:
        if not isinstance(drawn, (Normal, Constant)) or dtype != "float32":
            raise CannotDrawError(f"Toy draws float32 normals and constants, not {drawn}")

    def streams(self, seeding: Seeding) -> Iterator[Stream]:
        return itertools.repeat(Stream(seeding.engine, seeding.seed))

    def working_dtype(self, dtype: str) -> np.dtype[Any]:
        return np.dtype(np.float32)

    def fill(self, stream: Stream | None, drawn: Simple, dtype: str) -> Fill:
        if isinstance(drawn, Constant):
            return constant_fill(drawn.value)
        assert isinstance(drawn, Normal)
        standard = NormalDistribution()

        def fill(out: NDArray[Any]) -> None:
            assert stream is not None
            standard.fill(stream, out)
            out *= np.float32(drawn.std)
            out += np.float32(drawn.mean)

        return fill


@pytest.fixture(autouse=True)
def registered(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(frameworks, "REGISTERED", dict(frameworks.REGISTERED))
    register(TOY)


def a_net(std: float = 0.1, seed: int | None = 7) -> NetSpec:
    draws = (
        Draw("fc.weight", (64, 32), Fixed(Normal(0.0, std))),
        Draw("fc.bias", (32,), Fixed(Constant(0.0))),
    )
    stream = None if seed is None else Seeding("mt19937", seed=seed)
    return NetSpec("toy", draws, stream=stream)


def test_its_spec_has_a_yaml_form() -> None:
    text = paddle_init.dump_spec(a_net())
    assert text.startswith("paddle_init: 1\nframework: toy\nstream: {seed: 7}\n")
    assert paddle_init.parse_spec(text) == a_net()


def test_its_spec_is_checked() -> None:
    with pytest.raises(SpecError, match="op_seed is Paddle's; toy takes seed"):
        NetSpec("toy", a_net().draws, stream=Seeding("mt19937", op_seed=7))
    with pytest.raises(SpecError, match="toy draws with mt19937 alone"):
        NetSpec("toy", a_net().draws, stream=Seeding("mt19937_64", seed=7))


def test_its_values_are_drawn() -> None:
    drawn = paddle_init.sample(a_net())
    standard = np.empty(64 * 32, np.float32)
    NormalDistribution().fill(Stream("mt19937", 7), standard)
    assert (drawn["fc.weight"] == standard.reshape(64, 32) * np.float32(0.1)).all()
    other = paddle_init.sample(a_net(), framework="paddle", seed=1)
    assert (paddle_init.sample(a_net(seed=None), framework="paddle", seed=1)["fc.weight"]
            == other["fc.weight"]).all()  # fmt: skip


def test_it_is_compared() -> None:
    found = paddle_init.report(a_net(), a_net(0.2))
    assert [item.level for item in found.parameters] == [Level.SCALE, Level.IDENTICAL]


@pytest.mark.parametrize("language", ["en", "zh"])
def test_it_is_compared_with_paddle(language: Any) -> None:
    draws = a_net().draws
    found = paddle_init.report(a_net(), NetSpec("paddle", draws, stream=Seeding("mt19937_64", 1)))
    assert [item.level for item in found.parameters] == [Level.STREAM, Level.IDENTICAL]
    told = translated(found.parameters[0].explanation, language)
    assert (TOY.label.en if language == "en" else TOY.label.zh) in told


def test_its_weights_are_verified(tmp_path: Path) -> None:
    path = tmp_path / "weights.npz"
    paddle_init.sample(a_net(), path=path)
    assert paddle_init.verify(path, a_net()).passed
    found = paddle_init.verify(path, a_net(seed=8))
    assert not found.passed


def test_a_net_of_it_is_not_read() -> None:
    with pytest.raises(SpecError, match="nets of Toy cannot be read"):
        ToyFramework().nets  # noqa: B018


def test_every_question_about_nets_has_an_answer() -> None:
    for name in Nets.__annotations__:
        assert callable(getattr(home_nets(), name))
