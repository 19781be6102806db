"""Ranking towers, dynamic and static: read, drawn, filled and verified, every value to the bit."""

from __future__ import annotations

import numpy as np
import paddle
import pytest
from support.paddle_graph import each_ir, fresh_names, static_graph
from support.ranking_nets import DYNAMIC, STATIC

from paddle_init import initialize, read_net, sample, verify

SEEDS = (0, 7, 20261130)


def differing(values, state):
    """Names whose bits differ, and how many."""
    assert set(values) == set(state)
    return {
        name: int((values[name].view(np.uint32) != held.view(np.uint32)).sum())
        for name, held in state.items()
        if (values[name].view(np.uint32) != held.view(np.uint32)).any()
    }


def parameters(net):
    return {name: p.numpy() for name, p in net.named_parameters() if p.name not in _running(net)}


def _running(net):
    """BatchNorm keeps its running mean and variance among its parameters."""
    return {
        p.name
        for layer in net.sublayers()
        for name, p in layer._parameters.items()
        if name in ("_mean", "_variance")
    }


@pytest.mark.parametrize("name", DYNAMIC)
def test_a_dynamic_tower(name):
    spec = read_net(DYNAMIC[name])
    for seed in SEEDS:
        with fresh_names():
            paddle.seed(seed)
            net = DYNAMIC[name]()
        state = {key: value.numpy() for key, value in net.state_dict().items()}
        drawn = sample(spec, seed=seed)
        expected = {key: state[key] for key in drawn}
        assert differing(drawn, expected) == {}
        assert set(parameters(net)) <= set(drawn)
        found = verify(net, spec, seed=seed)
        assert {p.verdict.value for p in found.parameters} == {"identical"}
    with fresh_names():
        paddle.seed(1)
        other = DYNAMIC[name]()
    initialize(other, spec, seed=SEEDS[-1])
    filled = {key: value.numpy() for key, value in other.state_dict().items()}
    assert differing({key: filled[key] for key in drawn}, expected) == {}


@each_ir
@pytest.mark.parametrize("minimized", [False, True], ids=["net", "minimized"])
@pytest.mark.parametrize("name", STATIC)
def test_a_static_tower(name, minimized, old_ir):
    with static_graph(old_ir=old_ir) as graph:
        logit = STATIC[name]()
        weights = {p.name for p in graph.parameters()}
        if minimized:
            label = paddle.static.data("label", [None, 1], "float32")
            loss = paddle.nn.functional.binary_cross_entropy_with_logits(logit, label).mean()
            paddle.optimizer.Adam(1e-3).minimize(loss)
        spec = read_net((graph.main, graph.startup))
        assert {tensor.name for tensor in spec.tensors} == weights
        for seed in SEEDS:
            paddle.seed(seed)
            initialized = graph.initialized()
            state = {key: initialized[key] for key in weights}
            assert differing(sample(spec, seed=seed), state) == {}
            found = verify(state, spec, seed=seed)
            assert {p.verdict.value for p in found.parameters} == {"identical"}
