"""The net that Paddle's towers would build of the same parameters."""

from __future__ import annotations

from paddle_init.distributions import Unknown
from paddle_init.errors import SchemeError
from paddle_init.parity.sentences import explanations as say
from paddle_init.parity.sentences import forms
from paddle_init.schemes import Fixed, PaddleFC, Scheme, fans
from paddle_init.schemes.base import check_range, number
from paddle_init.specs import Draw, NetSpec, RowBlock, Tensor

__all__ = ["counterpart"]


def counterpart(spec: NetSpec, init_range: float = 0.2) -> NetSpec:
    """Return `spec`'s tensors as the towers initialize them: init_range / fan_in ** 0.5.

    A bias takes the fan_in of its weight, which never counts a bias row. Where no weight is known
    for a bias, or a shape has no fan_in, what the rule would draw is unknown. Parameters of other
    layers are left out: the rule is none for them.

    Parameters
    ----------
    init_range
        In [0, inf).

    Source: "abacus与paddle的参数初始化方式".
    """
    check_range("paddle_fc", "init_range", init_range)
    ruled = [tensor for tensor in spec.tensors if tensor.role != "other"]
    draws = [Draw(tensor.name, tensor.shape, _rule(spec, tensor, init_range)) for tensor in ruled]
    tensors = [
        Tensor(
            tensor.name,
            tensor.role,
            tensor.shape,
            (RowBlock(tensor.name, 0, tensor.shape[0]),),
            tensor.dtype,
        )
        for tensor in ruled
    ]
    origin = forms.TOWERS_RULE(init_range=number(init_range))
    return NetSpec("paddle", tuple(draws), tuple(tensors), layers=spec.layers, origin=origin)


def _rule(spec: NetSpec, tensor: Tensor, init_range: float) -> Scheme:
    fan_in = None
    try:
        if tensor.role == "bias":
            owner = spec.weight_by_bias.get(tensor.name)
            if owner is None:
                return Fixed(Unknown(say.NO_WEIGHT()))
            fan_in, _ = fans("paddle_fc", spec.tensor_by_name[owner].shape, None, 1)
        scheme = PaddleFC(init_range, fan_in)
        scheme(tensor.shape)
    except SchemeError:
        return Fixed(Unknown(say.NO_FAN_IN(shape=list(tensor.shape))))
    return scheme
