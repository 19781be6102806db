"""Golden vectors of Paddle 3.3.1, Paddle 2.6.2 and abacus's loop, for machines without them.

golden/make_frameworks.py wrote them.
"""

from __future__ import annotations

import hashlib
import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from paddle_init import NetSpec, sample
from paddle_init.schemes import (
    abacus,
    kaiming_normal,
    normal,
    truncated_normal,
    uniform,
    xavier_uniform,
)
from paddle_init.specs import Draw, RowBlock, Tensor

SCHEMES = {
    "normal": normal,
    "uniform": uniform,
    "truncated_normal": truncated_normal,
    "xavier_uniform": xavier_uniform,
    "kaiming_normal": kaiming_normal,
}


def golden(name: str) -> list[Any]:
    found = json.loads((Path(__file__).parents[1] / "golden" / f"{name}.json").read_text())
    assert found["cases"]
    return [case | {"shapes": found["shapes"]} for case in found["cases"]]


def check(case: dict[str, Any], values: list[np.ndarray]) -> None:
    words = [np.ascontiguousarray(a).view(f"<u{a.itemsize}").reshape(-1) for a in values]
    shown = [[f"{int(x):x}" for x in w[:6]] for w in words]
    assert shown == case["bits"]
    assert hashlib.sha256(b"".join(w.tobytes() for w in words)).hexdigest() == case["sha256"]


@pytest.mark.parametrize("version", ["3.3.1", "2.6.2"])
def test_paddle(version):
    for case in golden(f"paddle_{version}"):
        scheme = SCHEMES[case["kind"]](*case["numbers"])
        draws = [Draw(f"p{i}", tuple(shape), scheme) for i, shape in enumerate(case["shapes"])]
        tensors = [
            Tensor(d.name, "weight", d.shape, (RowBlock(d.name, 0, d.shape[0]),), case["dtype"])
            for d in draws
        ]
        seeds = {name: case[name] for name in ("seed", "op_seed") if name in case}
        values = sample(NetSpec("paddle", draws, tensors), paddle_version=version, **seeds)
        check(case, list(values.values()))


def test_abacus():
    for case in golden("abacus"):
        draws = [
            Draw(f"p{i}", tuple(shape), abacus(1, 0.2, True))
            for i, shape in enumerate(case["shapes"])
        ]
        spec = NetSpec("abacus", draws, arithmetic=case["arithmetic"], storage_order="C")
        seeds = {name: case[name] for name in ("seed", "seed_seq") if name in case}
        check(case, list(sample(spec, engine=case["engine"], **seeds).values()))
