"""A callback of Python's on the stream, and behind it more laps than the stream's queue takes

The queue is full until the callback has run, and it runs once Python's lock is free: a lap that
waits for room there and keeps the lock waits for ever.
"""

from __future__ import annotations

import json

import stage


def main() -> None:
    target = "the callback runs, and each lap has its time"
    words = stage.command(stage.PACK / "programs/calls_back.py")
    try:
        told = json.loads(stage.child(words).splitlines()[-1])
    except RuntimeError as error:
        stage.tell({}, target=target, met=False, why=str(error))
        return
    why = told.pop("why")
    if why is not None:
        stage.tell({}, target=target, met=None, why=why)
        return
    met = told["callbacks_count"] == 1 and told["laps_timed_count"] == told["laps_count"]
    stage.tell(told, target=target, met=met)


if __name__ == "__main__":
    main()
