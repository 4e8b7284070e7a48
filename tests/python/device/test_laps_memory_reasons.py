"""Whether the memory of laps on devices is read, how, and why not."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

import laptime as lt

REASON = """
import sys
from fake_allocator import Allocators, fake_torch
import laptime as lt

torch = sys.modules["torch"] = fake_torch(Allocators())
if sys.argv[2] == "no cuda":
    del torch._C._cuda_memoryStats
elif sys.argv[2] == "fails":
    def fails(device):
        raise RuntimeError("this allocator has no statistics")
    torch._C._cuda_memoryStats = fails
elif sys.argv[2] == "unused":
    torch.cuda._initialized = False
with lt.record(sys.argv[1], memory=True, device_memory="fold"):
    with lt.lap("work"):
        pass
report = lt.open(sys.argv[1]).report()
print(report["work"].why("device_memory_reserved_bytes"))
assert "memory of devices" not in str(report), "it is of interest where somebody asks"
"""


@pytest.mark.parametrize(
    ("what", "reason"),
    [
        ("no cuda", "this PyTorch is built without CUDA"),
        ("fails", "this allocator has no statistics"),
        ("unused", "the program used no device"),
    ],
)
def test_where_there_is_none_the_reason_is_told(
    tmp_path: Path, what: str, reason: str, said: Callable[..., str]
) -> None:
    # A driver that is installed, and that nobody may load to say so.
    (tmp_path / "libcuda.so.1").write_text("no library")
    why = said(REASON, str(tmp_path / "a.lap"), what, LD_LIBRARY_PATH=str(tmp_path))
    assert why == f"memory of devices was not read: {reason}"


WITHOUT = """
import sys
import laptime as lt
with lt.record(sys.argv[1], memory=True), lt.lap("work"):
    pass
print(lt.open(sys.argv[1]).report()["work"].why("device_memory_reserved_bytes"))
"""


def test_a_program_without_pytorch_says_so(tmp_path: Path, said: Callable[..., str]) -> None:
    why = said(WITHOUT, str(tmp_path / "a.lap"))
    assert why == "memory of devices was not read: the program did not import PyTorch"


def test_an_allocator_that_counts_nothing_is_a_reason(
    tmp_path: Path, said: Callable[..., str]
) -> None:
    why = said(REASON, str(tmp_path / "a.lap"), "", PYTORCH_NO_CUDA_MEMORY_CACHING="1")
    assert "PYTORCH_NO_CUDA_MEMORY_CACHING is set" in why


def test_laptime_run_folds_and_the_environment_has_the_last_word(tmp_path: Path) -> None:
    script = tmp_path / "train.py"
    script.write_text(RUN)
    for word, peaks in (("", "300 300"), ("bounds", "100 400"), ("off", "None None")):
        path = tmp_path / f"run-{word}.lap"
        command = [
            sys.executable,
            "-m",
            "laptime",
            "run",
            "--memory",
            "--no-auto",
            "-o",
            str(path),
            str(script),
        ]
        environment = {"LAPTIME_DEVICE_MEMORY": word, "PYTHONPATH": str(Path(__file__).parent)}
        done = subprocess.run(
            command, env={**os.environ, **environment}, capture_output=True, text=True
        )
        assert done.returncode == 0, done.stderr
        assert done.stdout.split() == ["400"], "the program's own peak"
        row = lt.open(str(path)).report()["again"]
        told = f"{row.device_memory_peak_min_bytes} {row.device_memory_peak_max_bytes}"
        assert told == peaks
    why = row.why("device_memory_net_max_bytes")
    assert why == "memory of devices was not read: LAPTIME_DEVICE_MEMORY switches it off"


RUN = """
import sys
from fake_allocator import Allocators, fake_torch
from laptime._post_import import _imported

allocators = Allocators()
torch = sys.modules["torch"] = fake_torch(allocators)
_imported(torch)
import laptime as lt

with lt.lap("first"):
    allocators.allocate(400)
    allocators.free(400)
with lt.lap("again"):
    allocators.allocate(100)
    allocators.allocate(200)
    allocators.free(200)
print(torch.cuda.max_memory_allocated())
"""


def test_an_unknown_way_is_refused(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="'bounds' or 'fold', not 'exact'"):
        lt.record(tmp_path / "a.lap", memory=True, device_memory="exact")  # type: ignore[arg-type]


def test_a_way_to_read_what_nobody_asked_for_is_said(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    with lt.record(tmp_path / "a.lap", device_memory="fold"):
        pass
    said = "device_memory='fold' says how memory of devices is read, which memory=True asks for"
    assert said in caplog.messages
