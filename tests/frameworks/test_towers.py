"""The two example towers: their ops' exact numbers, their forward pass, their scripts."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import paddle
import pytest
from support.paddle_graph import StaticGraph, fresh_names, static_graph
from support.towers import EXAMPLES, INPUTS, built, dynamic_tower, static_tower


def stds(graph: StaticGraph) -> dict[str, str]:
    return {
        name: ops[0]["std"].hex()
        for name, ops in graph.drawn().items()
        if ops[0]["op"] == "gaussian"
    }


def as_float32(value: float) -> str:
    return float(np.float32(value)).hex()


def test_static_towers_ops_have_the_documents_std() -> None:
    with static_graph() as graph:
        built(static_tower.tower_spec("rank", [300, 128, 1]))
        found = stds(graph)
    # the document: init_range / (scales_tmp[i] ** 0.5), scales_tmp = [300, 128, 1]
    assert found == {
        "rank_fc_0.w_0": as_float32(1.0 * (0.2 / (300**0.5))),
        "rank_fc_0.b_0": as_float32(1.0 * (0.2 / (300**0.5))),
        "rank_fc_1.w_0": as_float32(1.0 * (0.2 / (128**0.5))),
        "rank_fc_1.b_0": as_float32(1.0 * (0.2 / (128**0.5))),
    }


@pytest.mark.parametrize(("last_none", "lr_x"), [(False, 1.0), (True, 0.5)])
def test_dynamic_towers_ops_have_the_documents_std(last_none: bool, lr_x: float) -> None:
    widths = [37, 512, 256, 1]
    with static_graph() as graph:
        net = dynamic_tower.DeepNet(widths, init_range=0.2, last_none=last_none, lr_x=lr_x)
        found = stds(graph)
    expected = {}
    for fc, width in zip(net.fcs, widths[:-1], strict=True):
        for parameter in (fc.weight, fc.bias):
            expected[parameter.name] = as_float32(1.0 * (0.2 / (width**0.5)))
            assert parameter.optimize_attr == {"learning_rate": lr_x}
    assert found == expected


def test_static_tower_computes_what_the_document_says() -> None:
    generator = np.random.default_rng(1)
    feed = {name: generator.normal(size=(4, n)).astype("float32") for name, n in INPUTS.items()}
    with static_graph() as graph:
        score = built(static_tower.tower_spec("rank", [300, 128, 1]))
        executor, scope = paddle.static.Executor(paddle.CPUPlace()), paddle.static.Scope()
        with paddle.static.scope_guard(scope):
            executor.run(graph.startup)
            (scores,) = executor.run(graph.main, feed=feed, fetch_list=[score])
            w0, b0, w1, b1 = (
                np.array(scope.find_var(f"rank_fc_{name}").get_tensor())
                for name in ("0.w_0", "0.b_0", "1.w_0", "1.b_0")
            )
    x = np.concatenate([feed["bn_video"], feed["bn_news"]], axis=1) * feed["gate_merge"]
    h = x @ w0 + b0
    h = (h - h.mean(1, keepdims=True)) / np.sqrt(h.var(1, keepdims=True) + 1e-5)
    # float32 sums in another order: a few units in the 1e-7 place
    np.testing.assert_allclose(scores, np.maximum(h, 0) @ w1 + b1, rtol=1e-4, atol=1e-5)


@pytest.mark.parametrize("last_none", [False, True])
def test_dynamic_tower_computes_what_the_document_says(last_none: bool) -> None:
    x = np.random.default_rng(1).normal(size=(64, 37)).astype("float32")
    paddle.seed(5)
    with fresh_names():
        net = dynamic_tower.DeepNet([37, 16, 8, 9], last_none=last_none)
    h = x
    for i, fc in enumerate(net.fcs):
        h = h @ fc.weight.numpy() + fc.bias.numpy()
        if i < 2 or not last_none:
            h = np.maximum(h, 0)
    assert (h < 0).any() == last_none
    np.testing.assert_allclose(net(paddle.to_tensor(x)).numpy(), h, rtol=1e-4, atol=1e-6)


@pytest.mark.parametrize(
    ("script", "line"),
    [
        ("static_tower.py", "rank_fc_0.w_0 [300, 128] std 0.011547, measured 0.0115"),
        ("dynamic_tower.py", "linear_1.b_0   [64]       std 0.017678, measured 0.017"),
    ],
)
def test_scripts_print_scheme_and_measured_std(script: str, line: str) -> None:
    root = Path(__file__).parents[2]
    environment = os.environ | {"PYTHONPATH": str(root)}
    result = subprocess.run(
        [sys.executable, EXAMPLES / script],
        capture_output=True,
        text=True,
        check=True,
        env=environment,
    )
    assert any(row.startswith(line) for row in result.stdout.splitlines()), result.stdout
