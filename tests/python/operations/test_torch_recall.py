"""Calls that repeat are not run again: what they make is the same, and so is what they cost."""

from __future__ import annotations

import gc

import pytest

torch = pytest.importorskip("torch")

from torch._subclasses import FakeTensorMode
from torch._subclasses.fake_tensor import FakeTensor

import laptime as lt

#: Too many elements for their values to be kept.
SIZE = (40, 32)


def facts(made):
    """Everything about a tensor that a program could ask."""
    return [
        (
            type(it),
            tuple(it.shape),
            it.stride(),
            it.storage_offset(),
            it.untyped_storage().nbytes(),
            it.dtype,
            it.device,
            it.layout,
            it.requires_grad,
            it.is_leaf,
            it.is_inference(),
            None if it.is_inference() else it._version,
            it._is_view(),
            None if it.grad_fn is None else it.grad_fn.name(),
            str(torch._C._dispatch_keys(it)),
            sorted(vars(it)),
        )
        for it in (made if isinstance(made, (tuple, list)) else [made])
    ]


def asked(monkeypatch):
    """The operators that the framework is asked about, as they come."""
    names = []
    dispatch = FakeTensorMode.dispatch

    def noted(self, function, *arguments, **keywords):
        names.append(str(function))
        return dispatch(self, function, *arguments, **keywords)

    monkeypatch.setattr(FakeTensorMode, "dispatch", noted)
    return names


CALLS = {
    "elements": lambda x: x * 2.0 + x,
    "one element of a sum": lambda x: x.sum(0, keepdim=True),
    "another type": lambda x: x.to(torch.bfloat16),
    "a product": lambda x: x @ x.mT,
    "a row": lambda x: x[3],
    "columns": lambda x: x[:, 2:9:3],
    "turned": lambda x: x.T,
    "spread": lambda x: x[None].expand(4, -1, -1),
    "cut in parts": lambda x: x.split(3),
    "taken apart": lambda x: x.unbind(0),
    "two results": lambda x: torch.max(x, dim=1),
    "joined": lambda x: torch.cat([x, x], 1),
    "normalised": lambda x: torch.nn.functional.layer_norm(x, (32,)),
    "dropped": lambda x: torch.nn.functional.dropout(x, 0.5),
    "strided": lambda x: torch.as_strided(x, (2, 3), (16, 2), 5) * 1.0,
    "no elements": lambda x: x[:0] * 2.0,
    "detached": lambda x: x.detach(),
    "written to": lambda x: x.clone().add_(1.0),
    "written through a view": lambda x: x.clone()[2].zero_(),
    "complex": lambda x: torch.view_as_real(torch.fft.fft(x)),
    "conjugated": lambda x: torch.fft.fft(x).conj() * 2.0,
}


@pytest.mark.parametrize("name", CALLS)
@pytest.mark.parametrize("around", [torch.enable_grad, torch.no_grad, torch.inference_mode])
def test_what_is_made_again_is_as_the_framework_makes_it(name, around):
    call, wanted = CALLS[name], []

    def step(x, see):
        with around():
            x = x * 1.5  # nothing is known of it but its sizes
            for turn in range(3):
                see(turn, facts(call(x)))

    def compare(turn, found):
        assert found == wanted[turn]

    with FakeTensorMode():
        step(torch.ones(SIZE, requires_grad=True), lambda _, found: wanted.append(found))
    lt.count(lambda x: step(x, compare), torch.ones(SIZE, requires_grad=True), mode="fake")


@pytest.mark.parametrize("name", CALLS)
def test_calls_that_repeat_cost_what_they_cost(name):
    call = CALLS[name]

    def times(number):
        def step(x):
            x = x * 1.5
            for _ in range(number):
                call(x)

        return lt.count(step, torch.ones(SIZE), mode="fake")

    none, one, five = times(0), times(1), times(5)
    for cost in ("total_flop", "bytes_read", "bytes_written"):
        before, once, often = (getattr(it, cost) for it in (none, one, five))
        assert often - before == 5 * (once - before)


