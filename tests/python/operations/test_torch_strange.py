"""Steps that do what a step seldom does: the count says so, or leaves everything as it was."""

import contextlib
import queue
import threading

import pytest

torch = pytest.importorskip("torch")
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

import laptime as lt

X = torch.ones(2, 8)


@pytest.fixture
def model():
    return nn.Linear(8, 8)


def test_a_class_whose_first_function_is_decorated_is_put_back():
    class Net(nn.Module):
        @torch.no_grad()
        def reset(self):
            pass

        def __init__(self):
            super().__init__()
            self.layer, self.calls = nn.Linear(8, 8), 0

        def forward(self, x):
            self.calls += 1
            Net.last = self.calls
            return self.layer(x)

    net = Net()
    Net.last = 0
    lt.count(net, X)
    assert (net.calls, Net.last) == (0, 0)


def test_a_model_that_is_a_context_too_is_put_back():
    class Net(nn.Module, contextlib.ContextDecorator):
        def __init__(self):
            super().__init__()
            self.layer, self.steps, self.kept = nn.Linear(8, 8), 0, "mine"

        def forward(self, x):
            self.steps += 1
            self.kept = x
            return self.layer(x)

    net = Net()
    assert "layer" in lt.count(net, X).by_module
    assert (net.steps, net.kept) == (0, "mine")


def test_what_a_hook_of_all_modules_writes_is_put_back(model):
    seen = {"last": "mine"}

    def note(module, inputs, output):
        seen["last"] = output

    hook = nn.modules.module.register_module_forward_hook(note)
    try:
        lt.count(model, X)
    finally:
        hook.remove()
    assert seen == {"last": "mine"}


@pytest.mark.parametrize("kind", [queue.LifoQueue, queue.PriorityQueue])
def test_what_a_queue_gave_is_back(kind, model):
    waiting = kind()
    waiting.put((1, X))
    lt.count(lambda: model(waiting.get()[1]))
    assert waiting.get_nowait()[1] is X


def test_a_loader_that_keeps_its_workers_gives_each_batch_once(model):
    loader = DataLoader(
        TensorDataset(torch.randn(8, 8)), batch_size=2, num_workers=1, persistent_workers=True
    )
    assert len(list(loader)) == 4
    lt.count(lambda: [model(batch) for (batch,) in loader])
    assert [len(list(loader)) for _ in range(2)] == [4, 4]


def test_workers_that_a_step_starts_have_no_modes(model):
    data = TensorDataset(torch.randn(4, 8))

    def step():
        for (batch,) in DataLoader(data, batch_size=2, num_workers=1):
            model(batch)

    assert lt.count(step, mode="real").flop == 2 * 2 * 2 * 8 * 8


async def coroutine():
    return None


def generator():
    yield None


@pytest.mark.parametrize("made", [coroutine, generator])
def test_a_call_that_only_makes_something_to_run_is_refused(made):
    with pytest.raises(lt.LaptimeError, match="nothing of it has run"):
        lt.count(made)


def test_a_program_that_keeps_an_error_to_itself_is_counted_with_values(model):
    def step():
        y = model(X)
        try:
            positive = int((y.abs() > -1).sum())
        except Exception:
            positive = 0
        return model(y) if positive > 3 else y

    assert lt.count(step).flop == lt.count(step, mode="real").flop == 2 * lt.count(model, X).flop


def test_an_error_of_the_program_s_own_words_is_its_own():
    def step():
        raise ValueError("tensor subclasses are not for me")

    with pytest.raises(ValueError, match="not for me"):
        lt.count(step, mode="fake")


def test_what_a_program_raises_to_end_keeps_its_traceback():
    class Ends(BaseException):
        pass

    def step():
        here = "a local"
        raise Ends(here)

    with pytest.raises(Ends) as caught:
        lt.count(step)
    last = caught.traceback[-1]
    assert last.name == "step"
    assert last.locals["here"] == "a local"


def test_a_module_that_another_thread_calls_is_warned_of(model):
    def step():
        thread = threading.Thread(target=model, args=(X,))
        thread.start()
        thread.join()
        return model(X)

    (warning,) = lt.count(step).warnings
    assert "another thread called" in warning


def test_two_counts_at_once_are_refused(model):
    begun, ends, told = threading.Event(), threading.Event(), []

    def waits():
        begun.set()
        assert ends.wait(60)
        return model(X)

    thread = threading.Thread(target=lambda: told.append(lt.count(waits).flop))
    thread.start()
    assert begun.wait(60)
    try:
        with pytest.raises(lt.LaptimeError, match="another thread is counting"):
            lt.count(model, X)
    finally:
        ends.set()
        thread.join()
    assert told == [lt.count(model, X).flop]


def test_a_generator_that_trains_by_a_function_it_names_is_refused():
    # What a program has in its globals.
    names = {"model": nn.Linear(8, 8), "x": X}
    exec(
        "def train():\n"
        "    model(x).sum().backward()\n"
        "def steps():\n"
        "    while True:\n"
        "        train()\n"
        "        yield 1\n",
        names,
    )
    steps = names["steps"]()
    with pytest.raises(lt.LaptimeError, match="count the function that does a step"):
        lt.count(lambda: next(steps))
    next(steps)
    assert names["model"].weight.grad is not None
