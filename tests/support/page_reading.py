"""What tests of pages share: hostile names, sizes, and what a reader sees of a table."""

from __future__ import annotations

from html.parser import HTMLParser

from support.browser import Page

from paddle_init.results.provenance import Provenance

__all__ = ["HOSTILE", "MANY", "SECONDS", "faults", "head", "shown"]

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


VOID = {"br", "img", "input", "link", "meta"}
# What may stand in what, as far as these pages could get it wrong (HTML, "content model").
PARENTS = {
    "dt": {"div", "dl"}, "dd": {"div", "dl"}, "li": {"ul"}, "tr": {"thead", "tbody"},
    "th": {"tr"}, "td": {"tr"}, "tbody": {"table"}, "legend": {"fieldset"},
    "figcaption": {"figure"}, "path": {"svg"}, "text": {"svg"},
}  # fmt: skip
PHRASING = {"p", "h1", "h2", "h3", "span", "button", "code", "dt", "label", "legend"}
BLOCKS = {"p", "div", "dl", "ul", "table", "figure", "section", "h1", "h2", "h3", "form", "pre"}


class _Checker(HTMLParser):
    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.open: list[str] = []
        self.faults: list[str] = []
        self.ids: list[str] = []
        self.references: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        inside = self.open[-1] if self.open else ""
        if inside not in PARENTS.get(tag, {inside}) or (tag in BLOCKS and inside in PHRASING):
            self._fault(f"<{tag}> in <{inside}>")
        names = [name for name, _ in attrs]
        if len(set(names)) < len(names):
            self._fault(f"<{tag}> has an attribute twice")
        for name, value in attrs:
            if name == "id":
                self.ids.append(str(value))
            elif name in ("aria-labelledby", "aria-controls"):
                self.references.append(str(value))
        if tag not in VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.handle_starttag(tag, attrs)
        if tag not in VOID:
            self.open.pop()

    def handle_endtag(self, tag: str) -> None:
        if not self.open or self.open[-1] != tag:
            self._fault(f"</{tag}> closes <{self.open[-1] if self.open else ''}>")
        else:
            self.open.pop()

    def _fault(self, told: str) -> None:
        self.faults.append(f"line {self.getpos()[0]}: {told}")


def faults(html: str) -> list[str]:
    """Return what is wrong with a page's HTML, with the rows that wait as text put in."""
    start = html.index('<script type="text/plain" id="waiting">')
    _, _, rest = html[start:].partition(">")
    rows, _, after = rest.partition("</script>")
    checker = _Checker()
    checker.feed(html[:start].replace("</table>", f"{rows}</table>") + after)
    found = [*checker.faults, *(f"<{tag}> is not closed" for tag in checker.open)]
    known = set(checker.ids)
    if len(known) < len(checker.ids):
        found.append("an id stands twice")
    return found + [f"no id {name}" for name in checker.references if name not in known]


VERSIONS = Provenance("paddle-init report 'a b.yaml'", {"numpy": "2.0"})
