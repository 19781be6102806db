"""The files that a spec was read from."""

from __future__ import annotations

from paddle_init.specs import NetSpec

__all__ = ["input_files"]


def input_files(*specs: NetSpec) -> set[str]:
    """Return the path of every file that `specs` were read from, included ones too."""
    files = {spec.origin for spec in specs}
    for spec in specs:
        sources = (
            *(draw.source for draw in spec.draws),
            *(tensor.source for tensor in spec.tensors),
            *(layer.source for layer in spec.layers),
        )
        files.update(source.file for source in sources if source)
    return {file for file in files if file}
