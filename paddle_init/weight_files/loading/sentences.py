"""Why something that a weight file holds cannot be read."""

from __future__ import annotations

from paddle_init.languages import Sentence

DTYPE = Sentence(
    "its values are {dtype}; what can be read is floating point, integers and booleans",
    "它的值是 {dtype}；能读取的是浮点数、整数和布尔值",
)
TEXT = Sentence("text", "文本")
BYTES = Sentence("strings of bytes", "字节串")
RECORDS = Sentence("records or raw bytes", "结构体或原始字节")
OBJECTS = Sentence(
    "its values are Python objects, which are never unpickled",
    "它的值是 Python 对象，本工具从不反序列化这类对象",
)
SHAPE = Sentence("NumPy has no array of the shape {shape}", "NumPy 没有形状为 {shape} 的数组")
NO_ARRAY = Sentence("it is no array ({kind})", "它不是数组（{kind}）")
NO_NPY = Sentence("it is no .npy file", "它不是 .npy 文件")
NPY_HEADER = Sentence(
    "its .npy header cannot be read ({error})", "无法读取它的 .npy 头部（{error}）"
)
NPY_VERSION = Sentence(".npy version {version} is not known", "未知的 .npy 版本 {version}")
COMPRESSION = Sentence(
    "it is compressed or encrypted in a way that is not known ({error})",
    "它的压缩或加密方式未知（{error}）",
)
