"""Which net a command is about: a spec, or widths with the schemes that draw them."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import click

from paddle_init.cli.inputs import read_specs
from paddle_init.parity import ConfReading
from paddle_init.schemes import Scheme, constant_variance, xavier_uniform
from paddle_init.specs import NetSpec
from paddle_init.specs.reading import parse_scheme

__all__ = ["Net", "chosen_net"]

WIDTHS = re.compile(r"\s*\d+\s*(,\s*\d+\s*)*")
BY_ACTIVATION = re.compile(r"\s*\{?\s*(kind:\s*)?constant_variance\s*\}?\s*")


@dataclass(frozen=True)
class Net:
    """What `theory.propagate` takes; `specs` are those that were read from files."""

    source: Any
    activations: str | Sequence[str] | None
    scheme: Scheme | None = None
    bias: Scheme | None = None
    first: Scheme | None = None
    specs: tuple[NetSpec, ...] = ()


def chosen_net(
    net: str,
    activations: Sequence[str],
    layers: int | None,
    scheme: str | None,
    bias: str | None,
    encoding: str | None,
    conf: ConfReading,
) -> Net:
    """Return the net that the arguments of a command describe.

    Raises
    ------
    click.UsageError
        They do not belong together.
    """
    each = activations[0] if len(activations) == 1 else tuple(activations) or None
    if not WIDTHS.fullmatch(net):
        stray = {"--layers": layers, "--scheme": scheme, "--bias": bias}
        if given := [name for name, value in stray.items() if value is not None]:
            raise click.UsageError(f"{', '.join(given)}: for widths alone; a spec says its own.")
        (spec,) = read_specs([net], encoding, conf)
        return Net(spec, each, specs=(spec,))
    widths = _widths(net, layers)
    if each is None:
        if len(widths) > 2:
            raise click.UsageError("widths need the hidden layers' activation: give --activation.")
        each = ()
    first = None
    if scheme is not None and BY_ACTIVATION.fullmatch(scheme):
        if isinstance(each, tuple) and len(set(each)) != 1:
            raise click.UsageError(
                "--scheme constant_variance needs one activation; for several, name it: "
                '"{kind: constant_variance, activation: gelu}".'
            )
        hidden = each if isinstance(each, str) else each[0]
        rule: Scheme = constant_variance(hidden)
        first = constant_variance("linear")
    else:
        rule = xavier_uniform() if scheme is None else _scheme(scheme, "--scheme")
    return Net(widths, each, rule, None if bias is None else _scheme(bias, "--bias"), first)


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
