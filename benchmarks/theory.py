"""How fast theory is: coefficients against adaptive quadrature, prediction against measurement.

    python -m benchmarks.theory

Every pair of times is the best of several runs in the same process; compare ratios, not figures.
"""

from __future__ import annotations

import math
import os
import time
from collections.abc import Callable
from functools import partial

os.environ.setdefault("OMP_NUM_THREADS", "1")

import numpy as np

from paddle_init.activations.gains import DEFAULT_TABLE, gain, power_moments
from paddle_init.activations.notation import activation
from paddle_init.frameworks.paddle.nets.operators import build
from paddle_init.schemes import xavier_uniform
from paddle_init.signal.dense import mlp
from paddle_init.signal.measurement import measure
from paddle_init.signal.propagation import propagate_dense

SCALARS: dict[str, Callable[[float], float]] = {
    "tanh": math.tanh,
    "relu": lambda x: x if x > 0 else 0.0,
    "selu": lambda x: 1.0507009873554805 * (x if x > 0 else 1.6732632423543772 * math.expm1(x)),
    "gelu": lambda x: 0.5 * x * math.erfc(-x * math.sqrt(0.5)),
    "hardtanh": lambda x: max(-1.0, min(1.0, x)),
}


def best(work: Callable[[], object], repeats: int) -> float:
    times = []
    for _ in range(repeats):
        start = time.perf_counter()
        work()
        times.append(time.perf_counter() - start)
    return min(times)


def by_quad(function: Callable[[float], float]) -> tuple[float, float]:
    """1 / sqrt(E[f(z)^2]) by scipy over the whole line, at the accuracy it can reach."""
    from scipy.integrate import quad  # type: ignore[import-untyped]

    def integrand(z: float) -> float:
        return float(function(z)) ** 2 * math.exp(-0.5 * z * z) / math.sqrt(2 * math.pi)

    second, error = quad(integrand, -math.inf, math.inf, epsabs=1e-14, epsrel=1e-13, limit=200)[:2]
    return 1 / math.sqrt(second), error


def coefficients() -> None:
    names = DEFAULT_TABLE
    found = {name: activation(name) for name in names}

    def ours() -> None:
        power_moments.cache_clear()
        for name in names:
            gain(name)

    def theirs(name: str) -> tuple[float, float]:
        function = found[name].function
        return by_quad(lambda z: function(np.float64(z).reshape(1))[0])

    ours()
    seconds = best(ours, 20) / len(names)
    quad_seconds = sum(best(partial(theirs, name), 1) for name in names) / len(names)
    print("coefficients per second, the default table")
    print(
        f"  paddle_init        {1 / seconds:10.0f}   errors up to "
        f"{max(gain(name).error for name in names):.1e}"
    )
    print(
        f"  scipy quad         {1 / quad_seconds:10.0f}   the same activations; differs by up to "
        f"{max(abs(theirs(name)[0] - gain(name).gain) for name in names):.1e}"
    )
    print(f"  ratio              {quad_seconds / seconds:10.1f}")
    print("against quad of hand-written scalar functions")
    for name, function in SCALARS.items():

        def one(name: str = name) -> None:
            power_moments.cache_clear()
            gain(name)

        mine = best(one, 200)
        other = best(partial(by_quad, function), 20)
        print(f"  {name:12s} {mine * 1e6:8.0f} us {other * 1e6:8.0f} us  ratio {other / mine:6.1f}")


def propagation() -> None:
    layers = mlp([1024] * 33, "tanh", xavier_uniform())
    predicted = best(lambda: propagate_dense(layers), 50)
    measured = best(lambda: measure(build(layers), batch=256), 3)
    bare = best(lambda: measure(build(layers), batch=256, bins=0), 3)
    print("32 layers of 1024, batch 256, tanh")
    print(f"  predicting                      {predicted * 1e3:8.2f} ms")
    print(
        f"  building and measuring          {measured * 1e3:8.0f} ms  ratio "
        f"{measured / predicted:6.0f}"
    )
    print(f"  the same without histograms     {bare * 1e3:8.0f} ms  ratio {bare / predicted:6.0f}")


if __name__ == "__main__":
    coefficients()
    propagation()
