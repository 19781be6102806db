"""Draws with the Paddle of another interpreter: `PYTHON paddle_elsewhere.py REQUEST OUT.npz`.

REQUEST is JSON: a list of {kind, numbers, dtype, seed or op_seed, shapes}; the arrays of case i
are named i.0, i.1, ... Needs paddle and numpy alone.
"""

from __future__ import annotations

import json
import sys

import numpy as np
import paddle
from paddle.nn import initializer as init

MAKE = {
    "normal": init.Normal,
    "uniform": init.Uniform,
    "xavier_normal": init.XavierNormal,
    "xavier_uniform": init.XavierUniform,
    "truncated_normal": init.TruncatedNormal,
}


def main() -> None:
    arrays = {}
    for i, case in enumerate(json.loads(sys.argv[1])):
        paddle.seed(case.get("seed", 0))
        for j, shape in enumerate(case["shapes"]):
            one = MAKE[case["kind"]](*case["numbers"])
            one._seed = case.get("op_seed", 0)
            made = paddle.create_parameter(shape, case["dtype"], default_initializer=one)
            arrays[f"{i}.{j}"] = made.numpy()
    np.savez(sys.argv[2], **arrays)


if __name__ == "__main__":
    main()
