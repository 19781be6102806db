"""What a command reads: the specs that it names, and the files they come from."""

from __future__ import annotations

import re
import sys
import zipfile
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any

import click

from paddle_init.activations.builtin import ActivationError
from paddle_init.activations.notation import Spec
from paddle_init.errors import PaddleInitError, SpecError
from paddle_init.files import regular_file
from paddle_init.frameworks.registry import home_nets
from paddle_init.frameworks.resolving import ConfReading, names_object, resolve
from paddle_init.schemes import Scheme, xavier_uniform
from paddle_init.signal.dense import mlp
from paddle_init.signal.verdict import variance_kept
from paddle_init.specs import NetSpec
from paddle_init.specs.yaml_form import parse_scheme
from paddle_init.yaml_cpp import Document, parse_document
from paddle_init.yaml_cpp.encodings import MAX_BYTES

STDIN = "-"


def read_specs(
    names: Sequence[str], encoding: str | None, conf: ConfReading
) -> tuple[NetSpec, ...]:
    """Return the net specs that `names` name; "-" is standard input.

    Raises
    ------
    DocumentError, SpecError
        As `resolve` does; or a draw's scheme does not fit its shape.
    click.UsageError
        "-" stands twice.
    """
    if names.count(STDIN) > 1:
        raise click.UsageError("standard input (-) can be read once; name a file.")
    specs = resolve(
        *(_standard_input(encoding) if name == STDIN else name for name in names),
        encoding=encoding,
        conf=conf,
    )
    for spec in specs:
        for draw in spec.draws:
            spec.drawn(draw.name)
    return specs


def input_files(*specs: NetSpec) -> set[str]:
    """Return the path of every file that `specs` were read from, included ones too."""
    files = {file for spec in specs for file in (spec.origin, *spec.included)}
    for spec in specs:
        sources = (
            *(draw.source for draw in spec.draws),
            *(tensor.source for tensor in spec.tensors),
            *(layer.source for layer in spec.layers),
        )
        files.update(source.file for source in sources if source)
    return {file for file in files if file}


def _standard_input(encoding: str | None) -> Document:
    if sys.stdin is None:
        raise click.UsageError("standard input is closed; name a file.")
    return parse_document(sys.stdin.buffer.read(MAX_BYTES + 1), "<stdin>", encoding=encoding)


def given_activation(text: str) -> str | Callable[[Any], Any]:
    """Return the function that ``module:function`` names, any other text as it is."""
    if not names_object(text):
        return text
    from paddle_init.frameworks.registry import home_nets

    found = home_nets().imported_object(text)
    if isinstance(found, type):
        found = home_nets().called(found)
    if not callable(found):
        raise ActivationError(f"{text}: an activation is a function on arrays, got {found!r}")
    return found  # type: ignore[no-any-return]


def given_layer(text: str, seed: int) -> Any | None:
    """Return the paddle.nn.Layer that ``module:object`` names or its function builds, if it does.

    It is built after ``paddle.seed(seed)``; what the function changes elsewhere is put back.
    """
    if not names_object(text):
        return None
    from paddle_init.frameworks.registry import home_nets

    found = home_nets().called_object(text, seed)
    return found if hasattr(found, "named_sublayers") else None


class ArrayError(PaddleInitError, ValueError):
    """A file holds no arrays of numbers."""


def read_batch(text: str) -> Any:
    """Return the array of a .npy file, those of an .npz by name, or what a function makes.

    Parameters
    ----------
    text
        A path, or ``module:function``: a function without arguments that returns a tensor, an
        array, a tuple of them, or a dict by the names of the forward's arguments.

    Raises
    ------
    ArrayError
        The file is missing or holds something else; pickled objects are never loaded.
    SpecError
        The function cannot be imported, or fails.
    """
    return _called(text) if names_object(text) else _read(text)


def _called(text: str) -> Any:
    batch = home_nets().called_object(text)
    if batch is None:
        raise SpecError(f"{text} returned None; it should return the batch that the net is run on")
    return batch


def _read(path: str) -> Any:
    import numpy as np

    try:
        with regular_file(path) as file:
            found = np.load(file, allow_pickle=False)
            if isinstance(found, np.ndarray):
                return _numbers(path, found)
            return {name: _numbers(f"{path}: {name}", found[name]) for name in found.files}
    except OSError as error:
        raise ArrayError(f"{path}: {error.strerror or 'no .npy or .npz file'}") from error
    except (ValueError, EOFError, zipfile.BadZipFile) as error:
        raise ArrayError(f"{path}: no .npy or .npz file of numbers: {error}") from error


