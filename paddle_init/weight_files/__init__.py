"""Files of named arrays, written in pieces and in any order: .npz, .safetensors, .pdparams."""

from paddle_init.weight_files.weights import WeightFileError
from paddle_init.weight_files.writing import FORMATS, check_path, writing

__all__ = ["FORMATS", "WeightFileError", "check_path", "writing"]
