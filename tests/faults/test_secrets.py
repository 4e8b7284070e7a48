"""A recording holds what is promised and nothing else, for its owner's eyes only."""

from __future__ import annotations

from launched import Runner

PROGRAM = """
    import laptime as lt

    with lt.lap("work"):
        print("done")
"""


def test_arguments_and_environment_are_not_recorded(run: Runner) -> None:
    outcome = run(
        PROGRAM,
        "--password=canary-in-argv",
        environment={"LAPTIME_TEST_TOKEN": "canary-in-environment"},
    )
    assert (outcome.code, outcome.out) == (0, "done\n"), outcome.err
    files = [path for path in outcome.recording.rglob("*") if path.is_file()]
    assert len(files) >= 2
    for path in files:
        assert b"canary" not in path.read_bytes(), path
    assert "canary" not in outcome.err


def test_files_are_readable_by_their_owner_only(run: Runner) -> None:
    recording = run(PROGRAM).recording
    assert recording.stat().st_mode & 0o777 == 0o700
    for path in recording.iterdir():
        assert path.stat().st_mode & 0o777 == 0o600, path
