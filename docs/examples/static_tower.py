"""common_tower of "abacus与paddle的参数初始化方式", in today's static graph.

A net spec says what every parameter is drawn from; the tower takes its ParamAttrs from the spec.

    python docs/examples/static_tower.py
"""

from itertools import pairwise

import numpy as np
import paddle

from paddle_init import Draw, NetSpec, param_attrs
from paddle_init.schemes import paddle_fc


def tower_spec(prefix: str, widths: list[int], init_range: float = 0.2) -> NetSpec:
    """Draw weight and bias of layer i from Normal(0, init_range / widths[i] ** 0.5)."""
    draws = []
    for i, (fan_in, fan_out) in enumerate(pairwise(widths)):
        scheme = paddle_fc(init_range, fan_in)
        draws.append(Draw(f"{prefix}_fc_{i}.w_0", (fan_in, fan_out), scheme))
        draws.append(Draw(f"{prefix}_fc_{i}.b_0", (fan_out,), scheme))
    return NetSpec("paddle", tuple(draws))


def common_tower(
    bn_video: paddle.Tensor, bn_news: paddle.Tensor, gate_merge: paddle.Tensor, spec: NetSpec
) -> paddle.Tensor:
    """Put layer norm and relu between the layers; the last one is linear.

    paddle.nn.LayerNorm stands for paddle.static.nn.layer_norm, which Paddle 3's graph refuses.
    """
    attrs = param_attrs(spec)
    *hidden, last = spec.bias_by_weight
    x = paddle.multiply(paddle.concat([bn_video, bn_news], axis=1), gate_merge)
    for weight in hidden:
        _, width = spec.tensor_by_name[weight].shape
        x = paddle.static.nn.fc(x, width, **attrs.linear(weight))
        x = paddle.nn.functional.relu(paddle.nn.LayerNorm(width)(x))
    return paddle.static.nn.fc(x, spec.tensor_by_name[last].shape[1], **attrs.linear(last))


def main() -> None:
    paddle.enable_static()
    widths = {"bn_video": 200, "bn_news": 100, "gate_merge": 300}
    inputs = [paddle.static.data(name, [None, width]) for name, width in widths.items()]
    spec = tower_spec("rank", [300, 128, 1])
    score = common_tower(*inputs, spec)

    paddle.seed(2024)
    executor = paddle.static.Executor(paddle.CPUPlace())
    executor.run(paddle.static.default_startup_program())
    for tensor in spec.tensors:
        values = np.array(paddle.static.global_scope().find_var(tensor.name).get_tensor())
        std, measured = spec.distribution(tensor).std, np.sqrt(np.mean(values**2))
        print(f"{tensor.name:12} {list(tensor.shape)!s:10} std {std:.6f}, measured {measured:.6f}")

    feed = {name: np.ones([4, width], "float32") for name, width in widths.items()}
    (scores,) = executor.run(feed=feed, fetch_list=[score])
    print("scores", scores.ravel())


if __name__ == "__main__":
    main()
