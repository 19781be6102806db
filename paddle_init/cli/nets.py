"""Which net a command is about: a spec, or widths with the schemes that draw them."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import click

from paddle_init.cli.inputs import read_specs
from paddle_init.cli.objects import given_activation, given_layer
from paddle_init.parity import ConfReading
from paddle_init.schemes import Scheme, xavier_uniform
from paddle_init.specs import NetSpec
from paddle_init.specs.reading import parse_scheme
from paddle_init.theory.dense import mlp
from paddle_init.theory.notation import Spec
from paddle_init.theory.verdict import variance_kept

__all__ = ["Net", "Wanted", "chosen_net"]

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
