"""Nets of Paddle that are no chain: measured layer by layer, not predicted, and said to be."""

from __future__ import annotations

import json
import math
from pathlib import Path

import numpy as np
import paddle
import pytest
from paddle import nn
from support import theory_nets, theory_objects
from support.command_line import CONFIGS, paddle_init
from support.theory_nets import DeepFM, deepfm_batch

from paddle_init.cli.main import main
from paddle_init.errors import PropagationError
from paddle_init.signal.measurement import measure_layers
from paddle_init.signal.study import propagate


class OfOneDict(nn.Layer):
    def __init__(self):
        super().__init__()
        self.net = DeepFM()

    def forward(self, features):
        return {"logit": self.net(features["ids"], features["dense"]), "count": paddle.ones([1])}


def moments_by_hand(values):
    values = values.astype("float64").numpy()
    return values.mean(), np.square(values).mean()


def test_arguments_by_name_are_those_of_the_forward():
    paddle.seed(1)
    net, given = DeepFM(), deepfm_batch()
    study = propagate(net, input=given)
    assert study.predicted is None
    assert [row.name for row in study.rows] == ["first", "last", "wide"]
    assert study.notes[0].startswith("measured, not predicted: ")
    deep = paddle.concat(
        [net.table(paddle.to_tensor(given["ids"])).flatten(1), paddle.to_tensor(given["dense"])], 1
    )
    mean, second = moments_by_hand(net.first(deep))
    found = study.measured.layers[0].pre_activation
    assert (found.mean, found.second) == pytest.approx((mean, second), rel=1e-6)


def test_the_gradient_is_that_of_a_normal_at_every_output():
    paddle.seed(2)
    net, given = DeepFM(), deepfm_batch()
    (first, last, wide) = propagate(net, input=given, seed=4).measured.layers
    seeded = np.random.default_rng(4).standard_normal((32, 1), dtype=np.float32)
    assert last.gradient == wide.gradient
    assert last.gradient.second == pytest.approx(np.square(seeded.astype(float)).mean(), rel=1e-6)
    assert (first.units, last.units) == (16, 1)
    assert last.gradient_norm == math.sqrt(last.gradient.second)


def test_one_dict_may_be_the_only_argument():
    paddle.seed(1)
    plain = DeepFM()
    paddle.seed(1)
    wrapped = OfOneDict()
    one, other = (
        [layer.pre_activation for layer in propagate(net, input=deepfm_batch()).measured.layers]
        for net in (plain, wrapped)
    )
    assert one == other


def test_arguments_in_their_order():
    given = deepfm_batch()
    paddle.seed(1)
    by_order = propagate(DeepFM(), input=(given["ids"], given["dense"]))
    paddle.seed(1)
    by_name = propagate(DeepFM(), input=given)
    assert by_order.to_dict() == by_name.to_dict()


@pytest.mark.parametrize(
    ("given", "message"),
    [
        (None, r"DeepFM is no net of .* its forward takes \(ids, dense\); give the input it takes"),
        ({"id": np.ones((2, 4))}, "the forward of DeepFM takes ids, dense; the input has id"),
        ({"ids": np.ones((2, 4), int)}, r"DeepFM fails on an input of shape \(2, 4\): TypeError"),
        (
            {"ids": np.ones((2, 4), int), "dense": np.ones((2, 5), "float32")},
            r"fails on an input of shapes \(2, 4\), \(2, 5\): ValueError: .*"
            r"; its forward takes \(ids, dense\)$",
        ),
        ({"ids": np.ones((2, 4), int), "dense": np.full((2, 3), np.nan)}, "holds NaN or infinity"),
    ],
)
def test_an_input_that_is_not_the_net_s(given, message):
    with pytest.raises(PropagationError, match=message) as caught:
        propagate(DeepFM(), input=given)
    for raw in ("C++", "Hint", "(at ", "Error Message Summary", "\n"):
        assert raw not in str(caught.value)


def test_convolutions_are_measured_with_the_linear_layers():
    paddle.seed(5)
    net = paddle.vision.models.LeNet()
    images = np.random.default_rng(0).standard_normal((8, 1, 28, 28)).astype("float32")
    study = propagate(net, input=images)
    kinds = [(row.kind, row.shape) for row in study.rows]
    assert kinds[:3] == [
        ("Conv2D", (6, 1, 3, 3)),
        ("Conv2D", (16, 6, 5, 5)),
        ("Linear", (400, 120)),
    ]
    first = study.measured.layers[0]
    mean, second = moments_by_hand(net.features[0](paddle.to_tensor(images)))
    assert (first.pre_activation.mean, first.pre_activation.second) == pytest.approx((mean, second))
    assert first.units == 6 * 28 * 28
    assert study.verdict.judged


