"""Runs the cells of a notebook, in a kernel by any interpreter: also a fork of one with torch."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import nbformat
from jupyter_client.kernelspec import KernelSpecManager
from jupyter_client.manager import AsyncKernelManager
from nbclient import NotebookClient


def outputs_of(
    cells: tuple[str, ...], folder: Path, python: str | Path, times: int = 1
) -> list[Any]:
    """What each cell gave, when all had run so many times, each time one after the other."""
    kernel = folder / "kernels" / "tested"
    kernel.mkdir(parents=True)
    start = [str(python), "-m", "ipykernel_launcher", "-f", "{connection_file}"]
    spec = {"argv": start, "display_name": "tested", "language": "python"}
    (kernel / "kernel.json").write_text(json.dumps(spec))
    specs = KernelSpecManager(kernel_dirs=[str(kernel.parent)])
    manager = AsyncKernelManager(kernel_name="tested", kernel_spec_manager=specs)
    notebook = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(cell) for cell in cells])
    resources = {"metadata": {"path": str(folder)}}
    client = NotebookClient(notebook, km=manager, resources=resources, timeout=500)
    with client.setup_kernel():
        for _again in range(times):
            for index, cell in enumerate(notebook.cells):
                client.execute_cell(cell, index)
    return [cell.outputs for cell in notebook.cells]
