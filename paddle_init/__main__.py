"""`python -m paddle_init` is `paddle-init`."""

import sys

from paddle_init.cli.main import main

if __name__ == "__main__":
    sys.exit(main())
