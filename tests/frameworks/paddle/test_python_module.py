"""Modules written for a conf, imported and run with the real Paddle."""

from __future__ import annotations

import ast
import subprocess
import sys
import time
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import paddle
import pytest
from support.generated import ABACUS, DOUBLE, FAMILIES, SHARED, TWO_HEADS, imported
from support.paddle_graph import fresh_names, static_graph
from support.reference import unavailable
from support.startup_ops import cutoffs

from abacus_compat import load_conf
from paddle_init import initialize, sample, verify
from paddle_init.distributions import (
    Blocks,
    Constant,
    Distribution,
    Normal,
    TruncatedNormal,
    Uniform,
)
from paddle_init.errors import Notice, SpecError
from paddle_init.frameworks.paddle.module import LAYER_NAMES, net_class, python_module
from paddle_init.frameworks.paddle.nets.attrs import param_attrs
from paddle_init.schemes import constant, xavier_uniform
from paddle_init.specs import Draw, Input, Layer, NetSpec, Tensor
from paddle_init.verification import Verdict

ROOT = Path(__file__).parents[3]
CONFS = sorted((ROOT / "configs").glob("*.yaml"))
ALLOWED = {"__future__", "copy", "inspect", "warnings", "paddle"}
BUILT = {"shared": SHARED, "two heads": TWO_HEADS, "float64": DOUBLE, "families": FAMILIES}


def confs() -> dict[str, NetSpec]:
    found = {}
    for path in CONFS:
        if not path.read_bytes().lstrip().startswith(b"paddle_init"):
            found[path.name] = load_conf(path)
    return found


SPECS = {**confs(), **BUILT}
NETS = {
    name: spec
    for name, spec in SPECS.items()
    if name in BUILT or (spec.layers and not spec.skipped_layers)
}


def cases(specs: dict[str, NetSpec]) -> list[Any]:
    """Return a case per spec; the truncated normal of `families` is cut freely."""
    newer = {"families": pytest.mark.paddle_3}
    return [pytest.param(spec, id=name, marks=newer.get(name, ())) for name, spec in specs.items()]


each_spec = pytest.mark.parametrize("spec", cases(SPECS))
each_net = pytest.mark.parametrize("spec", cases(NETS))


def test_configs_hold_nets_and_others() -> None:
    assert {"abacus_rank.yaml", "blockwise.yaml"} <= NETS.keys()
    assert {"flat.yaml", "training.yaml"} <= SPECS.keys() - NETS.keys()


def f32(value: float) -> float:
    return float(np.float32(value))


def expected_op(drawn: Distribution, shape: list[int]) -> dict[str, object]:
    match drawn:
        case Normal(mean, std):
            own = {"op": "gaussian", "mean": f32(mean), "std": f32(std)}
        case Uniform(low, high):
            own = {"op": "uniform", "low": f32(low), "high": f32(high)}
        case TruncatedNormal(mean, std, low, high):
            own = {"op": "truncated_gaussian", "mean": f32(mean), "std": f32(std)}
            own |= cutoffs(low, high)
        case Constant(value):
            own = {"op": "full", "value": value}
        case _:
            raise AssertionError(drawn)
    return own | {"shape": shape}


def expected_ops(spec: NetSpec, tensor: Tensor) -> list[dict[str, object]]:
    drawn = spec.distribution(tensor)
    if not isinstance(drawn, Blocks):
        return [expected_op(drawn, list(tensor.shape))]
    columns = tensor.shape[1:]
    return [expected_op(part.distribution, [part.rows, *columns]) for part in drawn.parts]


@each_spec
def test_ops_are_the_specs(spec: NetSpec, tmp_path: Path) -> None:
    attrs = imported(spec, tmp_path).param_attrs()
    assert list(attrs) == [tensor.name for tensor in spec.tensors]
    with static_graph() as graph:
        for tensor in spec.tensors:
            shape = list(tensor.shape)
            paddle.static.create_parameter(shape, tensor.dtype, attr=attrs[tensor.name])
        found = graph.drawn()
    assert found == {tensor.name: expected_ops(spec, tensor) for tensor in spec.tensors}


