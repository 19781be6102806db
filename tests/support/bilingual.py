"""Whether a text is in one language, and a page in both."""

from __future__ import annotations

import re

from paddle_init.schemes.towers import DOCUMENT

__all__ = ["CJK", "ENGLISH", "check_page_in_both", "without_title"]

CJK = "[\u4e00-\u9fff]"
# Four words in a row, which no name, formula or code of a result has.
ENGLISH = re.compile(r"(?<![\w.=])(?:[A-Za-z']+[,;:]? ){3,}[A-Za-z']+")


def without_title(text: str) -> str:
    """Leave out the letters of the document's title, which is Chinese in every language."""
    return "".join(char for char in text if char.isascii() or char not in DOCUMENT)


def check_page_in_both(page: str) -> None:
    """Assert that a page says everything once in English and once in Chinese."""
    english = re.findall(r'<span lang="en">(.*?)</span>', page, re.DOTALL)
    chinese = re.findall(r'<span lang="zh-CN">(.*?)</span>', page, re.DOTALL)
    assert len(english) == len(chinese) > 10
    assert not any(re.search(CJK, without_title(text)) for text in english)
    assert not any(ENGLISH.search(text) for text in chinese)
    body = page.partition("<body>")[2]
    outside = re.sub(r'<span lang="[^"]*">.*?</span>|<[^>]*>', " ", body, flags=re.DOTALL)
    assert ENGLISH.findall(outside) == []
