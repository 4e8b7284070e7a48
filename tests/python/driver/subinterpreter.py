"""A report while laps wait for their device, in a program that made a sub-interpreter."""

import importlib

from fake_torch import Device

import laptime as lt

device = Device()
device.start()
for name in ("_interpreters", "_xxsubinterpreters"):
    try:
        importlib.import_module(name).create()
        break
    except ImportError:
        pass
else:
    print("made: none")
with lt.record("sub.lap"):
    with lt.lap("behind"):
        device.work(5)
    print("count:", lt.report()["behind"].count)
    device.advance(5)
