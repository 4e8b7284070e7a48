"""A program under the automatic phases sees its own functions, frames and tracebacks."""

from __future__ import annotations

import copy
import cProfile
import gc
import inspect
import pickle
import pstats
import sys
import traceback
import types
import typing
import warnings
from contextlib import contextmanager
from unittest import mock

import pytest
import torch
from torch import nn
from torch.utils.data import DataLoader, Dataset
from watched import loader, network, watched

import laptime as lt
import laptime._core
from laptime.integrations._patches import Patches

FUNCTIONS = {
    "torch.autograd.backward": (torch.autograd, "backward"),
    "torch.autograd.grad": (torch.autograd, "grad"),
    "nn.Module.__call__": (nn.Module, "__call__"),
    "nn.Module.zero_grad": (nn.Module, "zero_grad"),
    "DataLoader.__iter__": (DataLoader, "__iter__"),
    "the loader's __next__": (torch.utils.data.dataloader._BaseDataLoaderIter, "__next__"),
    "SGD.step": (torch.optim.SGD, "step"),
    "Optimizer.zero_grad": (torch.optim.Optimizer, "zero_grad"),
    "Optimizer.profile_hook_step": (torch.optim.Optimizer, "profile_hook_step"),
    "GradScaler.step": (torch.amp.GradScaler, "step"),
    "GradScaler.update": (torch.amp.GradScaler, "update"),
    "GradScaler.unscale_": (torch.amp.GradScaler, "unscale_"),
}
torch.optim.SGD([torch.ones(1)])  # its step is hooked by torch itself at the first use

both_ways = pytest.mark.parametrize("modules", [False, True], ids=["phases", "modules"])


def hints(function):
    try:
        return str(typing.get_type_hints(function))
    except NameError as error:
        return str(error)


def described(owner, name):
    function = getattr(owner, name)
    return (
        id(function),
        id(vars(owner)[name]),
        sorted(vars(function)),
        function.__name__,
        function.__qualname__,
        function.__module__,
        function.__doc__,
        function.__code__,
        function.__defaults__,
        str(inspect.signature(function)),
        inspect.getsource(function),
        repr(function),
        inspect.isfunction(function),
        isinstance(function, types.FunctionType),
        type(function).__name__,
        copy.copy(function) is function,
        copy.deepcopy(function) is function,
        hints(function),
    )


@both_ways
def test_functions_of_torch_are_the_same_objects_with_the_same_faces(modules):
    def faces():
        return {name: described(*place) for name, place in FUNCTIONS.items()}

    before = faces()
    with watched(modules=modules):
        during = faces()
    assert during == before
    assert faces() == before


def pickled(function):
    """By each protocol; none where it can't be pickled."""
    try:
        return [pickle.dumps(function, protocol) for protocol in range(pickle.HIGHEST_PROTOCOL + 1)]
    except (pickle.PicklingError, AttributeError):
        return []


def test_functions_pickle_by_name_as_without():
    functions = {name: getattr(*place) for name, place in FUNCTIONS.items()}
    before = {name: pickled(function) for name, function in functions.items()}
    assert sum(map(bool, before.values())) >= 10
    with watched():
        for name, function in functions.items():
            assert pickled(function) == before[name], name
            for protocol, each in enumerate(before[name]):
                assert pickle.loads(each) is function
                assert pickle._dumps(function, protocol) == pickle._dumps(function, protocol)


def test_functions_can_be_mocked_with_their_signature():
    for place in FUNCTIONS.values():
        with watched(), mock.patch.object(*place, autospec=True) as mocked:
            assert callable(mocked)
        assert getattr(*place)


def everything():
    """What is set on the classes and modules that phases are seen at."""
    owners = {owner for owner, _ in FUNCTIONS.values()} | {torch.optim.Adam, torch.optim.LBFGS}
    return {
        (id(owner), name): id(value)
        for owner in owners
        for name, value in vars(owner).items()
        if not name.startswith("__abstract") and name != "_abc_impl"
    }


