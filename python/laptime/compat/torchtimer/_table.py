"""The table of a context, to the character as torchtimer 0.2 lays it out: people parse it.

Figures are the compiled part's. What doesn't fit widens its column, and nothing is cut.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeAlias

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

#: Least and most of the repeats, in bytes.
Bounds: TypeAlias = "tuple[int, int] | None"
#: A segment: name as it is shown, repeats, ns in all, net and peak memory.
Figures: TypeAlias = "tuple[str, int, int, Bounds, Bounds]"

#: Headings and least widths.
_COLUMNS = {
    "name": 4,
    "repeats": 10,
    "average time": 12,
    "total time": 12,
    "% total time": 15,
    "net mem alloc": 20,
    "peak mem alloc": 20,
}
#: What stands for memory that was not read.
_ABSENT = "\N{EN DASH}"


def table(timer: str, context: str, runtime_ns: int, figures: Sequence[Figures]) -> str:
    """The heading and the rows of a context, the longest total first; each line with its end.

    `runtime_ns` is the time in which any of its segments ran.
    """
    ordered = sorted(figures, key=lambda one: one[2], reverse=True)
    rows = [_cells(one, runtime_ns) for one in ordered]
    columns = zip(_COLUMNS.values(), *[map(len, row) for row in rows])
    widths = [max(column) for column in columns]
    lines = [_COLUMNS, ["-" * width for width in widths], *rows]
    return f"###### {timer}::{context}: (total runtime {_seconds(runtime_ns)}s)\n" + "".join(
        _line(widths, line) for line in lines
    )


def _line(widths: Sequence[int], cells: Iterable[str]) -> str:
    padded = (cell.ljust(width) for cell, width in zip(cells, widths))
    return f"| {' | '.join(padded)} |\n"


def _cells(figures: Figures, runtime_ns: int) -> list[str]:
    name, count, total_ns, net, peak = figures
    percent = 100.0 * total_ns / runtime_ns if runtime_ns else 0.0
    return [
        name,
        str(count),
        _seconds(total_ns / count),
        _seconds(total_ns),
        str(round(percent, 2)),
        _range(net),
        _range(peak),
    ]


def _seconds(ns: float) -> str:
    return str(round(ns / 1e9, 8))


def _range(bounds: Bounds) -> str:
    return _ABSENT if bounds is None else " - ".join(map(_bytes, bounds))


def _bytes(count: int) -> str:
    """Steps of 1024: whole below the first, one decimal from there on."""
    if abs(count) < 1024:
        return f"{count}B"
    size = count / 1024
    unit = "KB"
    for larger in ("MB", "GB", "TB"):
        if abs(size) >= 1024:
            size, unit = size / 1024, larger
    return f"{round(size, 1)}{unit}"