def _numbers(where: str, found: Any) -> Any:
    import numpy as np

    if found.dtype.kind not in "fiub" or not found.ndim or 0 in found.shape:
        raise ArrayError(
            f"{where}: expected numbers of shape (batch, ..), found {found.dtype} of shape "
            f"{found.shape}"
        )
    if not np.isfinite(found).all():
        raise ArrayError(f"{where}: holds NaN or infinity")
    return found


WIDTHS = re.compile(r"\s*\d+\s*(,\s*\d+\s*)*")
BY_ACTIVATION = re.compile(r"\s*\{?\s*(kind:\s*)?constant_variance\s*\}?\s*")


@dataclass(frozen=True)
class Net:
    """What `theory.propagate` takes; `specs` are those that were read from files."""

    source: Any
    activations: Spec | Sequence[Spec] | None
    scheme: Scheme | None = None
    bias: Scheme | None = None
    specs: tuple[NetSpec, ...] = ()


@dataclass(frozen=True)
class Wanted:
    """The arguments and options that say which net is meant, as they were given."""

    net: str
    activations: tuple[str, ...]
    layers: int | None
    scheme: str | None
    bias: str | None
    measure: bool
    seed: int


def chosen_net(wanted: Wanted, encoding: str | None, conf: ConfReading) -> Net:
    """Return the net that a command is about.

    Raises
    ------
    click.UsageError
        The options do not belong together.
    """
    given = tuple(map(given_activation, wanted.activations))
    if WIDTHS.fullmatch(wanted.net):
        return _from_widths(wanted, given)
    for option in ("layers", "scheme", "bias"):
        if getattr(wanted, option) is not None:
            raise click.UsageError(f"--{option} is for widths; a spec says its own.")
    layer = given_layer(wanted.net, wanted.seed)
    if layer is not None:
        if given or not wanted.measure:
            option = "--activation" if given else "--no-measure"
            raise click.UsageError(
                f"{option} is for specs and widths; a Layer is run to see what it does."
            )
        return Net(layer, None)
    (spec,) = read_specs([wanted.net], encoding, conf)
    return Net(spec, _one_or_all(given), specs=(spec,))


def _from_widths(wanted: Wanted, given: tuple[Spec, ...]) -> Net:
    widths = _widths(wanted.net, wanted.layers)
    if not given and len(widths) > 2:
        raise click.UsageError("widths need the hidden layers' activation: give --activation.")
    activations = _one_or_all(given) or ()
    bias = None if wanted.bias is None else _scheme(wanted.bias, "--bias")
    if wanted.scheme is not None and BY_ACTIVATION.fullmatch(wanted.scheme):
        plain = mlp(widths, activations, xavier_uniform(), bias)
        before: list[Spec] = ["linear", *(layer.activation for layer in plain[:-1])]
        return Net(
            tuple(
                replace(layer, weight=variance_kept(passed)((layer.fan_in, layer.fan_out)))
                for layer, passed in zip(plain, before, strict=True)
            ),
            None,
        )
    rule = xavier_uniform() if wanted.scheme is None else _scheme(wanted.scheme, "--scheme")
    return Net(widths, activations, rule, bias)


def _one_or_all(given: tuple[Spec, ...]) -> Spec | tuple[Spec, ...] | None:
    return given[0] if len(given) == 1 else given or None


def _widths(text: str, layers: int | None) -> tuple[int, ...]:
    widths = tuple(map(int, text.split(",")))
    if min(widths) < 1:
        raise click.UsageError(f"widths are integers of at least 1, found {text}.")
    if layers is not None:
        if len(widths) != 1:
            raise click.UsageError("--layers repeats a single width; these are several.")
        return widths * (layers + 1)
    if len(widths) == 1:
        raise click.UsageError(
            "a net has two widths or more, as 784,100,10; or give a single one with --layers."
        )
    return widths


def _scheme(text: str, option: str) -> Scheme:
    flow = text if text.lstrip().startswith("{") else f"{{kind: {text}}}"
    return parse_scheme(flow, option)
