"""Which outputs are pictures."""

from __future__ import annotations

from pathlib import PurePath
from typing import TYPE_CHECKING

from paddle_init.cli.printing import to_file

if TYPE_CHECKING:
    from paddle_init.plots.drawing import ImageFormat

__all__ = ["picture_form"]

ENDINGS: dict[str, ImageFormat] = {".png": "png", ".svg": "svg"}


def picture_form(output: str | None) -> ImageFormat | None:
    """Return the form of picture that an output's ending asks for, None for any other."""
    return ENDINGS.get(PurePath(output).suffix.lower()) if to_file(output) else None
