"""How long `laptime report` of a large recording takes to its first line and to its end, as JSON.

The recording, which `large_recording` writes, has a million spans and a hundred thousand samples of
functions.
"""

from __future__ import annotations

import json
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

ROUNDS = 9


def timed(recording: Path) -> tuple[float, float, bytes]:
    """Seconds to the first line and to the end, and that line."""
    began = time.perf_counter()
    command = [str(Path(sys.executable).parent / "laptime"), "report", str(recording)]
    with subprocess.Popen(command, stdout=subprocess.PIPE) as report:
        assert report.stdout is not None
        first = report.stdout.readline()
        to_first = time.perf_counter() - began
        report.stdout.read()
    return to_first, time.perf_counter() - began, first


def main(writer: str) -> None:
    with tempfile.TemporaryDirectory() as folder:
        recording = Path(folder) / "large.lap"
        subprocess.run([writer, recording], check=True)
        size = sum(file.stat().st_size for file in recording.iterdir())
        first, whole, lines = zip(*(timed(recording) for _ in range(ROUNDS)), strict=True)
    result = {
        "bytes": size,
        "rounds": ROUNDS,
        "first_line": lines[0].decode().strip(),
        "first_line_s": statistics.median(first),
        "report_s": statistics.median(whole),
    }
    print(json.dumps(result))


if __name__ == "__main__":
    main(sys.argv[1])
