"""`paddle-init`, and `python -m paddle_init`."""

from __future__ import annotations

import os
import signal
import sys
from types import FrameType

DEFAULTS = {signal.SIGINT: signal.default_int_handler, signal.SIGTERM: signal.SIG_DFL}


def main() -> int:
    """Run the command line; a signal ends it in the same way before and after it is loaded."""
    for number, default in DEFAULTS.items():
        if signal.getsignal(number) is default:
            signal.signal(number, _end)
    from paddle_init.cli.main import main as command_line
    from paddle_init.cli.outcome import Exit

    code = command_line()
    if code == Exit.INTERRUPTED:
        # Python would kill itself by SIGINT where that came while it ran a text of code.
        os._exit(code)
    return code


def _end(number: int, frame: FrameType | None) -> None:
    if number == signal.SIGINT:
        os.write(2, b"interrupted\n")
    os._exit(128 + number)


if __name__ == "__main__":
    sys.exit(main())
