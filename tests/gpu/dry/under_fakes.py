"""Runs a program where fakes stand in for the GPU: `under_fakes.py FILE ARGUMENTS`."""

from __future__ import annotations

import ast
import os
import runpy
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent


def main() -> None:
    sys.argv = sys.argv[1:]
    sys.path[0] = str(HERE)
    if needs_torch(Path(sys.argv[0])):
        import scripted

        scripted.install(is_used="EXPERIMENT_UNUSED" not in os.environ)
    runpy.run_path(sys.argv[0], run_name="__main__")


def needs_torch(file: Path) -> bool:
    """Whether it imports PyTorch, which takes seconds: not if it only starts programs."""
    imports = (ast.Import, ast.ImportFrom)
    found = [node for node in ast.parse(file.read_text("utf-8")).body if isinstance(node, imports)]
    names = {alias.name for node in found for alias in node.names}
    return bool(names & {"torch", "machine"})


if __name__ == "__main__":
    main()