def test_nothing_is_set_anywhere_and_nothing_stays():
    before = everything()
    model = network()
    with watched(modules=True) as core:
        optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
        for inputs, _ in loader(2):
            model(inputs).sum().backward()
            optimizer.step()
        assert everything() == before
    assert core.count("step") == 2
    assert everything() == before


def come_and_go(owner, attribute, first_in, first_out):
    """Phases and another patcher, each of which may be the first."""
    original = vars(owner)[attribute]

    def other(*args, **kwargs):
        return original(*args, **kwargs)

    phases = watched()
    enter = [phases.__enter__, lambda: setattr(owner, attribute, other)]
    leave = [lambda: phases.__exit__(None, None, None), lambda: setattr(owner, attribute, original)]
    for actions, first in ((enter, first_in), (leave, first_out)):
        for action in actions if first == "phases" else reversed(actions):
            action()
    assert vars(owner)[attribute] is original


@pytest.mark.parametrize("first_out", ["phases", "other"])
@pytest.mark.parametrize("first_in", ["phases", "other"])
def test_other_patchers_come_and_go_in_any_order(first_in, first_out):
    for place in FUNCTIONS.values():
        come_and_go(*place, first_in, first_out)


def test_references_taken_before_are_seen_too():
    backward, step = torch.autograd.backward, torch.optim.SGD.step
    model = network()
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    with watched() as core:
        loss = model(torch.ones(2, 4)).sum()
        backward(loss)
        step(optimizer)
    assert core.count("step/backward") == core.count("step/optimizer") == core.count("step") == 1


def test_a_call_of_a_class_of_its_own_through_super_is_a_forward():
    class Own(nn.Linear):
        def __call__(self, value):
            return super().__call__(value)

    with watched() as core:
        Own(4, 3)(torch.ones(2, 4))
    assert core.count("step/forward") + core.count("evaluation/forward") == 1


# -- frames --------------------------------------------------------------------------------


class Hurt(Exception):
    pass


def hurt(*_args, **_kwargs):
    raise Hurt("where it hurts")


class HurtingModule(nn.Module):
    forward = hurt


class HurtingFunction(torch.autograd.Function):
    forward = staticmethod(lambda context, value: value * 1)
    backward = staticmethod(hurt)


class HurtingOptimizer(torch.optim.SGD):
    step = hurt


class HurtingData(Dataset):
    __getitem__ = hurt

    def __len__(self):
        return 2


class HurtingLoader(DataLoader):
    _get_iterator = hurt


def weight():
    return nn.Parameter(torch.ones(2))


def zero_grads_of_a_hurting_module():
    module = nn.Linear(2, 2)
    module.parameters = hurt
    module.zero_grad()


def hurting_optimizer():
    return HurtingOptimizer([weight()], lr=1.0)


RAISING = {
    "forward": lambda: HurtingModule()(1),
    "inner forward": lambda: nn.Sequential(nn.Identity(), HurtingModule())(torch.ones(2)),
    "super forward": lambda: nn.Module.__call__(HurtingModule(), 1),
    "backward": lambda: HurtingFunction.apply(weight()).sum().backward(),
    "grad": lambda: torch.autograd.grad(HurtingFunction.apply(w := weight()).sum(), w),
    "backward's arguments": lambda: torch.autograd.backward(torch.ones(2)),
    "step": lambda: hurting_optimizer().step(),
    "step's arguments": lambda: torch.optim.SGD([weight()], lr=1.0).step(1, 2, 3),
    "scaler": lambda: torch.amp.GradScaler("cpu", enabled=False).step(hurting_optimizer()),
    "zero_grad": zero_grads_of_a_hurting_module,
    "fetch": lambda: list(DataLoader(HurtingData())),
    "next": lambda: iter(DataLoader(HurtingData())).__next__(),
    "iter": lambda: iter(HurtingLoader(HurtingData())),
    "wrong arguments": lambda: nn.Linear(2, 2)(),
}


