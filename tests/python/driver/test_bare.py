"""Laps on a device without a framework: what is told, and at what cost."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

HERE = Path(__file__).parent


def printed(driver: Path, what: str) -> dict[str, str]:
    """What the program prints."""
    environment = {k: v for k, v in os.environ.items() if not k.startswith("LAPTIME")}
    done = subprocess.run(
        [sys.executable, str(HERE / "bare.py"), what],
        env={**environment, "LD_LIBRARY_PATH": str(driver)},
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stderr
    lines = (line.partition(": ") for line in done.stdout.splitlines())
    return {key: value for key, _, value in lines}


def test_laps_from_before_a_reset_are_not_told_after_it(fake_driver: Path) -> None:
    assert printed(fake_driver, "reset")["laps"] == "3 3 3000"


def test_every_lap_of_a_long_capture_has_its_reason(fake_driver: Path) -> None:
    said = printed(fake_driver, "captured")
    assert said["laps"] == "70001 1 1000"
    assert "70000 of 70001 spans of x (a graph was being captured" in said["warnings"]


def test_no_lap_keeps_memory_of_pythons(fake_driver: Path) -> None:
    assert int(printed(fake_driver, "leaks")["blocks"]) < 1_000


def test_what_a_handler_raises_while_the_stream_is_asked_for_reaches_the_program(
    fake_driver: Path,
) -> None:
    said = printed(fake_driver, "interrupted")
    assert said == {"raised": "200", "caught": "200"}
