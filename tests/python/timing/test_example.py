"""The example that uses every function prints what it should, to the character."""

from __future__ import annotations

import csv
import json
import os
import re
import subprocess
import sys
from pathlib import Path

from laptime import timing

EXAMPLE = Path(__file__).parents[3] / "examples" / "timing" / "all.py"

# Digits of measured numbers are masked as 9; so are paddings that depend on them.
EXPECTED = """\
MLP training complete: 9.99s total
KAN training complete: 9.99s total
SIREN complete: 9.99s, peak memory: 99.9 MB
Model complete: 9.99s
GPU memory: ['allocated_mb', 'max_allocated_mb', 'reserved_mb']
inner complete: 9.99s total
outer complete: 9.99s total
============================================================
TIMING SUMMARY - Section 1.1
============================================================
MLP training:                9.99s (9%)
KAN training:                9.99s (9%)
SIREN:                       9.99s (9%)
Model:                       9.99s (9%)
  inner:                     9.99s (9%)
outer:                       9.99s (9%)
silent:                      9.99s (9%)
------------------------------------------------------------
Total time:                  9.99s
Average per dataset:         9.99s
============================================================
ratios of: MLP training, KAN training, SIREN, Model, inner, outer, silent
============================================================
SPEEDUP ANALYSIS
============================================================
Baseline: KAN training (9.99s)
------------------------------------------------------------
NAME : 9x faster
NAME : 9x faster
NAME : 9x faster
NAME : 9x faster
NAME : 9x faster
NAME : 9x faster
============================================================
converged after 4 epochs
not reached: the metric has best 0.16666666666666666 at epoch 6 of 6; at most 0.01 was asked
Training - Detailed Breakdown:
----------------------------------------
  forward             :     9.99s (9%)
  attention           :     9.99s (9%)
----------------------------------------
MLP - Warmup Analysis:
----------------------------------------
  First epoch:           9.999s
  Steady state:          9.999s
  Warmup overhead:       9.999s (9%)
----------------------------------------
figures: mean_ms, min_ms, max_ms, throughput_samples_per_sec, median_ms, p90_ms, p99_ms, \
ci_low_ms, ci_high_ms, ci_reason, steady, steady_reason, batch_size, num_iterations, warmup, device
sorted Inference Benchmark:
----------------------------------------
  Mean latency:        9.999 ms
  Min latency:         9.999 ms
  Max latency:         9.999 ms
  Throughput:          9.9 samples/sec
----------------------------------------
"""


def masked(text: str) -> str:
    text = re.sub(r"\([ \d.-]{5,}%\)", "(9%)", text)
    text = re.sub(r"(?m)^.{20} : [ \d.]{5,}x (faster|slower)$", "NAME : 9x faster", text)
    text = re.sub(r"\d\.\d\ds", "9.99s", text)
    text = re.sub(r"-?\d\.\d{3}s", "9.999s", text)
    text = re.sub(r"\d+\.\d{3} ms", "9.999 ms", text)
    text = re.sub(r"\d+\.\d samples", "9.9 samples", text)
    return re.sub(r"\d\d\.\d MB", "99.9 MB", text)


def test_the_example_prints_the_layouts_and_writes_the_files(tmp_path: Path) -> None:
    environment = {k: v for k, v in os.environ.items() if not k.startswith("LAPTIME")}
    done = subprocess.run(
        [sys.executable, str(EXAMPLE), str(tmp_path)],
        capture_output=True,
        text=True,
        timeout=500,
        env=environment,
    )
    assert done.returncode == 0, done.stderr
    assert masked(done.stdout) == EXPECTED
    timers = json.loads((tmp_path / "times.json").read_text())["timers"]
    with (tmp_path / "times.csv").open(newline="") as file:
        rows = list(csv.DictReader(file))
    assert [row["Model"] for row in rows] == list(timers)
    assert float(rows[0]["Time (s)"]) == timers["MLP training"]
    assert "silent" in timers
    assert 31 <= timers["SIREN"]["peak_memory_mb"] <= 40


def test_the_example_uses_every_function() -> None:
    text = EXAMPLE.read_text()
    functions = [name for name in timing.__all__ if isinstance(getattr(timing, name), type)]
    for name in set(timing.__all__) - (set(functions) - {"DetailedTimer"}):
        assert f"{name}(" in text, name
