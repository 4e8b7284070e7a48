"""What a model holds is put back, whatever its calls write into and by whichever way."""

from __future__ import annotations

import os
import warnings
from collections import OrderedDict, deque
from dataclasses import dataclass
from types import SimpleNamespace
from typing import Any

import pytest

import laptime as lt
from laptime.benchmarks._undisturbed import undisturbed
from laptime.world import contents

np: Any = pytest.importorskip("numpy")
torch = pytest.importorskip("torch")
X = torch.ones(2, 4)


class Rotary(torch.nn.Module):  # type: ignore[misc, name-defined]
    """Makes a table anew for longer inputs, as rotary embeddings do."""

    def __init__(self) -> None:
        super().__init__()
        self.make(2)

    def make(self, length: int) -> None:
        self.cached = length
        self.register_buffer("cos", torch.cos(torch.arange(length).float()), persistent=False)

    def forward(self, x: Any) -> Any:
        if x.shape[1] > self.cached:
            self.make(x.shape[1])
        return x * self.cos[: x.shape[1]]


class Late(torch.nn.Module):  # type: ignore[misc, name-defined]
    """Has its buffer, a module and a parameter from the first call on."""

    ready = False

    def forward(self, x: Any) -> Any:
        if not self.ready:
            self.register_buffer("late", torch.ones(1))
            self.inner = torch.nn.Linear(4, 4)
            self.scale = torch.nn.Parameter(torch.ones(1))
            self.ready = True
        return self.inner(x) + self.late * self.scale


@pytest.mark.parametrize("kind", [Rotary, Late])
def test_what_a_call_makes_and_the_flag_for_it_are_put_back_together(kind: Any) -> None:
    model = kind()
    before = dict(vars(model)), dict(model._buffers)
    lt.bench_inference(model, X, budget=0.02)
    assert (dict(vars(model)), dict(model._buffers)) == before
    assert not model._modules
    model(X).sum()


def _writes(how: str, model: Any) -> None:
    weight = model.weight
    with torch.no_grad():
        if how == "in place":
            weight.add_(1)
        elif how == "data":
            weight.data.add_(1)
        elif how == "other data":
            weight.data = weight.data + 1
        elif how == "numpy":
            weight.detach().numpy()[...] += 1
        elif how == "another":
            model.weight = torch.nn.Parameter(weight + 1)
        elif how == "frozen":
            weight.requires_grad_(False)
        elif how == "turned":
            weight.data = weight.data.t()
        elif how == "gradient":
            weight.grad.add_(1)
        else:
            weight.grad = torch.zeros_like(weight)


@pytest.mark.parametrize(
    "how",
    ["in place", "data", "other data", "numpy", "another", "frozen", "turned", "gradient", "new"],
)
@pytest.mark.parametrize("is_tied", [False, True])
def test_weights_that_are_written_are_put_back(how: str, is_tied: bool) -> None:
    model = torch.nn.Linear(4, 4)
    if is_tied:
        model.same = torch.nn.Linear(4, 4)
        model.same.weight = model.weight
        model.view = model.weight.detach()[1:, ::2]
    weight, gradient = model.weight, torch.ones(4, 4)
    weight.grad = gradient
    values, place = weight.detach().clone(), weight.data_ptr()
    model.register_forward_pre_hook(lambda module, _: _writes(how, module))
    with undisturbed(model) as lost:
        _writes(how, model)
        _writes(how, model)
    assert not lost
    assert model.weight is weight
    assert torch.equal(weight, values)
    assert weight.data_ptr() == place
    assert weight.requires_grad
    assert weight.grad is gradient
    assert torch.equal(gradient, torch.ones(4, 4))
    lt.bench_inference(model, X, budget=0.02, devices=["cpu"])
    assert torch.equal(model.weight, values)


@dataclass
class Cache:
    length: int
    keys: Any


class Keeps(torch.nn.Module):  # type: ignore[misc, name-defined]
    """Holds state in everything that is no buffer."""

    def __init__(self) -> None:
        super().__init__()
        self.count = 0
        self.plain = torch.zeros(3)
        self.array = np.zeros(3)
        self.list: list[Any] = [torch.zeros(2)]
        self.nested = {"a": [1, (torch.zeros(1), {"b"})]}
        self.recent: Any = deque([1], maxlen=2)
        self.named = OrderedDict(a=1)
        self.space = SimpleNamespace(count=0)
        self.cache = Cache(0, torch.zeros(2))
        self.hidden = [torch.nn.BatchNorm1d(4, momentum=1.0)]
        self.me = [self]

    def forward(self, x: Any) -> Any:
        self.count += 1
        self.plain += 1
        self.array[...] += 1
        self.list[0] += 1
        self.list.append(x)
        self.nested["a"][1][0].add_(1)
        self.nested["a"][1][1].add(self.count)
        self.nested["c"] = []
        self.recent.append(self.count)
        self.named["b"] = self.named.pop("a", 0)
        self.space.count += 1
        self.cache.length += 1
        self.cache.keys += 1
        self.me.clear()
        return self.hidden[0](x)


def test_attributes_and_what_is_in_their_containers_are_put_back() -> None:
    model = Keeps()

    def call() -> None:
        with undisturbed(model):
            model(torch.rand(2, 4))

    call()
    lt.bench_inference(lambda x: call(), X, budget=0.02)
    assert model.count == 0
    assert model.me == [model]
    assert not model.plain.any()
    assert not model.array.any()
    assert len(model.list) == 1
    assert not model.list[0].any()
    assert list(model.nested) == ["a"]
    assert not model.nested["a"][1][0].any()
    assert model.nested["a"][1][1] == {"b"}
    assert (list(model.recent), model.recent.maxlen) == ([1], 2)
    assert model.named == {"a": 1}
    assert model.space.count == model.cache.length == 0
    assert not model.cache.keys.any()
    assert not model.hidden[0].running_mean.any()


