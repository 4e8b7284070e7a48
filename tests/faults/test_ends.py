"""The end of a recording whose folder is gone or cannot be written: a warning, never an error."""

from __future__ import annotations

import pytest
from launched import Runner

TROUBLES = {
    "the folder was removed": "shutil.rmtree('a.lap')",
    "another folder took its name": "os.rename('a.lap', 'b.lap'); os.mkdir('a.lap', 0o500)",
    "a plain file took its name": "shutil.rmtree('a.lap'); open('a.lap', 'w').close()",
    "run.json is a folder": ("os.remove('a.lap/run.json'); os.makedirs('a.lap/run.json/full')"),
    "its descriptors were closed": "shutil.rmtree('a.lap'); os.closerange(3, 1_000)",
}

ENDS = {
    "with": """
    with lt.record("a.lap"):
        work()
    """,
    "stop": """
    recording = lt.record("a.lap")
    work()
    recording.stop()
    recording.stop()
    """,
    "exit": """
    recording = lt.record("a.lap")
    work()
    """,
    "drop": """
    recording = lt.record("a.lap")
    work()
    recording.stop()
    del recording
    """,
}


@pytest.mark.parametrize("trouble", TROUBLES)
@pytest.mark.parametrize("end", ENDS)
def test_the_end_of_a_recording_never_raises(run: Runner, trouble: str, end: str) -> None:
    outcome = run.alone(
        f"""
    import os, shutil, sys
    import laptime as lt

    def work():
        with lt.lap("work"):
            {TROUBLES[trouble]}
    {ENDS[end]}
    print("after")
    sys.exit(4)
    """
    )
    assert (outcome.code, outcome.out) == (4, "after\n"), outcome.err
    assert "Traceback" not in outcome.err
    lines = outcome.err.splitlines()
    # One that writing ended, where that is noticed before the end, and one of the end itself.
    assert len(lines) <= 2, outcome.err
    if "another folder" not in trouble:  # root writes there
        assert "a.lap/run.json" in lines[-1]


def test_a_logging_handler_that_raises_is_not_heard_at_the_end_of_a_recording(run: Runner) -> None:
    outcome = run.alone(
        """
        import logging, shutil
        import laptime as lt

        class Broken(logging.Handler):
            def emit(self, record):
                raise RuntimeError("broken")

        logging.getLogger("laptime").addHandler(Broken())
        with lt.record("a.lap"):
            shutil.rmtree("a.lap")
        print("after")
        """
    )
    assert (outcome.code, outcome.out, outcome.err) == (0, "after\n", "")
