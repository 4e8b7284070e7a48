#!/usr/bin/env python3
"""The table of docs/counters.md: what counters say, beside the truth.

    table.py docs/counters.md

Each counter runs in a process of its own. A wrong number must be explained by the parts in which
it differs (`why.py`), or nothing is written.
"""

from __future__ import annotations

import argparse
import json
import platform
import subprocess
import sys
from importlib.metadata import version
from pathlib import Path
from typing import Any

import models
import why

#: Counters: their name in code, in the table, and of their distribution.
PEERS = (
    ("thop", "thop", "thop"),
    ("fvcore", "fvcore", "fvcore"),
    ("ptflops", "ptflops", "ptflops"),
    ("torchinfo", "torchinfo", "torchinfo"),
    ("flops_profiler", "flops-profiler", "flops-profiler"),
    ("calflops", "calflops", "calflops"),
    ("flop_counter", "FlopCounterMode", "torch"),
    ("torch_profiler", "torch.profiler", "torch"),
)
BEGIN, END = "<!-- begin: make counters -->", "<!-- end: make counters -->"

Found = dict[str, dict[str, dict[str, Any]]]


def collected() -> dict[str, Found]:
    """What each counter says, by pass and model."""
    found: dict[str, Found] = {}
    for name in ("laptime", *(name for name, *_ in PEERS)):
        print(f"{name} …", file=sys.stderr)
        command = [sys.executable, str(Path(__file__).with_name("collect.py")), name]
        run = subprocess.run(command, capture_output=True, text=True, check=False)
        if run.returncode != 0:
            raise SystemExit(f"{name} failed:\n{run.stderr[-2000:]}")
        found[name] = json.loads(run.stdout)
    return found


class Footnotes:
    """Rules that were needed, numbered as they come, with where they held."""

    def __init__(self) -> None:
        self.held: dict[tuple[str, str], list[str]] = {}

    def number(self, peer: str, words: str, where: str) -> int:
        places = self.held.setdefault((peer, words), [])
        if where not in places:
            places.append(where)
        return list(self.held).index((peer, words)) + 1

    def lines(self) -> list[str]:
        return [
            f"{number}. **{peer}** {words}: {', '.join(places[:5])}{', …' if places[5:] else ''}."
            for number, ((peer, words), places) in enumerate(self.held.items(), 1)
        ]


def cell(
    peer: tuple[str, str, str],
    label: str,
    said: dict[str, Any] | None,
    truth: dict[str, Any],
    training: bool,
    notes: Footnotes,
    missing: list[str],
) -> str:
    """The ratio to the truth, and the numbers of the reasons why it isn't one."""
    if said is None:
        return ""
    if "error" in said:
        return f"error: `{said['error']}`"
    share = said["mac"] / truth["mac"]
    ratio = f"{share:.3g}" if share >= 0.001 else "< 0.001" if share else "0"
    if why.is_right(said["mac"], truth["mac"]):
        return "1"
    name = f"{peer[0]} training" if training else peer[0]
    try:
        reasons = why.explain(name, label, said, truth)
    except why.Unexplained as error:
        missing.append(str(error))
        return ratio
    numbers = [
        notes.number(peer[1], rule.words, f"{label} ({difference.part})")
        for rule, difference in reasons
    ]
    return f"{ratio} [{', '.join(map(str, sorted(numbers)))}]"


def rows(found: dict[str, Found], pass_: str, notes: Footnotes, missing: list[str]) -> list[str]:
    """A table: models down, counters across."""
    training = pass_ == "training"
    peers = [peer for peer in PEERS if found[peer[0]][pass_]]
    lines = [
        f"| model | truth, GMAC | Laptime | {' | '.join(title for _, title, _ in peers)} |",
        f"|---|---:|---|{'---|' * len(peers)}",
    ]
    for label, model in models.MODELS.items():
        truth = dict(found["laptime"][pass_][label])
        if truth["uncounted"]:
            missing.append(f"laptime, {label}: not counted: {truth['uncounted']}")
        by_hand = model.training if training else model.forward
        ours = truth["mac"]
        if by_hand is not None and ours != by_hand:
            missing.append(f"laptime, {label}: {ours} MAC for {by_hand}")
        cells = [
            cell(peer, label, found[peer[0]][pass_].get(label), truth, training, notes, missing)
            for peer in peers
        ]
        shown = f"{ours / 1e9:.4g}" + ("" if by_hand is not None else "*")
        lines.append(f"| {label} | {shown} | 1 | {' | '.join(cells)} |")
    return lines


def block(found: dict[str, Found]) -> tuple[str, list[str]]:
    notes, missing = Footnotes(), list[str]()
    forward = rows(found, "forward", notes, missing)
    training = rows(found, "training", notes, missing)
    used = sorted({(name, version(name)) for *_, name in PEERS})
    versions = ", ".join(f"{name} {number}" for name, number in used)
    text = "\n".join(
        [
            BEGIN,
            "",
            "Each number is what the counter says, divided by the truth. 1 means right, within "
            f"{why.RIGHT:.0%}. The truth is worked out by hand, and Laptime's number is checked "
            "against it. A truth marked * is Laptime's own number. If a counter gives FLOP, half "
            'of them are compared, as 1 MAC is 2 FLOP. fvcore\'s "FLOPs" are MACs and not halved. '
            "Numbers in brackets point to the reasons below.",
            "",
            "**Forward**, in evaluation mode, without gradients:",
            "",
            *forward,
            "",
            "**Forward and backward**, by the counters that count a backward:",
            "",
            *training,
            "",
            "Why a number is wrong. In brackets: the parts in which it differs from the truth.",
            "",
            *notes.lines(),
            "",
            f"With {versions}; Python {platform.python_version()}, on the CPU. `make counters` "
            "makes this table anew, and fails if a number is wrong for a reason that it doesn't "
            "know.",
            "",
            END,
        ]
    )
    return text, missing


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("document", type=Path)
    arguments = parser.parse_args()
    text, missing = block(collected())
    if missing:
        raise SystemExit("unexplained:\n" + "\n".join(missing))
    document = arguments.document.read_text(encoding="utf-8")
    before, _, rest = document.partition(BEGIN)
    after = rest.partition(END)[2]
    arguments.document.write_text(before + text + after, encoding="utf-8")


if __name__ == "__main__":
    main()
