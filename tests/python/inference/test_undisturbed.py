"""The measured model is afterwards what it was, also when a call raises."""

from __future__ import annotations

import copy
import random
from typing import Any, ClassVar

import pytest

import laptime as lt
from laptime.benchmarks._undisturbed import undisturbed

torch = pytest.importorskip("torch")


class Net(torch.nn.Module):  # type: ignore[misc, name-defined]
    # Of the class: what a module holds is put back.
    seen: ClassVar[set[tuple[bool, bool, bool]]] = set()

    def __init__(self) -> None:
        super().__init__()
        self.frozen = torch.nn.BatchNorm1d(3).eval()
        self.drop = torch.nn.Dropout()
        self.linear = torch.nn.Linear(3, 2)
        self.register_buffer("steps", torch.zeros(()))
        self.raises = False

    def forward(self, x: Any) -> Any:
        self.steps.add_(1)
        self.cache = x * 2
        torch.rand(3)
        random.random()
        out = self.linear(self.drop(self.frozen(x)))
        self.seen.add((self.training, out.requires_grad, torch.is_inference_mode_enabled()))
        if self.raises:
            raise RuntimeError("broken")
        return out


@pytest.fixture
def net() -> Any:
    torch.manual_seed(0)
    Net.seen.clear()
    net = Net()
    net.linear.weight.grad = torch.ones_like(net.linear.weight)
    return net


def _state(net: Any) -> Any:
    return copy.deepcopy(
        (
            net.state_dict(),
            net.linear.weight.grad,
            [one.training for one in net.modules()],
            [one.requires_grad for one in net.parameters()],
            torch.get_rng_state(),
            random.getstate(),
            torch.is_grad_enabled(),
        )
    )


def _same(one: Any, other: Any) -> bool:
    if isinstance(one, torch.Tensor):
        return bool(torch.equal(one, other))
    if isinstance(one, dict):
        return all(_same(one[key], other[key]) for key in one)
    if isinstance(one, (tuple, list)):
        return all(_same(left, right) for left, right in zip(one, other, strict=True))
    return bool(one == other)


@pytest.mark.parametrize("raises", [False, True])
def test_everything_is_as_before(net: Any, raises: bool) -> None:
    before = _state(net)
    places = [one.data_ptr() for one in [*net.parameters(), *net.buffers()]]
    net.raises = raises
    if raises:
        with pytest.raises(RuntimeError, match="broken"):
            lt.bench_inference(net, torch.ones(4, 3))
    else:
        lt.bench_inference(net, torch.ones(4, 3), batch_sizes=[2, 8], devices=["cpu"], budget=0.02)
    assert net.seen == {(False, False, True)}
    assert _same(_state(net), before)
    assert [one.data_ptr() for one in [*net.parameters(), *net.buffers()]] == places
    assert (net.training, net.frozen.training, net.drop.training) == (True, False, True)


def test_what_a_call_left_in_the_model_is_gone_and_it_can_be_trained(net: Any) -> None:
    lt.bench_inference(net, torch.ones(4, 3), budget=0.02)
    assert not hasattr(net, "cache")
    net(torch.ones(4, 3)).sum().backward()


def test_a_tensor_that_was_there_is_there_again(net: Any) -> None:
    net(torch.ones(4, 3))
    cache = net.cache
    lt.bench_inference(net, torch.ones(2, 3), budget=0.02)
    assert net.cache is cache


def test_parameters_are_the_same_objects_with_the_same_data_after_a_move(net: Any) -> None:
    parameters = dict(net.named_parameters())
    data = {name: (one.data_ptr(), one.grad) for name, one in parameters.items()}
    buffers = dict(net.named_buffers())
    with undisturbed(net):
        net.to(torch.float64)
        assert net.linear.weight.dtype == torch.float64
    after = dict(net.named_parameters())
    assert all(after[name] is one for name, one in parameters.items())
    assert {name: (one.data_ptr(), one.grad) for name, one in after.items()} == data
    assert all(dict(net.named_buffers())[name] is one for name, one in buffers.items())
    assert net.linear.weight.dtype == net.linear.weight.grad.dtype == torch.float32
    assert list(after) == list(parameters)


class Merging(torch.nn.Linear):  # type: ignore[misc, name-defined]
    """Changes its weight for evaluation, as adapters do that are merged into it."""

    merged = False

    def train(self, mode: bool = True) -> Any:
        if not mode and not self.merged:
            self.weight.data += 1
            self.merged = True
        return super().train(mode)

    def forward(self, x: Any) -> Any:
        assert self.merged
        return super().forward(x)


def test_what_a_class_does_in_its_own_eval_is_measured_and_undone() -> None:
    model = Merging(3, 2)
    weight = model.weight.detach().clone()
    lt.bench_inference(model, torch.ones(4, 3), budget=0.02)
    assert torch.equal(model.weight, weight)
    assert not model.merged
    assert model.training


def test_a_method_of_a_model_is_measured_on_the_model(net: Any) -> None:
    found = lt.bench_inference(net.forward, torch.ones(4, 3), budget=0.02)
    assert net.seen == {(False, False, True)}
    assert net.training
    assert found[4].device == "cpu"


def test_a_lazy_model_keeps_the_parameters_that_its_first_call_makes() -> None:
    lazy = torch.nn.Sequential(torch.nn.LazyLinear(2), torch.nn.LazyBatchNorm1d())
    found = lt.bench_inference(lazy, torch.ones(4, 3), budget=0.02)
    assert found[4].p50_ns is not None
    assert type(lazy[0]) is torch.nn.Linear
    assert lazy[0].weight.shape == (2, 3)
    assert lazy.training
    assert int(lazy[1].num_batches_tracked) == 0
    lazy(torch.ones(4, 3)).sum().backward()


def test_a_model_without_values_is_refused() -> None:
    with pytest.raises(ValueError, match="parameters without values"):
        lt.bench_inference(torch.nn.Linear(3, 2, device="meta"), torch.ones(4, 3))


def test_compiled_and_scripted_models_are_measured(net: Any) -> None:
    for model in (torch.compile(net, backend="eager"), torch.jit.script(torch.nn.Linear(3, 2))):
        found = lt.bench_inference(model, torch.ones(4, 3), devices=["cpu"], budget=0.05)
        assert found["cpu", 4].p50_ns is not None
        assert model.training


def test_a_larger_batch_keeps_its_layout() -> None:
    seen: list[bool] = []

    def model(x: Any) -> None:
        seen.append(x.is_contiguous(memory_format=torch.channels_last))

    x = torch.ones(2, 3, 4, 4).to(memory_format=torch.channels_last)
    lt.bench_inference(model, x, batch_sizes=[1, 2, 5], budget=0.01)
    assert all(seen)


def test_a_device_that_is_not_there_is_a_reason(net: Any) -> None:
    found = lt.bench_inference(net, torch.ones(4, 3), devices=["cpu", "cuda:99"], budget=0.02)
    assert found["cpu", 4].p50_ns is not None
    assert found["cuda:99", 4].unavailable
    assert found.crossovers == {("cpu", "cuda:99"): None}
    assert found.why_no_crossover("cuda:99") == found["cuda:99", 4].unavailable