def test_a_call_that_repeats_is_not_run_again(monkeypatch):
    names = asked(monkeypatch)

    def scan(x):
        state = x * 0.5
        for _ in range(50):
            state = torch.relu(state * 2.0) + x[0]
        return state

    counts = lt.count(scan, torch.ones(SIZE), mode="fake")
    assert [names.count(f"aten.{it}") for it in ("relu.default", "add.Tensor")] == [1, 1]
    assert (counts.by_op["aten::relu"].calls, counts.by_op["aten::add"].calls) == (50, 50)


def test_a_view_that_is_made_again_shares_its_tensor_s_memory():
    def step(x):
        for _ in range(3):
            whole = x * 2.0
            part, *_ = whole.split(4)
            assert part.untyped_storage()._cdata == whole.untyped_storage()._cdata
            before = whole._version
            part.add_(1.0)
            assert whole._version == part._version == before + 1

    lt.count(step, torch.ones(SIZE), mode="fake")


def test_what_changes_between_two_calls_is_seen():
    def step(x, y):
        x, y = x * 1.5, y * 1.5
        for turn in range(4):
            assert (x * y).shape == ((1, *SIZE) if turn == 3 else SIZE)
            wide = turn >= 2
            assert (x * 3).dtype == torch.float32
            assert torch.full((2,), 1.5).dtype == (torch.float64 if wide else torch.float32)
            if turn == 1:
                torch.set_default_dtype(torch.float64)
            if turn == 2:
                y.unsqueeze_(0)
        torch.set_default_dtype(torch.float32)
        return x

    lt.count(step, torch.ones(SIZE), torch.ones(SIZE), mode="fake")


def test_what_changes_sizes_in_place_is_run_each_time():
    def step(x):
        for _ in range(3):
            whole = x * 1.5
            assert whole.resize_(2, 3).shape == whole.shape == (2, 3)
            assert whole.t_().shape == whole.shape == (3, 2)

    lt.count(step, torch.ones(SIZE), mode="fake")


def test_numbers_of_different_types_are_different_calls():
    def step(x):
        whole = (x * 1.5).to(torch.int64)
        for _ in range(2):
            kinds = [(whole * number).dtype for number in (1, 1.0, True)]
            assert kinds == [torch.int64, torch.float32, torch.int64]

    lt.count(step, torch.ones(SIZE), mode="fake")


def test_known_values_stay_known():
    def step(x):
        total = 0
        for length in (3, 5, 3):
            lengths = torch.tensor([length]) + 1
            total += int(lengths.sum())
        return total

    # 3 + 1, 5 + 1 and 3 + 1: as many elements are multiplied.
    counts = lt.count(lambda x: x[: step(x)] * 2.0, torch.ones(16, 4), mode="fake")
    assert counts.by_op["aten::mul"].other_flop == 14 * 4


@pytest.mark.parametrize("call", [torch.nonzero, lambda mask: mask[mask]])
def test_sizes_that_depend_on_data_are_not_made_up(call):
    def step(x):
        mask = x.cos() > 0.5
        for _ in range(2):
            call(mask)

    with pytest.raises(lt.LaptimeError):
        lt.count(step, torch.ones(SIZE, requires_grad=True), mode="fake")


def test_an_operator_of_the_program_s_own_is_run_each_time():
    sizes = iter(range(1, 100))

    @torch.library.custom_op("laptime_recalled::grows", mutates_args=())
    def grows(x: torch.Tensor) -> torch.Tensor:
        return x.new_empty(next(sizes))

    @grows.register_fake
    def _(x):
        return x.new_empty(next(sizes))

    def step(x):
        x = x * 1.5
        assert len({grows(x).shape for _ in range(3)}) == 3

    lt.count(step, torch.ones(SIZE), mode="fake")


def test_nothing_of_it_is_left():
    def fakes():
        gc.collect()
        return {id(it) for it in gc.get_objects() if type(it) is FakeTensor}

    before = fakes()
    lt.count(lambda x: [x * 1.5 for _ in range(5)], torch.ones(SIZE))
    assert fakes() <= before
