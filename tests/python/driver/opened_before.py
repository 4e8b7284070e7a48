"""A recording that begins inside of a lap that is timed on a device."""

import torch  # noqa: F401
from fake_torch import Device

import laptime as lt

device = Device()
device.start()
with lt.lap("around"):
    device.work(10)
    device.advance(20)
    recording = lt.record("opened_before.lap")
    with lt.lap("inside"):
        device.work(5)
    device.advance(20)
recording.stop()
