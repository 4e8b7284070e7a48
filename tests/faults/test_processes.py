"""Three ways to start a process times three ways to end it: every finished span is there."""

from __future__ import annotations

import itertools
import os
import time

import pytest
from launched import Runner, count

pytestmark = pytest.mark.interpreter

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


TASKS = """
    import asyncio, gc, multiprocessing, os, sys
    import laptime as lt

    gc.disable()

    async def fails(number):
        # The error's traceback leads back to its task: a cycle that keeps the task's context.
        me = asyncio.current_task()
        with lt.lap("task"):
            raise ValueError(number)

    async def main():
        tasks = [asyncio.create_task(fails(number)) for number in range(20)]
        await asyncio.gather(*tasks, return_exceptions=True)

    asyncio.run(main())
"""


def test_a_child_that_collects_what_its_parent_left_behind_harms_nobody(run: Runner) -> None:
    outcome = run(
        TASKS
        + """
    child = multiprocessing.get_context("fork").Process(target=gc.collect)
    child.start()
    child.join()
    with lt.lap("after"):
        gc.collect()
    print(child.exitcode)
    sys.exit(4)
    """
    )
    assert (outcome.code, outcome.out) == (4, "0\n"), outcome.err
    assert "panicked" not in outcome.err
    assert outcome.warnings == []
    summary = outcome.summary()
    assert (count(summary, "task"), count(summary, "after")) == (20, 1)


def test_a_lap_that_a_child_closes_too_stays_its_parents(run: Runner) -> None:
    outcome = run(
        """
        import asyncio, os, sys
        import laptime as lt

        async def main():
            with lt.lap("outer"):
                pid = os.fork()
                if pid:
                    os.waitpid(pid, 0)
            if not pid:
                with lt.lap("child"):
                    pass
                sys.stdout.flush()
                os._exit(0)

        asyncio.run(main())
        """
    )
    assert (outcome.code, outcome.out, outcome.warnings) == (0, "", []), outcome.err
    summary = outcome.summary()
    assert (count(summary, "outer"), count(summary, "child")) == (1, 1)
    processes = summary["processes"]
    assert [process["open"] for process in processes] == [[], []]


def test_a_daemon_that_forks_after_the_runs_end_adds_nothing_to_it(run: Runner) -> None:
    outcome = run(
        """
        import json, os, sys, time
        import laptime as lt

        folder = os.environ["LAPTIME_RUN"]
        with lt.lap("program"):
            pass
        open("over.part", "w").close()
        begun, begin = os.pipe()
        if os.fork() == 0:
            os.setsid()
            for stream in (0, 1, 2):
                os.dup2(os.open(os.devnull, os.O_RDWR), stream)
            with lt.lap("daemon"):
                pass
            os.write(begin, b".")  # only now may the program, and the run with it, end
            while json.load(open(folder + "/run.json")).get("end") is None:
                time.sleep(0.01)
            pid = os.fork()
            if pid == 0:
                with lt.lap("late"):
                    pass
                os._exit(0)
            os.waitpid(pid, 0)
            os.rename("over.part", "over")
            os._exit(0)
        os.read(begun, 1)
        """
    )
    assert (outcome.code, outcome.warnings) == (0, []), outcome.err
    deadline = time.monotonic() + 60
    while not (run.folder / "over").exists():
        assert time.monotonic() < deadline, "the daemon has not ended"
        time.sleep(0.01)
    assert len(list(outcome.recording.glob("*.proc"))) == 2
    assert count(outcome.summary(), "late") == 0


def test_a_child_whose_only_thread_ends_is_over(run: Runner) -> None:
    outcome = run(
        """
        import os, threading
        import laptime as lt

        def fork():
            pid = os.fork()
            with lt.lap("work"):
                pass
            if pid:
                print(os.waitpid(pid, 0)[1])
            # In the child it was the only thread: its end is the process's.

        thread = threading.Thread(target=fork)
        thread.start()
        thread.join()
        """
    )
    assert (outcome.code, outcome.out, outcome.warnings) == (0, "0\n", []), outcome.err
    assert count(outcome.summary(), "work") == 2


def test_a_child_that_no_fork_handler_told_ends_and_leaves_its_parents_laps_alone(
    run: Runner,
) -> None:
    program = """
        import ctypes, os, sys
        import laptime as lt

        libc = ctypes.CDLL(None)
        make = getattr(libc, "_Fork", None) or libc.fork
        with lt.lap("parent"):
            with lt.lap("inner"):
                pid = make()
                if pid == 0:
                    for _ in range(50):
                        with lt.lap("child"):
                            pass
            if pid == 0:
                sys.exit(7)
            with lt.lap("inner"):
                print(os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]))
    """
    outcome = run(program)
    assert (outcome.code, outcome.out) == (0, "7\n"), outcome.err
    summary = outcome.summary()
    assert count(summary, "parent") == 1
    assert count(summary, "inner") == 2
    assert sum(process["lost_count"] for process in summary["processes"]) == 0


@pytest.mark.skipif(os.geteuid() != 0, reason="root alone may change its user and its root folder")
@pytest.mark.parametrize(
    ("change", "cause"),
    [
        ("os.setuid(65534)", "it or its parent changed the user"),
        ("os.chroot(jail)", "its root folder is another one"),
    ],
)
def test_a_child_that_can_no_longer_reach_the_recording_says_why(
    run: Runner, change: str, cause: str
) -> None:
    program = f"""
        import os, sys, tempfile
        import laptime as lt

        jail = tempfile.mkdtemp()
        with lt.lap("parent"):
            pid = os.fork()
            if pid == 0:
                {change}
                with lt.lap("child"):
                    pass
                sys.exit(7)
            print(os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]))
    """
    # Where functions are sampled, the child records from its fork on: it has its file by then.
    outcome = run(program, environment={"LAPTIME_STACKS": "0"})
    assert (outcome.code, outcome.out) == (0, "7\n")
    (warning,) = outcome.warnings
    assert cause in warning
    assert "in memory only" in warning
    assert count(outcome.summary(), "parent") == 1


def test_a_child_is_named_as_its_parent_whatever_title_the_process_has(run: Runner) -> None:
    program = """
        import ctypes, os
        import laptime as lt

        with lt.lap("parent"):
            stat = open("/proc/self/stat").read().rpartition(")")[2].split()
            title = b"a-secret-title"
            ctypes.memmove(int(stat[45]), title, len(title))
            assert title in open("/proc/self/cmdline", "rb").read()
            pid = os.fork()
            with lt.lap("both"):
                pass
            if pid:
                os.waitpid(pid, 0)
    """
    outcome = run(program)
    assert outcome.code == 0, outcome.err
    assert count(outcome.summary(), "both") == 2
    for file in outcome.recording.iterdir():
        assert b"a-secret" not in file.read_bytes(), file
