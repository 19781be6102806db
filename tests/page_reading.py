"""What tests of pages share: hostile names, sizes, and what a reader sees of a table."""

from __future__ import annotations

from browser import Page

__all__ = ["HOSTILE", "MANY", "SECONDS", "head", "shown"]

MANY = 5000
SECONDS = 3.0  # in which a page with so many rows opens and sorts

HOSTILE = [
    "<script>window.hit = 1</script>",
    "</script><script>window.hit = 1</script>",
    '"><img src="https://example.org/x" onerror="window.hit = 1">',
    "' onmouseover='window.hit = 1",
    "<!-- <textarea>",
    "{{ 7 * 7 }}{% raw %}",
    "&lt;b&gt;&amp;",
    "javascript:window.hit=1",
    "w\nx\x00\x1b[31m\u202ey",
    "w" * 500,
    "全连接" * 100,
]


def shown(page: Page) -> list[str]:
    """Return the names of the rows that are there."""
    code = "[...document.querySelectorAll('tbody .toggle')].map(button => button.textContent)"
    return list(page.run(code))


def head(number: int) -> str:
    """Return the selector of a column's button, counted from 1."""
    return f"thead th:nth-child({number}) button"
