"""One call for specs, widths and nets; its JSON rows."""

from __future__ import annotations

import json

import numpy as np
import pytest

from paddle_init.errors import PropagationError
from paddle_init.schemes import he_normal, normal
from paddle_init.signal.dense import mlp
from paddle_init.signal.study import propagate
from paddle_init.specs import Draw, NetSpec


def test_every_source_gives_the_same_prediction():
    widths = propagate([20, 30, 10], "relu", he_normal())
    layers = propagate(mlp([20, 30, 10], "relu", he_normal()))
    spec = propagate(
        NetSpec("paddle", (Draw("a", (20, 30), he_normal()), Draw("b", (30, 10), he_normal()))),
        "relu",
    )
    first, *others = (
        [signal.pre_activation for signal in study.predicted.signals]
        for study in (widths, layers, spec)
    )
    assert others == [first, first]


def test_a_real_net_is_read_run_and_predicted():
    import paddle

    paddle.seed(3)
    net = paddle.nn.Sequential(
        paddle.nn.Linear(200, 300), paddle.nn.GELU(), paddle.nn.Linear(300, 100)
    )
    study = propagate(net)
    assert [layer.activation.text for layer in study.layers] == ["gelu", "linear"]
    assert study.layers[0].weight.mean == 0
    assert study.predicted.notes == ()
    for expected, found in zip(study.predicted.signals, study.measured.layers, strict=True):
        assert found.pre_activation.second == pytest.approx(
            expected.pre_activation.second, rel=5 * expected.spread
        )


def test_given_input_starts_the_prediction():
    x = np.random.default_rng(0).normal(2.0, 0.5, (512, 300)).astype(np.float32)
    study = propagate([300, 400, 10], "tanh", normal(0, 0.02), measured=True, input=x)
    assert study.predicted.input.mean == pytest.approx(2, abs=0.01)
    expected, found = study.predicted.signals[0], study.measured.layers[0]
    assert found.pre_activation.second == pytest.approx(
        expected.pre_activation.second, rel=5 * expected.spread
    )


def test_rows_are_json():
    study = propagate([20, 30, 10], "tanh", normal(0, 1e20), measured=True)
    read = json.loads(json.dumps(study.to_dict()["layers"], allow_nan=False))
    assert [row["name"] for row in read] == ["fc1", "fc2"]
    assert "saturating" in read[0]["findings"]
    assert read[0]["predicted"]["pre_activation"]["second_moment"] == pytest.approx(2e41)
    unmeasured = propagate([20, 30, 10], "tanh", normal(0, 1)).to_dict()["layers"]
    assert unmeasured[0]["measured"] is None


def test_what_is_missing_is_said():
    with pytest.raises(PropagationError, match="widths need the hidden layers' activation"):
        propagate([20, 30, 10])


def test_a_net_that_fails_on_its_input_is_said():
    import paddle

    with pytest.raises(
        PropagationError, match=r"Linear fails on an input of shape \(2, 5\): ValueError: "
    ):
        propagate(paddle.nn.Linear(4, 3), input=np.zeros((2, 5), np.float32))


def test_an_error_without_a_message_is_named() -> None:
    import paddle

    class Half(paddle.nn.Layer):
        def __init__(self) -> None:
            super().__init__()
            self.fc = paddle.nn.Linear(4, 2)

    with pytest.raises(PropagationError, match=r"^Half fails on .*: NotImplementedError$"):
        propagate(Half())


def test_what_the_net_makes_of_its_input_is_where_the_prediction_starts():
    import paddle

    class Scaled(paddle.nn.Layer):
        def __init__(self):
            super().__init__()
            self.fc = paddle.nn.Linear(200, 300)

        def forward(self, x):
            return self.fc(5 * x + 2)

    paddle.seed(3)
    study = propagate(Scaled())
    assert study.predicted.notes[0].startswith("fc reads what the net makes of its input")
    assert study.predicted.input.mean == pytest.approx(2, abs=0.1)
    (expected,), (found,) = study.predicted.signals, study.measured.layers
    assert found.pre_activation.second == pytest.approx(
        expected.pre_activation.second, rel=5 * expected.spread
    )


@pytest.mark.parametrize("source", [3, None, [], "784,100"])
def test_what_cannot_be_followed_at_all(source):
    with pytest.raises(PropagationError, match="is a list of widths or of layers, a NetSpec or a"):
        propagate(source, "relu", he_normal())


@pytest.mark.parametrize("measured", [False, True])
@pytest.mark.parametrize("shape", [(4,), (2, 5), (2, 3, 4)])
def test_an_input_that_does_not_fit(shape, measured):
    with pytest.raises(PropagationError, match=r"does not fit fc1, which takes \(batch, 4\)"):
        propagate([4, 3], "relu", he_normal(), input=np.zeros(shape).tolist(), measured=measured)
