"""What `lt.count` makes of a path: counts an ONNX file, and says what to give instead of others."""

from __future__ import annotations

import errno
import os
from pathlib import Path

from .._core import LaptimeError, count_onnx

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

    from .._core import OpCounts

#: Files of models that the command reads, and files of weights, which nothing is counted from.
_COMMANDS = (".json", ".pt2")
_WEIGHTS = (".pt", ".pth", ".ckpt", ".bin", ".safetensors")


def count(path: str | os.PathLike[str], dims: Mapping[str, int] | None) -> OpCounts:
    """Counts an ONNX file."""
    shown, ending = os.fspath(path), Path(path).suffix.lower()
    if not os.path.exists(path):
        raise FileNotFoundError(
            errno.ENOENT,
            "No such file (nothing is downloaded: lt.count takes the model itself, or the path of "
            "an .onnx file)",
            shown,
        )
    if ending in _COMMANDS:
        raise LaptimeError(
            f"{shown} is no ONNX file: `laptime ops {shown}` counts it, or give lt.count the model"
        )
    if ending in _WEIGHTS:
        raise LaptimeError(
            f"{shown} is no ONNX file, and weights alone are no model: give lt.count the model"
        )
    return count_onnx(path, list((dims or {}).items()))