@each_spec
def test_constants_are_the_same_doubles(spec: NetSpec, tmp_path: Path) -> None:
    module = imported(spec, tmp_path)
    found = {value for name, value in vars(module).items() if name.isupper()}
    used = {block.draw for tensor in spec.tensors for block in tensor.blocks} - {"same"}
    numbers = [vars(spec.drawn(name)) for name in used]
    assert found == {n for own in numbers for key, n in own.items() if key != "mean"}


@each_net
def test_net_draws_as_the_spec_in_its_order(spec: NetSpec, tmp_path: Path) -> None:
    module = imported(spec, tmp_path)
    layered = {name for layer in spec.layers for name in (layer.weight, layer.bias)}
    tensors = [tensor for tensor in spec.tensors if tensor.name in layered]
    paddle.seed(17)
    with fresh_names():
        net = {parameter.name: parameter for parameter in module.Net().parameters()}
    paddle.seed(17)
    attrs = param_attrs(spec)
    with fresh_names():
        alone = [
            paddle.create_parameter(list(tensor.shape), tensor.dtype, attr=attrs[tensor.name])
            for tensor in tensors
        ]
    assert sorted(net) == sorted(tensor.name for tensor in tensors)
    for expected in alone:
        assert net[expected.name].dtype == expected.dtype
        assert net[expected.name].numpy().tobytes() == expected.numpy().tobytes()


ACTIVATIONS: dict[str, Callable[[np.ndarray], np.ndarray]] = {
    "linear": lambda x: x,
    "relu": lambda x: np.maximum(x, 0),
    "sigmoid": lambda x: 1 / (1 + np.exp(-x)),
    "softsign": lambda x: x / (1 + np.abs(x)),
    "tanh": np.tanh,
}


def by_hand(
    spec: NetSpec, values: dict[str, np.ndarray], given: dict[str, np.ndarray]
) -> dict[str, np.ndarray]:
    known = dict(given)
    for layer in spec.layers:
        x = np.concatenate([known[read.name] for read in layer.inputs], axis=1)
        y = x @ values[layer.weight] + (values[layer.bias] if layer.bias else 0)
        known[layer.output] = ACTIVATIONS[layer.activation](y)
    read = {item.name for layer in spec.layers for item in layer.inputs}
    return {name: value for name, value in known.items() if name not in read}


def run_net(spec: NetSpec, folder: Path) -> None:
    dtype = spec.tensors[0].dtype
    made = {layer.output for layer in spec.layers}
    reads = [read for layer in spec.layers for read in layer.inputs if read.name not in made]
    generator = np.random.default_rng(3)
    given = {read.name: 3 * generator.normal(size=(8, read.width)).astype(dtype) for read in reads}
    with fresh_names():
        net = imported(spec, folder).Net()
    values = {parameter.name: parameter.numpy() for parameter in net.parameters()}
    outputs = net(*(paddle.to_tensor(value) for value in given.values()))
    expected = by_hand(spec, values, given)
    outputs = outputs if isinstance(outputs, tuple) else (outputs,)
    assert len(outputs) == len(expected)
    for output, value in zip(outputs, expected.values(), strict=True):
        assert list(output.shape) == list(value.shape)
        # the same products, summed in float32 in another order
        np.testing.assert_allclose(output.numpy(), value, rtol=2e-5, atol=2e-6)


@each_net
def test_forward_is_the_confs(spec: NetSpec, tmp_path: Path) -> None:
    run_net(spec, tmp_path)


@pytest.mark.parametrize("activation", ACTIVATIONS)
def test_every_activation(activation: str, tmp_path: Path) -> None:
    layers = (replace(SHARED.layers[0], activation=activation), SHARED.layers[1])
    run_net(replace(SHARED, layers=layers), tmp_path)


def test_a_shared_parameter_is_one(tmp_path: Path) -> None:
    with fresh_names():
        net = imported(SHARED, tmp_path).Net()
    assert [parameter.name for parameter in net.parameters()] == ["w", "b1", "b2"]


def test_inputs_go_by_name(tmp_path: Path) -> None:
    with fresh_names():
        net = imported(TWO_HEADS, tmp_path).Net()
    user, item = paddle.ones([3, 5]), paddle.zeros([3, 2])
    for one, other in zip(net(user, item), net(item=item, user=user), strict=True):
        assert one.numpy().tobytes() == other.numpy().tobytes()


