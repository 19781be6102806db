"""The `paddle-init` command."""

from __future__ import annotations

from collections.abc import Sequence

import click

from paddle_init import __version__
from paddle_init.cli.lazy_group import LazyGroup
from paddle_init.cli.outcome import run

__all__ = ["main"]

SUMMARIES = {
    "report": "Say, parameter by parameter, whether two sides start from the same place.",
    "sample": "Draw every initial value of a net, to the bit as abacus or Paddle would.",
    "translate": "Turn an abacus conf into a net spec, a Python module or a conf.",
    "gain": "Print the coefficient that keeps the signal, for activations.",
    "averages": "Compare the averages of two fans, in one step and in a stack.",
    "propagate": "Predict what weights do to a net's signal and gradient, and measure it.",
}


@click.group(
    cls=LazyGroup,
    summaries=SUMMARIES,
    no_args_is_help=False,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
)
@click.version_option(__version__, prog_name="paddle-init")
def paddle_init() -> None:
    """The same initial weights in abacus and PaddlePaddle.

    \b
    Example:
      paddle-init report configs/abacus_rank.yaml
    """


def main(args: Sequence[str] | None = None) -> int:
    """Run the command line and return its exit code.

    0 fine; 1 a difference at or above --fail-on; 2 wrong usage or bad input; 3 a fault of
    paddle-init; 130 interrupted.
    """
    return run(paddle_init, args)
