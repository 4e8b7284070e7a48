"""Fake libraries of NVIDIA's for programs that have no device."""

from __future__ import annotations

import json
import shutil
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[3]
INSTALLED = {
    "laptime_fake_cuda": "libcuda.so.1",
    "laptime_fake_nvml": "libnvidia-ml.so.1",
}


@pytest.fixture(scope="session")
def fake_libraries(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of a driver and of its management library, for `LD_LIBRARY_PATH`."""
    command = ["cargo", "build", "--quiet", "--offline", "--message-format=json"]
    built = subprocess.run(
        [*command, "-p", "laptime-fake-cuda", "-p", "laptime-fake-nvml"],
        cwd=ROOT / "tests/fakes",
        capture_output=True,
        text=True,
        check=True,
    )
    folder = tmp_path_factory.mktemp("drivers")
    for line in built.stdout.splitlines():
        message = json.loads(line)
        name = INSTALLED.get(message.get("target", {}).get("name"))
        if name is not None:
            shutil.copy(message["filenames"][0], folder / name)
    return folder