class Unbound:
    @property
    def __class__(self) -> type:
        raise RuntimeError("bound to nothing")


def test_objects_that_refuse_to_say_what_they_are_are_left_alone() -> None:
    model = torch.nn.Linear(4, 4)
    model.odd = [odd := Unbound()]
    assert lt.bench_inference(model, X, budget=0.02)[2].p50_ns is not None
    assert model.odd[0] is odd


def test_parametrized_and_compiled_and_scripted_models_are_put_back() -> None:
    spectral = torch.nn.utils.parametrizations.spectral_norm(torch.nn.Linear(4, 4))
    vector = spectral.parametrizations.weight[0]._u
    before = vector.clone()
    with undisturbed(spectral):
        spectral.train()(X)
    assert torch.equal(vector, before)
    inner = torch.nn.BatchNorm1d(4)
    compiled = torch.compile(inner, backend="eager")
    with undisturbed(compiled):
        compiled.train()(torch.rand(2, 4))
    assert not inner.running_mean.any()
    assert int(inner.num_batches_tracked) == 0
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # that TorchScript is old
        scripted = torch.jit.script(Counts())
    total = scripted.total
    with undisturbed(scripted):
        scripted(X)
    assert (scripted.count, float(scripted.total)) == (0, 0.0)
    assert scripted.total is total
    assert scripted.training


class Counts(torch.nn.Module):  # type: ignore[misc, name-defined]
    def __init__(self) -> None:
        super().__init__()
        self.count = 0
        self.register_buffer("total", torch.zeros(1))

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        self.count += 1
        self.total = self.total + 1
        return x + self.total


def test_shapes_of_arrays_large_lists_and_the_environment_are_put_back() -> None:
    model = torch.nn.Linear(4, 4)
    model.array, model.many = np.zeros((2, 3)), list(range(200_000))

    def change(module: Any, _: Any) -> None:
        module.array.shape = -1
        module.many.append(1)
        os.environ["LAPTIME_TEST_OF_A_MODEL"] = "1"

    model.register_forward_pre_hook(change)
    with undisturbed(model) as lost:
        model(X)
    assert not lost
    assert model.array.shape == (2, 3)
    assert len(model.many) == 200_000
    assert "LAPTIME_TEST_OF_A_MODEL" not in os.environ


def test_what_a_model_names_in_other_objects_is_the_program_s_and_stays() -> None:
    model, other = torch.nn.Linear(4, 4), Unbound()
    model.other = [other]
    with undisturbed(model):
        vars(other)["calls"] = 1
    assert vars(other)["calls"] == 1


def test_a_graph_that_waits_for_backward_is_not_disturbed() -> None:
    model = torch.nn.Sequential(torch.nn.Linear(4, 4), torch.nn.BatchNorm1d(4))
    loss = model(X).sum()
    lt.bench_inference(model, X, budget=0.02)
    loss.backward()


@pytest.mark.parametrize("shape", [(64, 64), (5000,), (3,)])
def test_what_is_too_large_for_a_copy_is_noticed_and_said(
    monkeypatch: pytest.MonkeyPatch, shape: tuple[int, ...]
) -> None:
    monkeypatch.setattr(contents, "MOST_COPIED", 0)
    model = torch.nn.Module()
    model.inner = torch.nn.Module()
    model.inner.weight = torch.nn.Parameter(torch.zeros(shape))
    with undisturbed(model) as lost:
        pass
    assert not lost
    with undisturbed(model) as lost:
        model.inner.weight.data.view(-1)[-1] = 1
    (said,) = lost
    assert "changes its weights when it is called: inner.weight can't be put back" in said
    assert "Load it again" in said


def test_small_tensors_are_copied_before_large_weights(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(contents, "MOST_COPIED", 64)
    model = torch.nn.BatchNorm1d(4)
    with undisturbed(model) as lost:
        model(torch.rand(8, 4))
    assert not lost
    assert not model.running_mean.any()


def test_weights_that_can_not_be_put_back_are_a_warning_of_the_result(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(contents, "MOST_COPIED", 0)
    model = torch.nn.Linear(4, 4)
    model.register_forward_pre_hook(lambda module, _: _writes("data", module))
    found = lt.bench_inference(model, X, budget=0.02)
    assert "weight can't be put back" in str(found)


@pytest.mark.parametrize("size", [2, 1, 5])
def test_a_model_that_writes_into_its_input_is_given_a_fresh_one_each_time(size: int) -> None:
    seen: set[float] = set()

    def model(x: Any, y: Any, n: Any) -> Any:
        assert x is y
        seen.add(float(x.sum()))
        n += 1
        return x.add_(1)

    x, n = torch.zeros(2, 4), np.zeros((2, 4))
    found = lt.bench_inference(model, (x, x, n), batch_sizes=[size], budget=0.02)
    assert seen == {0.0}
    assert not x.any()
    assert not n.any()
    assert "writes into its input" in str(found)


def test_an_input_of_the_program_s_own_kind_is_passed() -> None:
    def model(x: Any) -> None:
        assert not x.is_inference()
        assert x.requires_grad

    found = lt.bench_inference(
        model, torch.full((2, 4), torch.nan, requires_grad=True), batch_sizes=[1, 2, 3], budget=0.01
    )
    assert not found.warnings
