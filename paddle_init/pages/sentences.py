"""What stands in every page."""

from __future__ import annotations

from paddle_init.languages import Sentence

SEARCH = Sentence("Search", "搜索")
NONE_FITS = Sentence("Nothing fits the search and the filters.", "没有符合搜索和筛选条件的行。")
LEFT_OUT = Sentence("more rows", "行没有显示")
SHOW_MORE = Sentence("Show more", "显示更多")
OPEN_ALL = Sentence("Open all", "全部展开")
CLOSE_ALL = Sentence("Close all", "全部收起")
COMMA = Sentence(", ", "，")
LABELLED = Sentence("{label}: {text}", "{label}：{text}")
REPEAT = Sentence("How to repeat this", "如何重现")
VERSIONS = Sentence("Versions", "版本")
