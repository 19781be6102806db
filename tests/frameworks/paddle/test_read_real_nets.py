"""Nets as they are published: read, and drawn to the bit, or said to be not known."""

from __future__ import annotations

import inspect

import paddle
import pytest
from support.exact_nets import not_known
from support.real_nets import LAYERS, NETS, VISION, VISION_HEAVY

from paddle_init import read_net

pytestmark = pytest.mark.paddle_3


@pytest.mark.parametrize("name", NETS)
def test_a_net_is_exact(name: str) -> None:
    build, unknown = NETS[name]
    assert not_known(build) == unknown


@pytest.mark.parametrize("name", LAYERS)
def test_every_layer_with_parameters_is_exact(name: str) -> None:
    assert not_known(LAYERS[name]) == set()


def test_no_layer_that_makes_parameters_is_left_out() -> None:
    nn = paddle.nn
    classes = [getattr(nn, name) for name in dir(nn) if isinstance(getattr(nn, name), type)]
    making = {
        each.__name__
        for each in classes
        if issubclass(each, nn.Layer)
        and each is not nn.Layer
        and "create_parameter(" in inspect.getsource(each.__init__)
    }
    assert making - set(LAYERS) == set()


@pytest.mark.parametrize(
    "name", [*VISION, *(pytest.param(name, marks=pytest.mark.slow) for name in VISION_HEAVY)]
)
def test_a_net_of_paddle_vision_is_exact(name: str) -> None:
    assert not_known(getattr(paddle.vision.models, name), seeds=(3,)) == set()


def test_a_bert_draws_its_weights_twice_and_says_so() -> None:
    spec = read_net(NETS["BERT"][0])
    names = [draw.name for draw in spec.draws]
    assert "embedding_0.w_0 (1 before its last)" in names
    assert "other-draws" not in [notice.code for notice in spec.notices]
    assert spec.tensor_by_name["words.weight"].overwritten == ()
