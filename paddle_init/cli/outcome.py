"""How a run ends: exit codes, and errors told without a traceback."""

from __future__ import annotations

import os
import signal
import sys
import traceback
from collections.abc import Sequence
from enum import IntEnum
from types import FrameType

import click

from paddle_init.cli.printing import note, settle_stdout
from paddle_init.errors import PaddleInitError

__all__ = ["Exit", "run"]

DEBUG = "PADDLE_INIT_DEBUG"


class Exit(IntEnum):
    """What an exit code says."""

    FINE = 0
    DIFFERENT = 1
    BAD_INPUT = 2
    OUR_FAULT = 3
    INTERRUPTED = 130


def run(command: click.Command, args: Sequence[str] | None) -> int:
    """Run a command and return its exit code; whatever goes wrong is one message on stderr.

    With PADDLE_INIT_DEBUG set, the traceback comes before the message.
    """
    for name in (signal.SIGTERM, signal.SIGHUP):
        signal.signal(name, _terminate)
    try:
        code = command.main(args, prog_name="paddle-init", standalone_mode=False)
        settle_stdout()
    except (KeyboardInterrupt, click.Abort):
        note("interrupted")
        return Exit.INTERRUPTED
    except click.UsageError as error:
        if error.ctx:
            note(f"{error.ctx.get_usage()}\nTry '{error.ctx.command_path} --help' for help.\n")
        return _failed(error, error.format_message(), Exit.BAD_INPUT)
    except click.ClickException as error:
        return _failed(error, error.format_message(), Exit.BAD_INPUT)
    except PaddleInitError as error:
        return _failed(error, str(error), Exit.BAD_INPUT)
    except Exception as error:
        message = f"a fault of paddle-init: {type(error).__name__}: {error}"
        if not os.environ.get(DEBUG):
            message += f"\n(set {DEBUG}=1 for the traceback, and please report it)"
        return _failed(error, message, Exit.OUR_FAULT)
    return code if isinstance(code, int) else Exit.FINE


def _failed(error: Exception, message: str, code: Exit) -> Exit:
    if os.environ.get(DEBUG):
        traceback.print_exception(error)
    first, *rest = message.splitlines() or [""]
    note("\n".join([f"error: {first}", *rest]))
    return code


def _terminate(number: int, frame: FrameType | None) -> None:
    """Unwind the stack, so that unfinished files are removed."""
    sys.exit(128 + number)
