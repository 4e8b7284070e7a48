"""Every block of code in the README and the documentation runs, and prints what the page shows.

A page takes what its commands take: seconds where one trains, and more than ten where ceilings are
measured or every way to answer a question is shown. Cells that import torch are a fork (`warm`).

`pytest tests/docs --update` writes what was printed into pages that show something else.
"""

from __future__ import annotations

import sys
from pathlib import Path

import pytest
from masked import missing
from runner import ROOT, Ran, cells_of, import_torch, run
from snippets import Snippet, of_page

PAGES = [ROOT / "README.md", ROOT / "tests/README.md", *sorted((ROOT / "docs").rglob("*.md"))]
#: A page that shows times is run again where a machine was disturbed.
TRIES = 3
#: Compiled and run with the crates' own tests, or data.
ELSEWHERE = {"rust": "cargo test", "rust,no_run": "cargo test", "toml": "data", "json": "data"}


def _wrong(
    each: list[Snippet], folder: Path, python: str | Path
) -> tuple[list[str], dict[int, str]]:
    """What went wrong on a page, and which shown outputs are others than those printed."""
    wrong: list[str] = []
    stale: dict[int, str] = {}
    ran: dict[int, Ran] = {id(one.snippet): one for one in run(each, folder, python)}
    last: Ran | None = None
    for snippet in each:
        if snippet.not_run is not None:
            last = None
            continue
        own = ran.get(id(snippet))
        if own is not None:
            last = own
            if own.status:
                wrong.append(f"line {snippet.line} ends with {own.status}:\n{own.printed}")
        if snippet.kind == "text":
            if last is None:
                wrong.append(f"line {snippet.line}: an output of nothing that was run")
                continue
            commands = [line for line in snippet.code.splitlines() if line.startswith("$ ")]
            shown = "\n".join(line for line in snippet.code.splitlines() if line not in commands)
            line = missing(shown, last.printed) if shown.strip() else "an empty output"
            if line is not None:
                wrong.append(f"line {snippet.line}: not printed: {line}\nprinted:\n{last.printed}")
                stale[snippet.start] = _updated(snippet.code, commands, last.printed)
    return wrong, stale


def _updated(shown: str, commands: list[str], printed: str) -> str:
    lines = printed.strip("\n").splitlines()
    if shown.rstrip().endswith("\n…"):
        lines = [*lines[: len(shown.rstrip().splitlines()) - 1 - len(commands)], "…"]
    return "".join(line.rstrip() + "\n" for line in [*commands, *lines])


@pytest.mark.parametrize("page", PAGES, ids=[str(page.relative_to(ROOT)) for page in PAGES])
def test_a_page_runs_as_it_says(page: Path, tmp_path: Path, request: pytest.FixtureRequest) -> None:
    each = of_page(page)
    python: str | Path = sys.executable
    if import_torch(cells_of(each)):
        python = request.getfixturevalue("warm").python
    wrong: list[str] = []
    for attempt in range(TRIES):
        folder = tmp_path / str(attempt)
        folder.mkdir()
        wrong, stale = _wrong(each, folder, python)
        if not wrong:
            return
        if request.config.getoption("--update") and stale:
            text = page.read_text(encoding="utf-8")
            for snippet in sorted(each, key=lambda one: -one.start):
                if snippet.start in stale:
                    text = text[: snippet.start] + stale[snippet.start] + text[snippet.end :]
            page.write_text(text, encoding="utf-8")
            break
    pytest.fail("\n\n".join(wrong), pytrace=False)


def test_what_is_not_run_is_known(capsys: pytest.CaptureFixture[str]) -> None:
    """A block is run, or says why not; a language that nobody runs is no way around this."""
    listed: list[str] = []
    for page in PAGES:
        for snippet in of_page(page):
            where = f"{page.relative_to(ROOT)}:{snippet.line}"
            kind = snippet.kind.partition(":")[0]
            if snippet.not_run is not None:
                listed.append(f"{where}: {snippet.not_run}")
            elif kind not in {"python", "sh", "text", "file", "script", "copy", *ELSEWHERE}:
                pytest.fail(
                    f"{where}: nobody runs a block of {snippet.kind!r}; say why not above it"
                )
    with capsys.disabled():
        print("", "not run:", *listed, sep="\n")
