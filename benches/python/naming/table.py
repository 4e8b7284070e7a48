#!/usr/bin/env python3
"""Prints which profiler names what takes a program's time, and how fast: a table in Markdown.

    table.py [PROGRAM ...]

With names of programs it prints what each tool's screen shows as well.
"""

from __future__ import annotations

import os
import platform
import statistics
import sys
from importlib.metadata import version

import who_names

#: A tool's distribution.
DISTRIBUTIONS = {"laptime run": "laptime", "pyinstrument": "pyinstrument"}
DISTRIBUTIONS |= {"py-spy record": "py-spy", "scalene run": "scalene"}


def cell(found: who_names.Found) -> str:
    """A tool's answer on one program."""
    if found["ratio"] is None:
        return "does not end"
    said = "line" if found["by_line"] else "function" if found["named"] else "neither"
    return f"{said}, {found['ratio']:.2f}"


def row(name: str, cells: list[str]) -> str:
    return f"| {name} | " + " | ".join(cells) + " |"


def table(results: dict[str, dict[str, who_names.Found]]) -> str:
    """A row for each program, and the sums below."""
    tools = list(who_names.TOOLS)
    heads = [f"`{tool}` {version(DISTRIBUTIONS[tool])}" for tool in tools]
    lines = [row("program", heads), row("---", ["---"] * len(tools))]
    lines += [row(f"`{name}`", [cell(of[tool]) for tool in tools]) for name, of in results.items()]
    sums: dict[str, list[str]] = {"named": [], "with its line": [], "time of the run, median": []}
    for tool in tools:
        found = [of[tool] for of in results.values()]
        ended = [one["ratio"] for one in found if one["ratio"] is not None]
        sums["named"].append(f"**{sum(one['named'] for one in found)} of {len(found)}**")
        sums["with its line"].append(f"**{sum(one['by_line'] for one in found)}**")
        sums["time of the run, median"].append(f"**{statistics.median(ended):.2f}**")
    return "\n".join(lines + [row(f"**{name}**", cells) for name, cells in sums.items()])


def main() -> None:
    """Prints the table."""
    print(f"On {os.cpu_count()} processors, CPython {platform.python_version()}.\n")
    print(table(who_names.collected(sys.argv[1:])))


if __name__ == "__main__":
    main()
