"""Runs every experiment in a process of its own, and writes the page anew after each of them.

    python runner.py OUT [--dry] [--only NAME,NAME]

OUT gets `gpu.md`, `gpu.json` and `gpu.log`. An experiment that fails, crashes or takes too long is
a row with its reason. The exit code is 0 where each was met or isn't possible here, else 1; in a
dry run it is 0 where none failed. `run` starts this with the interpreter that has PyTorch. With
`--only` a dry run has these experiments alone.
"""

from __future__ import annotations

import argparse
import ast
import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import machine
from last_word import last_word
from page import page

PACK = Path(__file__).resolve().parent
#: In this order: what costs little comes first, for whoever is cut off.
EXPERIMENTS = (
    "no_context",
    "matmul",
    "host_clock",
    "cost_rust",
    "cost_python",
    "backlog",
    "callback",
    "small_kernels",
    "graph_capture",
    "nested_memory",
    "phases",
    "deep_mode",
    "emit_nvtx",
    "training",
    "energy",
    "ncu",
)
#: An experiment's own limit, and that of all of them: whoever rents the GPU was told eight minutes.
LIMIT_S = 60.0
LIMITS_S = {"training": 90.0, "ncu": 150.0}
ALL_S = 430.0
#: A dry run waits so many times longer.
PATIENCE = 5
#: Characters of an experiment's standard error that are kept.
MOST_SAID = 4_000
STATES = {True: "met", False: "missed", None: "impossible"}


def title(name: str) -> str:
    """The first line of what a file says of itself."""
    told = ast.get_docstring(ast.parse((PACK / f"experiments/{name}.py").read_text("utf-8")))
    return (told or name).splitlines()[0]


def safely(name: str, limit_s: float, environment: dict[str, str]) -> dict[str, Any]:
    """As :func:`run`; what goes wrong here is a row, too."""
    try:
        return run(name, limit_s, environment)
    except Exception as error:
        why = f"the runner: {type(error).__name__}: {error}"
        return {"name": name, "title": title(name), "state": "failed", "why": why}


def run(name: str, limit_s: float, environment: dict[str, str]) -> dict[str, Any]:
    """Runs an experiment to its end or the limit, and tells what became of it."""
    under = environment.get("EXPERIMENT_UNDER")
    words = [sys.executable, *([under] if under else []), str(PACK / f"experiments/{name}.py")]
    begun = time.monotonic()
    process = subprocess.Popen(
        words,
        env=environment,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        stdin=subprocess.DEVNULL,
        start_new_session=True,
        text=True,
        errors="replace",
    )
    try:
        out, err = process.communicate(timeout=limit_s)
        told = outcome(process.returncode, out, err)
    except subprocess.TimeoutExpired:
        err = ""
        told = {"state": "failed", "why": f"took longer than {limit_s:.0f} s, and was ended"}
    finally:
        rest = end(process)
    # Of one that hangs what it said until then; the page doesn't show it.
    said = (err or rest)[-MOST_SAID:]
    took_s = time.monotonic() - begun
    return {**told, "name": name, "title": title(name), "took_s": took_s, "stderr": said}


def end(process: subprocess.Popen[str]) -> str:
    """Ends an experiment and all that it started, a session of their own; what they said last."""
    try:
        os.killpg(process.pid, signal.SIGKILL)
    except (ProcessLookupError, PermissionError):
        pass
    if process.stderr is None or process.stderr.closed:
        return ""
    try:
        return process.communicate(timeout=10)[1]
    except subprocess.TimeoutExpired:
        return ""  # it hangs in the driver: nothing can be done, and the others go on


def outcome(code: int, out: str, err: str) -> dict[str, Any]:
    """What an experiment told, or how it failed."""
    line = next((line for line in reversed(out.splitlines()) if line.startswith('{"name"')), None)
    if code != 0 or line is None:
        how = f"ended by signal {-code}" if code < 0 else f"exit code {code}"
        what = "" if code != 0 else ", and told nothing"
        return {"state": "failed", "why": f"{how}{what}: {last_word(err or out)[:300]}"}
    told = json.loads(line)
    return {"state": STATES[told.pop("met")], **told}


