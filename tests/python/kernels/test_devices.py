"""What a profiler of devices hands out, scripted: kernels are told from all else."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from profiled_events import CPU, UNSIGNED, Told, event, kernel, without

import laptime as lt
from laptime._core import now, write_operators
from laptime.integrations import _profiler
from laptime.integrations._profiler_events import MARK, Seen, pairs_of, seen_of


def names(events: list[Told]) -> list[str]:
    return [name for name, *_ in seen_of(events, CPU)]


def on_device(events: list[Told]) -> dict[str, tuple[int, int, int]]:
    """Code, device and stream by name, of what is taken for a device's work."""
    return {name: where for name, *_, where in seen_of(events, CPU) if where is not None}


def test_without_activities_names_tell_work_from_waits_ranges_and_overhead() -> None:
    events = [
        kernel("void gemm<float>(int)", 100, device_index=1, device_resource_id=20),
        kernel("ncclDevKernel_AllReduce", 110),
        kernel("Memcpy HtoD (Pageable -> Device)", 120),
        kernel("Memset (Device)", 130),
        kernel("Event Sync", 140),
        kernel("Stream Wait Event", 150),
        kernel("Stream Sync", 160),
        kernel("Context Sync", 170, device_resource_id=-1),
        kernel("Unknown Sync", 180),
        kernel("cudaEvent", 190),
        kernel("epoch 1", 100, 500, is_user_annotation=True),
        kernel("hidden", 100, is_hidden_event=True),
    ]
    assert on_device(events) == {
        "void gemm<float>(int)": (0, 1, 20),
        "ncclDevKernel_AllReduce": (0, 0, 7),
        "Memcpy HtoD (Pageable -> Device)": (1, 0, 7),
        "Memset (Device)": (2, 0, 7),
    }


def test_where_torch_tells_the_activity_the_name_says_nothing() -> None:
    events = [
        kernel("Stream Sync", 100, activity_type="kernel"),
        kernel("Memcpy of mine", 110, activity_type="kernel"),
        kernel("gemm", 120, activity_type="cuda_sync"),
        kernel("gemm", 130, activity_type="gpu_user_annotation"),
        event("aten::mm", 140, activity_type="cpu_op"),
        event("Resource", 150, activity_type="user_annotation"),
        event("Lazy Function Loading", 160, activity_type="overhead"),
    ]
    assert on_device(events) == {"Stream Sync": (0, 0, 7), "Memcpy of mine": (0, 0, 7)}
    assert names(events)[2:] == ["aten::mm", "Resource"]


def test_overhead_of_the_profiler_is_no_operator_but_a_range_of_that_name_is() -> None:
    events = [
        event("aten::mm", 100),
        event("Activity Buffer Request", 105, start_thread_id=0, device_index=-1),
        event("Command Buffer Full", 106, start_thread_id=0, device_index=-1),
        event("Resource", 110, is_user_annotation=True, scope=7),
        event("cudaLaunchKernel", 102, linked_correlation_id=1),
    ]
    assert names(events) == ["aten::mm", "Resource", "cudaLaunchKernel"]


def test_where_torch_does_not_know_ranges_those_on_a_device_have_the_names_of_the_hosts() -> None:
    events = [
        event("epoch", 100, scope=7),
        event("aten::mm", 110),
        kernel("epoch", 120, 300),
        kernel("aten::mm", 130),
    ]
    old = [without(one, "is_user_annotation", "is_hidden_event") for one in events]
    assert on_device(old) == {"aten::mm": (0, 0, 7)}


def test_what_did_not_end_or_has_no_device_is_left_out() -> None:
    events = [
        kernel("ran", 100),
        kernel("no device", 110, device_index=-1),
        kernel("not begun", 0, 0),
        kernel("before the beginning", -5),
        kernel("backwards", 120, -120),
        kernel("not ended", 120, UNSIGNED - 120),
        event("aten::backwards", 130, -1),
        event("aten::mm", 140),
    ]
    assert names(events) == ["ran", "aten::mm"]


def test_numbers_that_are_not_known_are_none() -> None:
    events = [
        kernel("ran", 100, device_resource_id=-1, correlation_id=-1, linked_correlation_id=-1),
        event("aten::mm", 110, start_thread_id=-3, correlation_id=UNSIGNED + 4),
    ]
    assert seen_of(events, CPU) == [
        ("ran", 100, 10, (1, 0), (0, 0), (0, 0, 0)),
        ("aten::mm", 110, 10, (0, 0), (0, 0), None),
    ]


