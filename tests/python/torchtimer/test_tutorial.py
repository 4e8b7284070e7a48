"""The example that walks through torchtimer's tutorial runs, twice in one folder."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest
from warm import Warm

EXAMPLE = Path(__file__).parents[3] / "examples/torchtimer/tutorial.py"

pytest.importorskip("torch")


def test_the_tutorial_runs_twice_in_one_folder(tmp_path: Path, warm: Warm) -> None:
    one_thread = {**os.environ, "OMP_NUM_THREADS": "1"}
    for python, environment in ((sys.executable, one_thread), (warm.python, None)):
        command = [python, str(EXAMPLE), str(tmp_path)]
        ran = subprocess.run(command, capture_output=True, text=True, env=environment, check=False)
        assert ran.returncode == 0, ran.stderr
    for heading in ("repeated::main", "Word2Vec::forward", "Word2Vec::training", "data::main"):
        assert f"###### {heading}: (total runtime " in ran.stdout
    assert "disabled, stop() gives None" in ran.stdout
    assert (tmp_path / "word2vec.html").stat().st_size > 1_000
    saved = (tmp_path / "word2vec.md").read_text()
    assert saved.count("###### Word2Vec::forward") == 2
    assert saved.count("##### 20") == 2
