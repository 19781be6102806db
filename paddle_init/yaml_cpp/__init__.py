"""YAML files as yaml-cpp 0.7.0 reads them: conf files and net specs alike."""

from paddle_init.yaml_cpp.documents import (
    Document,
    FolderInPlaceOfFileError,
    ForbiddenFileError,
    MissingFileError,
    NoRegularFileError,
    UnreadableFileError,
    parse_document,
    quoted,
    read_document,
)
from paddle_init.yaml_cpp.encodings import MAX_BYTES
from paddle_init.yaml_cpp.nodes import (
    MAX_ALIASED,
    MAX_DEPTH,
    DocumentError,
    Mapping,
    Node,
    Problem,
    Scalar,
    Sequence,
)
from paddle_init.yaml_cpp.scalars import (
    ScalarError,
    as_bool,
    as_double,
    as_float,
    as_int,
    as_integer,
)

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
