"""`devices=`: transfers beside the computation, the crossover, and devices that aren't there.

The GPU is a scripted one, and so is the clock.
"""

from __future__ import annotations

import sys
from typing import Any

import pytest
from fake_gpu import FakeTorch, Model, Module, Tensor

import laptime as lt


@pytest.fixture
def torch(clock: Any, monkeypatch: pytest.MonkeyPatch) -> FakeTorch:
    torch = FakeTorch(clock)
    monkeypatch.setitem(sys.modules, "torch", torch)
    return torch


def _example(torch: FakeTorch, rows: int = 1) -> Any:
    return torch.Tensor(torch, rows)


def _moving(model: Model) -> Any:
    """A function that puts its model where the input is, as it isn't a module."""

    def call(x: Tensor) -> Tensor:
        model.to(x.device)
        return model(x)

    return call


def test_transfers_stand_beside_the_computation_which_is_waited_for(torch: FakeTorch) -> None:
    model = Model(torch, row_s=0.0, gpu_s=0.003)
    found = lt.bench_inference(
        _moving(model), _example(torch), batch_sizes=[4], devices=["cuda"], budget=0.3
    )
    case = found["cuda", 4]
    # To the device 2 ms, 3 ms on it, and back 2 ms.
    assert (case.transfer_in_ns, case.p50_ns, case.transfer_out_ns) == pytest.approx(
        (2e6, 3e6, 2e6), rel=0.01
    )
    assert case.total_p50_ns == pytest.approx(7e6, rel=0.01)
    assert case.p50_ns is not None
    assert case.samples_per_s == pytest.approx(4e9 / case.p50_ns)
    assert set(model.seen) == {("cuda", "cuda", 4)}
    assert {transfer[:2] for transfer in torch.transfers} == {("cpu", "cuda"), ("cuda", "cpu")}
    assert torch.waits
    assert "cuda" in torch.random_kept
    assert "transfers" in str(found)


def test_the_crossover_is_where_the_device_is_faster_with_its_transfers(torch: FakeTorch) -> None:
    # 1 ms a sample on the CPU, 5 ms for any batch on the GPU: 20 samples are enough, 2 are not.
    model = Model(torch, row_s=0.001, gpu_s=0.001)
    found = lt.bench_inference(
        _moving(model),
        _example(torch),
        batch_sizes=[2, 20, 40],
        devices=["cpu", "cuda"],
        budget=0.5,
    )
    assert found.devices == ["cpu", "cuda"]
    assert found.crossovers == {("cpu", "cuda"): 20}
    assert found.why_no_crossover("cuda") is None
    assert "cuda is faster than cpu from batch 20 on, transfers included." in found.headline
    assert found["cpu", 2].transfer_in_ns is None
    assert found["cpu", 2].why("transfer_in_ns") == "the input is on the device already"
    assert found[2].device == "cpu"


def test_a_device_that_is_never_faster_has_no_crossover(torch: FakeTorch) -> None:
    model = Model(torch, row_s=0.0, gpu_s=0.002)
    found = lt.bench_inference(_moving(model), _example(torch), devices=["cpu", "cuda"], budget=0.1)
    assert found.crossovers == {("cpu", "cuda"): None}
    assert "isn't faster at 1" in (found.why_no_crossover("cuda") or "")


def test_a_device_that_is_not_there_is_a_reason_and_the_others_are_measured(
    torch: FakeTorch,
) -> None:
    model = Model(torch, row_s=0.0, gpu_s=0.0)
    found = lt.bench_inference(
        _moving(model), _example(torch), devices=["xpu", "cuda:3", "cpu"], budget=0.05
    )
    assert found["xpu", 1].unavailable == "PyTorch knows no device 'xpu'"
    assert found["cuda:3", 1].unavailable == "no device cuda:3: there is 1 of cuda"
    assert found["cuda:3", 1].p50_ns is None
    assert found["cuda:3", 1].why("p50_ns") == found["cuda:3", 1].unavailable
    assert found["cpu", 1].p50_ns is not None
    assert "xpu was not measured: PyTorch knows no device 'xpu'." in str(found)
    assert found.why_no_knee("xpu") == "PyTorch knows no device 'xpu'"


def test_memory_that_does_not_suffice_is_a_reason_and_smaller_batches_stay(
    torch: FakeTorch,
) -> None:
    class OutOfMemoryError(RuntimeError): ...

    def model(x: Tensor) -> Tensor:
        if x.rows > 8:
            raise OutOfMemoryError("tried to allocate 20.00 GiB\nmore about that")
        return x

    found = lt.bench_inference(
        model, _example(torch), batch_sizes=[64, 8], devices=["cuda"], budget=0.05
    )
    assert found["cuda", 8].unavailable is None
    assert found["cuda", 64].unavailable == "out of memory: tried to allocate 20.00 GiB"
    assert "Batch 64: Not measured: out of memory" in str(found)


@pytest.mark.parametrize(
    ("devices", "error"),
    [("cuda", TypeError), ([], ValueError), (["cpu", "cpu"], ValueError)],
)
def test_devices_are_a_list_of_different_ones(
    torch: FakeTorch, devices: Any, error: type[Exception]
) -> None:
    with pytest.raises(error, match="device"):
        lt.bench_inference(lambda x: x, _example(torch), devices=devices)


@pytest.mark.parametrize("raises", [False, True])
def test_a_module_is_moved_to_each_device_and_put_back(torch: FakeTorch, raises: bool) -> None:
    class Net(Module):
        def __call__(self, x: Tensor) -> Tensor:
            if raises and self.device == "cuda":
                raise RuntimeError("broken")
            return super().__call__(x)

    net = Net(torch, row_s=0.0, gpu_s=0.0)
    (weight,) = net.parameters()
    data = weight.data
    if raises:
        found = lt.bench_inference(net, _example(torch), devices=["cpu", "cuda"], budget=0.02)
        assert "cuda was not measured: it raised RuntimeError: broken" in found.headline
        assert found["cpu", 1].p50_ns is not None
    else:
        lt.bench_inference(net, _example(torch), devices=["cpu", "cuda"], budget=0.02)
        assert set(net.seen) == {("cpu", "cpu", 1), ("cuda", "cuda", 1)}
    assert net.parameters() == [weight]
    assert weight.data is data
    assert net.training


def test_a_model_on_a_device_is_measured_there_by_itself(torch: FakeTorch) -> None:
    net = Module(torch, row_s=0.0, gpu_s=0.001)
    net.to("cuda:0")
    found = lt.bench_inference(net, _example(torch), budget=0.05)
    case = found[1]
    assert case.device == "cuda:0"
    assert case.transfer_in_ns is not None
    assert set(net.seen) == {("cuda:0", "cuda:0", 1)}
