"""Three ways to start a process times three ways to end it: every finished span is there."""

from __future__ import annotations

import itertools

import pytest
from launched import Runner, count

SPANS = 50

PROGRAM = f"""
    import multiprocessing, os, sys
    import laptime as lt

    def work(end, pipe):
        for _ in range({SPANS}):
            with lt.lap("child"):
                pass
        pipe.send("done")
        if end == "exit":
            return
        if end == "_exit":
            os._exit(7)
        pipe.recv()  # terminated here

    if __name__ == "__main__":
        start, end = sys.argv[1:]
        context = multiprocessing.get_context(start)
        with lt.lap("parent"):
            ours, theirs = context.Pipe()
            process = context.Process(target=work, args=(end, theirs))
            process.start()
            assert ours.recv() == "done"
            if end == "terminate":
                process.terminate()
            process.join()
        print(process.exitcode)
"""

CODES = {"exit": 0, "_exit": 7, "terminate": -15}


@pytest.mark.parametrize(
    ("start", "end"),
    list(itertools.product(["fork", "forkserver", "spawn"], ["exit", "_exit", "terminate"])),
)
def test_no_finished_span_of_a_child_is_missing(run: Runner, start: str, end: str) -> None:
    outcome = run(PROGRAM, start, end)
    assert outcome.code == 0, outcome.err
    assert outcome.out == f"{CODES[end]}\n"
    assert outcome.warnings == []
    summary = outcome.summary()
    assert count(summary, "child") == SPANS
    assert count(summary, "parent") == 1
    assert len({process["pid"] for process in summary["processes"]}) >= 2
    assert sum(process["lost_count"] for process in summary["processes"]) == 0


def test_spans_of_a_forked_child_nest_under_what_was_open_in_its_parent(run: Runner) -> None:
    summary = run(PROGRAM, "fork", "exit").summary()
    assert [row["names"] for row in summary["rows"] if row["names"][-1] == "child"] == [
        ["parent", "child"]
    ]


def test_a_fork_amid_threads_that_record_does_not_hang(run: Runner) -> None:
    outcome = run(
        """
        import os, threading
        import laptime as lt

        stop = threading.Event()

        def spin():
            while not stop.is_set():
                with lt.lap("busy"):
                    pass

        threads = [threading.Thread(target=spin) for _ in range(3)]
        for thread in threads:
            thread.start()
        for _ in range(40):
            pid = os.fork()
            if pid == 0:
                with lt.lap("forked"):
                    pass
                os._exit(0)
            assert os.waitpid(pid, 0)[1] == 0
        stop.set()
        for thread in threads:
            thread.join()
        print("done")
        """
    )
    assert (outcome.code, outcome.out) == (0, "done\n"), outcome.err
    summary = outcome.summary()
    assert count(summary, "forked") == 40
    assert count(summary, "busy") > 0


def test_a_pool_of_workers_is_recorded_whole(run: Runner) -> None:
    outcome = run(
        """
        import multiprocessing
        import laptime as lt

        def square(number):
            with lt.lap("square"):
                return number * number

        if __name__ == "__main__":
            with multiprocessing.get_context("fork").Pool(2) as pool:
                print(sum(pool.map(square, range(200))))
        """
    )
    assert (outcome.code, outcome.out) == (0, "2646700\n"), outcome.err
    assert count(outcome.summary(), "square") == 200
