"""Random startup programs with disturbances: what is read of them against what Paddle runs.

As a program of its own it prints, for each number from the first argument up to the second, what
was wrong; the environment says which kind of program Paddle builds.
"""

from __future__ import annotations

import random
import sys
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import paddle
from paddle import nn
from paddle.nn.initializer import (
    Assign,
    Constant,
    Dirac,
    KaimingNormal,
    Normal,
    Orthogonal,
    TruncatedNormal,
    Uniform,
    XavierUniform,
)
from support.paddle_graph import PADDLE_3

from paddle_init import read_net
from paddle_init.frameworks.paddle.nets.row_blocks import RowBlocks
from paddle_init.frameworks.sampling import sample

PIR = paddle.framework.use_pir_api()
SEED = 20241


class OwnOps(nn.initializer.Initializer):
    """A user's initializer: one random op, then whatever `after` names."""

    def __init__(self, after: str = "") -> None:
        super().__init__()
        self.after = after

    def forward(self, param: Any, block: Any = None) -> Any:
        shape = list(param.shape)
        if PIR:
            flat = [int(np.prod(shape))]
            return {
                "": lambda: paddle.uniform(shape, min=-0.5, max=0.25),
                "reshape": lambda: paddle.normal(0.1, 0.3, flat).reshape(shape),
                "scale": lambda: paddle.normal(0.0, 0.3, shape) * 0.5,
                "clip": lambda: paddle.clip(paddle.normal(0.0, 0.3, shape), -0.3, 0.3),
                "rows": lambda: paddle.concat([paddle.randn(shape), paddle.rand(shape)])[2:-2],
                "stack": lambda: paddle.concat(
                    [paddle.randn([1, *shape[1:]]), paddle.rand([shape[0] - 1, *shape[1:]])]
                ),
                "beside": lambda: paddle.concat(
                    [paddle.randn([shape[0], 1]), paddle.rand([shape[0], shape[1] - 1])], axis=1
                ),
            }[self.after]()
        made = _gaussian(block, shape)
        if self.after in ("scale", "clip"):
            attrs = {"scale": 0.5} if self.after == "scale" else {"min": -0.3, "max": 0.3}
            block.append_op(
                type=self.after, inputs={"X": made}, outputs={"Out": param}, attrs=attrs
            )
        elif self.after in ("stack", "beside"):
            axis = int(self.after == "beside")
            sizes = [[1, shape[1]], [shape[0] - 1, shape[1]]]
            if axis:
                sizes = [[shape[0], 1], [shape[0], shape[1] - 1]]
            block.append_op(
                type="concat",
                inputs={"X": [_gaussian(block, size) for size in sizes]},
                outputs={"Out": param},
                attrs={"axis": axis},
            )
        elif self.after == "reshape":
            flat = _gaussian(block, [int(np.prod(shape))])
            shadow = block.create_var(name=flat.name + ".x", shape=[0, *shape], dtype="float32")
            block.append_op(
                type="reshape2",
                inputs={"X": flat},
                outputs={"Out": param, "XShape": shadow},
                attrs={"shape": shape},
            )
        else:
            block.append_op(type="assign", inputs={"X": made}, outputs={"Out": param})
        return None


def _gaussian(block: Any, shape: list[int]) -> Any:
    name = paddle.utils.unique_name.generate("made")
    made = block.create_var(name=name, shape=shape, dtype="float32")
    attrs = {"shape": shape, "mean": 0.1, "std": 0.3, "seed": 0, "dtype": made.dtype}
    block.append_op(type="gaussian_random", outputs={"Out": made}, attrs=attrs)
    return made


def _diagonal() -> Any:
    kind = nn.initializer.uniform.UniformInitializer
    return kind(-1.0, 1.0, diag_num=3, diag_step=4, diag_val=7.0)


