"""A fake driver of CUDA for programs that have no device."""

from __future__ import annotations

import json
import shutil
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[3]


@pytest.fixture(scope="session")
def fake_driver(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of a driver with a virtual clock, for `LD_LIBRARY_PATH`."""
    command = ["cargo", "build", "--quiet", "--offline", "--message-format=json"]
    built = subprocess.run(
        [*command, "-p", "laptime-fake-cuda"],
        cwd=ROOT / "tests/fakes",
        capture_output=True,
        text=True,
        check=True,
    )
    messages = [json.loads(line) for line in built.stdout.splitlines()]
    library = next(
        message["filenames"][0]
        for message in messages
        if message.get("target", {}).get("name") == "laptime_fake_cuda"
    )
    folder = tmp_path_factory.mktemp("driver")
    shutil.copy(library, folder / "libcuda.so.1")
    return folder
