"""A training on a fake device: busy in every second reading, throttled from the tenth on."""

import ctypes
import sys

import laptime as lt

UTILIZATION, POWER, CLOCK, LIMITS = 0, 4, 6, 9
STEPS = 30
POWER_LIMIT = 4

cuda = ctypes.CDLL("libcuda.so.1")
nvml = ctypes.CDLL("libnvidia-ml.so.1")
nvml.fake_nvml_made.restype = ctypes.c_size_t
nvml.fake_nvml_calls.restype = ctypes.c_uint64


def series(reading, values):
    array = (ctypes.c_uint64 * len(values))(*values)
    nvml.fake_nvml_series(0, reading, array, ctypes.c_size_t(len(values)))


series(UTILIZATION, [90, 10] * 20)
series(POWER, [400_000])
series(CLOCK, [1980] * 10 + [1500])
series(LIMITS, [0] * 10 + [POWER_LIMIT])
if "without-energy" in sys.argv:
    nvml.fake_nvml_fail(0, 5, 3)

cuda.fake_use_device(0)
if "idle" in sys.argv:
    sys.exit()
made = 0


def until_read_again():
    """Works until the device was read once more."""
    global made
    while nvml.fake_nvml_made(0, LIMITS) <= made:
        sum(range(1000))
    made = nvml.fake_nvml_made(0, LIMITS)


until_read_again()
if "lost" in sys.argv:
    until_read_again()
    calls = nvml.fake_nvml_calls()
    nvml.fake_nvml_lose(0)
    while nvml.fake_nvml_calls() <= calls:
        sum(range(1000))
    sys.exit()
with lt.lap("train"):
    for _ in range(STEPS):
        with lt.lap("step"):
            until_read_again()
until_read_again()
