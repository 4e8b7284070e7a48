"""Tests of steps that are profiled, with real torch and with scripted events of its profiler."""

from __future__ import annotations

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))
