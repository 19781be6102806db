"""Golden vectors: what compiled libstdc++ 12 drew, for machines without a compiler.

golden/make_streams.py wrote them; test_streams_distributions.py compares with a compiler.
"""

from __future__ import annotations

import hashlib
import json
from pathlib import Path

import numpy as np
import pytest
from support.streams_cases import bits

from paddle_init.streams import Stream

GOLDEN = json.loads((Path(__file__).parents[1] / "golden" / "streams.json").read_text())


@pytest.mark.parametrize("engine", ["minstd_rand0", "minstd_rand", "mt19937", "mt19937_64"])
def test_golden_vectors(engine):
    cases = [case for case in GOLDEN["cases"] if case["engine"] == engine]
    assert len(cases) == 50
    for case in cases:
        stream = Stream(engine, case["seed"], seed_seq=case["seed_seq"])
        expected = [int(number, 16) for number in case["bits"].split()]
        if case["what"] == "raw":
            values = stream.raw(len(expected))
        else:
            draw = getattr(stream, case["what"])
            values = bits(draw(len(expected), *case["parameters"], case["dtype"]))
        assert values.tolist() == expected, case


@pytest.mark.parametrize("case", GOLDEN["long"], ids=lambda case: case["engine"])
def test_long_streams_by_their_hash(case):
    stream = Stream(case["engine"], case["seed"], seed_seq=case["seed_seq"])
    values = stream.standard_normal(case["normals"])
    little_endian = np.ascontiguousarray(values, "<f4")
    assert hashlib.sha256(little_endian).hexdigest() == case["sha256"]