MATRIX = [4, 5]
KNOWN: dict[str, tuple[Callable[[], Any], list[int], str]] = {
    "normal": (lambda: Normal(0.1, 0.13), MATRIX, "float32"),
    "normal64": (lambda: Normal(0.1, 0.13), MATRIX, "float64"),
    "bias": (lambda: Normal(0.0, 0.5), [7], "float32"),
    "uniform": (lambda: Uniform(-0.3, 0.1), MATRIX, "float32"),
    "truncated": (lambda: TruncatedNormal(0.0, 0.7), MATRIX, "float32"),
    "constant": (lambda: Constant(0.1), MATRIX, "float32"),
    "xavier": (XavierUniform, [3, 2, 2], "float32"),
    **({"half": (KaimingNormal, MATRIX, "bfloat16")} if PADDLE_3 else {}),
    "given": (lambda: Assign(np.arange(20.0).reshape(4, 5) / 7), MATRIX, "float32"),
    "dirac": (Dirac, [4, 4, 3], "float32"),
    "blocks": (lambda: RowBlocks((1, Normal(0, 0.13)), (3, Constant(0.5))), MATRIX, "float32"),
    "diagonal": (_diagonal, MATRIX, "float32"),
    "own": (OwnOps, MATRIX, "float32"),
    "own_reshaped": (lambda: OwnOps("reshape"), MATRIX, "float32"),
    "own_stacked": (lambda: OwnOps("stack"), MATRIX, "float32"),
    "own_rows": (lambda: OwnOps("rows"), MATRIX, "float32"),
    "seeded": (lambda: nn.initializer.normal.NormalInitializer(0.0, 0.5, 9), MATRIX, "float32"),
}
UNKNOWN: dict[str, tuple[Callable[[], Any], list[int], str]] = {
    **({} if PADDLE_3 else {"half": (KaimingNormal, MATRIX, "bfloat16")}),
    "orthogonal": (Orthogonal, [5, 3], "float32"),
    "own_scaled": (lambda: OwnOps("scale"), MATRIX, "float32"),
    "own_clipped": (lambda: OwnOps("clip"), MATRIX, "float32"),
    "own_beside": (lambda: OwnOps("beside"), MATRIX, "float32"),
}
WITHOUT_STREAM = ("constant", "given", "dirac", "seeded")
REPLAYED: dict[str, Callable[[], Any]] = {
    "randn": lambda: paddle.randn([3, 2]),
    "rand": lambda: paddle.rand([5]),
    "rand64": lambda: paddle.rand([5], "float64"),
    "bernoulli": lambda: paddle.bernoulli(paddle.full([6], 0.5)),
}
ENDING: dict[str, Callable[[], Any]] = {
    "randint": lambda: paddle.randint(0, 10, [3]),
    "randperm": lambda: paddle.randperm(7),
    "multinomial": lambda: paddle.multinomial(paddle.full([4], 0.25), 2),
}
RACING: dict[str, Callable[[], Any]] = {
    "dropout": lambda: nn.functional.dropout(paddle.full([9], 1.0), 0.5),
    "rrelu": lambda: nn.functional.rrelu(paddle.full([9], -1.0), training=True),
}


@dataclass
class Drawn:
    """A program, and the names of its parameters that must be known and that must not."""

    main: Any
    startup: Any
    steps: list[str] = field(default_factory=list)
    known: set[str] = field(default_factory=set)
    unknown: set[str] = field(default_factory=set)


def built(number: int) -> Drawn:
    """Return the random program of this number."""
    choose = random.Random(number)
    drawn = Drawn(paddle.static.Program(), paddle.static.Program())
    disturbances = [*REPLAYED] + ([*ENDING] if choose.random() < 0.3 else [])
    if choose.random() < 0.15:
        disturbances += RACING
    ended = False
    with (
        paddle.static.program_guard(drawn.main, drawn.startup),
        paddle.utils.unique_name.guard(),
    ):
        for index in range(choose.randint(3, 9)):
            if choose.random() < 0.35:
                step = choose.choice(disturbances)
                with paddle.static.program_guard(drawn.startup):
                    {**REPLAYED, **ENDING, **RACING}[step]()
                ended |= step in ENDING or (step in RACING and not PIR)
            else:
                step = choose.choice([*KNOWN] * 2 + [*UNKNOWN])
                name = f"{step}_{index}"
                initializer, shape, dtype = {**KNOWN, **UNKNOWN}[step]
                again = choose.random() < 0.1 and (PIR or step in ("normal", "uniform"))
                for _ in range(1 + again):
                    attr = paddle.ParamAttr(name=name, initializer=initializer())
                    paddle.static.create_parameter(shape, dtype, attr=attr)
                is_known = step in WITHOUT_STREAM or (step in KNOWN and not ended)
                (drawn.known if is_known else drawn.unknown).add(name)
            drawn.steps.append(step)
    if PIR and set(drawn.steps) & set(RACING):
        free = {name for name in drawn.known if name.rpartition("_")[0] in WITHOUT_STREAM}
        drawn.unknown |= drawn.known - free
        drawn.known = free
    return drawn


def run(startup: Any, names: set[str]) -> dict[str, np.ndarray]:
    """Return what Paddle's executor leaves in the variables of these names."""
    executor, scope = paddle.static.Executor(paddle.CPUPlace()), paddle.static.Scope()
    with paddle.static.scope_guard(scope):
        paddle.seed(SEED)
        executor.run(startup)
        return {name: np.array(scope.find_var(name).get_tensor()) for name in names}


def wrong(number: int) -> list[str]:
    """Return what is wrong in reading the random program of this number."""
    drawn = built(number)
    names = drawn.known | drawn.unknown
    if not names:
        return []
    spec = read_net((drawn.main, drawn.startup))
    found = [] if set(spec.tensor_by_name) == names else [f"tensors {list(spec.tensor_by_name)}"]
    values = run(drawn.startup, names)
    ours = sample(spec, seed=SEED, partial=True) if drawn.known else {}
    found += [f"{name} should be known" for name in sorted(drawn.known - set(ours))]
    found += [f"{name} should not be known" for name in sorted(set(ours) - drawn.known)]
    found += [f"{name} differs" for name in ours if ours[name].tobytes() != values[name].tobytes()]
    return [f"{number} ({', '.join(drawn.steps)}): {each}" for each in found]


if __name__ == "__main__":
    paddle.enable_static()
    for number in range(int(sys.argv[1]), int(sys.argv[2])):
        for line in wrong(number):
            print(line, flush=True)
