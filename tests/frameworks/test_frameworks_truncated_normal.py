"""The inverse CDF against Paddle's own header, at the places where a draw seldom comes."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import paddle
import pytest
from support.reference import FLAGS, compiled, run

from paddle_init.frameworks.paddle.draws import erfinv

INCLUDE = f"-I{Path(paddle.__file__).parent / 'include'}"


def neighbours(dtype: np.dtype) -> np.ndarray:
    """The borders between the formulas, 1 and 0, with the values around them."""
    borders = np.array([0.85, 1.0, 1 - 2.0**-24, 1 - 2 * np.exp(-25.0), 0.0, 2.0**-126], dtype)
    around = [borders]
    for toward in (0, 2):
        near = borders
        for _ in range(40):
            near = np.nextafter(near, dtype.type(toward))
            around.append(near)
    values = np.unique(np.concatenate(around))
    values = values[values <= 1]
    return np.concatenate([values, -values])


@pytest.mark.compiler
@pytest.mark.parametrize("name", ["float", "double"])
def test_erfinv_has_the_headers_bits(name):
    dtype = np.dtype({"float": np.float32, "double": np.float64}[name])
    random = np.random.default_rng(20240229)
    tails = 1 - 10.0 ** random.uniform(-17, 0, 100_000)
    x = np.concatenate(
        [neighbours(dtype), random.uniform(-1, 1, 100_000).astype(dtype), tails.astype(dtype)]
    )
    program = compiled("truncated_normal", flags=(*FLAGS, INCLUDE))
    expected = np.frombuffer(run(program, name, stdin=x.tobytes()), dtype)
    words = np.dtype(f"u{dtype.itemsize}")
    different = np.flatnonzero(erfinv(x).view(words) != expected.view(words))
    assert [(x[i], erfinv(x)[i], expected[i]) for i in different[:5]] == []
