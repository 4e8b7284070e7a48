"""NVIDIA's management library, as far as experiments need it: devices, power, version."""

from __future__ import annotations

import ctypes
import itertools
import threading
import time


class Nvml:
    """The library, started: OSError where it isn't installed, RuntimeError where it refuses."""

    def __init__(self) -> None:
        self._library = ctypes.CDLL("libnvidia-ml.so.1")
        self._ask("nvmlInit_v2")

    def driver(self) -> str:
        text = ctypes.create_string_buffer(96)
        self._ask("nvmlSystemGetDriverVersion", text, ctypes.c_uint(len(text)))
        return text.value.decode()

    def device(self, uuid: str) -> ctypes.c_void_p:
        device = ctypes.c_void_p()
        self._ask("nvmlDeviceGetHandleByUUID", uuid.encode(), ctypes.byref(device))
        return device

    def power_w(self, device: ctypes.c_void_p) -> float:
        milliwatts = ctypes.c_uint()
        self._ask("nvmlDeviceGetPowerUsage", device, ctypes.byref(milliwatts))
        return milliwatts.value / 1e3

    def _ask(self, name: str, *arguments: object) -> None:
        code = getattr(self._library, name)(*arguments)
        if code != 0:
            raise RuntimeError(f"{name} answered with error {code}")


class Power:
    """Reads a device's power again and again, on a thread; tells the energy of a time."""

    EVERY_S = 0.02

    def __init__(self, nvml: Nvml, device: ctypes.c_void_p) -> None:
        self._nvml, self._device = nvml, device
        self._is_over = threading.Event()
        self._read: list[tuple[float, float]] = []
        self._thread = threading.Thread(target=self._sample, daemon=True)
        self._thread.start()

    def _sample(self) -> None:
        while not self._is_over.wait(self.EVERY_S):
            self._read.append((time.perf_counter(), self._nvml.power_w(self._device)))

    def stop(self) -> None:
        self._is_over.set()
        self._thread.join()

    def energy_j(self, begin_s: float, end_s: float) -> float | None:
        """The integral over the readings between two moments, scaled to all of that time."""
        inside = [(at, watts) for at, watts in self._read if begin_s <= at <= end_s]
        if len(inside) < 2:
            return None
        pairs = list(itertools.pairwise(inside))
        joules = sum((later - at) * (watts + next_) / 2 for (at, watts), (later, next_) in pairs)
        return joules / (inside[-1][0] - inside[0][0]) * (end_s - begin_s)
