"""YAML files as yaml-cpp 0.7.0 reads them: conf files and net specs alike."""

from paddle_init.document.anchors import MAX_ALIASED, MAX_DEPTH
from paddle_init.document.encodings import MAX_BYTES
from paddle_init.document.nodes import Mapping, Node, Scalar, Sequence
from paddle_init.document.problems import DocumentError, Problem
from paddle_init.document.reading import (
    Document,
    FolderInPlaceOfFileError,
    ForbiddenFileError,
    MissingFileError,
    NoRegularFileError,
    UnreadableFileError,
    parse_document,
    read_document,
)
from paddle_init.document.scalars import (
    ScalarError,
    as_bool,
    as_double,
    as_float,
    as_int,
    as_integer,
)
from paddle_init.document.writing import quoted

__all__ = [
    "MAX_ALIASED",
    "MAX_BYTES",
    "MAX_DEPTH",
    "Document",
    "DocumentError",
    "FolderInPlaceOfFileError",
    "ForbiddenFileError",
    "Mapping",
    "MissingFileError",
    "NoRegularFileError",
    "Node",
    "Problem",
    "Scalar",
    "ScalarError",
    "Sequence",
    "UnreadableFileError",
    "as_bool",
    "as_double",
    "as_float",
    "as_int",
    "as_integer",
    "parse_document",
    "quoted",
    "read_document",
]