def test_a_call_of_the_driver_is_on_the_thread_of_the_operator_that_made_it() -> None:
    """It has the low half of a handle for its thread's number, which may be negative."""
    from threading import get_native_id

    here = get_native_id()
    events = [
        event(MARK, 90, device_resource_id=here),
        event("aten::mm", 100, 50, device_resource_id=here, correlation_id=5),
        event("cudaLaunchKernel", 110, device_resource_id=-77, linked_correlation_id=5),
        event("aten::mm", 100, 50, start_thread_id=2, device_resource_id=4321),
        event(
            "cuLaunchKernel",
            110,
            start_thread_id=2,
            device_resource_id=1234567,
            linked_correlation_id=6,
        ),
        event("cudaDeviceSynchronize", 200, start_thread_id=3, device_resource_id=-77),
    ]
    threads = [threads for _, _, _, threads, _, _ in seen_of(events, CPU)]
    assert threads == [(1, here), (1, here), (2, 4321), (2, 4321), (3, 0)]


def test_a_shadow_of_a_mark_on_a_device_is_no_mark() -> None:
    marks = [(1_000, 1_010), (2_000, 2_010)]
    events = [event(MARK, 100), kernel(MARK, 105, is_user_annotation=True), event(MARK, 200)]
    assert pairs_of(events, CPU, marks) == [
        ((1_000, 1_010), (100, 110)),
        ((2_000, 2_010), (200, 210)),
    ]
    backwards = [event(MARK, 100, -50), event(MARK, 200)]
    assert pairs_of(backwards, CPU, marks) == [((2_000, 2_010), (200, 210))]


def test_one_that_is_no_event_costs_no_other(tmp_path: Path) -> None:
    good: Seen = ("gemm", 150, 10, (1, 0), (2, 1), (0, 0, 7))
    bad: list[Any] = [
        ("aten::negative", -1, 10, (1, 0), (0, 0), None),
        ("negative device", 160, 10, (1, 0), (0, 0), (0, -1, 7)),
        ("too large", 160, 1 << 70, (1, 0), (0, 0), None),
        ("too short",),
        None,
    ]
    marks: list[Any] = [((now(), now()), (100, 110)), ((-1, 5), (120, 130))]
    with lt.record(tmp_path / "a.lap"), lt.lap("step"):
        assert write_operators([*bad, good], marks) is not None
        assert write_operators([good], marks[1:]) is None
    told = lt.open(tmp_path / "a.lap").report().to_json()
    assert '"gemm"' in told
    assert "negative" not in told


# -- which profiler --------------------------------------------------------------------------


def torch_with(profile: Any, *activities: str) -> Any:
    """A stand-in that has a profiler of this kind, and sees these activities."""
    supported = [SimpleNamespace(name=name) for name in activities]
    return SimpleNamespace(
        autograd=SimpleNamespace(profiler=SimpleNamespace(profile=profile)),
        _C=SimpleNamespace(_autograd=SimpleNamespace(_supported_activities=lambda: supported)),
    )


class Torch211:
    def __init__(
        self, enabled: bool = True, *, use_device: Any = None, use_kineto: bool = False
    ) -> None:
        self.said = {"use_device": use_device, "use_kineto": use_kineto}


class WithKinetoAlways:
    def __init__(self, enabled: bool = True, *, use_device: Any = None) -> None:
        self.said = {"use_device": use_device}


class BeforeOtherDevices:
    def __init__(
        self, enabled: bool = True, *, use_cuda: bool = False, use_kineto: bool = False
    ) -> None:
        self.said = {"use_cuda": use_cuda, "use_kineto": use_kineto}


@pytest.mark.parametrize(
    ("profile", "said"),
    [
        (Torch211, {"use_device": "cuda", "use_kineto": True}),
        (WithKinetoAlways, {"use_device": "cuda"}),
        (BeforeOtherDevices, {"use_cuda": True, "use_kineto": True}),
    ],
)
def test_a_device_is_seen_by_kineto_and_not_by_events_around_operators(
    profile: Any, said: dict[str, Any]
) -> None:
    assert _profiler.made(torch_with(profile), "cuda").said == said


def test_without_a_device_torchs_profiler_is_as_it_is() -> None:
    made = _profiler.made(torch_with(Torch211), "")
    assert made.said == {"use_device": None, "use_kineto": False}


def test_this_torch_takes_what_its_profiler_is_given() -> None:
    torch = pytest.importorskip("torch")
    assert "use_kineto" in _profiler.words(torch.autograd.profiler.profile, "cuda")


def test_a_torch_without_the_drivers_interface_sees_no_kernels() -> None:
    assert _profiler.sees(torch_with(Torch211, "CPU", "CUDA"), "cuda")
    assert not _profiler.sees(torch_with(Torch211, "CPU"), "cuda")
    assert not _profiler.sees(torch_with(Torch211, "CPU", "CUDA"), "xpu")
