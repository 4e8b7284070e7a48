"""The cost of a lap in Python beside what people use instead, in one process and one run.

Each block runs one statement 500 times; the cost of the empty loop is taken off. Prints one
JSON object. The measure is `with threading.Lock()`, which every Python has.
"""

from __future__ import annotations

import contextlib
import json
import os
import statistics
import sys
import tempfile
import threading
import time
from pathlib import Path
from typing import Any

import blocks

import laptime as lt
from laptime import _core
from laptime.timing import track_time, track_time_and_memory
from laptime.torchtimer import ProfilingTimer

#: Statements in a block: 25 turns of a loop that holds 20 of them.
TURNS, UNROLLED = 25, 20
PAIRS = TURNS * UNROLLED
ROUNDS = 400
LOCK = "with threading.Lock()"


def repeated(statement: str, **names: Any) -> blocks.Block:
    """A function that runs the statement `PAIRS` times."""
    body = "".join(f"        {line}\n" for line in statement.splitlines() * UNROLLED)
    source = f"def block():\n    for _ in range({TURNS}):\n{body}"
    scope: dict[str, Any] = dict(names)
    exec(source, scope)
    block: blocks.Block = scope["block"]
    return block


def laptime_statements() -> dict[str, blocks.Block]:
    def plain() -> None:
        pass

    timer = lt.Timer("bench")

    def switched_off(block: blocks.Block) -> blocks.Block:
        def run() -> None:
            lt.disable()
            block()
            lt.enable()

        return run

    statement = 'with lap("x"): pass'
    return {
        "laptime: with lap": repeated(statement, lap=lt.lap),
        "laptime: with lap, off": switched_off(repeated(statement, lap=lt.lap)),
        "laptime: Timer start/stop": repeated(
            'start("x"); stop("x")', start=timer.start, stop=timer.stop
        ),
        "laptime: ProfilingTimer start/stop, memory off": repeated(
            't.start("x"); t.stop("x")', t=ProfilingTimer(device="cpu", memory=False)
        ),
        "laptime: track_time, its line to /dev/null": repeated(
            'track(timers, "x", call)', track=track_time, timers={}, call=plain
        ),
        "laptime: decorated call": repeated("call()", call=lt.lap(plain)),
        "the same call, undecorated": repeated("call()", call=plain),
    }


def counting_statements() -> dict[str, blocks.Block]:
    """What counts allocations, in rounds of its own: once begun, every lap counts them."""

    def plain() -> None:
        pass

    return {
        "laptime: ProfilingTimer start/stop, memory on": repeated(
            't.start("x"); t.stop("x")', t=ProfilingTimer(device="cpu")
        ),
        "laptime: track_time_and_memory, its line to /dev/null": repeated(
            'track(timers, "x", call)', track=track_time_and_memory, timers={}, call=plain
        ),
    }


def peer_statements() -> dict[str, blocks.Block]:
    import codetiming
    import nvtx
    import torch
    from lightning.pytorch.profilers import SimpleProfiler

    @contextlib.contextmanager
    def by_hand() -> Any:
        start = time.perf_counter()
        yield
        time.perf_counter() - start

    timer = codetiming.Timer(name="x", logger=None)
    profiler = SimpleProfiler()
    fast = torch._C._profiler._RecordFunctionFast
    return {
        "nullcontext": repeated("with x: pass", x=contextlib.nullcontext()),
        "perf_counter twice": repeated("now(); now()", now=time.perf_counter),
        "@contextmanager with perf_counter": repeated("with x(): pass", x=by_hand),
        "codetiming: start/stop": repeated("t.start(); t.stop()", t=timer),
        "codetiming: with": repeated("with t: pass", t=timer),
        "Lightning SimpleProfiler: start/stop": repeated('p.start("x"); p.stop("x")', p=profiler),
        "Lightning SimpleProfiler: with": repeated('with p.profile("x"): pass', p=profiler),
        "torch record_function, no profiler": repeated(
            'with r("x"): pass', r=torch.profiler.record_function
        ),
        "torch _RecordFunctionFast, no profiler": repeated("with r: pass", r=fast("x")),
        "nvtx annotate, no tool": repeated("with a: pass", a=nvtx.annotate("x")),
        **torchtimer_statement(),
    }


def torchtimer_statement() -> dict[str, blocks.Block]:
    """torchtimer's Python part alone: the driver calls it makes cost nothing here."""
    import torch
    import torchtimer

    zero = lambda *_args, **_keywords: 0  # noqa: E731
    fakes = {
        name: zero
        for name in dir(torch.cuda)
        if name.startswith(("synchronize", "memory_", "max_memory", "reset_", "current_"))
    }
    fakes["is_available"] = lambda: True
    real = {name: getattr(torch.cuda, name) for name in fakes}
    for name, fake in fakes.items():
        setattr(torch.cuda, name, fake)
    try:
        timer = torchtimer.ProfilingTimer()
        timer.start("x")
        timer.stop("x")
    except Exception as error:
        print(f"torchtimer left out: {error!r}", file=sys.stderr)
        for name, function in real.items():
            setattr(torch.cuda, name, function)
        return {}
    few = 4  # it takes about a thousand times as long as a lap
    block = repeated('t.start("x"); t.stop("x")', t=timer)
    code = block.__code__.replace(
        co_consts=tuple(
            few if constant == TURNS else constant for constant in block.__code__.co_consts
        )
    )
    block.__code__ = code
    return {"torchtimer, its Python part": block}


def measured(contenders: dict[str, blocks.Block]) -> dict[str, list[float]]:
    """Seconds of a block, less those of the empty loop."""
    taken = blocks.rounds({"empty loop": repeated("pass"), **contenders}, ROUNDS)
    empty = statistics.median(taken.pop("empty loop"))
    return {
        name: [max(seconds - empty, 1e-9) for seconds in series] for name, series in taken.items()
    }


def main() -> None:
    measure = {LOCK: repeated("with lock: pass", lock=threading.Lock())}
    with tempfile.TemporaryDirectory() as folder, open(os.devnull, "w") as nowhere:
        with lt.record(Path(folder) / "bench.lap"), contextlib.redirect_stdout(nowhere):
            net = measured(measure | laptime_statements() | peer_statements())
            counting = measured(measure | counting_statements())
            _core.memory_stop()
    rows = []
    lock = counting.pop(LOCK)
    both = [(*pair, net[LOCK]) for pair in net.items()]
    both += [(*pair, lock) for pair in counting.items()]
    for name, series, beside in both:
        middle, low, high = blocks.ratio(series, beside)
        scale = TURNS / 4 if name.startswith("torchtimer") else 1
        rows.append(
            {
                "name": name,
                "ns": round(statistics.median(series) / PAIRS * 1e9 * scale, 1),
                "ratio": round(middle * scale, 3),
                "interval": [round(low * scale, 3), round(high * scale, 3)],
            }
        )
    decorated = [
        own - plain
        for own, plain in zip(
            net["laptime: decorated call"], net["the same call, undecorated"], strict=True
        )
    ]
    middle, low, high = blocks.ratio(decorated, net[LOCK])
    rows.append(
        {
            "name": "laptime: decorator, its share of the call",
            "ns": round(statistics.median(decorated) / PAIRS * 1e9, 1),
            "ratio": round(middle, 3),
            "interval": [round(low, 3), round(high, 3)],
        }
    )
    print(json.dumps({"python": sys.version.split()[0], "rounds": ROUNDS, "pairs": rows}))


if __name__ == "__main__":
    main()
