"""Fake libraries of NVIDIA's, built and put where LD_LIBRARY_PATH finds them."""

from __future__ import annotations

import json
import shutil
import subprocess
from pathlib import Path

#: What a library is called where it is real, by its package.
NAMES = {
    "laptime-fake-cuda": "libcuda.so.1",
    "laptime-fake-nvml": "libnvidia-ml.so.1",
}


def install(folder: Path, *packages: str) -> Path:
    """The folder, with the libraries of these packages in it."""
    wanted = [option for package in packages for option in ("-p", package)]
    built = subprocess.run(
        ["cargo", "build", "--quiet", "--message-format=json", *wanted],
        cwd=Path(__file__).parent,
        capture_output=True,
        text=True,
        check=True,
    )
    for line in built.stdout.splitlines():
        message = json.loads(line)
        name = message.get("target", {}).get("name", "").replace("_", "-")
        if name in packages:
            shutil.copy(message["filenames"][0], folder / NAMES[name])
    return folder
