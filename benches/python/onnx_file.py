"""How long an ONNX file takes to count: ResNet-50, exported without its weights.

The file's weights go to another file, which is removed before anything is counted. Prints one JSON
object.
"""

from __future__ import annotations

import json
import logging
import statistics
import tempfile
import time
import warnings
from pathlib import Path

import torch
import torchvision

import laptime as lt

ROUNDS = 50


def exported(folder: Path) -> Path:
    path = folder / "resnet50.onnx"
    model = torchvision.models.resnet50(weights=None).eval()
    torch.onnx.export(
        model,
        (torch.zeros(1, 3, 224, 224),),
        str(path),
        dynamo=True,
        external_data=True,
        verbose=False,
    )
    path.with_suffix(".onnx.data").unlink()
    return path


def main() -> None:
    logging.disable(logging.WARNING)
    warnings.simplefilter("ignore")
    times = []
    with tempfile.TemporaryDirectory() as folder:
        path = exported(Path(folder))
        for _ in range(ROUNDS):
            start = time.perf_counter_ns()
            counts = lt.count(path)
            times.append(time.perf_counter_ns() - start)
        size = path.stat().st_size
    result = {
        "name": "ResNet-50 exported without weights",
        "rounds": ROUNDS,
        "bytes": size,
        "mac": counts.mac,
        "coverage_ratio": counts.coverage_ratio,
        "median_ms": statistics.median(times) / 1e6,
        "first_ms": times[0] / 1e6,
        "slowest_ms": max(times) / 1e6,
    }
    print(json.dumps(result, indent=1))


if __name__ == "__main__":
    main()
