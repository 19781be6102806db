"""ParamAttrs that name any number of parameters."""

from __future__ import annotations

import copy

import paddle

__all__ = ["NumberedAttr"]


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
