"""What `run` says where it can't run, of a pack whose parts are scripted."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import machine
import pytest

HERE = Path(__file__).parent
MINOR = "{}.{}".format(*sys.version_info)


@pytest.fixture
def pack(tmp_path: Path) -> Path:
    for name in ("run", "machine.py"):
        shutil.copy(HERE / name, tmp_path)
    (tmp_path / "pack.json").write_text(json.dumps({"python": MINOR, "commit": "c"}) + "\n")
    return tmp_path


def said(pack: Path, **environment: str) -> str:
    """The last line of an end with 1 that left no folder."""
    out = pack / "out"
    done = subprocess.run(
        [str(pack / "run"), str(out)],
        env={**os.environ, "PYTHON": sys.executable, **environment},
        capture_output=True,
        text=True,
    )
    assert done.returncode == 1, done
    assert not out.exists()
    return done.stderr.splitlines()[-1]


@pytest.mark.skipif(machine.driver_absent() is None, reason="there is a GPU")
def test_without_a_gpu_it_says_what_is_missing(pack: Path) -> None:
    assert said(pack).startswith("make gpu: no GPU here: ")


def test_a_python_of_another_version_is_refused_by_its_name(pack: Path) -> None:
    (pack / "pack.json").write_text('{"python": "3.99"}\n')
    (pack / "machine.py").write_text("")
    told = said(pack)
    assert told.startswith("make gpu: this pack is for Python 3.99")
    assert sys.executable in told


def test_what_pytorch_lacks_is_said(pack: Path) -> None:
    (pack / "machine.py").write_text(
        "def absent():\n    return 'PyTorch 9 is built without CUDA'\n"
    )
    assert said(pack) == "make gpu: nothing was run: PyTorch 9 is built without CUDA"