def test_options_and_prefix_reach_the_parameters(tmp_path: Path) -> None:
    module = imported(SPECS["abacus_rank.yaml"], tmp_path)
    with fresh_names():
        net = module.Net("left_", learning_rate=0.5)
        module.Net("right_")
        unnamed = [module.Net(None), module.Net(None)]
    assert net.fc1.weight.name == "left_fc1_w"
    assert net.fc1.weight.optimize_attr == {"learning_rate": 0.5}
    assert unnamed[0].fc1.weight.name != unnamed[1].fc1.weight.name


def test_nets_of_one_process_have_names_of_their_own(tmp_path: Path) -> None:
    spec = SPECS["blockwise.yaml"]
    with fresh_names():
        first, again = imported(spec, tmp_path), imported(spec, tmp_path)
        nets = [first.Net(), first.Net(), again.Net()]
    names = list(spec.tensor_by_name)
    for net, ending in zip(nets, ("", "@1", "@2"), strict=True):
        assert [one.name for one in net.parameters()] == [name + ending for name in names]


@pytest.mark.parametrize("last", [0, 1, 2])
def test_a_checkpoint_of_any_net_verifies(tmp_path: Path, last: int) -> None:
    spec = SPECS["abacus_rank.yaml"]
    module = imported(spec, tmp_path)
    with fresh_names():
        nets = [module.Net() for _ in range(3)]
    paddle.save(nets[last].state_dict(), str(tmp_path / "net.pdparams"))
    for weights in (tmp_path / "net.pdparams", nets[last]):
        made = verify(weights, spec, any_seed=True)
        assert [(one.name, one.verdict) for one in made.parameters] == [
            (name, Verdict.FOLLOWS) for name in spec.tensor_by_name
        ]


def test_any_net_is_filled_by_the_names_of_the_spec(tmp_path: Path) -> None:
    spec = SPECS["abacus_rank.yaml"]
    module = imported(spec, tmp_path)
    with fresh_names():
        nets = [module.Net(), module.Net()]
    expected = sample(spec, seed=3)
    for net in nets:
        initialize(net, spec, seed=3)
        for (name, array), parameter in zip(expected.items(), net.parameters(), strict=True):
            assert parameter.name.partition("@")[0] == name
            assert array.tobytes() == parameter.numpy().tobytes()


def test_static_nets_keep_their_names(tmp_path: Path) -> None:
    spec = SPECS["abacus_rank.yaml"]
    module = imported(spec, tmp_path)
    for _ in range(2):  # a program to train and one to test share by name
        with static_graph():
            names = [one.name for one in module.Net().parameters()]
        assert names == list(spec.tensor_by_name)


def test_no_bias_is_bias_attr_false(tmp_path: Path) -> None:
    spec = NetSpec(
        "abacus",
        draws=(Draw("w", (4, 2), ABACUS),),
        layers=(Layer("fc", "fc", (Input("x", 4),), "w", None, "linear"),),
    )
    with fresh_names():
        assert imported(spec, tmp_path).Net().fc.bias is None
    assert "bias_attr=False" in python_module(spec)


PLAIN = replace(SHARED, layers=())


@pytest.mark.parametrize(
    ("spec", "reason"),
    [
        (PLAIN, "the conf describes no layers"),
        (
            replace(SHARED, skipped_layers=("bn", "mul")),
            "not every layer is fully connected: bn, mul",
        ),
        (
            replace(SHARED, layers=(replace(SHARED.layers[0], activation="leaky_relu"),)),
            "layer one has the activation leaky_relu, not one of linear, relu, sigmoid, "
            "softsign, tanh",
        ),
        (
            replace(SHARED, layers=(replace(SHARED.layers[0], inputs=()),)),
            "layer one has no input",
        ),
    ],
)
def test_without_a_layer_the_docstring_says_why(spec: NetSpec, reason: str, tmp_path: Path) -> None:
    module = imported(spec, tmp_path)
    assert not hasattr(module, "Net")
    assert f"There is no Layer here, because {reason}." in " ".join(module.__doc__.split())
    assert list(module.param_attrs()) == ["w", "b1", "b2"]


