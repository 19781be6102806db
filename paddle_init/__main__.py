"""`paddle-init`, and `python -m paddle_init`."""

from __future__ import annotations

import signal
import sys

__all__ = ["main"]


def main() -> int:
    """Run the command line; interrupted before that is loaded, it ends without a word."""
    if signal.getsignal(signal.SIGINT) is signal.default_int_handler:
        signal.signal(signal.SIGINT, signal.SIG_DFL)
    from paddle_init.cli.main import main as command_line

    return command_line()


if __name__ == "__main__":
    sys.exit(main())
