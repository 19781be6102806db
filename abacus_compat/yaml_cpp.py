"""How yaml-cpp 0.7.0, which abacus reads its confs with, reads a document and a scalar.

The accepted syntax, the bounds, and every departure from yaml-cpp with its reason are in
docs/yaml_cpp.md.
"""

from paddle_init.yaml_cpp import (
    MAX_ALIASED,
    MAX_BYTES,
    MAX_DEPTH,
    Document,
    DocumentError,
    Mapping,
    Node,
    Scalar,
    ScalarError,
    Sequence,
    as_bool,
    as_double,
    as_float,
    as_int,
    parse_document,
    read_document,
)

__all__ = [
    "MAX_ALIASED",
    "MAX_BYTES",
    "MAX_DEPTH",
    "Document",
    "DocumentError",
    "Mapping",
    "Node",
    "Scalar",
    "ScalarError",
    "Sequence",
    "as_bool",
    "as_double",
    "as_float",
    "as_int",
    "parse_document",
    "read_document",
]