def test_what_a_net_normalizes_is_not_judged():
    paddle.seed(0)
    net = nn.Sequential(nn.Linear(8, 16), nn.BatchNorm1D(16), nn.ReLU(), nn.Linear(16, 1))
    before = {name: value.numpy().copy() for name, value in net.state_dict().items()}
    study = propagate(net)
    assert (study.verdict.judged, study.verdict.findings) == (False, ())
    assert any("not judged, because the net normalizes (BatchNorm1D)" in n for n in study.notes)
    for name, value in net.state_dict().items():
        np.testing.assert_array_equal(value.numpy(), before[name], strict=True)


def test_a_layer_that_runs_twice_is_measured_twice():
    class Siamese(nn.Layer):
        def __init__(self):
            super().__init__()
            self.tower = nn.Linear(4, 3)

        def forward(self, query, item):
            return (self.tower(query) * self.tower(item)).sum(1)

    rows = np.random.default_rng(1).standard_normal((2, 6, 4)).astype("float32")
    study = propagate(Siamese(), input={"query": rows[0], "item": rows[1]})
    assert [row.name for row in study.rows] == ["tower", "tower #2"]


def test_layers_that_do_not_run_and_gradients_that_do_not_arrive_are_told():
    class Half(nn.Layer):
        def __init__(self):
            super().__init__()
            self.one, self.two, self.idle = nn.Linear(4, 4), nn.Linear(4, 4), nn.Linear(4, 4)

        def forward(self, x):
            return self.one(x) + self.two(x).detach()

    study = propagate(Half())
    assert any(note == "no gradient reaches two" for note in study.notes)
    assert any(note.endswith("seen to run: idle") for note in study.notes)
    form = study.to_dict()
    assert form["layers"][1]["measured"]["gradient_norm"] is None
    assert form["layers"][1]["predicted"] is form["input_gradient"] is None


def test_recurrent_layers_are_said_not_to_be_measured():
    class Tagger(nn.Layer):
        def __init__(self):
            super().__init__()
            self.rnn, self.out = nn.LSTM(4, 5), nn.Linear(5, 2)

        def forward(self, x):
            return self.out(self.rnn(x)[0])

    study = propagate(Tagger(), input=np.ones((3, 7, 4), "float32"))
    assert [row.name for row in study.rows] == ["out"]
    assert any("rnn" in note and "not measured" in note for note in study.notes)


def test_frozen_nets_are_measured_forward():
    net = nn.Sequential(nn.Linear(4, 4), nn.Tanh(), nn.Linear(4, 3))
    for parameter in net.parameters():
        parameter.stop_gradient = True
    study = propagate(net)
    assert all(math.isnan(layer.gradient.second) for layer in study.measured.layers)
    assert study.verdict.findings == ()
    assert any(note == "no gradient reaches 0, 2" for note in study.notes)


def test_a_net_that_vanishes_is_still_found():
    paddle.seed(0)
    attr = paddle.ParamAttr(initializer=nn.initializer.Normal(0, 0.001))
    net = nn.Sequential(nn.Conv2D(1, 4, 3, weight_attr=attr), nn.Flatten(), nn.Linear(144, 3, attr))
    study = propagate(net, input=np.ones((2, 1, 8, 8), "float32"))
    assert set(study.verdict.findings) == {"vanishing signal", "vanishing gradient"}


def test_gradients_of_parameters_are_left_as_they_were():
    net = DeepFM()
    given = deepfm_batch()
    net(*map(paddle.to_tensor, given.values())).sum().backward()
    before = {name: p.grad.numpy().copy() for name, p in net.named_parameters()}
    propagate(net, input=given)
    for name, parameter in net.named_parameters():
        np.testing.assert_array_equal(parameter.grad.numpy(), before[name], strict=True)


def test_embeddings_alone_are_nothing_to_measure():
    with pytest.raises(PropagationError, match="no layer with a weight of two dimensions"):
        measure_layers(nn.Embedding(5, 4), np.ones((2, 3), int))


@pytest.mark.parametrize("widths", ["300,128,1", "16,1024,512,1", "8,1", "40,4096,1"])
@pytest.mark.parametrize("scheme", ["he_normal", "constant_variance", "xavier_normal"])
def test_a_net_with_one_output_is_fine(widths, scheme):
    """Seen from one output a unit's share of the gradient is small, however the net is drawn."""
    sizes = list(map(int, widths.split(",")))
    from paddle_init.schemes import he_normal, xavier_normal
    from paddle_init.signal.dense import mlp
    from paddle_init.signal.propagation import propagate_dense
    from paddle_init.signal.verdict import judge, variance_kept

    rule = {"he_normal": he_normal(), "xavier_normal": xavier_normal()}.get(scheme)
    layers = mlp(sizes, "relu", rule or variance_kept("relu"))
    verdict = judge(layers, propagate_dense(layers))
    assert not [each for each in verdict.findings if "gradient" in each]


