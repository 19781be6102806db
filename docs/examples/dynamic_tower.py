"""deep_net_origin of "abacus与paddle的参数初始化方式", as a Layer of today's dynamic graph.

python docs/examples/dynamic_tower.py
"""

from itertools import pairwise

import paddle
from paddle import nn

from paddle_init import param_attr
from paddle_init.schemes import paddle_fc


class DeepNet(nn.Layer):
    """FC layers with relu after each; with `last_none` the last one is linear.

    Weight and bias of layer i are drawn from Normal(0, init_range / widths[i] ** 0.5) and learn
    at `lr_x` times the optimizer's rate.
    """

    def __init__(
        self,
        widths: list[int],
        init_range: float = 0.2,
        last_none: bool = False,
        lr_x: float = 1.0,
    ) -> None:
        super().__init__()
        self.schemes = [paddle_fc(init_range, fan_in) for fan_in in widths[:-1]]
        self.fcs = nn.LayerList(
            nn.Linear(
                *shape,
                weight_attr=param_attr(scheme, shape, learning_rate=lr_x),
                bias_attr=param_attr(scheme, shape[1:], learning_rate=lr_x),
            )
            for scheme, shape in zip(self.schemes, pairwise(widths), strict=True)
        )
        self.last = nn.Identity() if last_none else nn.ReLU()

    def forward(self, x: paddle.Tensor) -> paddle.Tensor:
        *hidden, last = self.fcs
        for fc in hidden:
            x = nn.functional.relu(fc(x))
        return self.last(last(x))


def main() -> None:
    paddle.seed(2024)
    net = DeepNet([300, 128, 64, 1], last_none=True, lr_x=0.5)
    for scheme, fc in zip(net.schemes, net.fcs, strict=True):
        for parameter in (fc.weight, fc.bias):
            std, measured = scheme(parameter.shape).std, parameter.square().mean().sqrt().item()
            name, shape = parameter.name, list(parameter.shape)
            print(f"{name:14} {shape!s:10} std {std:.6f}, measured {measured:.6f}")
    print("scores", net(paddle.ones([4, 300])).numpy().ravel())


if __name__ == "__main__":
    main()
