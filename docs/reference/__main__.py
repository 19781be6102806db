"""Write docs/commands.md and docs/api.md; with --check, say whether they are up to date.

python -m docs.reference [--check]
"""

import sys
from pathlib import Path

from docs.reference.api import api_page
from docs.reference.commands import commands_page

DOCS = Path(__file__).parent.parent
PAGES = {"commands.md": commands_page, "api.md": api_page}


def main(check: bool) -> int:
    stale = 0
    for name, page in PAGES.items():
        path, text = DOCS / name, page()
        if path.exists() and path.read_text("utf-8") == text:
            continue
        stale = 1
        print(f"docs/{name}: {'run python -m docs.reference' if check else 'written'}")
        if not check:
            path.write_text(text, "utf-8")
    return stale if check else 0


if __name__ == "__main__":
    sys.exit(main("--check" in sys.argv[1:]))
