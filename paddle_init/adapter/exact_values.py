"""An initializer that gives a parameter the values drawn for it.

Importing this module imports paddle, so only functions that need paddle import it.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import paddle
from numpy.typing import NDArray
from paddle.base.data_feeder import convert_dtype

from paddle_init.errors import SpecError
from paddle_init.specs import Tensor

__all__ = ["ExactValues"]


class ExactValues(paddle.nn.initializer.Initializer):
    """Values for one tensor, in dynamic graph; `values()` draws them when they are needed."""

    def __init__(self, tensor: Tensor, values: Callable[[], NDArray[Any]]) -> None:
        super().__init__()
        self.tensor, self.values = tensor, values

    def forward(self, param: paddle.Tensor, block: Any = None) -> None:
        """Fill `param`.

        Raises
        ------
        SpecError
            Its shape or dtype is not the tensor's, or the graph is static: a program would store
            every value.
        """
        name = self.tensor.name
        if not paddle.in_dynamic_mode():
            raise SpecError(
                f"tensor {name}: exact values are filled in after the startup program has run: "
                "initialize(main_program, spec, ...)"
            )
        dtype = convert_dtype(param.dtype)
        found = ("bfloat16" if dtype == "uint16" else dtype, tuple(param.shape))
        if found != (self.tensor.dtype, self.tensor.shape):
            raise SpecError(
                f"tensor {name} is {self.tensor.dtype} {list(self.tensor.shape)}, "
                f"the parameter {found[0]} {list(found[1])}"
            )
        paddle.to_tensor(self.values())._share_underline_tensor_to(param)
