"""Subclasses of Paddle's classes. Importing this module imports paddle, so only functions do.

NumberedAttr, RowBlocks and truncated_normal stand on their own: the modules that
`paddle_init.python_module` writes carry them word for word.
"""

from __future__ import annotations

import copy
import inspect
import warnings
from collections.abc import Callable
from typing import Any

import paddle
from numpy.typing import NDArray

from paddle_init.errors import SpecError
from paddle_init.frameworks.paddle.nets.parameters import shape_and_dtype
from paddle_init.specs import Tensor


class NumberedAttr(paddle.ParamAttr):
    """A ParamAttr whose later parameters are numbered: fc1_w, fc1_w@1, fc1_w@2.

    Paddle copies an attribute for each parameter that it creates, and a dynamic graph
    refuses a name that is taken. In a static graph names stay, as equal names share there.
    """

    def __deepcopy__(self, memo: dict[int, object]) -> paddle.ParamAttr:
        attr = paddle.ParamAttr()
        vars(attr).update(copy.deepcopy(vars(self), memo))
        if attr.name is not None and paddle.in_dynamic_mode():
            unique = paddle.utils.unique_name.generate(f"{attr.name}@")
            number = unique.rpartition("_")[2]
            attr.name += "" if number == "0" else f"@{number}"
        return attr


class RowBlocks(paddle.nn.initializer.Initializer):
    """Rows drawn by different initializers, from the first row down.

    Each block is (rows, initializer). The blocks draw one after another, each by an op
    of its own, in dynamic and in static graph.
    """

    def __init__(self, *blocks: tuple[int, paddle.nn.initializer.Initializer]) -> None:
        super().__init__()
        self.blocks = blocks

    def forward(
        self, param: paddle.Tensor, block: paddle.static.Block | None = None
    ) -> paddle.Tensor | None:
        total = sum(rows for rows, _ in self.blocks)
        if total != param.shape[0]:
            shape = list(param.shape)
            raise ValueError(f"the blocks have {total} rows, the parameter {shape}")
        block = self._check_block(block)
        if block.program.random_seed:
            warnings.warn(
                "the program's random_seed starts every op anew: "
                "each block of rows begins with the same draws",
                stacklevel=2,
            )
        parts = [
            self._drawn(initializer, [rows, *param.shape[1:]], param.dtype, block)
            for rows, initializer in self.blocks
        ]
        if paddle.in_dynamic_mode():
            paddle.concat(parts)._share_underline_tensor_to(param)
            return None
        if paddle.framework.use_pir_api():
            return paddle.concat(parts)
        return block.append_op(
            type="concat",
            inputs={"X": parts},
            outputs={"Out": param},
            attrs={"axis": 0},
        )

    @staticmethod
    def _drawn(
        initializer: paddle.nn.initializer.Initializer,
        shape: list[int],
        dtype: paddle.dtype,
        block: paddle.static.Block,
    ) -> paddle.Tensor:
        if paddle.in_dynamic_mode():
            part = paddle.base.framework.EagerParamBase(shape, dtype, trainable=False)
        elif paddle.framework.use_pir_api():
            meta = paddle.pir.core.ParameterMeta(shape, dtype)
            return initializer.forward(meta, block)
        else:
            part = block.create_var(shape=shape, dtype=dtype)
        initializer.forward(part, block)
        return part


def truncated_normal(
    mean: float, std: float, low: float, high: float
) -> paddle.nn.initializer.Initializer:
    """Return Paddle's TruncatedNormal; Paddle 2 has fixed cutoffs, mean +- 2 std."""
    own = paddle.nn.initializer.TruncatedNormal
    if "a" in inspect.signature(own).parameters:
        return own(mean, std, a=low, b=high)
    if (low, high) != (mean - 2 * std, mean + 2 * std):
        raise ValueError(
            f"this version of Paddle cuts at mean +- 2 std, {mean - 2 * std:g} and "
            f"{mean + 2 * std:g}, not at {low:g} and {high:g}; use those or Paddle 3"
        )
    return own(mean, std)


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
