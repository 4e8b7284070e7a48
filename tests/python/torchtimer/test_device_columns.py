"""The columns of a device: net and peak of its allocator, to the byte, however segments nest."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest
from warm import Warm

sys.path.insert(0, str(Path(__file__).parents[1] / "device"))

from fake_cuda import FakeCuda, fake_torch

from laptime.torchtimer import ProfilingTimer

HERE = Path(__file__).parent
EXAMPLE = HERE.parents[2] / "examples/torchtimer/tutorial.py"
MILLISECOND, MIB = 1_000_000, 1 << 20


@pytest.fixture
def cuda(monkeypatch: pytest.MonkeyPatch) -> FakeCuda:
    fake = FakeCuda()
    monkeypatch.setitem(sys.modules, "torch", fake_torch(fake))
    return fake


def table(text: str, context: str) -> dict[str, list[str]]:
    """The cells of a context's table by the name of the segment."""
    lines = text.splitlines()
    begin = next(at for at, line in enumerate(lines) if line.startswith(f"###### {context}: "))
    rows: dict[str, list[str]] = {}
    for line in lines[begin + 1 :]:
        if not line.startswith("|"):
            break
        name, *cells = (cell.strip() for cell in line.strip("|").split("|"))
        rows[name] = cells
    return rows


def test_columns_are_the_least_and_the_most_over_the_repeats(
    cuda: FakeCuda, capsys: pytest.CaptureFixture[str]
) -> None:
    timer = ProfilingTimer()
    for kept, more in ((4 * MIB, 0), (1 * MIB, 2 * MIB), (512, 0)):
        timer.start("a")
        cuda.allocate(kept + more)
        cuda.free(more)
        timer.stop("a")
    timer.start("freed")
    cuda.free(4 * MIB)
    timer.stop("freed")
    timer.summarize()
    rows = table(capsys.readouterr().out, "timer::main")
    assert rows["'a'"][-2:] == ["512B - 4.0MB", "512B - 4.0MB"]
    assert rows["'freed'"][-2:] == ["-4.0MB - -4.0MB", "0B - 0B"]


def test_nested_segments_have_the_columns_that_they_had_alone(
    cuda: FakeCuda, capsys: pytest.CaptureFixture[str]
) -> None:
    timer = ProfilingTimer()
    start, stop = timer.create_context("inside")
    timer.start("outer")
    cuda.allocate(8 * MIB)
    cuda.free(7 * MIB)
    start("first")  # torchtimer resets the peak here, and the outer one's 8 MiB are gone
    cuda.allocate(2 * MIB)
    cuda.free(2 * MIB)
    stop("first")
    start("second")
    cuda.allocate(3 * MIB)
    stop("second")
    timer.stop("outer")
    timer.summarize()
    out = capsys.readouterr().out
    assert table(out, "timer::main")["'outer'"][-2:] == ["4.0MB - 4.0MB", "8.0MB - 8.0MB"]
    inside = table(out, "timer::inside")
    assert inside["'first'"][-2:] == ["0B - 0B", "2.0MB - 2.0MB"]
    assert inside["'second'"][-2:] == ["3.0MB - 3.0MB", "3.0MB - 3.0MB"]
    assert cuda.max_memory_allocated() == 8 * MIB, "the program's own"


def test_history_has_what_the_allocator_said(cuda: FakeCuda) -> None:
    cuda.allocate(100)
    timer = ProfilingTimer()
    timer.start()
    cuda.allocate(50)
    cuda.free(20)
    timer.stop()
    told = {
        "memory_allocated_start": 100,
        "memory_allocated_end": 130,
        "max_memory_allocated_end": 150,
        "net_memory_allocated": 30,
        "peak_memory_allocated": 50,
    }
    for field, wanted in told.items():
        assert timer.history("default", field=field) == [wanted], field  # type: ignore[arg-type]


def test_the_tutorial_has_the_devices_times_and_memory(tmp_path: Path, warm: Warm) -> None:
    words = [str(HERE / "on_fake_device.py"), str(EXAMPLE), str(tmp_path)]
    ran = subprocess.run([warm.python, *words], capture_output=True, text=True, check=False)
    assert ran.returncode == 0, ran.stderr
    out = ran.stdout
    assert "one product: 0.001000 s" in out
    repeats, average, total, share, *memory = table(out, "repeated::main")["'default'"]
    assert (repeats, average, total, share) == ("100", "0.001", "0.1", "100.0")
    # Of 64 by 64 numbers; nobody holds the product.
    assert memory == ["0B - 0B", "16.0KB - 16.0KB"]
    memory = table(out, "memory::main")
    # A million and four million numbers, the first in blocks of 512 bytes.
    assert memory["'allocate'"][-2:] == ["3.8MB - 15.3MB", "3.8MB - 15.3MB"]
    assert memory["'temporary'"][-2:] == ["0B - 0B", "3.8MB - 15.3MB"]
    assert f"left behind: [{4_000_256}, {16_000_000}]" in out
    step = table(out, "Word2Vec::main")["'step'"]
    inside = {**table(out, "Word2Vec::forward"), **table(out, "Word2Vec::training")}
    parts = ["'embeddings'", "'products'", "'loss'", "'backward'", "'update'"]
    assert float(step[2]) >= sum(float(inside[part][2]) for part in parts)
    own = int(out.rsplit("the program's own peak: ", 1)[1])
    assert own >= 20_000_256, "both of the allocated at once, and the temporary"
    assert "host memory" not in ran.stderr
