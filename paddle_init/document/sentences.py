"""What is told of a file that was read, in every language."""

from __future__ import annotations

from paddle_init.languages import Sentence

SECOND_DOCUMENT = Sentence(
    "a second document starts here; C++ reads the first alone",
    "这里开始第二个文档；C++ 只读第一个",
)
DUPLICATE_KEY = Sentence(
    "the key is on line {first} too; as in C++, line {first} is taken and line {line} ignored",
    "第 {first} 行也有这个键；与 C++ 一样，取第 {first} 行，忽略第 {line} 行",
)
MERGE_KEY = Sentence(
    "C++ does not merge: to it, the keys that are named here are not there",
    "C++ 不做合并：对它来说，这里引用的键并不存在",
)
NOT_IN_ENCODING = Sentence("{found} is not {codec} ({reason})", "{found} 不是 {codec}")
BYTE = Sentence("byte {byte}", "字节 {byte}")
END = Sentence("the end", "文件末尾")
READ_AS_GB18030 = Sentence(
    "{problem}; the file is read as GB18030", "{problem}；文件按 GB18030 读取"
)
