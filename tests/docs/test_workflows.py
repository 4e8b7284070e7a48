"""The forge's workflows: valid YAML, with scripts that a shell can read and recipes that exist."""

from __future__ import annotations

import re
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest
import yaml
from runner import ROOT

WORKFLOWS = sorted((ROOT / ".github/workflows").glob("*.yml"))


def _steps(workflow: Path) -> Iterator[dict[str, object]]:
    read = yaml.safe_load(workflow.read_text(encoding="utf-8"))
    for name, job in read["jobs"].items():
        assert job["runs-on"], name
        for needed in job.get("needs", []):
            assert needed in read["jobs"], needed
        yield from job["steps"]


@pytest.mark.parametrize("workflow", WORKFLOWS, ids=[one.name for one in WORKFLOWS])
def test_a_workflow_calls_what_there_is(workflow: Path) -> None:
    recipes = set(re.findall(r"^([\w-]+):", (ROOT / "Makefile").read_text(), re.MULTILINE))
    for step in _steps(workflow):
        assert ("uses" in step) != ("run" in step), step
        if "uses" in step:
            assert re.fullmatch(r"[\w.-]+/[\w.-]+@[\w./-]+", str(step["uses"])), step
            continue
        script = str(step["run"])
        plain = re.sub(r"\$\{\{.*?\}\}", "value", script)
        subprocess.run(["bash", "-n"], input=plain, text=True, check=True)
        for recipe in re.findall(r"\bmake ([\w-]+)", script):
            assert recipe in recipes, recipe
        for tool in re.findall(r"\b(tools/[\w-]+)", script):
            assert (ROOT / tool).stat().st_mode & 0o111, tool
