"""Paddle's graphs for tests: a static graph that is left again, and what its startup draws."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import numpy as np
import paddle
from paddle.utils import unique_name

PADDLE_3 = paddle.__version__[0] >= "3"
"""Paddle 3 has PIR, truncated normals with cutoffs, empty tensors, and half types on the CPU."""


@contextmanager
def fresh_names() -> Iterator[None]:
    """Forget the names of parameters, which a dynamic graph takes only once."""
    with unique_name.guard():
        yield


@dataclass(frozen=True)
class StaticGraph:
    """A main and a startup program."""

    main: Any
    startup: Any

    def initialized(self) -> dict[str, np.ndarray]:
        """Run the startup program; return every parameter by name (bfloat16 as its bits)."""
        executor, scope = paddle.static.Executor(paddle.CPUPlace()), paddle.static.Scope()
        with paddle.static.scope_guard(scope):
            executor.run(self.startup)
            return {
                name: np.array(scope.find_var(name).get_tensor())
                for name in (
                    parameter.name for parameter in self.main.global_block().all_parameters()
                )
            }

    def drawn(self) -> dict[str, list[dict[str, Any]]]:
        """Return each parameter's initializer ops: kind, shape and numbers, by name."""
        found = {}
        for op in self.startup.global_block().ops:
            if op.name() == "builtin.set_parameter":
                root = op.operand_source(0).get_defining_op()
                found[op.attrs()["parameter_name"]] = [_described(part) for part in _parts(root)]
        return found


@contextmanager
def static_graph(random_seed: int = 0, *, old_ir: bool = False) -> Iterator[StaticGraph]:
    """Enter static graph with fresh programs and names, and leave it whatever happens."""
    paddle.enable_static()
    try:
        with paddle.pir_utils.OldIrGuard() if old_ir and PADDLE_3 else fresh_names():
            graph = StaticGraph(paddle.static.Program(), paddle.static.Program())
            graph.startup.random_seed = random_seed
            with paddle.static.program_guard(graph.main, graph.startup), fresh_names():
                yield graph
    finally:
        paddle.disable_static()


def _parts(op: Any) -> list[Any]:
    if op.name() != "pd_op.concat":
        return [op]
    combine = op.operand_source(0).get_defining_op()
    return [combine.operand_source(i).get_defining_op() for i in range(combine.num_operands())]


def _described(op: Any) -> dict[str, Any]:
    attrs = op.attrs()
    numbers = {key: attrs[key] for key in ("mean", "std", "a", "b", "value") if key in attrs}
    if op.name() == "pd_op.uniform":
        low, high = (op.operand_source(i).get_defining_op() for i in (1, 2))
        numbers = {"low": low.attrs()["value"], "high": high.attrs()["value"]}
    return {"op": op.name(), "shape": list(op.result(0).shape), **numbers}
