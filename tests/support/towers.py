"""The two example towers, as modules."""

from __future__ import annotations

import importlib.util
from pathlib import Path
from types import ModuleType

import paddle

from paddle_init import NetSpec

EXAMPLES = Path(__file__).parents[2] / "docs" / "examples"


def example(name: str) -> ModuleType:
    """Import docs/examples/<name>.py."""
    spec = importlib.util.spec_from_file_location(name, EXAMPLES / f"{name}.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


static_tower = example("static_tower")
dynamic_tower = example("dynamic_tower")

INPUTS = {"bn_video": 200, "bn_news": 100, "gate_merge": 300}


def built(spec: NetSpec) -> paddle.Tensor:
    """Build the static tower in the current program."""
    inputs = [paddle.static.data(name, [None, width]) for name, width in INPUTS.items()]
    return static_tower.common_tower(*inputs, spec)
