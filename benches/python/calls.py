"""What counting calls costs beside cProfile: three programs, bare, below cProfile and with Laptime.

All contenders take turns in processes of their own; a ratio is the median over turns of a
contender's time over the bare program's. Each turn also compares the counts: every function of the
program must have as many calls, and as many primitive ones, as cProfile says.
"""

from __future__ import annotations

import json
import pstats
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path

TURNS = 5
# A process runs its program so often; the fastest time is the least disturbed one.
RUNS = 4

FIB = """
def fib(n):
    return n if n < 2 else fib(n - 1) + fib(n - 2)
def program():
    return fib(25)
"""

WORDS = """
import random
random.seed(0)
TEXT = [" ".join(random.choices("abcdefghij", k=8)) for _ in range(4_000)]
def score(word):
    return sum(map(ord, word)) + len(word)
def clean(line):
    return [word.strip().upper() for word in line.split() if word.isalpha()]
def program():
    counts = {}
    for line in TEXT:
        for word in clean(line):
            counts[word] = counts.get(word, 0) + score(word)
    ordered = sorted(counts, key=lambda word: (-counts[word], word))
    return ",".join("%s=%d" % (word, counts[word]) for word in ordered)
"""

RECORDS = """
class Record:
    def __init__(self, number, text):
        self.number, self.text, self.children = number, text, []
    def add(self, depth):
        if depth:
            self.children = [Record(self.number * 2 + k, self.text[k:]) for k in range(2)]
            for child in self.children:
                child.add(depth - 1)
    def total(self):
        return self.number + len(self.text) + sum(child.total() for child in self.children)
def program():
    total = 0
    for index in range(40):
        root = Record(index, "DHRYSTONE PROGRAM, SOME STRING")
        root.add(8)
        total += root.total()
    return total
"""

PROGRAMS = {"recursion": FIB, "strings and sorting": WORDS, "many small objects": RECORDS}

# By name: what stands before and after the timed runs. OUT is a file of the contender's own.
CONTENDERS = {
    "bare": ("", ""),
    "cProfile": (
        "import cProfile; profile = cProfile.Profile(); profile.enable()",
        "profile.disable(); profile.dump_stats(OUT)",
    ),
    "laptime": (
        "import laptime; record = laptime.record(OUT + '.lap', calls=True)",
        "record.stop(); laptime.open(record.path).export(OUT, 'pstats')",
    ),
}

MAIN = """
from time import perf_counter as clock
OUT = {out!r}
{before}
seconds = []
for _ in range({runs}):
    began = clock(); program(); seconds.append(clock() - began)
{after}
print(min(seconds))
"""

Counts = dict[tuple[str, int, str], tuple[int, int]]


def run(source: str, around: tuple[str, str], out: Path) -> tuple[float, Counts]:
    """Seconds of the program, and calls by function where they were counted."""
    script = out.with_suffix(".py")
    before, after = around
    script.write_text(source + MAIN.format(out=str(out), runs=RUNS, before=before, after=after))
    ran = subprocess.run([sys.executable, script], capture_output=True, text=True, check=True)
    return float(ran.stdout), counts(out, script) if out.exists() else {}


def counts(out: Path, script: Path) -> Counts:
    """Calls and primitive calls of the program's functions and of the builtins that it calls."""
    found: Counts = {}
    stats = pstats.Stats(str(out)).stats  # type: ignore[attr-defined]
    for (file, line, name), (primitive, calls, _, _, callers) in stats.items():
        if file == str(script):
            found["program", line, name] = (calls, primitive)
        elif file == "~" and any(caller[0] == str(script) for caller in callers):
            found[file, line, name] = (calls, primitive)
    return found


def measured(source: str) -> dict[str, object]:
    """Times and ratios by contender, and whether the counts agree."""
    times: dict[str, list[float]] = {name: [] for name in CONTENDERS}
    differ: set[str] = set()
    functions = 0
    with tempfile.TemporaryDirectory() as folder:
        for turn in range(TURNS):
            told: dict[str, Counts] = {}
            for name, around in CONTENDERS.items():
                out = Path(folder) / f"{name}-{turn}.prof"
                seconds, told[name] = run(source, around, out)
                times[name].append(seconds)
            expected, found = told["cProfile"], told["laptime"]
            functions = len(expected)
            both = expected.keys() | found.keys()
            differ |= {str(key) for key in both if expected.get(key) != found.get(key)}
    bare = times["bare"]
    ratios = {
        name: statistics.median(one / base for one, base in zip(took, bare, strict=True))
        for name, took in times.items()
    }
    return {
        "seconds": {name: statistics.median(took) for name, took in times.items()},
        "ratio": ratios,
        "over_cprofile": ratios["laptime"] / ratios["cProfile"],
        "functions": functions,
        "counts_differ": sorted(differ),
    }


def main() -> None:
    """Prints a table, or all of it as JSON with `--json`."""
    results = {name: measured(source) for name, source in PROGRAMS.items()}
    if "--json" in sys.argv:
        json.dump({"calls": results}, sys.stdout, indent=1)
        return
    print(f"{'times of the bare program':28}{'cProfile':>10}{'laptime':>10}{'ratio':>8}  counts")
    for name, result in results.items():
        ratio = result["ratio"]
        assert isinstance(ratio, dict)
        differ = result["counts_differ"]
        same = f"differ: {differ}" if differ else f"equal, {result['functions']} functions"
        row = f"{name:28}{ratio['cProfile']:10.2f}{ratio['laptime']:10.2f}"
        print(f"{row}{result['over_cprofile']:8.2f}  {same}")


if __name__ == "__main__":
    main()
