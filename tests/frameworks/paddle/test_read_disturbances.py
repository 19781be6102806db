"""Whatever else a builder does: what is read is exact to the bit, or said to be not known."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import paddle
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from paddle import nn
from paddle.nn.initializer import Normal
from support.disturbances import DECISIONS, EDITS, ENDS, EXACT, Disturbance, linear, usable
from support.exact_nets import not_known

from paddle_init import read_net

pytestmark = pytest.mark.paddle_3

Build = Callable[[], nn.Layer]


def built_with(*disturbances: Disturbance, seed: int | None = None) -> Build:
    """Return a builder of layers with the disturbances in between."""

    def build() -> nn.Layer:
        if seed is not None:
            paddle.seed(seed)
        layers: list[nn.Layer] = [linear()]
        for disturbance in disturbances:
            disturbance(layers)
            if not usable(layers[-1]):
                layers.append(linear())
        layers.append(linear(weight_attr=Normal(0.0, 0.1)))
        return nn.LayerList(layers)

    return build


@pytest.mark.parametrize("seed", [None, 5], ids=["seed outside", "seed inside"])
@pytest.mark.parametrize("name", EXACT)
def test_what_can_be_followed_is_exact(name: str, seed: int | None) -> None:
    assert not_known(built_with(EXACT[name], seed=seed)) == set()


@pytest.mark.parametrize("seed", [None, 5], ids=["seed outside", "seed inside"])
@pytest.mark.parametrize("name", EDITS)
def test_what_is_edited_is_not_known_and_nothing_else(name: str, seed: int | None) -> None:
    assert not_known(built_with(EDITS[name], seed=seed)) == {"0.weight"}


@pytest.mark.parametrize("name", ENDS | DECISIONS)
def test_what_takes_an_unknown_share_ends_what_is_known(name: str) -> None:
    unknown = not_known(built_with((ENDS | DECISIONS)[name]))
    assert {"1.weight"} <= unknown <= {"1.weight", "1.bias"}


@pytest.mark.parametrize("name", ENDS)
def test_a_seed_makes_known_what_follows_an_unknown_share(name: str) -> None:
    spec = read_net(built_with(ENDS[name], EXACT["a seed"]))
    assert spec.draw_by_name["linear_1.w_0"].seed == 11
    assert not_known(built_with(ENDS[name], EXACT["a seed"]), spec=spec) == set()


CHOICES: dict[str, Callable[[list[nn.Layer]], bool]] = {
    "a drawn number": lambda layers: bool(paddle.rand([]) > 0.5),
    "a drawn integer": lambda layers: int(paddle.randint(0, 2, [])) == 1,
    "weights": lambda layers: float(layers[1].weight.sum()) > float(layers[2].weight.sum()),
    "NumPy": lambda layers: bool(np.random.rand() > 0.5),  # noqa: NPY002
}


@pytest.mark.parametrize("name", CHOICES)
def test_a_layer_whose_place_is_chosen_is_not_known(name: str) -> None:
    def build() -> nn.Layer:
        layers: list[nn.Layer] = [linear(), linear(), linear()]
        if CHOICES[name](layers):
            layers[1:] = layers[:0:-1]
        return nn.LayerList(layers)

    assert {"1.weight", "2.weight"} <= not_known(build, seeds=range(4))


def test_the_values_that_a_large_dropout_takes_are_counted() -> None:
    disturbance = lambda layers: nn.functional.dropout(paddle.ones([6_000_000]), 0.1)  # noqa: E731
    assert not_known(built_with(disturbance), seeds=[3]) == set()


@pytest.mark.parametrize("name", ["randn", "dropout", "randperm", "a random buffer"])
@pytest.mark.parametrize("seed", [None, 5])
def test_other_draws_are_told(name: str, seed: int | None) -> None:
    for before in (False, True):
        disturbances = [EXACT[name]] if before else [EXACT["nothing"], EXACT[name]]
        spec = read_net(built_with(*disturbances, seed=seed))
        (notice,) = [notice for notice in spec.notices if notice.code == "other-draws"]
        assert "and what follows is exact" in notice.message
    spec = read_net(built_with(ENDS["poisson"], seed=seed))
    (notice,) = [notice for notice in spec.notices if notice.code == "other-draws"]
    assert "not known" in notice.message


# What it draws is rounded; rounding that again to a half type is beyond a net spec.
TWICE = "a draw of float64, cast"
EVERY = EXACT | EDITS | ENDS | DECISIONS


@settings(
    deadline=None,
    max_examples=60,
    derandomize=True,
    suppress_health_check=[HealthCheck.too_slow],
)
@given(
    names=st.lists(st.sampled_from([*EVERY]), max_size=5),
    seed=st.none() | st.integers(0, 2**33),
    drawn=st.integers(0, 2**64 - 1),
)
def test_no_net_is_ever_different_in_silence(
    names: list[str], seed: int | None, drawn: int
) -> None:
    build = built_with(*(EVERY[name] for name in names), seed=seed)
    unknown = not_known(build, seeds=(drawn,))
    rounded_twice = TWICE in names and names.index(TWICE) + 1 < len(names)
    if not set(names) - set(EXACT) and not rounded_twice:
        assert unknown == set()
    elif not set(names) & set(ENDS | DECISIONS):
        assert len(unknown) <= len(set(names) & set(EDITS)) * 2
