"""Generated trainings on real torch, with timers that stand in them.

A training is a `Plan`, chosen by number (`plan`). `train` runs it and keeps what timers say
(`timers`): how often each phase came, and between which bounds its time lies, as a clock is read
around each call and inside of it. `verdict` compares that with what was recorded. The rules behind
it are tested with exact times by `crates/laptime-phases/tests/it/trainings`; here each event must
arrive.

    python -m trainings --programs 500      # in tests/python/phases
    python -m trainings --only 17           # what was told of one training
"""
