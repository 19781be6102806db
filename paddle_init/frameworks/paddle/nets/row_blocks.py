"""A parameter whose rows are drawn by different initializers.

Importing this module imports paddle, so only functions that need paddle import it. The class
stands on its own: the modules that `paddle_init.python_module` writes carry it word for word.
"""

from __future__ import annotations

import warnings

import paddle

__all__ = ["RowBlocks"]


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
