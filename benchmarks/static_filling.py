"""Exact values into a static graph, against Assign: `python -m benchmarks.static_filling`.

Assign stores every value in the startup program; `initialize` writes them into the parameter's
tensor after that program has run. Drawing is apart: the values are there before the clock starts.
"""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable

import click
import numpy as np

from paddle_init.frameworks.paddle.nets.filling import Filling
from paddle_init.specs import RowBlock, Tensor


def seconds(work: Callable[[], object]) -> float:
    start = time.perf_counter()
    work()
    return time.perf_counter() - start


@click.command()
@click.option("--count", default=4_000_000, show_default=True, help="Values of the parameter.")
@click.option("--rounds", default=5, show_default=True, help="Of filling; Assign runs once.")
def main(count: int, rounds: int) -> None:
    """Print both times and their ratio."""
    import paddle
    from paddle.nn.initializer import Assign, Constant

    paddle.enable_static()
    values = np.random.default_rng(1).standard_normal(count, np.float32).reshape(-1, 1000)
    tensor = Tensor("w", "weight", values.shape, (RowBlock("w", 0, len(values)),))
    executor, scope = paddle.static.Executor(paddle.CPUPlace()), paddle.static.Scope()

    def started(initializer: paddle.nn.initializer.Initializer, name: str) -> None:
        main, startup = paddle.static.Program(), paddle.static.Program()
        with paddle.static.program_guard(main, startup), paddle.static.scope_guard(scope):
            paddle.static.create_parameter(
                list(values.shape), "float32", name, default_initializer=initializer
            )
            executor.run(startup)

    def fill() -> None:
        dense = scope.find_var("w").get_tensor()
        filling = Filling(lambda tensor, whole: dense.set(whole, paddle.CPUPlace()))
        filling.put(tensor, 0, values.reshape(-1))

    started(Constant(0.0), "w")
    filled = statistics.median(seconds(fill) for _ in range(rounds))
    assigned = seconds(lambda: started(Assign(values), "assigned"))
    for name in ("w", "assigned"):
        assert np.array_equal(np.array(scope.find_var(name).get_tensor()), values)
    print(f"{count:,} float32 values")
    print(f"Assign       {assigned:8.3f} s")
    print(f"initialize   {filled:8.3f} s")
    print(f"ratio        {assigned / filled:8.0f}")


if __name__ == "__main__":
    main()
