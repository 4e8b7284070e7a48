"""A program that records itself: one lap around its work on a fake device, and no step.

Its arguments are where to record, and in how many readings of the device the lap is over. It
prints what its own report says of the lap's energy.
"""

import ctypes
import sys

import laptime as lt

LIMITS = 9

path, readings = sys.argv[1], int(sys.argv[2])
cuda = ctypes.CDLL("libcuda.so.1")
nvml = ctypes.CDLL("libnvidia-ml.so.1")
nvml.fake_nvml_made.restype = ctypes.c_size_t


def until_read_again(times: int = 1) -> None:
    """Works until the device was read so often."""
    wanted = nvml.fake_nvml_made(0, LIMITS) + times
    while nvml.fake_nvml_made(0, LIMITS) < wanted:
        sum(range(1000))


with lt.record(path, phases=True):
    cuda.fake_use_device(0)
    until_read_again()
    with lt.lap("work"):
        until_read_again(readings)
    until_read_again()
    print(lt.report()["work"].why("device_energy_j"))
