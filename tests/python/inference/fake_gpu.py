"""A `torch` with a scripted GPU: it computes after the call returned, and transfers take time.

All times are those of a scripted clock.
"""

from __future__ import annotations

import types
from contextlib import nullcontext
from typing import Any


class Tensor:
    """Rows of numbers that are nowhere: only their count and place are known."""

    dtype = "torch.float32"

    def __init__(self, torch: FakeTorch, rows: int, device: str = "cpu") -> None:
        self.torch, self.rows = torch, rows
        self.device = torch.device(device)

    @property
    def shape(self) -> tuple[int, int]:
        return (self.rows, 4)

    def __getitem__(self, rows: slice) -> Tensor:
        return Tensor(self.torch, len(range(self.rows)[rows]), str(self.device))

    def to(self, device: Any) -> Tensor:
        if self.torch.device(device).type != self.device.type:
            self.torch.transfers.append((str(self.device), str(device), self.rows))
            self.torch.launch(self.torch.transfer_s)
        return Tensor(self.torch, self.rows, str(device))

    def data_ptr(self) -> int:
        return id(self)


class FakeTorch(types.ModuleType):
    """`torch`, with one CUDA device."""

    def __init__(self, clock: Any) -> None:
        super().__init__("torch")
        self.clock = clock
        self.done_at = 0.0
        self.transfer_s = 0.002
        self.waits: list[Any] = []
        self.transfers: list[tuple[str, str, int]] = []
        self.random_kept: list[Any] = []
        self.seen: list[tuple[str, str, int]] = []
        self.Tensor = Tensor
        self.version = types.SimpleNamespace(cuda="13.0", hip=None)
        self.inference_mode = nullcontext
        self.no_grad = nullcontext
        self.cuda = types.SimpleNamespace(
            is_available=lambda: True,
            is_initialized=lambda: True,
            is_current_stream_capturing=lambda: False,
            device_count=lambda: 1,
            synchronize=self._synchronize,
            get_rng_state=self.random_kept.append,
            set_rng_state=lambda state, device: None,
        )

    def device(self, name: Any) -> Any:
        kind, _, index = str(name).partition(":")
        return Device(kind, int(index) if index else None)

    def cat(self, parts: list[Tensor]) -> Tensor:
        return Tensor(self, sum(one.rows for one in parts), str(parts[0].device))

    def launch(self, seconds: float) -> None:
        """Work that the device does after what it was given before."""
        self.done_at = max(self.done_at, self.clock.seconds) + seconds

    def _synchronize(self, device: Any = None) -> None:
        self.waits.append(device)
        self.clock.wait(max(0.0, self.done_at - self.clock.seconds))


class Device:
    def __init__(self, kind: str, index: int | None) -> None:
        self.type, self.index = kind, index

    def __str__(self) -> str:
        return self.type if self.index is None else f"{self.type}:{self.index}"


class Model:
    """Takes a time for each row on the CPU, and one time for all of them on the GPU."""

    training = True

    def __init__(self, torch: FakeTorch, row_s: float, gpu_s: float) -> None:
        self.torch, self.row_s, self.gpu_s = torch, row_s, gpu_s
        self.device = "cpu"

    @property
    def seen(self) -> list[tuple[str, str, int]]:
        """Calls: where the model and its input were, and rows. What a model holds is put back."""
        return self.torch.seen

    def __call__(self, x: Tensor) -> Tensor:
        self.seen.append((self.device, str(x.device), x.rows))
        assert x.device.type == self.torch.device(self.device).type
        if self.device == "cpu":
            self.torch.clock.work(self.row_s * x.rows)
        else:
            self.torch.launch(self.gpu_s)
        return Tensor(self.torch, x.rows, str(x.device))

    def to(self, device: Any) -> None:
        self.device = str(device)


class Parameter(Tensor):
    """A parameter whose data can be replaced, as a move does."""

    grad = None
    is_leaf = requires_grad = True

    def __init__(self, data: Tensor) -> None:
        self.data = data

    @property
    def device(self) -> Device:  # type: ignore[override]
        return self.data.device

    def data_ptr(self) -> int:
        return id(self.data)


class Module(Model):
    """The same with a parameter, as a module of PyTorch has."""

    def __init__(self, torch: FakeTorch, row_s: float, gpu_s: float) -> None:
        super().__init__(torch, row_s, gpu_s)
        self._parameters = {"weight": Parameter(Tensor(torch, 1))}
        self._buffers: dict[str, Any] = {}

    def modules(self) -> list[Module]:
        return [self]

    def parameters(self) -> list[Parameter]:
        return list(self._parameters.values())

    def eval(self) -> None:
        self.training = False

    def to(self, device: Any) -> None:
        super().to(device)
        weight = self._parameters["weight"]
        weight.data = Tensor(self.torch, 1, str(device))
