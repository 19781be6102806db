"""Conf files to net specs."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import replace

from abacus_compat.conf import Section, read_flat, read_section
from abacus_compat.errors import ConfError
from abacus_compat.includes import find_section
from abacus_compat.layers import LayerTensors, fully_connected, layer_tensors, placed
from abacus_compat.notices import notices_of
from paddle_init.errors import SchemeError
from paddle_init.schemes import Abacus, Arithmetic, constant
from paddle_init.specs import Draw, Layer, NetSpec, RowBlock, Tensor, plain_tensor
from paddle_init.yaml_cpp import Document, Problem, parse_document, read_document
from paddle_init.yaml_cpp.documents import uncollected
from paddle_init.yaml_cpp.nodes import carrying


def load_conf(
    path: str | os.PathLike[str],
    *,
    encoding: str | None = None,
    arithmetic: Arithmetic = "float64",
    storage_order: str = "F",
    root: str | os.PathLike[str] | None = None,
    widths: Mapping[str, int] | None = None,
) -> NetSpec:
    """Read an abacus conf: the flat form, a plugin section, or a whole training conf.

    Values are read as yaml-cpp reads them, and scales computed as abacus computes them.

    Parameters
    ----------
    path : path
    encoding : str, optional
        Of the conf and of a file it includes; detected by default.
    arithmetic : {"float64", "float32"}
        The type in which numbers are read and scales computed: abacus's double, or the float
        of the parameter server derived from it.
    storage_order : {"F", "C"}
        How a parameter's draws fill its matrix.
    root : path, optional
        The folder that an include may not leave; by default the conf's own.
    widths : mapping of str to int, optional
        Widths of inputs from outside, where the conf leaves them open: {"show_input": 200}.

    Returns
    -------
    NetSpec
        Of framework "abacus", with the layers, what its reader should know (`notices`), and for
        every draw, tensor and layer the line it stands on.

    Raises
    ------
    ConfError
        The conf contradicts itself or abacus; all reasons together, in line order.
    DocumentError
        The file is not YAML as yaml-cpp reads it, or cannot be read (`UnreadableFileError`).
    """
    document = read_document(path, encoding=encoding)
    top = os.path.dirname(document.file) if root is None else os.fspath(root)
    return conf_of(
        document,
        encoding=encoding,
        arithmetic=arithmetic,
        storage_order=storage_order,
        root=top,
        widths=widths,
    )


def parse_conf(
    text: str | bytes,
    file: str = "<text>",
    *,
    encoding: str | None = None,
    arithmetic: Arithmetic = "float64",
    storage_order: str = "F",
    root: str | os.PathLike[str] | None = None,
    widths: Mapping[str, int] | None = None,
) -> NetSpec:
    """Read a conf that is at hand as a text or as bytes; `file` names it in messages.

    Includes are refused unless `root` is given; they are then found beside `file`. Everything
    else is as for `load_conf`.
    """
    document = parse_document(text, file, encoding=encoding)
    top = None if root is None else os.fspath(root)
    return conf_of(
        document,
        encoding=encoding,
        arithmetic=arithmetic,
        storage_order=storage_order,
        root=top,
        widths=widths,
    )


@uncollected()
def conf_of(
    document: Document,
    *,
    encoding: str | None = None,
    arithmetic: Arithmetic = "float64",
    storage_order: str = "F",
    root: str | None = None,
    widths: Mapping[str, int] | None = None,
) -> NetSpec:
    """Build the net spec of a conf that is read already; the settings are those of `parse_conf`."""
    with carrying(document.notices):
        place = find_section(document, root, encoding)
    problems: list[Problem] = []
    read = read_flat if place.flat else read_section
    with carrying(place.notices):
        section = read(place.mapping, arithmetic, problems)
        draws = _draws(section, arithmetic, problems)
        layers = fully_connected(section, widths or {}, problems)
        items = [item for layer in layers if (item := layer_tensors(layer)) is not None]
        tensors, readers = placed(items, section.params, problems)
        if problems:
            raise ConfError(problems)
    translated = {item.layer.entry.source for item in items}
    skipped = [entry for entry in section.layers if entry.source not in translated]
    rest = [plain_tensor(draw) for draw in draws if draw.name not in readers]
    if section.layered:
        rest = [replace(tensor, role="other") for tensor in rest]
    own_notices = notices_of(
        section, draws, arithmetic, (*tensors.values(), *rest), items, skipped, readers, layers
    )
    if section.flat:
        bias = Draw("bias", (1, draws[0].shape[1]), constant(1.0), draws[0].source)
        block = RowBlock("bias", 0, 1)
        draws.append(bias)
        rest.append(Tensor("bias", "bias", bias.shape[1:], (block,), source=bias.source))
    return NetSpec(
        "abacus",
        tuple(draws),
        (*tensors.values(), *rest),
        arithmetic=arithmetic,
        storage_order=storage_order,
        layers=tuple(map(_layer, items)),
        skipped_layers=tuple(entry.name for entry in skipped),
        notices=place.notices + own_notices,
        origin=document.file,
        included=place.files,
    )


def _draws(section: Section, arithmetic: Arithmetic, problems: list[Problem]) -> list[Draw]:
    draws = []
    for param in section.params.values():
        if param is None or section.global_init_range is None:
            continue
        scheme = Abacus(param.init_range, section.global_init_range, param.scale_by_rown)
        try:
            scheme.scale(param.rown, arithmetic)
        except SchemeError as error:
            problems.append(Problem(f"parameter {param.name}: {error}", param.source))
        draws.append(Draw(param.name, (param.rown, param.coln), scheme, param.source))
    return draws


def _layer(item: LayerTensors) -> Layer:
    entry = item.layer.entry
    return Layer(
        entry.name,
        entry.outputs[-1],
        item.layer.inputs,
        item.weight.name,
        item.bias.name if item.bias else None,
        entry.activation,
        entry.source,
    )
