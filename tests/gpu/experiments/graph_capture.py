"""Laps leave the capture of a CUDA graph whole, which a thread breaks that asks an event

Laps open and close on the capturing thread and on another one. The control, in a process of its
own, asks an event as a profiler does that knows nothing of captures: if that broke none, surviving
would say nothing.
"""

from __future__ import annotations

import json

import stage


def captured(how: str) -> str:
    """What the program printed last."""
    words = stage.command(stage.PACK / "programs/captures.py", how)
    return stage.child(words).splitlines()[-1]


def main() -> None:
    target = "the capture survives laps, and not the control"
    try:
        lost = json.loads(captured("control"))
    except RuntimeError as error:
        lost = str(error)
    try:
        told = json.loads(captured("laps"))
    except RuntimeError as error:
        stage.tell({}, target=target, met=False, why=str(error))
        return
    why = told.pop("why")
    is_said = "captured" in (why or "")
    # Fakes compute at once what a graph would do later.
    replayed = told["replayed_count"] == 100 or stage.IS_DRY
    met: bool | None = replayed and is_said and told["replay_timed_count"] == 1
    reason = None if is_said else f"laps in the capture say: {why}"
    if met and lost is None:
        met, reason = None, "the control's capture survived too: this proves nothing"
    stage.tell({**told, "control": lost or "survived"}, target=target, met=met, why=reason)


if __name__ == "__main__":
    main()
