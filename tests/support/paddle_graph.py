"""Paddle's graphs for tests: a static graph that is left again, and what its startup draws."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
import paddle
import pytest
from paddle.utils import unique_name
from support.startup_ops import startup_ops

PADDLE_3 = paddle.__version__[0] >= "3"
"""Paddle 3 has PIR, truncated normals with cutoffs, empty tensors, and half types on the CPU."""

INSTALLED: Literal["3.3.1", "2.6.2"] = "3.3.1" if PADDLE_3 else "2.6.2"
"""Whose bits the installed Paddle draws, as `sample` calls it."""

each_ir = pytest.mark.parametrize("old_ir", [False, True] if PADDLE_3 else [True])
"""PIR and ProgramDesc: the kinds of program that the installed Paddle has."""


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
                parameter.name: np.array(scope.find_var(parameter.name).get_tensor())
                for parameter in self.parameters()
            }

    def parameters(self) -> list[Any]:
        """Return the main program's parameters in the order of their creation."""
        parameters = self.main.global_block().all_parameters()
        return parameters[::-1] if paddle.framework.use_pir_api() else parameters

    def drawn(self) -> dict[str, list[dict[str, Any]]]:
        """Return each parameter's initializer ops: kind, shape and numbers, by name."""
        return startup_ops(self.startup)


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