def write(out: Path, facts: dict[str, str], rows: list[dict[str, Any]], *, dry: bool) -> None:
    """The page and its numbers, each replaced as a whole."""
    numbers = [{name: told for name, told in row.items() if name != "stderr"} for row in rows]
    said = [f"== {row['name']}\n{row.get('stderr', '')}\n" for row in rows]
    texts = {
        "gpu.md": page(facts, rows, dry=dry),
        "gpu.json": json.dumps({"dry": dry, "machine": facts, "experiments": numbers}, indent=1)
        + "\n",
        "gpu.log": "".join(said),
    }
    for name, text in texts.items():
        unfinished = out / f".{name}.part"
        unfinished.write_text(text, encoding="utf-8")
        unfinished.replace(out / name)


def facts_of(environment: dict[str, str]) -> dict[str, str]:
    """Told by a process of its own: what it loads must not be in the runner."""
    under = environment.get("EXPERIMENT_UNDER")
    words = [sys.executable, *([under] if under else []), str(PACK / "facts.py")]
    try:
        done = subprocess.run(words, env=environment, capture_output=True, text=True, timeout=60)
    except subprocess.TimeoutExpired:
        return {"machine": "unknown: the driver did not answer within a minute"}
    if done.returncode != 0:
        return {"machine": f"unknown: {last_word(done.stderr)}"}
    return json.loads(done.stdout.splitlines()[-1])


def main(out: Path, *, dry: bool, only: tuple[str, ...] = ()) -> int:
    """Runs them one after the other: all, or those asked for."""
    experiments = only or EXPERIMENTS
    # Whatever the shell asks of Laptime, the experiments don't.
    environment = {name: value for name, value in os.environ.items() if "LAPTIME" not in name}
    environment["PYTHONPATH"] = str(PACK)
    if dry:
        under = PACK / "dry/under_fakes.py"
        environment |= {"EXPERIMENT_DEVICE": "cpu", "EXPERIMENT_UNDER": str(under)}
    else:
        why = machine.driver_absent()
        if why is not None:
            print(f"make gpu: no GPU here: {why}; nothing was run", file=sys.stderr)
            return 1
    out.mkdir(parents=True, exist_ok=True)
    # A rented GPU isn't shared; the machine of a test is.
    patience = PATIENCE if dry else 1
    begun = time.monotonic()
    facts = facts_of(environment)
    rows: list[dict[str, Any]] = []
    for number, name in enumerate(experiments):
        left_s = patience * ALL_S - (time.monotonic() - begun)
        limit_s = patience * LIMITS_S.get(name, LIMIT_S)
        if left_s < 5:
            why = f"the {ALL_S:.0f} s of all experiments were over"
            rows.append({"name": name, "title": title(name), "state": "not run", "why": why})
        else:
            print(f"[{number + 1}/{len(experiments)}] {title(name)}", flush=True)
            rows.append(safely(name, min(limit_s, left_s), environment))
            print(f"      {rows[-1]['state']}: {rows[-1].get('why') or 'see the page'}", flush=True)
        write(out, facts, rows, dry=dry)
    print(f"\n{(out / 'gpu.md').read_text('utf-8')}\nwritten to {out / 'gpu.md'}")
    good = {"met", "missed", "impossible"} if dry else {"met", "impossible"}
    return 0 if all(row["state"] in good for row in rows) else 1


def ended(*_: object) -> None:
    """Somebody ends the runner: what it started ends, too."""
    sys.exit(143)


if __name__ == "__main__":
    signal.signal(signal.SIGTERM, ended)
    parser = argparse.ArgumentParser()
    parser.add_argument("out", type=Path)
    parser.add_argument("--dry", action="store_true")
    parser.add_argument("--only", type=lambda names: tuple(names.split(",")), default=())
    asked = parser.parse_args()
    if unknown := set(asked.only) - set(EXPERIMENTS):
        parser.error(f"no experiment is called {', '.join(sorted(unknown))}")
    sys.exit(main(asked.out, dry=asked.dry, only=asked.only))
