"""The ranking tower of configs/abacus_rank.yaml in Paddle: from the conf to a trained first step.

python docs/examples/first_step.py
"""

import numpy as np
import paddle
from paddle import nn

from abacus_compat import load_conf
from paddle_init import NetSpec, param_attrs


class RankTower(nn.Layer):
    """300 -> 128 with relu -> 1, each parameter drawn as the conf says."""

    def __init__(self, spec: NetSpec) -> None:
        super().__init__()
        attrs = param_attrs(spec)
        self.fc1 = nn.Linear(300, 128, **attrs.linear("fc1_w"))
        self.fc2 = nn.Linear(128, 1, **attrs.linear("fc2_w"))

    def forward(self, show: paddle.Tensor) -> paddle.Tensor:
        return self.fc2(nn.functional.relu(self.fc1(show)))


def main() -> None:
    spec = load_conf("configs/abacus_rank.yaml")
    paddle.seed(2024)
    net = RankTower(spec)

    started = {parameter.name: parameter for parameter in net.parameters()}
    for tensor in spec.tensors:
        std, values = spec.distribution(tensor).std, started[tensor.name].numpy()
        measured = np.sqrt(np.mean(np.square(values, dtype="float64")))
        print(f"{tensor.name:12}{list(tensor.shape)!s:12}std {std:.4f}, measured {measured:.4f}")

    rng = np.random.default_rng(0)
    show = paddle.to_tensor(rng.normal(size=[256, 300]).astype("float32"))
    click = paddle.to_tensor(rng.integers(0, 2, [256, 1]).astype("float32"))
    optimizer = paddle.optimizer.SGD(0.1, parameters=net.parameters())
    for step in range(2):
        loss = nn.functional.binary_cross_entropy_with_logits(net(show), click)
        print(f"step {step}: loss {loss.item():.3f}")
        loss.backward()
        optimizer.step()
        optimizer.clear_grad()


if __name__ == "__main__":
    main()
