"""Objects of the program may do as they like, and Laptime may fail anywhere: results stay."""

from __future__ import annotations

import copy
import io
import logging
import pickle
import re
import weakref

import pytest
import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset
from watched import loader, network, watched

from laptime import _core
from laptime.integrations import _counting, _modules, _patches, _stretches
from laptime.integrations._patches import Patches

both_ways = pytest.mark.parametrize("modules", [False, True], ids=["phases", "modules"])


class Refused(Exception):
    pass


def refuse(*_args, **_kwargs):
    raise Refused


def trained(model, batches=None):
    """Weights after some steps."""
    weights = list((model.inner if isinstance(model, Base) else model).parameters())
    optimizer = torch.optim.SGD(weights, lr=0.1)
    for inputs, _ in batches if batches is not None else loader(3):
        optimizer.zero_grad()
        model(inputs).square().sum().backward()
        optimizer.step()
    return [weight.detach().clone() for weight in weights]


def same(make, modules, batches=lambda: None):
    """Trains with and without: the same weights, and nothing said; the core."""
    expected = trained(make(), batches())
    with watched(modules=modules) as core:
        got = trained(make(), batches())
    assert all(torch.equal(one, other) for one, other in zip(expected, got, strict=True))
    return core


class Base(nn.Module):
    def __init__(self):
        super().__init__()
        torch.manual_seed(0)
        self.inner = nn.Linear(4, 3)

    def forward(self, value):
        return self.inner(value)


class Unhashable(Base):
    __hash__ = None  # type: ignore[assignment]


class Incomparable(Base):
    __eq__ = __ne__ = refuse
    __hash__ = refuse


class Untruthful(Base):
    __bool__ = __len__ = __iter__ = __contains__ = refuse


class Named(Base):
    named_modules = modules = children = named_children = refuse


class Parameters(Base):
    parameters = named_parameters = refuse


class Loading(Base):
    @property
    def training(self):
        raise Refused

    @training.setter
    def training(self, value):
        pass


class Slotted(Base):
    __slots__ = ("extra",)


class OwnCall(Base):
    def __call__(self, *args, **kwargs):
        return super().__call__(*args, **kwargs)


class Meta(type):
    def __call__(cls, *args, **kwargs):
        return super().__call__(*args, **kwargs)

    def __instancecheck__(cls, instance):
        raise Refused

    def __subclasscheck__(cls, other):
        raise Refused

    def __eq__(cls, other):
        raise Refused

    def __hash__(cls):
        return 7


class OwnClass(Base, metaclass=Meta):
    pass


class Wrapped(Base):
    class Out(tuple):
        __len__ = __eq__ = refuse

    def forward(self, value):
        return self.Out((self.inner(value),))[0]


KINDS = [
    Unhashable,
    Incomparable,
    Untruthful,
    Named,
    Parameters,
    Loading,
    Slotted,
    OwnCall,
    OwnClass,
    Wrapped,
]


@both_ways
def test_a_module_of_any_class_trains_and_is_seen(modules, caplog):
    for kind in KINDS:
        core = same(kind, modules)
        found = [core.count(path) for path in ("step", "step/forward", "step/backward")]
        assert found == [3, 3, 3], kind
        assert not caplog.records, kind


@both_ways
def test_what_a_class_answers_is_never_asked(modules):
    asked = []

    class Asked(Base):
        def parameters(self, recurse=True):
            asked.append("parameters")
            return super().parameters(recurse)

        def named_modules(self, *args, **kwargs):
            asked.append("named_modules")
            return super().named_modules(*args, **kwargs)

        def __getattr__(self, name):
            if not name.startswith("_") and name != "inner":
                asked.append(name)
            return super().__getattr__(name)

    class AskedTensor(torch.Tensor):
        @classmethod
        def __torch_function__(cls, func, types, args=(), kwargs=None):
            asked.append(func.__name__)
            return super().__torch_function__(func, types, args, kwargs or {})

    def run():
        model, value = Asked(), torch.ones(2, 4).as_subclass(AskedTensor)
        nn.Sequential(model)(value)
        told = list(asked)
        asked.clear()
        return told

    expected = run()
    with watched(modules=modules):
        assert run() == expected


def scripted():
    return torch.jit.script(network())


def frozen():
    return torch.jit.freeze(torch.jit.script(network()).eval())


def loaded():
    file = io.BytesIO()
    torch.jit.save(scripted(), file)
    return torch.jit.load(io.BytesIO(file.getvalue()))


def traced():
    return torch.jit.trace(network(), torch.ones(2, 4))


def graph():
    return torch.fx.symbolic_trace(network())


def quantized():
    return torch.ao.quantization.quantize_dynamic(network(), {nn.Linear})


def lazy():
    torch.manual_seed(0)
    return nn.Sequential(nn.LazyLinear(3))


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("make", [scripted, frozen, loaded, traced, graph, quantized, lazy])
@both_ways
def test_models_of_other_kinds_run_as_without(make, modules, caplog):
    def run():
        models = make(), nn.Sequential(make())  # as the root, and inside of another
        return [model(torch.ones(2, 4)).detach() for model in models for _ in range(2)]

    expected = run()
    with watched(modules=modules):
        got = run()
    assert all(torch.equal(one, other) for one, other in zip(expected, got, strict=True))
    assert not caplog.records


def traced_graph():
    """Without the numbers that torch gives to classes."""
    return re.sub(r"___torch_mangle_\d+\.", "", str(traced().graph))


