"""Before the program's first use of CUDA, Laptime makes no context

The driver is asked whether the device has a primary context: after the import, a recording, laps,
a timer on the device and a report; then after PyTorch's first use, to see that the question works.
"""

from __future__ import annotations

import json

import stage


def main() -> None:
    words = stage.command(stage.PACK / "programs/unused.py")
    told = json.loads(stage.child(words, EXPERIMENT_UNUSED="1").splitlines()[-1])
    before, after = told["before"], told["after"]
    stage.tell(
        {
            "contexts_by_laptime_count": int(before),
            "contexts_by_torch_count": int(after),
            "the_timer_says": told["reason"],
        },
        target="no context before the program's own",
        met=not before and after,
        why=None if after else "the driver tells of no context even after PyTorch made one",
    )


if __name__ == "__main__":
    main()
