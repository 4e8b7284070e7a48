"""The notebooks among the examples run from above to below, and say what their text says.

The convolution's takes half a minute: it measures the machine first, as for its first reader.
"""

from __future__ import annotations

import os
import re
import sys
from pathlib import Path
from typing import Any

import pytest

nbformat = pytest.importorskip("nbformat")
NotebookClient = pytest.importorskip("nbclient").NotebookClient
for package in ("ipykernel", "torch", "sklearn", "PIL"):
    pytest.importorskip(package)

FOLDER = Path(__file__).parents[2] / "examples/notebooks"


def test_no_notebook_has_outputs_or_numbers_of_a_run() -> None:
    found = list(FOLDER.glob("*.ipynb"))
    assert found
    for path in found:
        notebook = nbformat.read(path, as_version=4)
        nbformat.validate(notebook)
        cells = [cell for cell in notebook.cells if cell.cell_type == "code"]
        assert not any(cell.outputs or cell.execution_count for cell in cells)


def said(notebook: Any) -> str:
    """What all cells printed and showed, as text."""
    outputs = [output for cell in notebook.cells for output in cell.get("outputs", [])]
    texts = [output.get("text") or output["data"].get("text/plain", "") for output in outputs]
    return re.sub(r"\x1b\[[\d;]*m", "", "\n".join(texts))


def test_the_convolution_is_measured_in_five_ways(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PATH", os.fspath(Path(sys.executable).parent), prepend=os.pathsep)
    # As on a machine that was never measured.
    monkeypatch.setenv("XDG_CACHE_HOME", os.fspath(tmp_path / "cache"))
    notebook = nbformat.read(FOLDER / "convolution.ipynb", as_version=4)
    resources = {"metadata": {"path": str(tmp_path)}}
    NotebookClient(notebook, resources=resources, timeout=600).execute()
    text = said(notebook)
    # A time, a function, exact arithmetic, an operation, a rate.
    assert len(re.findall(r"\(95 %: [\d.]+ to [\d.]+, [\d,]+ (?:samples?|runs?)", text)) == 2
    assert int(re.findall(r"PyTorch is (\d+) times as fast", text)[0]) > 1
    assert re.search(r"^loop .*\n.*(weighted|_sum) ", text, re.MULTILINE)
    assert "762,146 MAC, 1,524,292 FLOP" in text
    assert re.search(r"3 \(MaxPool2d\)", text)
    rates = [float(rate) for rate in re.findall(r"([\d.]+) GFLOP/s +[\d.]+ % of the peak", text)]
    assert len(rates) == 4
    assert rates[0] < rates[1] < rates[3]
    pictures = [output for cell in notebook.cells for output in cell.get("outputs", [])]
    assert any("image/png" in output.get("data", {}) for output in pictures)
    assert any('class="roofline"' in str(output.get("data", {})) for output in pictures)
