"""The page of evidence: the machine, and a row for each experiment. Takes what the runner noted."""

from __future__ import annotations

from typing import Any

#: Endings of figures, with how a number of that kind is written.
UNITS = {
    "_ms": "{:,.3f} ms",
    "_us": "{:,.3f} µs",
    "_s": "{:,.2f} s",
    "_j": "{:,.1f} J",
    "_ratio": "{:.2%}",
    "_times": "{:,.0f} times",
    "_bytes": "{:,} bytes",
    "_count": "{:,.0f}",
}

ABSENT = "\N{EN DASH}"

DRY = (
    "**A dry run on fakes.** It shows that the experiments run to their end. Its numbers mean "
    "nothing and no GPU was asked: the driver and NVIDIA's management library are fakes with a "
    "virtual clock; PyTorch's CUDA, its profiler's kernels and ncu are scripted."
)


def figure(name: str, value: Any) -> str:
    """A figure with its name and unit."""
    ending = next((ending for ending in UNITS if name.endswith(ending)), "")
    words = name.removesuffix(ending).replace("_", " ")
    is_number = isinstance(value, (int, float)) and not isinstance(value, bool)
    told = UNITS[ending].format(value) if ending and is_number else str(value)
    return f"{words} {told}"


def verdict(row: dict[str, Any]) -> str:
    """What became of the experiment, with the reason where there is one."""
    words = {
        "met": "met",
        "missed": "**missed**",
        "impossible": "not possible here",
        "failed": "**failed**",
        "not run": "not run",
    }[row["state"]]
    return f"{words}: {row['why']}" if row.get("why") else words


def cell(text: str) -> str:
    """Text as a cell: no line or cell ends inside of it."""
    return " ".join(text.split()).replace("|", "\\|")


def page(facts: dict[str, str], rows: list[dict[str, Any]], *, dry: bool) -> str:
    """The whole page."""
    lines = ["# On a GPU", ""]
    lines += [DRY, ""] if dry else ["Written by `make gpu`; the numbers as JSON: `gpu.json`.", ""]
    lines += ["| | |", "| --- | --- |"]
    lines += [f"| {name} | {cell(value)} |" for name, value in facts.items()]
    counts = {state: sum(row["state"] == state for row in rows) for state in ("met", "missed")}
    left = len(rows) - counts["met"] - counts["missed"]
    lines += ["", f"{counts['met']} met, {counts['missed']} missed, {left} without a verdict.", ""]
    lines += [
        "| experiment | figure | target | verdict | took |",
        "| --- | --- | --- | --- | --- |",
    ]
    for row in rows:
        figures = "; ".join(figure(*one) for one in row.get("figures", {}).items()) or ABSENT
        cells = (row["title"], figures, row.get("target") or ABSENT, verdict(row))
        took = f"{row['took_s']:.0f} s" if "took_s" in row else ABSENT
        lines.append(f"| {' | '.join(map(cell, cells))} | {took} |")
    return "\n".join(lines) + "\n"
