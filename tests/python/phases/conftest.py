"""Tests of the automatic phases with real torch; `crates/laptime-phases` tests their rules."""

from __future__ import annotations

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))