@pytest.mark.parametrize(
    ("std", "activation", "wrong"),
    [(0.0125, "tanh", "vanishing"), (0.5, "relu", "exploding"), (0.01, "relu", "vanishing")],
)
def test_a_deep_net_that_vanishes_or_explodes_is_found(std, activation, wrong):
    for widths in ([64] * 33, [64] * 32 + [1]):
        scheme = f"{{kind: normal, std: {std}}}"
        args = ("-a", activation, "--scheme", scheme, "--no-measure", "--fail-on", wrong)
        done = paddle_init("propagate", ",".join(map(str, widths)), *args, "--format", "json")
        assert done.returncode == 1
        assert f"{wrong} gradient" in json.loads(done.stdout)["verdict"]["findings"]


def test_advice_leaves_nothing_wrong():
    """Whatever is proposed is judged again, and is fine."""
    for args in (
        ["64", "--layers", "32", "-a", "tanh", "--scheme", "{kind: normal, std: 0.0125}"],
        ["64", "--layers", "32", "-a", "sigmoid", "--scheme", "{kind: normal, std: 5}"],
        ["784,100,58,38,28,10", "-a", "sigmoid", "--scheme", "xavier_normal"],
        ["512", "--layers", "64", "-a", "hardshrink", "--scheme", "he_normal"],
    ):
        done = paddle_init("propagate", *args, "--no-measure", "--format", "json")
        verdict = json.loads(done.stdout)["verdict"]
        assert verdict["fix"] is None or verdict["fix"]["remaining"] == []
        text = paddle_init("propagate", *args, "--no-measure").stdout
        assert ("which leaves nothing wrong" in text) == ("\nbetter " in text)
        assert ("none of the schemes" in text) == ("\nbetter " not in text)


def test_several_inputs_of_the_first_layer_are_one(tmp_path: Path):
    done = paddle_init("propagate", CONFIGS / "blockwise.yaml", "--format", "json")
    assert done.returncode == 0
    first = json.loads(done.stdout)["layers"][0]
    assert (first["fan_in"], first["fan_out"], first["activation"]) == (316, 64, "tanh")
    # rows of three scales: sum of rown * std^2, and the bias's variance
    expected = 0.2**2 + 0.1**2 + 16 * 0.02**2 + 0.2**2
    assert first["predicted"]["pre_activation"]["second_moment"] == pytest.approx(expected)
    real = first["measured"]["pre_activation"]["second_moment"]
    assert real == pytest.approx(expected, rel=5 * first["spread"])


def test_the_command_takes_arrays_by_name_and_functions(tmp_path: Path):
    np.savez(tmp_path / "batch.npz", **deepfm_batch())
    here = Path(theory_nets.__file__).parent
    for given in (str(tmp_path / "batch.npz"), "theory_nets:deepfm_batch"):
        done = paddle_init(
            "propagate", "theory_nets:DeepFM", "--input", given, "--format", "json", cwd=here
        )
        assert (done.returncode, done.stderr) == (0, "")
        form = json.loads(done.stdout)
        assert [layer["name"] for layer in form["layers"]] == ["first", "last", "wide"]
        assert form["batch"] == 32


@pytest.fixture
def _objects(monkeypatch):
    monkeypatch.chdir(Path(theory_objects.__file__).parent)


@pytest.mark.parametrize("form", ["text", "markdown", "html"])
@pytest.mark.parametrize("language", ["en", "zh"])
@pytest.mark.usefixtures("_objects")
def test_every_form_tells_a_net_that_was_only_measured(form, language, tmp_path: Path, capsys):
    np.savez(tmp_path / "batch.npz", **deepfm_batch())
    args = ["--input", str(tmp_path / "batch.npz"), "--format", form, "--lang", language]
    assert main(["propagate", "theory_nets:DeepFM", *args]) == 0
    done = capsys.readouterr()
    assert done.err == ""
    told = "not predicted" if language == "en" or form == "html" else "没有预测"
    assert told in " ".join(done.out.split())


@pytest.mark.usefixtures("_objects")
def test_a_gate_fails_where_nothing_was_judged(capsys):
    command = ["propagate", "theory_objects:normalized"]
    assert main(command) == 0
    assert main([*command, "--fail-on", "vanishing"]) == 1
    assert capsys.readouterr().out.startswith("Not known whether anything is wrong: 2 layers.")


@pytest.mark.usefixtures("_objects")
def test_a_picture_of_a_net_that_was_only_measured(tmp_path: Path):
    picture = tmp_path / "signal.png"
    assert main(["propagate", "theory_objects:Residual", "-o", str(picture)]) == 0
    assert picture.read_bytes()[:4] == b"\x89PNG"