def test_a_graph_has_nothing_of_ours():
    expected = torch.fx.symbolic_trace(network()).code
    plain = traced_graph()
    with watched(modules=True):
        assert torch.fx.symbolic_trace(network()).code == expected
        assert traced_graph() == plain


@both_ways
def test_transforms_of_a_model_give_what_they_give(modules):
    def run():
        model, value = network(), torch.ones(2, 4)
        named = dict(model.named_parameters())
        return [
            torch.func.functional_call(model, named, (value,)),
            torch.func.vmap(model)(value),
            torch.func.grad(lambda x: model(x).sum())(value),
            torch.func.grad(lambda p: torch.func.functional_call(model, p, value).sum())(named),
            torch.func.jacrev(model)(value),
        ]

    expected = run()
    with watched(modules=modules):
        got = run()
    flat = torch.utils._pytree.tree_leaves
    pairs = zip(flat(expected), flat(got), strict=True)
    assert all(torch.equal(one, other) for one, other in pairs)


@both_ways
def test_models_and_optimizers_are_copied_and_saved_in_the_middle_of_training(modules):
    with watched(modules=modules):
        model = network()
        optimizer = torch.optim.Adam(model.parameters())
        for inputs, _ in loader(2):
            model(inputs).sum().backward()
            optimizer.step()
            copied = copy.deepcopy(model)
            file = io.BytesIO()
            torch.save((copied, optimizer), file)
        both = torch.load(io.BytesIO(file.getvalue()), weights_only=False)
        assert torch.equal(both[0][0].weight, model[0].weight)
    assert b"laptime" not in file.getvalue()


# -- loaders -------------------------------------------------------------------------------


def data():
    return TensorDataset(torch.arange(24.0).reshape(6, 4), torch.zeros(6))


class UnhashableLoader(DataLoader):
    __hash__ = None  # type: ignore[assignment]


class IncomparableLoader(DataLoader):
    __eq__ = refuse
    __hash__ = refuse


class SuperLoader(DataLoader):
    def __iter__(self):
        yield from super().__iter__()


@both_ways
def test_a_loader_of_any_class_is_read_and_its_fetches_seen(modules, caplog):
    for kind in (UnhashableLoader, IncomparableLoader, SuperLoader):
        core = same(network, modules, lambda kind=kind: kind(data(), batch_size=2))
        assert core.count("step/data") == core.count("step") == 3, kind
        assert not caplog.records, kind


def test_nothing_is_set_on_an_iterator_and_nothing_kept():
    with watched():
        batches = DataLoader(data())
        iterator = iter(batches)
        without = set(vars(iterator))
        next(iterator)
        assert not [name for name in vars(iterator) if "laptime" in name]
        assert set(vars(iterator)) == without
        pickle.loads(pickle.dumps(batches))
        gone = weakref.ref(iterator), weakref.ref(batches)
        del iterator, batches
        assert gone[0]() is gone[1]() is None


# -- failures of our own -------------------------------------------------------------------


class Failing:
    """Makes the n-th call of Laptime's own Python raise."""

    def __init__(self, at):
        self.at = at
        self.calls = 0

    def around(self, function):
        def failing(*args, **kwargs):
            self.calls += 1
            if self.calls == self.at:
                raise LookupError(f"call {self.at}")
            return function(*args, **kwargs)

        return failing


OURS = [
    (_patches.Patches, ("_learns", "_training", "look_for_devices", "_module_laps", "_step_made")),
    (_modules.ModuleLaps, ("name_of_root", "name_of", "make_tag", "tag_several", "replay")),
    (_counting.Counting, ("_begin", "_count", "_leave_out", "_compare", "_compared")),
    (_stretches.Keys, ("calls",)),
    (_stretches.Keys, ("forward", "owner")),
]


def everything(monkeypatch, at, *, modules, ops):
    """A program under watch whose n-th call into Laptime's Python fails; what it computed."""
    failing = Failing(at)
    with monkeypatch.context() as patched:
        for owner, names in OURS:
            for name in names:
                patched.setattr(owner, name, failing.around(getattr(owner, name)))
        patches = Patches(torch, _core, modules=modules, ops=ops)
        patches.apply()
        try:

            class Fresh(torch.optim.SGD):
                pass

            torch.manual_seed(0)
            model = nn.Sequential(Base(), nn.Linear(3, 3))
            optimizer = Fresh(model.parameters(), lr=0.1)
            for inputs, _ in loader(2):
                optimizer.zero_grad()
                model(inputs).square().sum().backward()
                optimizer.step()
            with torch.no_grad():
                result = model(torch.ones(2, 4))
        finally:
            patches.remove()
    return result, failing.calls


@pytest.mark.parametrize("ops", [False, True], ids=["timed", "counted"])
@both_ways
def test_the_program_is_the_same_wherever_laptime_fails(monkeypatch, caplog, modules, ops):
    given = {"modules": modules, "ops": ops}
    expected, calls = everything(monkeypatch, 0, **given)
    assert calls >= 3
    assert not caplog.records
    for at in range(1, calls + 1):
        caplog.clear()
        with caplog.at_level(logging.WARNING, "laptime"):
            got, _ = everything(monkeypatch, at, **given)
        assert torch.equal(got, expected), at
        said = [record for record in caplog.records if record.name == "laptime"]
        assert len(said) == 1, (at, said)
        assert not said[0].exc_info
        assert "\n" not in said[0].getMessage()
    assert not torch.utils._python_dispatch._get_current_dispatch_mode_stack()
