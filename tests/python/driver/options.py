"""Laps whose device times are asked for otherwise: the first argument says how.

`sync` and `streams` record that way by `lt.record`, `environment` leaves it to the environment,
`plain` asks for nothing. What is printed is what the program sees of it.
"""

import asyncio
import sys

import torch
from fake_torch import Device

device = Device()

import laptime as lt  # after what stands for PyTorch's own

how = sys.argv[1]
untouched = torch._C._cuda_setStream
options = {"sync": {"sync": True}, "streams": {"streams": "all"}}.get(how, {})
record = lt.record("options.lap", **options)
device.start()
external = device.driver.fake_stream()

with lt.lap("lap"):
    device.work(2)
    device.use(35)
    device.work(7)
    device.use(external)
    device.work(50)
    device.use(3)
print("done ms:", device.now_ms() - 1)
device.advance(100)

before = device.now_ms()
with lt.lap("step"):
    with lt.lap("inner"):
        device.work(5)
    print("waited ms:", device.now_ms() - before)
device.advance(100)


@lt.lap
async def task() -> None:
    before = device.now_ms()
    with lt.lap("inside"):
        device.work(4)
    print("task waited ms:", device.now_ms() - before)


asyncio.run(task())
print("stands in:", torch._C._cuda_setStream is not untouched)
record.stop()
print("stands in afterwards:", torch._C._cuda_setStream is not untouched)
before = device.now_ms()
with lt.lap("after"):
    device.work(3)
print("waited afterwards ms:", device.now_ms() - before)