def text_of(raising):
    try:
        raising()
    except Exception:
        return traceback.format_exc()
    raise AssertionError("it did not raise")


@both_ways
def test_a_traceback_is_word_for_word_the_same(modules):
    for name, raising in RAISING.items():
        expected = text_of(raising)
        with watched(modules=modules):
            assert text_of(raising) == expected, name


class Looking(nn.Module):
    """A module that tells what it sees around it."""

    def __init__(self, look):
        super().__init__()
        self.look = look

    def forward(self, value):
        self.seen = self.look()
        return value


def stack_depth():
    return len(inspect.stack(0)), [f.name for f in traceback.extract_stack()]


def caller():
    return sys._getframe(4).f_code.co_name


def warned_line():
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        warnings.warn("x", stacklevel=5)
    return caught[0].filename, caught[0].lineno


def recursion_left():
    def deeper(depth):
        try:
            return deeper(depth + 1)
        except RecursionError:
            return depth

    return deeper(0)


def traced_by(set_trace):
    """Names of the events that a tracer sees of a whole step."""
    model = network()
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    events = []

    def trace(frame, event, _arg):
        if not event.startswith("c_"):
            events.append((event, frame.f_code.co_name, frame.f_lineno))
        return trace

    def step():
        for inputs, _ in loader(2):
            optimizer.zero_grad()
            model.zero_grad()
            model(inputs).sum().backward()
            optimizer.step()

    step()  # so that nothing is set up for the first time
    gc.disable()  # a library's callback would be seen whenever a collection is due
    set_trace(trace)
    try:
        step()
    finally:
        gc.enable()
        set_trace(None)
    return events


def profiled():
    model = network()
    profile = cProfile.Profile()
    model(torch.ones(2, 4))
    profile.enable()
    for inputs, _ in loader(2):
        model(inputs).sum().backward()
    profile.disable()
    stats = pstats.Stats(profile).stats
    return {key: (value[0], value[1]) for key, value in stats.items()}


LOOKS = {
    "stack": stack_depth,
    "caller": caller,
    "warning": warned_line,
    "recursion": recursion_left,
}


@both_ways
def test_a_module_sees_the_same_stack_around_it(modules):
    def looked(look):
        model = nn.Sequential(Looking(look))
        model(torch.ones(1))
        return model[0].seen

    for name, look in LOOKS.items():
        # Not in one expression: the depth of the stack is a part of it.
        looked(look)
        expected = looked(look)
        with watched(modules=modules):
            looked(look)
            during = looked(look)
        assert during == expected, name


@contextmanager
def recorded(modules):
    """Phases into the recorder, which is native: a test's core is a program of its own."""
    patches = Patches(torch, laptime._core, modules=modules)
    patches.apply()
    try:
        yield
    finally:
        patches.remove()


@pytest.mark.parametrize("set_trace", [sys.settrace, sys.setprofile])
@both_ways
def test_a_tracer_sees_the_program_alone(set_trace, modules):
    before = sys.gettrace()
    try:
        expected = traced_by(set_trace)
        with recorded(modules):
            assert traced_by(set_trace) == expected
    finally:
        sys.settrace(before)


@both_ways
def test_a_profiler_counts_the_same_calls(modules):
    profiled()
    expected = profiled()
    with recorded(modules):
        profiled()
        assert profiled() == expected


def test_what_the_program_has_counted_is_no_step() -> None:
    model = network()
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    images, _labels = next(iter(loader(1)))
    with watched() as recorded:
        lt.count(model, images, backward=True)
        for _ in range(3):
            optimizer.zero_grad()
            model(images).sum().backward()
            optimizer.step()
        lt.count(model, images, backward=True)
    assert [recorded.count(f"step{phase}") for phase in ("", "/forward", "/backward")] == [3, 3, 3]
