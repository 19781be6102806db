"""Nets of real forms, as theory's tests and commands use them."""

from __future__ import annotations

import numpy as np
import paddle
from paddle import nn


class DeepFM(nn.Layer):
    """Integers and floats by name, embeddings, two branches that are added."""

    def __init__(self):
        super().__init__()
        self.table = nn.Embedding(50, 8)
        self.first = nn.Linear(4 * 8 + 3, 16)
        self.last = nn.Linear(16, 1)
        self.wide = nn.Linear(3, 1)

    def forward(self, ids, dense):
        deep = paddle.concat([self.table(ids).flatten(1), dense], axis=1)
        return self.last(nn.functional.relu(self.first(deep))) + self.wide(dense)


def deepfm_batch():
    random = np.random.default_rng(3)
    ids = random.integers(0, 50, (32, 4))
    return {"ids": ids, "dense": random.standard_normal((32, 3)).astype("float32")}
