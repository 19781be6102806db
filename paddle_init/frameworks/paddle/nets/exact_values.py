"""An initializer that gives a parameter the values drawn for it.

Importing this module imports paddle, so only functions that need paddle import it.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import paddle
from numpy.typing import NDArray

from paddle_init.errors import SpecError
from paddle_init.frameworks.paddle.nets.assembling import shape_and_dtype
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
        shape, dtype = shape_and_dtype(param)
        if (shape, dtype) != (self.tensor.shape, self.tensor.dtype):
            raise SpecError(
                f"tensor {name} is {self.tensor.dtype} {list(self.tensor.shape)}, "
                f"the parameter {dtype} {list(shape)}"
            )
        paddle.to_tensor(self.values())._share_underline_tensor_to(param)
