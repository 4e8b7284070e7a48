"""A program without phases: laps around an inference, before and after it uses CUDA.

Its arguments say which of torch and Laptime it imports first, and what it does: `record` begins a
recording by itself, `print` prints what its own report says, `fail` fails to start CUDA.
"""

import sys

order, *wanted = sys.argv[1:]
if order == "torch":
    import torch  # noqa: F401

    import laptime as lt
else:
    import laptime as lt

from fake_torch import Device

device = Device()
if "record" in wanted:
    lt.record("laps.lap")


def infer() -> None:
    with lt.lap("infer"):
        device.work(4)
    device.advance(10)


with lt.lap("before"):
    pass
if "fail" in wanted:
    device.cuda._queued_calls.append((lambda: 1 // 0, []))
queue = len(device.cuda._queued_calls)
try:
    device.start()
except device.cuda.DeferredCudaCallError:
    print("failed: as it does without Laptime")
for _ in range(3):
    infer()
print("starts:", device.starts)
print("asked too early:", device.asked_too_early)
print("left in the queue:", len(device.cuda._queued_calls), "of", queue)
if "print" in wanted:
    print("device:", lt.report()["infer"].device_ns)
