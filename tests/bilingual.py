"""Whether a text is in one language, and a page in both."""

from __future__ import annotations

import re

__all__ = ["CJK", "ENGLISH", "check_page_in_both"]

CJK = "[\u4e00-\u9fff]"
# Four words in a row, which no name, formula or code of a result has.
ENGLISH = re.compile(r"(?<![\w.=])(?:[A-Za-z']+[,;:]? ){3,}[A-Za-z']+")


def check_page_in_both(page: str) -> None:
    """Assert that a page says everything once in English and once in Chinese."""
    english = re.findall(r'<span lang="en">(.*?)</span>', page, re.DOTALL)
    chinese = re.findall(r'<span lang="zh-CN">(.*?)</span>', page, re.DOTALL)
    assert len(english) == len(chinese) > 10
    assert not any(re.search(CJK, text) for text in english)
    assert not any(ENGLISH.search(text) for text in chinese)
    body = page.partition("<body>")[2]
    outside = re.sub(r'<span lang="[^"]*">.*?</span>|<[^>]*>', " ", body, flags=re.DOTALL)
    assert ENGLISH.findall(outside) == []