def test_comments_name_line_and_rule() -> None:
    source = python_module(SPECS["abacus_rank.yaml"])
    rule = "std = init_range * global_init_range / sqrt(rown) = 1 * 0.2 / sqrt(129)"
    where = f"{ROOT / 'configs' / 'abacus_rank.yaml'}:16"
    assert f"# fc2_w [129, 1], {where}\n# {rule}\nFC2_W_STD = 0.01760901812651247" in source


def test_a_narrow_scale_says_so() -> None:
    source = python_module(load_conf(ROOT / "configs" / "flat.yaml", arithmetic="float32"))
    assert ", computed in float32\n" in source
    assert "\nWEIGHT_STD = 0.01154700480401516\n" in source


def test_notices_are_passed_on() -> None:
    notice = Notice("zero-scale", "every weight starts at 0", "w")
    assert "\n- zero-scale, w: every weight starts at 0.\n" in python_module(
        replace(PLAIN, notices=(notice,))
    )


@pytest.mark.parametrize(
    "draws",
    [(), (Draw("conv", (8, 4, 3, 3), xavier_uniform()), Draw("scale", (8,), constant(1)))],
    ids=["empty", "convolution"],
)
def test_what_is_no_fully_connected_net(draws: tuple[Draw, ...], tmp_path: Path) -> None:
    module = imported(NetSpec("paddle", draws=draws), tmp_path)
    assert list(module.param_attrs()) == [draw.name for draw in draws]
    assert "Linear" not in module.__doc__


def test_what_paddle_cannot_draw_is_refused() -> None:
    spec = NetSpec("paddle", draws=(Draw("b", (5,), constant(1e39)),))
    with pytest.raises(SpecError, match=r"tensor b: .*overflows float32"):
        python_module(spec)


@each_spec
def test_needs_only_paddle(spec: NetSpec) -> None:
    tree = ast.parse(python_module(spec))
    names = [
        alias.name
        for node in ast.walk(tree)
        if isinstance(node, ast.Import)
        for alias in node.names
    ]
    names += [node.module or "" for node in ast.walk(tree) if isinstance(node, ast.ImportFrom)]
    assert {name.split(".")[0] for name in names} <= ALLOWED


def ruff(*arguments: object) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "ruff", *map(str, arguments)]
    return subprocess.run(command, capture_output=True, text=True, check=False)


def test_written_modules_pass_ruff(tmp_path: Path) -> None:
    if ruff("--version").returncode:
        unavailable("no ruff (pip install ruff)")
    for name, spec in SPECS.items():
        path = tmp_path / f"{name.split('.')[0].replace(' ', '_')}.py"
        path.write_text(python_module(spec), encoding="utf-8")
    # the project's own rules, and the widths of ruff's defaults
    for arguments in (
        ("check", "--config", ROOT / "pyproject.toml"),
        ("format", "--check", "--isolated"),
    ):
        result = ruff(*arguments, tmp_path)
        assert result.returncode == 0, result.stdout


def test_writing_does_not_import_paddle() -> None:
    code = (
        "import sys; from abacus_compat import load_conf; "
        "from paddle_init.frameworks.paddle.module import python_module; "
        f"python_module(load_conf({str(ROOT / 'configs' / 'blockwise.yaml')!r})); "
        "sys.exit('paddle' in sys.modules)"
    )
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0


def test_layer_names_are_all_of_paddles() -> None:
    own = {name for name in dir(paddle.nn.Layer()) if not name.startswith("_")}
    assert own <= LAYER_NAMES


def test_a_deep_net_is_written_in_linear_time() -> None:
    """5,000 layers take 0.2 s; 25 s where the work per layer grows with the net."""
    count = 5000
    names = [(f"w{index}", f"b{index}") for index in range(count)]
    draws = [
        Draw(name, shape, constant(0.0))
        for pair in names
        for name, shape in zip(pair, [(4, 4), (4,)], strict=True)
    ]
    layers = [
        Layer("fc", f"out{index}", (Input(f"out{index - 1}", 4),), weight, bias, "relu")
        for index, (weight, bias) in enumerate(names)
    ]
    spec = NetSpec("paddle", tuple(draws), layers=tuple(layers))
    start = time.process_time()
    lines = net_class(spec)
    assert time.process_time() - start < 5
    assert sum("nn.Linear(" in line for line in lines) == count
