"""The forge's workflows: valid YAML, with scripts that a shell can read and recipes that exist."""

from __future__ import annotations

import re
import runpy
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


def _recipes() -> set[str]:
    makefiles = [ROOT / "Makefile", *(ROOT / "make").glob("*.mk")]
    heads = [re.findall(r"^([\w -]+):(?!=)", file.read_text(), re.MULTILINE) for file in makefiles]
    return {recipe for head in heads for names in head for recipe in names.split()}


@pytest.mark.parametrize("workflow", WORKFLOWS, ids=[one.name for one in WORKFLOWS])
def test_a_workflow_calls_what_there_is(workflow: Path) -> None:
    recipes = _recipes()
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


def test_the_jobs_together_run_the_parts_of_make_test() -> None:
    jobs = yaml.safe_load((ROOT / ".github/workflows/ci.yml").read_text("utf-8"))["jobs"]
    named = [one["parts"].split() for one in jobs["test"]["strategy"]["matrix"]["include"]]
    parts = runpy.run_path(str(ROOT / "tools/parts"))
    # A job's recipes set up what they need.
    assert sorted(part for each in named for part in each) == sorted(set(parts["TEST"]) - {"setup"})
    assert set(parts["TEST"] | parts["REST"]) <= _recipes() | {"python-other"}
